/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Link messages: what is sent, as a list of stages in their order; and one handler for each message
 * type that is received.
 *
 * No message is stored. Everything that is to be sent is a bit or a cursor into a table. A send
 * that would wait ends the turn, and the loop comes back when the socket is writable. A replay sets
 * all bits, and needs no other code.
 *
 * A message that is too short, unknown or impossible is ignored or refused. No input from the
 * manager can end PID 1.
 */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "keeper/children.h"
#include "keeper/console.h"
#include "keeper/fd-store.h"
#include "keeper/keeper.h"
#include "keeper/link.h"
#include "keeper/shutdown.h"
#include "keeper/spawn.h"

/* --- to the manager --- */

#define REFUSED_PAUSE_US (20 * USEC_PER_MSEC)

static int link_fd = -1;
static struct MessageWelcome welcome;
static bool welcome_unsent;
static bool replay_wanted; /* HELLO came: rows may be sent */
static bool replayed_unsent;
static bool intent_unsent;
static unsigned int note_cursor; /* the rows up to this one are not sent yet; 0: all are sent */
static unsigned int kept_cursor;
static uint32_t requests_unsent; /* 1 << RequestKind */
static uint64_t ping_unsent; /* a serial, or 0 */
static uint64_t n_sent; /* messages that are not pings */
static bool is_stuck; /* the socket is full or broken: nothing more is sent in this turn */
static bool is_full;
static uint64_t again_at_us = NEVER_US; /* retry after a failure other than EAGAIN */

static union {
	struct MessageHeader header;
	struct MessageSpawned spawned;
	struct MessageAdopted adopted;
} answer;
static size_t answer_size; /* 0: no answer waits */

/* Returns: whether @message was sent, with a copy of @fd (-1: none). */
static bool send_with_fd(const void *message, size_t size, int fd)
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
	if (sendmsg(link_fd, &m, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0) {
		n_sent++;
		return true;
	}
	/*
	 * If the socket is full, POLLOUT reports when there is room again. If it is broken, the
	 * link is about to end, and the next manager is sent everything.
	 */
	is_stuck = true;
	is_full = errno == EAGAIN;
	if (!is_full && errno != EPIPE && errno != ECONNRESET)
		/* no memory: the socket counts as writable all the time */
		again_at_us = keeper_now_us() + REFUSED_PAUSE_US;
	return false;
}

static bool send_plain(const void *message, size_t size)
{
	return send_with_fd(message, size, -1);
}

static void send_welcome(void)
{
	if (welcome_unsent && send_plain(&welcome, sizeof(welcome)))
		welcome_unsent = false;
}

static void send_answer(void)
{
	/* If no manager reads the answer any more, unread messages must not wait for it. */
	if (answer_size &&
	    (send_plain(&answer, answer_size) || (!is_full && again_at_us == NEVER_US)))
		answer_size = 0;
}

static void fill_id(struct ProcessId *id, const struct Child *child)
{
	/* it fits, because it came from a field of this size */
	(void)keeper_copy(id->service, sizeof(id->service), child->row.name);
	id->invocation = child->invocation;
	id->role = child->role;
}

static bool send_spawned(const struct Child *child)
{
	struct MessageSpawned m = {
		.header = { MESSAGE_SPAWNED, sizeof(m) },
		.pid = child->pid,
		.at_us = child->spawned_at_us,
	};

	fill_id(&m.id, child);
	return send_plain(&m, sizeof(m));
}

static bool send_exited(const struct Child *child)
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

	fill_id(&m.id, child);
	return send_plain(&m, sizeof(m));
}

static void send_children(void)
{
	struct Child *child;

	while (replay_wanted && !is_stuck && (child = children_first_unsent())) {
		if (!(child->flags & CHILD_SPAWN_UNSENT) && send_exited(child))
			child_set_sent(child, CHILD_EXIT_UNSENT);
		else if (child->flags & CHILD_SPAWN_UNSENT && send_spawned(child))
			child_set_sent(child, CHILD_SPAWN_UNSENT);
	}
}

static void send_notes(void)
{
	for (; note_cursor; note_cursor--) {
		struct MessageNote m = { .header = { MESSAGE_NOTE, sizeof(m) } };
		const char *service;
		const char *text = note_at(note_cursor, &service);

		if (!text)
			continue;
		(void)keeper_copy(m.service, sizeof(m.service), service);
		(void)keeper_copy(m.note, sizeof(m.note), text);
		if (!send_plain(&m, sizeof(m)))
			return;
	}
}

static void send_kept(void)
{
	for (; kept_cursor; kept_cursor--) {
		struct MessageKeep m = { .header = { MESSAGE_KEPT, sizeof(m) } };
		const char *name;
		const int fd = fd_store_at(kept_cursor, &name);

		if (fd < 0)
			continue;
		(void)keeper_copy(m.name, sizeof(m.name), name);
		if (!send_with_fd(&m, sizeof(m), fd))
			return;
	}
}

static void send_intent(void)
{
	struct MessageShutdown m = {
		.header = { MESSAGE_SHUTDOWN_INTENT, sizeof(m) },
		.kind = shutdown_kind(),
		.deadline_ms = shutdown_left_ms(keeper_now_us()),
	};

	if (intent_unsent && m.kind != SHUTDOWN_NONE && send_plain(&m, sizeof(m)))
		intent_unsent = false;
}

static void send_replayed(void)
{
	struct MessageReplayed m = {
		.header = { MESSAGE_REPLAYED, sizeof(m) },
		.n_children = children_count(),
		.n_notes = welcome.flags & WELCOME_WITHOUT_NOTES ? 0 : table_count(TABLE_NOTES),
		.n_fds = table_count(TABLE_FDS),
	};

	if (replayed_unsent && send_plain(&m, sizeof(m)))
		replayed_unsent = false;
}

static void send_requests(void)
{
	while (requests_unsent && replay_wanted) {
		struct MessageRequest m = {
			.header = { MESSAGE_REQUEST, sizeof(m) },
			.kind = (uint32_t)__builtin_ctz(requests_unsent),
		};

		if (!send_plain(&m, sizeof(m)))
			return;
		requests_unsent &= requests_unsent - 1;
	}
}

static void send_ping(void)
{
	struct MessagePing m = { .header = { MESSAGE_PING, sizeof(m) }, .serial = ping_unsent };

	if (!ping_unsent || !send_plain(&m, sizeof(m)))
		return;
	ping_unsent = 0;
	n_sent--;
}

/* A pong proves that everything before the ping was read, so the ping is the last stage. */
/* clang-format off */
static void (*const stages[])(void) = {
	send_welcome, send_answer,   send_children, send_notes, send_kept,
	send_intent,  send_replayed, send_requests, send_ping,
};
/* clang-format on */

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
	replay_wanted = replayed_unsent = intent_unsent = true;
	note_cursor = welcome.flags & WELCOME_WITHOUT_NOTES ? 0 : table_last(TABLE_NOTES);
	kept_cursor = table_last(TABLE_FDS);
}

void messages_end(void)
{
	link_fd = -1;
	welcome_unsent = replay_wanted = replayed_unsent = intent_unsent = is_full = false;
	note_cursor = kept_cursor = 0;
	ping_unsent = 0;
	answer_size = 0;
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
	if (link_fd < 0)
		/*
		 * the manager that sent the request is dead; the next one sees the row, or its
		 * absence
		 */
		return;
	answer_size = size < sizeof(answer) ? size : sizeof(answer);
	memcpy(&answer, message, answer_size);
	messages_flush();
}

bool messages_is_blocked(void)
{
	return answer_size != 0;
}

void messages_flush(void)
{
	is_full = is_stuck = false;
	again_at_us = NEVER_US;
	for (size_t i = 0; link_fd >= 0 && !is_stuck && i < N_ELEMENTS(stages); i++)
		stages[i]();
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

/* One datagram. The fields that a short datagram lacks are zero. */
static union {
	struct MessageHeader header;
	struct MessagePing ping;
	struct MessageSpawn spawn;
	struct MessageAck ack;
	struct MessageNote note;
	struct MessageSignal signal;
	struct MessageAdopt adopt;
	struct MessageKeep keep;
	struct MessageForget forget;
	struct MessageShutdown shutdown;
	char bytes[PROTOCOL_MESSAGE_BYTES];
} got;
static size_t got_size;
static int got_fds[MAX_FDS]; /* a handler that takes them sets n_got_fds to 0 */
static size_t n_got_fds;
/* an errno if the kernel dropped bytes (EMSGSIZE) or descriptors (EMFILE) */
static int got_cut;

static void on_pong(void)
{
	link_on_pong(got.ping.serial);
}

/* Returns: 0, or an errno. The row is made first, because no process may run without one. */
static int spawn_child(void)
{
	const struct MessageSpawn *m = &got.spawn;
	struct SpawnRequest *request = spawn_request_blank();
	int error = children_may_add(&m->id);
	struct Child *child;
	pid_t pid;

	if (!error)
		error = got_cut ? got_cut :
				  spawn_request_parse(&got, got_size, got_fds, n_got_fds, request);
	if (error)
		return error;
	child = children_begin(&m->id);
	if (!child)
		return ENFILE;
	request->ret_pid = &child->pid;
	pid = spawn_process(request);
	if (pid < 0) {
		error = errno;
		children_cancel(child);
		return error;
	}
	child_set_running(child, pid, keeper_now_us());
	/*
	 * close(2) cannot wait, because the child has copies and executes nothing until it is
	 * permitted to.
	 */
	while (n_got_fds > 0)
		(void)close(got_fds[--n_got_fds]);
	/* the child is not reaped yet, so no other process has its pid */
	(void)kill(pid, SPAWN_MAY_EXEC);
	if (m->note[0])
		/* on failure the service loses its history, not its process */
		(void)note_set(m->id.service, m->note);
	return 0;
}

static void on_spawn(void)
{
	struct MessageSpawned reply = {
		.header = { MESSAGE_SPAWNED, sizeof(reply) },
		.id = got.spawn.id,
		.error = spawn_child(),
		.at_us = keeper_now_us(),
	};

	if (reply.error)
		messages_answer(&reply, sizeof(reply));
}

static void on_ack(void)
{
	const struct MessageAck *m = &got.ack;
	const struct Child *child = children_find(&m->id);

	if (!child || !(child->flags & CHILD_EXITED))
		return;
	if (m->note[0])
		/* before the row is released; a note without an end is refused */
		(void)note_set(m->id.service, m->note);
	(void)children_release(&m->id); /* the row exists */
}

static void on_note(void)
{
	const struct MessageNote *m = &got.note;

	if (keeper_has_end(m->service, sizeof(m->service)) &&
	    note_set(m->service, m->note) == ENOSPC)
		console_log("%s: no room for its note: the next manager may not know its state",
			    m->service);
}

static void on_signal(void)
{
	const struct Child *child = children_find(&got.signal.id);

	if (child && !(child->flags & CHILD_EXITED))
		/*
		 * the child is not reaped yet, so no other process has its pid; an invalid signal
		 * number is the manager's fault
		 */
		(void)kill(child->pid, got.signal.signo);
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

static void on_adopt(void)
{
	const struct MessageAdopt *m = &got.adopt;
	struct MessageAdopted reply = {
		.header = { MESSAGE_ADOPTED, sizeof(reply) },
		.id = m->id,
		.pid = m->pid,
		.error = check_adoptable(&m->id, m->pid),
	};
	struct Child *child = reply.error ? NULL : children_add(&m->id, m->pid, keeper_now_us());

	if (child)
		/* ADOPTED reports the process; a later manager is sent SPAWNED */
		child_set_sent(child, CHILD_SPAWN_UNSENT);
	else if (!reply.error)
		reply.error = ENFILE;
	messages_answer(&reply, sizeof(reply));
}

static void on_keep(void)
{
	const char *name = got.keep.name;

	if (!keeper_has_end(name, sizeof(got.keep.name)))
		return;
	if (n_got_fds != 1 || got_cut) {
		console_log("the descriptor %s did not arrive, and is not kept: %s", name,
			    strerror(got_cut ? got_cut : EINVAL));
		return;
	}
	n_got_fds = 0; /* the store owns it */
	if (fd_store_keep(name, got_fds[0]) != 0)
		console_log("no room to keep the descriptor %s", name);
}

static void on_forget(void)
{
	if (!keeper_has_end(got.forget.name, sizeof(got.forget.name)))
		return;
	if (got.forget.flags & FORGET_ENDED)
		fd_store_close_ended(got.forget.name);
	else
		fd_store_forget(got.forget.name);
}

/* The manager keeps copies until it has sent the next DISPOSE, which has no descriptors. */
static void on_dispose(void)
{
	if (n_got_fds == 0)
		disposal_release();
	while (n_got_fds > 0)
		disposal_hold(got_fds[--n_got_fds]);
}

static void on_shutdown(void)
{
	shutdown_begin(got.shutdown.kind, got.shutdown.deadline_ms, keeper_now_us());
}

static void on_finale(void)
{
	const uint32_t kind = got.shutdown.kind;

	link_kill();
	finale_run(kind <= SHUTDOWN_EXIT ? (enum ShutdownKind)kind : SHUTDOWN_POWEROFF,
		   "all services have stopped");
}

static const struct {
	enum MessageType type;
	size_t min_size;
	void (*carry_out)(void);
} message_handlers[] = {
	{ MESSAGE_HELLO, sizeof(struct MessageHello), link_on_hello },
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
	{ MESSAGE_REEXEC, sizeof(struct MessageReexec), link_reexec },
	{ MESSAGE_DISPOSE, sizeof(struct MessageDispose), on_dispose },
};

/* Returns: as recvmsg(2). */
static ssize_t receive(int fd)
{
	static union {
		char space[CMSG_SPACE(MAX_FDS * sizeof(int))];
		struct cmsghdr align;
	} control;
	struct iovec part = { .iov_base = &got, .iov_len = sizeof(got) };
	struct msghdr m = {
		.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = control.space,
		.msg_controllen = sizeof(control.space),
	};
	const ssize_t n = recvmsg(fd, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

	if (n < 0)
		return n;
	got_size = (size_t)n;
	if (got_size < sizeof(got.spawn)) /* the longest message of a fixed size */
		memset(got.bytes + got_size, 0, sizeof(got.spawn) - got_size);
	got_cut = m.msg_flags & MSG_TRUNC ? EMSGSIZE : 0;
	if (m.msg_flags & MSG_CTRUNC)
		/* there is room for the descriptors of any message, so our own table was full */
		got_cut = EMFILE;
	n_got_fds = 0;
	for (struct cmsghdr *c = CMSG_FIRSTHDR(&m); c; c = CMSG_NXTHDR(&m, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		n_got_fds = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		memcpy(got_fds, CMSG_DATA(c), n_got_fds * sizeof(int));
	}
	return n;
}

static void carry_out(void)
{
	for (size_t i = 0; i < N_ELEMENTS(message_handlers); i++)
		if (got.header.type == (uint32_t)message_handlers[i].type &&
		    got_size >= message_handlers[i].min_size)
			message_handlers[i].carry_out();
	while (n_got_fds > 0)
		/* these came with a message that was refused or is unknown */
		disposal_add(got_fds[--n_got_fds]);
}

enum MessagesResult messages_read(int fd, unsigned int max)
{
	for (unsigned int i = 0; i < max; i++) {
		ssize_t n;

		if (messages_is_blocked())
			return MESSAGES_EMPTY;
		n = receive(fd);
		if (n < 0 && (errno == EAGAIN || errno == ENOMEM || errno == ENOBUFS))
			/* without memory the message is still in the socket */
			return MESSAGES_EMPTY;
		/*
		 * ECONNRESET: the manager died with unread data; its earlier messages can still be
		 * read. EINTR is impossible with all signals blocked; if it were taken as the end,
		 * messages would be lost.
		 */
		if (n < 0 && (errno == EINTR || errno == ECONNRESET))
			continue;
		if (n < 0)
			return MESSAGES_END;
		carry_out();
		/*
		 * the end, or an empty datagram, which no manager sends; its descriptors have been
		 * closed
		 */
		if (n == 0)
			return MESSAGES_END;
	}
	return MESSAGES_MORE;
}
