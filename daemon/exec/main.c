/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * svc-exec: prepares a service that needs more than plain system calls, then executes it.
 *
 * It handles user and group names, environment files, a terminal, directories, and the sandbox:
 * mounts, namespaces, capabilities, system call filters. The keeper has already applied the numeric
 * settings (limits, nice, umask). svc-exec gets no arguments. It reads a specification from
 * descriptor 3, and descriptor 4 is the exec status channel (protocol/exec-protocol.h). If a step
 * fails, svc-exec writes the step's number, an errno and a text to the channel, and exits. So a
 * service never runs without a protection that it requests.
 *
 * After the last run of a service, svc-exec is started once more, to remove the service's
 * directories in /run and /tmp.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "exec/directories.h"
#include "exec/environment.h"
#include "exec/identity.h"
#include "exec/scheduling.h"
#include "exec/socket-fds.h"
#include "exec/spec.h"
#include "exec/terminal.h"
#include "paths/remove.h"
#include "paths/safe-path.h"
#include "protocol/exec-protocol.h"
#include "protocol/protocol.h"
#include "sandbox/capabilities.h"
#include "sandbox/failure.h"
#include "sandbox/mount-plan.h"
#include "sandbox/mounts.h"
#include "sandbox/namespaces.h"
#include "sandbox/private-tmp.h"
#include "sandbox/syscalls.h"

/* The exit status of a keeper's child that could not execute the service. */
#define EXIT_NOT_EXECUTED 127

struct ExecWork {
	struct Spec spec;
	struct Identity identity;
	struct Environment environment;
	struct Syscalls syscalls;
	struct Failure failure;
	int status_fd;
	int ready_fd;
};

/* The status channel closes on exec. To the manager this means that the service runs. */
static int step_descriptors(struct ExecWork *w)
{
	return fcntl(w->status_fd, F_SETFD, FD_CLOEXEC) < 0 ? errno : 0;
}

/*
 * Moves the exec status channel away from the number that the service expects for its readiness
 * descriptor. The lowest free number is used, because LimitNOFILE= is already in force.
 */
static int move_status(struct ExecWork *w)
{
	int moved = fcntl(w->status_fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);

	if (moved < 0)
		return errno;
	(void)close(w->status_fd); /* the duplicate stays */
	w->status_fd = moved;
	return 0;
}

static int step_spec(struct ExecWork *w)
{
	int error = spec_read(EXEC_SPEC_FD, &w->spec);

	(void)close(EXEC_SPEC_FD); /* read to its end */
	return error;
}

/*
 * Moves the sockets to the numbers that the service expects, and the other two descriptors out of
 * the way.
 */
static int step_sockets(struct ExecWork *w)
{
	const int n = (int)w->spec.n_sockets;
	const int first = EXEC_SPEC_STATUS_FD + 1 + (spec_has(&w->spec, EXEC_SPEC_READY) ? 1 : 0);
	int error = 0;

	if (n == 0)
		return 0;
	error = sockets_check(&w->spec);
	if (!error)
		error = sockets_park(&w->status_fd, first + n);
	if (!error && spec_has(&w->spec, EXEC_SPEC_READY))
		error = sockets_park(&w->ready_fd, first + n);
	return error ? error : sockets_install(first, n);
}

/* Moves the readiness descriptor to the number that the service expects. */
static int step_ready(struct ExecWork *w)
{
	int number = (int)w->spec.ready_number;
	int error = 0;

	if (!spec_has(&w->spec, EXEC_SPEC_READY) || number == w->ready_fd)
		return 0;
	if (w->spec.ready_number < 3 || w->spec.ready_number > 65535)
		return EINVAL;
	if (number == w->status_fd)
		error = move_status(w);
	if (error)
		return error;
	if (dup2(w->ready_fd, number) < 0)
		return errno;
	(void)close(w->ready_fd); /* the duplicate stays */
	return 0;
}

static int step_user(struct ExecWork *w)
{
	return identity_resolve(&w->spec, &w->identity);
}

/*
 * Gives the notify socket to the service's user. The manager, which looks up no user names, made it
 * for root alone. For a service of root it is open to every user, because a process of root may
 * change its user.
 */
static int step_notify_socket(struct ExecWork *w)
{
	static const char name[] = "NOTIFY_SOCKET=";

	if (!w->identity.has_user || w->identity.uid == 0)
		return 0;
	for (size_t i = 0; i < w->spec.fixed.n; i++) {
		const char *path = w->spec.fixed.items[i] + sizeof(name) - 1;

		if (strncmp(w->spec.fixed.items[i], name, sizeof(name) - 1) == 0 &&
		    lchown(path, w->identity.uid, (gid_t)-1) < 0 &&
		    errno != ENOENT) /* removed meanwhile: the service cannot notify */
			return failure_set(&w->failure, errno,
					   "cannot give %s to the service's user", path);
	}
	return 0;
}

static int add_all(struct Environment *environment, const struct StringList *list)
{
	for (size_t i = 0; i < list->n; i++) {
		int error = environment_set(environment, list->items[i]);

		if (error)
			return error;
	}
	return 0;
}

/*
 * WATCHDOG_PID is this process (sd_watchdog_enabled(3)), because there is no fork between here and
 * the service.
 */
static int add_watchdog_pid(struct Environment *environment)
{
	char number[16];

	if (!environment_get(environment, "WATCHDOG_USEC"))
		return 0;
	(void)snprintf(number, sizeof(number), "%d", (int)getpid());
	return environment_set_pair(environment, "WATCHDOG_PID", number);
}

/* Sets the variables, from the common ones to the fixed ones; the last value of a name wins. */
static int step_environment(struct ExecWork *w)
{
	int error = add_all(&w->environment, &w->spec.environment);

	if (!error && w->spec.tty && !environment_get(&w->environment, "TERM"))
		error = environment_set_pair(&w->environment, "TERM",
					     terminal_type(w->spec.tty + (w->spec.tty[0] == '-')));
	if (!error)
		error = identity_environment(&w->identity, &w->environment);
	if (!error)
		error = add_all(&w->environment, &w->spec.settings);
	for (size_t i = 0; !error && i < w->spec.n_files; i++)
		error = environment_read_file(&w->environment, w->spec.files[i].path,
					      w->spec.files[i].optional);
	if (!error && w->spec.n_sockets > 0)
		error = sockets_environment(&w->spec, &w->environment);
	if (!error)
		error = add_all(&w->environment, &w->spec.fixed);
	return error ? error : add_watchdog_pid(&w->environment);
}

static int step_directories(struct ExecWork *w)
{
	return directories_make(&w->spec, &w->identity, &w->environment, &w->failure);
}

static int step_tty(struct ExecWork *w)
{
	const char *tty = w->spec.tty;

	if (!tty)
		return 0;
	if (tty[0] != '-')
		return terminal_take(tty);
	/* without a terminal the service keeps /dev/null and its log, like other services */
	(void)terminal_take(tty + 1);
	return 0;
}

static int step_input(struct ExecWork *w)
{
	int error;
	int fd;

	if (!w->spec.input)
		return 0;
	fd = safe_open(w->spec.input, O_RDONLY | O_NOCTTY, 0);
	if (fd < 0)
		return failure_set(&w->failure, errno, "StandardInput=: cannot open %s",
				   w->spec.input);
	error = dup2(fd, STDIN_FILENO) < 0 ? errno : 0;
	(void)close(fd); /* the duplicate stays */
	return error;
}

static int step_scheduling(struct ExecWork *w)
{
	return scheduling_apply(&w->spec, &w->failure);
}

/* Builds the filters before the file system changes, because the library may be hidden later. */
static int step_build_filters(struct ExecWork *w)
{
	return syscalls_build(&w->spec.sandbox, &w->syscalls, &w->failure);
}

static int step_namespaces(struct ExecWork *w)
{
	return namespaces_enter(&w->spec.sandbox, w->spec.main_pid, &w->failure);
}

static int step_mounts(struct ExecWork *w)
{
	struct MountList list = { 0 };
	int error = mount_plan_make(&w->spec.sandbox, w->spec.private_tmp, &list, &w->failure);

	if (!error)
		error = directories_keep(&w->spec, &list);
	return error ? error : mount_list_apply(&list, &w->failure);
}

static int step_bound_capabilities(struct ExecWork *w)
{
	int error = capabilities_bound(&w->spec.sandbox, &w->failure);

	return error ? error : capabilities_keep(&w->spec.sandbox, &w->failure);
}

static int step_identity(struct ExecWork *w)
{
	return identity_assume(&w->identity);
}

static int step_keyring(struct ExecWork *w)
{
	return namespaces_join_keyring(&w->spec.sandbox, &w->failure);
}

static int step_directory(struct ExecWork *w)
{
	return w->spec.directory && chdir(w->spec.directory) < 0 ? errno : 0;
}

/* Looks for the program now, because a filter may later prevent the report that it is missing. */
static int step_look(struct ExecWork *w)
{
	return syscalls_are_filtered(&w->syscalls) && access(w->spec.argv.items[0], X_OK) < 0 ?
		       errno :
		       0;
}

static int step_capabilities(struct ExecWork *w)
{
	int error = capabilities_assume(&w->spec.sandbox, &w->failure);

	return error ? error :
		       capabilities_forbid_new(&w->spec.sandbox,
					       syscalls_are_filtered(&w->syscalls), &w->failure);
}

static int step_load_filters(struct ExecWork *w)
{
	return syscalls_load(&w->syscalls, &w->failure);
}

static int step_exec(struct ExecWork *w)
{
	char *none[] = { NULL };
	char *const *environment =
		w->environment.list.n > 0 ? (char *const *)w->environment.list.items : none;

	(void)execve(w->spec.argv.items[0], (char *const *)w->spec.argv.items, environment);
	return errno;
}

static int step_remove(struct ExecWork *w)
{
	int error = 0;

	if (!spec_is_removal(&w->spec))
		return 0;
	for (size_t i = 0; i < w->spec.removals.n; i++) {
		const char *name = w->spec.removals.items[i];
		int problem = remove_below(RUNTIME_ROOT, name);

		if (problem)
			error = failure_set(&w->failure, problem,
					    "RuntimeDirectory=: cannot remove " RUNTIME_ROOT "/%s",
					    name);
	}
	if (w->spec.private_tmp) {
		int problem = private_tmp_remove(w->spec.private_tmp, &w->failure);

		error = error ? error : problem;
	}
	if (!error)
		_exit(EXIT_SUCCESS);
	return error;
}

/*
 * The order matters. Steps that need root or the machine's own file system come first. Then the
 * view of the machine changes, then the identity. System call filters are last, because they may
 * forbid all calls except execve(2).
 */
static const struct {
	enum ExecStep step;
	int (*run)(struct ExecWork *w);
} steps[] = {
	{ EXEC_STEP_SETUP, step_descriptors },
	{ EXEC_STEP_SPEC, step_spec },
	{ EXEC_STEP_REMOVE, step_remove },
	{ EXEC_STEP_SPEC, step_sockets },
	{ EXEC_STEP_SPEC, step_ready },
	{ EXEC_STEP_USER, step_user },
	{ EXEC_STEP_USER, step_notify_socket },
	{ EXEC_STEP_ENVIRONMENT, step_environment },
	{ EXEC_STEP_RUNTIME, step_directories },
	{ EXEC_STEP_TTY, step_tty },
	{ EXEC_STEP_INPUT, step_input },
	{ EXEC_STEP_SCHEDULING, step_scheduling },
	{ EXEC_STEP_SANDBOX, step_build_filters },
	{ EXEC_STEP_SANDBOX, step_namespaces },
	{ EXEC_STEP_SANDBOX, step_mounts },
	{ EXEC_STEP_SANDBOX, step_bound_capabilities },
	{ EXEC_STEP_IDENTITY, step_identity },
	{ EXEC_STEP_SANDBOX, step_keyring },
	{ EXEC_STEP_SANDBOX, step_capabilities },
	{ EXEC_STEP_DIRECTORY, step_directory },
	{ EXEC_STEP_EXEC, step_look },
	{ EXEC_STEP_SANDBOX, step_load_filters },
	{ EXEC_STEP_EXEC, step_exec },
};

int main(void)
{
	struct ExecWork work = { .status_fd = EXEC_SPEC_STATUS_FD, .ready_fd = EXEC_SPEC_READY_FD };
	struct ExecStatus status = { 0 };

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		int error = steps[i].run(&work);

		if (!error)
			continue;
		status.step = (int32_t)steps[i].step;
		status.error = error;
		memcpy(status.what, work.failure.what, sizeof(status.what));
		break;
	}
	/* there is no other way to report a failure */
	(void)!write(work.status_fd, &status, sizeof(status));
	_exit(EXIT_NOT_EXECUTED); /* no output to flush; the kernel frees the memory */
}
