/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzz target: PID 1's messages to the manager, any bytes, with descriptors. The texts of each
 * accepted message have an end, and no descriptor is lost. The messages that the manager sends
 * meanwhile are complete: each has the length in its header.
 *
 * The input is a list of actions: a byte that selects one, and its arguments.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "process/keeper-link.h"
#include "tests/fuzz/datagram.h"
#include "tests/fuzz/input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MOST_FDS 3
#define FILLER_BYTES (PROTOCOL_MESSAGE_BYTES + 64)

typedef struct Target {
	Input input;
	KeeperLink *link;
	int keeper_fd;
	bool is_closed;
} Target;

static uint8_t take(Target *t)
{
	return input_take(&t->input);
}

/* --- received messages --- */

static void check_id(const struct ProcessId *id)
{
	g_assert(memchr(id->service, '\0', sizeof id->service));
}

static void on_welcome(void *data, const struct MessageWelcome *m)
{
	(void)data;
	g_assert(memchr(m->cgroup_root, '\0', sizeof m->cgroup_root));
	g_assert(memchr(m->virtualization, '\0', sizeof m->virtualization));
}

static void on_spawned(void *data, const struct MessageSpawned *m)
{
	(void)data;
	check_id(&m->id);
}

static void on_exited(void *data, const struct MessageExited *m)
{
	(void)data;
	check_id(&m->id);
}

static void on_adopted(void *data, const struct MessageAdopted *m)
{
	(void)data;
	check_id(&m->id);
}

static void on_note(void *data, const struct MessageNote *m)
{
	(void)data;
	g_assert(memchr(m->service, '\0', sizeof m->service) &&
		 memchr(m->note, '\0', sizeof m->note));
}

static void on_kept(void *data, const char *name, int fd)
{
	(void)data;
	g_assert(strlen(name) < PROTOCOL_KEEP_NAME_BYTES);
	g_assert(fcntl(fd, F_GETFD) == FD_CLOEXEC);
	(void)close(fd);
}

static void on_intent(void *data, const struct MessageShutdown *m)
{
	const Target *t = data;

	g_assert(!t->is_closed && m->header.type == MESSAGE_SHUTDOWN_INTENT);
}

static void on_replayed(void *data, const struct MessageReplayed *m)
{
	const Target *t = data;

	g_assert(!t->is_closed && m->header.type == MESSAGE_REPLAYED);
}

static void on_request(void *data, enum RequestKind kind)
{
	const Target *t = data;

	(void)kind;
	g_assert(!t->is_closed);
}

static void on_closed(void *data)
{
	Target *t = data;

	g_assert(!t->is_closed); /* reported once */
	t->is_closed = true;
}

static const KeeperListener listener = {
	.welcome = on_welcome,
	.spawned = on_spawned,
	.exited = on_exited,
	.adopted = on_adopted,
	.note = on_note,
	.kept = on_kept,
	.shutdown_intent = on_intent,
	.replayed = on_replayed,
	.request = on_request,
	.closed = on_closed,
};

/* --- sent messages --- */

static void check_message(const char *bytes, size_t size)
{
	struct MessageHeader header;

	g_assert(size >= sizeof header);
	memcpy(&header, bytes, sizeof header);
	g_assert(header.size == size && header.type >= MESSAGE_HELLO &&
		 header.type < MESSAGE_WELCOME);
}

static void close_all(struct msghdr *m)
{
	const struct cmsghdr *c = CMSG_FIRSTHDR(m);
	const size_t n = c ? (c->cmsg_len - CMSG_LEN(0)) / sizeof(int) : 0;

	for (size_t i = 0; i < n; i++) {
		int fd;

		memcpy(&fd, CMSG_DATA(c) + i * sizeof fd, sizeof fd);
		(void)close(fd);
	}
}

/* Returns: false if there is no message. */
static bool receive_one(const Target *t)
{
	union {
		struct cmsghdr align;
		char space[CMSG_SPACE(sizeof(int) * PROTOCOL_MAX_FDS)];
	} control;
	static char bytes[FILLER_BYTES];
	struct iovec part = { .iov_base = bytes, .iov_len = sizeof bytes };
	struct msghdr m = { .msg_iov = &part,
			    .msg_iovlen = 1,
			    .msg_control = control.space,
			    .msg_controllen = sizeof control.space };
	const ssize_t n = recvmsg(t->keeper_fd, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

	if (n <= 0)
		return false;
	g_assert((size_t)n <= PROTOCOL_MESSAGE_BYTES);
	close_all(&m);
	check_message(bytes, (size_t)n);
	return true;
}

/*
 * Runs until nothing is left to do. If the keeper has closed the link, the manager exits, and does
 * not spin.
 */
static void turn(const Target *t)
{
	while (!t->is_closed && g_main_context_iteration(NULL, FALSE))
		;
}

/* --- actions --- */

static void keeper_sends(Target *t, const char *bytes, size_t size, unsigned n_fds)
{
	const int fds[MOST_FDS] = { 0 };

	if (t->keeper_fd >= 0 && size > 0)
		(void)datagram_send(t->keeper_fd, bytes, size, fds, n_fds); /* full: not sent */
}

/* A header, followed by repeated bytes of the input. */
static void keeper_sends_something(Target *t)
{
	static const uint16_t sizes[] = { sizeof(struct MessageWelcome),
					  sizeof(struct MessagePing),
					  sizeof(struct MessageSpawned),
					  sizeof(struct MessageExited),
					  sizeof(struct MessageNote),
					  sizeof(struct MessageKeep),
					  sizeof(struct MessageAdopted),
					  sizeof(struct MessageReplayed),
					  16384,
					  1 };
	static char bytes[FILLER_BYTES];
	struct MessageHeader header = { .type = 30 + take(t) % 16u };
	const size_t size = (size_t)sizes[take(t) % G_N_ELEMENTS(sizes)] + take(t) % 16u;
	const unsigned n_fds =
		take(t) % 8u == 0 || header.type == MESSAGE_KEPT ? take(t) % (MOST_FDS + 1u) : 0;
	const uint8_t pattern[4] = { take(t), take(t), take(t), take(t) };

	for (size_t i = 0; i < size; i++)
		bytes[i] = (char)pattern[i % 4];
	header.size = (uint32_t)size;
	memcpy(bytes, &header, sizeof header);
	keeper_sends(t, bytes, size, n_fds);
}

static void keeper_sends_anything(Target *t)
{
	const unsigned n_fds = take(t) % 2u;
	const size_t wanted = take(t);
	const size_t size = MIN(wanted, t->input.left);

	keeper_sends(t, (const char *)t->input.bytes, size, n_fds);
	t->input.bytes += size;
	t->input.left -= size;
}

static void manager_spawns(Target *t)
{
	static const char *const tokens[] = { "/bin/x", "a", "b", NULL };
	const int fds[PROTOCOL_MAX_FDS + 8] = { 0 };
	g_autofree char *large = g_strnfill(take(t) * 100u, 'x');
	const char *const environment[] = { "A=b", large, NULL };
	const SpawnParameters r = {
		.service = "a",
		.role = ROLE_MAIN,
		.invocation = 1,
		.note = "v=1",
		.argv = tokens,
		.environment = environment,
		.stdin_fd = take(t) % 2 - 1,
		.cgroup_fd = take(t) % 2 - 1,
		.status_fd = take(t) % 2 - 1,
		.inherited = fds,
		.n_inherited = take(t) % 72u,
	};
	g_autoptr(GError) error = NULL;

	g_assert(keeper_link_spawn(t->link, &r, &error) == (error == NULL));
}

static void manager_sends(Target *t)
{
	struct ProcessId id;

	process_id_init(&id, "a", ROLE_MAIN, 1);
	switch (take(t) % 10) {
	case 3:
		manager_spawns(t);
		break;
	case 4:
		keeper_link_keep(t->link, "a/log/1", STDIN_FILENO);
		break;
	case 5:
		keeper_link_forget(t->link, "a/log/1");
		break;
	case 6:
		keeper_link_ack(t->link, &id, "v=1");
		break;
	case 7:
		keeper_link_adopt(t->link, &id, 4711);
		break;
	default:
		keeper_link_note(t->link, "a", "v=1");
		break;
	}
}

static void keeper_closes(Target *t)
{
	if (t->keeper_fd >= 0)
		(void)close(t->keeper_fd);
	t->keeper_fd = -1;
}

static void act(Target *t)
{
	const uint8_t which = take(t);

	if (which < 0x60)
		keeper_sends_something(t);
	else if (which < 0x70)
		keeper_sends_anything(t);
	else if (which < 0xc0)
		manager_sends(t);
	else if (which < 0xe0)
		while (t->keeper_fd >= 0 && receive_one(t))
			;
	else if (which < 0xfe)
		turn(t);
	else
		keeper_closes(t);
}

static int next_free(void)
{
	const int fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);

	(void)close(fd);
	return fd;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Target t = { .input = { data, size } };
	static int before;
	int pair[2];

	/* lasting allocations */
	g_assert(loop_now() > 0 && g_main_context_iteration(NULL, FALSE) >= 0);
	before = next_free();
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) < 0)
		g_error("no sockets");
	t.keeper_fd = pair[1];
	t.link = keeper_link_new(pair[0], &listener, &t);
	while (t.input.left > 0)
		act(&t);
	turn(&t);
	keeper_closes(&t);
	while (!t.is_closed)
		g_main_context_iteration(NULL, TRUE);
	keeper_link_free(t.link);
	while (g_main_context_iteration(NULL, FALSE))
		;
	g_assert(next_free() == before);
	return 0;
}
