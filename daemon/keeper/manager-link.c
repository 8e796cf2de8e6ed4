/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Manager link: the life of a manager, from its start to the reading of its last words.
 */
#include "config.h"

#include "keeper/manager-link.h"

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
#include "keeper/orders.h"
#include "keeper/reexec.h"
#include "keeper/rescue.h"
#include "keeper/shutdown.h"
#include "keeper/spawn.h"
#include "keeper/strikes.h"
#include "keeper/telling.h"

#define ORDERS_A_TURN 32
#define LATE_WAKE_US (1 * USEC_PER_SEC)
#define GO_LIMIT_US (5 * USEC_PER_SEC)
#define DIE_LIMIT_US (1 * USEC_PER_SEC)
#define UNKILLABLE_US (2 * USEC_PER_SEC)
#define MAX_GIVEN_UP 4
#define START_AGAIN_US (1 * USEC_PER_SEC)
#define HELLO_LIMIT_PINGS (PROTOCOL_HELLO_LIMIT_MS / PROTOCOL_PING_INTERVAL_MS)

enum LinkState {
	LINK_DOWN,    /* no process */
	LINK_STARTED, /* waiting for hello */
	LINK_UP,      /* it has said hello: replay, then the daily round */
	LINK_LEAVING, /* let go for a re-exec, or the link has ended, as it does when it dies */
	LINK_KILLED,  /* waiting to reap it */
};

static struct {
	enum LinkState state;
	pid_t pid;
	pid_t looker; /* looks whether the manager is traced; 0, -1: there is none */
	int fd;
	bool killed_by_us;
	bool is_settled; /* it has answered a ping: those follow the replay, so it has read that */
	bool was_answered; /* since the last ping */
	bool is_quiet;     /* it has answered, and nothing was told since: not pinged, so that both may sleep */
	bool said_traced;
	bool reexec_wanted;
	unsigned int n_missed;
	uint32_t generation;
	int32_t last_status;
	uint64_t serial;
	uint64_t n_told;   /* telling_count() at the last ping */
	uint64_t settled_at_us;
	uint64_t next_us; /* start, hello limit, ping, or kill, as the state says */
	pid_t given_up[MAX_GIVEN_UP]; /* killed, and have not ended; 0: none */
	int clock_fd;     /* PROTOCOL_CLOCK_FD; -1: it cannot be made, and pings go on for ever */
} link_ = { .fd = -1, .clock_fd = -1 };

static uint64_t ping_us(void)
{
	return keeper.ping_ms * USEC_PER_MSEC;
}

void manager_link_init(uint32_t generation, int32_t last_status)
{
	link_.generation = generation;
	link_.last_status = last_status;
	link_.next_us = 0;
}

uint32_t manager_link_generation(void)
{
	return link_.generation;
}

int32_t manager_link_last_status(void)
{
	return link_.last_status;
}

static void fill_welcome(struct MessageWelcome *w)
{
	*w = (struct MessageWelcome){
		.header = { MESSAGE_WELCOME, sizeof(*w) },
		.version = PROTOCOL_VERSION,
		.flags = strikes_welcome_flags() | WELCOME_DISPOSES,
		.generation = link_.generation,
		.last_status = link_.last_status,
		.boot_at_us = keeper.boot_at_us,
		.busy_ms = keeper.ping_ms,
	};
	if (keeper.is_pid1)
		w->flags |= WELCOME_IS_PID1;
	if (keeper.container)
		w->flags |= WELCOME_CONTAINER;
	if (keeper.cgroup_root[0])
		w->flags |= WELCOME_CGROUP2;
	if (link_.generation > 0)
		w->flags |= WELCOME_RECOVERY;
	if (reexec_refusal(&w->trial_status))
		w->flags |= WELCOME_NOT_TAKEN_OVER;
	memcpy(w->cgroup_root, keeper.cgroup_root, sizeof(w->cgroup_root));
	memcpy(w->virtualization, keeper.virtualization, sizeof(w->virtualization));
}

/* Its cgroup may have been removed, or made one that takes no processes: better a manager beside us than none. */
static pid_t spawn_in_cgroup(struct SpawnRequest *r)
{
	pid_t pid = spawn_process(r);

	if (pid >= 0 || r->cgroup < 0 || errno == EAGAIN || errno == ENOMEM)
		return pid;
	say("the manager cannot be started in its cgroup: %s; it is started in ours", strerror(errno));
	r->flags &= ~(uint32_t)SPAWN_CGROUP;
	return spawn_process(r);
}

/* No core: the manager cannot be reaped before its core is written. A score so that it is the last to be killed. */
static pid_t spawn_manager(int its_end)
{
	char *argv[KEEPER_MAX_WORDS + 2] = { keeper.manager_path };
	struct SpawnRequest *r = spawn_request_blank();

	for (uint32_t i = 0; i < keeper.n_words; i++)
		argv[i + 1] = keeper.words[i];
	r->argv = argv;
	r->environment = early_boot_environment();
	r->stdio[1] = r->stdio[2] = console_fd();
	r->inherited[0] = its_end;
	r->inherited[1] = link_.clock_fd;
	r->n_inherited = link_.clock_fd >= 0 ? 2 : 1;
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

/* A new one each time: the last manager may have left it running. */
static void make_clock(void)
{
	if (link_.clock_fd >= 0)
		(void)close(link_.clock_fd); /* nothing was buffered here */
	link_.clock_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
}

static void start(uint64_t now_us)
{
	struct MessageWelcome welcome;
	int pair[2];

	link_.next_us = now_us + START_AGAIN_US;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0) {
		say("cannot make a socket for the manager: %s", strerror(errno));
		return;
	}
	make_clock();
	link_.pid = spawn_manager(pair[1]);
	(void)close(pair[1]); /* the manager has it */
	if (link_.pid < 0) {
		say("cannot start the manager: %s", strerror(errno));
		link_.pid = 0;
		(void)close(pair[0]); /* never used */
		return;
	}
	link_.state = LINK_STARTED;
	link_.fd = pair[0];
	link_.killed_by_us = link_.is_settled = link_.said_traced = link_.is_quiet = false;
	link_.n_missed = 0;
	link_.next_us = now_us + HELLO_LIMIT_PINGS * ping_us();
	fill_welcome(&welcome);
	link_.generation++;
	telling_begin(link_.fd, &welcome);
	telling_flush();
}

void manager_link_kill(void)
{
	if (link_.pid <= 0)
		return;
	(void)kill(link_.pid, SIGKILL); /* unreaped, so it is there */
	link_.killed_by_us = true;
	link_.state = LINK_KILLED;
	link_.next_us = keeper_now_us() + UNKILLABLE_US;
}

static void ping(uint64_t now_us)
{
	link_.was_answered = link_.is_quiet = false;
	link_.next_us = now_us + ping_us();
	link_.n_told = telling_count();
	telling_ping(++link_.serial);
	telling_flush();
}

void manager_link_on_hello(uint32_t version)
{
	(void)version; /* layouts only grow: both sides read what they know */
	if (link_.state != LINK_STARTED)
		return;
	link_.state = LINK_UP;
	telling_replay();
	ping(keeper_now_us());
}

void manager_link_on_pong(uint64_t serial)
{
	link_.was_answered = true;
	link_.n_missed = 0;
	if (link_.is_settled || link_.state != LINK_UP || serial == 0 || serial > link_.serial)
		return;
	link_.is_settled = true;
	link_.settled_at_us = keeper_now_us();
	strikes_on_settled();
	rescue_on_settled();
}

pid_t manager_link_pid(void)
{
	return link_.pid > 0 ? link_.pid : 0;
}

void manager_link_end_old(pid_t pid)
{
	siginfo_t info = { 0 };

	if (pid <= 1 || waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0)
		return; /* no child of ours */
	link_.pid = pid;
	manager_link_kill();
	link_.killed_by_us = false; /* it did nothing wrong: no strike */
}

/* A debugger holds it: waiting is what is wanted. */
static bool manager_is_traced(void)
{
	static const char key[] = "\nTracerPid:\t";
	char path[32] = "/proc/";
	char digits[12];
	char status[2048];
	size_t n = sizeof(digits);
	const char *found;

	digits[--n] = '\0';
	for (int pid = link_.pid; pid > 0; pid /= 10)
		digits[--n] = (char)('0' + pid % 10);
	(void)strcat(strcat(path, digits + n), "/status"); /* 6 + 11 + 7 bytes */
	if (keeper_read_file(path, status, sizeof(status)) <= 0)
		return false;
	found = strstr(status, key);
	return found && found[sizeof(key) - 1] != '0';
}

static void replace_silent(void)
{
	say("the manager does not answer: replacing it");
	manager_link_kill();
}

/* A child looks whether it is traced, because a user can hold /proc. If the child has not ended at the next ping, it is not waited for. */
static void on_ping_missed(void)
{
	if (++link_.n_missed < PROTOCOL_PINGS_MISSED)
		return;
	if (link_.looker <= 0)
		link_.looker = spawn_fork();
	else
		link_.looker = -1;
	if (link_.looker == 0) {
		console_close_others(); /* one that hangs keeps nothing open */
		_exit(manager_is_traced());
	}
	if (link_.looker < 0)
		replace_silent();
}

static void on_looked(int wait_status)
{
	link_.looker = 0;
	if (link_.state != LINK_UP || link_.n_missed < PROTOCOL_PINGS_MISSED)
		return;
	if (wait_status == 0) {
		replace_silent();
		return;
	}
	if (!link_.said_traced)
		say("the manager does not answer, but it is being traced: waiting");
	link_.said_traced = true;
	link_.n_missed = 0;
}

static bool has_been_told(void)
{
	return link_.n_told != telling_count();
}

static void ping_tick(uint64_t now_us)
{
	/* We ourselves were late (a paused machine, a starved one): that says nothing about the manager. */
	if (now_us - link_.next_us > LATE_WAKE_US)
		link_.n_missed = 0;
	else if (!link_.was_answered)
		on_ping_missed();
	if (link_.state != LINK_UP)
		return;
	if (link_.was_answered && link_.clock_fd >= 0 && !has_been_told()) {
		link_.is_quiet = true;
		link_.next_us = NEVER_US;
		return;
	}
	ping(now_us);
}

/* Something was told to it, so it must be seen to go round; not at once: more may follow. */
static void end_quiet(uint64_t now_us)
{
	link_.is_quiet = false;
	link_.next_us = now_us + ping_us();
}

void manager_link_on_clock(void)
{
	uint64_t n;

	if (read(link_.clock_fd, &n, sizeof(n)) == (ssize_t)sizeof(n) && link_.is_quiet)
		ping(keeper_now_us());
}

int manager_link_clock(void)
{
	return link_.clock_fd;
}

void manager_link_look(void)
{
	siginfo_t info = { 0 };

	if (link_.pid > 0 && waitid(P_PID, (id_t)link_.pid, &info, WSTOPPED | WNOHANG) == 0 && info.si_pid != 0 &&
	    link_.is_quiet)
		ping(keeper_now_us());
}

static void close_link(void)
{
	if (link_.fd < 0)
		return;
	disposal_release(); /* it is dead, or will send nothing more */
	disposal_add(link_.fd); /* something may be in it that was not read */
	link_.fd = -1;
	telling_end();
}

/* What a dead manager has sent is done; what it has not sent does not exist. */
static void read_last_words(void)
{
	telling_end(); /* nobody hears answers any more, so none can hold up the reading */
	if (link_.fd >= 0)
		(void)shutdown(link_.fd, SHUT_RD); /* whoever else has its end can add nothing: so there is an end to read to */
	while (link_.fd >= 0 && orders_read(link_.fd, ORDERS_A_TURN) == ORDERS_MORE)
		;
	close_link();
}

static void say_how_it_ended(int wait_status)
{
	if (WIFSIGNALED(wait_status))
		say("the manager was killed by signal %d", WTERMSIG(wait_status));
	else if (WEXITSTATUS(wait_status) == 127)
		say("the manager %s could not be executed", keeper.manager_path);
	else if (WEXITSTATUS(wait_status) == PROTOCOL_EXIT_INCOMPATIBLE)
		say("the manager says that it cannot serve this keeper");
	else if (WEXITSTATUS(wait_status) != PROTOCOL_EXIT_REEXEC)
		say("the manager exited with status %d", WEXITSTATUS(wait_status));
}

/* Returns: when the next one may start. */
static uint64_t judge(int wait_status, uint64_t now_us)
{
	struct ManagerDeath death = {
		.wait_status = wait_status,
		.killed_by_us = link_.killed_by_us,
		.was_settled = link_.is_settled,
		.settled_for_us = link_.is_settled ? now_us - link_.settled_at_us : 0,
	};
	uint64_t delay_us = strikes_on_death(&death, now_us);

	if (!death.was_asked_for)
		shutdown_on_manager_failure();
	if (strikes_is_rescue())
		rescue_begin();
	return now_us + delay_us;
}

static void on_end(int wait_status, uint64_t now_us)
{
	read_last_words();
	link_.pid = 0;
	link_.state = LINK_DOWN;
	link_.last_status = wait_status;
	if (link_.reexec_wanted) {
		link_.reexec_wanted = false;
		link_.next_us = now_us;
		reexec_now(); /* returns if it could not: then all goes on with this image */
		return;
	}
	say_how_it_ended(wait_status);
	link_.next_us = judge(wait_status, now_us);
}

/* Returns: the place of @pid among those that were given up, or NULL. */
static pid_t *find_given_up(pid_t pid)
{
	for (size_t i = 0; i < MAX_GIVEN_UP; i++)
		if (link_.given_up[i] == pid)
			return &link_.given_up[i];
	return NULL;
}

/* It waits in the kernel and was sent KILL, so it will never run again: it counts as dead, and its real end is ignored. */
static void give_up(uint64_t now_us)
{
	pid_t *place = find_given_up(0);

	if (!place) {
		say("%d managers cannot be killed: there is no other one until one of them has ended", MAX_GIVEN_UP + 1);
		link_.next_us = NEVER_US;
		rescue_begin();
		return;
	}
	say("the manager, process %d, cannot be killed: it waits in the kernel; going on without it", (int)link_.pid);
	*place = link_.pid;
	on_end(SIGKILL, now_us);
}

bool manager_link_on_exit(pid_t pid, int wait_status, uint64_t now_us)
{
	pid_t *place = pid > 0 ? find_given_up(pid) : NULL;

	if (pid > 0 && pid == link_.looker)
		on_looked(wait_status);
	if (place)
		*place = 0;
	if (pid <= 0 || pid != link_.pid)
		return place;
	on_end(wait_status, now_us);
	return true;
}

void manager_link_tick(uint64_t now_us)
{
	if (link_.is_quiet && link_.state == LINK_UP && has_been_told())
		end_quiet(now_us);
	if (now_us < link_.next_us)
		return;
	switch (link_.state) {
	case LINK_DOWN:
		start(now_us);
		break;
	case LINK_STARTED:
		say("the manager did not say hello in time: replacing it");
		manager_link_kill();
		break;
	case LINK_UP:
		ping_tick(now_us);
		break;
	case LINK_LEAVING:
		manager_link_kill();
		break;
	case LINK_KILLED:
		give_up(now_us);
		break;
	}
}

uint64_t manager_link_next_us(void)
{
	if (link_.is_quiet && link_.state == LINK_UP && has_been_told())
		return 0;
	return telling_next_us() < link_.next_us ? telling_next_us() : link_.next_us;
}

void manager_link_hurry(uint64_t now_us)
{
	if (link_.state == LINK_DOWN)
		link_.next_us = now_us;
}

struct pollfd manager_link_pollfd(void)
{
	struct pollfd wanted = { .fd = link_.fd };

	if (!telling_is_blocked())
		wanted.events |= POLLIN;
	if (telling_wants_to_write())
		wanted.events |= POLLOUT;
	return wanted;
}

/*
 * Without a link it is of no use, and there may be only one. But mostly it is about to die, and its link has ended with its other
 * descriptors: then nobody else is to be blamed for that.
 */
static void on_link_ended(uint64_t now_us)
{
	if (link_.state != LINK_STARTED && link_.state != LINK_UP)
		return;
	link_.state = LINK_LEAVING;
	link_.next_us = now_us + DIE_LIMIT_US;
}

void manager_link_turn(const struct pollfd *seen)
{
	if (link_.fd < 0)
		return;
	telling_flush();
	if (seen->revents & (POLLIN | POLLHUP | POLLERR) && orders_read(link_.fd, ORDERS_A_TURN) == ORDERS_END) {
		close_link();
		on_link_ended(keeper_now_us());
		return;
	}
	telling_flush();
}

bool manager_link_is_own(pid_t pid)
{
	return pid == link_.pid || find_given_up(pid) || rescue_is_shell(pid);
}

bool manager_link_is_answering(void)
{
	return link_.state == LINK_UP && link_.was_answered;
}

bool manager_link_is_well(void)
{
	return link_.state == LINK_UP && link_.is_settled && link_.n_missed == 0;
}

void manager_link_reexec(void)
{
	if (link_.fd < 0 || link_.state == LINK_LEAVING)
		return;
	link_.reexec_wanted = true;
	link_.state = LINK_LEAVING;
	link_.next_us = keeper_now_us() + GO_LIMIT_US;
	(void)shutdown(link_.fd, SHUT_WR); /* it reads the end and leaves; what it still says is heard */
}
