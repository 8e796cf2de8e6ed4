/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sockets: the sockets of all services. The engine (Service.listens) and the definition determine
 * which sockets are open.
 *
 * svc-worker opens them. A service can hold the lock of its socket, and users can hold the locks of
 * directories. So the manager never binds or inspects a socket, and never closes the last copy of
 * its descriptor. It passes descriptors on and polls them: poll(2) takes no lock that a process can
 * hold (docs/processes.md). PID 1 keeps each socket from the moment it is open, under a name with a
 * hash of its definition (model/socket-fields.h). The next manager, or a new definition, finds it
 * by that hash.
 *
 * While a service has processes its sockets stay unchanged, because the processes have them, too.
 */
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "base/errors.h"
#include "base/fd.h"
#include "base/limits.h"
#include "base/log.h"
#include "manager/manager.h"
#include "model/socket-fields.h"
#include "worker/message.h"

/*
 * A socket that cannot be opened is tried again when an address appears or a service ends, but at
 * most once in this time. It is also tried after pauses that double, because no event reports that
 * another program has closed a port.
 */
#define RETRY_AT_MOST_US (1 * G_USEC_PER_SEC)
#define RETRY_FIRST_US (30 * G_USEC_PER_SEC)
#define RETRY_LAST_US (10 * 60 * G_USEC_PER_SEC)

/* A socket that was checked within this time is not checked again for a start. */
#define LOOK_IS_FRESH_US (1 * G_USEC_PER_SEC)

typedef struct ServiceSockets ServiceSockets;

/* A socket that is open, being opened, could not be opened, or is being closed. */
typedef struct OpenSocket {
	ServiceSockets *owner;
	char *hash; /* of its definition */
	char *text; /* its address as written; NULL: its definition is not known */
	char *name; /* for LISTEN_FDNAMES */
	int entry; /* its index in the definition; -1: not in it */
	bool has_file;
	bool is_network;
	int fd; /* -1: none yet */
	char *kept; /* its name in PID 1; NULL: not kept */
	WorkerJob *job; /* opens, checks or shuts it down; NULL: not running */
	/* why it cannot be opened, or why clients may be unable to reach it; NULL: no problem */
	char *problem;
	FdSource *source; /* waits for a client that starts the service; or NULL */
} OpenSocket;

struct ServiceSockets {
	Manager *manager;
	char *service;
	GPtrArray *sockets; /* OpenSocket *, owned; in the order of the definition */
	GPtrArray *closing; /* OpenSocket *, owned: svc-worker is shutting them down */
	bool is_to_look; /* check the open ones, and retry the failed ones */
	int64_t looked_us;
	uint64_t held; /* the invocation that is held until @sockets are open; 0: none */
	GArray *fds; /* for a spawn: int, borrowed from @sockets */
	char *names;
};

static struct {
	GHashTable *of_services; /* name -> ServiceSockets, owned */
	GHashTable *dirty; /* names of services with sockets to be updated; owned */
	Timer *retry; /* armed while a socket cannot be opened */
	int64_t pause_us; /* until the next try, unless an event comes earlier */
	int64_t tried_us;
	AddressWatch *addresses; /* NULL: no socket waits for an address */
	bool are_of_boot_open; /* sockets_hold_boot() is over */
} sockets;

static void open_socket_free(gpointer data)
{
	OpenSocket *socket = data;

	worker_job_free(socket->job);
	fd_source_free(socket->source);
	fd_close(&socket->fd);
	g_free(socket->hash);
	g_free(socket->text);
	g_free(socket->name);
	g_free(socket->kept);
	g_free(socket->problem);
	g_free(socket);
}

static void service_sockets_free(gpointer data)
{
	ServiceSockets *all = data;

	g_ptr_array_unref(all->sockets);
	g_ptr_array_unref(all->closing);
	g_array_unref(all->fds);
	g_free(all->names);
	g_free(all->service);
	g_free(all);
}

static ServiceSockets *sockets_of(Manager *m, const char *service)
{
	ServiceSockets *all = g_hash_table_lookup(sockets.of_services, service);

	if (all)
		return all;
	all = g_new0(ServiceSockets, 1);
	all->manager = m;
	all->service = g_strdup(service);
	all->sockets = g_ptr_array_new_with_free_func(open_socket_free);
	all->closing = g_ptr_array_new_with_free_func(open_socket_free);
	all->fds = g_array_new(FALSE, FALSE, sizeof(int));
	g_hash_table_insert(sockets.of_services, all->service, all);
	return all;
}

static OpenSocket *add(ServiceSockets *all, const char *hash)
{
	OpenSocket *socket = g_new0(OpenSocket, 1);

	socket->owner = all;
	socket->hash = g_strdup(hash);
	socket->entry = -1;
	socket->fd = -1;
	g_ptr_array_add(all->sockets, socket);
	return socket;
}

static bool is_opening(const ServiceSockets *all)
{
	for (guint i = 0; i < all->sockets->len; i++) {
		if (((const OpenSocket *)g_ptr_array_index(all->sockets, i))->job)
			return true;
	}
	return false;
}

/* --- descriptors in PID 1 --- */

/* SERVICE/socket/HASH-TIME fits. */
G_STATIC_ASSERT(LIMIT_NAME_BYTES + sizeof("/" SOCKETS_KEPT_KIND "/") + SOCKET_HASH_LENGTH +
			sizeof("-123456789abc") <
		PROTOCOL_KEEP_NAME_BYTES);

/*
 * The time makes the names unique: a socket may still be open when the next socket of the same
 * definition is opened.
 */
static void keep(OpenSocket *socket, int fd)
{
	socket->fd = fd;
	socket->kept = g_strdup_printf("%s/" SOCKETS_KEPT_KIND "/%s-%012" PRIx64,
				       socket->owner->service, socket->hash, (uint64_t)loop_now());
	keeper_link_keep(socket->owner->manager->link, socket->kept, fd);
}

/*
 * A child of PID 1 closes the last copy. For that the socket is sent to PID 1 again, because PID 1
 * may have had no room to keep it.
 */
static void dispose(OpenSocket *socket)
{
	KeeperLink *link = socket->owner->manager->link;

	fd_source_free(socket->source);
	socket->source = NULL;
	if (socket->fd >= 0)
		keeper_link_dispose(link, fd_steal(&socket->fd));
	if (socket->kept)
		keeper_link_forget(link, socket->kept);
	g_clear_pointer(&socket->kept, g_free);
}

/* --- problems --- */

/* The service of ours that has a socket with this address; or NULL. */
static const char *find_holder(const OpenSocket *socket_owner)
{
	GHashTableIter iter;
	gpointer value;

	g_hash_table_iter_init(&iter, sockets.of_services);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		const ServiceSockets *all = value;

		for (guint i = 0; all != socket_owner->owner && i < all->sockets->len; i++) {
			const OpenSocket *socket = g_ptr_array_index(all->sockets, i);

			if (socket->fd >= 0 && g_strcmp0(socket->text, socket_owner->text) == 0)
				return all->service;
		}
	}
	return NULL;
}

static void retry_later(void)
{
	timer_arm(sockets.retry, loop_now() + sockets.pause_us);
	sockets.pause_us = MIN(sockets.pause_us * 2, RETRY_LAST_US);
}

/* The problem is logged once, not at each try. */
static void note_problem(OpenSocket *socket, const char *problem)
{
	g_autofree char *before = g_steal_pointer(&socket->problem);
	const char *holder = find_holder(socket);

	socket->problem = holder ? g_strdup_printf("cannot listen on %s: %s listens there",
						   socket->text, holder) :
				   g_strdup(problem);
	if (g_strcmp0(before, socket->problem) == 0)
		return;
	log_warning(socket->owner->service, "%s", socket->problem);
	sockets.pause_us = RETRY_FIRST_US;
	retry_later();
}

/* --- jobs --- */

static void on_job_over(ServiceSockets *all)
{
	sockets_mark(all->service);
	manager_drain_later();
	if (!is_opening(all))
		all->looked_us = loop_now();
}

static void on_opened(void *data, const char *const *fields, unsigned n_fields, int fd)
{
	OpenSocket *socket = data;

	socket->job = NULL;
	if (fd < 0 && n_fields > 1 && strcmp(fields[0], WORKER_DONE) == 0 &&
	    strcmp(fields[1], SOCKET_IS_SAME) == 0) {
		g_clear_pointer(&socket->problem, g_free);
		on_job_over(socket->owner);
		return;
	}
	dispose(socket); /* clients cannot reach the old socket */
	if (fd >= 0) {
		g_clear_pointer(&socket->problem, g_free);
		keep(socket, fd);
		log_debug(socket->owner->service, "listens on %s", socket->text);
	} else {
		note_problem(socket, n_fields > 1 ? fields[1] : "svc-worker gave no reason");
	}
	on_job_over(socket->owner);
}

/*
 * The socket stays open: while the service holds its lock, a new socket could not get the address.
 */
static void on_open_lost(void *data, const char *why)
{
	OpenSocket *socket = data;
	g_autofree char *problem = g_strdup_printf(
		"cannot listen on %s: the helper that opens the socket does not answer",
		socket->text);

	socket->job = NULL;
	log_debug(socket->owner->service, "%s", why);
	note_problem(socket, problem);
	on_job_over(socket->owner);
}

static const WorkerListener open_listener = { .answer = on_opened, .lost = on_open_lost };

/*
 * Early in a boot no service runs that could block a worker, and one worker for all takes less
 * time.
 */
static const char *worker_owner(const ServiceSockets *all)
{
	return sockets.are_of_boot_open ? all->service : ".sockets";
}

/* @socket is new, could not be opened so far, or must be checked. */
static void open_one(OpenSocket *socket, const SocketDef *def)
{
	g_auto(GStrv) fields =
		socket_fields_new(g_ptr_array_index(def->listens, (guint)socket->entry), def);
	g_autoptr(GPtrArray) request = g_ptr_array_new();

	g_ptr_array_add(request, (gpointer) "listen");
	for (char **field = fields; *field; field++)
		g_ptr_array_add(request, *field);
	socket->job = worker_job_new(socket->owner->manager->workers, worker_owner(socket->owner),
				     (const char *const *)request->pdata, request->len, &socket->fd,
				     socket->fd >= 0, &open_listener, socket);
}

/* --- closing --- */

static void closed(OpenSocket *socket)
{
	ServiceSockets *all = socket->owner;

	socket->job = NULL;
	dispose(socket);
	(void)g_ptr_array_remove(all->closing, socket);
	on_job_over(all);
}

static void on_shut_down(void *data, const char *const *fields, unsigned n_fields, int fd)
{
	(void)fields;
	(void)n_fields;
	(void)fd; /* svc-worker sends none */
	closed(data);
}

static void on_close_lost(void *data, const char *why)
{
	OpenSocket *socket = data;

	log_warning(socket->owner->service,
		    "a socket is closed, but clients may still be able to connect, and its file "
		    "may remain: %s",
		    why);
	closed(socket);
}

static const WorkerListener close_listener = { .answer = on_shut_down, .lost = on_close_lost };

static bool is_wanted(const Service *s, const Listen *listen)
{
	return s && (s->listens == LISTENS_ALL ||
		     (s->listens == LISTENS_LOCAL && !listen_is_network(listen)));
}

/*
 * Must the file of the socket be removed? Yes if no definition contains the socket, RemoveOnStop=
 * is set, or another socket needs the path. @s: NULL: the service is gone.
 */
static bool is_file_to_go(const OpenSocket *socket, const Service *s)
{
	if (!socket->text)
		return true; /* svc-worker finds out whether the socket has a file */
	for (guint i = 0; s && i < service_def_n_sockets(s->def); i++) {
		const Listen *listen = g_ptr_array_index(s->def->socket->listens, i);

		if (strcmp(listen->text, socket->text) == 0)
			return socket->has_file &&
			       (s->def->socket->remove_on_stop || is_wanted(s, listen));
	}
	return socket->has_file;
}

/* Takes @socket. */
static void close_socket(OpenSocket *socket, const Service *s)
{
	const char *const fields[] = { "unlisten", is_file_to_go(socket, s) ? "remove" : "leave" };
	ServiceSockets *all = socket->owner;

	if (socket->fd < 0) {
		open_socket_free(socket);
		return;
	}
	log_debug(all->service, "no longer listens on %s",
		  socket->text ? socket->text : "a socket");
	fd_source_free(socket->source);
	socket->source = NULL;
	g_ptr_array_add(all->closing, socket);
	socket->job = worker_job_new(all->manager->workers, worker_owner(all), fields,
				     G_N_ELEMENTS(fields), &socket->fd, 1, &close_listener, socket);
	sockets_retry_soon();
}

/* --- adjusting to the definition --- */

/* The newest socket with this hash; taken out of @old. */
static OpenSocket *take_match(GPtrArray *old, const char *hash)
{
	int found = -1;

	for (guint i = 0; i < old->len; i++) {
		const OpenSocket *socket = g_ptr_array_index(old, i);

		if (strcmp(socket->hash, hash) == 0 &&
		    (found < 0 ||
		     g_strcmp0(socket->kept,
			       ((const OpenSocket *)g_ptr_array_index(old, (guint)found))->kept) >
			     0))
			found = (int)i;
	}
	return found >= 0 ? g_ptr_array_steal_index(old, (guint)found) : NULL;
}

static void describe(OpenSocket *socket, const Service *s, guint entry)
{
	const Listen *listen = g_ptr_array_index(s->def->socket->listens, entry);

	socket->entry = (int)entry;
	socket->has_file = listen_has_file(listen);
	socket->is_network = listen_is_network(listen);
	g_free(socket->text);
	socket->text = g_strdup(listen->text);
	g_free(socket->name);
	socket->name = socket_def_name(s->def->socket, entry, socket->owner->service);
}

/* Assigns the existing sockets to the definition, then adds the missing ones if @may_change. */
static void match_all(ServiceSockets *all, GPtrArray *old, const Service *s, bool may_change)
{
	for (guint i = 0; i < service_def_n_sockets(s->def); i++) {
		const Listen *listen = g_ptr_array_index(s->def->socket->listens, i);
		g_auto(GStrv) fields = socket_fields_new(listen, s->def->socket);
		g_autofree char *hash = socket_fields_hash((const char *const *)fields);
		OpenSocket *socket = is_wanted(s, listen) ? take_match(old, hash) : NULL;

		if (socket)
			g_ptr_array_add(all->sockets, socket);
		else if (may_change && is_wanted(s, listen))
			socket = add(all, hash);
		if (socket)
			describe(socket, s, i);
	}
}

/*
 * Sockets that are not in the definition stay until the processes that have them are gone, and
 * until their job is over.
 */
static void take_rest(ServiceSockets *all, GPtrArray *old, const Service *s, bool may_change)
{
	while (old->len > 0) {
		OpenSocket *socket = g_ptr_array_steal_index(old, 0);

		socket->entry = -1;
		if (may_change && !socket->job)
			close_socket(socket, s);
		else
			g_ptr_array_add(all->sockets, socket);
	}
}

static void open_missing(ServiceSockets *all, const Service *s)
{
	for (guint i = 0; i < all->sockets->len; i++) {
		OpenSocket *socket = g_ptr_array_index(all->sockets, i);
		const bool is_new = socket->fd < 0 && !socket->problem;

		if (socket->entry >= 0 && !socket->job && (is_new || all->is_to_look))
			open_one(socket, s->def->socket);
	}
}

/* @s: NULL: the service is gone. @may_change: the service has no processes. */
static void bring_in_line(ServiceSockets *all, const Service *s, bool may_change)
{
	g_autoptr(GPtrArray) old = all->sockets;

	all->sockets = g_ptr_array_new_with_free_func(open_socket_free);
	if (s)
		match_all(all, old, s, may_change);
	/*
	 * Closes old sockets before new ones are opened, because a new one may need the address of
	 * an old one.
	 */
	take_rest(all, old, s, may_change);
	if (s && may_change)
		open_missing(all, s);
	all->is_to_look = false;
}

/* --- clients --- */

static void on_client(GIOCondition condition, void *data)
{
	const OpenSocket *socket = data;
	Manager *m = socket->owner->manager;
	g_autofree char *service = g_strdup(socket->owner->service);
	g_autofree char *address = g_strdup(socket->text);

	(void)condition;
	/* a client has reached the socket, so the start need not check it */
	socket->owner->looked_us = loop_now();
	engine_connection(m->engine, service, address, loop_now());
	sockets_mark(service); /* whatever the engine decided, the sockets are updated */
	manager_drain_later();
}

static void watch(ServiceSockets *all, bool awaits)
{
	for (guint i = 0; i < all->sockets->len; i++) {
		OpenSocket *socket = g_ptr_array_index(all->sockets, i);
		const bool is_watched = awaits && socket->fd >= 0 && socket->entry >= 0;

		if (is_watched && !socket->source) {
			socket->source = fd_source_new(socket->fd, G_IO_IN, LOOP_PRIORITY_BUS,
						       on_client, socket);
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

		if (socket->problem)
			return socket;
	}
	return NULL;
}

/* Requests the start that waited for the sockets, unless it was stopped meanwhile. */
static void release_start(ServiceSockets *all, const Service *s)
{
	if (all->held != 0 && s && s->state == STATE_STARTING && s->invocation == all->held)
		actions_queue(ENGINE_ACTION_START, s);
	else
		all->held = 0;
}

static void update(Manager *m, const char *service)
{
	const Service *s = engine_find(m->engine, service);
	ServiceSockets *all = g_hash_table_lookup(sockets.of_services, service);

	if (!all && (!s || s->listens == LISTENS_CLOSED))
		return;
	all = sockets_of(m, service);
	bring_in_line(all, s, !manager_supervisor(service));
	watch(all, s && s->awaits_connection);
	if (find_problem(all) && !timer_is_armed(sockets.retry))
		retry_later();
	if (m->bus && s)
		bus_service_changed(m->bus, service);
	if (is_opening(all))
		return;
	release_start(all, s);
	if (all->sockets->len == 0 && all->closing->len == 0)
		g_hash_table_remove(sockets.of_services, service);
	engine_sockets_opened(m->engine, service);
}

static void on_retry(void *data)
{
	GHashTableIter iter;
	gpointer all;

	(void)data;
	sockets.tried_us = loop_now();
	g_hash_table_iter_init(&iter, sockets.of_services);
	while (g_hash_table_iter_next(&iter, NULL, &all)) {
		if (find_problem(all))
			sockets_look(((ServiceSockets *)all)->service);
	}
	manager_drain_later();
}

void sockets_retry_soon(void)
{
	const int64_t at_us = MAX(loop_now(), sockets.tried_us + RETRY_AT_MOST_US);

	if (timer_is_armed(sockets.retry) && at_us < timer_deadline(sockets.retry))
		timer_arm(sockets.retry, at_us);
}

static void on_address(void *data)
{
	(void)data;
	sockets_retry_soon();
}

static bool is_address_missing(void)
{
	GHashTableIter iter;
	gpointer value;

	g_hash_table_iter_init(&iter, sockets.of_services);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		const ServiceSockets *all = value;

		for (guint i = 0; i < all->sockets->len; i++) {
			const OpenSocket *socket = g_ptr_array_index(all->sockets, i);

			if (socket->problem && socket->is_network)
				return true;
		}
	}
	return false;
}

/* Watches for addresses only while that is useful, because each new address wakes the manager. */
static void watch_addresses(Manager *m)
{
	g_autoptr(GError) error = NULL;

	if (!is_address_missing()) {
		g_clear_pointer(&sockets.addresses, address_watch_free);
		return;
	}
	if (sockets.addresses)
		return;
	sockets.addresses = address_watch_new(on_address, m, &error);
	if (!sockets.addresses)
		log_warning(NULL, "%s", error->message);
	else
		sockets_retry_soon(); /* an address may have come since the failed try */
}

void sockets_init(Manager *m)
{
	sockets.of_services =
		g_hash_table_new_full(g_str_hash, g_str_equal, NULL, service_sockets_free);
	sockets.dirty = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	sockets.retry = timer_new(on_retry, m);
}

void sockets_mark(const char *service)
{
	g_hash_table_add(sockets.dirty, g_strdup(service));
}

void sockets_look(const char *service)
{
	ServiceSockets *all = g_hash_table_lookup(sockets.of_services, service);

	if (all)
		all->is_to_look = true;
	sockets_mark(service);
}

void sockets_mark_all(Manager *m)
{
	const GPtrArray *services = engine_services(m->engine);
	GHashTableIter iter;
	gpointer name;

	for (guint i = 0; i < services->len; i++) {
		const Service *s = g_ptr_array_index(services, i);

		if (service_def_n_sockets(s->def) > 0)
			sockets_mark(s->def->name);
	}
	g_hash_table_iter_init(&iter, sockets.of_services);
	while (g_hash_table_iter_next(&iter, &name, NULL))
		sockets_look(name);
}

/* The engine may mark further services as a result. */
void sockets_update(Manager *m)
{
	while (g_hash_table_size(sockets.dirty) > 0) {
		g_autoptr(GHashTable) dirty = sockets.dirty;
		GHashTableIter iter;
		gpointer name;

		sockets.dirty = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
		g_hash_table_iter_init(&iter, dirty);
		while (g_hash_table_iter_next(&iter, &name, NULL))
			update(m, name);
		watch_addresses(m);
	}
}

bool sockets_hold_boot(void)
{
	GHashTableIter iter;
	gpointer all;

	if (sockets.are_of_boot_open || !actions_are_pending())
		return false;
	g_hash_table_iter_init(&iter, sockets.of_services);
	while (g_hash_table_iter_next(&iter, NULL, &all)) {
		if (is_opening(all))
			return true;
	}
	sockets.are_of_boot_open = true;
	return false;
}

void sockets_end_boot(void)
{
	sockets.are_of_boot_open = true;
}

bool sockets_hold_start(Manager *m, const Service *s)
{
	ServiceSockets *all;

	if (service_def_n_sockets(s->def) == 0)
		return false;
	all = sockets_of(m, s->def->name);
	if (all->held != s->invocation &&
	    (find_problem(all) || loop_now() - all->looked_us > LOOK_IS_FRESH_US))
		all->is_to_look = true;
	bring_in_line(all, s, true);
	all->held = is_opening(all) ? s->invocation : 0;
	return all->held != 0;
}

void sockets_recover(Manager *m, const char *service, const char *index, int fd)
{
	ServiceSockets *all = sockets_of(m, service);
	/* as written by keep(); an older manager wrote a number, which is not a hash */
	g_auto(GStrv) parts = g_strsplit(index, "-", 2);
	OpenSocket *socket = add(all, parts[0] ? parts[0] : "");

	socket->fd = fd;
	socket->kept = g_strdup_printf("%s/" SOCKETS_KEPT_KIND "/%s", service, index);
	sockets_mark(service);
	engine_recover_listening(m->engine, service);
}

/* --- queries --- */

static void collect(ServiceSockets *all, SpawnSockets *ret)
{
	g_autoptr(GString) names = g_string_new(NULL);

	g_array_set_size(all->fds, 0);
	for (guint i = 0; i < all->sockets->len; i++) {
		const OpenSocket *socket = g_ptr_array_index(all->sockets, i);

		g_array_append_val(all->fds, socket->fd);
		g_string_append_printf(names, "%s%s", i > 0 ? ":" : "",
				       socket->name ? socket->name : "unknown");
	}
	g_free(all->names);
	all->names = g_string_free(g_steal_pointer(&names), FALSE);
	*ret = (SpawnSockets){ .fds = (const int *)(const void *)all->fds->data,
			       .n = all->fds->len,
			       .names = all->names };
}

/* The start of the service has waited until all sockets were open or had a problem. */
bool sockets_for_spawn(void *manager, const char *service, SpawnSockets *ret, GError **error)
{
	ServiceSockets *all = g_hash_table_lookup(sockets.of_services, service);
	const OpenSocket *problem = all ? find_problem(all) : NULL;

	(void)manager;
	*ret = (SpawnSockets){ .n = 0 };
	if (problem)
		return fail(error, SVCD_ERROR_FAILED, "%s", problem->problem);
	if (all)
		collect(all, ret);
	return true;
}

bool sockets_is_open(void *manager, const char *service, unsigned entry, const char **ret_problem)
{
	const ServiceSockets *all = g_hash_table_lookup(sockets.of_services, service);

	(void)manager;
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
