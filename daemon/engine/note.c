/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Note: the state of a service, which the keeper keeps for the next manager. It consists of
 * versioned "key=value" tokens, at most ENGINE_NOTE_BYTES. It contains only values that cannot be
 * derived. Unknown tokens are kept. p= belongs to the manager.
 *
 * 	v=1      version
 * 	s=r      state, its first letter (t is starting, s stopping, d done)
 * 	f=...    flags: g failed for good, e ended by itself, o stop ordered, n last run failed,
 * 	         l lingers, r restart requested, c RestartCommand= runs, u Reload= runs,
 * 	         w a term was false, p its stop failed, m it runs as a group, also if its file
 * 	         no longer says so
 * 	i=7      invocation
 * 	t=...    since when in this state; times are microseconds in base 36
 * 	u=...    the end of WaitTimeout=
 * 	a=s0@... admin's request (s start, t stop), demand (d) or connection (c); uid and time
 * 	r=3      automatic restarts
 * 	n=12     number of requests that policy has refused
 * 	k=2      how often the backoff was doubled
 * 	b=1.2.   ends that count for the limit, in units of 10 ms before t=, in base 36
 * 	m=...    ServiceDef.mark of the definition that its run began with
 * 	d=...    duration of the last start
 * 	x=...    the last result; blanks are "_"
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "engine/engine-private.h"

#include "base/text.h"

#define FAILURE_UNIT_US (10 * G_TIME_SPAN_MILLISECOND)

static const char state_letters[] = {
	[STATE_IDLE] = 'i', [STATE_WAITING] = 'w',  [STATE_STARTING] = 't', [STATE_READY] = 'r',
	[STATE_DONE] = 'd', [STATE_STOPPING] = 's', [STATE_BACKOFF] = 'b',  [STATE_FAILED] = 'f',
};
G_STATIC_ASSERT(G_N_ELEMENTS(state_letters) == STATE_COUNT);

/* --- writing --- */

static void append_base36(GString *out, uint64_t value)
{
	char digits[TEXT_BASE36_BYTES];

	g_string_append(out, text_base36(digits, value));
}

/* Appends a token if it fits. */
static bool append_token(GString *note, size_t size, const char *token)
{
	if (!*token || note->len + (note->len > 0) + strlen(token) + 1 > size)
		return false;
	if (note->len > 0)
		g_string_append_c(note, ' ');
	g_string_append(note, token);
	return true;
}

static void append_number(GString *note, size_t size, char key, int64_t value)
{
	char token[2 + TEXT_BASE36_BYTES] = { key, '=' };
	char digits[TEXT_BASE36_BYTES];

	if (value <= 0)
		return;
	/* at most 13 digits and a NUL */
	(void)strcpy(token + 2, text_base36(digits, (uint64_t)value));
	(void)append_token(note, size, token);
}

static void append_flags(GString *note, size_t size, const Service *s)
{
	char token[16] = "f=";
	size_t n = 2;

	if (s->is_failed_for_good)
		token[n++] = 'g';
	if (engine_is_spent(s))
		token[n++] = 'e';
	if (s->priv->run.is_stop_ordered)
		token[n++] = 'o';
	if (s->result && !s->last_success)
		token[n++] = 'n';
	if (s->priv->want.is_lingering)
		token[n++] = 'l';
	if (s->priv->run.is_restart_requested)
		token[n++] = 'r';
	if (engine_is_restarting(s))
		token[n++] = 'c';
	if (s->priv->run.reload != COMMAND_NONE)
		token[n++] = 'u';
	if (s->priv->run.was_false)
		token[n++] = 'w';
	if (s->stop_problem)
		token[n++] = 'p';
	if (service_is_active(s) && service_is_group(s))
		token[n++] = 'm';
	token[n] = '\0';
	if (n > 2)
		(void)append_token(note, size, token);
}

static const char admin_letters[] = { [ADMIN_NONE] = '-',
				      [ADMIN_START] = 's',
				      [ADMIN_STOP] = 't',
				      [ADMIN_DEMAND] = 'd',
				      [ADMIN_CONNECTION] = 'c' };
G_STATIC_ASSERT(G_N_ELEMENTS(admin_letters) == ADMIN_COUNT);

static void append_admin(GString *note, size_t size, const Service *s)
{
	g_autoptr(GString) token = NULL;

	if (s->admin == ADMIN_NONE)
		return;
	token = g_string_new("a=");
	g_string_append_c(token, admin_letters[s->admin]);
	append_base36(token, s->admin_requester.uid);
	g_string_append_c(token, '@');
	append_base36(token, (uint64_t)MAX(s->admin_at_us, 0));
	(void)append_token(note, size, token->str);
}

/* Appends the newest failures first, as many as fit. */
static void append_failures(GString *note, size_t size, const Service *s)
{
	const Backoff *b = &s->priv->backoff;
	g_autoptr(GString) token = b->n_failures > 0 ? g_string_new("b=") : NULL;

	for (unsigned i = b->n_failures; i > 0; i--) {
		const int64_t before =
			MAX(s->since_us - b->failures_us[i - 1], 0) / FAILURE_UNIT_US;
		const size_t len = token->len;

		append_base36(token, (uint64_t)before);
		g_string_append_c(token, '.');
		if (note->len + 1 + token->len + 1 > size) {
			g_string_truncate(token, len);
			break;
		}
	}
	if (token && token->len > 2)
		(void)append_token(note, size, token->str);
}

/*
 * A failure has the form "where: how". If it is too long, the beginning is cut, because the exit
 * status or errno is at the end.
 */
static const char *shorten_result(const char *result, size_t limit)
{
	const char *colon;

	while (strlen(result) > limit && (colon = strstr(result, ": ")))
		result = colon + 2;
	return result;
}

/* Appends as much of the result as fits. */
static void append_result(GString *note, size_t size, const Service *s)
{
	const size_t used = note->len + 2;
	g_autofree char *token = NULL;

	if (!s->result || used + 3 > size)
		return;
	token = g_strconcat("x=", shorten_result(s->result, size - used - 2), NULL);
	for (char *c = token; *c; c++) {
		if (*c <= ' ' || *c > '~')
			*c = '_';
	}
	if (strlen(token) > size - used)
		token[size - used] = '\0';
	(void)append_token(note, size, token);
}

void engine_note(const Engine *engine, const Service *s, char *text, size_t size)
{
	g_autoptr(GString) note = NULL;
	const size_t limit = MIN(size, ENGINE_NOTE_BYTES + 1);
	const char head[] = { 'v', '=', '1', ' ', 's', '=', state_letters[s->state], '\0' };

	(void)engine;
	if (size == 0)
		return;
	text[0] = '\0';
	if (s->invocation == 0 && s->admin == ADMIN_NONE && !s->priv->note_unknown &&
	    !s->priv->wait_until_us && !s->result && s->refusals.total == 0)
		return;
	note = g_string_sized_new(ENGINE_NOTE_BYTES);
	(void)append_token(note, limit, head);
	append_flags(note, limit, s);
	append_number(note, limit, 'i', (int64_t)s->invocation);
	append_number(note, limit, 't', s->since_us);
	append_number(note, limit, 'u', s->priv->wait_until_us);
	append_admin(note, limit, s);
	append_number(note, limit, 'r', s->n_restarts);
	append_number(note, limit, 'k', s->priv->backoff.level);
	append_number(note, limit, 'n', s->refusals.total);
	append_number(note, limit, 'm', s->priv->run.mark);
	append_failures(note, limit, s);
	append_number(note, limit, 'd', s->start_duration_us);
	if (s->priv->note_unknown)
		(void)append_token(note, limit, s->priv->note_unknown);
	append_result(note, limit, s);
	g_strlcpy(text, note->str, size);
}

char *engine_note_for(ServiceState state, AdminWant admin, int64_t admin_at_us, bool is_wanted,
		      bool is_group)
{
	GString *note = g_string_new("v=1");

	g_string_append_printf(note, " s=%c i=1", state_letters[state]);
	if (state == STATE_IDLE && is_wanted)
		g_string_append(note, " f=e");
	if (is_group)
		g_string_append(note, " f=m");
	if (admin != ADMIN_NONE) {
		g_string_append_printf(note, " a=%c0@", admin_letters[admin]);
		append_base36(note, (uint64_t)MAX(admin_at_us, 0));
	}
	return g_string_free(note, FALSE);
}

/* --- reading --- */

typedef struct NoteReader {
	Service *service;
	ServiceState state;
	int64_t since_us;
	const char *failures; /* b=, which is read after t= */
	bool has_version;
	bool is_lingering;
	int64_t wait_until_us;
	RunState run;
	GString *extra;
} NoteReader;

static bool read_number(const char *text, int64_t *ret)
{
	const char *end;

	return text_parse_base36(text, ret, &end) && !*end;
}

static bool read_version(NoteReader *r, const char *value)
{
	r->has_version = strcmp(value, "1") == 0;
	return r->has_version;
}

static bool read_state(NoteReader *r, const char *value)
{
	for (unsigned i = 0; i < STATE_COUNT; i++) {
		if (value[0] == state_letters[i] && !value[1]) {
			r->state = (ServiceState)i;
			return true;
		}
	}
	return false;
}

static bool read_flags(NoteReader *r, const char *value)
{
	Service *s = r->service;

	s->is_failed_for_good = strchr(value, 'g');
	r->run.end = strchr(value, 'e') ? RUN_END_SPENT : RUN_END_ORDINARY;
	r->run.is_stop_ordered = strchr(value, 'o');
	s->last_success = !strchr(value, 'n');
	r->is_lingering = strchr(value, 'l');
	r->run.is_restart_requested = strchr(value, 'r');
	r->run.restart = strchr(value, 'c') ? COMMAND_PENDING : COMMAND_NONE;
	r->run.reload = strchr(value, 'u') ? COMMAND_PENDING : COMMAND_NONE;
	r->run.was_false = strchr(value, 'w');
	if (strchr(value, 'p'))
		s->stop_problem = g_strdup("its Stop= command failed");
	if (strchr(value, 'm'))
		r->run.type = TYPE_GROUP;
	return true;
}

static bool read_admin(NoteReader *r, const char *value)
{
	Service *s = r->service;
	int64_t uid;
	int64_t at_us;
	const char *end;

	const char *letter = memchr(admin_letters + ADMIN_START, *value, ADMIN_COUNT - ADMIN_START);

	if (!letter || !text_parse_base36(value + 1, &uid, &end) || *end != '@' ||
	    !read_number(end + 1, &at_us) || uid > UINT32_MAX)
		return false;
	s->admin = (AdminWant)(letter - admin_letters);
	s->admin_requester = (Requester){ .uid = (uid_t)uid };
	s->admin_at_us = at_us;
	return true;
}

/* Failures are newest first in the note, and oldest first in memory. */
static bool read_failures(Service *s, int64_t since_us, const char *value)
{
	int64_t before[BACKOFF_MAX_STARTS];
	unsigned n = 0;

	for (const char *end; *value; value = end + 1, n++) {
		if (n == BACKOFF_MAX_STARTS || !text_parse_base36(value, &before[n], &end) ||
		    *end != '.' || before[n] > INT64_MAX / FAILURE_UNIT_US)
			return false;
	}
	while (n > 0)
		backoff_remember(&s->priv->backoff, since_us - before[--n] * FAILURE_UNIT_US);
	return true;
}

static bool read_result(NoteReader *r, const char *value)
{
	g_free(r->service->result);
	/* empty: unknown */
	r->service->result = *value ? g_strdelimit(g_strdup(value), "_", ' ') : NULL;
	return true;
}

/* b= can only be decoded after t=. */
static bool take_failures(NoteReader *r, const char *value)
{
	r->failures = value;
	return true;
}

static bool take_number(NoteReader *r, char key, const char *value)
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
		r->wait_until_us = number;
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
		r->run.mark = (uint32_t)MIN(number, UINT32_MAX);
		break;
	case 'd':
		r->service->start_duration_us = number;
		break;
	default:
		break;
	}
	return true;
}

static bool skip_token(NoteReader *r, const char *value)
{
	(void)r;
	(void)value;
	return true;
}

static const struct {
	char key;
	bool (*read)(NoteReader *r, const char *value); /* NULL: a number */
	/* clang-format off */
} note_keys[] = {
	{ 'v', read_version }, { 's', read_state }, { 'f', read_flags }, { 'a', read_admin }, { 'b', take_failures },
	{ 'x', read_result },  { 'p', skip_token },  { 'l', skip_token },   { 'i', NULL },	  { 't', NULL },       { 'r', NULL },
	{ 'k', NULL },	       { 'd', NULL },	  { 'u', NULL },    { 'n', NULL },
	{ 'm', NULL },
};
/* clang-format on */

static bool read_token(NoteReader *r, const char *token)
{
	for (unsigned i = 0; token[1] == '=' && i < G_N_ELEMENTS(note_keys); i++) {
		if (note_keys[i].key != token[0])
			continue;
		return note_keys[i].read ? note_keys[i].read(r, token + 2) :
					   take_number(r, token[0], token + 2);
	}
	/* A key of a newer version is kept. */
	g_string_append_printf(r->extra, "%s%s", r->extra->len ? " " : "", token);
	return true;
}

static void forget_what_was_read(Service *s)
{
	s->invocation = 0;
	s->admin = ADMIN_NONE;
	s->n_restarts = 0;
	s->refusals.total = 0;
	s->start_duration_us = 0;
	s->is_failed_for_good = false;
	g_clear_pointer(&s->stop_problem, g_free);
	backoff_clear(&s->priv->backoff);
	g_clear_pointer(&s->result, g_free);
}

bool note_decode(Service *s, const char *note, ServiceState *ret_state, int64_t *ret_since_us)
{
	g_auto(GStrv) tokens = g_strsplit(note, " ", -1);
	g_autoptr(GString) extra = g_string_new(NULL);
	NoteReader r = {
		.service = s, .state = STATE_IDLE, .extra = extra, .run.type = s->def->type
	};
	bool is_fine = true;

	s->last_success = true;
	for (char **token = tokens; *token && is_fine; token++)
		is_fine = !**token || read_token(&r, *token);
	if (is_fine && r.failures)
		is_fine = read_failures(s, r.since_us, r.failures);
	if (!is_fine || !r.has_version) {
		forget_what_was_read(s);
		return false;
	}
	run_restore(s, &r.run);
	wait_limit_restore(s, r.wait_until_us);
	if (r.is_lingering)
		want_begin_lingering(s);
	if (extra->len > 0 && !s->priv->note_unknown)
		s->priv->note_unknown = g_strdup(extra->str);
	*ret_state = r.state;
	*ret_since_us = r.since_us;
	return true;
}

/* --- values that belong to no service --- */

void engine_note_global(const Engine *engine, char *text, size_t size)
{
	g_snprintf(text, size, "v=1 r=%s q=%s b=%" G_GINT64_FORMAT,
		   engine->runlevel ? engine->runlevel : "",
		   engine->previous_runlevel ? engine->previous_runlevel : "", engine->boot_us);
}

static bool read_global_token(Engine *engine, const char *token, bool *ret_has_version)
{
	const char *value = token + 2;

	if (!token[0] || token[1] != '=')
		return true;
	switch (token[0]) {
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
	default:
		return true;
	}
}

bool engine_recover_global(Engine *engine, const char *note, int64_t now_us)
{
	g_auto(GStrv) tokens = g_strsplit(note, " ", -1);
	bool has_version = false;

	engine_set_now(engine, now_us);
	for (char **token = tokens; *token; token++) {
		if (!read_global_token(engine, *token, &has_version))
			return false;
	}
	engine->boot_us = CLAMP(engine->boot_us, 0, now_us);
	if (engine->runlevel)
		want_decide_all(engine);
	return has_version;
}
