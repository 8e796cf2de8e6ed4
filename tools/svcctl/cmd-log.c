/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * log: what a service wrote. Read from the files, so that it works while svcd does not.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/errors.h"
#include "base/fd.h"
#include "base/text.h"
#include "config/search-path.h"
#include "model/name.h"
#include "svcctl/log-tail.h"
#include "svcctl/svcctl.h"

enum { DEFAULT_LINES = 50 };

/* A file that is not there yet is looked for again after this. */
enum { FOLLOW_AGAIN_MS = 500 };

char *log_directory(const Context *context)
{
	const char *directory = g_getenv("SVCD_LOG_DIRECTORY");
	g_autofree char *runtime = search_path_runtime(context->options.is_user);

	return directory && *directory ? g_strdup(directory) : g_build_filename(runtime, "log", NULL);
}

static bool parse_lines(const char *text, unsigned *ret, GError **error)
{
	uint64_t number = DEFAULT_LINES;

	if (text && strcmp(text, "all") == 0)
		number = G_MAXUINT;
	else if (text && !text_parse_uint(text, 10, G_MAXUINT, &number))
		return fail_ctl(error, CTL_ERROR_USAGE, "--lines takes a number or \"all\", not \"%s\"", text);
	*ret = (unsigned)number;
	return true;
}

/* The file that is followed; a new one takes its place when svc-logger turns it. */
typedef struct Follower {
	int fd;
	ino_t inode;
	char *path;
	GString *partial; /* of a line whose end is not there yet */
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
	(void)fflush(output->out); /* follow() looks whether it got through */
}

static void read_on(Follower *follower, Output *output)
{
	char buffer[4096];
	ssize_t n;

	while (follower->fd >= 0 && (n = read(follower->fd, buffer, sizeof buffer)) > 0)
		print_bytes(output, follower->partial, buffer, (size_t)n);
}

/* Goes over to the new file when there is one. */
static void reopen(Follower *follower, Output *output)
{
	struct stat st;

	if (stat(follower->path, &st) < 0 || (follower->fd >= 0 && st.st_ino == follower->inode))
		return;
	read_on(follower, output); /* what was written before it was turned */
	fd_close(&follower->fd);
	follower->fd = open(follower->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	follower->inode = st.st_ino;
}

/* Opens @path if it is the file that was read before, and goes on behind that. */
static bool resume(Follower *follower, const char *path, const LogEnd *end)
{
	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || st.st_ino != end->inode || lseek(fd, end->offset, SEEK_SET) < 0)
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
	/* It may have been turned since: then its rest comes first. */
	if (!resume(&follower, path, end))
		(void)resume(&follower, older, end);
	do {
		while (read(watch, events, sizeof events) > 0)
			;
		read_on(&follower, &context->output);
		/* The file, because only root can list the directory, and so watch it. A rotation moves the file. */
		is_watched = inotify_add_watch(watch, path, IN_MODIFY | IN_MOVE_SELF) >= 0;
		reopen(&follower, &context->output);
		read_on(&follower, &context->output);
		if (ferror(context->output.out)) {
			fd_close(&follower.fd);
			return true; /* the reader has left, or the disk is full; the end tells */
		}
	} while (poll(&wait, 1, is_watched ? -1 : FOLLOW_AGAIN_MS) >= 0 || errno == EINTR);
	fd_close(&follower.fd);
	return fail_errno(error, errno, "cannot wait for %s", path);
}

/* No output: is there such a service at all? */
static bool check_service(Context *context, const char *name, GError **error)
{
	g_autoptr(GError) problem = NULL;
	g_autoptr(GVariant) service = client_service(context->client, name, &problem);

	if (service || !g_error_matches(problem, SVCD_ERROR_DOMAIN, SVCD_ERROR_NO_SUCH_SERVICE))
		return true; /* without svcd nobody can tell */
	g_propagate_error(error, g_steal_pointer(&problem));
	context_advise(context, *error, name);
	return false;
}

/* Other users find the directory, but only the operators' group may open the files. */
static bool check_permission(const char *directory, const char *name, GError **error)
{
	g_autofree char *path = log_path(directory, name);

	if (faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) == 0 || errno != EACCES)
		return true;
	return fail(error, SVCD_ERROR_NOT_AUTHORIZED, "permission denied: only root and the operators of %s may read its log", name);
}

/* The name by which the service writes to the system log, as far as can be known: that of its main process, or its own; a new string. */
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

/* Many daemons write to syslog(3) alone. */
static void confirm_nothing(Context *context, const char *name)
{
	g_autofree char *program = syslog_name(context, name);
	const char *file = log_find_in_syslog(program);

	if (file)
		output_confirm(&context->output, "%s writes to the system log: grep '%s\\[' %s", name, program, file);
	else
		output_confirm(&context->output, "%s has written nothing", name);
}

static JsonNode *lines_to_json(const char *name, const GPtrArray *lines)
{
	JsonObject *object = json_object_new();
	JsonArray *array = json_array_new();
	JsonNode *node;

	for (guint i = 0; i < lines->len; i++) {
		g_autofree char *valid = g_utf8_make_valid(g_ptr_array_index(lines, i), -1);

		json_array_add_string_element(array, valid);
	}
	json_object_set_string_member(object, "name", name);
	json_object_set_array_member(object, "lines", array);
	node = json_node_init_object(json_node_alloc(), object);
	json_object_unref(object);
	return node;
}

bool cmd_log(Context *context, GError **error)
{
	const char *name = context->names[0];
	g_autofree char *directory = log_directory(context);
	g_autofree char *problem = NULL;
	g_autoptr(GPtrArray) lines = NULL;
	LogEnd end = { 0 };
	unsigned n = 0;

	/* It becomes part of a path. */
	if (!name_check_service(name, &problem))
		return fail(error, SVCD_ERROR_NO_SUCH_SERVICE, "%s", problem);
	if (!parse_lines(context->options.lines, &n, error))
		return false;
	if (context->options.follows && context->output.is_json)
		return fail_ctl(error, CTL_ERROR_USAGE, "--follow has no end, and JSON needs one");
	if (!check_permission(directory, name, error))
		return false;
	lines = log_tail(directory, name, n, context->options.follows ? &end : NULL);
	if (lines->len == 0 && n > 0 && !check_service(context, name, error))
		return false;
	for (guint i = 0; i < lines->len; i++)
		output_line(&context->output, "%s", (const char *)g_ptr_array_index(lines, i));
	output_set_data(&context->output, lines_to_json(name, lines));
	if (lines->len == 0 && n > 0 && !context->options.follows)
		confirm_nothing(context, name);
	(void)fflush(context->output.out); /* a lost pipe is found at the end */
	return !context->options.follows || follow(context, name, &end, error);
}
