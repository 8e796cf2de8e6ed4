/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Bus stage: set-up, waiting and tear-down.
 */
#include "config.h"

#include "tests/lib/bus-stage.h"

#include "base/log.h"
#include "loop/wire.h"
#include "tests/lib/socket-look.h"

static void on_report(void *data, const char *key, Level level, const char *why)
{
	BusStage *stage = data;

	ck_assert_ptr_eq(key, g_intern_string(key));
	g_hash_table_replace(stage->reports, (gpointer)key,
			     g_strdup_printf("%s: %s", level_name(level), why));
	stage->n_reports++;
	stage->n_false += level == LEVEL_FALSE;
}

BusStage *bus_stage_new(Provider *(*make)(const ProviderSink *sink, SystemBus *bus))
{
	BusStage *stage = g_new0(BusStage, 1);
	const ProviderSink sink = { on_report, stage };

	log_open("test", -1, FALSE);
	bus_daemon_init(&stage->daemon);
	bus_daemon_make_directory(&stage->daemon);
	stage->bus = system_bus_new(stage->daemon.socket, &socket_look, NULL);
	ck_assert_ptr_nonnull(stage->bus);
	stage->reports = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	stage->provider = make(&sink, stage->bus);
	return stage;
}

void bus_stage_free(BusStage *stage)
{
	stage->provider->free(stage->provider);
	bus_peer_free(stage->peer);
	system_bus_free(stage->bus);
	bus_daemon_clear(&stage->daemon);
	g_hash_table_unref(stage->reports);
	g_free(stage);
}

void bus_stage_start(BusStage *stage)
{
	bus_daemon_start(&stage->daemon);
	if (!stage->peer)
		stage->peer = bus_peer_new(stage->daemon.socket);
	stage_until(system_bus_is_connected(stage->bus) &&
		    system_bus_is_connected(stage->peer->bus));
}

void bus_stage_kill_bus(BusStage *stage)
{
	bus_daemon_kill(&stage->daemon);
	stage_until(!system_bus_is_connected(stage->bus) &&
		    !system_bus_is_connected(stage->peer->bus));
}

void bus_stage_subscribe(BusStage *stage, const char *key)
{
	KeyPrefix prefix;
	const char *canonical;
	char *problem;

	ck_assert_msg(key_parse(key, &prefix, &canonical, &problem), "%s", problem);
	stage->provider->subscribe(stage->provider, canonical);
}

void bus_stage_unsubscribe(BusStage *stage, const char *key)
{
	stage->provider->unsubscribe(stage->provider, g_intern_string(key));
}

const char *bus_stage_report(const BusStage *stage, const char *key)
{
	const char *report = g_hash_table_lookup(stage->reports, g_intern_string(key));

	return report ? report : "";
}

void bus_stage_expect(BusStage *stage, const char *key, const char *report)
{
	const int64_t until_us = loop_now() + DEADLINE_US;

	while (!g_pattern_match_simple(report, bus_stage_report(stage, key))) {
		ck_assert_msg(loop_now() < until_us, "%s is never \"%s\", but \"%s\"", key, report,
			      bus_stage_report(stage, key));
		if (!g_main_context_iteration(NULL, FALSE))
			g_usleep(500);
	}
}

static void on_pong(void *data, DBusMessage *reply)
{
	ck_assert_ptr_nonnull(reply);
	*(bool *)data = true;
}

static void round_trip(SystemBus *bus)
{
	DBusMessage *call = wire_must(dbus_message_new_method_call(
		DBUS_SERVICE_DBUS, DBUS_PATH_DBUS, DBUS_INTERFACE_DBUS, "GetId"));
	bool is_back = false;

	ck_assert_uint_ne(system_bus_call(bus, call, DEADLINE_US, on_pong, &is_back), 0);
	dbus_message_unref(call);
	stage_until(is_back);
}

/*
 * Makes two round trips on each connection. After a signal from the peer the provider may send a
 * query, which the peer answers.
 */
void bus_stage_quiet(BusStage *stage)
{
	for (int i = 0; i < 2; i++) {
		round_trip(stage->peer->bus);
		round_trip(stage->bus);
	}
}
