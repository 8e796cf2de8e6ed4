/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Bus questions: a question above the limit waits in a queue, and a question without a good answer
 * waits for a timer.
 */
#include "config.h"

#include "providers/bus-question.h"

#include <string.h>

#include "base/limits.h"
#include "base/text.h"
#include "loop/loop.h"
#include "loop/wire.h"

/* The default timeout of D-Bus libraries. */
#define ANSWER_US (25 * G_USEC_PER_SEC)

/* The first delay before a question without a good answer is repeated. It doubles each time. */
#define RETRY_FIRST_US G_USEC_PER_SEC
#define RETRY_MAX_US (64 * G_USEC_PER_SEC)

/*
 * A service that answers "no such object" may not have it yet. After this many repetitions (about
 * two minutes) only a signal of the service makes us ask again.
 */
#define REFUSALS_MAX 8

/* The maximal number of bytes that are shown of an error's text. */
#define ERROR_BYTES 200

struct BusQuestions {
	SystemBus *bus;
	BusQuestionFunc answered;
	unsigned n_calls;
	GQueue to_query; /* BusQuestion *, while LIMIT_BUS_CALLS questions are in flight */
};

struct BusQuestion {
	BusQuestions *all;
	const char *path; /* these three are borrowed */
	const char *interface;
	const char *member;
	void *data;
	char *owner; /* unique name of the connection that is asked; NULL: none */
	unsigned call; /* the question in flight, 0: none */
	bool must_query; /* ask again, because the next answer may be old */
	bool is_queued; /* in to_query */
	unsigned n_tries; /* without a good answer */
	Timer *retry; /* NULL: no failure */
};

static void put_in_queue(BusQuestion *question);

static void on_retry(void *data)
{
	put_in_queue(data);
}

static void query_later(BusQuestion *question)
{
	const int64_t delay_us = MIN(RETRY_FIRST_US << MIN(question->n_tries, 6u), RETRY_MAX_US);

	question->n_tries++;
	if (!question->retry)
		question->retry = timer_new(on_retry, question);
	timer_arm(question->retry, loop_now() + delay_us);
}

/* Errors that carry no information about the property: the question was not answered. */
static bool is_silence(DBusMessage *reply)
{
	static const char *const names[] = { DBUS_ERROR_NO_REPLY,  DBUS_ERROR_TIMEOUT,
					     DBUS_ERROR_TIMED_OUT, DBUS_ERROR_LIMITS_EXCEEDED,
					     DBUS_ERROR_NO_MEMORY, DBUS_ERROR_DISCONNECTED };

	for (size_t i = 0; reply && i < G_N_ELEMENTS(names); i++) {
		if (dbus_message_is_error(reply, names[i]))
			return true;
	}
	return !reply;
}

static char *error_text(DBusMessage *reply)
{
	const char *text = "its owner's answer contains no value";
	char *shown;

	if (dbus_message_get_type(reply) == DBUS_MESSAGE_TYPE_ERROR &&
	    (!dbus_message_get_args(reply, NULL, DBUS_TYPE_STRING, &text, DBUS_TYPE_INVALID) ||
	     !*text))
		text = dbus_message_get_error_name(reply);
	shown = text_escape_terminal(text);
	if (strlen(shown) > ERROR_BYTES)
		*g_utf8_find_prev_char(shown, shown + ERROR_BYTES + 1) = '\0';
	return shown;
}

static void on_refused(BusQuestion *question, DBusMessage *reply)
{
	g_autofree char *why = error_text(reply);

	if (question->n_tries < REFUSALS_MAX)
		query_later(question);
	question->all->answered(question->data, LEVEL_FALSE, NULL, why);
}

static void on_changed(BusQuestion *question, DBusMessage *reply)
{
	DBusMessageIter iter;
	BusValue value;

	if (is_silence(reply)) {
		query_later(question);
		question->all->answered(question->data, LEVEL_UNKNOWN, NULL,
					"its owner does not answer");
	} else if (!dbus_message_has_signature(reply, "v") ||
		   !dbus_message_iter_init(reply, &iter)) {
		on_refused(question, reply);
	} else {
		bus_value_read(&iter, &value);
		question->all->answered(question->data, LEVEL_TRUE, &value, NULL);
	}
}

static void query_next(BusQuestions *all);

/*
 * An answer that may be old is still used. Otherwise a property that changes all the time would
 * never be known.
 */
static void on_answer(void *data, DBusMessage *reply)
{
	BusQuestion *question = data;
	BusQuestions *all = question->all;
	const bool must_query = question->must_query;

	question->call = 0;
	question->must_query = false;
	all->n_calls--;
	/* otherwise the owner is about to be lost, too */
	if (reply || system_bus_is_connected(all->bus))
		on_changed(question, reply);
	if (must_query)
		put_in_queue(question);
	query_next(all);
}

/* Returns: false if there is no bus; then the owner is about to be lost, too. */
static bool question_send(BusQuestion *question)
{
	DBusMessage *call = wire_must(dbus_message_new_method_call(
		question->owner, question->path, DBUS_INTERFACE_PROPERTIES, "Get"));
	DBusMessageIter out;

	dbus_message_set_auto_start(call, FALSE);
	dbus_message_iter_init_append(call, &out);
	wire_string(&out, question->interface);
	wire_string(&out, question->member);
	question->call = system_bus_call(question->all->bus, call, ANSWER_US, on_answer, question);
	dbus_message_unref(call);
	return question->call > 0;
}

static void query_next(BusQuestions *all)
{
	BusQuestion *question;

	while (all->n_calls < LIMIT_BUS_CALLS && (question = g_queue_pop_head(&all->to_query))) {
		question->is_queued = false;
		if (question_send(question))
			all->n_calls++;
	}
}

static void withdraw(BusQuestion *question)
{
	BusQuestions *all = question->all;

	if (question->call) {
		system_bus_cancel(all->bus, question->call);
		question->call = 0;
		all->n_calls--;
	}
	question->must_query = false;
	if (question->is_queued)
		g_queue_remove(&all->to_query, question);
	question->is_queued = false;
}

/*
 * A question in flight may have been answered before the present event, so it is asked again. A
 * question that was not sent yet is sent only once.
 */
static void put_in_queue(BusQuestion *question)
{
	question->must_query = question->call > 0;
	if (question->call > 0 || question->is_queued)
		return;
	question->is_queued = true;
	g_queue_push_tail(&question->all->to_query, question);
	query_next(question->all);
}

/* --- for callers --- */

void bus_question_query(BusQuestion *question, const char *owner)
{
	if (g_strcmp0(question->owner, owner) != 0) {
		g_free(question->owner);
		question->owner = g_strdup(owner);
	}
	put_in_queue(question);
}

void bus_question_settle(BusQuestion *question)
{
	question->n_tries = 0;
	g_clear_pointer(&question->retry, timer_free);
}

void bus_question_forget(BusQuestion *question)
{
	withdraw(question);
	bus_question_settle(question);
}

BusQuestion *bus_question_new(BusQuestions *all, const char *path, const char *interface,
			      const char *member, void *data)
{
	BusQuestion *question = g_new0(BusQuestion, 1);

	question->all = all;
	question->path = path;
	question->interface = interface;
	question->member = member;
	question->data = data;
	return question;
}

void bus_question_free(BusQuestion *question)
{
	bus_question_forget(question);
	query_next(question->all);
	g_free(question->owner);
	g_free(question);
}

BusQuestions *bus_questions_new(SystemBus *bus, BusQuestionFunc answered)
{
	BusQuestions *all = g_new0(BusQuestions, 1);

	all->bus = bus;
	all->answered = answered;
	g_queue_init(&all->to_query);
	return all;
}

void bus_questions_free(BusQuestions *all)
{
	g_free(all);
}
