/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Network conditions with real links and routes in a network namespace, a real dbus-daemon, and a
 * NetworkManager that the test plays.
 */
#include "config.h"

#include <check.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fd.h"
#include "loop/loop.h"
#include "loop/netlink.h"
#include "loop/system-bus.h"
#include "providers/network.h"
#include "tests/lib/bus-daemon.h"
#include "tests/lib/deadline.h"
#include "tests/lib/socket-look.h"
#include "tests/lib/suite.h"

#define NM_NAME "org.freedesktop.NetworkManager"
#define NM_PATH "/org/freedesktop/NetworkManager"

/* The last report, and whether any key was reported false since the last reset. */
typedef struct Seen {
	int level; /* -1: none */
	char *why;
	bool was_false;
} Seen;

typedef struct FakeNm {
	DBusConnection *connection;
	unsigned state;
	unsigned connectivity;
	bool is_starting;
	bool answers_nonsense;
	unsigned n_requested;
} FakeNm;

static BusDaemon bus_daemon;
static SystemBus *bus;
static Provider *provider;
static GHashTable *seen;
static FakeNm nm;

/* --- in place of worker/pool.c: answers in the next turn --- */

struct WorkerJob {
	guint source;
	uint16_t type;
	uint8_t family;
	const WorkerListener *listener;
	void *data;
};

static gboolean on_job(gpointer data)
{
	static const char *const fields[] = { "done" };
	g_autofree WorkerJob *job = data;
	g_autoptr(GError) error = NULL;
	g_autoptr(GByteArray) list = netlink_dump(job->type, job->family, &error);
	const int fd = memfd_create("list", MFD_CLOEXEC);

	ck_assert_msg(list, "%s", error ? error->message : "");
	ck_assert(fd_write_all(fd, list->data, list->len));
	ck_assert_int_eq(lseek(fd, 0, SEEK_SET), 0);
	job->listener->answer(job->data, fields, 1, fd);
	return G_SOURCE_REMOVE;
}

WorkerJob *worker_job_new(WorkerPool *pool, const char *owner, const char *const *fields,
			  unsigned n_fields, const int *fds, unsigned n_fds,
			  const WorkerListener *listener, void *data)
{
	WorkerJob *job = g_new0(WorkerJob, 1);

	ck_assert_str_eq(owner, NETLINK_OWNER);
	ck_assert_uint_eq(n_fields, 3);
	*job = (WorkerJob){ .type = (uint16_t)atoi(fields[1]),
			    .family = (uint8_t)atoi(fields[2]),
			    .listener = listener,
			    .data = data };
	job->source = g_idle_add(on_job, job);
	return job;
}

void worker_job_free(WorkerJob *job)
{
	if (job)
		g_source_remove(job->source);
	g_free(job);
}

unsigned worker_pool_abandoned(const WorkerPool *pool, const char *owner)
{
	return 0;
}

/* --- the stage --- */

static void run(const char *command)
{
	ck_assert_msg(system(command) == 0, "%s", command);
}

static void on_report(void *data, const char *key, Level level, const char *why)
{
	Seen *entry = g_hash_table_lookup(seen, key);

	(void)data;
	if (!entry) {
		entry = g_new0(Seen, 1);
		g_hash_table_insert(seen, g_strdup(key), entry);
	}
	entry->level = (int)level;
	entry->was_false = entry->was_false || level == LEVEL_FALSE;
	g_free(entry->why);
	entry->why = g_strdup(why);
}

static void seen_free(gpointer data)
{
	g_free(((Seen *)data)->why);
	g_free(data);
}

static void set_up(void)
{
	static const ProviderSink sink = { on_report, NULL };

	ck_assert_int_eq(unshare(geteuid() == 0 ? CLONE_NEWNET : CLONE_NEWUSER | CLONE_NEWNET), 0);
	run("ip link add va type veth peer vb && ip addr add 10.9.0.1/24 dev va && ip link set va "
	    "up && ip link set vb up");
	bus_daemon_init(&bus_daemon);
	bus_daemon_make_directory(&bus_daemon);
	bus = system_bus_new(bus_daemon.socket, &socket_look, NULL);
	seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, seen_free);
	provider = network_provider_new(&sink, bus, NULL);
	nm = (FakeNm){ 0 };
}

static void nm_leaves(void)
{
	dbus_connection_close(nm.connection);
	g_clear_pointer(&nm.connection, dbus_connection_unref);
}

static void tear_down(void)
{
	provider->free(provider);
	if (nm.connection)
		nm_leaves();
	system_bus_free(bus);
	bus_daemon_clear(&bus_daemon);
	g_hash_table_unref(seen);
}

static void subscribe(const char *key)
{
	provider->subscribe(provider, g_intern_string(key));
}

static void unsubscribe(const char *key)
{
	provider->unsubscribe(provider, g_intern_string(key));
}

static void turn(void)
{
	bool is_idle = !g_main_context_iteration(NULL, FALSE);

	if (nm.connection && dbus_connection_get_is_connected(nm.connection)) {
		dbus_connection_read_write(nm.connection, 0);
		while (dbus_connection_dispatch(nm.connection) == DBUS_DISPATCH_DATA_REMAINS)
			is_idle = false;
	}
	if (is_idle)
		g_usleep(1000);
}

static void expect(const char *key, Level level, const char *why)
{
	const int64_t until_us = loop_now() + DEADLINE_US;
	const Seen *entry = NULL;

	while (loop_now() < until_us) {
		entry = g_hash_table_lookup(seen, key);
		if (entry && entry->level == (int)level && strcmp(entry->why, why) == 0)
			return;
		turn();
	}
	ck_abort_msg("%s: %s (%s)", key, entry ? level_name((Level)entry->level) : "nothing",
		     entry ? entry->why : "");
}

static void forgive(const char *key)
{
	((Seen *)g_hash_table_lookup(seen, key))->was_false = false;
}

static bool was_false(const char *key)
{
	return ((const Seen *)g_hash_table_lookup(seen, key))->was_false;
}

/* --- a NetworkManager --- */

static void append_property(DBusMessageIter *dict, const char *name, int type, const void *value)
{
	const char signature[2] = { (char)type, '\0' };
	DBusMessageIter entry;
	DBusMessageIter variant;

	dbus_message_iter_open_container(dict, DBUS_TYPE_DICT_ENTRY, NULL, &entry);
	dbus_message_iter_append_basic(&entry, DBUS_TYPE_STRING, &name);
	dbus_message_iter_open_container(&entry, DBUS_TYPE_VARIANT, signature, &variant);
	dbus_message_iter_append_basic(&variant, type, value);
	dbus_message_iter_close_container(&entry, &variant);
	dbus_message_iter_close_container(dict, &entry);
}

static void append_properties(DBusMessageIter *out)
{
	const dbus_bool_t is_starting = nm.is_starting;
	const char *nonsense = "seventy";
	DBusMessageIter dict;

	dbus_message_iter_open_container(out, DBUS_TYPE_ARRAY, "{sv}", &dict);
	append_property(&dict, "Version", DBUS_TYPE_STRING, &nonsense);
	if (nm.answers_nonsense)
		append_property(&dict, "State", DBUS_TYPE_STRING, &nonsense);
	else
		append_property(&dict, "State", DBUS_TYPE_UINT32, &nm.state);
	append_property(&dict, "Connectivity", DBUS_TYPE_UINT32, &nm.connectivity);
	append_property(&dict, "Startup", DBUS_TYPE_BOOLEAN, &is_starting);
	dbus_message_iter_close_container(out, &dict);
}

static DBusHandlerResult on_call(DBusConnection *connection, DBusMessage *message, void *data)
{
	DBusMessageIter out;
	DBusMessage *reply;

	(void)data;
	if (!dbus_message_is_method_call(message, DBUS_INTERFACE_PROPERTIES, "GetAll"))
		return DBUS_HANDLER_RESULT_NOT_YET_HANDLED;
	nm.n_requested++;
	reply = dbus_message_new_method_return(message);
	dbus_message_iter_init_append(reply, &out);
	append_properties(&out);
	dbus_connection_send(connection, reply, NULL);
	dbus_message_unref(reply);
	return DBUS_HANDLER_RESULT_HANDLED;
}

static DBusConnection *connect_to_bus(void)
{
	g_autofree char *address = g_strconcat("unix:path=", bus_daemon.socket, NULL);
	const int64_t until_us = loop_now() + DEADLINE_US;
	DBusConnection *connection = NULL;

	while (!connection && loop_now() < until_us) {
		connection = dbus_connection_open_private(address, NULL);
		if (!connection)
			g_usleep(1000);
	}
	ck_assert_ptr_nonnull(connection);
	dbus_connection_set_exit_on_disconnect(connection, FALSE);
	ck_assert(dbus_bus_register(connection, NULL));
	return connection;
}

static void nm_comes(unsigned state, unsigned connectivity, bool is_starting)
{
	nm.state = state;
	nm.connectivity = connectivity;
	nm.is_starting = is_starting;
	nm.connection = connect_to_bus();
	dbus_connection_add_filter(nm.connection, on_call, NULL, NULL);
	ck_assert_int_eq(dbus_bus_request_name(nm.connection, NM_NAME, 0, NULL),
			 DBUS_REQUEST_NAME_REPLY_PRIMARY_OWNER);
}

/* @connection: the sender. @names_only: the receiver must ask for the values. */
static void send_properties(DBusConnection *connection, bool names_only)
{
	DBusMessage *signal =
		dbus_message_new_signal(NM_PATH, DBUS_INTERFACE_PROPERTIES, "PropertiesChanged");
	const char *interface = NM_NAME;
	const char *name = "State";
	DBusMessageIter out;
	DBusMessageIter names;

	dbus_message_iter_init_append(signal, &out);
	dbus_message_iter_append_basic(&out, DBUS_TYPE_STRING, &interface);
	if (names_only) {
		dbus_message_iter_open_container(&out, DBUS_TYPE_ARRAY, "{sv}", &names);
		dbus_message_iter_close_container(&out, &names);
	} else {
		append_properties(&out);
	}
	dbus_message_iter_open_container(&out, DBUS_TYPE_ARRAY, "s", &names);
	if (names_only)
		dbus_message_iter_append_basic(&names, DBUS_TYPE_STRING, &name);
	dbus_message_iter_close_container(&out, &names);
	dbus_connection_send(connection, signal, NULL);
	dbus_connection_flush(connection);
	dbus_message_unref(signal);
}

static void nm_reports(unsigned state, unsigned connectivity, bool is_starting)
{
	nm.state = state;
	nm.connectivity = connectivity;
	nm.is_starting = is_starting;
	send_properties(nm.connection, false);
}

/* --- the kernel alone --- */

START_TEST(up_follows_the_default_route)
{
	bus_daemon_start(&bus_daemon);
	subscribe("network:up");
	expect("network:up", LEVEL_FALSE, "no default route");

	run("ip route add default via 10.9.0.2");
	expect("network:up", LEVEL_TRUE, "default route through va");

	run("ip route replace default via 10.9.0.3");
	run("ip route add default via 10.9.0.2 metric 10");
	run("ip route del default metric 10");
	run("ip route del default");
	expect("network:up", LEVEL_FALSE, "no default route");

	run("ip route add default nexthop via 10.9.0.2 nexthop via 10.9.0.3");
	expect("network:up", LEVEL_TRUE, "default route through va");
}
END_TEST

START_TEST(without_a_bus_it_takes_a_second)
{
	run("ip route add default via 10.9.0.2");
	subscribe("network:up");
	subscribe("network:online");
	expect("network:online", LEVEL_UNKNOWN,
	       "NetworkManager has not answered yet; the kernel: default route through va");
	expect("network:up", LEVEL_TRUE, "default route through va");
	expect("network:online", LEVEL_TRUE,
	       "default route through va; no other check of the connection is available");
	ck_assert(!was_false("network:up"));
	ck_assert(!was_false("network:online"));
}
END_TEST

START_TEST(online_without_network_manager_has_no_source)
{
	bus_daemon_start(&bus_daemon);
	run("ip route add default via 10.9.0.2");
	subscribe("network:online");
	expect("network:online", LEVEL_TRUE,
	       "default route through va; no other check of the connection is available");
	run("ip route del default");
	expect("network:online", LEVEL_FALSE, "no default route");
}
END_TEST

/* The kernel does not announce the removal of either route. */
START_TEST(routes_that_disappear_silently_are_noticed)
{
	bus_daemon_start(&bus_daemon);
	subscribe("network:up");

	run("ip route add default via 10.9.0.2");
	expect("network:up", LEVEL_TRUE, "default route through va");
	run("ip addr del 10.9.0.1/24 dev va");
	expect("network:up", LEVEL_FALSE, "no default route");

	run("ip addr add 10.9.0.1/24 dev va && ip route add default via 10.9.0.2");
	expect("network:up", LEVEL_TRUE, "default route through va");
	run("ip link set va down");
	expect("network:up", LEVEL_FALSE, "no default route");
	run("ip link set va up");
	expect("network:up", LEVEL_FALSE, "no default route");

	run("ip route add default via 10.9.0.2");
	expect("network:up", LEVEL_TRUE, "default route through va");
	run("ip link del va");
	expect("network:up", LEVEL_FALSE, "no default route");
}
END_TEST

START_TEST(a_route_without_carrier_leads_nowhere)
{
	bus_daemon_start(&bus_daemon);
	run("ip route add default via 10.9.0.2");
	subscribe("network:up");
	expect("network:up", LEVEL_TRUE, "default route through va");

	run("ip link set vb down");
	expect("network:up", LEVEL_FALSE, "default route through va, which has no carrier");
	run("ip link set vb up");
	expect("network:up", LEVEL_TRUE, "default route through va");
}
END_TEST

START_TEST(an_ipv6_route_is_enough)
{
	bus_daemon_start(&bus_daemon);
	subscribe("network:up");
	run("ip -6 addr add fd00::1/64 dev va nodad && ip -6 route add default via fd00::2 dev va");
	expect("network:up", LEVEL_TRUE, "default route through va");
	run("ip -6 route del default");
	expect("network:up", LEVEL_FALSE, "no default route");
}
END_TEST

START_TEST(carrier_comes_and_goes)
{
	subscribe("network:interface:va");
	subscribe("network:interface:vx");
	expect("network:interface:va", LEVEL_TRUE, "carrier");
	expect("network:interface:vx", LEVEL_FALSE, "no such interface");

	run("ip link set vb down");
	expect("network:interface:va", LEVEL_FALSE, "no carrier");
	run("ip link set va down");
	expect("network:interface:va", LEVEL_FALSE, "down");
	run("ip link set va name vx && ip link set vx up && ip link set vb up");
	expect("network:interface:va", LEVEL_FALSE, "no such interface");
	expect("network:interface:vx", LEVEL_TRUE, "carrier");
	run("ip link del vx");
	expect("network:interface:vx", LEVEL_FALSE, "no such interface");
}
END_TEST

START_TEST(the_explanation_lists_the_interfaces)
{
	g_autofree char *text = NULL;

	ck_assert_ptr_null(provider->describe(provider, "network:interface:vx"));
	run("ip link set vb down");
	subscribe("network:interface:vx");
	expect("network:interface:vx", LEVEL_FALSE, "no such interface");
	text = provider->describe(provider, "network:interface:vx");
	ck_assert_str_eq(text, "interfaces: lo (down), vb (down), va (no carrier)");
}
END_TEST

static unsigned count_descriptors(void)
{
	g_autoptr(GDir) dir = g_dir_open("/proc/self/fd", 0, NULL);
	unsigned n = 0;

	while (g_dir_read_name(dir))
		n++;
	return n;
}

START_TEST(without_a_subscription_nothing_is_open)
{
	const unsigned n_before = count_descriptors();

	subscribe("network:interface:va");
	subscribe("network:up");
	subscribe("network:up");
	expect("network:interface:va", LEVEL_TRUE, "carrier");
	ck_assert_uint_eq(count_descriptors(), n_before + 1);

	unsubscribe("network:up");
	ck_assert_uint_eq(count_descriptors(), n_before + 1);
	unsubscribe("network:interface:va");
	ck_assert_uint_eq(count_descriptors(), n_before);

	subscribe("network:interface:va");
	expect("network:interface:va", LEVEL_UNKNOWN,
	       "the kernel has not listed its interfaces yet");
	expect("network:interface:va", LEVEL_TRUE, "carrier");
}
END_TEST

/* --- with NetworkManager --- */

START_TEST(network_manager_decides)
{
	bus_daemon_start(&bus_daemon);
	nm_comes(20, 1, false);
	subscribe("network:up");
	subscribe("network:online");
	expect("network:up", LEVEL_FALSE, "NetworkManager: disconnected (20)");

	nm_reports(60, 3, false);
	expect("network:up", LEVEL_TRUE, "NetworkManager: connected-site (60)");
	expect("network:online", LEVEL_FALSE, "NetworkManager: connectivity limited (3)");
	nm_reports(70, 4, false);
	expect("network:online", LEVEL_TRUE, "NetworkManager: connectivity full (4)");
	ck_assert_uint_eq(nm.n_requested, 1);
}
END_TEST

/* Debian's NetworkManager reports this if an interface is in /etc/network/interfaces. */
START_TEST(network_manager_may_be_disconnected_beside_a_network_that_works)
{
	bus_daemon_start(&bus_daemon);
	run("ip route add default via 10.9.0.2");
	subscribe("network:up");
	subscribe("network:online");
	expect("network:online", LEVEL_TRUE,
	       "default route through va; no other check of the connection is available");
	nm_comes(20, 1, true);
	nm_reports(40, 1, true);
	nm_reports(20, 1, false);
	nm_reports(70, 4, false);
	expect("network:up", LEVEL_TRUE, "NetworkManager: connected-global (70)");
	nm_reports(20, 1, false);
	expect("network:up", LEVEL_TRUE, "default route through va");
	ck_assert(!was_false("network:up"));
	ck_assert(!was_false("network:online"));

	run("ip route del default");
	expect("network:up", LEVEL_FALSE, "NetworkManager: disconnected (20)");
	expect("network:online", LEVEL_FALSE, "NetworkManager: disconnected (20)");
}
END_TEST

/* Times and numbers as observed with NetworkManager 1.42. */
START_TEST(network_manager_comes_goes_and_comes_again)
{
	bus_daemon_start(&bus_daemon);
	run("ip route add default via 10.9.0.2");
	subscribe("network:up");
	subscribe("network:online");
	expect("network:up", LEVEL_TRUE, "default route through va");
	expect("network:online", LEVEL_TRUE,
	       "default route through va; no other check of the connection is available");

	for (int i = 0; i < 3; i++) {
		nm_comes(20, 0, true);
		nm_reports(40, 1, true);
		nm_reports(60, 1, true);
		expect("network:up", LEVEL_TRUE, "NetworkManager: connected-site (60)");
		nm_reports(70, 4, true);
		nm_reports(70, 4, false);
		expect("network:online", LEVEL_TRUE, "NetworkManager: connectivity full (4)");
		expect("network:up", LEVEL_TRUE, "NetworkManager: connected-global (70)");
		if (i != 1) { /* like SIGTERM; otherwise like SIGKILL */
			nm_reports(60, 0, false);
			expect("network:online", LEVEL_UNKNOWN,
			       "NetworkManager: connectivity unknown (0)");
		}
		nm_leaves();
		expect("network:up", LEVEL_TRUE, "default route through va");
		expect("network:online", LEVEL_TRUE,
		       "default route through va; no other check of the connection is available");
	}
	ck_assert(!was_false("network:up"));
	ck_assert(!was_false("network:online"));
}
END_TEST

START_TEST(the_bus_may_be_away)
{
	bus_daemon_start(&bus_daemon);
	run("ip route add default via 10.9.0.2");
	nm_comes(70, 4, false);
	subscribe("network:up");
	expect("network:up", LEVEL_TRUE, "NetworkManager: connected-global (70)");

	for (int i = 0; i < 3; i++) {
		bus_daemon_kill(&bus_daemon);
		expect("network:up", LEVEL_TRUE, "default route through va");
		nm_leaves();
		bus_daemon_start(&bus_daemon);
		nm_comes(70, 4, false);
		expect("network:up", LEVEL_TRUE, "NetworkManager: connected-global (70)");
	}
	ck_assert(!was_false("network:up"));
}
END_TEST

START_TEST(a_bus_that_goes_hides_what_only_network_manager_sees)
{
	bus_daemon_start(&bus_daemon);
	nm_comes(70, 4, false);
	subscribe("network:up");
	expect("network:up", LEVEL_TRUE, "NetworkManager: connected-global (70)");

	bus_daemon_kill(&bus_daemon);
	expect("network:up", LEVEL_UNKNOWN,
	       "NetworkManager cannot be queried; it last reported true; the kernel: no default "
	       "route");
	nm_leaves();
	bus_daemon_start(&bus_daemon);
	expect("network:up", LEVEL_UNKNOWN,
	       "NetworkManager is not running; it last reported true; the kernel: no default "
	       "route");
	nm_comes(70, 4, false);
	expect("network:up", LEVEL_TRUE, "NetworkManager: connected-global (70)");
	ck_assert(!was_false("network:up"));
}
END_TEST

START_TEST(signals_of_other_senders_are_ignored)
{
	DBusConnection *stranger;

	bus_daemon_start(&bus_daemon);
	nm_comes(70, 4, false);
	subscribe("network:up");
	expect("network:up", LEVEL_TRUE, "NetworkManager: connected-global (70)");
	forgive("network:up");

	stranger = connect_to_bus();
	nm.state = 20;
	send_properties(stranger, false);
	dbus_connection_close(stranger);
	dbus_connection_unref(stranger);
	nm_reports(60, 4, false);
	expect("network:up", LEVEL_TRUE, "NetworkManager: connected-site (60)");
	ck_assert(!was_false("network:up"));
}
END_TEST

START_TEST(an_invalidated_property_is_queried)
{
	bus_daemon_start(&bus_daemon);
	nm_comes(70, 4, false);
	subscribe("network:up");
	expect("network:up", LEVEL_TRUE, "NetworkManager: connected-global (70)");

	nm.state = 20;
	send_properties(nm.connection, true);
	expect("network:up", LEVEL_FALSE, "NetworkManager: disconnected (20)");
}
END_TEST

START_TEST(invalid_replies_of_network_manager_are_ignored)
{
	bus_daemon_start(&bus_daemon);
	run("ip route add default via 10.9.0.2");
	nm.answers_nonsense = true;
	nm_comes(70, 4, false);
	subscribe("network:up");
	expect("network:up", LEVEL_TRUE, "default route through va");
	ck_assert(!was_false("network:up"));
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("network");

	ADD_CASE_AROUND(suite, "kernel", set_up, tear_down, up_follows_the_default_route,
			without_a_bus_it_takes_a_second,
			online_without_network_manager_has_no_source,
			routes_that_disappear_silently_are_noticed,
			a_route_without_carrier_leads_nowhere, an_ipv6_route_is_enough,
			carrier_comes_and_goes, the_explanation_lists_the_interfaces,
			without_a_subscription_nothing_is_open);
	ADD_CASE_AROUND(suite, "NetworkManager", set_up, tear_down, network_manager_decides,
			network_manager_may_be_disconnected_beside_a_network_that_works,
			network_manager_comes_goes_and_comes_again, the_bus_may_be_away,
			a_bus_that_goes_hides_what_only_network_manager_sees,
			signals_of_other_senders_are_ignored, an_invalidated_property_is_queried,
			invalid_replies_of_network_manager_are_ignored);
	return suite;
}
