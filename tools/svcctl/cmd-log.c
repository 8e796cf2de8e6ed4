/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * log: the output of services. It is read from files, so the verb works without a running svcd. The
 * output of an earlier boot is in cmd-log-saved.c.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/errors.h"
#include "base/fd.h"
#include "base/text.h"
#include "config/search-path.h"
#include "model/name.h"
#include "svcctl/log-lines.h"
#include "svcctl/saved-boot.h"
#include "svcctl/svcctl.h"

enum { DEFAULT_LINES = 50 };

/* The interval between two checks for a file that does not exist yet. */
enum { FOLLOW_AGAIN_MS = 500 };

char *log_directory(const Context *context)
{
	const char *directory = g_getenv("SVCD_LOG_DIRECTORY");
	g_autofree char *runtime = search_path_runtime(context->options.is_user);

	return directory && *directory ? g_strdup(directory) :
					 g_build_filename(runtime, "log", NULL);
}

static bool parse_lines(const char *text, unsigned *ret, GError **error)
{
	uint64_t number = DEFAULT_LINES;

	if (text && strcmp(text, "all") == 0)
		number = G_MAXUINT;
	else if (text && !text_parse_uint(text, 10, G_MAXUINT, &number))
		return fail_ctl(error, CTL_ERROR_USAGE,
				"--lines takes a number or \"all\", not \"%s\"", text);
	*ret = (unsigned)number;
	return true;
}

/* The file that is followed. A new one takes its place when svc-logger rotates it. */
typedef struct Follower {
	int fd;
	ino_t inode;
	char *path;
	GString *partial; /* the beginning of an incomplete line */
} Follower;

static void print_bytes(Output *output, GString *partial, const char *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (bytes[i] != '\n') {
			g_string_append_c(partial, bytes[i]);
			continue;
		}
		output_line(output, "%s", partial->str);
		g_string_truncate(partial, 0);
	}
	(void)fflush(output->out); /* follow() checks whether it was written */
}

static void read_on(Follower *follower, Output *output)
{
	char buffer[4096];
	ssize_t n;

	while (follower->fd >= 0 && (n = read(follower->fd, buffer, sizeof buffer)) > 0)
		print_bytes(output, follower->partial, buffer, (size_t)n);
}

/* Switches to the new file if there is one. */
static void reopen(Follower *follower, Output *output)
{
	struct stat st;

	if (stat(follower->path, &st) < 0 || (follower->fd >= 0 && st.st_ino == follower->inode))
		return;
	read_on(follower, output); /* the rest of the old file comes first */
	fd_close(&follower->fd);
	follower->fd = open(follower->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	follower->inode = st.st_ino;
}

/* Opens @path if it is still the file of @end, and continues at that position. */
static bool resume(Follower *follower, const char *path, const LogEnd *end)
{
	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || st.st_ino != end->inode ||
	    lseek(fd, end->offset, SEEK_SET) < 0)
		return false;
	follower->fd = fd_steal(&fd);
	follower->inode = st.st_ino;
	return true;
}

static bool follow(Context *context, const char *name, const LogEnd *end, GError **error)
{
	g_autofree char *directory = log_directory(context);
	g_autofree char *path = log_path(directory, name);
	g_autofree char *older = g_strconcat(path, ".1", NULL);
	g_autoptr(GString) partial = g_string_new(NULL);
	Follower follower = { .fd = -1, .path = path, .partial = partial };
	auto_fd int watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	struct pollfd wait = { .fd = watch, .events = POLLIN };
	bool is_watched;
	char events[4096];

	if (watch < 0)
		return fail_errno(error, errno, "cannot watch %s", path);
	/* If the file was rotated meanwhile, the rest of the old file comes first. */
	if (!resume(&follower, path, end))
		(void)resume(&follower, older, end);
	do {
		while (read(watch, events, sizeof events) > 0)
			;
		read_on(&follower, &context->output);
		/*
		 * The file is watched, not the directory, because only root can list the directory.
		 * A rotation moves the file.
		 */
		is_watched = inotify_add_watch(watch, path, IN_MODIFY | IN_MOVE_SELF) >= 0;
		reopen(&follower, &context->output);
		read_on(&follower, &context->output);
		if (ferror(context->output.out)) {
			fd_close(&follower.fd);
			/* the reader has left, or the disk is full; main() reports it */
			return true;
		}
	} while (poll(&wait, 1, is_watched ? -1 : FOLLOW_AGAIN_MS) >= 0 || errno == EINTR);
	fd_close(&follower.fd);
	return fail_errno(error, errno, "cannot wait for %s", path);
}

/* The service has no output: does it exist? */
static bool check_service(Context *context, const char *name, GError **error)
{
	g_autoptr(GError) problem = NULL;
	g_autoptr(GVariant) service = client_service(context->client, name, &problem);

	if (service || !g_error_matches(problem, SVCD_ERROR_DOMAIN, SVCD_ERROR_NO_SUCH_SERVICE))
		return true; /* unknown without svcd */
	g_propagate_error(error, g_steal_pointer(&problem));
	context_advise(context, *error, name);
	return false;
}

/*
 * The most likely name of the service in the system log: the name of its main process, or its own;
 * a new string.
 */
static char *syslog_name(Context *context, const char *name)
{
	g_autoptr(GVariant) service = client_service(context->client, name, NULL);
	const uint64_t pid = service ? record_number(service, "MainPid") : 0;
	g_autofree char *path = g_strdup_printf("/proc/%" G_GUINT64_FORMAT "/comm", pid);
	char *comm = NULL;

	if (pid == 0 || !g_file_get_contents(path, &comm, NULL, NULL))
		return g_strdup(name);
	return g_strchomp(comm);
}

/* Many daemons log only with syslog(3). */
static void confirm_nothing(Context *context, const char *name)
{
	g_autofree char *program = syslog_name(context, name);
	const char *file = log_find_in_syslog(program);

	if (file)
		output_confirm(&context->output, "%s writes to the system log: grep '%s\\[' %s",
			       name, program, file);
	else if (log_syslog_is_closed())
		output_confirm(
			&context->output,
			"%s has written nothing to svcd; only root and the group adm may read "
			"the system log",
			name);
	else
		output_confirm(&context->output, "%s has written nothing", name);
}

/* --- lines --- */

/* The services with files that may be read. Returns: a new array of names, owned. */
static GPtrArray *all_names(Context *context, GError **error)
{
	g_autofree char *directory = log_directory(context);
	g_autoptr(GDir) dir = g_dir_open(directory, 0, NULL); /* only root may list it */
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GPtrArray) records = dir ? NULL : get_services_with(context, "Name", error);
	const char *entry;

	while (dir && (entry = g_dir_read_name(dir))) {
		if (g_str_has_suffix(entry, ".log"))
			g_ptr_array_add(names, g_strndup(entry, strlen(entry) - strlen(".log")));
	}
	for (guint i = 0; records && i < records->len; i++)
		g_ptr_array_add(names,
				g_strdup(record_text(g_ptr_array_index(records, i), "Name")));
	return dir || records ? g_steal_pointer(&names) : NULL;
}

/* The name is checked because it becomes part of a path. */
static bool check_name(const char *name, GError **error)
{
	g_autofree char *problem = NULL;

	return name_check_service(name, &problem) ||
	       fail(error, SVCD_ERROR_NO_SUCH_SERVICE, "%s", problem);
}

GPtrArray *log_named(Context *context, GError **error)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);

	for (unsigned i = 0; i < context->n_names; i++) {
		if (!check_name(context->names[i], error))
			return NULL;
		g_ptr_array_add(names, g_strdup(context->names[i]));
	}
	return g_steal_pointer(&names);
}

/*
 * With all services, files that may not be read are skipped. The first refusal applies to the rest,
 * so polkit is asked only once.
 */
static bool read_all(Context *context, const GPtrArray *names, GPtrArray *lines, LogEnd *end,
		     GError **error)
{
	unsigned n_refused = 0;

	for (guint i = 0; i < names->len; i++) {
		g_autoptr(GError) problem = NULL;

		if (n_refused > 0 && !log_may_open(context, g_ptr_array_index(names, i)))
			n_refused++;
		else if (!log_lines_read(context, g_ptr_array_index(names, i), lines, end,
					 &problem)) {
			if (context->n_names > 0 || names->len == 1) {
				g_propagate_error(error, g_steal_pointer(&problem));
				return false;
			}
			n_refused++;
		}
	}
	if (n_refused == names->len && n_refused > 0)
		return fail(error, SVCD_ERROR_NOT_AUTHORIZED,
			    "permission denied: only root may read the logs of all services");
	if (n_refused > 0)
		fprintf(context->output.err,
			"svcctl: permission denied for the logs of %u other services\n", n_refused);
	return true;
}

static bool show_lines(Context *context, const GPtrArray *names, const char *since, unsigned n,
		       LogEnd *end, GError **error)
{
	g_autoptr(GPtrArray) lines = log_lines_new();

	if (!read_all(context, names, lines, end, error))
		return false;
	if (lines->len == 0 && n > 0 && context->n_names == 1 &&
	    !check_service(context, context->names[0], error))
		return false;
	log_lines_select(lines, since, n);
	log_lines_set_data(context, names, lines, NULL);
	for (guint i = 0; i < names->len && !context->output.is_quiet && !context->output.is_json;
	     i++)
		log_lines_mark(context, g_ptr_array_index(names, i), lines);
	log_lines_print(context, lines);
	if (lines->len == 0 && n > 0 && context->n_names == 1 && !context->options.follows &&
	    !*since)
		confirm_nothing(context, context->names[0]);
	(void)fflush(context->output.out); /* a lost pipe is found at the end */
	return true;
}

static bool check_options(const Context *context, GError **error)
{
	const Options *options = &context->options;

	if (!options->follows)
		return true;
	if (context->output.is_json)
		return fail_ctl(error, CTL_ERROR_USAGE,
				"--follow never ends, so it does not work with --json");
	if (options->boot)
		return fail_ctl(error, CTL_ERROR_USAGE, "--follow does not work with --boot");
	return context->n_names == 1 || fail_ctl(error, CTL_ERROR_USAGE, "--follow needs one NAME");
}

bool cmd_log(Context *context, GError **error)
{
	const Options *options = &context->options;
	g_autoptr(GPtrArray) names = NULL;
	g_autoptr(SavedBoot) boot = NULL;
	g_autofree char *since = NULL;
	LogEnd end = { 0 };
	unsigned n = 0;

	if (!check_options(context, error) || !parse_lines(options->lines ? options->lines :
							   options->since ? "all" :
									    NULL,
							   &n, error))
		return false;
	since = options->since ? log_parse_since(options->since, error) : g_strdup("");
	if (!since || (options->boot && !boots_load_earlier(context, &boot, error)))
		return false;
	if (boot)
		return log_saved(context, boot, since, n, error);
	names = context->n_names > 0 ? log_named(context, error) : all_names(context, error);
	if (!names)
		return false;
	if (options->follows && !log_may_open(context, names->pdata[0]))
		return fail(
			error, SVCD_ERROR_NOT_AUTHORIZED,
			"permission denied: only root and the operators of %s may follow its log",
			context->names[0]);
	return show_lines(context, names, since, n, options->follows ? &end : NULL, error) &&
	       (!options->follows || follow(context, context->names[0], &end, error));
}
