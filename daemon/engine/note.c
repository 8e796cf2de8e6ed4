/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Note: the state of a service in the keeper while no manager runs. It consists of versioned
 * "key=value" tokens, at most ENGINE_NOTE_BYTES. It contains only values that cannot be derived.
 * Unknown tokens are kept. p= belongs to the manager.
 *
 * 	v=1      version
 * 	s=r      state, its first letter (t is starting, s stopping, d done)
 * 	f=...    flags: g failed for good, e ended by itself, o stop ordered, n last run failed,
 * 	         l lingers, r restart requested, c RestartCommand= runs, u Reload= runs,
 * 	         w a term was false, p its stop failed
 * 	i=7      invocation
 * 	t=...    since when in this state; times are microseconds in base 36
 * 	u=...    the end of WaitTimeout=
 * 	a=s0@... admin's want (s start, t stop), a demand (d) or a connection (c); its uid and time
 * 	r=3      automatic restarts
 * 	n=12     number of requests that policy has refused
 * 	k=2      how often the back-off was doubled
 * 	b=1.2.   ends that count for the limit, in units of 10 ms before t=, in base 36
 * 	m=...    ServiceDef.mark of the definition that its run began with
 * 	d=...    duration of the last start
 * 	x=...    the last result; blanks are "_"
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "engine/engine-private.h"

#define FAILURE_UNIT_US (10 * G_TIME_SPAN_MILLISECOND)

static const char state_letters[] = {
	[STATE_IDLE] = 'i', [STATE_WAITING] = 'w', [STATE_STARTING] = 't', [STATE_READY] = 'r',
	[STATE_DONE] = 'd', [STATE_STOPPING] = 's', [STATE_BACKOFF] = 'b', [STATE_FAILED] = 'f',
};
G_STATIC_ASSERT(G_N_ELEMENTS(state_letters) == STATE_COUNT);

/* --- writing --- */

#define BASE36_BYTES 16 /* 13 digits, and a NUL */

/* Returns: the first digit in @digits. */
static const char *base36(char digits[BASE36_BYTES], uint64_t value)
{
	char *first = digits + BASE36_BYTES - 1;

	*first = '\0';
	do {
		*--first = "0123456789abcdefghijklmnopqrstuvwxyz"[value % 36];
		value /= 36;
	} while (value);
	return first;
}

static void append_base36(GString *out, uint64_t value)
{
	char digits[BASE36_BYTES];

	g_string_append(out, base36(digits, value));
}

/* Appends a token if it fits. */
static bool append_word(GString *note, size_t size, const char *word)
{
	if (!*word || note->len + (note->len > 0) + strlen(word) + 1 > size)
		return false;
	if (note->len > 0)
		g_string_append_c(note, ' ');
	g_string_append(note, word);
	return true;
}

static void append_number(GString *note, size_t size, char key, int64_t value)
{
	char word[2 + BASE36_BYTES] = { key, '=' };
	char digits[BASE36_BYTES];

	if (value <= 0)
		return;
	(void)strcpy(word + 2, base36(digits, (uint64_t)value)); /* at most 13 digits and a NUL */
	(void)append_word(note, size, word);
}

static void append_flags(GString *note, size_t size, const Service *s)
{
	char word[16] = "f=";
	size_t n = 2;

	if (s->is_failed_for_good)
		word[n++] = 'g';
	if (s->priv->is_spent)
		word[n++] = 'e';
	if (s->priv->is_stop_ordered)
		word[n++] = 'o';
	if (s->result && !s->last_success)
		word[n++] = 'n';
	if (s->priv->is_lingering)
		word[n++] = 'l';
	if (s->priv->is_restart_asked)
		word[n++] = 'r';
	if (s->is_restarting)
		word[n++] = 'c';
	if (s->is_reloading)
		word[n++] = 'u';
	if (s->priv->was_false)
		word[n++] = 'w';
	if (s->stop_problem)
		word[n++] = 'p';
	word[n] = '\0';
	if (n > 2)
		(void)append_word(note, size, word);
}

static const char admin_letters[] = { [ADMIN_NONE] = '-', [ADMIN_START] = 's', [ADMIN_STOP] = 't', [ADMIN_DEMAND] = 'd',
				     [ADMIN_CONNECTION] = 'c' };
G_STATIC_ASSERT(G_N_ELEMENTS(admin_letters) == ADMIN_COUNT);

static void append_admin(GString *note, size_t size, const Service *s)
{
	g_autoptr(GString) word = NULL;

	if (s->admin == ADMIN_NONE)
		return;
	word = g_string_new("a=");
	g_string_append_c(word, admin_letters[s->admin]);
	append_base36(word, s->admin_who.uid);
	g_string_append_c(word, '@');
	append_base36(word, (uint64_t)MAX(s->admin_at_us, 0));
	(void)append_word(note, size, word->str);
}

/* Newest first, as many as fit. */
static void append_failures(GString *note, size_t size, const Service *s)
{
	const Backoff *b = &s->priv->backoff;
	g_autoptr(GString) word = b->n_failures > 0 ? g_string_new("b=") : NULL;

	for (unsigned i = b->n_failures; i > 0; i--) {
		const int64_t before = MAX(s->since_us - b->failures_us[i - 1], 0) / FAILURE_UNIT_US;
		const size_t len = word->len;

		append_base36(word, (uint64_t)before);
		g_string_append_c(word, '.');
		if (note->len + 1 + word->len + 1 > size) {
			g_string_truncate(word, len);
			break;
		}
	}
	if (word && word->len > 2)
		(void)append_word(note, size, word->str);
}

/*
 * A failure has the form "where: how". If it is too long, the beginning is cut, because the exit
 * status or errno is at the end.
 */
static const char *shorten_result(const char *result, size_t room)
{
	const char *colon;

	while (strlen(result) > room && (colon = strstr(result, ": ")))
		result = colon + 2;
	return result;
}

/* As much of the text as fits. */
static void append_result(GString *note, size_t size, const Service *s)
{
	const size_t used = note->len + 2;
	g_autofree char *word = NULL;

	if (!s->result || used + 3 > size)
		return;
	word = g_strconcat("x=", shorten_result(s->result, size - used - 2), NULL);
	for (char *c = word; *c; c++) {
		if (*c <= ' ' || *c > '~')
			*c = '_';
	}
	if (strlen(word) > size - used)
		word[size - used] = '\0';
	(void)append_word(note, size, word);
}

void engine_note(const Engine *engine, const Service *s, char *text, size_t size)
{
	g_autoptr(GString) note = NULL;
	const size_t room = MIN(size, ENGINE_NOTE_BYTES + 1);
	const char head[] = { 'v', '=', '1', ' ', 's', '=', state_letters[s->state], '\0' };

	(void)engine;
	if (size == 0)
		return;
	text[0] = '\0';
	if (s->invocation == 0 && s->admin == ADMIN_NONE && !s->priv->note_extra && !s->priv->wait_until_us &&
	    !s->result && s->refusals.total == 0)
		return;
	note = g_string_sized_new(ENGINE_NOTE_BYTES);
	(void)append_word(note, room, head);
	append_flags(note, room, s);
	append_number(note, room, 'i', (int64_t)s->invocation);
	append_number(note, room, 't', s->since_us);
	append_number(note, room, 'u', s->priv->wait_until_us);
	append_admin(note, room, s);
	append_number(note, room, 'r', s->n_restarts);
	append_number(note, room, 'k', s->priv->backoff.level);
	append_number(note, room, 'n', s->refusals.total);
	append_number(note, room, 'm', s->priv->run_mark);
	append_failures(note, room, s);
	append_number(note, room, 'd', s->start_duration_us);
	if (s->priv->note_extra)
		(void)append_word(note, room, s->priv->note_extra);
	append_result(note, room, s);
	g_strlcpy(text, note->str, size);
}

void engine_note_for(ServiceState state, AdminWant admin, bool is_wanted, char *text, size_t size)
{
	g_autoptr(GString) note = g_string_new("v=1");

	g_string_append_printf(note, " s=%c i=1", state_letters[state]);
	if (state == STATE_IDLE && is_wanted)
		g_string_append(note, " f=e");
	if (admin != ADMIN_NONE)
		g_string_append_printf(note, " a=%c0@1", admin_letters[admin]);
	g_strlcpy(text, note->str, size);
}

/* --- reading --- */

typedef struct Reader {
	Service *service;
	ServiceState state;
	int64_t since_us;
	const char *failures; /* b=, which is read after t= */
	bool has_version;
	GString *extra;
} Reader;

static bool read_base36(const char *text, int64_t *ret, const char **ret_end)
{
	char *end;
	const guint64 value = g_ascii_strtoull(text, &end, 36);

	if (end == text || !g_ascii_isalnum(*text) || value > INT64_MAX)
		return false;
	*ret = (int64_t)value;
	*ret_end = end;
	return true;
}

static bool read_number(const char *text, int64_t *ret)
{
	const char *end;

	return read_base36(text, ret, &end) && !*end;
}

static bool read_version(Reader *r, const char *value)
{
	r->has_version = strcmp(value, "1") == 0;
	return r->has_version;
}

static bool read_state(Reader *r, const char *value)
{
	for (unsigned i = 0; i < STATE_COUNT; i++) {
		if (value[0] == state_letters[i] && !value[1]) {
			r->state = (ServiceState)i;
			return true;
		}
	}
	return false;
}

static bool read_flags(Reader *r, const char *value)
{
	Service *s = r->service;

	s->is_failed_for_good = strchr(value, 'g');
	s->priv->is_spent = strchr(value, 'e');
	s->priv->is_stop_ordered = strchr(value, 'o');
	s->last_success = !strchr(value, 'n');
	s->priv->is_lingering = strchr(value, 'l');
	s->priv->is_restart_asked = strchr(value, 'r');
	s->is_restarting = strchr(value, 'c');
	s->is_reloading = strchr(value, 'u');
	s->priv->was_false = strchr(value, 'w');
	if (strchr(value, 'p'))
		s->stop_problem = g_strdup("its Stop= command failed");
	return true;
}

static bool read_admin(Reader *r, const char *value)
{
	Service *s = r->service;
	int64_t uid;
	int64_t at_us;
	const char *end;

	const char *letter = memchr(admin_letters + ADMIN_START, *value, ADMIN_COUNT - ADMIN_START);

	if (!letter || !read_base36(value + 1, &uid, &end) || *end != '@' || !read_number(end + 1, &at_us) ||
	    uid > UINT32_MAX)
		return false;
	s->admin = (AdminWant)(letter - admin_letters);
	s->admin_who = (Requester){ .uid = (uid_t)uid };
	s->admin_at_us = at_us;
	return true;
}

/* Newest first in the note, oldest first in memory. */
static bool read_failures(Service *s, int64_t since_us, const char *value)
{
	int64_t before[BACKOFF_MAX_STARTS];
	unsigned n = 0;

	for (const char *end; *value; value = end + 1, n++) {
		if (n == BACKOFF_MAX_STARTS || !read_base36(value, &before[n], &end) || *end != '.' ||
		    before[n] > INT64_MAX / FAILURE_UNIT_US)
			return false;
	}
	while (n > 0)
		backoff_remember(&s->priv->backoff, since_us - before[--n] * FAILURE_UNIT_US);
	return true;
}

static bool read_result(Reader *r, const char *value)
{
	g_free(r->service->result);
	r->service->result = *value ? g_strdelimit(g_strdup(value), "_", ' ') : NULL; /* empty: unknown */
	return true;
}

/* b= can only be decoded after t=. */
static bool take_failures(Reader *r, const char *value)
{
	r->failures = value;
	return true;
}

static bool take_number(Reader *r, char key, const char *value)
{
	int64_t number;

	if (!read_number(value, &number))
		return false;
	switch (key) {
	case 'i':
		r->service->invocation = (uint64_t)number;
		break;
	case 't':
		r->since_us = number;
		break;
	case 'u':
		r->service->priv->wait_until_us = number;
		break;
	case 'r':
		r->service->n_restarts = (unsigned)MIN(number, UINT_MAX);
		break;
	case 'k':
		r->service->priv->backoff.level = (unsigned)MIN(number, 62);
		break;
	case 'n':
		r->service->refusals.total = (unsigned)MIN(number, UINT_MAX);
		break;
	case 'm':
		r->service->priv->run_mark = (uint32_t)MIN(number, UINT32_MAX);
		break;
	case 'd':
		r->service->start_duration_us = number;
		break;
	default:
		break;
	}
	return true;
}

static bool skip_word(Reader *r, const char *value)
{
	(void)r;
	(void)value;
	return true;
}

static const struct {
	char key;
	bool (*read)(Reader *r, const char *value); /* NULL: a number */
} note_keys[] = {
	{ 'v', read_version }, { 's', read_state }, { 'f', read_flags }, { 'a', read_admin }, { 'b', take_failures },
	{ 'x', read_result },  { 'p', skip_word },  { 'i', NULL },	  { 't', NULL },       { 'r', NULL },
	{ 'k', NULL },	       { 'd', NULL },	  { 'u', NULL },    { 'n', NULL },
	{ 'm', NULL },
};

static bool read_word(Reader *r, const char *word)
{
	for (unsigned i = 0; word[1] == '=' && i < G_N_ELEMENTS(note_keys); i++) {
		if (note_keys[i].key != word[0])
			continue;
		return note_keys[i].read ? note_keys[i].read(r, word + 2) : take_number(r, word[0], word + 2);
	}
	/* A key of a newer version is kept. */
	g_string_append_printf(r->extra, "%s%s", r->extra->len ? " " : "", word);
	return true;
}

static void forget_what_was_read(Service *s)
{
	s->invocation = 0;
	s->admin = ADMIN_NONE;
	s->n_restarts = 0;
	s->refusals.total = 0;
	s->priv->wait_until_us = 0;
	s->start_duration_us = 0;
	s->priv->run_mark = 0;
	s->is_failed_for_good = false;
	s->priv->is_spent = false;
	s->priv->is_stop_ordered = false;
	s->priv->is_lingering = false;
	s->priv->is_restart_asked = false;
	s->is_restarting = false;
	s->is_reloading = false;
	s->priv->was_false = false;
	g_clear_pointer(&s->stop_problem, g_free);
	backoff_clear(&s->priv->backoff);
	g_clear_pointer(&s->result, g_free);
}

bool note_decode(Service *s, const char *note, ServiceState *ret_state, int64_t *ret_since_us)
{
	g_auto(GStrv) words = g_strsplit(note, " ", -1);
	g_autoptr(GString) extra = g_string_new(NULL);
	Reader r = { .service = s, .state = STATE_IDLE, .extra = extra };
	bool is_fine = true;

	s->last_success = true;
	for (char **word = words; *word && is_fine; word++)
		is_fine = !**word || read_word(&r, *word);
	if (is_fine && r.failures)
		is_fine = read_failures(s, r.since_us, r.failures);
	if (!is_fine || !r.has_version) {
		forget_what_was_read(s);
		return false;
	}
	if (extra->len > 0 && !s->priv->note_extra)
		s->priv->note_extra = g_strdup(extra->str);
	*ret_state = r.state;
	*ret_since_us = r.since_us;
	return true;
}

/* --- values that belong to no service --- */

/* Rounds up, because the bar must not go back under another manager. */
static int to_billionths(double fraction, double most)
{
	return (int)(MIN(fraction + 1e-9, most) * 1e9 + 0.5);
}

/*
 * During the boot: the line of the progress bar (ProgressAim; a= relative to the boot) and the
 * expected duration.
 */
static void append_aim(GString *note, size_t size, const Engine *engine)
{
	const ProgressAim *aim = &engine->aim;
	g_autofree char *word = g_strdup_printf("h=%d t=%d", to_billionths(aim->from, PROGRESS_MOST),
					       to_billionths(aim->to, 1.0));

	(void)append_word(note, size, word);
	append_number(note, size, 'a', aim->at_us - engine->boot_us);
	append_number(note, size, 'e', aim->rest_us);
	append_number(note, size, 'x', engine->expected_us);
}

void engine_note_global(const Engine *engine, char *text, size_t size)
{
	g_autoptr(GString) note = g_string_new(NULL);

	g_string_printf(note, "v=1 r=%s q=%s b=%" G_GINT64_FORMAT " f=%" G_GINT64_FORMAT,
			engine->runlevel ? engine->runlevel : "",
			engine->previous_runlevel ? engine->previous_runlevel : "", engine->boot_us,
			engine->finished_us);
	if (!engine->finished_us)
		append_aim(note, size, engine);
	g_strlcpy(text, note->str, size);
}

static void read_base36_or_0(const char *text, int64_t *ret)
{
	if (!read_number(text, ret))
		*ret = 0;
}

static bool read_global_word(Engine *engine, const char *word, bool *ret_has_version)
{
	const char *value = word + 2;

	if (!word[0] || word[1] != '=')
		return true;
	switch (word[0]) {
	case 'v':
		*ret_has_version = strcmp(value, "1") == 0;
		return *ret_has_version;
	case 'r':
		engine->runlevel = policy_find_runlevel(engine->policy, value);
		return engine->runlevel || !*value;
	case 'q':
		engine->previous_runlevel = policy_find_runlevel(engine->policy, value);
		return true;
	case 'b':
		engine->boot_us = g_ascii_strtoll(value, NULL, 10);
		return true;
	case 'f':
		engine->finished_us = g_ascii_strtoll(value, NULL, 10);
		return true;
	case 'h':
		engine->aim.from = MIN(CLAMP(atoi(value), 0, 1000000000) / 1e9, PROGRESS_MOST);
		return true;
	case 't':
		engine->aim.to = CLAMP(atoi(value), 0, 1000000000) / 1e9;
		return true;
	case 'a':
		read_base36_or_0(value, &engine->aim.at_us);
		return true;
	case 'e':
		read_base36_or_0(value, &engine->aim.rest_us);
		return true;
	case 'x':
		read_base36_or_0(value, &engine->expected_us);
		return true;
	default:
		return true;
	}
}

bool engine_recover_global(Engine *engine, const char *note, int64_t now_us)
{
	g_auto(GStrv) words = g_strsplit(note, " ", -1);
	bool has_version = false;

	engine_set_now(engine, now_us);
	for (char **word = words; *word; word++) {
		if (!read_global_word(engine, *word, &has_version))
			return false;
	}
	engine->boot_us = CLAMP(engine->boot_us, 0, now_us);
	engine->aim.at_us = MIN(engine->aim.at_us, now_us) + engine->boot_us;
	engine->aim.to = MAX(engine->aim.to, engine->aim.from);
	if (engine->runlevel)
		want_decide_all(engine);
	return has_version;
}
