/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * System call filter: words as they were written are kept, and taken apart only when a filter is to be made: a list of some
 * hundred names for each service would be the larger part of its definition.
 */
#include "config.h"

#include "model/syscall-filter.h"

#include <string.h>

#include "base/list.h"
#include "base/text.h"
#include "model/syscall-groups.h"
#include "model/value.h"

/* Above the last errno of every processor (MIPS has the largest). */
#define ERRNO_MAX 1134

void syscall_word_free(SyscallWord *word)
{
	g_free(word->name);
	g_free(word);
}

char *syscall_filter_read_error(const char *text, int *ret_error)
{
	uint64_t number;

	if (strcmp(text, "kill") == 0) {
		*ret_error = SYSCALL_ERROR_KILL;
		return NULL;
	}
	if (text_parse_uint(text, 10, ERRNO_MAX, &number) && number > 0) {
		*ret_error = (int)number;
		return NULL;
	}
	for (int i = 1; i <= ERRNO_MAX; i++) {
		if (g_strcmp0(strerrorname_np(i), text) == 0) {
			*ret_error = i;
			return NULL;
		}
	}
	return g_strdup_printf("\"%s\" is no error; write its name, such as EPERM, or kill", text);
}

static char *explain_unknown(const char *name)
{
	g_auto(GStrv) names = *name == '@' ? syscall_group_names() : syscall_names();
	const char *nearest = words_nearest(name, (const char *const *)names);
	const char *kind = *name == '@' ? "group of system calls" : "system call";

	if (nearest)
		return g_strdup_printf("no %s \"%s\"; did you mean %s?", kind, name, nearest);
	return g_strdup_printf("no %s \"%s\"", kind, name);
}

static char *add_word(GPtrArray **words, const char *text, bool is_inverted)
{
	const char *colon = strchr(text, ':');
	g_autofree char *name = colon ? g_strndup(text, (gsize)(colon - text)) : g_strdup(text);
	char *problem = value_check_room(*words);
	SyscallWord *word;
	int error = 0;

	if (problem)
		return problem;
	if (!syscall_is_known(name) && !syscall_group_exists(name))
		return explain_unknown(name);
	if (colon)
		problem = syscall_filter_read_error(colon + 1, &error);
	if (problem)
		return problem;
	word = g_new0(SyscallWord, 1);
	word->name = g_steal_pointer(&name);
	word->is_inverted = is_inverted;
	word->error = error;
	list_add(words, word, (GDestroyNotify)syscall_word_free);
	return NULL;
}

char *syscall_filter_add_line(GPtrArray **words, const char *line)
{
	const bool is_inverted = *line == '~';
	char *problem = NULL;
	g_auto(GStrv) parts = text_split_words(line + is_inverted, &problem);

	if (parts && !parts[0])
		problem = g_strdup("write the names of system calls, or of groups such as @system-service");
	for (char **part = parts; part && *part && !problem; part++)
		problem = add_word(words, *part, is_inverted);
	return problem;
}

bool syscall_filter_is_allow_list(const GPtrArray *words)
{
	const SyscallWord *first = words->len > 0 ? g_ptr_array_index(words, 0) : NULL;

	return first && !first->is_inverted;
}

/* One word's effect on the table, for each call that it names. */
typedef struct Change {
	GHashTable *table;
	bool adds; /* to the list */
	int error;
} Change;

static void change_call(const char *name, void *data)
{
	const Change *change = data;

	if (change->adds || change->error != 0)
		g_hash_table_insert(change->table, g_strdup(name), GINT_TO_POINTER(change->error));
	else
		g_hash_table_remove(change->table, name);
}

GHashTable *syscall_filter_resolve(const GPtrArray *words)
{
	const bool is_allow_list = syscall_filter_is_allow_list(words);
	GHashTable *table = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

	if (is_allow_list)
		syscall_group_foreach(SYSCALL_GROUP_DEFAULT, change_call, &(Change){ .table = table, .adds = true });
	for (guint i = 0; i < words->len; i++) {
		const SyscallWord *word = g_ptr_array_index(words, i);
		Change change = { .table = table, .adds = word->is_inverted != is_allow_list, .error = word->error };

		if (*word->name == '@')
			syscall_group_foreach(word->name, change_call, &change);
		else
			change_call(word->name, &change);
	}
	return table;
}
