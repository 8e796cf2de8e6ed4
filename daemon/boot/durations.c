/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Durations: how long the services took to start in earlier boots. The file format is:
 *
 * 	svcd-durations 1
 * 	boot 6400000 6100000              duration and expected duration (0: none), oldest first
 * 	service sshd 0 12000+3400000 ...  boots since its last start; START+TAIL of each boot
 * 	end                               a file without this line is truncated
 *
 * All times are microseconds.
 */
#include "config.h"

#include "boot/durations.h"

#include <string.h>

#include "base/errors.h"
#include "base/limits.h"
#include "model/name.h"

#define FIRST_LINE "svcd-durations 1"
#define LAST_LINE "end"

/* Eleven days. No start or boot takes longer. */
#define MAX_DURATION_US (INT64_C(1000000) * G_USEC_PER_SEC)

typedef struct Memory {
	Duration boots[DURATIONS_MEMORY]; /* oldest first */
	unsigned n_boots;
	unsigned n_missed;
	bool is_learned; /* in the present boot */
	Duration expected;
} Memory;

typedef struct PastBoot {
	int64_t took_us;
	int64_t expected_us;
} PastBoot;

struct Durations {
	GHashTable *services; /* name, owned -> Memory, owned */
	GArray *boots; /* PastBoot, oldest first */
	int64_t typical_start_us;
};

Durations *durations_new(void)
{
	Durations *durations = g_new0(Durations, 1);

	durations->services = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	durations->boots = g_array_new(FALSE, FALSE, sizeof(PastBoot));
	return durations;
}

void durations_free(Durations *durations)
{
	if (!durations)
		return;
	g_hash_table_unref(durations->services);
	g_array_unref(durations->boots);
	g_free(durations);
}

/* --- medians --- */

static int compare_times(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a;
	const int64_t y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* Sorts @times. For an even @n, returns the mean of the two middle values. */
static int64_t median(int64_t *times, size_t n)
{
	if (n == 0)
		return 0;
	qsort(times, n, sizeof *times, compare_times);
	return (times[(n - 1) / 2] + times[n / 2]) / 2;
}

static void update_expected(Memory *memory)
{
	int64_t starts[DURATIONS_MEMORY];
	int64_t tails[DURATIONS_MEMORY];

	for (unsigned i = 0; i < memory->n_boots; i++) {
		starts[i] = memory->boots[i].start_us;
		tails[i] = memory->boots[i].tail_us;
	}
	memory->expected.start_us = median(starts, memory->n_boots);
	memory->expected.tail_us = median(tails, memory->n_boots);
}

static void update_typical(Durations *durations)
{
	g_autofree int64_t *starts = g_new(int64_t, g_hash_table_size(durations->services) + 1);
	GHashTableIter iter;
	gpointer value;
	size_t n = 0;

	g_hash_table_iter_init(&iter, durations->services);
	while (g_hash_table_iter_next(&iter, NULL, &value))
		starts[n++] = ((const Memory *)value)->expected.start_us;
	durations->typical_start_us = median(starts, n);
}

/* --- reading --- */

/* Reads digits up to @stop. On success *@text points behind @stop. */
static bool take_number(const char **text, char stop, int64_t max, int64_t *ret)
{
	int64_t value = 0;
	const char *c = *text;

	for (; g_ascii_isdigit(*c) && value <= max; c++)
		value = value * 10 + (*c - '0');
	if (c == *text || *c != stop || value > max)
		return false;
	*text = *c ? c + 1 : c;
	*ret = value;
	return true;
}

static bool read_number(const char *token, int64_t max, int64_t *ret)
{
	return take_number(&token, '\0', max, ret);
}

static bool read_boot(Durations *durations, char **tokens)
{
	PastBoot boot;

	if (g_strv_length(tokens) != 2 || durations->boots->len == DURATIONS_BOOTS ||
	    !read_number(tokens[0], MAX_DURATION_US, &boot.took_us) ||
	    !read_number(tokens[1], MAX_DURATION_US, &boot.expected_us))
		return false;
	g_array_append_val(durations->boots, boot);
	return true;
}

static bool read_pair(const char *token, Duration *ret)
{
	return take_number(&token, '+', MAX_DURATION_US, &ret->start_us) &&
	       read_number(token, MAX_DURATION_US, &ret->tail_us);
}

static bool read_service(Durations *durations, char **tokens)
{
	const unsigned n = g_strv_length(tokens);
	g_autofree Memory *memory = g_new0(Memory, 1);
	int64_t n_missed;

	if (n < 3 || n - 2 > DURATIONS_MEMORY || !name_check_service(tokens[0], NULL) ||
	    g_hash_table_contains(durations->services, tokens[0]) ||
	    g_hash_table_size(durations->services) == LIMIT_DURATIONS ||
	    !read_number(tokens[1], DURATIONS_MISSED, &n_missed))
		return false;
	memory->n_missed = (unsigned)n_missed;
	for (char **token = tokens + 2; *token; token++) {
		if (!read_pair(*token, &memory->boots[memory->n_boots++]))
			return false;
	}
	update_expected(memory);
	g_hash_table_insert(durations->services, g_strdup(tokens[0]), g_steal_pointer(&memory));
	return true;
}

static bool read_line(Durations *durations, const char *line)
{
	g_auto(GStrv) tokens = g_strsplit(line, " ", DURATIONS_MEMORY + 4);

	if (g_strcmp0(tokens[0], "boot") == 0)
		return read_boot(durations, tokens + 1);
	return g_strcmp0(tokens[0], "service") == 0 && read_service(durations, tokens + 1);
}

Durations *durations_parse(const char *text, size_t length, GError **error)
{
	g_autoptr(Durations) durations = durations_new();
	/* a NUL truncates the text, so the last line is missing */
	g_autofree char *copy = g_strndup(text, length);
	g_auto(GStrv) lines = g_strsplit(copy, "\n", -1);
	unsigned n = 0;

	if (g_strcmp0(lines[n++], FIRST_LINE) != 0) {
		fail(error, SVCD_ERROR_INVALID_CONFIGURATION, "line 1 is not \"" FIRST_LINE "\"");
		return NULL;
	}
	while (lines[n] && strcmp(lines[n], LAST_LINE) != 0) {
		if (!read_line(durations, lines[n++])) {
			fail(error, SVCD_ERROR_INVALID_CONFIGURATION,
			     "line %u cannot be understood", n);
			return NULL;
		}
	}
	if (!lines[n] || !lines[n + 1] || *lines[n + 1] || lines[n + 2] || strlen(copy) != length) {
		fail(error, SVCD_ERROR_INVALID_CONFIGURATION,
		     "it does not end with a line \"" LAST_LINE "\"");
		return NULL;
	}
	update_typical(durations);
	return g_steal_pointer(&durations);
}

/* --- writing --- */

static gint compare_names(gconstpointer a, gconstpointer b)
{
	return strcmp(a, b);
}

static void format_service(GString *text, const char *name, const Memory *memory)
{
	g_string_append_printf(text, "service %s %u", name, memory->n_missed);
	for (unsigned i = 0; i < memory->n_boots; i++)
		g_string_append_printf(text, " %" G_GINT64_FORMAT "+%" G_GINT64_FORMAT,
				       memory->boots[i].start_us, memory->boots[i].tail_us);
	g_string_append_c(text, '\n');
}

char *durations_format(const Durations *durations)
{
	GString *text = g_string_new(FIRST_LINE "\n");
	g_autoptr(GList)
		names = g_list_sort(g_hash_table_get_keys(durations->services), compare_names);

	for (guint i = 0; i < durations->boots->len; i++) {
		const PastBoot *boot = &g_array_index(durations->boots, PastBoot, i);

		g_string_append_printf(text, "boot %" G_GINT64_FORMAT " %" G_GINT64_FORMAT "\n",
				       boot->took_us, boot->expected_us);
	}
	for (const GList *l = names; l; l = l->next)
		format_service(text, l->data, g_hash_table_lookup(durations->services, l->data));
	g_string_append(text, LAST_LINE "\n");
	return g_string_free(text, FALSE);
}

/* --- expected durations --- */

bool durations_know_anything(const Durations *durations)
{
	return g_hash_table_size(durations->services) > 0;
}

Duration durations_expect(const Durations *durations, const char *service)
{
	const Memory *memory = g_hash_table_lookup(durations->services, service);

	return memory ? memory->expected : (Duration){ .start_us = durations->typical_start_us };
}

/* --- learning --- */

static Memory *memory_of(Durations *durations, const char *service)
{
	Memory *memory = g_hash_table_lookup(durations->services, service);

	if (memory || g_hash_table_size(durations->services) == LIMIT_DURATIONS)
		return memory;
	memory = g_new0(Memory, 1);
	g_hash_table_insert(durations->services, g_strdup(service), memory);
	return memory;
}

void durations_learn(Durations *durations, const char *service, Duration took)
{
	Memory *memory = memory_of(durations, service);

	if (!memory)
		return; /* at the limit, the service keeps the typical duration */
	if (memory->n_boots == DURATIONS_MEMORY)
		memmove(&memory->boots[0], &memory->boots[1],
			sizeof memory->boots[0] * --memory->n_boots);
	memory->boots[memory->n_boots++] = (Duration){
		.start_us = CLAMP(took.start_us, 0, MAX_DURATION_US),
		.tail_us = CLAMP(took.tail_us, 0, MAX_DURATION_US),
	};
	memory->n_missed = 0;
	memory->is_learned = true;
	update_expected(memory);
}

static void count_missed(Durations *durations)
{
	GHashTableIter iter;
	gpointer value;

	g_hash_table_iter_init(&iter, durations->services);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		Memory *memory = value;

		if (!memory->is_learned && ++memory->n_missed > DURATIONS_MISSED)
			g_hash_table_iter_remove(&iter);
		else
			memory->is_learned = false;
	}
}

void durations_learn_boot(Durations *durations, int64_t took_us, int64_t expected_us)
{
	const PastBoot boot = { CLAMP(took_us, 0, MAX_DURATION_US),
				CLAMP(expected_us, 0, MAX_DURATION_US) };

	count_missed(durations);
	if (durations->boots->len == DURATIONS_BOOTS)
		g_array_remove_index(durations->boots, 0);
	g_array_append_val(durations->boots, boot);
	update_typical(durations);
}
