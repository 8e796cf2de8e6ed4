/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Answers: a table of promised answers, indexed by ticket.
 */
#include "config.h"

#include "bus/answers.h"

#include "bus/call.h"
#include "loop/wire.h"

typedef struct Promise {
	uint64_t ticket;
	BusClient *client; /* borrowed until answers_forget_client() */
	Grant grant;
	DBusMessage *call;
} Promise;

struct Answers {
	GHashTable *promises; /* &ticket -> Promise, owned */
	uint64_t last_ticket;
};

static void promise_free(gpointer data)
{
	Promise *promise = data;

	dbus_message_unref(promise->call);
	g_free(promise);
}

Answers *answers_new(void)
{
	Answers *answers = g_new0(Answers, 1);

	answers->promises = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, promise_free);
	return answers;
}

uint64_t answers_promise(Answers *answers, BusClient *client, DBusMessage *call)
{
	Promise *promise = g_new0(Promise, 1);

	promise->ticket = ++answers->last_ticket;
	promise->client = client;
	promise->grant = client->grant;
	promise->call = dbus_message_ref(call);
	g_hash_table_insert(answers->promises, &promise->ticket, promise);
	return promise->ticket;
}

void answers_forget(Answers *answers, uint64_t ticket)
{
	g_hash_table_remove(answers->promises, &ticket);
}

void answers_give_change(Answers *answers, uint64_t ticket, unsigned exit, const char *output)
{
	const Promise *promise = g_hash_table_lookup(answers->promises, &ticket);
	DBusMessageIter out;
	DBusMessage *reply;

	if (!promise)
		return;
	reply = wire_must(dbus_message_new_method_return(promise->call));
	dbus_message_iter_init_append(reply, &out);
	wire_uint32(&out, exit);
	wire_string(&out, output);
	if (!dbus_message_get_no_reply(promise->call))
		promise->client->send(promise->client, reply);
	dbus_message_unref(reply);
	answers_forget(answers, ticket);
}

void answers_refuse(Answers *answers, uint64_t ticket, const GError *error)
{
	const Promise *promise = g_hash_table_lookup(answers->promises, &ticket);

	if (!promise)
		return;
	call_refuse(promise->client, promise->call, error);
	answers_forget(answers, ticket);
}

DBusMessage *answers_take(Answers *answers, uint64_t ticket, BusClient **ret_client,
			  Grant *ret_grant)
{
	const Promise *promise = g_hash_table_lookup(answers->promises, &ticket);
	DBusMessage *call;

	if (!promise)
		return NULL;
	*ret_client = promise->client;
	*ret_grant = promise->grant;
	call = dbus_message_ref(promise->call);
	answers_forget(answers, ticket);
	return call;
}

bool answers_has_client(const Answers *answers, const BusClient *client)
{
	GHashTableIter iter;
	gpointer promise;

	g_hash_table_iter_init(&iter, answers->promises);
	while (g_hash_table_iter_next(&iter, NULL, &promise)) {
		if (((const Promise *)promise)->client == client)
			return true;
	}
	return false;
}

void answers_forget_client(Answers *answers, const BusClient *client)
{
	GHashTableIter iter;
	gpointer promise;

	g_hash_table_iter_init(&iter, answers->promises);
	while (g_hash_table_iter_next(&iter, NULL, &promise)) {
		if (((const Promise *)promise)->client == client)
			g_hash_table_iter_remove(&iter);
	}
}

void answers_free(Answers *answers)
{
	if (!answers)
		return;
	g_hash_table_unref(answers->promises);
	g_free(answers);
}
