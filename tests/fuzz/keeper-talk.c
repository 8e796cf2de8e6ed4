/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keeper talk: see keeper-talk.h.
 */
#include "config.h"

#include "tests/fuzz/keeper-talk.h"

#include <glib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/fuzz/datagram.h"
#include "tests/fuzz/keeper-holdings.h"
#include "tests/fuzz/keeper-world.h"

#define SHORT_OF_A_POOL 63 /* a note with one more byte is stored as a long one */

int talk_fds[TALK_FDS];

static uint64_t last_serial; /* of the newest ping */

/* --- messages from the manager --- */

typedef struct Datagram {
	char bytes[PROTOCOL_MESSAGE_BYTES + 256];
	size_t size;
	int fds[DATAGRAM_MOST_FDS];
	size_t n_fds;
} Datagram;

static void put(Datagram *d, const void *bytes, size_t size)
{
	if (d->size + size > PROTOCOL_MESSAGE_BYTES)
		return;
	memcpy(d->bytes + d->size, bytes, size);
	d->size += size;
}

static void put_fds(Datagram *d, Input *in, size_t n)
{
	for (; n > 0 && d->n_fds < DATAGRAM_MOST_FDS; n--) {
		const uint8_t which = input_take(in);

		d->fds[d->n_fds++] = which == 0xff && world.link_fd >= 0 ?
					     world.link_fd :
					     talk_fds[which % G_N_ELEMENTS(talk_fds)];
	}
}

/* Mostly the id of an existing row. */
static void fill_id(Input *in, struct ProcessId *id)
{
	const uint8_t choice = input_take(in);
	struct Child *child = NULL;

	for (unsigned int n = choice % 64;
	     choice >= 0x60 && children_count() > 0 && n <= choice % 64; n--)
		child = children_next(child);
	if (child) {
		HeldRow row;

		holdings_row(&row, child);
		*id = row.id;
		return;
	}
	holdings_put_name(id->service, sizeof(id->service), choice);
	id->role = choice >= 0xf0 ? input_take32(in) : choice >> 4 & 3;
	id->invocation = input_take(in) & 3;
}

static void fill_note(Input *in, char *note)
{
	static const uint8_t lengths[] = { 0,   1,   20, SHORT_OF_A_POOL, SHORT_OF_A_POOL + 1,
					   126, 127, 128 };
	const uint8_t length = lengths[input_take(in) % G_N_ELEMENTS(lengths)];

	memset(note, 'n', length);
}

static void fill_spawn(Input *in, struct MessageSpawn *m, uint8_t deviation)
{
	fill_id(in, &m->id);
	fill_note(in, m->note);
	m->flags = (uint32_t)input_take(in) | (uint32_t)(input_take(in) & 3) << 8;
	m->n_groups = input_take(in) % 8 == 0 ? input_take32(in) : 0;
	m->n_rlimits = input_take(in) % 8 == 0 ? input_take32(in) : 0;
	m->n_inherited = input_take(in) % 4 == 0 ? input_take32(in) : 0;
	m->argc = deviation == 1 ? input_take32(in) : 1u + input_take(in) % 3u;
	m->envc = deviation == 2 ? input_take32(in) : input_take(in) % 3u;
}

static void put_spawn(Datagram *d, Input *in)
{
	static const char *const tokens[] = { "/bin/x", "", "x", "A=b" };
	const uint8_t deviation = input_take(in) % 16;
	struct MessageSpawn m = { .header = { .type = MESSAGE_SPAWN } };
	const size_t start = d->size;
	size_t n_fds;

	fill_spawn(in, &m, deviation);
	put(d, &m, sizeof(m));
	for (uint32_t i = 0; i < m.n_groups && i < 80; i++)
		put(d, &i, sizeof(i));
	for (uint32_t i = 0; i < m.n_rlimits && i < 20; i++)
		put(d, &(struct SpawnRlimit){ .resource = i }, sizeof(struct SpawnRlimit));
	if (m.flags & SPAWN_SET_DIRECTORY)
		put(d, "/", 2);
	for (uint32_t i = 0; i < m.argc + m.envc && i < 4000; i++) {
		const char *token =
			tokens[i == 0 && deviation != 3 ? 0 :
							  (i + deviation) % G_N_ELEMENTS(tokens)];

		put(d, token, strlen(token) + 1);
	}
	n_fds = (m.flags & SPAWN_STDIO ? 3u : 0u) + (m.flags & SPAWN_CGROUP ? 1u : 0u) +
		(m.flags & SPAWN_STATUS ? 1u : 0u) + m.n_inherited;
	put_fds(d, in, deviation == 4 ? input_take(in) % DATAGRAM_MOST_FDS : n_fds);
	((struct MessageHeader *)(void *)(d->bytes + start))->size = (uint32_t)(d->size - start);
}

static void put_ack(Datagram *d, Input *in)
{
	struct MessageAck m = { .header = { MESSAGE_ACK, sizeof(m) } };

	fill_id(in, &m.id);
	fill_note(in, m.note);
	holdings_mark_released(m.id.service, sizeof(m.id.service));
	put(d, &m, sizeof(m));
}

static void put_note(Datagram *d, Input *in)
{
	struct MessageNote m = { .header = { MESSAGE_NOTE, sizeof(m) } };

	holdings_put_name(m.service, sizeof(m.service), input_take(in));
	fill_note(in, m.note);
	if (!m.note[0])
		holdings_mark_forgotten(m.service, sizeof(m.service));
	put(d, &m, sizeof(m));
}

static void put_signal(Datagram *d, Input *in)
{
	struct MessageSignal m = { .header = { MESSAGE_SIGNAL, sizeof(m) } };

	fill_id(in, &m.id);
	m.signo = (int32_t)input_take32(in);
	put(d, &m, sizeof(m));
}

static pid_t some_pid(uint8_t choice)
{
	static const pid_t others[] = { 0, 1, -1, 999, INT32_MIN, INT32_MAX };
	const struct WorldProcess *process = world_pick(choice % 4 == 1 ? WORLD_SERVICE :
							choice % 4 == 2 ? WORLD_MANAGER :
									  WORLD_ORPHAN,
							choice >> 2);

	return process && choice < 0xf0 ? process->pid : others[choice % G_N_ELEMENTS(others)];
}

static void put_adopt(Datagram *d, Input *in)
{
	struct MessageAdopt m = { .header = { MESSAGE_ADOPT, sizeof(m) } };

	fill_id(in, &m.id);
	m.pid = some_pid(input_take(in));
	put(d, &m, sizeof(m));
}

static void put_keep(Datagram *d, Input *in)
{
	struct MessageKeep m = { .header = { MESSAGE_KEEP, sizeof(m) } };
	const uint8_t choice = input_take(in);

	holdings_put_name(m.name, sizeof(m.name), choice);
	put(d, &m, sizeof(m));
	put_fds(d, in, choice >= 0xf0 ? input_take(in) % 4 : 1);
}

static void put_forget(Datagram *d, Input *in)
{
	struct MessageForget m = { .header = { MESSAGE_FORGET, sizeof(m) } };
	const uint8_t choice = input_take(in);

	m.flags = choice >= 0x80 ? FORGET_ENDED : 0;
	holdings_put_name(m.name, sizeof(m.name), choice);
	holdings_mark_forgotten(m.name, sizeof(m.name));
	put(d, &m, sizeof(m));
}

static void put_shutdown(Datagram *d, Input *in)
{
	struct MessageShutdown m = { .header = { MESSAGE_SHUTDOWN, sizeof(m) } };

	m.kind = input_take32(in);
	m.deadline_ms = input_take32(in);
	put(d, &m, sizeof(m));
}

static void put_finale(Datagram *d, Input *in)
{
	struct MessageShutdown m = { .header = { MESSAGE_FINALE, sizeof(m) } };

	m.kind = input_take32(in);
	if (input_take(in) == 0xee) /* it ends the run, so it is sent rarely */
		put(d, &m, sizeof(m));
}

static void put_reexec(Datagram *d, Input *in)
{
	const struct MessageReexec m = { .header = { MESSAGE_REEXEC, sizeof(m) } };

	put(d, &m, sizeof(m));
}

static void put_hello(Datagram *d, Input *in)
{
	const struct MessageHello m = { .header = { MESSAGE_HELLO, sizeof(m) },
					.version = input_take32(in) };

	put(d, &m, sizeof(m));
}

static void put_pong(Datagram *d, Input *in)
{
	const struct MessagePing m = { .header = { MESSAGE_PONG, sizeof(m) },
				       .serial = input_take(in) < 0xf0 ? last_serial :
									 input_take32(in) };

	put(d, &m, sizeof(m));
}

static void put_anything(Datagram *d, Input *in)
{
	size_t n = input_take(in) % 64;
	char bytes[64];

	for (size_t i = 0; i < n; i++)
		bytes[i] = (char)input_take(in);
	put(d, bytes, n);
	put_fds(d, in, input_take(in) % 4);
}

static void (*const messages[])(Datagram *d, Input *in) = {
	put_spawn,  put_spawn,    put_spawn,  put_ack,    put_ack,      put_note,     put_note,
	put_signal, put_adopt,    put_keep,   put_keep,   put_forget,   put_hello,    put_pong,
	put_pong,   put_shutdown, put_finale, put_reexec, put_anything, put_anything,
};

static void put_message(Datagram *d, Input *in)
{
	messages[input_take(in) % G_N_ELEMENTS(messages)](d, in);
}

static void damage(Datagram *d, Input *in)
{
	const uint8_t choice = input_take(in);

	if (choice < 0xc0 || d->size == 0)
		return;
	for (int n = choice % 4; n > 0; n--) {
		const size_t at = ((size_t)input_take(in) << 8 | input_take(in)) % d->size;

		d->bytes[at] = (char)input_take(in);
	}
	if (choice % 8 == 7)
		d->size = ((size_t)input_take(in) << 8 | input_take(in)) % d->size;
	holdings_mark_names_in(d->bytes, d->size);
}

static void send_datagram(const Datagram *d)
{
	if (world.link_fd >= 0)
		/* full: not sent */
		(void)datagram_send(world.link_fd, d->bytes, d->size, d->fds, d->n_fds);
}

void talk_send_one(Input *in)
{
	static Datagram d;

	d.size = d.n_fds = 0;
	put_message(&d, in);
	damage(&d, in);
	send_datagram(&d);
}

void talk_send_many(Input *in)
{
	for (int n = input_take(in); n > 0 && in->left > 0; n--)
		talk_send_one(in);
}

/* --- messages to the manager --- */

static TalkReceived reported;

typedef union Received {
	struct MessageHeader header;
	struct MessageWelcome welcome;
	struct MessagePing ping;
	struct MessageSpawned spawned;
	struct MessageExited exited;
	struct MessageNote note;
	struct MessageKeep kept;
	struct MessageReplayed replayed;
	char bytes[PROTOCOL_MESSAGE_BYTES];
} Received;

static void on_received(const Received *m)
{
	switch (m->header.type) {
	case MESSAGE_WELCOME:
		reported = (TalkReceived){ .welcome = m->welcome };
		break;
	case MESSAGE_PING:
		last_serial = m->ping.serial;
		break;
	case MESSAGE_SPAWNED:
		g_assert(m->spawned.error >= 0 &&
			 strnlen(m->spawned.id.service, PROTOCOL_NAME_BYTES) <=
				 PROTOCOL_NAME_BYTES);
		reported.n_spawned += m->spawned.error == 0;
		break;
	case MESSAGE_EXITED:
		g_assert(process_id_is_valid(&m->exited.id));
		reported.n_exited++;
		break;
	case MESSAGE_NOTE:
		g_assert(m->note.service[0] && m->note.note[0]);
		reported.n_notes++;
		break;
	case MESSAGE_KEPT:
		g_assert(m->kept.name[0]);
		reported.n_kept++;
		break;
	case MESSAGE_REPLAYED:
		reported.replayed = m->replayed;
		reported.has_replayed = true;
		break;
	default:
		g_assert(m->header.type > MESSAGE_WELCOME &&
			 m->header.type <= MESSAGE_SHUTDOWN_INTENT);
		break;
	}
}

/* Returns: false if there is none. */
static bool receive_one(void)
{
	union {
		struct cmsghdr align;
		char space[CMSG_SPACE(4 * sizeof(int))];
	} control;
	static Received received;
	struct iovec part = { .iov_base = &received, .iov_len = sizeof(received) };
	struct msghdr m = { .msg_iov = &part,
			    .msg_iovlen = 1,
			    .msg_control = control.space,
			    .msg_controllen = sizeof(control.space) };
	ssize_t n = world.link_fd >= 0 ?
			    recvmsg(world.link_fd, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) :
			    0;
	struct cmsghdr *c = n > 0 ? CMSG_FIRSTHDR(&m) : NULL;

	if (n <= 0)
		return false;
	g_assert(n >= (ssize_t)sizeof(received.header) && received.header.size == (size_t)n);
	g_assert((c != NULL) == (received.header.type == MESSAGE_KEPT) || m.msg_flags & MSG_CTRUNC);
	if (c) {
		int fd;

		memcpy(&fd, CMSG_DATA(c), sizeof(fd));
		(void)close(fd); /* the manager's copy */
	}
	on_received(&received);
	return true;
}

void talk_receive_some(Input *in)
{
	for (int n = input_take(in) % 16; n > 0 && receive_one(); n--)
		;
}

void talk_receive_all(void)
{
	while (receive_one())
		;
}

const TalkReceived *talk_received(void)
{
	return &reported;
}

void talk_read_and_send_hello(Input *in)
{
	Datagram d = { .size = 0 };

	talk_receive_all();
	put_hello(&d, in);
	send_datagram(&d);
}
