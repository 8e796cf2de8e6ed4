/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Supervise, processes: sends the commands of the plan to the keeper, and handles the channels from
 * a new process (exec status, readiness, notify socket, output). It also finds out which service a
 * process belongs to.
 *
 * The answer is in /proc, in PID files and in groups that the service has made. Users can hold the
 * locks of all of these, so svc-worker reads them and the manager does not.
 */
#include "config.h"

#include <string.h>
#include <unistd.h>

#include "base/channel.h"
#include "base/errors.h"
#include "base/fd.h"
#include "base/log.h"
#include "base/text.h"
#include "process/log-router.h"
#include "process/outcome.h"
#include "process/spawn-request.h"
#include "process/supervise-private.h"

/* --- questions to svc-worker: which process is the main one --- */

static void found(Supervisor *s, pid_t pid, unsigned n_processes, const char *problem)
{
	void (*on_found)(Supervisor * s, pid_t pid, unsigned n_processes, const char *problem) =
		supervisor_row(s)->found;

	s->search = NULL;
	if (s->search_step == s->step && !s->is_entering && on_found)
		on_found(s, pid, n_processes, problem);
	supervisor_settle(s);
}

static pid_t parse_number(const char *text)
{
	uint64_t number;

	return text_parse_uint(text, 10, G_MAXINT, &number) ? (pid_t)number : 0;
}

static void on_found(void *data, const char *const *fields, unsigned n_fields, int fd)
{
	fd_close(&fd);
	if (n_fields == 4)
		found(data, parse_number(fields[1]), (unsigned)parse_number(fields[2]), fields[3]);
	else
		found(data, 0, 0, "svc-worker cannot find it");
}

static void on_search_lost(void *data, const char *why)
{
	found(data, 0, 0, why);
}

void supervisor_search_main(Supervisor *s, bool with_guess)
{
	static const WorkerListener listener = { .answer = on_found, .lost = on_search_lost };
	const char *group = cgroup_path(s->cgroup);
	const char *mark = cgroup_mark(s->cgroup);
	const char *pid_file = s->plan.def->pid_file;
	g_autofree char *keeper =
		g_strdup_printf("%d", (int)keeper_link_keeper_pid(s->context->link));
	/*
	 * A process older than this run does not belong to this script. For other services the age
	 * is not checked, because the first process of the run has provided the PID.
	 */
	g_autofree char *since =
		g_strdup_printf("%" G_GINT64_FORMAT, plan_is_script(&s->plan) ? s->known_us : 0);
	const char *const fields[] = {
		"find-main", group ? group : "",       mark ? mark : "",
		keeper,      pid_file ? pid_file : "", with_guess ? "guess" : "",
		since,
	};

	if (s->search)
		return;
	s->search_step = s->step;
	s->search = worker_job_new(s->context->workers, s->plan.def->name, fields,
				   G_N_ELEMENTS(fields), NULL, 0, &listener, s);
}

/* --- the service of a process --- */

WorkerJob *supervisor_query_process(Supervisor *s, pid_t pid, const WorkerListener *listener)
{
	g_autofree char *number = g_strdup_printf("%d", (int)pid);
	const char *const fields[] = { "has-process", cgroup_path(s->cgroup), number };

	return worker_job_new(s->context->workers, s->plan.def->name, fields, G_N_ELEMENTS(fields),
			      NULL, 0, listener, s);
}

bool supervisor_is_yes(const char *const *fields, unsigned n_fields)
{
	return n_fields == 2 && strcmp(fields[1], "yes") == 0;
}

/* --- processes that cannot be killed --- */

typedef struct RemainingProcesses {
	char *service;
	bool is_left;
} RemainingProcesses;

static void log_remains(RemainingProcesses *remains, const char *names)
{
	log_warning(remains->service,
		    "cannot be killed, because it waits in the kernel for a disk or a server: %s%s",
		    names, remains->is_left ? "; going on without it" : "");
	g_free(remains->service);
	g_free(remains);
}

static void on_names(void *data, const char *const *fields, unsigned n_fields, int fd)
{
	fd_close(&fd);
	log_remains(data, n_fields == 2 ? fields[1] : "?");
}

static void on_names_lost(void *data, const char *why)
{
	(void)why; /* the pool has logged it */
	log_remains(data, "?");
}

void supervisor_report_remains(const Supervisor *s, bool is_left)
{
	static const WorkerListener listener = { .answer = on_names, .lost = on_names_lost };
	const char *group = cgroup_path(s->cgroup);
	const char *mark = cgroup_mark(s->cgroup);
	g_autofree char *keeper =
		g_strdup_printf("%d", (int)keeper_link_keeper_pid(s->context->link));
	g_autofree char *pid = g_strdup_printf("%d", (int)s->rows[ROLE_MAIN].pid);
	const char *const fields[] = { "name-processes", group ? group : "", mark ? mark : "",
				       keeper, pid };
	RemainingProcesses *remains = g_new0(RemainingProcesses, 1);

	remains->service = g_strdup(s->plan.def->name);
	remains->is_left = is_left;
	(void)worker_job_new(s->context->workers, s->plan.def->name, fields, G_N_ELEMENTS(fields),
			     NULL, 0, &listener, remains);
}

/* --- descriptors that the keeper keeps for the next manager --- */

static void keep(Supervisor *s, KeptKind kind, int fd)
{
	g_autofree char *name = g_strdup_printf("%s/%s/0", s->plan.def->name, kept_kind_name(kind));

	s->is_kept[kind] = true;
	keeper_link_keep(s->context->link, name, fd);
}

static void forget_with(Supervisor *s, KeptKind kind,
			void (*send)(KeeperLink *link, const char *name))
{
	g_autofree char *name = g_strdup_printf("%s/%s/0", s->plan.def->name, kept_kind_name(kind));

	if (s->is_kept[kind])
		send(s->context->link, name);
	s->is_kept[kind] = false;
}

static void forget(Supervisor *s, KeptKind kind)
{
	forget_with(s, kind, keeper_link_forget);
}

/* --- exec status, readiness descriptor --- */

static void on_executed(void *data, bool has_ended)
{
	Supervisor *s = data;

	g_clear_pointer(&s->rows[ROLE_MAIN].status, ready_fd_free); /* nothing more will come */
	if (has_ended)
		forget_with(s, KEPT_STATUS, keeper_link_forget_ended);
	else
		forget(s, KEPT_STATUS);
	step_main_executed(s);
	supervisor_settle(s);
}

/* Did the program not run at all, so that another try may succeed? */
static bool is_refusal(const struct ExecStatus *status)
{
	return status->step == EXEC_STEP_EXEC && errnum_is_passing(status->error);
}

static void on_exec_failed(void *data, const struct ExecStatus *status)
{
	Supervisor *s = data;

	forget(s, KEPT_STATUS);
	s->is_refused = is_refusal(status);
	s->rows[ROLE_MAIN].problem = outcome_describe_exec(&s->plan, s->plan.def->exec, status);
}

static void on_command_executed(void *data, bool has_ended)
{
	(void)has_ended; /* the keeper keeps no descriptor of a command */
	(void)data; /* only the exit of the command matters */
}

static void command_failed(Supervisor *s, enum ProcessRole role, const struct ExecStatus *status)
{
	ProcessRow *row = &s->rows[role];

	g_free(row->problem);
	row->problem = outcome_describe_exec(&s->plan, NULL, status);
}

static void on_control_failed(void *data, const struct ExecStatus *status)
{
	((Supervisor *)data)->is_refused = is_refusal(status);
	command_failed(data, ROLE_CONTROL, status);
}

static void on_check_failed(void *data, const struct ExecStatus *status)
{
	command_failed(data, ROLE_CHECK, status);
}

static void on_health_failed(void *data, const struct ExecStatus *status)
{
	command_failed(data, ROLE_HEALTH, status);
}

static const ReadyFdListener status_listeners[ROLE_COUNT] = {
	[ROLE_MAIN] = { .executed = on_executed, .exec_failed = on_exec_failed },
	[ROLE_CONTROL] = { .executed = on_command_executed, .exec_failed = on_control_failed },
	[ROLE_CHECK] = { .executed = on_command_executed, .exec_failed = on_check_failed },
	[ROLE_HEALTH] = { .executed = on_command_executed, .exec_failed = on_health_failed },
};

static void on_newline(void *data)
{
	Supervisor *s = data;

	forget(s, KEPT_READY);
	if (s->plan.def->ready == READY_FD)
		supervisor_is_ready(s);
	supervisor_settle(s);
}

static const ReadyFdListener ready_listener = { .newline = on_newline };

/* --- notify socket --- */

NotifyTrust supervisor_trust(const Supervisor *s, pid_t pid)
{
	const pid_t main_pid = s->rows[ROLE_MAIN].pid;

	if (pid == main_pid || pid == s->rows[ROLE_CONTROL].pid)
		return pid > 0 ? NOTIFY_BELIEVED : NOTIFY_IGNORED;
	if (!cgroup_is_known(s->cgroup)) /* the keeper gave the main process its own session */
		return main_pid > 0 && getsid(pid) == main_pid ? NOTIFY_BELIEVED : NOTIFY_IGNORED;
	if (cgroup_contains(s->cgroup, pid))
		return NOTIFY_BELIEVED;
	return cgroup_has_groups(s->cgroup) ? NOTIFY_LOOKED_UP : NOTIFY_IGNORED;
}

static void sender_is(Supervisor *s, bool is_believed)
{
	s->sender_question = NULL;
	if (s->notify)
		notify_socket_answered(s->notify, is_believed);
}

static void on_sender(void *data, const char *const *fields, unsigned n_fields, int fd)
{
	fd_close(&fd);
	sender_is(data, supervisor_is_yes(fields, n_fields));
}

static void on_sender_lost(void *data, const char *why)
{
	(void)why; /* the pool has logged it */
	sender_is(data, false);
}

static NotifyTrust on_trust(void *data, pid_t pid)
{
	static const WorkerListener listener = { .answer = on_sender, .lost = on_sender_lost };
	Supervisor *s = data;
	const NotifyTrust trust = supervisor_trust(s, pid);

	if (trust == NOTIFY_IGNORED)
		log_debug(s->plan.def->name, "notify: process %d is not one of this service's",
			  (int)pid);
	worker_job_free(s->sender_question); /* it may be about a socket that was given up */
	s->sender_question =
		trust == NOTIFY_LOOKED_UP ? supervisor_query_process(s, pid, &listener) : NULL;
	return trust;
}

/* STATUS= is shown to users: valid UTF-8, no control bytes, one line. */
#define STATUS_CHARACTERS 200

static void take_status(Supervisor *s, const char *text)
{
	g_autofree char *valid = g_utf8_make_valid(text, -1);
	g_autofree char *start =
		g_utf8_substring(valid, 0, MIN(g_utf8_strlen(valid, -1), STATUS_CHARACTERS));

	for (char *p = start; *p; p++) {
		if (g_ascii_iscntrl(*p))
			*p = ' ';
	}
	if (g_strcmp0(start, s->status_text) == 0)
		return;
	g_free(s->status_text);
	s->status_text = g_steal_pointer(&start);
	supervisor_event(s, PROCESS_STATUS, s->status_text);
}

static void take_main_pid(Supervisor *s, pid_t pid)
{
	if (pid == s->rows[ROLE_MAIN].pid)
		s->next_main_pid = 0;
	else if (supervisor_trust(s, pid) == NOTIFY_IGNORED)
		log_warning(s->plan.def->name,
			    "notify: MAINPID=%d is not one of this service's processes", (int)pid);
	else
		/* a row holds one process, so the new one waits for the end of the present one */
		s->next_main_pid = pid;
	if (s->next_main_pid > 0 && !s->rows[ROLE_MAIN].in_use && s->step == STEP_READY)
		supervisor_go(s, STEP_ADOPT, (unsigned)pid);
}

/* EXTEND_TIMEOUT_USEC= only extends the deadline of a start or a stop. */
static void extend_limit(Supervisor *s, int64_t us)
{
	int64_t at_us = loop_now() + us;

	if (timer_is_armed(s->limit) && at_us > timer_deadline(s->limit))
		supervisor_set_limit(s, at_us);
}

static bool on_message(void *data, const NotifyMessage *message)
{
	Supervisor *s = data;
	const Step step = s->step;
	const pid_t next_main_pid = s->next_main_pid;
	const bool begins_to_stop = message->stopping && !s->is_stopping;

	if (message->main_pid > 0)
		take_main_pid(s, message->main_pid);
	if (message->status)
		take_status(s, message->status);
	if (message->errnum > 0)
		s->errnum = message->errnum;
	if (message->extend_us > 0)
		extend_limit(s, message->extend_us);
	if (begins_to_stop)
		supervisor_event(s, PROCESS_STOPPING, NULL);
	if (message->ready && s->plan.def->ready == READY_NOTIFY)
		supervisor_is_ready(s);
	watchdog_take_message(s, message);
	supervisor_settle(s);
	if (message->extend_us > 0) /* after the other fields, because they may arm a timer */
		watchdog_extend(s, loop_now() + message->extend_us);
	return s->step != step || s->next_main_pid != next_main_pid || begins_to_stop;
}

void supervisor_noted(Supervisor *s)
{
	if (s->notify)
		notify_socket_remembered(s->notify);
}

static void on_eaten(void *data)
{
	const Supervisor *s = data;

	if (s->notify)
		notify_socket_eaten(s->notify);
}

static void on_given_up(void *data);

static const NotifyEaterListener eater_listener = { .eaten = on_eaten, .given_up = on_given_up };

static void on_descriptors(void *data)
{
	Supervisor *s = data;

	if (!s->eater)
		s->eater = notify_eater_new(s->context->workers, s->plan.def->name, &eater_listener,
					    s);
	notify_eater_eat(s->eater, notify_socket_fd(s->notify));
}

static const NotifyListener notify_listener = { .trust = on_trust,
						.message = on_message,
						.descriptors = on_descriptors };

/*
 * A process that begins as root may change its user and send notifications later. If User= is a
 * name, the socket belongs to root until svc-exec looks the name up and changes the owner. After a
 * restart of the manager every user may write to the new socket.
 */
static uid_t notify_owner(const Supervisor *s)
{
	const char *user = s->plan.def->execution->user;
	uint64_t uid;

	if (s->is_notify_abused)
		return geteuid();
	if (!user || strcmp(user, "root") == 0 || strcmp(user, "0") == 0)
		return NOTIFY_ANY_USER;
	if (text_parse_uint(user, 10, UINT32_MAX - 1, &uid))
		return (uid_t)uid;
	return s->is_resumed ? NOTIFY_ANY_USER : geteuid();
}

bool supervisor_open_notify(Supervisor *s, GError **error)
{
	if (!plan_notifies(&s->plan) || s->notify)
		return true;
	s->notify = notify_socket_new(s->notify_path, notify_owner(s), &notify_listener, s, error);
	if (!s->notify)
		return false;
	keep(s, KEPT_NOTIFY, notify_socket_fd(s->notify));
	return true;
}

/*
 * Our own copies are closed first. PID 1 then has the last one, which an expendable process closes.
 */
static void close_notify(Supervisor *s)
{
	g_clear_pointer(&s->eater, notify_eater_free);
	if (s->notify)
		(void)unlink(s->notify_path); /* no process may write to it any more */
	g_clear_pointer(&s->notify, notify_socket_free);
	forget(s, KEPT_NOTIFY);
}

void supervisor_forget_fds(Supervisor *s)
{
	for (int role = 0; role < ROLE_COUNT; role++)
		g_clear_pointer(&s->rows[role].status, ready_fd_free);
	g_clear_pointer(&s->ready, ready_fd_free);
	close_notify(s);
	for (int kind = 0; kind < KEPT_COUNT; kind++)
		forget(s, (KeptKind)kind);
}

/*
 * The service has repeatedly sent descriptors that cannot be closed. Its next socket is only for
 * processes of root. If those processes do the same, there is no third socket.
 */
static void on_given_up(void *data)
{
	Supervisor *s = data;
	const bool is_first = !s->is_notify_abused;
	g_autoptr(GError) error = NULL;

	log_warning(s->plan.def->name,
		    "notify: user %u has sent descriptors that cannot be closed; %s",
		    (unsigned)notify_socket_sender(s->notify),
		    is_first ? "only root may write to its notify socket from now on" :
			       "its notify socket is removed");
	close_notify(s);
	s->is_notify_abused = true;
	if (!is_first)
		return;
	if (supervisor_open_notify(s, &error))
		notify_socket_arm(s->notify);
	else
		log_warning(s->plan.def->name, "%s", error->message);
}

void supervisor_give_fd(Supervisor *s, const char *kind_name, int fd)
{
	KeptKind kind;

	if (!kept_kind_from_name(kind_name, &kind) || s->is_kept[kind]) {
		fd_close(&fd);
		return;
	}
	s->is_kept[kind] = true;
	switch (kind) {
	case KEPT_STATUS:
		s->rows[ROLE_MAIN].status =
			ready_fd_new(READY_FD_EXEC_STATUS, fd, &status_listeners[ROLE_MAIN], s);
		break;
	case KEPT_READY:
		s->ready = ready_fd_new(READY_FD_NEWLINE, fd, &ready_listener, s);
		break;
	case KEPT_NOTIFY:
		s->notify = notify_socket_resume(fd, &notify_listener, s);
		/*
		 * a service that began with a notify socket keeps it, even if its file has changed
		 */
		if (!s->notify_path)
			s->notify_path =
				notify_socket_path(s->context->runtime_dir, s->plan.def->name);
		break;
	case KEPT_COUNT:
		break;
	}
}

void supervisor_arm(Supervisor *s)
{
	for (int role = 0; role < ROLE_COUNT; role++) {
		if (s->rows[role].status)
			ready_fd_arm(s->rows[role].status);
	}
	if (s->ready)
		ready_fd_arm(s->ready);
	if (s->notify)
		notify_socket_arm(s->notify);
}

/* Messages that a process sent before it died are handled before its exit. */
void supervisor_drain(Supervisor *s, enum ProcessRole role)
{
	if (s->rows[role].status)
		ready_fd_drain(s->rows[role].status);
	if (role == ROLE_MAIN && s->ready)
		ready_fd_drain(s->ready);
	if (s->notify)
		notify_socket_drain(s->notify);
}

/* --- spawning --- */

/*
 * Returns: the writer's end; ours becomes *@ret_reader. @keep_as: KEPT_COUNT: the keeper does not
 * keep it.
 */
static int open_ready_fd(ReadyFd **ret_reader, ReadyFdKind kind, const ReadyFdListener *listener,
			 Supervisor *s, KeptKind keep_as, GError **error)
{
	int fds[2];

	if (channel_pair(fds) < 0) {
		fail_errno(error, errno, "cannot make a socket pair");
		return -1;
	}
	ready_fd_free(*ret_reader);
	*ret_reader = ready_fd_new(kind, fds[0], listener, s);
	if (keep_as != KEPT_COUNT)
		keep(s, keep_as, fds[0]);
	return fds[1];
}

/*
 * A start does not fail because of its output: without a channel the output is discarded, and that
 * is logged.
 */
static int open_output(Supervisor *s, enum ProcessRole role)
{
	const ExecDef *execution = s->plan.def->execution;
	g_autoptr(GError) error = NULL;
	int fd;

	if (!s->context->logs ||
	    (role == ROLE_MAIN && execution->tty && !execution->is_tty_optional))
		return -1;
	fd = log_router_open(s->context->logs, s->plan.def->name, &error);
	if (fd < 0)
		log_warning(s->plan.def->name, "its output is lost: %s", error->message);
	return fd;
}

/* The capture of a command if its output is read here, too; NULL: it is not captured. */
static Capture **find_capture(Supervisor *s, enum ProcessRole role)
{
	if (role_is_probe(role))
		return &s->probes[role]->output;
	return role == ROLE_CONTROL && s->step == STEP_STOP && supervisor_stays_done(s) ?
		       &s->stop_output :
		       NULL;
}

/* Returns: the writer's end, owned by the caller; -1: the output is discarded. */
static int open_captured(Supervisor *s, Capture **capture, GError **error)
{
	int fds[2];

	if (channel_pair(fds) < 0) {
		fail_errno(error, errno, "cannot make a socket pair");
		return -1;
	}
	capture_free(*capture);
	*capture = capture_new(s->context->link, s->context->logs, s->plan.def->name, fds[0]);
	return fds[1];
}

static bool fill_main(Supervisor *s, SpawnInput *input, GError **error)
{
	ProcessContext *context = s->context;

	if (input->role != ROLE_MAIN)
		return true;
	if (service_def_n_sockets(s->plan.def) > 0 &&
	    !context->sockets(context->data, s->plan.def->name, &input->sockets, error))
		return false;
	if (!supervisor_open_notify(s, error))
		return false;
	if (s->notify)
		input->notify_path = s->notify_path;
	if (s->plan.def->ready != READY_FD)
		return true;
	input->ready_fd =
		open_ready_fd(&s->ready, READY_FD_NEWLINE, &ready_listener, s, KEPT_READY, error);
	return input->ready_fd >= 0;
}

static bool send_spawn(Supervisor *s, SpawnInput *input, GError **error)
{
	Capture **capture = find_capture(s, input->role);
	Cgroup *cgroup = role_is_probe(input->role) ? s->probes[input->role]->cgroup : s->cgroup;
	auto_fd int cgroup_fd = cgroup_open(cgroup, error);
	auto_fd int output_fd = -1;
	auto_fd int status_fd = -1;

	if (cgroup_fd < 0 && cgroup_path(cgroup))
		return false;
	output_fd = capture ? open_captured(s, capture, error) : open_output(s, input->role);
	if (capture && output_fd < 0)
		return false;
	status_fd = open_ready_fd(&s->rows[input->role].status, READY_FD_EXEC_STATUS,
				  &status_listeners[input->role], s,
				  input->role == ROLE_MAIN ? KEPT_STATUS : KEPT_COUNT, error);
	if (status_fd < 0)
		return false;
	input->cgroup_fd = cgroup_fd;
	input->mark = cgroup_mark(cgroup);
	input->status_fd = status_fd;
	input->output_fd = output_fd;
	input->note = supervisor_note(s);
	return spawn_request_send(s->context, input, error);
}

bool supervisor_spawn(Supervisor *s, enum ProcessRole role, const Command *command, GError **error)
{
	ProcessRow *row = &s->rows[role];
	SpawnInput input = {
		.plan = &s->plan,
		.command = command,
		.ends_runtime = !command && supervisor_ends_runtime(s),
		.role = role,
		.invocation = s->invocation,
		.main_pid = role != ROLE_MAIN ? s->rows[ROLE_MAIN].pid : 0,
		.output_fd = -1,
		.cgroup_fd = -1,
		.status_fd = -1,
		.ready_fd = -1,
	};
	bool ok;

	ok = fill_main(s, &input, error) && send_spawn(s, &input, error);
	fd_close(&input.ready_fd);
	g_clear_pointer(&row->problem, g_free);
	row->pid = 0;
	row->in_use = ok;
	if (!role_is_probe(role))
		s->is_refused = !ok &&
				g_error_matches(*error, SVCD_ERROR_DOMAIN, SVCD_ERROR_EXHAUSTED);
	return ok;
}
