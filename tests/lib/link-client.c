/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Link client: see link-client.h. The programs are found in the build tree, where make check runs.
 */
#include "config.h"

#include "tests/lib/link-client.h"

#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lib/deadline.h"
#include "tests/lib/scratch.h"

static void wait_readable(int fd, const char *what)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	ck_assert_msg(poll(&p, 1, DEADLINE_MS) == 1, "waited in vain for %s", what);
}

void keeper_run_listen(KeeperRun *run)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	run->directory = scratch_new();
	(void)snprintf(run->socket_path, sizeof(run->socket_path), "%s/test", run->directory);
	(void)snprintf(address.sun_path, sizeof(address.sun_path), "%s", run->socket_path);
	run->listen_fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	ck_assert_int_ge(run->listen_fd, 0);
	ck_assert_int_eq(bind(run->listen_fd, (struct sockaddr *)&address, sizeof(address)), 0);
	ck_assert_int_eq(listen(run->listen_fd, 8), 0);
}

static const char *built(const char *program, char *path, size_t size)
{
	char here[400];

	ck_assert_ptr_nonnull(getcwd(here, sizeof(here)));
	(void)snprintf(path, size, "%s/%s", here, program);
	return path;
}

const char *keeper_run_manager(char *path, size_t size)
{
	return built("tests/lib/fake-manager", path, size);
}

void keeper_run_resume(KeeperRun *run, int tables_fd)
{
	char keeper[512];
	char option[32];

	(void)built("svcd", keeper, sizeof(keeper));
	(void)snprintf(option, sizeof(option), "--reexec=%d", tables_fd);
	run->pid = fork();
	ck_assert_int_ge(run->pid, 0);
	if (run->pid == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		(void)execl(keeper, "svcd", option, (char *)NULL);
		_exit(127);
	}
}

void keeper_run_start(KeeperRun *run, unsigned int ping_ms)
{
	char keeper[512];
	char manager[512];
	char manager_option[600];
	char ping_option[32];

	keeper_run_listen(run);
	(void)built("svcd", keeper, sizeof(keeper));
	(void)snprintf(manager_option, sizeof(manager_option), "--manager=%s",
		       keeper_run_manager(manager, sizeof(manager)));
	(void)snprintf(ping_option, sizeof(ping_option), "--ping-ms=%u",
		       ping_ms ? ping_ms : DEADLINE_MS);
	run->pid = fork();
	ck_assert_int_ge(run->pid, 0);
	if (run->pid == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		(void)setenv("XDG_RUNTIME_DIR", run->directory, 1);
		(void)execl(keeper, "svcd", "--user", manager_option, ping_option, "--",
			    run->socket_path, (char *)NULL);
		_exit(127);
	}
}

void keeper_run_stop(KeeperRun *run)
{
	(void)kill(run->pid, SIGKILL);
	ck_assert_int_eq(waitpid(run->pid, NULL, 0), run->pid);
	(void)close(run->listen_fd);
	scratch_free(run->directory);
}

unsigned int keeper_run_count_open(const KeeperRun *run)
{
	char path[64];
	unsigned int n = 0;
	DIR *dir;

	(void)snprintf(path, sizeof(path), "/proc/%d/fd", (int)run->pid);
	dir = opendir(path);
	ck_assert_ptr_nonnull(dir);
	while (readdir(dir))
		n++;
	(void)closedir(dir);
	return n;
}

static ssize_t receive_with_fd(int fd, void *buffer, size_t size, int *ret_fd)
{
	union {
		char space[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = { 0 };
	struct iovec part = { .iov_base = buffer, .iov_len = size };
	struct msghdr m = { .msg_iov = &part,
			    .msg_iovlen = 1,
			    .msg_control = control.space,
			    .msg_controllen = sizeof(control.space) };
	ssize_t n = recvmsg(fd, &m, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
	struct cmsghdr *c = n >= 0 ? CMSG_FIRSTHDR(&m) : NULL;

	*ret_fd = -1;
	if (c)
		memcpy(ret_fd, CMSG_DATA(c), sizeof(int));
	return n;
}

void manager_accept(KeeperRun *run, Manager *m)
{
	m->answered = 0;
	wait_readable(run->listen_fd, "a manager to be started");
	m->control_fd = accept4(run->listen_fd, NULL, NULL, SOCK_CLOEXEC);
	ck_assert_int_ge(m->control_fd, 0);
	wait_readable(m->control_fd, "the manager's link");
	ck_assert_int_eq(receive_with_fd(m->control_fd, &m->pid, sizeof(m->pid), &m->link_fd),
			 sizeof(m->pid));
	ck_assert_int_ge(m->link_fd, 0);
}

void manager_accept_replayed(KeeperRun *run, Manager *m, struct MessageWelcome *ret_welcome)
{
	Message message;

	manager_accept(run, m);
	manager_expect(m, MESSAGE_WELCOME, &message);
	if (ret_welcome)
		*ret_welcome = message.welcome;
	manager_hello(m);
	do
		manager_next(m, &message, NULL);
	while (message.header.type != MESSAGE_REPLAYED);
}

void manager_drop(Manager *m)
{
	(void)close(m->link_fd);
	(void)close(m->control_fd);
}

void manager_exit(Manager *m, unsigned char status)
{
	ck_assert_int_eq(write(m->control_fd, &status, 1), 1);
}

static void pong(Manager *m, uint64_t serial)
{
	struct MessagePing answer = { { MESSAGE_PONG, sizeof(answer) }, serial };

	manager_send(m, &answer, sizeof(answer), -1);
	m->answered = serial;
}

/* Returns: the type. */
static uint32_t next_of_any_type(Manager *m, Message *ret, int *ret_fd)
{
	int fd;
	ssize_t n;

	wait_readable(m->link_fd, "a message from the keeper");
	n = receive_with_fd(m->link_fd, ret->bytes, sizeof(ret->bytes), &fd);
	ck_assert_msg(n >= (ssize_t)sizeof(ret->header), "the keeper closed the link (%zd, %s)", n,
		      strerror(errno));
	ck_assert_uint_eq(ret->header.size, (size_t)n);
	if (ret_fd)
		*ret_fd = fd;
	else if (fd >= 0)
		(void)close(fd);
	return ret->header.type;
}

void manager_next(Manager *m, Message *ret, int *ret_fd)
{
	while (next_of_any_type(m, ret, ret_fd) == MESSAGE_PING)
		pong(m, ret->ping.serial);
}

void manager_expect(Manager *m, enum MessageType type, Message *ret)
{
	manager_next(m, ret, NULL);
	ck_assert_uint_eq(ret->header.type, type);
}

uint64_t manager_answer_ping(Manager *m, uint64_t serial)
{
	Message message;

	do {
		ck_assert_uint_eq(next_of_any_type(m, &message, NULL), MESSAGE_PING);
		pong(m, message.ping.serial);
	} while (message.ping.serial <= serial);
	return message.ping.serial;
}

static bool send_with_fds(int link_fd, const void *message, size_t size, const int *fds,
			  size_t n_fds)
{
	union {
		char space[CMSG_SPACE(PROTOCOL_MAX_FDS * sizeof(int))];
		struct cmsghdr align;
	} control = { 0 };
	struct iovec part = { .iov_base = (void *)(uintptr_t)message, .iov_len = size };
	struct msghdr m = { .msg_iov = &part, .msg_iovlen = 1 };

	if (n_fds > 0) {
		struct cmsghdr *c;

		m.msg_control = control.space;
		m.msg_controllen = CMSG_SPACE(n_fds * sizeof(int));
		c = CMSG_FIRSTHDR(&m);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(n_fds * sizeof(int));
		memcpy(CMSG_DATA(c), fds, n_fds * sizeof(int));
	}
	if (sendmsg(link_fd, &m, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0)
		return true;
	ck_assert_int_eq(errno, EAGAIN);
	return false;
}

void manager_send(Manager *m, const void *message, size_t size, int fd)
{
	struct pollfd p = { .fd = m->link_fd, .events = POLLOUT };

	while (!send_with_fds(m->link_fd, message, size, &fd, fd >= 0))
		ck_assert_msg(poll(&p, 1, DEADLINE_MS) == 1, "the keeper does not read");
}

/* Writes one string with its NUL. */
static void add_string(char **at, const char *text)
{
	size_t size = strlen(text) + 1;

	memcpy(*at, text, size);
	*at += size;
}

static uint32_t add_strings(char **at, const char *const *list)
{
	uint32_t n = 0;

	for (; list && list[n]; n++)
		add_string(at, list[n]);
	return n;
}

bool manager_spawn(Manager *m, const Spawn *s)
{
	static char buffer[PROTOCOL_MESSAGE_BYTES];
	struct MessageSpawn head = {
		.header = { MESSAGE_SPAWN, 0 },
		.id = { .invocation = s->invocation, .role = s->role },
		.flags = s->flags,
		.uid = s->uid,
		.gid = s->gid,
		.umask = s->umask,
		.nice = s->nice,
		.oom_score_adj = s->oom_score_adj,
		.n_groups = s->n_groups,
		.n_rlimits = s->n_rlimits,
		.n_inherited = s->n_inherited,
	};
	char *at = buffer + sizeof(head);

	(void)snprintf(head.id.service, sizeof(head.id.service), "%s", s->service);
	(void)snprintf(head.note, sizeof(head.note), "%s", s->note ? s->note : "");
	if (s->n_groups)
		memcpy(at, s->groups, s->n_groups * sizeof(*s->groups));
	at += s->n_groups * sizeof(*s->groups);
	if (s->n_rlimits)
		memcpy(at, s->rlimits, s->n_rlimits * sizeof(*s->rlimits));
	at += s->n_rlimits * sizeof(*s->rlimits);
	if (s->flags & SPAWN_SET_DIRECTORY)
		add_string(&at, s->directory);
	head.argc = add_strings(&at, s->argv);
	head.envc = add_strings(&at, s->environment);
	head.header.size = (uint32_t)(at - buffer);
	memcpy(buffer, &head, sizeof(head));
	return send_with_fds(m->link_fd, buffer, head.header.size, s->fds, s->n_fds);
}

void manager_hello(Manager *m)
{
	struct MessageHello hello = { { MESSAGE_HELLO, sizeof(hello) }, PROTOCOL_VERSION, 0 };

	manager_send(m, &hello, sizeof(hello), -1);
}

void manager_ack(Manager *m, const struct ProcessId *id, const char *note)
{
	struct MessageAck ack = { .header = { MESSAGE_ACK, sizeof(ack) }, .id = *id };

	(void)snprintf(ack.note, sizeof(ack.note), "%s", note);
	manager_send(m, &ack, sizeof(ack), -1);
}

void manager_note(Manager *m, const char *service, const char *note)
{
	struct MessageNote message = { .header = { MESSAGE_NOTE, sizeof(message) } };

	(void)snprintf(message.service, sizeof(message.service), "%s", service);
	(void)snprintf(message.note, sizeof(message.note), "%s", note);
	manager_send(m, &message, sizeof(message), -1);
}

void manager_signal(Manager *m, const struct ProcessId *id, int signo)
{
	struct MessageSignal message = { .header = { MESSAGE_SIGNAL, sizeof(message) },
					 .id = *id,
					 .signo = signo };

	manager_send(m, &message, sizeof(message), -1);
}

static void send_keep(Manager *m, enum MessageType type, const char *name, int fd)
{
	struct MessageKeep message = { .header = { type, sizeof(message) } };

	(void)snprintf(message.name, sizeof(message.name), "%s", name);
	manager_send(m, &message, sizeof(message), fd);
}

void manager_keep(Manager *m, const char *name, int fd)
{
	send_keep(m, MESSAGE_KEEP, name, fd);
}

/* Sends no flags, like older managers. */
void manager_forget(Manager *m, const char *name)
{
	send_keep(m, MESSAGE_FORGET, name, -1);
}

void manager_forget_ended(Manager *m, const char *name)
{
	struct MessageForget message = { .header = { MESSAGE_FORGET, sizeof(message) },
					 .flags = FORGET_ENDED };

	(void)snprintf(message.name, sizeof(message.name), "%s", name);
	manager_send(m, &message, sizeof(message), -1);
}
