/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sockets: those of all services. What is open follows from what the engine says (Service.listens) and from the definition;
 * what is there already is found by asking the kernel, so a socket that another manager opened, or an older definition, is
 * kept if it is what is wanted, and closed if it is not. The keeper has every one of them from the moment it is open.
 *
 * As long as a service has processes its sockets stay as they are: these have them too. In words: docs/processes.md.
 */
#include "config.h"

#include <string.h>
#include <unistd.h>

#include "base/errors.h"
#include "base/fd.h"
#include "base/log.h"
#include "base/text.h"
#include "config/accounts.h"
#include "manager/manager.h"
#include "process/listening.h"

/*
 * One that cannot be opened is tried again when an address comes or a service goes, but not more often than this; and
 * otherwise after a pause that doubles, for nobody tells us that a foreign program has let go of a port.
 */
#define RETRY_AT_MOST_US (1 * G_USEC_PER_SEC)
#define RETRY_FIRST_US (30 * G_USEC_PER_SEC)
#define RETRY_LAST_US (10 * 60 * G_USEC_PER_SEC)

typedef struct ServiceSockets ServiceSockets;

/* One that is open, or could not be opened. */
typedef struct OpenSocket {
	ServiceSockets *owner;
	int fd;          /* -1: @problem says why */
	unsigned kept;   /* the keeper has it as "SERVICE/socket/KEPT" */
	int entry;       /* its place in the definition; -1: it is in none, or not known yet */
	char *text;      /* its address as written; NULL: not known */
	char *problem;
	bool is_network; /* it is for an address of the machine's that it could not have */
	FdSource *source; /* a client starts the service; NULL: not now */
} OpenSocket;

struct ServiceSockets {
	Manager *manager;
	char *service;
	GPtrArray *sockets; /* OpenSocket *, owned; those of the definition in its order */
	GArray *fds;        /* for a spawn: int, borrowed from @sockets */
	char *names;
};

static void open_socket_free(gpointer data)
{
	OpenSocket *socket = data;

	fd_source_free(socket->source);
	fd_close(&socket->fd);
	g_free(socket->text);
	g_free(socket->problem);
	g_free(socket);
}

static void service_sockets_free(gpointer data)
{
	ServiceSockets *all = data;

	g_ptr_array_unref(all->sockets);
	g_array_unref(all->fds);
	g_free(all->names);
	g_free(all->service);
	g_free(all);
}

static ServiceSockets *sockets_of(Manager *m, const char *service)
{
	ServiceSockets *all = g_hash_table_lookup(m->sockets, service);

	if (all)
		return all;
	all = g_new0(ServiceSockets, 1);
	all->manager = m;
	all->service = g_strdup(service);
	all->sockets = g_ptr_array_new_with_free_func(open_socket_free);
	all->fds = g_array_new(FALSE, FALSE, sizeof(int));
	g_hash_table_insert(m->sockets, all->service, all);
	return all;
}

static OpenSocket *add(ServiceSockets *all, int fd)
{
	OpenSocket *socket = g_new0(OpenSocket, 1);

	socket->owner = all;
	socket->fd = fd;
	socket->entry = -1;
	g_ptr_array_add(all->sockets, socket);
	return socket;
}

/* --- what the keeper has --- */

static char *kept_name(const ServiceSockets *all, unsigned kept)
{
	return g_strdup_printf("%s/" SOCKETS_KEPT_KIND "/%u", all->service, kept);
}

static bool is_kept_as(const ServiceSockets *all, unsigned kept)
{
	for (guint i = 0; i < all->sockets->len; i++) {
		const OpenSocket *socket = g_ptr_array_index(all->sockets, i);

		if (socket->fd >= 0 && socket->kept == kept)
			return true;
	}
	return false;
}

static void keep(OpenSocket *socket, int fd)
{
	g_autofree char *name = NULL;

	while (is_kept_as(socket->owner, socket->kept))
		socket->kept++;
	socket->fd = fd;
	name = kept_name(socket->owner, socket->kept);
	keeper_link_keep(socket->owner->manager->link, name, fd);
}

/* --- closing --- */

static bool is_defined(const Service *s, const char *text)
{
	for (guint i = 0; s && i < service_def_n_sockets(s->def); i++) {
		if (strcmp(((const Listen *)g_ptr_array_index(s->def->socket->listens, i))->text, text) == 0)
			return true;
	}
	return false;
}

/* @s: NULL: it is no more. A file that no definition names any more would lie there for ever. */
static void close_socket(OpenSocket *socket, const Service *s)
{
	g_autofree char *name = kept_name(socket->owner, socket->kept);

	if (socket->fd < 0)
		return;
	if (socket->text && (!is_defined(s, socket->text) || s->def->socket->remove_on_stop))
		listening_remove_file(socket->fd, socket->text);
	keeper_link_forget(socket->owner->manager->link, name);
	log_debug(socket->owner->service, "does not listen on %s any more", socket->text ? socket->text : "a socket");
	fd_source_free(socket->source);
	socket->source = NULL;
	fd_close(&socket->fd);
	sockets_retry_soon(socket->owner->manager);
}

/* --- bringing in line --- */

static bool is_wanted(const Service *s, const Listen *listen)
{
	return s && (s->listens == LISTENS_ALL || (s->listens == LISTENS_LOCAL && !listen_is_network(listen)));
}

static bool find_owner(const SocketDef *def, ListenOwner *ret, GError **error)
{
	*ret = (ListenOwner){ .uid = geteuid(), .gid = getegid() };
	return accounts_find(&accounts_of_machine, def->user, def->group, &ret->uid, &ret->gid, error);
}

/* The one that is what @listen asks for; taken out of @old. */
static OpenSocket *take_match(GPtrArray *old, const Listen *listen, const SocketDef *def)
{
	for (guint i = 0; i < old->len; i++) {
		OpenSocket *socket = g_ptr_array_index(old, i);

		if (socket->fd >= 0 && listening_matches(socket->fd, listen, def))
			return g_ptr_array_steal_index(old, i);
	}
	return NULL;
}

/* Whose socket is it, if it is one of ours? */
static const char *find_holder(Manager *m, const ServiceSockets *asker, const Listen *listen)
{
	GHashTableIter iter;
	gpointer value;

	g_hash_table_iter_init(&iter, m->sockets);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		const ServiceSockets *all = value;

		for (guint i = 0; all != asker && i < all->sockets->len; i++) {
			const OpenSocket *socket = g_ptr_array_index(all->sockets, i);

			if (socket->fd >= 0 && g_strcmp0(socket->text, listen->text) == 0)
				return all->service;
		}
	}
	return NULL;
}

static char *take_problem(GPtrArray *old, const Listen *listen)
{
	for (guint i = 0; i < old->len; i++) {
		OpenSocket *socket = g_ptr_array_index(old, i);

		if (socket->problem && g_strcmp0(socket->text, listen->text) == 0)
			return g_steal_pointer(&socket->problem);
	}
	return NULL;
}

static void retry_later(Manager *m)
{
	timer_arm(m->sockets_retry, loop_now() + m->sockets_pause_us);
	m->sockets_pause_us = MIN(m->sockets_pause_us * 2, RETRY_LAST_US);
}

/* Said once, not each time it is tried. */
static void note_problem(OpenSocket *socket, GPtrArray *old, const Listen *listen, const GError *error)
{
	g_autofree char *before = take_problem(old, listen);
	const char *holder = find_holder(socket->owner->manager, socket->owner, listen);

	socket->problem = holder ? g_strdup_printf("cannot listen on %s: %s listens there", listen->text, holder)
				 : g_strdup(error->message);
	socket->is_network = listen_is_network(listen);
	if (g_strcmp0(before, socket->problem) == 0)
		return;
	log_warning(socket->owner->service, "%s", socket->problem);
	socket->owner->manager->sockets_pause_us = RETRY_FIRST_US;
	retry_later(socket->owner->manager);
}

static void open_one(OpenSocket *socket, GPtrArray *old, const Listen *listen, const SocketDef *def)
{
	g_autoptr(GError) error = NULL;
	ListenOwner owner;
	int fd = -1;

	if (find_owner(def, &owner, &error))
		fd = listening_open(listen, def, &owner, &error);
	if (fd < 0) {
		note_problem(socket, old, listen, error);
		return;
	}
	keep(socket, fd);
	log_debug(socket->owner->service, "listens on %s", listen->text);
}

/* What an older definition said of mode, owner, backlog and the like. */
static void renew(OpenSocket *socket, const Listen *listen, const SocketDef *def)
{
	g_autoptr(GError) error = NULL;
	ListenOwner owner;

	if (!find_owner(def, &owner, &error) || !listening_apply(socket->fd, listen, def, &owner, &error))
		log_warning(socket->owner->service, "%s", error->message);
}

/* First what is there already finds its place; @with_missing: and what is not is given one. */
static void match_all(ServiceSockets *all, GPtrArray *old, const Service *s, bool with_missing)
{
	const SocketDef *def = s->def->socket;

	for (guint i = 0; i < service_def_n_sockets(s->def); i++) {
		const Listen *listen = g_ptr_array_index(def->listens, i);
		OpenSocket *socket = is_wanted(s, listen) ? take_match(old, listen, def) : NULL;

		if (socket)
			g_ptr_array_add(all->sockets, socket);
		else if (with_missing && is_wanted(s, listen))
			socket = add(all, -1);
		if (!socket)
			continue;
		g_free(socket->text);
		socket->text = g_strdup(listen->text);
		socket->entry = (int)i;
	}
}

/* Those that are in nobody's place stay for now, for processes have them too. */
static void leave_rest(ServiceSockets *all, GPtrArray *old)
{
	while (old->len > 0) {
		OpenSocket *socket = g_ptr_array_steal_index(old, 0);

		socket->entry = -1;
		g_ptr_array_add(all->sockets, socket);
	}
}

static void open_missing(ServiceSockets *all, GPtrArray *old, const Service *s)
{
	const SocketDef *def = s->def->socket;

	for (guint i = 0; i < all->sockets->len; i++) {
		OpenSocket *socket = g_ptr_array_index(all->sockets, i);
		const Listen *listen = g_ptr_array_index(def->listens, (guint)socket->entry);

		if (socket->fd >= 0)
			renew(socket, listen, def);
		else
			open_one(socket, old, listen, def);
	}
}

/* @s: NULL: it is no more. @may_change: it has no main process. */
static void bring_in_line(ServiceSockets *all, const Service *s, bool may_change)
{
	g_autoptr(GPtrArray) old = all->sockets;

	all->sockets = g_ptr_array_new_with_free_func(open_socket_free);
	if (s)
		match_all(all, old, s, may_change);
	if (!may_change) {
		leave_rest(all, old);
		return;
	}
	/* Before others are opened, for they may have its address. */
	for (guint i = 0; i < old->len; i++)
		close_socket(g_ptr_array_index(old, i), s);
	if (s)
		open_missing(all, old, s);
}

/* --- clients --- */

static void on_client(GIOCondition condition, void *data)
{
	const OpenSocket *socket = data;
	Manager *m = socket->owner->manager;
	g_autofree char *service = g_strdup(socket->owner->service);
	g_autofree char *address = g_strdup(socket->text);

	(void)condition;
	engine_connection(m->engine, service, address, loop_now());
	sockets_mark(m, service); /* whatever came of it, we look at what it awaits now */
	manager_drain_later(m);
}

static void watch(ServiceSockets *all, bool awaits)
{
	for (guint i = 0; i < all->sockets->len; i++) {
		OpenSocket *socket = g_ptr_array_index(all->sockets, i);
		const bool is_watched = awaits && socket->fd >= 0 && socket->entry >= 0;

		if (is_watched && !socket->source) {
			socket->source = fd_source_new(socket->fd, G_IO_IN, LOOP_PRIORITY_BUS, on_client, socket);
		} else if (!is_watched) {
			fd_source_free(socket->source);
			socket->source = NULL;
		}
	}
}

/* --- one service --- */

static const OpenSocket *find_problem(const ServiceSockets *all)
{
	for (guint i = 0; i < all->sockets->len; i++) {
		const OpenSocket *socket = g_ptr_array_index(all->sockets, i);

		if (socket->fd < 0)
			return socket;
	}
	return NULL;
}

static void update(Manager *m, const char *service)
{
	const Service *s = engine_find(m->engine, service);
	ServiceSockets *all = g_hash_table_lookup(m->sockets, service);

	if (!all && (!s || s->listens == LISTENS_CLOSED))
		return;
	all = sockets_of(m, service);
	bring_in_line(all, s, !manager_supervisor(m, service));
	watch(all, s && s->awaits_connection);
	if (find_problem(all) && !timer_is_armed(m->sockets_retry))
		retry_later(m);
	if (m->bus && s)
		bus_service_changed(m->bus, service);
	if (all->sockets->len == 0)
		g_hash_table_remove(m->sockets, service);
}

static void on_retry(void *data)
{
	Manager *m = data;
	GHashTableIter iter;
	gpointer all;

	m->sockets_tried_us = loop_now();
	g_hash_table_iter_init(&iter, m->sockets);
	while (g_hash_table_iter_next(&iter, NULL, &all)) {
		if (find_problem(all))
			sockets_mark(m, ((ServiceSockets *)all)->service);
	}
	manager_drain_later(m);
}

void sockets_retry_soon(Manager *m)
{
	const int64_t at_us = MAX(loop_now(), m->sockets_tried_us + RETRY_AT_MOST_US);

	if (timer_is_armed(m->sockets_retry) && at_us < timer_deadline(m->sockets_retry))
		timer_arm(m->sockets_retry, at_us);
}

static void on_address(void *data)
{
	sockets_retry_soon(data);
}

static bool is_address_missing(const Manager *m)
{
	GHashTableIter iter;
	gpointer value;

	g_hash_table_iter_init(&iter, m->sockets);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		const ServiceSockets *all = value;

		for (guint i = 0; i < all->sockets->len; i++) {
			if (((const OpenSocket *)g_ptr_array_index(all->sockets, i))->is_network)
				return true;
		}
	}
	return false;
}

/* Only as long as it is of use: else each address that comes would wake us for nothing. */
static void watch_addresses(Manager *m)
{
	g_autoptr(GError) error = NULL;

	if (!is_address_missing(m)) {
		g_clear_pointer(&m->addresses, address_watch_free);
		return;
	}
	if (m->addresses)
		return;
	m->addresses = address_watch_new(on_address, m, &error);
	if (!m->addresses)
		log_warning(NULL, "%s", error->message);
	else
		sockets_retry_soon(m); /* it may have come since the try that failed */
}

void sockets_init(Manager *m)
{
	m->sockets = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, service_sockets_free);
	m->sockets_dirty = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	m->sockets_retry = timer_new(on_retry, m);
}

void sockets_mark(Manager *m, const char *service)
{
	g_hash_table_add(m->sockets_dirty, g_strdup(service));
}

void sockets_mark_all(Manager *m)
{
	const GPtrArray *services = engine_services(m->engine);
	GHashTableIter iter;
	gpointer name;

	for (guint i = 0; i < services->len; i++) {
		const Service *s = g_ptr_array_index(services, i);

		if (service_def_n_sockets(s->def) > 0)
			sockets_mark(m, s->def->name);
	}
	g_hash_table_iter_init(&iter, m->sockets);
	while (g_hash_table_iter_next(&iter, &name, NULL))
		sockets_mark(m, name);
}

void sockets_update(Manager *m)
{
	GHashTableIter iter;
	gpointer name;

	if (g_hash_table_size(m->sockets_dirty) == 0)
		return;
	g_hash_table_iter_init(&iter, m->sockets_dirty);
	while (g_hash_table_iter_next(&iter, &name, NULL))
		update(m, name);
	g_hash_table_remove_all(m->sockets_dirty);
	watch_addresses(m);
}

void sockets_recover(Manager *m, const char *service, const char *index, int fd)
{
	ServiceSockets *all = sockets_of(m, service);
	OpenSocket *socket = add(all, fd);
	uint64_t kept = 0;

	(void)text_parse_uint(index, 10, UINT32_MAX, &kept); /* we have written it */
	socket->kept = (unsigned)kept;
	socket->text = listening_path(fd);
	sockets_mark(m, service);
	engine_recover_listening(m->engine, service);
}

/* --- what others ask --- */

static void collect(ServiceSockets *all, const Service *s, SpawnSockets *ret)
{
	g_autoptr(GString) names = g_string_new(NULL);

	g_array_set_size(all->fds, 0);
	for (guint i = 0; i < all->sockets->len; i++) {
		const OpenSocket *socket = g_ptr_array_index(all->sockets, i);
		g_autofree char *name = socket_def_name(s->def->socket, (unsigned)socket->entry, all->service);

		g_array_append_val(all->fds, socket->fd);
		g_string_append_printf(names, "%s%s", i > 0 ? ":" : "", name);
	}
	g_free(all->names);
	all->names = g_string_free(g_steal_pointer(&names), FALSE);
	*ret = (SpawnSockets){ .fds = (const int *)(const void *)all->fds->data, .n = all->fds->len, .names = all->names };
}

bool sockets_for_spawn(void *manager, const char *service, SpawnSockets *ret, GError **error)
{
	Manager *m = manager;
	const Service *s = engine_find(m->engine, service);
	ServiceSockets *all;
	const OpenSocket *problem;

	*ret = (SpawnSockets){ .n = 0 };
	if (!s)
		return true;
	all = sockets_of(m, service);
	bring_in_line(all, s, true);
	problem = find_problem(all);
	if (problem)
		return fail(error, SVCD_ERROR_FAILED, "%s", problem->problem);
	collect(all, s, ret);
	return true;
}

bool sockets_is_open(void *manager, const char *service, unsigned entry, const char **ret_problem)
{
	const Manager *m = manager;
	const ServiceSockets *all = g_hash_table_lookup(m->sockets, service);

	*ret_problem = NULL;
	for (guint i = 0; all && i < all->sockets->len; i++) {
		const OpenSocket *socket = g_ptr_array_index(all->sockets, i);

		if (socket->entry != (int)entry)
			continue;
		*ret_problem = socket->problem;
		return socket->fd >= 0;
	}
	return false;
}
