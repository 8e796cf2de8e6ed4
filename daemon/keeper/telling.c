/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Telling: the keeper's half of the link, as a list of stages in the order in which they must be told.
 */
#include "config.h"

#include "keeper/telling.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "keeper/children.h"
#include "keeper/console.h"
#include "keeper/fd-store.h"
#include "keeper/keeper.h"
#include "keeper/shutdown.h"

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

void telling_begin(int fd, const struct MessageWelcome *w)
{
	telling_end();
	link_fd = fd;
	welcome = *w;
	welcome_untold = true;
}

void telling_replay(void)
{
	children_forget_told();
	replay_wanted = true;
	replayed_untold = true;
	intent_untold = true;
	note_cursor = welcome.flags & WELCOME_WITHOUT_NOTES ? 0 : table_last(TABLE_NOTES);
	kept_cursor = table_last(TABLE_FDS);
}

void telling_end(void)
{
	link_fd = -1;
	welcome_untold = replay_wanted = replayed_untold = intent_untold = false;
	note_cursor = kept_cursor = 0;
	ping_untold = 0;
	answer_size = 0;
	is_full = false;
}

void telling_request(enum RequestKind kind)
{
	requests_untold |= 1u << kind;
}

bool telling_is_requested(enum RequestKind kind)
{
	return requests_untold & 1u << kind;
}

void telling_ping(uint64_t serial)
{
	ping_untold = serial;
}

uint64_t telling_count(void)
{
	return n_told;
}

void telling_answer(const void *message, size_t size)
{
	memcpy(&answer, message, size < sizeof(answer) ? size : sizeof(answer));
	answer_size = size;
	if (link_fd < 0)
		answer_size = 0; /* the asker is dead; the next manager sees the row, or that there is none */
	telling_flush();
}

bool telling_is_blocked(void)
{
	return answer_size != 0;
}

void telling_flush(void)
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

bool telling_wants_to_write(void)
{
	return link_fd >= 0 && is_full;
}

uint64_t telling_next_us(void)
{
	return link_fd >= 0 ? again_at_us : NEVER_US;
}
