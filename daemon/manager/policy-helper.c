/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Policy helper: changes of policy that an authorised client requests on the bus. The manager
 * writes no policy: the keeper runs "svcctl --as-helper=UID ARGUMENTS", which writes it. When
 * svcctl has ended, the files are read, and then the client gets its answer. Changes run one at a
 * time, in the order of the requests.
 *
 * The helper's output goes into a memfd of fixed size (memfd_create(2), F_SEAL_GROW). So it is read
 * only after the helper has ended, and it cannot fill the memory. A helper that outlives its
 * manager gets no SIGPIPE.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/errors.h"
#include "base/fd.h"
#include "base/limits.h"
#include "base/log.h"
#include "manager/manager.h"

#define PROGRAM SVCD_BINDIR "/svcctl"

typedef struct PolicyChange {
	uint64_t ticket;
	char **arguments;
	Requester requester;
	uint64_t invocation; /* 0: not begun */
	int output_fd; /* -1: not begun */
	bool is_late; /* the time limit has passed: helper killed, client answered */
	/* the exit of the helper, while the files are read; id.invocation 0: it has not ended */
	struct MessageExited ended;
} PolicyChange;

static struct {
	/* PolicyChange *; the first is in progress, unless another change still has the row */
	GQueue queue;
	Timer *limit; /* armed while the row is in use */
	uint64_t row; /* invocation of the row that is in use; 0: none */
} changes;

static void begin_next(Manager *m);

static void policy_change_free(PolicyChange *change)
{
	fd_close(&change->output_fd);
	g_strfreev(change->arguments);
	g_free(change);
}

static void refuse(Manager *m, const PolicyChange *change, const GError *error)
{
	log_warning(NULL, "policy was not changed for uid %u: %s", (unsigned)change->requester.uid,
		    error->message);
	bus_change_failed(m->bus, change->ticket, error);
}

/* --- running the helper --- */

static int make_output(GError **error)
{
	auto_fd int fd = memfd_create("svcd-change", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0 || ftruncate(fd, LIMIT_CHANGE_OUTPUT_BYTES) < 0 ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK) < 0) {
		fail_errno(error, errno, "cannot allocate memory for the output of svcctl");
		return -1;
	}
	return fd_steal(&fd);
}

static GPtrArray *make_argv(const PolicyChange *change)
{
	GPtrArray *argv = g_ptr_array_new_with_free_func(g_free);

	g_ptr_array_add(argv, g_strdup(PROGRAM));
	/* the policy history records this user */
	g_ptr_array_add(argv, g_strdup_printf("--as-helper=%u", (unsigned)change->requester.uid));
	for (char **argument = change->arguments; *argument; argument++)
		g_ptr_array_add(argv, g_strdup(*argument));
	g_ptr_array_add(argv, NULL);
	return argv;
}

static bool begin(Manager *m, PolicyChange *change, GError **error)
{
	g_autoptr(GPtrArray) argv = make_argv(change);

	change->output_fd = make_output(error);
	if (change->output_fd < 0)
		return false;
	change->invocation = helper_spawn(m, &changes_helper,
					  &(HelperRun){ .argv = (const char *const *)argv->pdata,
							.input_fd = m->context.null_fd,
							.output_fd = change->output_fd },
					  error);
	changes.row = change->invocation;
	return change->invocation > 0;
}

static void end_first(void)
{
	policy_change_free(g_queue_pop_head(&changes.queue));
}

static PolicyChange *find_running(uint64_t invocation)
{
	PolicyChange *first = g_queue_peek_head(&changes.queue);

	return first && first->invocation == invocation ? first : NULL;
}

static void on_limit(void *data)
{
	Manager *m = data;
	PolicyChange *change = find_running(changes.row);
	g_autoptr(GError) error = NULL;
	struct ProcessId id;

	fail(&error, SVCD_ERROR_TIMEOUT,
	     "%s did not end within %d s; it is not known whether policy was changed", PROGRAM,
	     (int)(LIMIT_CHANGE_US / G_USEC_PER_SEC));
	if (change) {
		refuse(m, change, error);
		change->is_late = true; /* it stays the first change until its row is free */
	} else {
		log_warning(NULL, "%s; it was requested from an earlier manager", error->message);
	}
	process_id_init(&id, changes_helper.service, ROLE_MAIN, changes.row);
	keeper_link_signal(m->link, &id, SIGKILL);
}

/* The invocation number is the start time, so a change keeps its limit across managers. */
static void arm_limit(Manager *m)
{
	if (!changes.limit)
		changes.limit = timer_new(on_limit, m);
	timer_arm(changes.limit, (int64_t)changes.row + LIMIT_CHANGE_US);
}

static void begin_next(Manager *m)
{
	PolicyChange *change;

	while (!changes.row && (change = g_queue_peek_head(&changes.queue))) {
		g_autoptr(GError) error = NULL;

		if (begin(m, change, &error)) {
			arm_limit(m);
			return;
		}
		refuse(m, change, error);
		end_first();
	}
}

/* --- messages of the keeper --- */

static void free_row(void)
{
	changes.row = 0;
	if (changes.limit)
		timer_disarm(changes.limit);
}

/* A row that is not ours belongs to a change of an earlier manager, which continues. */
static void take_over(Manager *m, uint64_t invocation)
{
	if (changes.row == invocation)
		return;
	changes.row = invocation;
	arm_limit(m);
}

static void on_spawned(Manager *m, const struct MessageSpawned *message)
{
	PolicyChange *change = find_running(message->id.invocation);
	g_autoptr(GError) error = NULL;

	if (!message->error) {
		take_over(m, message->id.invocation);
		return;
	}
	free_row();
	if (!change)
		return;
	fail_errno(&error, message->error, "cannot run %s", PROGRAM);
	refuse(m, change, error);
	end_first();
	begin_next(m);
}

/* Helper and manager share the file offset, which is therefore the number of written bytes. */
static char *read_output(int fd)
{
	const off_t length = CLAMP(lseek(fd, 0, SEEK_CUR), 0, LIMIT_CHANGE_OUTPUT_BYTES);
	g_autofree char *text = g_malloc0((gsize)length + 1);
	const ssize_t n = pread(fd, text, (size_t)length, 0);

	text[n > 0 ? n : 0] = '\0';
	return g_steal_pointer(&text);
}

static void answer(Manager *m, const PolicyChange *change, const struct MessageExited *message)
{
	g_autofree char *output = read_output(change->output_fd);
	g_autoptr(GError) error = NULL;

	if (message->code == CLD_EXITED) {
		bus_change_ended(m->bus, change->ticket, (unsigned)message->status, output);
		return;
	}
	fail(&error, SVCD_ERROR_FAILED,
	     "%s was killed by signal %d; it is not known whether policy was changed", PROGRAM,
	     message->status);
	refuse(m, change, error);
}

/*
 * The files are read even if the helper failed, because it may have written some of them before it
 * was killed. policy_helper_on_files() sends the answer when they are in force.
 */
static void on_exited(Manager *m, const struct MessageExited *message)
{
	PolicyChange *change = find_running(message->id.invocation);

	free_row();
	if (change)
		change->ended = *message;
	files_load(m);
	if (!change && !m->recovery) /* an earlier manager started it */
		begin_next(m);
}

static void refuse_unread(Manager *m, const PolicyChange *change, const char *problem)
{
	g_autoptr(GError) error = NULL;

	fail(&error, SVCD_ERROR_FAILED, "the change was written, but is not in force: %s", problem);
	refuse(m, change, error);
}

void policy_helper_on_files(Manager *m, const char *problem)
{
	const PolicyChange *change = g_queue_peek_head(&changes.queue);

	if (!change || change->ended.id.invocation == 0)
		return;
	if (problem && !change->is_late)
		refuse_unread(m, change, problem);
	else if (!change->is_late)
		answer(m, change, &change->ended);
	end_first();
	begin_next(m);
}

const Helper changes_helper = { .service = ".changes", .spawned = on_spawned, .exited = on_exited };

/* --- requests --- */

static bool is_option(const char *argument, const char *name)
{
	const size_t length = strlen(name);

	return strncmp(argument, name, length) == 0 &&
	       (argument[length] == '\0' || argument[length] == '=');
}

/*
 * The helper checks its arguments itself and refuses those that do not change policy. This function
 * refuses only arguments that would make svcctl act as another program.
 */
static bool check_arguments(const char *const *arguments, GError **error)
{
	static const char *const verbs[] = {
		"set", "enable", "disable", "edit", "undo", "new", NULL
	};
	size_t n_bytes = 0;

	if (!g_strv_contains(verbs, arguments[0]))
		return fail(error, SVCD_ERROR_INVALID_ARGUMENT, "\"%s\" is not a change of policy",
			    arguments[0]);
	for (size_t i = 0; arguments[i]; i++) {
		n_bytes += strlen(arguments[i]) + 1;
		if (is_option(arguments[i], "--root") || is_option(arguments[i], "--as-helper"))
			return fail(error, SVCD_ERROR_INVALID_ARGUMENT,
				    "%s cannot be used for changes over the bus", arguments[i]);
	}
	return n_bytes <= LIMIT_CHANGE_BYTES ||
	       fail(error, SVCD_ERROR_INVALID_ARGUMENT, "a change of policy has at most %d bytes",
		    LIMIT_CHANGE_BYTES);
}

static bool check_manager(const Manager *m, GError **error)
{
	if (!(m->welcome.flags & WELCOME_IS_PID1))
		return fail(
			error, SVCD_ERROR_NOT_SUPPORTED,
			"this svcd does not manage the machine: change its policy files by hand");
	if (power_is_ending())
		return fail(error, SVCD_ERROR_SHUTTING_DOWN, "the machine is going down");
	if (g_queue_get_length(&changes.queue) > LIMIT_CHANGES_WAITING)
		return fail(error, SVCD_ERROR_LIMIT_REACHED,
			    "%d changes of policy are waiting already", LIMIT_CHANGES_WAITING);
	return true;
}

bool policy_helper_request(void *manager, uint64_t ticket, const char *const *arguments,
			   const Requester *requester, GError **error)
{
	Manager *m = manager;
	g_autofree char *text = g_strjoinv(" ", (char **)arguments);
	PolicyChange *change;

	if (!check_arguments(arguments, error) || !check_manager(m, error))
		return false;
	log_notice(NULL, "changing policy: %s; requested by uid %u (pid %d)", text,
		   (unsigned)requester->uid, (int)requester->pid);
	change = g_new0(PolicyChange, 1);
	change->ticket = ticket;
	change->arguments = g_strdupv((char **)arguments);
	change->requester = *requester;
	change->output_fd = -1;
	g_queue_push_tail(&changes.queue, change);
	if (g_queue_get_length(&changes.queue) == 1)
		begin_next(m);
	return true;
}
