/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Re-exec: the memory (memory.h) goes through the exec.
 *
 * There is no way back after the exec, so a trial checks before it whether the next image can use
 * the memory. A fault (SIGSEGV or a similar signal) is handled on a separate stack: its place is
 * logged, and svcd is executed again. After a fault inside the handler, or the third fault within a
 * minute, only the last resort is left.
 */
#include "config.h"

#include "keeper/reexec.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "keeper/children.h"
#include "keeper/console.h"
#include "keeper/fd-store.h"
#include "keeper/keeper.h"
#include "keeper/link.h"
#include "keeper/memory.h"
#include "keeper/shutdown.h"
#include "keeper/spawn.h"
#include "keeper/watchdog.h"

/* A descriptor number that is never open, because it is above all limits. */
#define NO_FD 0x3fffffff

#define TRIAL_LIMIT_MS 3000
#define STACK_BYTES (64 * 1024)
#define MAX_CRASHES 3
#define FORGIVEN_US (60 * USEC_PER_SEC)
#define STACK_WORDS 512
#define MAX_CALLERS 8
#define PLACE_BYTES 32
#define BUILD_ID_BYTES 20

/* The result of the last trial of the installed program. */
static bool is_refused;
static int refused_status; /* wait status, or -1 */

/*
 * The tables of the previous image, until they are taken over. If a fault comes before that, they
 * are handed on unchanged, but only once, because they may cause the fault.
 */
static int unread_fd = -1; /* -1: there are none, or they are taken over */
static bool unread_is_again; /* an earlier image had a fault before it took them over */

void reexec_expect(int fd)
{
	unread_fd = fd;
}

bool reexec_take_argument(const char *argument)
{
	if (strcmp(argument, "--again") == 0) {
		unread_is_again = true;
	} else if (strncmp(argument, "--faults=", 9) == 0) {
		keeper.n_crashes = (uint32_t)atoi(argument + 9);
		keeper.last_crash_us = keeper_now_us(); /* a fault is why this image was started */
	} else if (strncmp(argument, "--refused=", 10) == 0) {
		refused_status = atoi(argument + 10);
		is_refused = true;
	} else {
		return false;
	}
	return true;
}

bool reexec_refusal(int *ret_status)
{
	*ret_status = refused_status;
	return is_refused;
}

/* --- taking over --- */

/*
 * A row belongs to an unreaped child. If a fault came between wait(2) and the update of the row,
 * the exit status is lost. No signal may be sent to the pid any more, because another process may
 * have it.
 */
static void let_go_of_strangers(void)
{
	const struct ChildExit unknown = { .at_us = keeper_now_us() };

	for (struct Child *child = children_next(NULL); child; child = children_next(child)) {
		if (child->flags & CHILD_EXITED)
			continue;
		if (children_find_pid(child->pid) != child ||
		    (waitid(P_PID, (id_t)child->pid, &(siginfo_t){ 0 },
			    WEXITED | WNOHANG | WNOWAIT) < 0 &&
		     errno == ECHILD)) {
			child_restore_exited(child, &unknown);
		} else if (child->spawned_at_us == 0) {
			/* the fault came before the child was permitted to execute its program */
			child->spawned_at_us = unknown.at_us;
			/* the child is not reaped yet, so no other process has its pid */
			(void)kill(child->pid, SPAWN_MAY_EXEC);
		}
	}
}

void reexec_write_state(void)
{
	struct State *s = memory_state();

	*s = (struct State){
		.generation = link_generation(),
		.last_status = link_last_status(),
		.manager_pid = link_pid(),
		.shutdown_kind = shutdown_kind(),
		.shutdown_left_ms = shutdown_left_ms(keeper_now_us()),
		.watchdog_fd = watchdog_fd(),
	};
	(void)keeper_copy(s->watchdog_request, sizeof(s->watchdog_request), watchdog_request());
	*memory_keeper() = keeper;
}

/* A byte of a bool that is neither 0 nor 1 is invalid. */
static bool byte_is_bool(const bool *value)
{
	unsigned char byte;

	memcpy(&byte, value, sizeof(byte));
	return byte <= 1;
}

/* A fault may have written anything. No value may lead past the end of a field. */
static bool state_is_sound(const struct State *s, const struct Keeper *k)
{
	if (!byte_is_bool(&k->is_pid1) || !byte_is_bool(&k->user_mode) ||
	    !byte_is_bool(&k->container) || !byte_is_bool(&k->has_reexeced) ||
	    k->n_arguments > KEEPER_MAX_ARGUMENTS || k->ping_ms == 0 ||
	    !keeper_has_end(k->cgroup_root, sizeof(k->cgroup_root)) ||
	    !keeper_has_end(k->virtualization, sizeof(k->virtualization)) ||
	    !keeper_has_end(k->manager_path, sizeof(k->manager_path)))
		return false;
	for (uint32_t i = 0; i < k->n_arguments; i++)
		if (!keeper_has_end(k->arguments[i], sizeof(k->arguments[i])))
			return false;
	return keeper_has_end(s->watchdog_request, sizeof(s->watchdog_request)) &&
	       s->watchdog_fd >= -1;
}

static void apply_state(const struct State *s)
{
	bool is_pid1 = keeper.is_pid1;
	/* the number comes from an argument, because the state was written before the fault */
	uint32_t n_crashes = keeper.n_crashes;

	keeper = *memory_keeper();
	keeper.is_pid1 = is_pid1;
	if (n_crashes > keeper.n_crashes) {
		keeper.n_crashes = n_crashes;
		keeper.last_crash_us = keeper_now_us();
	}
	keeper.user_mode = keeper.user_mode && !is_pid1;
	keeper.has_reexeced = true;
	link_init(s->generation, s->last_status);
	shutdown_begin(s->shutdown_kind, s->shutdown_left_ms, keeper_now_us());
}

/* Returns: whether the tables are taken over. */
static bool take_over(int fd)
{
	const struct State *s;
	unsigned int n_dropped;

	if (!memory_resume(fd, false))
		return false;
	s = memory_state();
	if (!state_is_sound(s, memory_keeper())) {
		console_log("the state of the old image is damaged: its tables are not used");
		return false;
	}
	apply_state(s);
	n_dropped = children_resume() + fd_store_resume(false);
	if (n_dropped > 0)
		console_log("%u rows of the old image's tables are damaged, and lost", n_dropped);
	let_go_of_strangers();
	if (s->watchdog_request[0])
		watchdog_take_over(s->watchdog_request, s->watchdog_fd);
	link_end_old(s->manager_pid);
	if (memory_fd() >= 0)
		(void)fcntl(memory_fd(), F_SETFD, FD_CLOEXEC); /* it is open */
	return true;
}

bool reexec_resume(void)
{
	const int fd = unread_fd;
	const bool is_taken = fd >= 0 && take_over(fd);

	unread_fd = -1;
	if (fd > STDERR_FILENO && fd != memory_fd())
		(void)close(fd); /* its contents are in our tables now, or useless */
	if (!is_taken)
		memory_drop();
	/*
	 * No process knows the kept descriptors any more, and the clients at their other ends would
	 * wait for ever.
	 */
	/* a user's keeper would lose its lock as well */
	if (fd >= 0 && !is_taken && keeper.is_pid1)
		disposal_of_everything();
	return is_taken;
}

/* Takes over the tables in the memory of this process. A fault caused by them does no harm here. */
int reexec_try(int fd)
{
	if (!memory_resume(fd, true) || !state_is_sound(memory_state(), memory_keeper()) ||
	    children_resume() + fd_store_resume(true) > 0)
		return EXIT_FAILURE;
	apply_state(memory_state());
	return REEXEC_CAN_TAKE_OVER;
}

/* --- handing over --- */

/*
 * There is no way back after execve(2). A program that is half installed, lacks a library or does
 * not know our tables would end PID 1 (a kernel panic), or lose the content of the tables. So it is
 * tried first, in a process of its own. PID 1 has no manager meanwhile, so it can wait.
 */
static bool can_take_over(char *program, int fd)
{
	char option[] = "--try-tables=3"; /* PROTOCOL_LINK_FD: the first inherited descriptor */
	char *argv[] = { program, option, NULL };
	struct SpawnRequest *r = spawn_request_blank();
	int wait_status = -1;
	pid_t pid;

	is_refused = false;
	r->argv = argv;
	r->environment = environ;
	r->inherited[0] = fd;
	r->n_inherited = 1;
	pid = spawn_process(r);
	if (pid > 0 && !keeper_wait_for_child(pid, TRIAL_LIMIT_MS, &wait_status)) {
		wait_status = -1;
		(void)kill(pid, SIGKILL); /* not reaped yet; the loop reaps it */
	}
	if (wait_status >= 0 && WIFEXITED(wait_status) &&
	    WEXITSTATUS(wait_status) == REEXEC_CAN_TAKE_OVER)
		return true;
	is_refused = true;
	refused_status = wait_status;
	console_log("%s cannot take over; executing the running program again", program);
	return false;
}

static void let_through_exec(int fd, bool yes)
{
	fd_store_set_cloexec(!yes);
	watchdog_set_cloexec(!yes);
	/* if @fd is not open, the next image reports that */
	(void)fcntl(fd, F_SETFD, yes ? 0 : FD_CLOEXEC);
}

/*
 * With @tries_installed, tries the installed binary first, because it may be newer. Otherwise
 * executes only the running program again. Returns only on failure, which was logged.
 */
static void execute(int fd, bool is_after_fault, bool tries_installed)
{
	static char name[] = "svcd";
	static char user[] = "--user";
	static char again[] = "--again";
	static char installed[] = SVCD_SBINDIR "/svcd";
	char tables[32];
	char faults[32];
	char refused[32];
	char *argv[8] = { name, tables };
	size_t argc = 2;

	(void)snprintf(tables, sizeof(tables), "--reexec=%d", fd);
	(void)snprintf(faults, sizeof(faults), "--faults=%u", (unsigned int)keeper.n_crashes);
	if (keeper.user_mode)
		argv[argc++] = user;
	if (is_after_fault)
		argv[argc++] = faults;
	if (fd == unread_fd)
		argv[argc++] = again;
	if (tries_installed && can_take_over(installed, fd)) {
		(void)execve(installed, argv, environ);
		is_refused = true;
		refused_status = -1;
	}
	(void)snprintf(refused, sizeof(refused), "--refused=%d", refused_status);
	if (is_refused)
		argv[argc++] = refused;
	(void)execve("/proc/self/exe", argv, environ);
	console_log("cannot execute svcd again: %s", strerror(errno));
}

static void execute_with_ours(bool is_after_fault)
{
	const int fd = memory_fd();

	if (fd < 0) {
		console_log("the tables are not in a memfd: svcd cannot execute itself again");
		return;
	}
	disposal_now();
	reexec_write_state();
	let_through_exec(fd, true);
	shutdown_signal_again();
	execute(fd, is_after_fault, !keeper.user_mode);
	let_through_exec(fd, false);
}

void reexec_now(void)
{
	execute_with_ours(false);
}

/* --- faults --- */

static const int faults[] = { SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL };
static volatile sig_atomic_t is_crashing;

/* Our program in memory. */
static struct {
	uintptr_t begin; /* the address of the file's first byte */
	uintptr_t code;
	uintptr_t code_end;
	char build_id[2 * BUILD_ID_BYTES + 1]; /* empty: it was linked without one */
} image;

/* The ELF notes of our own program are aligned and complete. */
static void find_build_id(uintptr_t notes, size_t size)
{
	for (size_t at = 0; at + sizeof(ElfW(Nhdr)) <= size;) {
		const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)(notes + at);
		const size_t name_bytes = (note->n_namesz + 3u) & ~3u;
		const unsigned char *id = (const unsigned char *)(note + 1) + name_bytes;

		for (size_t i = 0;
		     note->n_type == NT_GNU_BUILD_ID && i < note->n_descsz && i < BUILD_ID_BYTES;
		     i++)
			(void)sprintf(image.build_id + 2 * i, "%02x", id[i]);
		at += sizeof(*note) + name_bytes + ((note->n_descsz + 3u) & ~3u);
	}
}

/* The first object is the program itself. */
static int read_headers(struct dl_phdr_info *program, size_t size, void *data)
{
	(void)size;
	(void)data;
	image.begin = program->dlpi_addr;
	for (size_t i = 0; i < program->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &program->dlpi_phdr[i];
		const uintptr_t address = image.begin + header->p_vaddr;

		if (header->p_type == PT_NOTE && header->p_align == 4) {
			find_build_id(address, header->p_memsz);
		} else if (header->p_type == PT_LOAD && header->p_flags & PF_X) {
			image.code = address;
			image.code_end = address + header->p_memsz;
		}
	}
	return 1;
}

/* Returns: the address of the instruction, or 0; *ret_stack: the top of the stack. */
static uintptr_t place_of(const ucontext_t *context, uintptr_t *ret_stack)
{
#if defined(__x86_64__)
	*ret_stack = (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
	return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
#elif defined(__i386__)
	*ret_stack = (uintptr_t)context->uc_mcontext.gregs[REG_ESP];
	return (uintptr_t)context->uc_mcontext.gregs[REG_EIP];
#elif defined(__aarch64__)
	*ret_stack = (uintptr_t)context->uc_mcontext.sp;
	return (uintptr_t)context->uc_mcontext.pc;
#else
	(void)context; /* the names of the registers differ from one processor to the next */
	return *ret_stack = 0;
#endif
}

static bool is_our_code(uintptr_t address)
{
	return address >= image.code && address < image.code_end;
}

/*
 * Addresses are counted from the beginning of the program, as addr2line(1) expects. This function
 * cannot know which values on the stack are return addresses, so it logs all that point into our
 * code.
 */
static void report_fault(int signo, const void *context)
{
	uintptr_t words[STACK_WORDS];
	uintptr_t stack;
	const uintptr_t place = place_of(context, &stack);
	struct iovec to = { .iov_base = words, .iov_len = sizeof(words) };
	struct iovec from = { .iov_len = sizeof(words) };
	char text[MAX_CALLERS * PLACE_BYTES] = "";
	size_t length = 0;
	ssize_t n;

	if (is_our_code(place))
		console_log("this keeper crashed: signal %d at svcd+%#lx, build ID %s", signo,
			    (unsigned long)(place - image.begin), image.build_id);
	else
		console_log("this keeper crashed: signal %d at %#lx, not in svcd, build ID %s",
			    signo, (unsigned long)place, image.build_id);
	memcpy(&from.iov_base, &stack, sizeof(stack));
	n = process_vm_readv(getpid(), &to, 1, &from, 1, 0);
	for (ssize_t i = 0;
	     i < n / (ssize_t)sizeof(words[0]) && length < sizeof(text) - PLACE_BYTES; i++)
		if (is_our_code(words[i]))
			length += (size_t)snprintf(text + length, PLACE_BYTES, " svcd+%#lx",
						   (unsigned long)(words[i] - image.begin));
	if (length > 0)
		console_log("on its stack:%s (addr2line -e " SVCD_SBINDIR "/svcd shows the lines)",
			    text);
}

void crash_last_resort(void)
{
	enum ShutdownKind kind = SHUTDOWN_NONE;
	sigset_t all;
	int signo;

	console_log("only reaping children now; ctrl-alt-del and the reboot signals still work");
	(void)sigfillset(&all);
	crash_leave_out(&all); /* after a fault, the handler calls this function again */
	(void)sigprocmask(SIG_SETMASK, &all, NULL); /* sigwait(3) takes them */
	while (kind == SHUTDOWN_NONE) {
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		if (sigwait(&all, &signo) == 0)
			kind = shutdown_kind_of_signal(signo);
	}
	finale_sync();
	finale_end_machine(kind);
}

/*
 * If the tables of the previous image are not taken over yet, they are handed on unchanged. If an
 * earlier image did so already, the next image begins with empty tables. Returns only on failure.
 */
static void execute_after_fault(void)
{
	if (unread_fd < 0) {
		execute_with_ours(true);
		return;
	}
	if (unread_is_again) {
		unread_fd = -1;
		execute(NO_FD, true, false);
		return;
	}
	console_log("the tables are not read yet: the next image gets them");
	let_through_exec(unread_fd, true);
	execute(unread_fd, true, false);
}

static void on_fault(int signo, siginfo_t *info, void *context)
{
	/* Another process's signal is not a fault in the handler; abort(3) sends from our pid. */
	if (is_crashing && info->si_code <= 0 && info->si_pid != getpid())
		return;
	if (is_crashing)
		crash_last_resort();
	is_crashing = 1;
	console_open(); /* earlier lines may wait for the writer */
	report_fault(signo, context);
	if (keeper_now_us() - keeper.last_crash_us > FORGIVEN_US)
		keeper.n_crashes = 0;
	keeper.last_crash_us = keeper_now_us();
	if (++keeper.n_crashes < MAX_CRASHES || (unread_fd >= 0 && unread_is_again)) {
		console_log("executing svcd again; services stay as they are");
		execute_after_fault();
	}
	crash_last_resort();
}

void crash_leave_out(sigset_t *set)
{
	for (size_t i = 0; i < N_ELEMENTS(faults); i++)
		(void)sigdelset(set, faults[i]); /* fails only for an invalid number */
}

void crash_init(void)
{
	static char stack[STACK_BYTES] __attribute__((aligned(16)));
	const stack_t own = { .ss_sp = stack, .ss_size = sizeof(stack) };
	/*
	 * SA_NODEFER: a second fault, within the handler, calls the handler. Otherwise the kernel
	 * would end PID 1.
	 */
	struct sigaction action = { .sa_sigaction = on_fault,
				    .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER };

	(void)dl_iterate_phdr(read_headers, NULL);
	/* on failure, all faults except a stack overflow can still be handled */
	(void)sigaltstack(&own, NULL);
	for (size_t i = 0; i < N_ELEMENTS(faults); i++)
		/* cannot fail, because these signals can be handled */
		(void)sigaction(faults[i], &action, NULL);
}
