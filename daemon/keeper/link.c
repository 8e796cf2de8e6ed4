/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Link: the life of a manager, from its start until its socket has been read to the end.
 */
#include "config.h"

#include "keeper/link.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "keeper/console.h"
#include "keeper/disposal.h"
#include "keeper/early-boot.h"
#include "keeper/keeper.h"
#include "keeper/link-messages.h"
#include "keeper/reexec.h"
#include "keeper/rescue.h"
#include "keeper/shutdown.h"
#include "keeper/spawn.h"
#include "keeper/restart-limit.h"

#define MESSAGES_PER_TURN 32
#define LATE_WAKE_US (1 * USEC_PER_SEC)
#define GO_LIMIT_US (5 * USEC_PER_SEC)
#define DIE_LIMIT_US (1 * USEC_PER_SEC)
#define UNKILLABLE_US (2 * USEC_PER_SEC)
#define MAX_GIVEN_UP 4
#define START_AGAIN_US (1 * USEC_PER_SEC)
#define HELLO_LIMIT_PINGS (PROTOCOL_HELLO_LIMIT_MS / PROTOCOL_PING_INTERVAL_MS)

enum LinkState {
	LINK_DOWN,    /* no process */
	LINK_STARTED, /* waiting for HELLO */
	LINK_UP,      /* HELLO came: replay, then normal work */
	LINK_LEAVING, /* let go for a re-exec, or its end of the link is closed, which mostly means that it is dying */
	LINK_KILLED,  /* waiting to reap it */
};

static struct {
	enum LinkState state;
	pid_t pid;
	pid_t trace_checker; /* a child that checks whether the manager is traced; 0, -1: none */
	int fd;
	bool killed_by_us;
	bool is_settled; /* it has answered a ping; pings follow the replay, so it has read the replay */
	bool was_answered; /* since the last ping */
	bool is_quiet;     /* it has answered and was sent nothing since, so it is not pinged, and both can sleep */
	bool reported_traced;
	bool reexec_wanted;
	unsigned int n_missed;
	uint32_t generation;
	int32_t last_status;
	uint64_t serial;
	uint64_t n_sent;   /* messages_count() at the last ping */
	uint64_t settled_at_us;
	uint64_t next_us; /* start, HELLO limit, ping or kill, depending on the state */
	pid_t given_up[MAX_GIVEN_UP]; /* killed but not ended yet; 0: none */
	int clock_fd;     /* PROTOCOL_CLOCK_FD; -1: it could not be made, and pings never pause */
} the_link = { .fd = -1, .clock_fd = -1 };

static uint64_t ping_us(void)
{
	return keeper.ping_ms * USEC_PER_MSEC;
}

void link_init(uint32_t generation, int32_t last_status)
{
	the_link.generation = generation;
	the_link.last_status = last_status;
	the_link.next_us = 0;
}

uint32_t link_generation(void)
{
	return the_link.generation;
}

int32_t link_last_status(void)
{
	return the_link.last_status;
}

static void fill_welcome(struct MessageWelcome *w)
{
	*w = (struct MessageWelcome){
		.header = { MESSAGE_WELCOME, sizeof(*w) },
		.version = PROTOCOL_VERSION,
		.flags = restart_limit_welcome_flags() | WELCOME_DISPOSES,
		.generation = the_link.generation,
		.last_status = the_link.last_status,
		.boot_at_us = keeper.boot_at_us,
		.busy_ms = keeper.ping_ms,
	};
	if (keeper.is_pid1)
		w->flags |= WELCOME_IS_PID1;
	if (keeper.container)
		w->flags |= WELCOME_CONTAINER;
	if (keeper.cgroup_root[0])
		w->flags |= WELCOME_CGROUP2;
	if (the_link.generation > 0)
		w->flags |= WELCOME_RECOVERY;
	if (reexec_refusal(&w->trial_status))
		w->flags |= WELCOME_NOT_TAKEN_OVER;
	memcpy(w->cgroup_root, keeper.cgroup_root, sizeof(w->cgroup_root));
	memcpy(w->virtualization, keeper.virtualization, sizeof(w->virtualization));
}

/*
 * The cgroup may have been removed, or may take no processes. A manager in our own cgroup is better
 * than none.
 */
static pid_t spawn_in_cgroup(struct SpawnRequest *r)
{
	pid_t pid = spawn_process(r);

	if (pid >= 0 || r->cgroup < 0 || errno == EAGAIN || errno == ENOMEM)
		return pid;
	console_log("the manager cannot be started in its cgroup: %s; it is started in ours", strerror(errno));
	r->flags &= ~(uint32_t)SPAWN_CGROUP;
	return spawn_process(r);
}

/*
 * No core dump, because the manager cannot be reaped until its core is written. Its OOM score makes
 * it the last process to be killed.
 */
static pid_t spawn_manager(int its_end)
{
	char *argv[KEEPER_MAX_ARGUMENTS + 2] = { keeper.manager_path };
	struct SpawnRequest *r = spawn_request_blank();

	for (uint32_t i = 0; i < keeper.n_arguments; i++)
		argv[i + 1] = keeper.arguments[i];
	r->argv = argv;
	r->environment = early_boot_environment();
	r->stdio[1] = r->stdio[2] = console_fd();
	r->inherited[0] = its_end;
	r->inherited[1] = the_link.clock_fd;
	r->n_inherited = the_link.clock_fd >= 0 ? 2 : 1;
	r->cgroup = early_boot_manager_cgroup();
	r->flags = r->cgroup >= 0 ? SPAWN_CGROUP : 0;
	r->rlimits[0] = (struct SpawnRlimit){ .resource = RLIMIT_CORE };
	r->rlimits[1] = (struct SpawnRlimit){
		.resource = RLIMIT_NOFILE, .soft = keeper.nofile_hard, .hard = keeper.nofile_hard };
	r->n_rlimits = 2;
	if (keeper.is_pid1 && !keeper.container) {
		r->flags |= SPAWN_SET_OOM;
		r->oom_score_adj = -900;
	}
	return spawn_in_cgroup(r);
}

/* A new one each time, because the last manager may have left it running. */
static void make_clock(void)
{
	if (the_link.clock_fd >= 0)
		(void)close(the_link.clock_fd); /* a timer holds no data */
	the_link.clock_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
}

static void start(uint64_t now_us)
{
	struct MessageWelcome welcome;
	int pair[2];

	the_link.next_us = now_us + START_AGAIN_US;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0) {
		console_log("cannot make a socket for the manager: %s", strerror(errno));
		return;
	}
	make_clock();
	the_link.pid = spawn_manager(pair[1]);
	(void)close(pair[1]); /* the manager has it */
	if (the_link.pid < 0) {
		console_log("cannot start the manager: %s", strerror(errno));
		the_link.pid = 0;
		(void)close(pair[0]); /* never used */
		return;
	}
	the_link.state = LINK_STARTED;
	the_link.fd = pair[0];
	the_link.killed_by_us = the_link.is_settled = the_link.reported_traced = the_link.is_quiet = false;
	the_link.n_missed = 0;
	the_link.next_us = now_us + HELLO_LIMIT_PINGS * ping_us();
	fill_welcome(&welcome);
	the_link.generation++;
	messages_begin(the_link.fd, &welcome);
	messages_flush();
}

void link_kill(void)
{
	if (the_link.pid <= 0)
		return;
	(void)kill(the_link.pid, SIGKILL); /* unreaped, so it is there */
	the_link.killed_by_us = true;
	the_link.state = LINK_KILLED;
	the_link.next_us = keeper_now_us() + UNKILLABLE_US;
}

static void ping(uint64_t now_us)
{
	the_link.was_answered = the_link.is_quiet = false;
	the_link.next_us = now_us + ping_us();
	the_link.n_sent = messages_count();
	messages_ping(++the_link.serial);
	messages_flush();
}

void link_on_hello(uint32_t version)
{
	(void)version; /* layouts only grow: both sides read the fields they know */
	if (the_link.state != LINK_STARTED)
		return;
	the_link.state = LINK_UP;
	messages_replay();
	ping(keeper_now_us());
}

void link_on_pong(uint64_t serial)
{
	the_link.was_answered = serial == the_link.serial;
	the_link.n_missed = 0;
	if (the_link.is_settled || the_link.state != LINK_UP || serial == 0 || serial > the_link.serial)
		return;
	the_link.is_settled = true;
	the_link.settled_at_us = keeper_now_us();
	restart_limit_on_settled();
	rescue_on_settled();
}

pid_t link_pid(void)
{
	return the_link.pid > 0 ? the_link.pid : 0;
}

void link_end_old(pid_t pid)
{
	siginfo_t info = { 0 };

	if (pid <= 1 || waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0)
		return; /* no child of ours */
	the_link.pid = pid;
	link_kill();
	the_link.killed_by_us = false; /* its death is no failure */
}

/* A debugger holds the manager. Waiting is right then. */
static bool manager_is_traced(void)
{
	static const char key[] = "\nTracerPid:\t";
	char path[32] = "/proc/";
	char digits[12];
	char status[2048];
	size_t n = sizeof(digits);
	const char *found;

	digits[--n] = '\0';
	for (int pid = the_link.pid; pid > 0; pid /= 10)
		digits[--n] = (char)('0' + pid % 10);
	(void)strcat(strcat(path, digits + n), "/status"); /* 6 + 11 + 7 bytes */
	if (keeper_read_file(path, status, sizeof(status)) <= 0)
		return false;
	found = strstr(status, key);
	return found && found[sizeof(key) - 1] != '0';
}

static void replace_silent(void)
{
	console_log("the manager does not answer: replacing it");
	link_kill();
}

/*
 * A child checks whether the manager is traced, because a user can hold /proc. If the child has not
 * ended at the next ping, the manager counts as silent.
 */
static void on_ping_missed(void)
{
	if (++the_link.n_missed < PROTOCOL_PINGS_MISSED)
		return;
	if (the_link.trace_checker <= 0)
		the_link.trace_checker = spawn_fork();
	else
		the_link.trace_checker = -1;
	if (the_link.trace_checker == 0) {
		console_close_others(); /* a child that hangs keeps nothing open */
		_exit(manager_is_traced());
	}
	if (the_link.trace_checker < 0)
		replace_silent();
}

static void on_trace_checked(int wait_status)
{
	the_link.trace_checker = 0;
	if (the_link.state != LINK_UP || the_link.n_missed < PROTOCOL_PINGS_MISSED)
		return;
	if (wait_status == 0) {
		replace_silent();
		return;
	}
	if (!the_link.reported_traced)
		console_log("the manager does not answer, but it is being traced: waiting");
	the_link.reported_traced = true;
	the_link.n_missed = 0;
}

static bool has_sent_more(void)
{
	return the_link.n_sent != messages_count();
}

static void ping_tick(uint64_t now_us)
{
	/* We were late ourselves (a paused or starved machine). That is no fault of the manager. */
	if (now_us - the_link.next_us > LATE_WAKE_US)
		the_link.n_missed = 0;
	else if (!the_link.was_answered)
		on_ping_missed();
	if (the_link.state != LINK_UP)
		return;
	if (the_link.was_answered && the_link.clock_fd >= 0 && !has_sent_more()) {
		the_link.is_quiet = true;
		the_link.next_us = NEVER_US;
		return;
	}
	ping(now_us);
}

/*
 * The manager was sent something, so it must show that it still runs. The ping waits a little,
 * because more messages may follow.
 */
static void end_quiet(uint64_t now_us)
{
	the_link.is_quiet = false;
	the_link.next_us = now_us + ping_us();
}

void link_on_clock(void)
{
	uint64_t n;

	if (read(the_link.clock_fd, &n, sizeof(n)) == (ssize_t)sizeof(n) && the_link.is_quiet)
		ping(keeper_now_us());
}

int link_clock(void)
{
	return the_link.clock_fd;
}

void link_look(void)
{
	siginfo_t info = { 0 };

	if (the_link.pid > 0 && waitid(P_PID, (id_t)the_link.pid, &info, WSTOPPED | WNOHANG) == 0 && info.si_pid != 0 &&
	    the_link.state == LINK_UP)
		ping(keeper_now_us()); /* an earlier answer proves nothing about a stopped process */
}

static void close_link(void)
{
	if (the_link.fd < 0)
		return;
	disposal_release(); /* the manager is dead, or will send nothing more */
	disposal_add(the_link.fd); /* unread messages may be in it */
	the_link.fd = -1;
	messages_end();
}

/* Carries out everything that a dead manager has sent. */
static void drain_link(void)
{
	messages_end(); /* no one reads answers any more, so no answer may delay the reading */
	if (the_link.fd >= 0)
		(void)shutdown(the_link.fd, SHUT_RD); /* other holders of its end can add nothing more, so the reading ends */
	while (the_link.fd >= 0 && messages_read(the_link.fd, MESSAGES_PER_TURN) == MESSAGES_MORE)
		;
	close_link();
}

static void report_exit(int wait_status)
{
	if (WIFSIGNALED(wait_status))
		console_log("the manager was killed by signal %d", WTERMSIG(wait_status));
	else if (WEXITSTATUS(wait_status) == 127)
		console_log("the manager %s could not be executed", keeper.manager_path);
	else if (WEXITSTATUS(wait_status) == PROTOCOL_EXIT_INCOMPATIBLE)
		console_log("the manager cannot work with this version of svcd");
	else if (WEXITSTATUS(wait_status) != PROTOCOL_EXIT_REEXEC)
		console_log("the manager exited with status %d", WEXITSTATUS(wait_status));
}

/* Returns: when the next manager may start. */
static uint64_t next_start_us(int wait_status, uint64_t now_us)
{
	struct ManagerDeath death = {
		.wait_status = wait_status,
		.killed_by_us = the_link.killed_by_us,
		.was_settled = the_link.is_settled,
		.settled_for_us = the_link.is_settled ? now_us - the_link.settled_at_us : 0,
	};
	uint64_t delay_us = restart_limit_on_death(&death, now_us);

	if (!death.was_asked_for)
		shutdown_on_manager_failure();
	if (restart_limit_is_rescue())
		rescue_begin();
	return now_us + delay_us;
}

static void on_end(int wait_status, uint64_t now_us)
{
	drain_link();
	the_link.pid = 0;
	the_link.state = LINK_DOWN;
	the_link.last_status = wait_status;
	if (the_link.reexec_wanted) {
		the_link.reexec_wanted = false;
		the_link.next_us = now_us;
		reexec_now(); /* returns only on failure: this image goes on */
		return;
	}
	report_exit(wait_status);
	the_link.next_us = next_start_us(wait_status, now_us);
}

/* Returns: the entry of @pid among the managers that were given up, or NULL. */
static pid_t *find_given_up(pid_t pid)
{
	for (size_t i = 0; i < MAX_GIVEN_UP; i++)
		if (the_link.given_up[i] == pid)
			return &the_link.given_up[i];
	return NULL;
}

/*
 * A process that was sent KILL and waits in the kernel never runs again. It counts as dead, and its
 * real end is ignored.
 */
static void give_up(uint64_t now_us)
{
	pid_t *place = find_given_up(0);

	if (!place) {
		console_log("%d managers cannot be killed: there is no other one until one of them has ended", MAX_GIVEN_UP + 1);
		the_link.next_us = NEVER_US;
		rescue_begin();
		return;
	}
	console_log("the manager, process %d, cannot be killed: it waits in the kernel; going on without it", (int)the_link.pid);
	*place = the_link.pid;
	on_end(SIGKILL, now_us);
}

bool link_on_exit(pid_t pid, int wait_status, uint64_t now_us)
{
	pid_t *place = pid > 0 ? find_given_up(pid) : NULL;

	if (pid > 0 && pid == the_link.trace_checker)
		on_trace_checked(wait_status);
	if (place)
		*place = 0;
	if (pid <= 0 || pid != the_link.pid)
		return place;
	on_end(wait_status, now_us);
	return true;
}

void link_tick(uint64_t now_us)
{
	if (the_link.is_quiet && the_link.state == LINK_UP && has_sent_more())
		end_quiet(now_us);
	if (now_us < the_link.next_us)
		return;
	switch (the_link.state) {
	case LINK_DOWN:
		start(now_us);
		break;
	case LINK_STARTED:
		console_log("the manager did not send HELLO in time: replacing it");
		link_kill();
		break;
	case LINK_UP:
		ping_tick(now_us);
		break;
	case LINK_LEAVING:
		link_kill();
		break;
	case LINK_KILLED:
		give_up(now_us);
		break;
	}
}

uint64_t link_next_us(void)
{
	if (the_link.is_quiet && the_link.state == LINK_UP && has_sent_more())
		return 0;
	return messages_next_us() < the_link.next_us ? messages_next_us() : the_link.next_us;
}

void link_start_now(uint64_t now_us)
{
	if (the_link.state == LINK_DOWN)
		the_link.next_us = now_us;
}

struct pollfd link_pollfd(void)
{
	struct pollfd wanted = { .fd = the_link.fd };

	if (!messages_is_blocked())
		wanted.events |= POLLIN;
	if (messages_wants_to_write())
		wanted.events |= POLLOUT;
	return wanted;
}

/*
 * A manager without a link is useless, and it must be gone before the next one starts. Mostly it is
 * about to die, and the kernel has closed its descriptors first. So it gets a moment before it is
 * killed, and its real exit status is reported.
 */
static void on_link_ended(uint64_t now_us)
{
	if (the_link.state != LINK_STARTED && the_link.state != LINK_UP)
		return;
	the_link.state = LINK_LEAVING;
	the_link.next_us = now_us + DIE_LIMIT_US;
}

void link_turn(const struct pollfd *seen)
{
	if (the_link.fd < 0)
		return;
	messages_flush();
	if (seen->revents & (POLLIN | POLLHUP | POLLERR) && messages_read(the_link.fd, MESSAGES_PER_TURN) == MESSAGES_END) {
		close_link();
		on_link_ended(keeper_now_us());
		return;
	}
	messages_flush();
}

bool link_is_own(pid_t pid)
{
	return pid == the_link.pid || find_given_up(pid) || rescue_is_shell(pid);
}

bool link_is_answering(void)
{
	return the_link.state == LINK_UP && the_link.was_answered;
}

bool link_is_well(void)
{
	return the_link.state == LINK_UP && the_link.is_settled && the_link.n_missed == 0;
}

void link_reexec(void)
{
	if (the_link.fd < 0 || the_link.state == LINK_LEAVING)
		return;
	the_link.reexec_wanted = true;
	the_link.state = LINK_LEAVING;
	the_link.next_us = keeper_now_us() + GO_LIMIT_US;
	(void)shutdown(the_link.fd, SHUT_WR); /* the manager reads the end of the stream and exits; its messages until then are carried out */
}
