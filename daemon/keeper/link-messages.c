/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Link messages: what is sent, as a list of stages in their order; and one handler for each message
 * type that is received.
 *
 * A message that is too short, unknown or impossible is ignored or refused. No input from the
 * manager can end PID 1.
 */
#include "config.h"

#include "keeper/link-messages.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "keeper/children.h"
#include "keeper/console.h"
#include "keeper/disposal.h"
#include "keeper/fd-store.h"
#include "keeper/finale.h"
#include "keeper/keeper.h"
#include "keeper/link.h"
#include "keeper/shutdown.h"
#include "keeper/spawn.h"

/* --- to the manager --- */

#define REFUSED_PAUSE_US (20 * USEC_PER_MSEC)

enum Progress {
	PROGRESS_NONE, /* nothing (more) to send in this stage */
	PROGRESS_SENT,
	PROGRESS_FULL, /* the socket is full or broken */
};

static int link_fd = -1;
static struct MessageWelcome welcome;
static bool welcome_unsent;
static bool replay_wanted; /* HELLO came: rows may be sent */
static bool replayed_unsent;
static bool intent_unsent;
static unsigned int note_cursor; /* rows above it have not been sent; 0: all have */
static unsigned int kept_cursor;
static uint32_t requests_unsent; /* 1 << RequestKind */
static uint64_t ping_unsent;     /* a serial, or 0 */
static uint64_t n_sent;          /* messages that are no pings */
static bool is_full;
static uint64_t again_at_us = NEVER_US; /* retry after a failure other than EAGAIN */

static union {
	struct MessageHeader header;
	struct MessageSpawned spawned;
	struct MessageAdopted adopted;
} answer;
static size_t answer_size; /* 0: no answer waits */

static enum Progress send_with_fd(const void *message, size_t size, int fd)
{
	union {
		char space[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = { 0 };
	struct iovec part = { .iov_len = size };
	struct msghdr m = { .msg_iov = &part, .msg_iovlen = 1 };

	memcpy(&part.iov_base, &message, sizeof(message)); /* sendmsg(2) only reads it */
	if (fd >= 0) {
		struct cmsghdr *c;

		m.msg_control = control.space;
		m.msg_controllen = sizeof(control.space);
		c = CMSG_FIRSTHDR(&m);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	}
	if (sendmsg(link_fd, &m, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0)
		return PROGRESS_SENT;
	/*
	 * If the socket is full, POLLOUT reports when it is not. If it is broken, the link is about
	 * to end, and the next manager is sent everything.
	 */
	is_full = errno == EAGAIN;
	if (!is_full && errno != EPIPE && errno != ECONNRESET)
		again_at_us = keeper_now_us() + REFUSED_PAUSE_US; /* no memory: the socket counts as writable all the time */
	return PROGRESS_FULL;
}

static enum Progress send_plain(const void *message, size_t size)
{
	return send_with_fd(message, size, -1);
}

static enum Progress send_welcome(void)
{
	enum Progress p = PROGRESS_NONE;

	if (welcome_unsent)
		p = send_plain(&welcome, sizeof(welcome));
	if (p == PROGRESS_SENT)
		welcome_unsent = false;
	return p;
}

static enum Progress send_answer(void)
{
	enum Progress p = PROGRESS_NONE;

	if (answer_size)
		p = send_plain(&answer, answer_size);
	/*
	 * It is sent, or no manager reads it any more. Unread messages must not wait for it.
	 */
	if (p == PROGRESS_SENT || (!is_full && again_at_us == NEVER_US))
		answer_size = 0;
	return p;
}

static void fill_id(struct ProcessId *id, const struct Child *child)
{
	(void)keeper_copy(id->service, sizeof(id->service), child->row.name); /* it fits: it came from such a field */
	id->invocation = child->invocation;
	id->role = child->role;
}

static enum Progress send_spawned(struct Child *child)
{
	struct MessageSpawned m = {
		.header = { MESSAGE_SPAWNED, sizeof(m) },
		.pid = child->pid,
		.at_us = child->spawned_at_us,
	};
	enum Progress p;

	fill_id(&m.id, child);
	p = send_plain(&m, sizeof(m));
	if (p == PROGRESS_SENT)
		child_set_sent(child, CHILD_SPAWN_UNSENT);
	return p;
}

static enum Progress send_exited(struct Child *child)
{
	const struct ChildExit *exit = &child->exit;
	struct MessageExited m = {
		.header = { MESSAGE_EXITED, sizeof(m) },
		.pid = child->pid,
		.code = exit->code,
		.status = exit->status,
		.at_us = exit->at_us,
		.user_us = exit->user_us,
		.system_us = exit->system_us,
	};
	enum Progress p;

	fill_id(&m.id, child);
	p = send_plain(&m, sizeof(m));
	if (p == PROGRESS_SENT)
		child_set_sent(child, CHILD_EXIT_UNSENT);
	return p;
}

static enum Progress send_child(void)
{
	struct Child *child = replay_wanted ? children_first_unsent() : NULL;

	if (!child)
		return PROGRESS_NONE;
	return child->flags & CHILD_SPAWN_UNSENT ? send_spawned(child) : send_exited(child);
}

static enum Progress send_note(void)
{
	struct MessageNote m = { .header = { MESSAGE_NOTE, sizeof(m) } };
	const char *service = NULL;
	const char *text = NULL;
	enum Progress p;

	while (note_cursor && !(text = note_at(note_cursor, &service)))
		note_cursor--;
	if (!note_cursor)
		return PROGRESS_NONE;
	(void)keeper_copy(m.service, sizeof(m.service), service);
	(void)keeper_copy(m.note, sizeof(m.note), text);
	p = send_plain(&m, sizeof(m));
	if (p == PROGRESS_SENT)
		note_cursor--;
	return p;
}

static enum Progress send_kept(void)
{
	struct MessageKeep m = { .header = { MESSAGE_KEPT, sizeof(m) } };
	const char *name = NULL;
	int fd = -1;
	enum Progress p;

	while (kept_cursor && (fd = fd_store_at(kept_cursor, &name)) < 0)
		kept_cursor--;
	if (!kept_cursor)
		return PROGRESS_NONE;
	(void)keeper_copy(m.name, sizeof(m.name), name);
	p = send_with_fd(&m, sizeof(m), fd);
	if (p == PROGRESS_SENT)
		kept_cursor--;
	return p;
}

static enum Progress send_intent(void)
{
	struct MessageShutdown m = { .header = { MESSAGE_SHUTDOWN_INTENT, sizeof(m) } };
	enum Progress p;

	m.kind = shutdown_kind();
	m.deadline_ms = shutdown_left_ms(keeper_now_us());
	if (!intent_unsent || m.kind == SHUTDOWN_NONE)
		return PROGRESS_NONE;
	p = send_plain(&m, sizeof(m));
	if (p == PROGRESS_SENT)
		intent_unsent = false;
	return p;
}

static enum Progress send_replayed(void)
{
	struct MessageReplayed m = {
		.header = { MESSAGE_REPLAYED, sizeof(m) },
		.n_children = children_count(),
		.n_notes = welcome.flags & WELCOME_WITHOUT_NOTES ? 0 : table_count(TABLE_NOTES),
		.n_fds = table_count(TABLE_FDS),
	};
	enum Progress p = PROGRESS_NONE;

	if (replayed_unsent)
		p = send_plain(&m, sizeof(m));
	if (p == PROGRESS_SENT)
		replayed_unsent = false;
	return p;
}

static enum Progress send_request(void)
{
	struct MessageRequest m = { .header = { MESSAGE_REQUEST, sizeof(m) } };
	enum Progress p;

	if (!requests_unsent || !replay_wanted)
		return PROGRESS_NONE;
	m.kind = (uint32_t)__builtin_ctz(requests_unsent);
	p = send_plain(&m, sizeof(m));
	if (p == PROGRESS_SENT)
		requests_unsent &= requests_unsent - 1;
	return p;
}

static enum Progress send_ping(void)
{
	struct MessagePing m = { .header = { MESSAGE_PING, sizeof(m) }, .serial = ping_unsent };
	enum Progress p = PROGRESS_NONE;

	if (ping_unsent)
		p = send_plain(&m, sizeof(m));
	if (p == PROGRESS_SENT)
		ping_unsent = 0;
	return p;
}

/* A pong proves that everything before the ping was read, so the ping is the last stage. */
static enum Progress (*const stages[])(void) = {
	send_welcome, send_answer,   send_child,   send_note, send_kept,
	send_intent,  send_replayed, send_request, send_ping,
};

void messages_begin(int fd, const struct MessageWelcome *w)
{
	messages_end();
	link_fd = fd;
	welcome = *w;
	welcome_unsent = true;
}

void messages_replay(void)
{
	children_mark_unsent();
	replay_wanted = true;
	replayed_unsent = true;
	intent_unsent = true;
	note_cursor = welcome.flags & WELCOME_WITHOUT_NOTES ? 0 : table_last(TABLE_NOTES);
	kept_cursor = table_last(TABLE_FDS);
}

void messages_end(void)
{
	link_fd = -1;
	welcome_unsent = replay_wanted = replayed_unsent = intent_unsent = false;
	note_cursor = kept_cursor = 0;
	ping_unsent = 0;
	answer_size = 0;
	is_full = false;
}

void messages_request(enum RequestKind kind)
{
	requests_unsent |= 1u << kind;
}

bool messages_is_requested(enum RequestKind kind)
{
	return requests_unsent & 1u << kind;
}

void messages_ping(uint64_t serial)
{
	ping_unsent = serial;
}

uint64_t messages_count(void)
{
	return n_sent;
}

void messages_answer(const void *message, size_t size)
{
	memcpy(&answer, message, size < sizeof(answer) ? size : sizeof(answer));
	answer_size = size;
	if (link_fd < 0)
		answer_size = 0; /* its manager is dead; the next one sees the row, or that there is none */
	messages_flush();
}

bool messages_is_blocked(void)
{
	return answer_size != 0;
}

void messages_flush(void)
{
	is_full = false;
	again_at_us = NEVER_US;
	for (size_t i = 0; link_fd >= 0 && i < sizeof(stages) / sizeof(stages[0]); i++) {
		enum Progress p;

		while ((p = stages[i]()) == PROGRESS_SENT)
			n_sent += stages[i] != send_ping;
		if (p == PROGRESS_FULL)
			return;
	}
}

bool messages_wants_to_write(void)
{
	return link_fd >= 0 && is_full;
}

uint64_t messages_next_us(void)
{
	return link_fd >= 0 ? again_at_us : NEVER_US;
}

/* --- from the manager --- */

#define MAX_FDS (PROTOCOL_MAX_FDS + 8)

/* The longest message of a fixed size. Only SPAWN has more data behind it. */
union Fixed {
	struct MessageHeader header;
	struct MessageHello hello;
	struct MessagePing ping;
	struct MessageSpawn spawn;
	struct MessageAck ack;
	struct MessageNote note;
	struct MessageSignal signal;
	struct MessageAdopt adopt;
	struct MessageKeep keep;
	struct MessageForget forget;
	struct MessageShutdown shutdown;
	struct MessageSay say;
	struct MessageDispose dispose;
};

struct Received {
	union Fixed fixed;   /* an aligned copy of the beginning */
	const char *message; /* the whole datagram */
	size_t size;
	int fds[MAX_FDS];
	size_t n_fds;
	int cut; /* an errno if the kernel dropped something: EMSGSIZE bytes, EMFILE descriptors */
};

static bool field_has_end(const char *field, size_t size)
{
	return memchr(field, '\0', size) != NULL;
}

static void on_hello(struct Received *r)
{
	link_on_hello(r->fixed.hello.version);
}

static void on_pong(struct Received *r)
{
	link_on_pong(r->fixed.ping.serial);
}

static void refuse_spawn(const struct ProcessId *id, int error)
{
	struct MessageSpawned m = {
		.header = { MESSAGE_SPAWNED, sizeof(m) },
		.id = *id,
		.error = error,
		.at_us = keeper_now_us(),
	};

	messages_answer(&m, sizeof(m));
}

/* close(2) cannot wait here, because the child has copies and executes nothing before it may. */
static void close_spawned(struct Received *r, pid_t pid)
{
	for (size_t i = 0; i < r->n_fds; i++)
		(void)close(r->fds[i]); /* the child has a copy */
	r->n_fds = 0;
	(void)kill(pid, SPAWN_MAY_EXEC); /* not reaped yet, so the pid is its own */
}

/* The row comes first: no process may run without one. */
static int spawn_row(struct Received *r, struct SpawnRequest *request)
{
	const struct MessageSpawn *m = &r->fixed.spawn;
	struct Child *child = children_begin(&m->id);
	pid_t pid;

	if (!child)
		return ENFILE;
	request->pid_place = &child->pid;
	pid = spawn_process(request);
	if (pid < 0) {
		int error = errno;

		children_cancel(child);
		return error;
	}
	child_set_running(child, pid, keeper_now_us());
	close_spawned(r, pid);
	if (m->note[0])
		(void)note_set(m->id.service, m->note); /* the service loses its history, not its process */
	return 0;
}

static int spawn_request(struct Received *r)
{
	struct SpawnRequest *request = spawn_request_blank();
	int error = children_may_add(&r->fixed.spawn.id);

	if (!error)
		error = r->cut ? r->cut : spawn_request_parse(r->message, r->size, r->fds, r->n_fds, request);
	if (error)
		return error;
	return spawn_row(r, request);
}

static void on_spawn(struct Received *r)
{
	int error = spawn_request(r);

	if (error)
		refuse_spawn(&r->fixed.spawn.id, error);
}

static void on_ack(struct Received *r)
{
	const struct MessageAck *m = &r->fixed.ack;

	const struct Child *child = children_find(&m->id);

	if (!child || !(child->flags & CHILD_EXITED))
		return;
	if (m->note[0])
		(void)note_set(m->id.service, m->note); /* before the row is released; a note without an end is refused */
	(void)children_release(&m->id); /* the row exists */
}

static void on_note(struct Received *r)
{
	const struct MessageNote *m = &r->fixed.note;

	if (field_has_end(m->service, sizeof(m->service)) && note_set(m->service, m->note) == ENOSPC)
		console_log("%s: no room for its note", m->service);
}

static void on_signal(struct Received *r)
{
	const struct MessageSignal *m = &r->fixed.signal;
	const struct Child *child = children_find(&m->id);

	if (child && !(child->flags & CHILD_EXITED))
		(void)kill(child->pid, m->signo); /* not reaped yet, so the pid is its own; an invalid signal number is the manager's fault */
}

/* Is @pid a child of ours without a row? */
static int check_adoptable(const struct ProcessId *id, pid_t pid)
{
	int error = children_may_add(id);

	if (error)
		return error;
	if (pid <= 1 || children_find_pid(pid) || link_is_own(pid))
		return pid <= 1 ? EINVAL : EBUSY;
	if (waitid(P_PID, (id_t)pid, &(siginfo_t){ 0 }, WEXITED | WNOHANG | WNOWAIT) == 0)
		return 0;
	return kill(pid, 0) < 0 && errno == ESRCH ? ESRCH : ECHILD;
}

static void on_adopt(struct Received *r)
{
	const struct MessageAdopt *m = &r->fixed.adopt;
	struct MessageAdopted reply = {
		.header = { MESSAGE_ADOPTED, sizeof(reply) },
		.id = m->id,
		.pid = m->pid,
		.error = check_adoptable(&m->id, m->pid),
	};
	struct Child *child;

	if (!reply.error) {
		child = children_add(&m->id, m->pid, keeper_now_us());
		if (child)
			child_set_sent(child, CHILD_SPAWN_UNSENT); /* ADOPTED reports it; a later manager is sent SPAWNED */
		else
			reply.error = ENFILE;
	}
	messages_answer(&reply, sizeof(reply));
}

static void on_keep(struct Received *r)
{
	const struct MessageKeep *m = &r->fixed.keep;

	if (!field_has_end(m->name, sizeof(m->name)))
		return;
	if (r->n_fds != 1 || r->cut) {
		console_log("the descriptor %s did not arrive, and is not kept: %s", m->name, strerror(r->cut ? r->cut : EINVAL));
		return;
	}
	if (fd_store_keep(m->name, r->fds[0]) != 0)
		console_log("no room to keep the descriptor %s", m->name);
	r->n_fds = 0; /* the store has it */
}

static void on_forget(struct Received *r)
{
	const struct MessageForget *m = &r->fixed.forget;

	if (!field_has_end(m->name, sizeof(m->name)))
		return;
	if (m->flags & FORGET_ENDED)
		fd_store_close_ended(m->name);
	else
		fd_store_forget(m->name);
}

/* The manager keeps copies until it has sent the next DISPOSE, which has no descriptors. */
static void on_dispose(struct Received *r)
{
	if (r->n_fds == 0)
		disposal_release();
	for (size_t i = 0; i < r->n_fds; i++)
		disposal_hold(r->fds[i]);
	r->n_fds = 0;
}

static void on_shutdown(struct Received *r)
{
	shutdown_begin(r->fixed.shutdown.kind, r->fixed.shutdown.deadline_ms, keeper_now_us());
}

static void on_finale(struct Received *r)
{
	uint32_t kind = r->fixed.shutdown.kind;

	link_kill();
	finale_run(kind <= SHUTDOWN_EXIT ? (enum ShutdownKind)kind : SHUTDOWN_POWEROFF, "all services have stopped");
}

static void on_reexec(struct Received *r)
{
	(void)r;
	link_reexec();
}

static void on_say(struct Received *r)
{
	console_log("%.*s", (int)strnlen(r->fixed.say.text, sizeof(r->fixed.say.text)), r->fixed.say.text);
}

static const struct Order {
	enum MessageType type;
	size_t min_size;
	void (*carry_out)(struct Received *r);
} orders[] = {
	{ MESSAGE_HELLO, sizeof(struct MessageHello), on_hello },
	{ MESSAGE_PONG, sizeof(struct MessagePing), on_pong },
	{ MESSAGE_SPAWN, sizeof(struct MessageSpawn), on_spawn },
	{ MESSAGE_ACK, sizeof(struct MessageAck), on_ack },
	{ MESSAGE_NOTE, sizeof(struct MessageNote), on_note },
	{ MESSAGE_SIGNAL, sizeof(struct MessageSignal), on_signal },
	{ MESSAGE_ADOPT, sizeof(struct MessageAdopt), on_adopt },
	{ MESSAGE_KEEP, sizeof(struct MessageKeep), on_keep },
	{ MESSAGE_FORGET, sizeof(struct MessageKeep), on_forget },
	{ MESSAGE_SHUTDOWN, sizeof(struct MessageShutdown), on_shutdown },
	{ MESSAGE_FINALE, sizeof(struct MessageShutdown), on_finale },
	{ MESSAGE_REEXEC, sizeof(struct MessageReexec), on_reexec },
	{ MESSAGE_SAY, sizeof(struct MessageSay), on_say },
	{ MESSAGE_DISPOSE, sizeof(struct MessageDispose), on_dispose },
};

static void take_fds(struct msghdr *m, struct Received *r)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
		size_t n;

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		memcpy(r->fds, CMSG_DATA(c), n * sizeof(int));
		r->n_fds = n;
	}
}

static void set_message(struct Received *r, const char *message, size_t size)
{
	r->message = message;
	r->size = size;
	memset(&r->fixed, 0, sizeof(r->fixed));
	memcpy(&r->fixed, message, size < sizeof(r->fixed) ? size : sizeof(r->fixed));
}

/* @datagram has PROTOCOL_MESSAGE_BYTES. Returns: as recvmsg(2). */
static ssize_t receive(int fd, char *datagram, struct Received *r)
{
	static union {
		char space[CMSG_SPACE(MAX_FDS * sizeof(int))];
		struct cmsghdr align;
	} control;
	struct iovec part = { .iov_base = datagram, .iov_len = PROTOCOL_MESSAGE_BYTES };
	struct msghdr m = {
		.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = control.space,
		.msg_controllen = sizeof(control.space),
	};
	ssize_t n = recvmsg(fd, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

	if (n < 0)
		return n;
	r->n_fds = 0;
	r->cut = m.msg_flags & MSG_TRUNC ? EMSGSIZE : 0;
	if (m.msg_flags & MSG_CTRUNC)
		r->cut = EMFILE; /* there is room for the descriptors of any message, so our own table was full */
	take_fds(&m, r);
	set_message(r, datagram, (size_t)n);
	return n;
}

static void carry_out(struct Received *r)
{
	for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++)
		if (r->fixed.header.type == (uint32_t)orders[i].type && r->size >= orders[i].min_size)
			orders[i].carry_out(r);
	for (size_t i = 0; i < r->n_fds; i++)
		disposal_add(r->fds[i]); /* of a message that was refused or is unknown */
}

enum MessagesResult messages_read(int fd, unsigned int max)
{
	static char datagram[PROTOCOL_MESSAGE_BYTES];
	struct Received r;

	for (unsigned int i = 0; i < max; i++) {
		ssize_t n;

		if (messages_is_blocked())
			return MESSAGES_EMPTY;
		n = receive(fd, datagram, &r);
		if (n < 0 && errno == EINTR)
			continue; /* impossible with all signals blocked; taken as the end of the link it would lose messages */
		if (n < 0 && errno == ECONNRESET)
			continue; /* the manager died with unread data; its earlier messages can still be read */
		if (n < 0 && errno == EAGAIN)
			return MESSAGES_EMPTY;
		if (n < 0 && (errno == ENOMEM || errno == ENOBUFS))
			return MESSAGES_EMPTY; /* the message is still in the socket */
		if (n < 0)
			return MESSAGES_END;
		carry_out(&r);
		if (n == 0) /* the end, or an empty datagram, which no manager sends; its descriptors have been closed */
			return MESSAGES_END;
	}
	return MESSAGES_MORE;
}
