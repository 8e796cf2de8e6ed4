/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Call queue: a ring of users, each with a ring of callers, each with a queue of calls.
 */
#include "config.h"

#include "bus/call-queue.h"

#include <time.h>

#include "base/errors.h"
#include "base/limits.h"
#include "loop/loop.h"

/* The bus daemon has not reported the user of this caller. */
#define UID_UNKNOWN ((uid_t)-1)

typedef struct QueuedCall {
	DBusMessage *message;
	size_t n_bytes;
} QueuedCall;

typedef struct User {
	uid_t uid;
	bool is_refused; /* the user had too many calls while the bus was slow */
	GQueue callers; /* Caller *: the next caller first; never empty */
} User;

/* During a backlog a caller without calls is kept too, because its uid is known or requested. */
typedef struct Caller {
	char *name;
	uid_t uid;
	bool is_queried;
	/* QueuedCall *, owned; a caller with calls is in the ring of its user */
	GQueue calls;
	size_t n_bytes;
} Caller;

struct CallQueue {
	GHashTable *callers; /* name -> Caller *, owned */
	GQueue users; /* User *, owned: the next user first */
	size_t n_bytes; /* of all callers */
	unsigned n_calls; /* of all callers */
	bool is_flooded; /* there were too many calls while the bus was slow */
	unsigned n_queried; /* callers with a requested, but still unknown, uid */
	GSource *source; /* NULL while the queue is empty or must not go on */
	Timer *rest; /* armed after a long turn; no turn begins before it fires */
	bool has_backlog;
	int64_t closed_at_us; /* since this time no call may be handled; 0: calls may be handled */
	int64_t slow_until_us;
	Timer *calm; /* fires when the bus is no longer slow and the queue is empty */
	const CallQueueListener *listener;
	void *data;
};

static void call_free(gpointer data)
{
	QueuedCall *call = data;

	dbus_message_unref(call->message);
	g_free(call);
}

static void caller_free(gpointer data)
{
	Caller *caller = data;

	g_queue_clear_full(&caller->calls, call_free);
	g_free(caller->name);
	g_free(caller);
}

static User *user_get(CallQueue *queue, uid_t uid)
{
	User *user;

	for (GList *l = queue->users.head; l; l = l->next) {
		user = l->data;
		if (user->uid == uid)
			return user;
	}
	user = g_new0(User, 1);
	user->uid = uid;
	g_queue_init(&user->callers);
	g_queue_push_tail(&queue->users, user);
	return user;
}

static void enter(CallQueue *queue, Caller *caller)
{
	g_queue_push_tail(&user_get(queue, caller->uid)->callers, caller);
}

static void leave(CallQueue *queue, Caller *caller)
{
	User *user = user_get(queue, caller->uid);

	(void)g_queue_remove(&user->callers, caller);
	if (!g_queue_is_empty(&user->callers))
		return;
	(void)g_queue_remove(&queue->users, user);
	g_free(user);
}

static bool is_being_queried(const Caller *caller)
{
	return caller->is_queried && caller->uid == UID_UNKNOWN;
}

static void remove_caller(CallQueue *queue, Caller *caller)
{
	queue->n_queried -= is_being_queried(caller);
	queue->n_bytes -= caller->n_bytes;
	queue->n_calls -= caller->calls.length;
	if (!g_queue_is_empty(&caller->calls))
		leave(queue, caller);
	g_hash_table_remove(queue->callers, caller->name);
}

static unsigned count_calls(const User *user)
{
	unsigned n = 0;

	for (const GList *l = user->callers.head; l; l = l->next)
		n += ((const Caller *)l->data)->calls.length;
	return n;
}

static bool is_slow(const CallQueue *queue)
{
	return loop_now() < queue->slow_until_us;
}

/*
 * Returns: NULL, or the error for the next call of @user. @ret_only_if_long: the error only
 * replaces a long answer.
 */
static GError *refusal_of(CallQueue *queue, User *user, bool *ret_only_if_long)
{
	const bool slow = is_slow(queue);
	const unsigned n = slow ? count_calls(user) : 0;
	GError *error = NULL;

	user->is_refused = n > 0 && (user->is_refused || n > LIMIT_CALLS_WHILE_SLOW);
	queue->is_flooded = slow && (queue->is_flooded || queue->n_calls > LIMIT_CALLS_IN_FLOOD);
	*ret_only_if_long = !user->is_refused;
	if (user->is_refused)
		fail(&error, SVCD_ERROR_LIMIT_REACHED,
		     "the bus is slow, and %u calls of your user are waiting; try again later", n);
	else if (queue->is_flooded)
		fail(&error, SVCD_ERROR_LIMIT_REACHED,
		     "the bus is slow and flooded; try again later");
	return error;
}

static void rotate(GQueue *ring)
{
	g_queue_push_tail_link(ring, g_queue_pop_head_link(ring));
}

/*
 * Returns: the user whose turn it is, or NULL. On a slow bus, callers of unknown uid get no turn.
 */
static User *next_user(CallQueue *queue)
{
	User *user = g_queue_peek_head(&queue->users);

	if (!user || user->uid != UID_UNKNOWN || !is_slow(queue))
		return user;
	rotate(&queue->users);
	user = g_queue_peek_head(&queue->users);
	return user->uid == UID_UNKNOWN ? NULL : user;
}

/*
 * Removes the next call from the queue before it is answered: while the answer is sent, the bus may
 * turn out to be gone, and then the queue is cleared.
 */
static QueuedCall *take(CallQueue *queue, User *user)
{
	Caller *caller = g_queue_peek_head(&user->callers);
	QueuedCall *call = g_queue_pop_head(&caller->calls);

	rotate(&queue->users);
	rotate(&user->callers);
	caller->n_bytes -= call->n_bytes;
	queue->n_bytes -= call->n_bytes;
	queue->n_calls--;
	if (g_queue_is_empty(&caller->calls)) {
		leave(queue, caller);
		if (!queue->has_backlog)
			remove_caller(queue, caller);
	}
	return call;
}

/* --- the backlog --- */

/* The caller with the fewest calls of those that have calls and were not queried. */
static Caller *next_to_query(const CallQueue *queue)
{
	Caller *best = NULL;
	GHashTableIter iter;
	gpointer value;

	g_hash_table_iter_init(&iter, queue->callers);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		Caller *caller = value;

		if (caller->is_queried || g_queue_is_empty(&caller->calls))
			continue;
		if (!best || caller->calls.length < best->calls.length)
			best = caller;
	}
	return best;
}

/*
 * Few queries are pending at a time, because they share an outbox with the answers. So the query
 * for a new caller does not wait behind the queries of a flood.
 */
static void query_callers(CallQueue *queue)
{
	Caller *caller;

	while (queue->has_backlog && queue->n_queried < LIMIT_CALLERS_QUERIED &&
	       (caller = next_to_query(queue))) {
		caller->is_queried = true;
		queue->n_queried++;
		queue->listener->on_query(queue->data, caller->name);
	}
}

static void report_backlog(CallQueue *queue, bool is_there)
{
	if (queue->has_backlog == is_there)
		return;
	queue->has_backlog = is_there;
	queue->listener->backlog(queue->data, is_there);
	if (is_there) {
		query_callers(queue);
		return;
	}
	g_hash_table_remove_all(queue->callers); /* no caller has calls any more */
	queue->n_queried = 0;
}

/*
 * On a slow bus the uids of the callers are kept, because the callers may call again. Another query
 * would take as long as an answer.
 */
static void report_backlog_now(CallQueue *queue)
{
	const bool is_empty = g_queue_is_empty(&queue->users);
	const bool is_kept = is_empty && queue->has_backlog && is_slow(queue);

	if (is_kept)
		timer_arm(queue->calm, queue->slow_until_us);
	else
		report_backlog(queue, !is_empty);
}

static void on_calm(void *data)
{
	report_backlog_now(data);
}

void call_queue_known(CallQueue *queue, const char *name, uid_t uid)
{
	Caller *caller = g_hash_table_lookup(queue->callers, name);

	if (!caller || caller->uid == uid)
		return;
	if (!g_queue_is_empty(&caller->calls))
		leave(queue, caller);
	queue->n_queried -= is_being_queried(caller);
	caller->uid = uid;
	if (!g_queue_is_empty(&caller->calls))
		enter(queue, caller);
	query_callers(queue);
	call_queue_go_on(queue);
}

/* --- turns --- */

static bool is_open_now(CallQueue *queue)
{
	const bool is_open = queue->listener->is_open(queue->data);
	const int64_t now_us = loop_now();

	if (!is_open) {
		queue->closed_at_us = queue->closed_at_us ? queue->closed_at_us : now_us;
		return false;
	}
	if (queue->closed_at_us && now_us - queue->closed_at_us >= LIMIT_BUS_SLOW_US)
		queue->slow_until_us = now_us + LIMIT_BUS_SLOW_HOLD_US;
	queue->closed_at_us = 0;
	return true;
}

/* The CPU time of this thread, because a turn with little work may take long on a busy machine. */
static int64_t work_now(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now); /* cannot fail */
	return (int64_t)now.tv_sec * G_USEC_PER_SEC + now.tv_nsec / 1000;
}

static void rest_after(CallQueue *queue, int64_t spent_us)
{
	if (spent_us > LIMIT_STRANGERS_TURN_US)
		timer_arm(queue->rest, loop_now() + MIN(spent_us * LIMIT_STRANGERS_REST_FACTOR,
							LIMIT_STRANGERS_REST_US));
}

static gboolean on_turn(gpointer data)
{
	CallQueue *queue = data;
	const int64_t until_us = loop_now() + LIMIT_BUS_TURN_US;
	const int64_t began_us = work_now();
	bool is_open = is_open_now(queue);
	User *user = NULL;

	while (is_open && (user = next_user(queue))) {
		bool only_if_long;
		g_autoptr(GError) refusal = refusal_of(queue, user, &only_if_long);
		QueuedCall *call = take(queue, user);

		queue->listener->turn(queue->data, call->message, refusal, only_if_long);
		call_free(call);
		if (loop_now() >= until_us)
			break;
		is_open = is_open_now(queue);
	}
	queue->is_flooded = queue->is_flooded && queue->n_calls > 0;
	report_backlog_now(queue);
	rest_after(queue, work_now() - began_us);
	if (is_open && next_user(queue) && !timer_is_armed(queue->rest))
		return G_SOURCE_CONTINUE;
	g_clear_pointer(&queue->source, g_source_unref); /* the context holds it until we return */
	return G_SOURCE_REMOVE;
}

static void on_rested(void *data)
{
	call_queue_go_on(data);
}

void call_queue_go_on(CallQueue *queue)
{
	if (timer_is_armed(queue->rest)) {
		/*
		 * records that the bus accepts data; otherwise our pause would count as a slow bus
		 */
		(void)is_open_now(queue);
		return;
	}
	if (queue->source || g_queue_is_empty(&queue->users))
		return;
	queue->source = g_idle_source_new();
	g_source_set_priority(queue->source, LOOP_PRIORITY_STRANGERS);
	g_source_set_callback(queue->source, on_turn, queue, NULL);
	g_source_attach(queue->source, NULL);
}

/* --- calls --- */

/*
 * A caller without a waiting call may always add one, so no caller can fill the queue for others.
 */
static bool is_below_limit(const CallQueue *queue, const Caller *caller, size_t n_bytes,
			   GError **error)
{
	if (n_bytes > LIMIT_CALLS_QUEUED_OF_CALLER_BYTES)
		return fail(error, SVCD_ERROR_LIMIT_REACHED,
			    "this call has %zu bytes, and the limit is %d", n_bytes,
			    LIMIT_CALLS_QUEUED_OF_CALLER_BYTES);
	if (!caller || caller->calls.length == 0)
		return true;
	if (caller->calls.length >= LIMIT_CALLS_QUEUED_OF_CALLER ||
	    caller->n_bytes + n_bytes > LIMIT_CALLS_QUEUED_OF_CALLER_BYTES)
		return fail(error, SVCD_ERROR_LIMIT_REACHED,
			    "%u of your calls are already waiting; try again later",
			    caller->calls.length);
	return queue->n_bytes + n_bytes <= LIMIT_CALLS_QUEUED_BYTES ||
	       fail(error, SVCD_ERROR_LIMIT_REACHED, "too many calls are waiting; try again later");
}

static Caller *caller_new(CallQueue *queue, const char *name)
{
	Caller *caller = g_new0(Caller, 1);

	caller->name = g_strdup(name);
	caller->uid = UID_UNKNOWN;
	g_queue_init(&caller->calls);
	g_hash_table_insert(queue->callers, caller->name, caller);
	return caller;
}

bool call_queue_add(CallQueue *queue, DBusMessage *message, size_t n_bytes, GError **error)
{
	const char *name = dbus_message_get_sender(message);
	Caller *caller = g_hash_table_lookup(queue->callers, name);
	QueuedCall *call;

	if (!is_below_limit(queue, caller, n_bytes, error))
		return false;
	if (!caller)
		caller = caller_new(queue, name);
	call = g_new(QueuedCall, 1);
	*call = (QueuedCall){ .message = dbus_message_ref(message), .n_bytes = n_bytes };
	if (g_queue_is_empty(&caller->calls))
		enter(queue, caller);
	g_queue_push_tail(&caller->calls, call);
	caller->n_bytes += n_bytes;
	queue->n_bytes += n_bytes;
	queue->n_calls++;
	query_callers(queue);
	call_queue_go_on(queue);
	return true;
}

void call_queue_forget(CallQueue *queue, const char *name)
{
	Caller *caller = g_hash_table_lookup(queue->callers, name);

	if (!caller)
		return;
	remove_caller(queue, caller);
	query_callers(queue);
}

void call_queue_clear(CallQueue *queue)
{
	g_autoptr(GList) callers = g_hash_table_get_values(queue->callers);

	for (GList *l = callers; l; l = l->next)
		remove_caller(queue, l->data);
	queue->closed_at_us = 0;
	timer_disarm(queue->calm);
	report_backlog(queue, false);
}

/* --- life --- */

CallQueue *call_queue_new(const CallQueueListener *listener, void *data)
{
	CallQueue *queue = g_new0(CallQueue, 1);

	queue->callers = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, caller_free);
	g_queue_init(&queue->users);
	queue->calm = timer_new(on_calm, queue);
	queue->rest = timer_new(on_rested, queue);
	queue->listener = listener;
	queue->data = data;
	return queue;
}

void call_queue_free(CallQueue *queue)
{
	if (!queue)
		return;
	call_queue_clear(queue);
	if (queue->source) {
		g_source_destroy(queue->source);
		g_source_unref(queue->source);
	}
	timer_free(queue->calm);
	timer_free(queue->rest);
	g_hash_table_unref(queue->callers);
	g_free(queue);
}
