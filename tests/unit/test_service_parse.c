/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <check.h>
#include <signal.h>
#include <sys/resource.h>

#include "base/limits.h"
#include "model/service-keys.h"
#include "model/service-parse.h"
#include "tests/lib/diags.h"
#include "tests/lib/suite.h"

static ServiceDef *parse_good(const char *name, const char *text)
{
	g_autoptr(DiagList) diags = diag_list_new();
	ServiceDef *def = parse_text(name, text, diags);

	expect_diags(diags, "");
	ck_assert_ptr_null(def->problem);
	return def;
}

/* Two files: the service file and a drop-in. */
static ServiceDef *parse_with_drop_in(const char *name, const char *text, const char *drop_in,
				      DiagList *diags)
{
	const SourceText sources[] = {
		{ .file = "x.svc", .text = text, .length = strlen(text) },
		{ .file = "x.svc.d/a.conf", .text = drop_in, .length = strlen(drop_in) },
	};

	return service_parse(name, sources, G_N_ELEMENTS(sources), diags);
}

static const NameRef *ref_at(const GPtrArray *refs, guint index)
{
	ck_assert_uint_lt(index, refs->len);
	return g_ptr_array_index(refs, index);
}

static const Term *term_at(const GPtrArray *terms, guint index)
{
	ck_assert_uint_lt(index, terms->len);
	return g_ptr_array_index(terms, index);
}

START_TEST(a_service_of_one_line_has_the_documented_defaults)
{
	g_autoptr(ServiceDef) def = parse_good("x", "[Service]\nExec=/usr/sbin/x\n");

	ck_assert_str_eq(def->name, "x");
	ck_assert_ptr_null(def->instance);
	ck_assert_str_eq(service_def_description(def), "x");
	ck_assert_int_eq(def->type, TYPE_DAEMON);
	ck_assert_int_eq(def->ready, READY_EXEC);
	ck_assert_int_eq(def->restart, RESTART_NO);
	ck_assert_int_eq(def->restart_delay_us, 100 * 1000);
	ck_assert_int_eq(def->restart_delay_max_us, 30 * G_USEC_PER_SEC);
	ck_assert_uint_eq(def->restart_limit, 5);
	ck_assert_int_eq(def->restart_window_us, 10 * G_USEC_PER_SEC);
	ck_assert_int_eq(def->start_limit_us, 90 * G_USEC_PER_SEC);
	ck_assert_int_eq(def->stop_limit_us, 10 * G_USEC_PER_SEC);
	ck_assert_int_eq(def->stop.kind, ACTION_SIGNAL);
	ck_assert_int_eq(def->stop.signal, SIGTERM);
	ck_assert_int_eq(def->reload.kind, ACTION_NONE);
	ck_assert_int_eq(def->kill_signal, SIGKILL);
	ck_assert_int_eq(def->on_lapse, ON_LAPSE_STOP);
	ck_assert_ptr_null(def->start_lock);
	ck_assert_int_eq(def->stop_order, STOP_ORDER_REVERSE);
	ck_assert(!def->once);
	ck_assert(!exec_def_needs_helper(def->execution));
}
END_TEST

START_TEST(every_key_of_service_reaches_its_field)
{
	g_autoptr(ServiceDef) def = parse_good(
		"x",
		"[Service]\nDescription=An example; # of much\nExec=/usr/sbin/x -f 'a b' "
		"\"c\\\"d\"\n"
		"Prepare=/bin/a\nPrepare=-/bin/b 1\nCleanup=/bin/c\nStop=/bin/stop $MAINPID\n"
		"Reload=signal:HUP\n"
		"Ready=notify\nPidFile=/run/x.pid\nRestart=on-failure\nRestartDelay=200ms\n"
		"RestartDelayMax=1min\n"
		"RestartLimit=3/1min 30s\nSuccessStatus=1 143\nStartTimeout=5\nStopTimeout=2s\n"
		"FinalKillSignal=ABRT\n"
		"StartLock=console\nStopOrder=said\nOnce=yes\nLinger=10s\n"
		"CheckCommand=/usr/sbin/x -t\nWatchdogTimeout=30s\n"
		"HealthCommand=/bin/ask x\nHealthInterval=5s\nHealthTimeout=2s\nHealthRetries=7\n"
		"HealthStartPeriod=1min\n"
		"HealthAction=none\n");
	const Command *second;

	ck_assert_str_eq(def->description, "An example; # of much");
	ck_assert_str_eq(def->exec->argv[0], "/usr/sbin/x");
	ck_assert_str_eq(def->exec->argv[2], "a b");
	ck_assert_str_eq(def->exec->argv[3], "c\"d");
	ck_assert_ptr_null(def->exec->argv[4]);
	ck_assert_uint_eq(def->exec->origin.line, 3);
	ck_assert_uint_eq(def->prepare->len, 2);
	second = g_ptr_array_index(def->prepare, 1);
	ck_assert(second->may_fail);
	ck_assert_str_eq(second->argv[0], "/bin/b");
	ck_assert_uint_eq(def->cleanup->len, 1);
	ck_assert_int_eq(def->stop.kind, ACTION_COMMAND);
	ck_assert_str_eq(def->stop.command->argv[1], "$MAINPID");
	ck_assert_int_eq(def->reload.kind, ACTION_SIGNAL);
	ck_assert_int_eq(def->reload.signal, SIGHUP);
	ck_assert_int_eq(def->ready, READY_NOTIFY);
	ck_assert_str_eq(def->pid_file, "/run/x.pid");
	ck_assert_int_eq(def->restart, RESTART_ON_FAILURE);
	ck_assert_int_eq(def->restart_delay_us, 200000);
	ck_assert_int_eq(def->restart_delay_max_us, 60 * G_USEC_PER_SEC);
	ck_assert_uint_eq(def->restart_limit, 3);
	ck_assert_int_eq(def->restart_window_us, 90 * G_USEC_PER_SEC);
	ck_assert_uint_eq(def->success_status->len, 2);
	ck_assert_int_eq(g_array_index(def->success_status, int, 1), 143);
	ck_assert_int_eq(def->start_limit_us, 5 * G_USEC_PER_SEC);
	ck_assert_int_eq(def->stop_limit_us, 2 * G_USEC_PER_SEC);
	ck_assert_int_eq(def->kill_signal, SIGABRT);
	ck_assert_str_eq(def->start_lock, "console");
	ck_assert_int_eq(def->stop_order, STOP_ORDER_SAID);
	ck_assert(def->once);
	ck_assert_int_eq(def->linger_us, 10 * G_USEC_PER_SEC);
	ck_assert_str_eq(def->check->argv[1], "-t");
	ck_assert_int_eq(def->watchdog_us, 30 * G_USEC_PER_SEC);
	ck_assert_str_eq(def->health->argv[1], "x");
	ck_assert_int_eq(def->health_interval_us, 5 * G_USEC_PER_SEC);
	ck_assert_int_eq(def->health_limit_us, 2 * G_USEC_PER_SEC);
	ck_assert_uint_eq(def->health_retries, 7);
	ck_assert_int_eq(def->health_start_us, 60 * G_USEC_PER_SEC);
	ck_assert_int_eq(def->health_action, HEALTH_ACTION_NONE);
}
END_TEST

START_TEST(every_execution_key_reaches_its_field)
{
	g_autoptr(ServiceDef) def = parse_good(
		"x",
		"[Service]\nExec=/bin/x\nUser=www-data\nGroup=33\nSupplementaryGroups=audio 44\n"
		"UMask=027\n"
		"WorkingDirectory=/srv\nEnvironment=A=1 \"B=two words\"\n  C=\n"
		"EnvironmentFile=-/etc/default/x\n"
		"EnvironmentFile=/etc/x.env\nLimitNOFILE=1024:64K\nLimitCORE=infinity\nNice=-5\n"
		"OOMScoreAdjust=-900\nTTYPath=/dev/tty1\nRuntimeDirectory=x x/sub\n"
		"RuntimeDirectoryMode=0750\n");
	const ExecDef *e = def->execution;
	const Rlimit *limit = &g_array_index(e->rlimits, Rlimit, 0);
	const EnvironmentFile *file = g_ptr_array_index(e->environment_files, 0);

	ck_assert_str_eq(e->user, "www-data");
	ck_assert_str_eq(e->group, "33");
	ck_assert_uint_eq(e->groups->len, 2);
	ck_assert(e->has_umask && e->umask == 027);
	ck_assert_str_eq(e->directory, "/srv");
	ck_assert_uint_eq(e->environment->len, 3);
	ck_assert_str_eq(g_ptr_array_index(e->environment, 1), "B=two words");
	ck_assert_str_eq(g_ptr_array_index(e->environment, 2), "C=");
	ck_assert_str_eq(file->path, "/etc/default/x");
	ck_assert(file->optional);
	ck_assert_int_eq(limit->resource, RLIMIT_NOFILE);
	ck_assert_uint_eq(limit->soft, 1024);
	ck_assert_uint_eq(limit->hard, 65536);
	ck_assert_uint_eq(g_array_index(e->rlimits, Rlimit, 1).hard, UINT64_MAX);
	ck_assert(e->has_nice && e->nice == -5);
	ck_assert(e->has_oom_score_adjust && e->oom_score_adjust == -900);
	ck_assert_str_eq(e->tty, "/dev/tty1");
	ck_assert_uint_eq(e->sandbox->n_paths, 2);
	ck_assert_uint_eq(e->sandbox->value[SANDBOX_RUNTIME_DIRECTORY_MODE], 0750);
	ck_assert(exec_def_needs_helper(e));
}
END_TEST

START_TEST(every_key_of_conditions_reaches_its_field)
{
	g_autoptr(ServiceDef) def = parse_good(
		"x",
		"[Service]\nExec=/bin/x\n[Conditions]\nWhen=path:/bin/x\nWhile=service:dbus | "
		"flag:solo\n"
		"  mounted:/srv\nOnLapse=reload\nSettle=2s\nAfter=rsyslog $network\nAfter=cron\n"
		"Before=gdm3\n"
		"Wants=avahi-daemon\nConflicts=postfix\nProvides=$mail mta\nStopAfter=a\n"
		"StopBefore=b\n");

	ck_assert_uint_eq(def->when->len, 1);
	ck_assert_uint_eq(def->while_terms->len, 2);
	ck_assert_uint_eq(term_at(def->while_terms, 1)->origin.line, 6);
	ck_assert_int_eq(def->on_lapse, ON_LAPSE_RELOAD);
	ck_assert_int_eq(def->settle_us, 2 * G_USEC_PER_SEC);
	ck_assert_uint_eq(def->after->len, 3);
	ck_assert_str_eq(ref_at(def->after, 1)->name, "$network");
	ck_assert_uint_eq(ref_at(def->after, 2)->origin.line, 10);
	ck_assert_str_eq(ref_at(def->before, 0)->name, "gdm3");
	ck_assert_str_eq(ref_at(def->wants, 0)->name, "avahi-daemon");
	ck_assert_str_eq(ref_at(def->conflicts, 0)->name, "postfix");
	ck_assert_uint_eq(def->provides->len, 2);
	ck_assert_str_eq(ref_at(def->stop_after, 0)->name, "a");
	ck_assert_str_eq(ref_at(def->stop_before, 0)->name, "b");
}
END_TEST

START_TEST(readiness_has_seven_forms)
{
	g_autoptr(ServiceDef) fd = parse_good("x", "[Service]\nExec=/bin/x\nReady=fd:7\n");
	g_autoptr(ServiceDef)
		path = parse_good("x", "[Service]\nExec=/bin/x\nReady=path:/run/x.sock\n");
	g_autoptr(ServiceDef)
		dbus = parse_good("x", "[Service]\nExec=/bin/x\nReady=dbus:org.example.X\n");
	g_autoptr(ServiceDef) forked =
		parse_good("x", "[Service]\nExec=/bin/x\nReady=fork\nPidFile=/run/x.pid\n");
	g_autoptr(ServiceDef) task = parse_good("x", "[Service]\nType=task\nExec=/bin/x\n");
	g_autoptr(ServiceDef)
		group = parse_good("x", "[Service]\nType=group\n[Conditions]\nWhen=service:a\n");

	ck_assert_int_eq(fd->ready, READY_FD);
	ck_assert_int_eq(fd->ready_fd, 7);
	ck_assert_int_eq(path->ready, READY_PATH);
	ck_assert_int_eq(path->ready_prefix, KEY_PATH);
	ck_assert_str_eq(path->ready_key, "path:/run/x.sock");
	ck_assert_int_eq(dbus->ready, READY_DBUS);
	ck_assert_int_eq(dbus->ready_prefix, KEY_DBUS);
	ck_assert_str_eq(dbus->ready_key, "dbus:org.example.X");
	ck_assert_int_eq(forked->ready, READY_FORK);
	ck_assert_int_eq(task->ready, READY_EXIT);
	ck_assert_int_eq(group->type, TYPE_GROUP);
	ck_assert_ptr_null(group->exec);
}
END_TEST

START_TEST(script_has_a_command_for_each_action)
{
	g_autoptr(ServiceDef) def =
		parse_good("cron", "[Service]\nType=script\nExec=/etc/init.d/cron start\n"
				   "Stop=/etc/init.d/cron stop\nReload=/etc/init.d/cron reload\n"
				   "RestartCommand=/etc/init.d/cron restart\nSuccessStatus=5 6\n"
				   "PidFile=/run/crond.pid\nKillMode=process\nRestart=always\n");
	g_autoptr(ServiceDef) bare =
		parse_good("x", "[Service]\nType=script\nExec=/bin/x start\nStop=/bin/x stop\n");

	ck_assert_int_eq(def->type, TYPE_SCRIPT);
	ck_assert_int_eq(def->ready, READY_EXIT);
	ck_assert_str_eq(def->stop.command->argv[1], "stop");
	ck_assert_str_eq(def->restart_command->argv[0], "/etc/init.d/cron");
	ck_assert_str_eq(def->restart_command->argv[1], "restart");
	ck_assert_uint_eq(def->success_status->len, 2);
	ck_assert_int_eq(def->restart, RESTART_ALWAYS);
	ck_assert_ptr_null(bare->restart_command);
	ck_assert_int_eq(bare->restart, RESTART_NO);
}
END_TEST

START_TEST(an_indented_line_joins_a_command_with_a_blank)
{
	g_autoptr(ServiceDef)
		def = parse_good("x", "[Service]\nExec=/bin/x\n  -a\n# why\n  -b #1;2 c\n");

	ck_assert_str_eq(def->exec->argv[1], "-a");
	ck_assert_str_eq(def->exec->argv[3], "#1;2");
	ck_assert_str_eq(def->exec->argv[4], "c");
}
END_TEST

START_TEST(what_a_shell_would_understand_is_warned_of)
{
	g_autoptr(DiagList) diags = diag_list_new();
	g_autoptr(ServiceDef) def = parse_text(
		"x", "[Service]\nExec=/bin/x | /bin/y\nReload=/bin/z %i > /dev/null\n", diags);

	ck_assert_ptr_null(def->problem);
	diag_list_sort(diags);
	expect_diags(
		diags,
		"x.svc:2: warning: Exec=: \"|\" is passed to the program unchanged, because there "
		"is no shell; write "
		"/bin/sh -c '...' to use one\nx.svc:3: warning: Reload=: \">\" is passed to the "
		"program unchanged, "
		"because there is no shell; write /bin/sh -c '...' to use one\nx.svc:3: warning: "
		"Reload=: %i is "
		"replaced only in templates (NAME@.svc)\n");
}
END_TEST

START_TEST(a_template_puts_its_instance_into_every_value)
{
	static const char text[] =
		"[Service]\nDescription=Login on %i\nExec=/sbin/agetty %i 100%%\nTTYPath=/dev/%i\n"
		"[Conditions]\nWhen=path:/dev/%i\nAfter=vcs@%i\n";
	g_autoptr(ServiceDef) def = parse_good("getty@tty1", text);
	g_autoptr(ServiceDef) template = parse_good("getty@", text);

	ck_assert_str_eq(def->instance, "tty1");
	ck_assert_str_eq(def->description, "Login on tty1");
	ck_assert_str_eq(def->exec->argv[1], "tty1");
	ck_assert_str_eq(def->exec->argv[2], "100%");
	ck_assert_str_eq(def->execution->tty, "/dev/tty1");
	ck_assert_str_eq(term_literal(term_at(def->when, 0), 0)->key, "path:/dev/tty1");
	ck_assert_str_eq(ref_at(def->after, 0)->name, "vcs@tty1");
	ck_assert_ptr_null(template->instance);
}
END_TEST

START_TEST(outside_templates_a_percent_sign_is_a_byte_like_others)
{
	g_autoptr(ServiceDef) def = parse_good("x", "[Service]\nExec=/bin/date +%F %% 100%\n");

	ck_assert_str_eq(def->exec->argv[1], "+%F");
	ck_assert_str_eq(def->exec->argv[2], "%%");
}
END_TEST

START_TEST(percent_t_is_where_files_of_this_time_are)
{
	static const char text[] =
		"[Service]\nExec=/bin/stat -c %t/%T\nReady=path:%t/a\nPidFile=%t/a.pid\n"
		"Environment=A=%t/a B=%t\n"
		"EnvironmentFile=-%t/a.env\n[Conditions]\nWhen=path:%t/b | !path:dir:%t/c\n"
		"[Socket]\nListenStream=%t/s\n";
	const SourceText source = { "x.svc", text, sizeof text - 1 };
	g_autoptr(DiagList) diags = diag_list_new();
	const ServiceParseOptions options = { .runtime = "/run/user/1000" };
	g_autoptr(ServiceDef) def = service_parse_with(&options, "x", &source, 1, diags);
	g_autoptr(ServiceDef)
		machines = parse_good("x", "[Service]\nExec=/bin/x\nReady=path:%t/a\n");
	g_autoptr(ServiceDef) instance = parse_good("x@y", "[Service]\nExec=/bin/x %t/%i %%t\n");

	expect_diags(diags, "");
	ck_assert_str_eq(def->exec->argv[2], "%t/%T");
	ck_assert_str_eq(def->ready_key, "path:/run/user/1000/a");
	ck_assert_str_eq(def->pid_file, "/run/user/1000/a.pid");
	ck_assert_str_eq((char *)g_ptr_array_index(def->execution->environment, 0),
			 "A=/run/user/1000/a");
	ck_assert_str_eq((char *)g_ptr_array_index(def->execution->environment, 1), "B=%t");
	ck_assert_str_eq(term_literal(term_at(def->when, 0), 0)->key, "path:/run/user/1000/b");
	ck_assert_str_eq(term_literal(term_at(def->when, 0), 1)->key, "path:dir:/run/user/1000/c");
	ck_assert_str_eq(machines->ready_key, "path:/run/a");
	ck_assert_str_eq(instance->exec->argv[1], "/run/y");
	ck_assert_str_eq(instance->exec->argv[2], "%t");
}
END_TEST

START_TEST(a_drop_in_replaces_adds_and_clears)
{
	g_autoptr(DiagList) diags = diag_list_new();
	g_autoptr(ServiceDef) def = parse_with_drop_in(
		"x",
		"[Service]\nExec=/bin/x\nNice=5\nEnvironment=A=1\nStopTimeout=1s\n[Conditions]\n"
		"When=flag:a\nAfter=a\n",
		"[Service]\nExec=/bin/y\nNice=\nEnvironment=B=2\n[Conditions]\nWhen=\n"
		"When=flag:b\nAfter=b\n",
		diags);

	expect_diags(diags, "");
	ck_assert_str_eq(def->exec->argv[0], "/bin/y");
	ck_assert(!def->execution->has_nice);
	ck_assert_uint_eq(def->execution->environment->len, 2);
	ck_assert_int_eq(def->stop_limit_us, G_USEC_PER_SEC);
	ck_assert_uint_eq(def->when->len, 1);
	ck_assert_str_eq(term_at(def->when, 0)->text, "flag:b");
	ck_assert_str_eq(term_at(def->when, 0)->origin.file, "x.svc.d/a.conf");
	ck_assert_uint_eq(def->after->len, 2);
	ck_assert_str_eq(def->origin.file, "x.svc");
}
END_TEST

START_TEST(an_error_that_a_drop_in_replaces_is_reported_too)
{
	g_autoptr(DiagList) diags = diag_list_new();
	g_autoptr(ServiceDef) def =
		parse_with_drop_in("x", "[Service]\nExec=x\n", "[Service]\nExec=/bin/x\n", diags);

	expect_diags(diags,
		     "x.svc:2: Exec=x: write the whole path of \"x\"; no search path is used\n");
	ck_assert_str_eq(def->problem,
			 "x.svc:2: Exec=x: write the whole path of \"x\"; no search path is used");
}
END_TEST

START_TEST(the_lines_that_took_effect_are_kept_with_their_origin)
{
	g_autoptr(DiagList) diags = diag_list_new();
	g_autoptr(ServiceDef)
		def = parse_with_drop_in("x", "[Service]\nExec=/bin/x\nNice=5\n",
					 "[Service]\nNice=6\n[Conditions]\nAfter=a\n", diags);
	const DefLine *nice;

	ck_assert_uint_eq(def->lines->len, 3);
	nice = g_ptr_array_index(def->lines, 1);
	ck_assert_str_eq(nice->key, "Nice");
	ck_assert_str_eq(nice->value, "6");
	ck_assert_str_eq(nice->origin.file, "x.svc.d/a.conf");
	ck_assert_uint_eq(nice->origin.line, 2);
}
END_TEST

START_TEST(a_line_of_8_kib_works)
{
	g_autofree char *token = g_strnfill(LIMIT_LINE_BYTES - strlen("/bin/x "), 'a');
	g_autofree char *text = g_strdup_printf("[Service]\nExec=/bin/x %s\n", token);
	g_autoptr(ServiceDef) def = parse_good("x", text);

	ck_assert_str_eq(def->exec->argv[1], token);
}
END_TEST

START_TEST(a_command_joined_beyond_8_kib_is_an_error)
{
	g_autofree char *token = g_strnfill(LIMIT_LINE_BYTES / 2, 'a');
	g_autofree char *text =
		g_strdup_printf("[Service]\nExec=/bin/x\n  %s\n  %s\n", token, token);
	g_autoptr(DiagList) diags = diag_list_new();
	g_autoptr(ServiceDef) def = parse_text("x", text, diags);

	ck_assert_ptr_nonnull(def->problem);
	expect_diags(diags, "x.svc:2: Exec= is longer than 8192 bytes\n");
}
END_TEST

START_TEST(a_list_has_at_most_512_entries)
{
	g_autoptr(GString) text = g_string_new("[Service]\nExec=/bin/x\n[Conditions]\n");
	g_autoptr(DiagList) diags = diag_list_new();
	g_autoptr(ServiceDef) def = NULL;

	for (int i = 0; i < LIMIT_LIST_ENTRIES; i++)
		g_string_append(text, "When=flag:a\n");
	service_def_free(parse_good("x", text->str));
	g_string_append(text, "When=flag:a\n");
	def = parse_text("x", text->str, diags);
	expect_diags(diags, "x.svc:516: When=flag:a: there are more than 512 entries\n");
}
END_TEST

START_TEST(a_complaint_quotes_a_long_value_only_in_part)
{
	g_autofree char *token = g_strnfill(4000, 'a');
	g_autofree char *text = g_strdup_printf("[Service]\nExec=%s\n", token);
	g_autoptr(DiagList) diags = diag_list_new();
	g_autoptr(ServiceDef) def = parse_text("x", text, diags);

	ck_assert_uint_eq(diag_list_length(diags), 1);
	ck_assert_uint_lt(strlen(diag_list_get(diags, 0)->text), 500);
}
END_TEST

START_TEST(every_row_of_the_table_is_found_under_its_name_and_refuses_nonsense)
{
	unsigned n = 0;

	for (const ServiceKey *key = service_keys(); key->name; key++, n++) {
		g_autoptr(ServiceDef) def = service_def_new("x", (Origin){ 0 });
		g_autofree char *problem = NULL;

		ck_assert_ptr_eq(service_key_find(key->section, key->name), key);
		if (strcmp(key->name, "Description") == 0)
			continue;
		problem = service_key_read(key, def, "\" no such value", (Origin){ 0 });
		ck_assert_msg(problem != NULL, "%s= takes anything", key->name);
	}
	ck_assert_uint_gt(n, 40);
}
END_TEST

START_TEST(every_key_is_in_the_manual_and_in_the_docs)
{
	g_autofree char *manual = NULL;
	g_autofree char *page = NULL;

	ck_assert(g_file_get_contents(TEST_DOCS "/man/svcd.service.5", &manual, NULL, NULL));
	ck_assert(g_file_get_contents(TEST_DOCS "/service-files.md", &page, NULL, NULL));
	for (const ServiceKey *key = service_keys(); key->name; key++) {
		g_autofree char *quoted = g_strdup_printf("`%s`", key->name);

		ck_assert_msg(strstr(manual, key->name) != NULL, "%s= is not in svcd.service(5)",
			      key->name);
		if (!g_str_has_prefix(key->name, "Limit")) /* one line documents all limits */
			ck_assert_msg(strstr(page, quoted) != NULL,
				      "%s= is not in service-files.md", key->name);
	}
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("service-parse");

	ADD_CASE(suite, "keys", a_service_of_one_line_has_the_documented_defaults,
		 every_key_of_service_reaches_its_field, every_execution_key_reaches_its_field,
		 every_key_of_conditions_reaches_its_field, readiness_has_seven_forms,
		 script_has_a_command_for_each_action,
		 every_row_of_the_table_is_found_under_its_name_and_refuses_nonsense,
		 every_key_is_in_the_manual_and_in_the_docs);
	ADD_CASE(suite, "files", an_indented_line_joins_a_command_with_a_blank,
		 what_a_shell_would_understand_is_warned_of,
		 a_template_puts_its_instance_into_every_value,
		 outside_templates_a_percent_sign_is_a_byte_like_others,
		 percent_t_is_where_files_of_this_time_are, a_drop_in_replaces_adds_and_clears,
		 an_error_that_a_drop_in_replaces_is_reported_too,
		 the_lines_that_took_effect_are_kept_with_their_origin);
	ADD_CASE(suite, "limits", a_line_of_8_kib_works, a_command_joined_beyond_8_kib_is_an_error,
		 a_list_has_at_most_512_entries, a_complaint_quotes_a_long_value_only_in_part);
	return suite;
}
