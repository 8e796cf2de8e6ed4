/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Changes: changes of policy that an authorised client requests on the bus. The manager writes no
 * policy: the keeper runs "svcctl --as-helper=UID ARGUMENTS", which does. When it has ended, the
 * files are read, and then the client gets its answer. Changes run one at a time, in the order of
 * the requests.
 *
 * The helper's output goes into a memfd of fixed size (memfd_create(2), F_SEAL_GROW). So it need
 * not be read while the helper runs, and it cannot fill the memory. A helper that outlives its
 * manager gets no SIGPIPE half way.
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

typedef struct Change {
	uint64_t ticket;
	char **words;
	Requester who;
	uint64_t invocation; /* 0: not begun */
	int output_fd;       /* -1: not begun */
	bool is_late;        /* its time limit has passed; it is answered, and was killed */
	struct MessageExited ended; /* the exit of its program: the files are being read; id.invocation 0: it has not ended */
} Change;

static void begin_next(Manager *m);

static void change_free(Change *change)
{
	fd_close(&change->output_fd);
	g_strfreev(change->words);
	g_free(change);
}

static void refuse(Manager *m, const Change *change, const GError *error)
{
	log_warning(NULL, "policy was not changed for uid %u: %s", (unsigned)change->who.uid, error->message);
	bus_change_failed(m->bus, change->ticket, error);
}

/* --- running it --- */

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

static GPtrArray *make_argv(const Change *change)
{
	GPtrArray *argv = g_ptr_array_new_with_free_func(g_free);

	g_ptr_array_add(argv, g_strdup(PROGRAM));
	g_ptr_array_add(argv, g_strdup_printf("--as-helper=%u", (unsigned)change->who.uid)); /* for the history */
	for (char **word = change->words; *word; word++)
		g_ptr_array_add(argv, g_strdup(*word));
	g_ptr_array_add(argv, NULL);
	return argv;
}

static bool begin(Manager *m, Change *change, GError **error)
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
	m->change_row = change->invocation;
	return change->invocation > 0;
}

static void end_first(Manager *m)
{
	change_free(g_queue_pop_head(&m->changes));
}

static Change *find_running(const Manager *m, uint64_t invocation)
{
	Change *first = g_queue_peek_head(&((Manager *)m)->changes);

	return first && first->invocation == invocation ? first : NULL;
}

static void on_limit(void *data)
{
	Manager *m = data;
	Change *change = find_running(m, m->change_row);
	g_autoptr(GError) error = NULL;
	struct ProcessId id;

	fail(&error, SVCD_ERROR_TIMEOUT, "%s did not end within %d s; it is not known whether policy was changed", PROGRAM,
	     (int)(LIMIT_CHANGE_US / G_USEC_PER_SEC));
	if (change) {
		refuse(m, change, error);
		change->is_late = true; /* and stays the first until its row is free */
	} else {
		log_warning(NULL, "%s; it was requested when another manager ran", error->message);
	}
	process_id_init(&id, changes_helper.service, ROLE_MAIN, m->change_row);
	keeper_link_signal(m->link, &id, SIGKILL);
}

/* The invocation number is the start time, so a change keeps its limit across managers. */
static void arm_limit(Manager *m)
{
	if (!m->change_limit)
		m->change_limit = timer_new(on_limit, m);
	timer_arm(m->change_limit, (int64_t)m->change_row + LIMIT_CHANGE_US);
}

static void begin_next(Manager *m)
{
	Change *change;

	while (!m->change_row && (change = g_queue_peek_head(&m->changes))) {
		g_autoptr(GError) error = NULL;

		if (begin(m, change, &error)) {
			arm_limit(m);
			return;
		}
		refuse(m, change, error);
		end_first(m);
	}
}

/* --- messages of the keeper --- */

static void free_row(Manager *m)
{
	m->change_row = 0;
	if (m->change_limit)
		timer_disarm(m->change_limit);
}

/* If the row is not ours, an earlier manager started it, and the change continues. */
static void take_over(Manager *m, uint64_t invocation)
{
	if (m->change_row == invocation)
		return;
	m->change_row = invocation;
	arm_limit(m);
}

static void on_spawned(Manager *m, const struct MessageSpawned *message)
{
	Change *change = find_running(m, message->id.invocation);
	g_autoptr(GError) error = NULL;

	if (!message->error) {
		take_over(m, message->id.invocation);
		return;
	}
	free_row(m);
	if (!change)
		return;
	fail_errno(&error, message->error, "cannot run %s", PROGRAM);
	refuse(m, change, error);
	end_first(m);
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

static void answer(Manager *m, const Change *change, const struct MessageExited *message)
{
	g_autofree char *output = read_output(change->output_fd);
	g_autoptr(GError) error = NULL;

	if (message->code == CLD_EXITED) {
		bus_change_ended(m->bus, change->ticket, (unsigned)message->status, output);
		return;
	}
	fail(&error, SVCD_ERROR_FAILED, "%s was killed by signal %d; it is not known whether policy was changed", PROGRAM,
	     message->status);
	refuse(m, change, error);
}

/*
 * The files are read even if the helper failed, because it may have written some before it was
 * killed. changes_on_files() sends the answer when they are in force.
 */
static void on_exited(Manager *m, const struct MessageExited *message)
{
	Change *change = find_running(m, message->id.invocation);

	free_row(m);
	if (change)
		change->ended = *message;
	files_load(m);
	if (!change && !m->recovery) /* an earlier manager started it */
		begin_next(m);
}

static void refuse_unread(Manager *m, const Change *change, const char *problem)
{
	g_autoptr(GError) error = NULL;

	fail(&error, SVCD_ERROR_FAILED, "the change is written, but not in force: %s", problem);
	refuse(m, change, error);
}

void changes_on_files(Manager *m, const char *problem)
{
	const Change *change = g_queue_peek_head(&m->changes);

	if (!change || change->ended.id.invocation == 0)
		return;
	if (problem && !change->is_late)
		refuse_unread(m, change, problem);
	else if (!change->is_late)
		answer(m, change, &change->ended);
	end_first(m);
	begin_next(m);
}

const Helper changes_helper = { .service = ".changes", .spawned = on_spawned, .exited = on_exited };

/* --- requests --- */

static bool is_option(const char *word, const char *name)
{
	const size_t length = strlen(name);

	return strncmp(word, name, length) == 0 && (word[length] == '\0' || word[length] == '=');
}

/*
 * The helper checks its arguments itself and refuses those that are no change of policy. Here only
 * arguments are refused that would make svcctl act as another program.
 */
static bool check_words(const char *const *words, GError **error)
{
	static const char *const verbs[] = { "set", "enable", "disable", "edit", "undo", "new", NULL };
	size_t n_bytes = 0;

	if (!g_strv_contains(verbs, words[0]))
		return fail(error, SVCD_ERROR_INVALID_ARGUMENT, "\"%s\" is not a change of policy", words[0]);
	for (size_t i = 0; words[i]; i++) {
		n_bytes += strlen(words[i]) + 1;
		if (is_option(words[i], "--root") || is_option(words[i], "--as-helper"))
			return fail(error, SVCD_ERROR_INVALID_ARGUMENT, "%s cannot be used for changes over the bus", words[i]);
	}
	return n_bytes <= LIMIT_CHANGE_BYTES ||
	       fail(error, SVCD_ERROR_INVALID_ARGUMENT, "a change of policy has at most %d bytes", LIMIT_CHANGE_BYTES);
}

static bool check_manager(const Manager *m, GError **error)
{
	if (!(m->welcome.flags & WELCOME_IS_PID1))
		return fail(error, SVCD_ERROR_NOT_SUPPORTED, "this svcd does not manage the machine: change its files by hand");
	if (m->shutdown != SHUTDOWN_NONE)
		return fail(error, SVCD_ERROR_SHUTTING_DOWN, "the machine is going down");
	if (g_queue_get_length((GQueue *)&m->changes) > LIMIT_CHANGES_WAITING)
		return fail(error, SVCD_ERROR_LIMIT_REACHED, "%d changes of policy are waiting already", LIMIT_CHANGES_WAITING);
	return true;
}

bool changes_ask(void *manager, uint64_t ticket, const char *const *words, const Requester *who, GError **error)
{
	Manager *m = manager;
	g_autofree char *text = g_strjoinv(" ", (char **)words);
	Change *change;

	if (!check_words(words, error) || !check_manager(m, error))
		return false;
	log_notice(NULL, "changing policy: %s; asked by uid %u (pid %d)", text, (unsigned)who->uid, (int)who->pid);
	change = g_new0(Change, 1);
	change->ticket = ticket;
	change->words = g_strdupv((char **)words);
	change->who = *who;
	change->output_fd = -1;
	g_queue_push_tail(&m->changes, change);
	if (g_queue_get_length(&m->changes) == 1)
		begin_next(m);
	return true;
}
