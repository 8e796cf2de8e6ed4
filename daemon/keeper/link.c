/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Link: the life of a manager, from its start until its socket has been read to the end.
 *
 * PID 1 pings the manager until it has settled, after each message, when it has been awake for
 * long, and after it was stopped by a signal. An idle manager is not pinged, so that neither
 * process wakes up.
 */
#include "config.h"

#include "keeper/link.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "keeper/console.h"
#include "keeper/early-boot.h"
#include "keeper/fd-store.h"
#include "keeper/keeper.h"
#include "keeper/reexec.h"
#include "keeper/shutdown.h"
#include "keeper/spawn.h"

#define MESSAGES_PER_TURN 32
#define MAX_DRAIN_FAILURES 100
#define LATE_WAKE_US (1 * USEC_PER_SEC)
#define GO_LIMIT_US (5 * USEC_PER_SEC)
#define DIE_LIMIT_US (1 * USEC_PER_SEC)
#define UNKILLABLE_US (2 * USEC_PER_SEC)
#define MAX_GIVEN_UP 4
#define START_AGAIN_US (1 * USEC_PER_SEC)
#define HELLO_LIMIT_PINGS (PROTOCOL_HELLO_LIMIT_MS / PROTOCOL_PING_INTERVAL_MS)

enum LinkState {
	LINK_DOWN, /* no process */
	LINK_STARTED, /* waiting for HELLO */
	LINK_UP, /* HELLO came: replay, then normal work */
	/*
	 * the manager may exit for a re-exec, or has closed its end of the link, which mostly means
	 * that it is dying
	 */
	LINK_LEAVING,
	LINK_KILLED, /* waiting to reap the manager */
};

static struct {
	enum LinkState state;
	pid_t pid; /* 0: none */
	pid_t trace_checker; /* a child that checks whether the manager is traced; 0, -1: none */
	int fd;
	bool killed_by_us;
	/* the manager has answered a ping; pings follow the replay, so it has read the replay */
	bool is_settled;
	bool was_answered; /* the last ping was answered */
	/* it has answered, and no message followed, so it is not pinged, and both can sleep */
	bool is_quiet;
	bool reported_traced;
	bool reexec_wanted;
	unsigned int n_missed;
	uint32_t generation;
	int32_t last_status;
	uint64_t serial;
	uint64_t n_sent; /* messages_count() at the last ping */
	uint64_t settled_at_us;
	uint64_t next_us; /* start, HELLO limit, ping or kill, depending on the state */
	pid_t given_up[MAX_GIVEN_UP]; /* managers that were killed but have not ended; 0: free */
	int clock_fd; /* PROTOCOL_CLOCK_FD; -1: it could not be made, and pings never pause */
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

pid_t link_pid(void)
{
	return the_link.pid;
}

static void fill_welcome(struct MessageWelcome *w)
{
	*w = (struct MessageWelcome){
		.header = { MESSAGE_WELCOME, sizeof(*w) },
		.version = PROTOCOL_VERSION,
		.flags = restart_limit_welcome_flags() | WELCOME_DISPOSES |
			 (keeper.is_pid1 ? WELCOME_IS_PID1 : 0u) |
			 (keeper.container ? WELCOME_CONTAINER : 0u) |
			 (keeper.cgroup_root[0] ? WELCOME_CGROUP2 : 0u) |
			 (the_link.generation > 0 ? WELCOME_RECOVERY : 0u),
		.generation = the_link.generation,
		.last_status = the_link.last_status,
		.boot_at_us = keeper.boot_at_us,
		.busy_ms = keeper.ping_ms,
	};
	if (reexec_refusal(&w->trial_status))
		w->flags |= WELCOME_NOT_TAKEN_OVER;
	memcpy(w->cgroup_root, keeper.cgroup_root, sizeof(w->cgroup_root));
	memcpy(w->virtualization, keeper.virtualization, sizeof(w->virtualization));
}

/*
 * No core dump, because the manager cannot be reaped until its core is written. Its OOM score makes
 * it the last process to be killed. A manager in our own cgroup is better than none.
 */
static pid_t spawn_manager(int its_end)
{
	char *argv[KEEPER_MAX_ARGUMENTS + 2] = { keeper.manager_path };
	struct SpawnRequest *r = spawn_request_blank();
	const rlim_t n_fds = keeper.nofile_hard;
	pid_t pid;

	for (uint32_t i = 0; i < keeper.n_arguments; i++)
		argv[i + 1] = keeper.arguments[i];
	r->argv = argv;
	r->environment = early_boot_environment();
	r->stdio[1] = r->stdio[2] = console_fd();
	r->inherited[0] = its_end;
	r->inherited[1] = the_link.clock_fd;
	r->n_inherited = the_link.clock_fd >= 0 ? 2 : 1;
	r->cgroup = keeper_manager_cgroup_fd;
	r->flags = r->cgroup >= 0 ? SPAWN_CGROUP : 0;
	r->rlimits[0] = (struct SpawnRlimit){ .resource = RLIMIT_CORE };
	r->rlimits[1] =
		(struct SpawnRlimit){ .resource = RLIMIT_NOFILE, .soft = n_fds, .hard = n_fds };
	r->n_rlimits = 2;
	if (keeper.is_pid1 && !keeper.container) {
		r->flags |= SPAWN_SET_OOM;
		r->oom_score_adj = -900;
	}
	pid = spawn_process(r);
	if (pid >= 0 || r->cgroup < 0 || errno == EAGAIN || errno == ENOMEM)
		return pid;
	console_log("the manager cannot be started in its cgroup: %s; starting it in the cgroup of "
		    "svcd",
		    strerror(errno));
	r->flags &= ~(uint32_t)SPAWN_CGROUP;
	return spawn_process(r);
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
	if (the_link.clock_fd >= 0)
		/* the last manager may have left the timer running; it holds no data */
		(void)close(the_link.clock_fd);
	the_link.clock_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
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
	the_link.killed_by_us = the_link.is_settled = the_link.reported_traced = the_link.is_quiet =
		false;
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
	(void)kill(the_link.pid, SIGKILL); /* not reaped yet, so the pid is valid */
	the_link.killed_by_us = true;
	the_link.state = LINK_KILLED;
	the_link.next_us = keeper_now_us() + UNKILLABLE_US;
}

void link_end_old(pid_t pid)
{
	if (pid <= 1 ||
	    waitid(P_PID, (id_t)pid, &(siginfo_t){ 0 }, WEXITED | WNOHANG | WNOWAIT) < 0)
		return; /* not a child of ours */
	the_link.pid = pid;
	link_kill();
	the_link.killed_by_us = false; /* its death is not a failure */
}

/* --- pings --- */

static void ping(uint64_t now_us)
{
	the_link.was_answered = the_link.is_quiet = false;
	the_link.next_us = now_us + ping_us();
	the_link.n_sent = messages_count();
	messages_ping(++the_link.serial);
	messages_flush();
}

void link_on_hello(void)
{
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
	if (the_link.is_settled || the_link.state != LINK_UP || serial == 0 ||
	    serial > the_link.serial)
		return;
	the_link.is_settled = true;
	the_link.settled_at_us = keeper_now_us();
	restart_limit_on_settled();
}

/* A manager that was stopped must be pinged again, because its last answer came before the stop. */
void link_on_stop(pid_t pid)
{
	if (pid == the_link.pid && the_link.state == LINK_UP)
		ping(keeper_now_us());
}

int link_clock(void)
{
	return the_link.clock_fd;
}

void link_on_clock(void)
{
	uint64_t n;

	if (read(the_link.clock_fd, &n, sizeof(n)) == (ssize_t)sizeof(n) && the_link.is_quiet)
		ping(keeper_now_us());
}

/* Does a debugger hold the manager? Then PID 1 waits. */
static bool manager_is_traced(void)
{
	static const char key[] = "\nTracerPid:\t";
	char path[32];
	char status[2048];
	const char *found;

	(void)snprintf(path, sizeof(path), "/proc/%d/status", (int)the_link.pid); /* it fits */
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
 * A child checks whether the manager is traced, because a user can hold the lock of /proc. If the
 * child has not ended at the next ping, the manager counts as silent.
 */
static void on_ping_missed(void)
{
	if (++the_link.n_missed < PROTOCOL_PINGS_MISSED)
		return;
	the_link.trace_checker = the_link.trace_checker <= 0 ? spawn_fork() : -1;
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

static void ping_tick(uint64_t now_us)
{
	/* We were late ourselves (a paused or starved machine). That is not the manager's fault. */
	if (now_us - the_link.next_us > LATE_WAKE_US)
		the_link.n_missed = 0;
	else if (!the_link.was_answered)
		on_ping_missed();
	if (the_link.state != LINK_UP)
		return;
	if (the_link.was_answered && the_link.clock_fd >= 0 &&
	    the_link.n_sent == messages_count()) {
		the_link.is_quiet = true;
		the_link.next_us = NEVER_US;
		return;
	}
	ping(now_us);
}

/* --- the end of a manager --- */

static void close_link(void)
{
	if (the_link.fd < 0)
		return;
	disposal_release(); /* the manager is dead, or sends no more messages */
	disposal_add(the_link.fd); /* unread messages may be in it */
	the_link.fd = -1;
	messages_end();
}

/* Carries out everything that a dead manager has sent. */
static void drain_link(void)
{
	enum MessagesResult result;
	unsigned int n_failed = 0;

	messages_end(); /* no one reads answers any more, so no answer may delay the reading */
	if (the_link.fd >= 0)
		/* other holders of the manager's end can add nothing more, so the reading ends */
		(void)shutdown(the_link.fd, SHUT_RD);
	while (the_link.fd >= 0 && n_failed < MAX_DRAIN_FAILURES &&
	       (result = messages_read(the_link.fd, MESSAGES_PER_TURN)) != MESSAGES_END)
		if (result == MESSAGES_EMPTY) {
			/* there is no memory for the next message */
			n_failed++;
			(void)poll(NULL, 0, 1);
		}
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

static void on_end(int wait_status, uint64_t now_us)
{
	struct ManagerDeath death = { .wait_status = wait_status };

	drain_link(); /* the manager's last pong may be unread */
	death.killed_by_us = the_link.killed_by_us;
	death.was_settled = the_link.is_settled;
	death.settled_for_us = the_link.is_settled ? now_us - the_link.settled_at_us : 0;
	the_link.pid = 0;
	the_link.state = LINK_DOWN;
	the_link.last_status = wait_status;
	the_link.next_us = now_us;
	if (the_link.reexec_wanted) {
		the_link.reexec_wanted = false;
		reexec_now(); /* returns only on failure: this image goes on */
		return;
	}
	report_exit(wait_status);
	the_link.next_us += restart_limit_on_death(&death, now_us);
	if (!death.was_requested)
		shutdown_on_manager_failure();
	if (restart_limit_is_rescue())
		rescue_begin();
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
	pid_t *entry = find_given_up(0);

	if (!entry) {
		console_log("%d managers cannot be killed: no other one is started until one of "
			    "them has ended",
			    MAX_GIVEN_UP + 1);
		the_link.next_us = NEVER_US;
		rescue_begin();
		return;
	}
	console_log("the manager, process %d, cannot be killed: it waits in the kernel; going on "
		    "without it",
		    (int)the_link.pid);
	*entry = the_link.pid;
	on_end(SIGKILL, now_us);
}

void link_on_exit(pid_t pid, int wait_status, uint64_t now_us)
{
	pid_t *entry = find_given_up(pid);

	if (pid == the_link.trace_checker)
		on_trace_checked(wait_status);
	if (entry) {
		*entry = 0;
		if (the_link.state == LINK_KILLED && the_link.next_us == NEVER_US)
			the_link.next_us = now_us; /* an entry is free now */
	}
	if (pid == the_link.pid)
		on_end(wait_status, now_us);
}

/* --- the loop --- */

/* Was a message sent to a quiet manager? Then it must show that it still runs. */
static bool ends_quiet(void)
{
	return the_link.is_quiet && the_link.state == LINK_UP &&
	       the_link.n_sent != messages_count();
}

void link_tick(uint64_t now_us)
{
	if (ends_quiet()) {
		the_link.is_quiet = false;
		/* not at once, because more messages may follow */
		the_link.next_us = now_us + ping_us();
	}
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
	if (ends_quiet())
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
	const int events = (messages_is_blocked() ? 0 : POLLIN) |
			   (messages_wants_to_write() ? POLLOUT : 0);

	return (struct pollfd){ .fd = the_link.fd, .events = (short)events };
}

/*
 * A manager without a link is useless, and it must be gone before the next one starts. Usually it
 * is about to die, and the kernel has closed its descriptors first. So it gets a moment before it
 * is killed, and its real exit status is reported.
 */
void link_turn(const struct pollfd *seen)
{
	if (the_link.fd < 0)
		return;
	messages_flush();
	if (seen->revents & (POLLIN | POLLHUP | POLLERR) &&
	    messages_read(the_link.fd, MESSAGES_PER_TURN) == MESSAGES_END) {
		close_link();
		if (the_link.state == LINK_STARTED || the_link.state == LINK_UP) {
			the_link.state = LINK_LEAVING;
			the_link.next_us = keeper_now_us() + DIE_LIMIT_US;
		}
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
	/*
	 * the manager reads the end of the stream and exits; its messages until then are carried
	 * out
	 */
	(void)shutdown(the_link.fd, SHUT_WR);
}
