/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Link messages: what the manager is told, as a list of stages in their order; and one handler for each type of message that it sends. A message
 * that is too short, of unknown type or impossible is ignored or refused; no input from the manager can end PID 1.
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
	PROGRESS_NONE, /* nothing (more) to tell in this stage */
	PROGRESS_TOLD,
	PROGRESS_FULL, /* the socket is full, or broken */
};

static int link_fd = -1;
static struct MessageWelcome welcome;
static bool welcome_untold;
static bool replay_wanted; /* hello came: rows may be told */
static bool replayed_untold;
static bool intent_untold;
static unsigned int note_cursor; /* rows above it are untold; 0: all are told */
static unsigned int kept_cursor;
static uint32_t requests_untold; /* 1 << RequestKind */
static uint64_t ping_untold;     /* a serial, or 0 */
static uint64_t n_told;          /* messages that are no pings */
static bool is_full;
static uint64_t again_at_us = NEVER_US; /* it was refused for another reason */

static union {
	struct MessageHeader header;
	struct MessageSpawned spawned;
	struct MessageAdopted adopted;
} answer;
static size_t answer_size; /* 0: none waits */

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
		return PROGRESS_TOLD;
	/* Full: POLLOUT will say when. Broken: its end is near, and the next manager is told everything. */
	is_full = errno == EAGAIN;
	if (!is_full && errno != EPIPE && errno != ECONNRESET)
		again_at_us = keeper_now_us() + REFUSED_PAUSE_US; /* no memory: it is writable all the time */
	return PROGRESS_FULL;
}

static enum Progress send_plain(const void *message, size_t size)
{
	return send_with_fd(message, size, -1);
}

static enum Progress tell_welcome(void)
{
	enum Progress p = PROGRESS_NONE;

	if (welcome_untold)
		p = send_plain(&welcome, sizeof(welcome));
	if (p == PROGRESS_TOLD)
		welcome_untold = false;
	return p;
}

static enum Progress tell_answer(void)
{
	enum Progress p = PROGRESS_NONE;

	if (answer_size)
		p = send_plain(&answer, answer_size);
	/* Told, or nobody hears it any more: but what is still to be read must not wait for that. */
	if (p == PROGRESS_TOLD || (!is_full && again_at_us == NEVER_US))
		answer_size = 0;
	return p;
}

static void fill_id(struct ProcessId *id, const struct Child *child)
{
	(void)keeper_copy(id->service, sizeof(id->service), child->row.name); /* it came out of such a field */
	id->invocation = child->invocation;
	id->role = child->role;
}

static enum Progress tell_spawned(struct Child *child)
{
	struct MessageSpawned m = {
		.header = { MESSAGE_SPAWNED, sizeof(m) },
		.pid = child->pid,
		.at_us = child->spawned_at_us,
	};
	enum Progress p;

	fill_id(&m.id, child);
	p = send_plain(&m, sizeof(m));
	if (p == PROGRESS_TOLD)
		child_set_told(child, CHILD_SPAWN_UNTOLD);
	return p;
}

static enum Progress tell_exited(struct Child *child)
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
	if (p == PROGRESS_TOLD)
		child_set_told(child, CHILD_EXIT_UNTOLD);
	return p;
}

static enum Progress tell_child(void)
{
	struct Child *child = replay_wanted ? children_first_untold() : NULL;

	if (!child)
		return PROGRESS_NONE;
	return child->flags & CHILD_SPAWN_UNTOLD ? tell_spawned(child) : tell_exited(child);
}

static enum Progress tell_note(void)
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
	if (p == PROGRESS_TOLD)
		note_cursor--;
	return p;
}

static enum Progress tell_kept(void)
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
	if (p == PROGRESS_TOLD)
		kept_cursor--;
	return p;
}

static enum Progress tell_intent(void)
{
	struct MessageShutdown m = { .header = { MESSAGE_SHUTDOWN_INTENT, sizeof(m) } };
	enum Progress p;

	m.kind = shutdown_kind();
	m.deadline_ms = shutdown_left_ms(keeper_now_us());
	if (!intent_untold || m.kind == SHUTDOWN_NONE)
		return PROGRESS_NONE;
	p = send_plain(&m, sizeof(m));
	if (p == PROGRESS_TOLD)
		intent_untold = false;
	return p;
}

static enum Progress tell_replayed(void)
{
	struct MessageReplayed m = {
		.header = { MESSAGE_REPLAYED, sizeof(m) },
		.n_children = children_count(),
		.n_notes = welcome.flags & WELCOME_WITHOUT_NOTES ? 0 : table_count(TABLE_NOTES),
		.n_fds = table_count(TABLE_FDS),
	};
	enum Progress p = PROGRESS_NONE;

	if (replayed_untold)
		p = send_plain(&m, sizeof(m));
	if (p == PROGRESS_TOLD)
		replayed_untold = false;
	return p;
}

static enum Progress tell_request(void)
{
	struct MessageRequest m = { .header = { MESSAGE_REQUEST, sizeof(m) } };
	enum Progress p;

	if (!requests_untold || !replay_wanted)
		return PROGRESS_NONE;
	m.kind = (uint32_t)__builtin_ctz(requests_untold);
	p = send_plain(&m, sizeof(m));
	if (p == PROGRESS_TOLD)
		requests_untold &= requests_untold - 1;
	return p;
}

static enum Progress tell_ping(void)
{
	struct MessagePing m = { .header = { MESSAGE_PING, sizeof(m) }, .serial = ping_untold };
	enum Progress p = PROGRESS_NONE;

	if (ping_untold)
		p = send_plain(&m, sizeof(m));
	if (p == PROGRESS_TOLD)
		ping_untold = 0;
	return p;
}

/* A ping comes last: who answers it has read all that was told before. */
static enum Progress (*const stages[])(void) = {
	tell_welcome, tell_answer,   tell_child,   tell_note, tell_kept,
	tell_intent,  tell_replayed, tell_request, tell_ping,
};

void messages_begin(int fd, const struct MessageWelcome *w)
{
	messages_end();
	link_fd = fd;
	welcome = *w;
	welcome_untold = true;
}

void messages_replay(void)
{
	children_forget_told();
	replay_wanted = true;
	replayed_untold = true;
	intent_untold = true;
	note_cursor = welcome.flags & WELCOME_WITHOUT_NOTES ? 0 : table_last(TABLE_NOTES);
	kept_cursor = table_last(TABLE_FDS);
}

void messages_end(void)
{
	link_fd = -1;
	welcome_untold = replay_wanted = replayed_untold = intent_untold = false;
	note_cursor = kept_cursor = 0;
	ping_untold = 0;
	answer_size = 0;
	is_full = false;
}

void messages_request(enum RequestKind kind)
{
	requests_untold |= 1u << kind;
}

bool messages_is_requested(enum RequestKind kind)
{
	return requests_untold & 1u << kind;
}

void messages_ping(uint64_t serial)
{
	ping_untold = serial;
}

uint64_t messages_count(void)
{
	return n_told;
}

void messages_answer(const void *message, size_t size)
{
	memcpy(&answer, message, size < sizeof(answer) ? size : sizeof(answer));
	answer_size = size;
	if (link_fd < 0)
		answer_size = 0; /* the asker is dead; the next manager sees the row, or that there is none */
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

		while ((p = stages[i]()) == PROGRESS_TOLD)
			n_told += stages[i] != tell_ping;
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

/* The longest message of a fixed size; only SPAWN has more after it. */
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
	const char *message; /* all of it, in the datagram */
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

/* Not by disposal: the child has copies, and executes nothing before it is permitted to. */
static void close_spawned(struct Received *r, pid_t pid)
{
	for (size_t i = 0; i < r->n_fds; i++)
		(void)close(r->fds[i]); /* the child has a copy */
	r->n_fds = 0;
	(void)kill(pid, SPAWN_MAY_EXEC); /* unreaped */
}

/* The row comes first: nothing may run that there is no room to know of. */
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
		(void)note_set(m->id.service, m->note); /* first; a note without an end is not stored */
	(void)children_release(&m->id); /* it is there */
}

static void on_note(struct Received *r)
{
	const struct MessageNote *m = &r->fixed.note;

	if (field_has_end(m->service, sizeof(m->service)) && note_set(m->service, m->note) == ENOSPC)
		say("%s: no room for its note", m->service);
}

static void on_signal(struct Received *r)
{
	const struct MessageSignal *m = &r->fixed.signal;
	const struct Child *child = children_find(&m->id);

	if (child && !(child->flags & CHILD_EXITED))
		(void)kill(child->pid, m->signo); /* unreaped, so the pid is its own; a bad number is the manager's fault */
}

/* Is @pid a child of ours that is nobody's row? */
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
			child_set_told(child, CHILD_SPAWN_UNTOLD); /* ADOPTED says it; a next manager hears SPAWNED */
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
		say("the descriptor %s did not arrive, and is not kept: %s", m->name, strerror(r->cut ? r->cut : EINVAL));
		return;
	}
	if (fd_store_keep(m->name, r->fds[0]) != 0)
		say("no room to keep the descriptor %s", m->name);
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

/* The manager still has its copies of them until it sends the next one, which has none. */
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
	say("%.*s", (int)strnlen(r->fixed.say.text, sizeof(r->fixed.say.text)), r->fixed.say.text);
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

/* @datagram: PROTOCOL_MESSAGE_BYTES. Returns: as recvmsg(2). */
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
		r->cut = EMFILE; /* there is room for more than any message has: none was left in our table */
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
		disposal_add(r->fds[i]); /* refused, or of a message that is not known */
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
			continue; /* cannot be, with all signals blocked; as the end of the link it would lose what is in there */
		if (n < 0 && errno == ECONNRESET)
			continue; /* it died with something unread; what it sent before is still to be had */
		if (n < 0 && errno == EAGAIN)
			return MESSAGES_EMPTY;
		if (n < 0 && (errno == ENOMEM || errno == ENOBUFS))
			return MESSAGES_EMPTY; /* it is still in there */
		if (n < 0)
			return MESSAGES_END;
		carry_out(&r);
		if (n == 0) /* the end; or a datagram without a byte, which nobody sends, and what came with it has been closed */
			return MESSAGES_END;
	}
	return MESSAGES_MORE;
}
