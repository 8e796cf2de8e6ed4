/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Notes: the text that PID 1 keeps for the next manager.
 *
 * A service's note is the engine's part, " p=" with the supervisor's phase, and " l=" with the last
 * success of a task with a due: condition. It is sent with the message that it explains (spawn,
 * ack). Other changes are sent when the main loop is idle. Flags and the runlevel have their own
 * notes, under names that no service can have.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "boot/boot.h"
#include "manager/manager.h"

#define FLAG_NOTE_PREFIX ".flag/"

static struct {
	GHashTable *dirty; /* interned names of services with a note that may have changed */
	GHashTable *sent; /* interned name -> text as last sent, owned */
	bool is_global_dirty;
	char buffer[PROTOCOL_NOTE_BYTES]; /* of notes_get() */
} notes;

void notes_init(void)
{
	notes.dirty = g_hash_table_new(g_str_hash, g_str_equal);
	notes.sent = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, g_free);
}

static void append_phase(const Service *s, char *text, size_t size)
{
	const Supervisor *supervisor = manager_supervisor(s->def->name);
	const size_t length = strlen(text);
	char phase[48];

	if (!supervisor || supervisor_invocation(supervisor) != s->invocation)
		return;
	supervisor_phase(supervisor, phase, sizeof phase);
	if (phase[0] && length + strlen(phase) + 4 < size)
		(void)snprintf(text + length, size - length, "%sp=%s", length ? " " : "", phase);
}

static void note_compose(const Manager *m, const Service *s, char *text, size_t size)
{
	g_autofree char *success = last_success_note(s->def->name);

	engine_note(m->engine, s, text, size);
	append_phase(s, text, size);
	if (*text && strlen(text) + strlen(success) < size)
		(void)g_strlcat(text, success, size);
}

static bool note_is_new(const char *service, const char *text)
{
	const char *sent = g_hash_table_lookup(notes.sent, service);

	if (strcmp(sent ? sent : "", text) == 0)
		return false;
	notes_remember(service, text);
	return true;
}

void notes_remember(const char *service, const char *note)
{
	g_hash_table_insert(notes.sent, (gpointer)g_intern_string(service), g_strdup(note));
}

const char *notes_get(Manager *m, const char *service)
{
	const Service *s = m->engine ? engine_find(m->engine, service) : NULL;

	notes.buffer[0] = '\0';
	if (!s)
		return notes.buffer;
	note_compose(m, s, notes.buffer, sizeof notes.buffer);
	notes_remember(service, notes.buffer);
	return notes.buffer;
}

void notes_mark(const char *service)
{
	g_hash_table_add(notes.dirty, (gpointer)g_intern_string(service));
}

void notes_mark_global(void)
{
	notes.is_global_dirty = true;
}

static void send_global(Manager *m)
{
	char text[PROTOCOL_NOTE_BYTES];

	notes.is_global_dirty = false;
	boot_note_global(m->engine, text, sizeof text);
	if (note_is_new(NOTES_GLOBAL, text))
		keeper_link_note(m->link, NOTES_GLOBAL, text);
}

static void send_note(Manager *m, const Service *s)
{
	char text[PROTOCOL_NOTE_BYTES];

	note_compose(m, s, text, sizeof text);
	if (note_is_new(s->def->name, text))
		keeper_link_note(m->link, s->def->name, text);
}

static void send_marked(Manager *m)
{
	GHashTableIter iter;
	gpointer name;

	g_hash_table_iter_init(&iter, notes.dirty);
	while (g_hash_table_iter_next(&iter, &name, NULL)) {
		const Service *s = engine_find(m->engine, name);

		if (s)
			send_note(m, s);
	}
	if (notes.is_global_dirty)
		send_global(m);
}

static void report_noted(void)
{
	GHashTableIter iter;
	gpointer name;

	g_hash_table_iter_init(&iter, notes.dirty);
	while (g_hash_table_iter_next(&iter, &name, NULL)) {
		Supervisor *supervisor = manager_supervisor(name);

		if (supervisor)
			supervisor_noted(supervisor);
	}
	g_hash_table_remove_all(notes.dirty);
}

void notes_send(Manager *m)
{
	if (!m->engine)
		return;
	send_marked(m);
	report_noted();
}

void notes_forget(Manager *m, const char *service)
{
	if (g_hash_table_remove(notes.sent, service))
		keeper_link_note(m->link, service, "");
	g_hash_table_remove(notes.dirty, service);
}

void notes_send_flag(Manager *m, const char *name)
{
	g_autofree char *service = g_strconcat(FLAG_NOTE_PREFIX, name, NULL);
	g_autofree char *note = flag_provider_note(registry_flags(m->registry), name);

	keeper_link_note(m->link, service, note);
}

const char *notes_flag_name(const char *name)
{
	return g_str_has_prefix(name, FLAG_NOTE_PREFIX) ? name + strlen(FLAG_NOTE_PREFIX) : "";
}
