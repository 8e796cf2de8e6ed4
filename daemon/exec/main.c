/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * svc-exec: stands between the keeper and a service that needs more than plain system calls, then becomes it.
 *
 * User and group names, environment files, a terminal, runtime directories. What numbers can say (limits, nice, umask)
 * the keeper has already done. It gets no arguments: a specification on descriptor 3 and the exec status pipe on 4
 * (protocol/exec-spec.h). Each step either works or ends it with the step's number and an errno in the pipe.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>

#include "exec/directories.h"
#include "exec/environment.h"
#include "exec/identity.h"
#include "exec/spec.h"
#include "exec/terminal.h"
#include "protocol/exec-spec.h"
#include "protocol/protocol.h"

/* As the keeper's child ends when it could not become the service. */
#define EXIT_NOT_EXECUTED 127

struct Work {
	struct Spec spec;
	struct Identity identity;
	struct Environment environment;
	int status_fd;
	int ready_fd;
};

/* The status pipe closes on exec, and that says "it is running". */
static int step_descriptors(struct Work *w)
{
	return fcntl(w->status_fd, F_SETFD, FD_CLOEXEC) < 0 ? errno : 0;
}

/* Makes room where the service's own descriptor is to be. To the lowest that is free: LimitNOFILE= is in force by now. */
static int move_status(struct Work *w)
{
	int moved = fcntl(w->status_fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);

	if (moved < 0)
		return errno;
	(void)close(w->status_fd); /* the duplicate stays */
	w->status_fd = moved;
	return 0;
}

static int step_spec(struct Work *w)
{
	int error = spec_read(EXEC_SPEC_FD, &w->spec);

	(void)close(EXEC_SPEC_FD); /* read to its end */
	return error;
}

/* The readiness descriptor goes to the number that the service was told. */
static int step_ready(struct Work *w)
{
	int number = (int)w->spec.ready_number;
	int error = 0;

	if (!w->spec.has_ready || number == EXEC_SPEC_READY_FD)
		return 0;
	if (w->spec.ready_number < 3 || w->spec.ready_number > 65535)
		return EINVAL;
	if (number == w->status_fd)
		error = move_status(w);
	if (error)
		return error;
	if (dup2(EXEC_SPEC_READY_FD, number) < 0)
		return errno;
	(void)close(EXEC_SPEC_READY_FD); /* the duplicate stays */
	return 0;
}

static int step_user(struct Work *w)
{
	return identity_resolve(&w->spec, &w->identity);
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

/* From what everybody gets to what nobody may change; the last one wins. */
static int step_environment(struct Work *w)
{
	int error = add_all(&w->environment, &w->spec.environment);

	if (!error && w->spec.tty && !environment_get(&w->environment, "TERM"))
		error = environment_set_pair(&w->environment, "TERM", terminal_type(w->spec.tty));
	if (!error)
		error = identity_environment(&w->identity, &w->environment);
	if (!error)
		error = add_all(&w->environment, &w->spec.settings);
	for (size_t i = 0; !error && i < w->spec.n_files; i++)
		error = environment_read_file(&w->environment, w->spec.files[i].path, w->spec.files[i].optional);
	return error ? error : add_all(&w->environment, &w->spec.fixed);
}

static int step_runtime_directories(struct Work *w)
{
	return directories_make(&w->spec, &w->identity, &w->environment);
}

static int step_tty(struct Work *w)
{
	return w->spec.tty ? terminal_take(w->spec.tty) : 0;
}

static int step_identity(struct Work *w)
{
	return identity_assume(&w->identity);
}

static int step_directory(struct Work *w)
{
	return w->spec.directory && chdir(w->spec.directory) < 0 ? errno : 0;
}

static int step_exec(struct Work *w)
{
	char *none[] = { NULL };
	char *const *environment = w->environment.list.n > 0 ? (char *const *)w->environment.list.items : none;

	(void)execve(w->spec.argv.items[0], (char *const *)w->spec.argv.items, environment);
	return errno;
}

static const struct {
	enum ExecStep step;
	int (*run)(struct Work *w);
} steps[] = {
	{ EXEC_STEP_SETUP, step_descriptors },
	{ EXEC_STEP_SPEC, step_spec },
	{ EXEC_STEP_SPEC, step_ready },
	{ EXEC_STEP_USER, step_user },
	{ EXEC_STEP_ENVIRONMENT, step_environment },
	{ EXEC_STEP_RUNTIME, step_runtime_directories },
	{ EXEC_STEP_TTY, step_tty },
	{ EXEC_STEP_IDENTITY, step_identity },
	{ EXEC_STEP_DIRECTORY, step_directory },
	{ EXEC_STEP_EXEC, step_exec },
};

int main(void)
{
	struct Work work = { .status_fd = EXEC_SPEC_STATUS_FD };
	struct ExecStatus status = { 0 };

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		int error = steps[i].run(&work);

		if (!error)
			continue;
		status.step = (int32_t)steps[i].step;
		status.error = error;
		break;
	}
	(void)!write(work.status_fd, &status, sizeof(status)); /* nobody else to tell */
	_exit(EXIT_NOT_EXECUTED); /* nothing to flush; memory goes with the process */
}
