/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Spawn request: fills in a SpawnParameters from a plan.
 */
#include "config.h"

#include "process/spawn-request.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/errors.h"
#include "base/fd.h"
#include "base/limits.h"
#include "base/text.h"
#include "process/exec-spec.h"
#include "protocol/exec-protocol.h"

/* The data that the SpawnParameters points to while it is sent. */
typedef struct SpawnDraft {
	SpawnParameters request;
	GPtrArray *argv; /* char *, NULL at the end */
	GPtrArray *environment; /* char *, NULL at the end */
	GPtrArray *fixed; /* char *, NULL at the end: ours, never overridden */
	GArray *groups; /* gid_t */
	GArray *rlimits; /* struct SpawnRlimit */
	int inherited[3 + LIMIT_SOCKETS];
	int spec_fd;
	char *private_tmp; /* path of the link with the name of the directories */
} SpawnDraft;

static GPtrArray *strings_new(void)
{
	return g_ptr_array_new_with_free_func(g_free);
}

static const char *const *as_strv(const GPtrArray *strings)
{
	return (const char *const *)strings->pdata;
}

static void spawn_draft_init(SpawnDraft *draft)
{
	*draft = (SpawnDraft){ .spec_fd = -1 };
	draft->argv = strings_new();
	draft->environment = strings_new();
	draft->fixed = strings_new();
	draft->groups = g_array_new(FALSE, FALSE, sizeof(gid_t));
	draft->rlimits = g_array_new(FALSE, FALSE, sizeof(struct SpawnRlimit));
}

static void spawn_draft_clear(SpawnDraft *draft)
{
	g_ptr_array_unref(draft->argv);
	g_ptr_array_unref(draft->environment);
	g_ptr_array_unref(draft->fixed);
	g_array_unref(draft->groups);
	g_array_unref(draft->rlimits);
	g_free(draft->private_tmp);
	fd_close(&draft->spec_fd);
}

/*
 * Replaces an argument that is exactly $MAINPID, as in "kill -HUP $MAINPID". There is no other
 * variable.
 */
static void fill_argv(SpawnDraft *draft, const SpawnInput *input)
{
	for (char **token = input->command ? input->command->argv : NULL; token && *token;
	     token++) {
		bool is_main_pid = strcmp(*token, "$MAINPID") == 0 ||
				   strcmp(*token, "${MAINPID}") == 0;

		if (!is_main_pid)
			g_ptr_array_add(draft->argv, g_strdup(*token));
		else if (input->main_pid > 0)
			g_ptr_array_add(draft->argv, g_strdup_printf("%d", (int)input->main_pid));
		else
			/* "kill" then fails; 0 would signal its own process group */
			g_ptr_array_add(draft->argv, g_strdup(""));
	}
	g_ptr_array_add(draft->argv, NULL);
}

static bool is_watched(const SpawnInput *input)
{
	return input->role == ROLE_MAIN && input->plan->def->watchdog_us > 0;
}

static void fill_fixed(SpawnDraft *draft, const SpawnInput *input)
{
	if (input->mark)
		g_ptr_array_add(draft->fixed, g_strdup(input->mark));
	if (input->notify_path)
		g_ptr_array_add(draft->fixed,
				g_strdup_printf("NOTIFY_SOCKET=%s", input->notify_path));
	if (is_watched(input))
		g_ptr_array_add(draft->fixed, g_strdup_printf("WATCHDOG_USEC=%" G_GINT64_FORMAT,
							      input->plan->def->watchdog_us));
	if (input->main_pid > 0)
		g_ptr_array_add(draft->fixed, g_strdup_printf("MAINPID=%d", (int)input->main_pid));
	g_ptr_array_add(draft->fixed, NULL);
}

static void set_variable(GPtrArray *environment, const char *assignment)
{
	size_t length = strcspn(assignment, "=") + 1;

	for (guint i = 0; i < environment->len; i++) {
		char **item = (char **)&environment->pdata[i];

		if (strncmp(*item, assignment, length) != 0)
			continue;
		g_free(*item);
		*item = g_strdup(assignment);
		return;
	}
	g_ptr_array_add(environment, g_strdup(assignment));
}

/*
 * For direct execution: the variables of every service, then Environment=, then ours. The last
 * value of a name wins.
 */
static void fill_environment(SpawnDraft *draft, const ProcessContext *context,
			     const ExecDef *execution)
{
	for (const char *const *p = context->environment; p && *p; p++)
		set_variable(draft->environment, *p);
	for (guint i = 0; i < execution->environment->len; i++)
		set_variable(draft->environment, g_ptr_array_index(execution->environment, i));
	for (guint i = 0; i + 1 < draft->fixed->len; i++)
		set_variable(draft->environment, g_ptr_array_index(draft->fixed, i));
	g_ptr_array_add(draft->environment, NULL);
}

static void fill_limits(SpawnDraft *draft, const ExecDef *execution)
{
	SpawnParameters *r = &draft->request;

	for (guint i = 0; i < execution->rlimits->len; i++) {
		const Rlimit *limit = &g_array_index(execution->rlimits, Rlimit, i);
		struct SpawnRlimit wire = { .resource = (uint32_t)limit->resource,
					    .soft = limit->soft,
					    .hard = limit->hard };

		g_array_append_val(draft->rlimits, wire);
	}
	r->rlimits = (const struct SpawnRlimit *)(const void *)draft->rlimits->data;
	r->n_rlimits = draft->rlimits->len;
	r->has_nice = execution->has_nice;
	r->nice = execution->nice;
	r->has_umask = execution->has_umask;
	r->umask = execution->umask;
	r->has_oom = execution->has_oom_score_adjust;
	r->oom_score_adjust = execution->oom_score_adjust;
}

static bool parse_id(const char *text, uint32_t *ret, GError **error)
{
	uint64_t value;

	/* UINT32_MAX means "leave unchanged" for setresuid(2), so it is not a valid id. */
	if (!text_parse_uint(text, 10, UINT32_MAX - 1, &value))
		return fail(error, SVCD_ERROR_INVALID_ARGUMENT,
			    "\"%s\" is not the number of a user or group", text);
	*ret = (uint32_t)value;
	return true;
}

/* For direct execution; exec_def_needs_helper() has checked that all of them are numbers. */
static bool fill_identity(SpawnDraft *draft, const ExecDef *execution, GError **error)
{
	SpawnParameters *r = &draft->request;
	uint32_t id = 0;

	if (execution->user && !parse_id(execution->user, &id, error))
		return false;
	r->has_uid = execution->user != NULL;
	r->uid = id;
	if (execution->group && !parse_id(execution->group, &id, error))
		return false;
	r->has_gid = execution->group != NULL;
	r->gid = id;
	for (guint i = 0; i < execution->groups->len; i++) {
		gid_t gid;

		if (!parse_id(g_ptr_array_index(execution->groups, i), &id, error))
			return false;
		gid = id;
		g_array_append_val(draft->groups, gid);
	}
	/* Root's supplementary groups are dropped for every other user. */
	r->has_groups = r->has_uid || draft->groups->len > 0;
	r->groups = (const gid_t *)(const void *)draft->groups->data;
	r->n_groups = draft->groups->len;
	return true;
}

static bool fill_stdio(ProcessContext *context, SpawnDraft *draft, const SpawnInput *input,
		       GError **error)
{
	SpawnParameters *r = &draft->request;

	if (input->output_fd < 0)
		return true; /* the keeper uses /dev/null */
	if (context->null_fd <= 0)
		context->null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (context->null_fd < 0)
		return fail_errno(error, errno, "cannot open /dev/null");
	r->stdin_fd = context->null_fd;
	r->stdout_fd = input->output_fd;
	r->stderr_fd = input->output_fd;
	return true;
}

static void fill_common(SpawnDraft *draft, const SpawnInput *input)
{
	SpawnParameters *r = &draft->request;

	r->service = input->plan->def->name;
	r->role = input->role;
	r->invocation = input->invocation;
	r->note = input->note;
	r->stdin_fd = -1;
	r->stdout_fd = -1;
	r->stderr_fd = -1;
	r->cgroup_fd = input->cgroup_fd;
	r->status_fd = input->status_fd;
	r->inherited = draft->inherited;
	fill_limits(draft, input->plan->def->execution);
}

/*
 * The readiness descriptor is the first inherited descriptor of a directly executed service, so it
 * is number 3.
 */
#define FIRST_INHERITED 3

static bool needs_helper(const SpawnInput *input)
{
	bool moves_ready = input->ready_fd >= 0 && input->plan->def->ready_fd != FIRST_INHERITED;

	/*
	 * Only svc-exec can set WATCHDOG_PID= and LISTEN_PID=, because the PID is not known
	 * earlier.
	 */
	return !input->command || moves_ready || is_watched(input) || input->sockets.n > 0 ||
	       exec_def_needs_helper(input->plan->def->execution);
}

static bool send_direct(const ProcessContext *context, const SpawnInput *input, SpawnDraft *draft,
			GError **error)
{
	SpawnParameters *r = &draft->request;

	if (!fill_identity(draft, input->plan->def->execution, error))
		return false;
	fill_environment(draft, context, input->plan->def->execution);
	r->argv = as_strv(draft->argv);
	r->environment = as_strv(draft->environment);
	r->directory = input->plan->def->execution->directory;
	if (input->ready_fd >= 0)
		draft->inherited[r->n_inherited++] = input->ready_fd;
	return keeper_link_spawn(context->link, r, error);
}

/*
 * The specification for svc-exec: the command, or if there is none, the removal of directories
 * after the run.
 */
static int write_spec(const ProcessContext *context, const SpawnInput *input,
		      const SpawnDraft *draft, GError **error)
{
	const ExecSpecInput spec = {
		.execution = input->plan->def->execution,
		.argv = as_strv(draft->argv),
		.environment = context->environment,
		.fixed = as_strv(draft->fixed),
		.with_tty = input->role == ROLE_MAIN,
		.ready_number = input->ready_fd >= 0 ? input->plan->def->ready_fd : -1,
		.private_tmp = draft->private_tmp,
		.main_pid = input->main_pid,
		.n_sockets = input->sockets.n,
		.socket_names = input->sockets.names,
	};

	if (input->command)
		return exec_spec_new(&spec, error);
	return exec_spec_new_removal(spec.execution, input->ends_runtime, spec.private_tmp, error);
}

static bool send_by_helper(const ProcessContext *context, const SpawnInput *input,
			   SpawnDraft *draft, GError **error)
{
	const char *const argv[] = { context->exec_helper, NULL };
	const char *const nothing[] = { NULL };
	SpawnParameters *r = &draft->request;

	draft->private_tmp =
		g_strdup_printf("%s/private-tmp/%s", context->runtime_dir, input->plan->def->name);
	draft->spec_fd = write_spec(context, input, draft, error);
	if (draft->spec_fd < 0)
		return false;
	r->argv = argv;
	r->environment = nothing;
	r->has_uid = false;
	r->has_gid = false;
	r->has_groups = false;
	r->directory = NULL;
	r->n_inherited = 0;
	draft->inherited[r->n_inherited++] = draft->spec_fd;
	/* EXEC_SPEC_STATUS_FD must exist. Without a channel no process reads the status. */
	draft->inherited[r->n_inherited++] = input->status_fd >= 0 ? input->status_fd :
								     draft->spec_fd;
	if (input->ready_fd >= 0)
		draft->inherited[r->n_inherited++] = input->ready_fd;
	g_assert(input->sockets.n <= LIMIT_SOCKETS);
	for (unsigned i = 0; i < input->sockets.n; i++)
		draft->inherited[r->n_inherited++] = input->sockets.fds[i];
	return keeper_link_spawn(context->link, r, error);
}

bool spawn_request_send(ProcessContext *context, const SpawnInput *input, GError **error)
{
	g_autoptr(GError) problem = NULL;
	SpawnDraft draft;
	bool ok;

	spawn_draft_init(&draft);
	fill_common(&draft, input);
	fill_argv(&draft, input);
	fill_fixed(&draft, input);
	ok = fill_stdio(context, &draft, input, error);
	if (ok && needs_helper(input)) {
		ok = send_by_helper(context, input, &draft, error);
	} else if (ok) {
		ok = send_direct(context, input, &draft, &problem);
		/* Too large for one message: a memfd holds more. */
		if (!ok && g_error_matches(problem, SVCD_ERROR_DOMAIN, SVCD_ERROR_LIMIT_REACHED))
			ok = send_by_helper(context, input, &draft, error);
		else if (!ok)
			g_propagate_error(error, g_steal_pointer(&problem));
	}
	spawn_draft_clear(&draft);
	return ok;
}
