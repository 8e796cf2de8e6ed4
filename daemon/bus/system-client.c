/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * System client: the ownership of the bus name, and the calls that wait for authorization.
 */
#include "config.h"

#include "bus/system-client.h"

#include <string.h>

#include "base/errors.h"
#include "base/limits.h"
#include "base/log.h"
#include "bus/access.h"
#include "bus/call-queue.h"
#include "bus/call.h"
#include "bus/dispatch.h"
#include "bus/names.h"
#include "bus/polkit.h"
#include "loop/wire.h"

/* The bus daemon answers at once or not at all. */
#define BUS_LIMIT_US (10 * G_USEC_PER_SEC)

/* Matches names that leave the bus. The rule is set only while it is needed. */
#define LEAVING_RULE                                                              \
	"type='signal',sender='" DBUS_SERVICE_DBUS "',path='" DBUS_PATH_DBUS "'," \
	"interface='" DBUS_INTERFACE_DBUS "',member='NameOwnerChanged',arg2=''"

struct SystemClient {
	SystemBus *bus;
	unsigned listener_id;
	unsigned naming; /* the pending RequestName call, 0: none */
	bool has_name;
	/* unique name -> RemoteClient *, owned: a client with parked calls, a watch or a promise */
	GHashTable *clients;
	GPtrArray *parked; /* Parked *, owned */
	CallQueue *queue; /* calls that wait for their turn */
	GPtrArray *questions; /* Question *, owned: for the uid of a caller in the queue */
	const SystemClientListener *listener;
	void *data;
};

typedef struct RemoteClient {
	BusClient base; /* first: a BusClient is cast to it */
	SystemClient *owner;
	char *name; /* unique on the bus, and never reused */
	bool is_known; /* base.requester and base.groups are filled in */
	unsigned n_parked;
	DBusMessage *call; /* the call being answered, borrowed; set with @if_long */
	const GError *if_long; /* borrowed: the error that replaces a long answer; NULL: none */
} RemoteClient;

typedef struct Parked {
	RemoteClient *client;
	DBusMessage *message;
	Access access;
	unsigned pending_query; /* the pending question, 0: none */
	bool is_polkits; /* the question went to polkit */
	GError *lack; /* the right that the operator lacks; NULL: the client is no operator */
} Parked;

typedef struct Question {
	SystemClient *owner;
	char *name; /* unique */
	unsigned pending_query; /* 0: answered */
} Question;

/* --- clients --- */

static bool is_long(DBusMessage *message)
{
	char *bytes;
	int length;

	if (!dbus_message_marshal(message, &bytes, &length))
		g_error("no memory for a D-Bus message");
	dbus_free(bytes);
	return length > LIMIT_ANSWER_IN_FLOOD_BYTES;
}

static void client_send(BusClient *base, DBusMessage *message)
{
	RemoteClient *client = (RemoteClient *)base;
	const GError *instead = client->if_long;

	client->if_long = NULL;
	if (instead && dbus_message_get_type(message) == DBUS_MESSAGE_TYPE_METHOD_RETURN &&
	    is_long(message))
		call_refuse(base, client->call, instead);
	else
		system_bus_send(client->owner->bus, message);
}

static void client_init(RemoteClient *client, SystemClient *owner, const char *name)
{
	*client = (RemoteClient){
		.base = { .send = client_send,
			  .requester = { .uid = (uid_t)-1 },
			  .is_subscribed = true /* by match rules */ },
		.owner = owner,
		.name = g_strdup(name),
	};
	client->base.name = client->name;
}

static void remote_client_free(gpointer data)
{
	RemoteClient *client = data;

	client->owner->listener->gone(client->owner->data, &client->base);
	if (client->base.groups)
		g_array_unref((GArray *)client->base.groups);
	g_free(client->name);
	g_free(client);
}

static RemoteClient *remote_client_get(SystemClient *owner, const char *name)
{
	RemoteClient *client = g_hash_table_lookup(owner->clients, name);

	if (client)
		return client;
	if (g_hash_table_size(owner->clients) == 0)
		system_bus_add_match(owner->bus, LEAVING_RULE);
	client = g_new(RemoteClient, 1);
	client_init(client, owner, name);
	g_hash_table_insert(owner->clients, client->name, client);
	return client;
}

static void client_remove(RemoteClient *client)
{
	SystemClient *owner = client->owner;

	g_hash_table_remove(owner->clients, client->name);
	if (g_hash_table_size(owner->clients) == 0)
		system_bus_remove_match(owner->bus, LEAVING_RULE);
}

/* --- calls that wait for authorization --- */

static void parked_free(gpointer data)
{
	Parked *parked = data;

	if (parked->pending_query)
		system_bus_cancel(parked->client->owner->bus, parked->pending_query);
	parked->client->n_parked--;
	dbus_message_unref(parked->message);
	g_clear_error(&parked->lack);
	g_free(parked);
}

/*
 * The call was answered. The client is freed with its last call, unless it has a watch or a
 * promised answer.
 */
static void finish(Parked *parked)
{
	RemoteClient *client = parked->client;
	SystemClient *owner = client->owner;

	g_ptr_array_remove_fast(owner->parked, parked);
	if (client->n_parked == 0 && !owner->listener->is_held(owner->data, &client->base))
		client_remove(client);
}

static void carry_out(Parked *parked, Grant grant)
{
	RemoteClient *client = parked->client;

	client->base.grant = grant;
	client->owner->listener->message(client->owner->data, &client->base, parked->message);
	client->base.grant = GRANT_NONE; /* each call needs its own authorization */
	finish(parked);
}

static void refuse(Parked *parked, const GError *error)
{
	call_refuse(&parked->client->base, parked->message, error);
	finish(parked);
}

/* Polkit or the operator rule could have allowed the call, so the error names both refusals. */
static void add_lack(GError *error, const GError *lack)
{
	char *text = g_strdup_printf("%s; %s", error->message, lack->message);

	if (g_error_matches(error, SVCD_ERROR_DOMAIN, SVCD_ERROR_NOT_AUTHORIZED))
		error->code = lack->code;
	g_free(error->message);
	error->message = text;
}

static void on_polkit(void *data, DBusMessage *reply)
{
	Parked *parked = data;
	g_autoptr(GError) error = NULL;

	parked->pending_query = 0;
	if (polkit_allows(reply, access_action(parked->access),
			  (unsigned)parked->client->base.requester.uid, &error)) {
		carry_out(parked, GRANT_CALL);
		return;
	}
	if (parked->lack)
		add_lack(error, parked->lack);
	refuse(parked, error);
}

/*
 * Only questions to polkit have limits per user and in total. The bus daemon answers at once, so
 * questions to it need no limit. Calls that wait for polkit must not keep out root or other users.
 */
static bool polkit_is_below_limit(const RemoteClient *client, GError **error)
{
	const GPtrArray *parked = client->owner->parked;
	unsigned n = 0;
	unsigned n_of_user = 0;

	for (guint i = 0; i < parked->len; i++) {
		const Parked *other = g_ptr_array_index(parked, i);

		n += other->is_polkits;
		n_of_user += other->is_polkits &&
			     other->client->base.requester.uid == client->base.requester.uid;
	}
	if (n_of_user >= LIMIT_PARKED_PER_USER)
		return fail(error, SVCD_ERROR_LIMIT_REACHED,
			    "%u calls of uid %u already wait for authorization; try again later",
			    n_of_user, (unsigned)client->base.requester.uid);
	return n < LIMIT_PARKED || fail(error, SVCD_ERROR_LIMIT_REACHED,
					"too many calls wait for authorization; try again later");
}

static void query_polkit(Parked *parked)
{
	const bool is_interactive =
		dbus_message_get_allow_interactive_authorization(parked->message);
	g_autoptr(GError) error = NULL;
	DBusMessage *question;

	if (!polkit_is_below_limit(parked->client, &error)) {
		refuse(parked, error);
		return;
	}
	question = polkit_question(parked->message, access_action(parked->access));
	parked->is_polkits = true;
	parked->pending_query = system_bus_call(
		parked->client->owner->bus, question,
		is_interactive ? LIMIT_AUTHENTICATE_US : LIMIT_AUTHORIZE_US, on_polkit, parked);
	dbus_message_unref(question);
	if (!parked->pending_query)
		on_polkit(parked, NULL); /* the bus is gone, and with it the client */
}

/*
 * The owner of a bus name may set its flags, because the bus policy decides which users may own the
 * name.
 */
static void on_owner(void *data, DBusMessage *reply)
{
	Parked *parked = data;
	g_autofree char *owner = dispatch_flag_owner(parked->message);
	g_autoptr(GError) error = NULL;
	const char *unique_name = NULL;

	parked->pending_query = 0;
	if (reply && dbus_message_get_type(reply) == DBUS_MESSAGE_TYPE_METHOD_RETURN &&
	    dbus_message_get_args(reply, NULL, DBUS_TYPE_STRING, &unique_name, DBUS_TYPE_INVALID) &&
	    strcmp(unique_name, parked->client->name) == 0) {
		carry_out(parked, GRANT_CALL);
		return;
	}
	fail(&error, SVCD_ERROR_NOT_AUTHORIZED,
	     "this flag belongs to the owner of %s on the bus, and you are not the owner", owner);
	refuse(parked, error);
}

static void query_owner(Parked *parked)
{
	DBusMessage *question = wire_must(dbus_message_new_method_call(
		DBUS_SERVICE_DBUS, DBUS_PATH_DBUS, DBUS_INTERFACE_DBUS, "GetNameOwner"));
	g_autofree char *owner = dispatch_flag_owner(parked->message);
	DBusMessageIter out;

	dbus_message_iter_init_append(question, &out);
	wire_string(&out, owner);
	parked->pending_query = system_bus_call(parked->client->owner->bus, question, BUS_LIMIT_US,
						on_owner, parked);
	dbus_message_unref(question);
	if (!parked->pending_query)
		on_owner(parked, NULL);
}

static bool is_operator(Parked *parked)
{
	const SystemClient *owner = parked->client->owner;

	return (parked->access == ACCESS_OPERATE || parked->access == ACCESS_LOG) &&
	       owner->listener->is_operator(owner->data, &parked->client->base, parked->message,
					    &parked->lack);
}

/* Polkit would authorize uid 0 for everything. */
static void refuse_root(Parked *parked)
{
	g_autoptr(GError) error = NULL;

	fail(&error, SVCD_ERROR_NOT_AUTHORIZED,
	     "uid 0 (pid %d) may not do this without the capabilities of root",
	     (int)parked->client->base.requester.pid);
	refuse(parked, error);
}

static void on_known(Parked *parked)
{
	if (parked->access == ACCESS_FLAG)
		query_owner(parked);
	else if (parked->client->base.is_owner || parked->access == ACCESS_LISTEN)
		carry_out(parked, GRANT_NONE);
	else if (is_operator(parked))
		carry_out(parked, GRANT_OPERATOR);
	else if (parked->client->base.requester.uid == 0)
		refuse_root(parked);
	else
		query_polkit(parked);
}

/*
 * UnixGroupIDs: au, the groups of the user at the time of the connect. Returns: an array of gid_t,
 * or NULL.
 */
static GArray *read_groups(DBusMessageIter *variant)
{
	G_STATIC_ASSERT(sizeof(gid_t) == sizeof(dbus_uint32_t));
	GArray *groups;
	DBusMessageIter array;
	const dbus_uint32_t *numbers = NULL;
	int n = 0;

	if (dbus_message_iter_get_arg_type(variant) != DBUS_TYPE_ARRAY ||
	    dbus_message_iter_get_element_type(variant) != DBUS_TYPE_UINT32)
		return NULL;
	dbus_message_iter_recurse(variant, &array);
	dbus_message_iter_get_fixed_array(&array, (void *)&numbers, &n);
	groups = g_array_new(FALSE, FALSE, sizeof(gid_t));
	if (n > 0)
		g_array_append_vals(groups, numbers, (guint)n);
	return groups;
}

/*
 * Reads UnixUserID, ProcessID and UnixGroupIDs from a{sv}. Returns: whether the reply contained a
 * user.
 */
static bool read_credentials(DBusMessage *reply, Requester *requester, const GArray **ret_groups)
{
	DBusMessageIter in;
	DBusMessageIter array;
	bool has_uid = false;

	if (!reply || !dbus_message_has_signature(reply, "a{sv}"))
		return false;
	dbus_message_iter_init(reply, &in);
	for (dbus_message_iter_recurse(&in, &array);
	     dbus_message_iter_get_arg_type(&array) != DBUS_TYPE_INVALID;
	     dbus_message_iter_next(&array)) {
		DBusMessageIter entry;
		DBusMessageIter variant;
		const char *name;
		dbus_uint32_t number;

		dbus_message_iter_recurse(&array, &entry);
		dbus_message_iter_get_basic(&entry, &name);
		dbus_message_iter_next(&entry);
		dbus_message_iter_recurse(&entry, &variant);
		if (strcmp(name, "UnixGroupIDs") == 0 && !*ret_groups)
			*ret_groups = read_groups(&variant);
		if (dbus_message_iter_get_arg_type(&variant) != DBUS_TYPE_UINT32)
			continue;
		dbus_message_iter_get_basic(&variant, &number);
		if (strcmp(name, "UnixUserID") == 0) {
			requester->uid = (uid_t)number;
			has_uid = true;
		} else if (strcmp(name, "ProcessID") == 0) {
			requester->pid = (pid_t)number;
		}
	}
	return has_uid;
}

static void on_credentials(void *data, DBusMessage *reply)
{
	Parked *parked = data;
	RemoteClient *client = parked->client;
	g_autoptr(GError) error = NULL;

	parked->pending_query = 0;
	client->is_known = client->is_known ||
			   read_credentials(reply, &client->base.requester, &client->base.groups);
	if (!client->is_known) {
		fail(&error, SVCD_ERROR_NOT_AUTHORIZED, "the bus does not identify the caller");
		refuse(parked, error);
		return;
	}
	client->base.is_owner = access_is_owner(&client->base.requester);
	on_known(parked);
}

static void query_caller(Parked *parked)
{
	DBusMessage *question = wire_must(
		dbus_message_new_method_call(DBUS_SERVICE_DBUS, DBUS_PATH_DBUS, DBUS_INTERFACE_DBUS,
					     "GetConnectionCredentials"));
	DBusMessageIter out;

	dbus_message_iter_init_append(question, &out);
	wire_string(&out, parked->client->name);
	parked->pending_query = system_bus_call(parked->client->owner->bus, question, BUS_LIMIT_US,
						on_credentials, parked);
	dbus_message_unref(question);
	if (!parked->pending_query)
		on_credentials(parked, NULL);
}

static bool is_below_limit(const SystemClient *owner, const char *name, GError **error)
{
	const RemoteClient *client = g_hash_table_lookup(owner->clients, name);

	if (client && client->n_parked >= LIMIT_PARKED_PER_CLIENT)
		return fail(error, SVCD_ERROR_LIMIT_REACHED,
			    "%u of your calls already wait for authorization; try again later",
			    client->n_parked);
	return true;
}

static void park(SystemClient *owner, DBusMessage *message, Access access)
{
	Parked *parked = g_new0(Parked, 1);

	parked->client = remote_client_get(owner, dbus_message_get_sender(message));
	parked->client->n_parked++;
	parked->message = dbus_message_ref(message);
	parked->access = access;
	g_ptr_array_add(owner->parked, parked);
	if (parked->client->is_known)
		on_known(parked);
	else
		query_caller(parked);
}

/* --- the bus --- */

/*
 * On any machine with services the answers to these calls are long. An error would replace such an
 * answer, so it is not computed.
 */
static bool is_about_all(DBusMessage *message)
{
	static const char *const members[] = { "GetManagedObjects", "ListServices", NULL };
	const char *member = dbus_message_get_member(message);

	return member && g_strv_contains(members, member);
}

/* It is the sender's turn. */
static void on_turn(void *data, DBusMessage *message, const GError *refusal, bool only_if_long)
{
	SystemClient *owner = data;
	const Access access = owner->listener->access(owner->data, message);
	g_autoptr(GError) error = NULL;
	RemoteClient client;

	if (refusal && (!only_if_long || is_about_all(message)))
		g_propagate_error(&error, g_error_copy(refusal));
	else if (access != ACCESS_READ &&
		 is_below_limit(owner, dbus_message_get_sender(message), &error)) {
		park(owner, message, access);
		return;
	}
	client_init(&client, owner, dbus_message_get_sender(message));
	client.call = message;
	client.if_long = refusal;
	if (error)
		call_refuse(&client.base, message, error);
	else
		/* a read: no pointer to the client remains */
		owner->listener->message(owner->data, &client.base, message);
	g_free(client.name);
}

static void on_call(SystemClient *owner, DBusMessage *message)
{
	g_autoptr(GError) error = NULL;
	RemoteClient client;

	if (call_queue_add(owner->queue, message, system_bus_message_bytes(owner->bus), &error))
		return;
	client_init(&client, owner, dbus_message_get_sender(message));
	call_refuse(&client.base, message, error);
	g_free(client.name);
}

static void question_free(gpointer data)
{
	Question *question = data;

	if (question->pending_query)
		system_bus_cancel(question->owner->bus, question->pending_query);
	g_free(question->name);
	g_free(question);
}

static void on_user(void *data, DBusMessage *reply)
{
	Question *question = data;
	dbus_uint32_t uid;

	question->pending_query = 0;
	if (reply && dbus_message_get_type(reply) == DBUS_MESSAGE_TYPE_METHOD_RETURN &&
	    dbus_message_get_args(reply, NULL, DBUS_TYPE_UINT32, &uid, DBUS_TYPE_INVALID))
		call_queue_known(question->owner->queue, question->name, (uid_t)uid);
	else
		/* the caller has left, or the bus is gone */
		call_queue_forget(question->owner->queue, question->name);
	g_ptr_array_remove_fast(question->owner->questions, question);
}

/*
 * GetConnectionUnixUser is cheap for the bus daemon. GetConnectionCredentials is expensive, and the
 * queue asks under load.
 */
static void on_query(void *data, const char *name)
{
	SystemClient *owner = data;
	DBusMessage *message = wire_must(dbus_message_new_method_call(
		DBUS_SERVICE_DBUS, DBUS_PATH_DBUS, DBUS_INTERFACE_DBUS, "GetConnectionUnixUser"));
	Question *question = g_new0(Question, 1);
	DBusMessageIter out;

	*question = (Question){ .owner = owner, .name = g_strdup(name) };
	g_ptr_array_add(owner->questions, question);
	dbus_message_iter_init_append(message, &out);
	wire_string(&out, name);
	question->pending_query =
		system_bus_call(owner->bus, message, BUS_LIMIT_US, on_user, question);
	dbus_message_unref(message);
	if (!question->pending_query)
		on_user(question, NULL);
}

static bool may_go_on(void *data)
{
	return !system_bus_is_congested(((SystemClient *)data)->bus);
}

static void on_writable(void *data)
{
	call_queue_go_on(((SystemClient *)data)->queue);
}

/* In a backlog, calls wait longer than a turn, so we must know which callers leave. */
static void on_backlog(void *data, bool is_there)
{
	SystemClient *owner = data;

	if (is_there)
		system_bus_add_match(owner->bus, LEAVING_RULE);
	else
		system_bus_remove_match(owner->bus, LEAVING_RULE);
}

/* A parked call of this client is dropped, even if polkit allows it later. */
static void on_left(SystemClient *owner, const char *name)
{
	RemoteClient *client = g_hash_table_lookup(owner->clients, name);

	call_queue_forget(owner->queue, name);
	if (!client)
		return;
	for (guint i = owner->parked->len; i-- > 0;) {
		const Parked *parked = g_ptr_array_index(owner->parked, i);

		if (parked->client == client)
			g_ptr_array_remove_index_fast(owner->parked, i);
	}
	client_remove(client);
}

/*
 * Other components on this connection subscribe to more names and to new owners. These signals are
 * ignored here.
 */
static void on_owner_changed(SystemClient *owner, DBusMessage *message)
{
	const char *name;
	const char *before;
	const char *now;

	if (dbus_message_has_sender(message, DBUS_SERVICE_DBUS) &&
	    dbus_message_get_args(message, NULL, DBUS_TYPE_STRING, &name, DBUS_TYPE_STRING, &before,
				  DBUS_TYPE_STRING, &now, DBUS_TYPE_INVALID) &&
	    !*now)
		on_left(owner, name);
}

static void on_message(void *data, DBusMessage *message)
{
	if (dbus_message_get_type(message) == DBUS_MESSAGE_TYPE_METHOD_CALL &&
	    dbus_message_get_sender(message))
		on_call(data, message);
	else if (dbus_message_is_signal(message, DBUS_INTERFACE_DBUS, "NameOwnerChanged"))
		on_owner_changed(data, message);
}

static void on_name(void *data, DBusMessage *reply)
{
	SystemClient *client = data;
	dbus_uint32_t result = 0;

	client->naming = 0;
	if (reply && dbus_message_get_type(reply) == DBUS_MESSAGE_TYPE_METHOD_RETURN)
		/* on failure @result stays 0 */
		(void)dbus_message_get_args(reply, NULL, DBUS_TYPE_UINT32, &result,
					    DBUS_TYPE_INVALID);
	client->has_name = result == DBUS_REQUEST_NAME_REPLY_PRIMARY_OWNER;
	if (client->has_name) {
		log_debug(NULL, "connected to the %s bus as " BUS_NAME,
			  system_bus_kind(client->bus));
		client->listener->named(client->data);
	} else if (reply) { /* no reply: the bus went away */
		log_error(NULL, "the name " BUS_NAME " cannot be taken on the %s bus: %s",
			  system_bus_kind(client->bus),
			  result == DBUS_REQUEST_NAME_REPLY_EXISTS ?
				  "another program owns it" :
				  "the bus refused it; is " BUS_NAME
				  ".conf in /usr/share/dbus-1/system.d?");
	}
}

static void on_connected(void *data)
{
	SystemClient *client = data;
	DBusMessage *message = wire_must(dbus_message_new_method_call(
		DBUS_SERVICE_DBUS, DBUS_PATH_DBUS, DBUS_INTERFACE_DBUS, "RequestName"));
	DBusMessageIter out;

	dbus_message_iter_init_append(message, &out);
	wire_string(&out, BUS_NAME);
	wire_uint32(&out, DBUS_NAME_FLAG_DO_NOT_QUEUE);
	client->naming = system_bus_call(client->bus, message, BUS_LIMIT_US, on_name, client);
	dbus_message_unref(message);
}

/*
 * The bus is gone, and all its names with it. The parked calls ended earlier, together with their
 * questions.
 */
static void on_disconnected(void *data)
{
	SystemClient *client = data;

	client->has_name = false;
	call_queue_clear(client->queue);
	if (g_hash_table_size(client->clients) > 0)
		system_bus_remove_match(client->bus, LEAVING_RULE);
	g_hash_table_remove_all(client->clients);
}

static const CallQueueListener queue_listener = {
	.turn = on_turn,
	.is_open = may_go_on,
	.on_query = on_query,
	.backlog = on_backlog,
};

static const SystemBusListener bus_listener = {
	.connected = on_connected,
	.disconnected = on_disconnected,
	.message = on_message,
	.on_writable = on_writable,
};

/* --- the object's life --- */

SystemClient *system_client_new(SystemBus *bus, const SystemClientListener *listener, void *data)
{
	SystemClient *client = g_new0(SystemClient, 1);

	client->bus = bus;
	client->listener = listener;
	client->data = data;
	client->clients = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, remote_client_free);
	client->parked = g_ptr_array_new_with_free_func(parked_free);
	client->queue = call_queue_new(&queue_listener, client);
	client->questions = g_ptr_array_new_with_free_func(question_free);
	client->listener_id = system_bus_add_listener(bus, &bus_listener, client);
	return client;
}

bool system_client_has_name(const SystemClient *client)
{
	return client->has_name;
}

void system_client_broadcast(SystemClient *client, DBusMessage *message)
{
	system_bus_send(client->bus, message);
}

void system_client_flush(SystemClient *client)
{
	system_bus_flush(client->bus);
}

void system_client_free(SystemClient *client)
{
	if (!client)
		return;
	if (client->naming)
		system_bus_cancel(client->bus, client->naming);
	call_queue_free(client->queue);
	g_ptr_array_unref(client->questions);
	system_bus_remove_listener(client->bus, client->listener_id);
	g_ptr_array_unref(client->parked);
	if (g_hash_table_size(client->clients) > 0)
		system_bus_remove_match(client->bus, LEAVING_RULE);
	g_hash_table_unref(client->clients);
	g_free(client);
}
