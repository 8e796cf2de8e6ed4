/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzz target: PID 1 itself, its real loop and tables, with a manager that sends anything, services
 * that end at any time, and system calls that sometimes fail (keeper-talk.h, keeper-world.h).
 *
 * The input is a list of actions. Whenever PID 1 would sleep, its tables are compared with the
 * simulated world. Each process of a service has its row. Only released objects are gone. No signal
 * was sent to a foreign process, no descriptor is lost, and PID 1 becomes idle. In the end another
 * manager must get the exact state, and release all of it.
 */
#include "config.h"

/* The target uses its loop(), but not its main(). */
int svcd_main(int argc, char **argv);
#define main svcd_main
#include "keeper/main.c" /* NOLINT(bugprone-suspicious-include) */
#undef main

#include <dirent.h>
#include <fcntl.h>
#include <glib.h>
#include <setjmp.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>

#include "keeper/fd-store.h"
#include "keeper/shutdown.h"
#include "keeper/memory.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/keeper-holdings.h"
#include "tests/fuzz/keeper-talk.h"
#include "tests/fuzz/keeper-world.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MOST_OPEN 512

enum Phase {
	PHASE_ACTS, /* the actions of the input */
	PHASE_LEAVE, /* the manager leaves, so that another one starts */
	PHASE_REPLAY, /* the other manager gets everything */
	PHASE_CLEAR, /* and releases everything */
	PHASE_LAST, /* no other manager starts */
};

enum Leap { LEAP_NONE, LEAP_IMAGE, LEAP_FINALE, LEAP_END };

static Input input;
static enum Phase phase;
static jmp_buf out_of_loop;
static bool is_short_of_fds;
static bool ended_machine; /* in the middle of an action: its resources are lost with the machine */

/* --- actions --- */

static const int statuses[] = { 0,
				1 << 8,
				PROTOCOL_EXIT_REEXEC << 8,
				PROTOCOL_EXIT_INCOMPATIBLE << 8,
				127 << 8,
				SIGSEGV | 0x80,
				SIGKILL,
				SIGABRT };

static void one_process_ends(Input *in)
{
	const uint8_t choice = input_take(in);
	static const enum WorldKind kinds[] = { WORLD_SERVICE, WORLD_SERVICE, WORLD_SERVICE,
						WORLD_ORPHAN, WORLD_SHELL };
	struct WorldProcess *process = world_pick(kinds[choice % G_N_ELEMENTS(kinds)], choice / 8);

	if (process)
		world_dies(process, statuses[choice % G_N_ELEMENTS(statuses)]);
}

static void manager_ends(Input *in)
{
	struct WorldProcess *manager = world_pick(WORLD_MANAGER, 0);

	if (manager)
		world_dies(manager, statuses[input_take(in) % G_N_ELEMENTS(statuses)]);
}

static void manager_closes(Input *in)
{
	(void)in;
	if (world.link_fd >= 0)
		(void)close(world.link_fd);
	world.link_fd = -1;
}

static void manager_stops(Input *in)
{
	struct WorldProcess *manager = world_pick(WORLD_MANAGER, 0);

	if (!manager)
		return;
	manager->is_stopped = true;
	manager->is_immortal = input_take(in) % 2;
	world_signals(SIGCHLD);
}

static void manager_receives_all(Input *in)
{
	(void)in;
	talk_receive_all();
}

static void orphan_comes(Input *in)
{
	(void)in;
	(void)world_add(WORLD_ORPHAN);
}

static void signal_comes(Input *in)
{
	static const int signals[] = { SIGINT, SIGTERM,  SIGHUP,  SIGUSR1,
				       SIGPWR, SIGWINCH, SIGCHLD, SIGUSR2 };
	const uint8_t choice = input_take(in);

	world_signals(choice < 0x80 ? signals[choice % G_N_ELEMENTS(signals)] :
				      SIGRTMIN + choice % 8);
}

static void clock_runs_out(Input *in)
{
	(void)in;
	const struct itimerspec now = { .it_value = { .tv_nsec = 1 } };

	if (link_clock() >= 0)
		g_assert(timerfd_settime(link_clock(), 0, &now, NULL) == 0);
}

static void something_will_be_refused(Input *in)
{
	static const int errors[] = { EAGAIN, ENOMEM, EPERM, ENOENT };
	const uint8_t choice = input_take(in);

	if (choice % 2)
		world.spawn_error = errors[choice / 2 % G_N_ELEMENTS(errors)];
	else
		world.exec_error = world.exec_error ? 0 : errors[choice / 2 % G_N_ELEMENTS(errors)];
	world.trial_status = choice >= 0xe0 ? -1 :
			     choice >= 0xc0 ? 127 << 8 :
					      REEXEC_CAN_TAKE_OVER << 8;
}

static void limit_descriptors(rlim_t soft)
{
	struct rlimit limit;

	g_assert(getrlimit(RLIMIT_NOFILE, &limit) == 0);
	limit.rlim_cur = MIN(soft, limit.rlim_max);
	g_assert(setrlimit(RLIMIT_NOFILE, &limit) == 0);
}

static void descriptors_become_scarce(Input *in)
{
	const int next = fcntl(talk_fds[0], F_DUPFD_CLOEXEC, 3);

	if (next < 0)
		return;
	(void)close(next);
	limit_descriptors((rlim_t)next + input_take(in) % 4);
	is_short_of_fds = true;
}

static void (*const acts[])(Input *in) = {
	talk_send_one,
	talk_send_one,
	talk_send_one,
	talk_send_one,
	talk_send_many,
	talk_receive_some,
	manager_receives_all,
	talk_read_and_send_hello,
	one_process_ends,
	one_process_ends,
	manager_ends,
	manager_closes,
	manager_stops,
	orphan_comes,
	signal_comes,
	something_will_be_refused,
	descriptors_become_scarce,
	clock_runs_out,
};

/* Returns: whether there was an action. */
static bool act(Input *in, int timeout_ms)
{
	const uint8_t choice = input_take(in);

	if (in->left == 0)
		return false;
	if (choice < 0xf0)
		acts[choice % G_N_ELEMENTS(acts)](in);
	else
		world.now_us += choice < 0xf8 && timeout_ms > 0 ?
					(uint64_t)timeout_ms * USEC_PER_MSEC :
					input_take(in) * USEC_PER_SEC;
	return true;
}

/* --- the end --- */

static void restore_descriptor_limit(void)
{
	if (is_short_of_fds)
		limit_descriptors(MOST_OPEN);
	is_short_of_fds = false;
}

static void all_is_granted(void)
{
	restore_descriptor_limit();
	world.spawn_error = world.exec_error = 0;
	world.trial_status = REEXEC_CAN_TAKE_OVER << 8;
}

static void check_replay(void)
{
	const TalkReceived *received = talk_received();
	unsigned int n_exited = 0;
	const bool with_notes = !(received->welcome.flags & WELCOME_WITHOUT_NOTES);

	for (struct Child *child = children_next(NULL); child; child = children_next(child))
		n_exited += child->flags & CHILD_EXITED ? 1 : 0;
	g_assert(received->n_spawned == children_count() && received->n_exited == n_exited);
	g_assert(received->n_notes == (with_notes ? table_count(TABLE_NOTES) : 0) &&
		 received->n_kept == table_count(TABLE_FDS));
	g_assert(received->replayed.n_children == received->n_spawned &&
		 received->replayed.n_notes == received->n_notes &&
		 received->replayed.n_fds == received->n_kept);
}

static void everybody_ends(void)
{
	for (size_t i = 0; i < WORLD_PROCESSES; i++)
		if (world.processes[i].pid && world.processes[i].kind != WORLD_MANAGER)
			world_dies(&world.processes[i], 0);
}

/* This replaces the individual messages of a manager. Only the release matters here. */
static void give_all_back(void)
{
	struct Child *child;
	HeldRow row;

	while ((child = children_next(NULL))) {
		holdings_row(&row, child);
		g_assert(children_release(&row.id));
	}
	for (unsigned int n = 1; n <= table_last(TABLE_NOTES); n++) {
		const char *service;

		if (note_at(n, &service))
			g_assert(note_set(service, "") == 0);
	}
	fd_store_close();
	g_assert(children_count() == 0 && table_count(TABLE_NOTES) == 0 &&
		 table_count(TABLE_FDS) == 0);
	holdings_mark_all();
}

static void leave(void)
{
	struct WorldProcess *manager = world_pick(WORLD_MANAGER, 0);

	all_is_granted();
	if (manager) {
		world_dies(manager, SIGKILL);
		phase = PHASE_REPLAY;
	} else {
		world.now_us += 60 * USEC_PER_SEC; /* a manager has started by then */
	}
}

static void replay(void)
{
	if (world.link_fd < 0) {
		world.now_us += 60 * USEC_PER_SEC;
		return;
	}
	talk_read_and_send_hello(&input);
	talk_receive_all();
	if (!talk_received()->has_replayed)
		return;
	check_replay();
	everybody_ends();
	phase = PHASE_CLEAR;
}

static void clear(void)
{
	struct WorldProcess *manager = world_pick(WORLD_MANAGER, 0);

	talk_receive_all();
	give_all_back();
	world.spawn_error = EAGAIN; /* no other manager can start */
	if (manager)
		world_dies(manager, SIGKILL);
	phase = PHASE_LAST;
}

static void on_rest(int timeout_ms)
{
	holdings_check();
	restore_descriptor_limit();
	switch (phase) {
	case PHASE_ACTS:
		if (!act(&input, timeout_ms))
			phase = PHASE_LEAVE;
		break;
	case PHASE_LEAVE:
		leave();
		break;
	case PHASE_REPLAY:
		replay();
		break;
	case PHASE_CLEAR:
		clear();
		break;
	case PHASE_LAST:
		longjmp(out_of_loop, LEAP_END);
	}
}

static void __attribute__((noreturn)) on_finale(enum ShutdownKind kind)
{
	(void)kind;
	ended_machine = true;
	input.left = 0;
	phase = PHASE_LEAVE;
	longjmp(out_of_loop, LEAP_FINALE);
}

/* --- another image --- */

static void dispose_of_all(void)
{
	for (int i = 0; i < 2; i++) /* one of them may fail */
		disposal_now();
	g_assert(disposal_next_us() == NEVER_US);
}

static void __attribute__((noreturn)) on_exec(int fd)
{
	static Holdings old;

	holdings_look(&old);
	restore_descriptor_limit();
	reexec_expect(fcntl(fd, F_DUPFD, 3)); /* the old descriptor goes with its mapping */
	g_assert(reexec_resume());
	holdings_check_same(&old);
	longjmp(out_of_loop, LEAP_IMAGE);
}

/* --- one input --- */

static void begin_once(void)
{
	static bool has_begun;
	int ends[2];

	if (has_begun)
		return;
	has_begun = true;
	keeper.is_pid1 = keeper.container = true;
	keeper.ping_ms = PROTOCOL_PING_INTERVAL_MS;
	keeper.nofile_soft = keeper.nofile_hard = MOST_OPEN;
	(void)keeper_copy(keeper.manager_path, sizeof(keeper.manager_path), "/svcd-manager");
	limit_descriptors(MOST_OPEN);
	talk_fds[0] = keeper_null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	g_assert(pipe2(ends, O_CLOEXEC) == 0);
	talk_fds[1] = ends[1];
	talk_fds[2] = ends[0];
	talk_fds[3] = eventfd(0, EFD_CLOEXEC);
}

/* The open descriptors, except the manager's clock, which is made anew each time. */
static void look_at_open(bool *ret_is_open)
{
	DIR *dir = opendir("/proc/self/fd");
	const struct dirent *entry;

	if (!dir)
		g_error("no memory for a list of descriptors");
	memset(ret_is_open, 0, MOST_OPEN * sizeof(*ret_is_open));
	while ((entry = readdir(dir)) != NULL) {
		const int fd = atoi(entry->d_name);

		if (fd < MOST_OPEN && fd != dirfd(dir) && fd != link_clock() && fd != memory_fd())
			ret_is_open[fd] = true;
	}
	(void)closedir(dir);
}

/*
 * Checks that no descriptor is lost. If the machine was shut down in the middle of an action, its
 * kernel closes the descriptors.
 */
static void close_new(const bool *was_open)
{
	static bool is_open[MOST_OPEN];

	look_at_open(is_open);
	for (int fd = 3; fd < MOST_OPEN; fd++) {
		if (was_open[fd] || !is_open[fd])
			continue;
		g_assert(ended_machine);
		(void)close(fd);
	}
}

static void run(void)
{
	switch ((enum Leap)setjmp(out_of_loop)) {
	case LEAP_NONE:
	case LEAP_IMAGE:
		loop(world.signal_fd);
	case LEAP_FINALE:
		shutdown_begin(SHUTDOWN_NONE, 0, 0); /* the tables are used again */
		loop(world.signal_fd);
	case LEAP_END:
		break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static bool was_open[MOST_OPEN];

	begin_once();
	memory_init(); /* the driver forks, and another input would change shared memory */
	(void)children_resume();
	look_at_open(was_open);
	input = (Input){ data, size };
	phase = PHASE_ACTS;
	ended_machine = false;
	holdings_begin();
	world_begin();
	world.rest = on_rest;
	world.exec = on_exec;
	world.finale = on_finale;
	world.trial_status = REEXEC_CAN_TAKE_OVER << 8;
	link_init(0, 0);
	restart_limit_forget();
	run();
	dispose_of_all();
	world_end();
	shutdown_begin(SHUTDOWN_NONE, 0, 0);
	close_new(was_open);
	return 0;
}
