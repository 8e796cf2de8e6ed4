/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <check.h>
#include <string.h>

#include "import-unit/command.h"
#include "import-unit/import-unit.h"
#include "import-unit/unit-names.h"
#include "import-unit/specifiers.h"
#include "tests/lib/diags.h"
#include "tests/lib/suite.h"

/* A unit without systemd's default dependencies. */
#define PLAIN "[Unit]\nDefaultDependencies=no\n"

static Import *import_text(const char *file, const char *text)
{
	const UnitText source = { file, text, strlen(text) };

	return import_unit(&source, 1);
}

static Import *import_good(const char *file, const char *text)
{
	Import *import = import_text(file, text);

	expect_diags(import->diags, "");
	return import;
}

/* The lines of the service file after its first comment, joined with ";". */
static char *body_of(const Import *import)
{
	g_auto(GStrv) lines = g_strsplit(import->service, "\n", -1);
	g_autoptr(GString) body = g_string_new(NULL);

	for (char **line = lines; *line; line++) {
		if (**line && **line != '#' && !g_str_has_prefix(*line, "Description="))
			g_string_append_printf(body, "%s%s", body->len > 0 ? ";" : "", *line);
	}
	return g_string_free(g_steal_pointer(&body), FALSE);
}

static void expect_body(const char *unit, const char *expected)
{
	g_autoptr(Import) import = import_good("/x/a.service", unit);
	g_autofree char *body = body_of(import);

	ck_assert_str_eq(body, expected);
}

static const ImportLine *line_message(const Import *import, const char *message)
{
	for (guint i = 0; i < import->lines->len; i++) {
		const ImportLine *line = g_ptr_array_index(import->lines, i);

		if (strcmp(line->message, message) == 0)
			return line;
	}
	ck_abort_msg("no line has the message %s", message);
	return NULL;
}

/* --- commands --- */

static void expect_command(const char *unit, const char *expected)
{
	g_autofree char *problem = NULL;
	g_autoptr(GPtrArray) commands = unit_command_parse(unit, &problem);
	g_autofree char *written = NULL;

	ck_assert_msg(commands != NULL, "%s", problem);
	written = unit_command_write_all(commands);
	ck_assert_str_eq(written, expected);
}

START_TEST(tokens_are_unquoted_and_quoted_again)
{
	expect_command("/bin/a \"b c\" 'd' e\\x20f \\u00e4", "/bin/a \"b c\" d \"e f\" \xc3\xa4");
	expect_command("/bin/a b\\;c", "/bin/a b;c");
	expect_command("/bin/a \\d", "/bin/a \"\\\\d\"");
}
END_TEST

START_TEST(variables_take_a_shell)
{
	expect_command("/bin/a $X", "/bin/sh -fc \"exec /bin/a $X\"");
	expect_command("/bin/a --x=${X} \"b c\"",
		       "/bin/sh -fc \"exec /bin/a \\\"--x=${X}\\\" 'b c'\"");
	/* Inside a token a variable needs braces; "$$" is a plain dollar sign. */
	expect_command("/bin/a b$X $$Y 5$", "/bin/a b$X $Y 5$");
	expect_command(":/bin/a $X", "/bin/a $X");
}
END_TEST

START_TEST(the_main_process_is_known_without_a_shell)
{
	expect_command("/bin/kill -USR1 ${MAINPID}", "/bin/kill -USR1 $MAINPID");
	expect_command("/bin/a -t ; /bin/kill -HUP $MAINPID",
		       "/bin/sh -fc \"/bin/a -t && /bin/kill -HUP $MAINPID\"");
	expect_command("-/bin/a ; /bin/b", "/bin/sh -fc \"/bin/a; /bin/b\"");
}
END_TEST

START_TEST(an_unclosed_quote_is_reported)
{
	g_autofree char *problem = NULL;

	ck_assert_ptr_null(unit_command_parse("/bin/a 'b", &problem));
	ck_assert_str_eq(problem, "a ' is not closed");
}
END_TEST

START_TEST(a_command_without_a_program_is_reported)
{
	static const char *const bad[][2] = { { "-", "a command has no program" },
					      { "/bin/a ; @+", "a command has no program" },
					      { ";", "there is no command" } };

	for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
		g_autofree char *problem = NULL;

		ck_assert_ptr_null(unit_command_parse(bad[i][0], &problem));
		ck_assert_str_eq(problem, bad[i][1]);
	}
}
END_TEST

/* --- specifiers --- */

static void expect_specifiers(const char *value, const char *unit, bool is_template,
			      const char *expected)
{
	g_autofree char *problem = NULL;
	g_autofree char *got = specifiers_expand(value, unit, is_template, &problem);

	ck_assert_str_eq(got ? got : problem, expected);
}

START_TEST(specifiers_are_expanded_if_their_value_is_known_from_the_file)
{
	expect_specifiers("%t/%p %S %n %% 33%", "a.service", false,
			  "/run/a /var/lib a.service % 33%");
	expect_specifiers("%i-%N-%n", "a@b.service", false, "b-a@b-a@b.service");
	expect_specifiers("%i %% 33%", "a@.service", true, "%i %% 33%%");
	expect_specifiers("%H", "a.service", false,
			  "%H is known only when the unit is started; write its value");
}
END_TEST

/* --- names --- */

static void expect_name(const char *unit, UnitNameKind kind, const char *expected)
{
	g_autofree char *text = NULL;

	ck_assert_int_eq(unit_name_translate(unit, &text), kind);
	ck_assert_str_eq(text, expected);
}

START_TEST(names_of_units_become_services_facilities_and_conditions)
{
	expect_name("sshd.service", UNIT_NAME_SERVICE, "ssh");
	expect_name("foo.socket", UNIT_NAME_SERVICE, "foo");
	expect_name("network.target", UNIT_NAME_FACILITY, "$network");
	expect_name("network-online.target", UNIT_NAME_CONDITION, "network:up");
	expect_name("srv-my\\x2ddata.mount", UNIT_NAME_CONDITION, "mounted:/srv/my-data");
	expect_name("-.mount", UNIT_NAME_CONDITION, "mounted:/");
	expect_name("dev-sda2.device", UNIT_NAME_CONDITION, "device:/dev/sda2");
	expect_name("sys-subsystem-net-devices-eth0.device", UNIT_NAME_CONDITION,
		    "udev:SUBSYSTEM=net INTERFACE=eth0");
	expect_name("a.timer", UNIT_NAME_LOST, "svcd has no unit of the kind .timer");
	expect_name("a b.service", UNIT_NAME_LOST, "\"a b\" cannot be the name of a service");
}
END_TEST

/* --- whole units --- */

START_TEST(types_become_type_and_readiness)
{
	expect_body(
		PLAIN "[Service]\nType=forking\nPIDFile=/var/run/a.pid\nExecStart=/bin/a\n",
		"[Service];Exec=/bin/a;Ready=fork;PidFile=/run/a.pid;[Conditions];When=path:exec:/bin/a");
	expect_body(
		PLAIN "[Service]\nType=dbus\nBusName=org.example.A\nExecStart=/bin/a\n",
		"[Service];Exec=/bin/a;Ready=dbus:org.example.A;[Conditions];When=path:exec:/bin/a;While=service:dbus");
	expect_body(
		PLAIN "[Service]\nBusName=org.example.A\nExecStart=/bin/a\n",
		"[Service];Exec=/bin/a;Ready=dbus:org.example.A;[Conditions];When=path:exec:/bin/a;While=service:dbus");
	expect_body(
		PLAIN "[Service]\nType=notify-reload\nExecStart=/bin/a\n",
		"[Service];Exec=/bin/a;Reload=signal:HUP;Ready=notify;[Conditions];When=path:exec:/bin/a");
	expect_body(
		PLAIN "[Service]\nType=notify-reload\nReloadSignal=SIGUSR1\nExecStart=/bin/a\n",
		"[Service];Exec=/bin/a;Reload=signal:SIGUSR1;Ready=notify;[Conditions];When=path:exec:/bin/a");
	expect_body(PLAIN "[Service]\nType=forking\nRemainAfterExit=yes\nExecStart=/bin/a\n",
		    "[Service];Type=task;Exec=/bin/a;[Conditions];When=path:exec:/bin/a");
}
END_TEST

START_TEST(several_commands_of_a_task_run_in_their_order)
{
	expect_body(PLAIN "[Service]\nType=oneshot\nExecStartPre=-/bin/p\nExecStart=-/bin/a\n"
			  "ExecStart=/bin/b\nExecStop=/bin/c\n",
		    "[Service];Type=task;Exec=/bin/b;Prepare=-/bin/p;Prepare=-/bin/a;Stop=/bin/c;"
		    "[Conditions];When=path:exec:/bin/a;When=path:exec:/bin/b");
}
END_TEST

START_TEST(a_unit_with_nothing_but_a_stop_is_a_task)
{
	expect_body(PLAIN "[Service]\nType=oneshot\nExecStop=/bin/c\n",
		    "[Service];Type=task;Exec=/bin/true;Stop=/bin/c");
}
END_TEST

START_TEST(order_and_need_become_terms)
{
	expect_body(
		PLAIN
		"After=network.target b.service srv.mount\nRequires=c.service\nWants=d.service "
		"a.service\n"
		"Requisite=e.service\nConflicts=f.service shutdown.target\nRequiresMountsFor=/srv\n"
		"[Service]\nExecStart=/bin/a\n",
		"[Service];Exec=/bin/a;[Conditions];When=active:e;When=path:exec:/bin/a;While=service:c;"
		"After=$network;After=b;After=mount-srv;After=$local_fs;After=$remote_fs;Wants=d;Conflicts=f");
}
END_TEST

START_TEST(a_dependency_on_the_network_becomes_a_condition)
{
	expect_body(PLAIN "After=network-online.target\nWants=network-online.target\n[Service]\n"
			  "ExecStart=/bin/a\n",
		    "[Service];Exec=/bin/a;[Conditions];When=network:up;When=path:exec:/bin/a");
	expect_body(PLAIN "After=network-online.target\n[Service]\nExecStart=/bin/a\n",
		    "[Service];Exec=/bin/a;[Conditions];When=path:exec:/bin/a;After=$network");
}
END_TEST

START_TEST(conditions_that_are_alternatives_are_one_term)
{
	expect_body(PLAIN "ConditionPathExists=|/a\nConditionPathExists=|!/b c\n"
			  "ConditionDirectoryNotEmpty=/d\n"
			  "ConditionVirtualization=!container\n[Service]\nExecStart=/bin/a\n",
		    "[Service];Exec=/bin/a;[Conditions];When=path:/a | !\"path:/b "
		    "c\";When=path:nonempty:/d;"
		    "When=!virtual:container;When=path:exec:/bin/a");
}
END_TEST

START_TEST(a_firewall_precedes_the_services_that_bring_up_interfaces)
{
	expect_body(PLAIN "Wants=network-pre.target\nBefore=network-pre.target shutdown.target\n"
			  "After=network-pre.target\n[Service]\nExecStart=/bin/a\n",
		    "[Service];Exec=/bin/a;[Conditions];When=path:exec:/bin/a;Before=networking "
		    "network-manager systemd-networkd connman dhcpcd ifplugd");
}
END_TEST

START_TEST(a_unit_for_real_machines_has_two_conditions)
{
	static const char expected[] = "[Service];Exec=/bin/a;[Conditions];When=!virtual:container;"
				       "When=!virtual:vm;When=path:exec:/bin/a";

	expect_body(PLAIN "ConditionVirtualization=no\n[Service]\nExecStart=/bin/a\n", expected);
	expect_body(PLAIN "ConditionVirtualization=!yes\n[Service]\nExecStart=/bin/a\n", expected);
}
END_TEST

START_TEST(a_unit_that_provides_a_facility_keeps_its_own_name)
{
	g_autoptr(Import) import =
		import_good("/x/systemd-timesyncd.service", PLAIN "[Service]\nExecStart=/bin/a\n");

	ck_assert_str_eq(import->name, "systemd-timesyncd");
}
END_TEST

START_TEST(systemd_s_own_dependencies_are_written_down)
{
	expect_body(
		"[Service]\nExecStart=/bin/a\n",
		"[Service];Exec=/bin/a;[Conditions];When=path:exec:/bin/a;After=$local_fs;After=tmpfiles");
}
END_TEST

START_TEST(an_empty_value_clears_earlier_values)
{
	g_autoptr(Import)
		import = import_good("/x/a.service", PLAIN
				     "[Service]\nExecStart=/bin/a\nExecStart=\nExecStart=/bin/b\n");

	ck_assert_ptr_nonnull(strstr(import->service, "\nExec=/bin/b\n"));
	ck_assert_ptr_null(strstr(import->service, "/bin/a"));
	ck_assert_int_eq(line_message(import, "ExecStart=/bin/a")->verdict, IMPORT_IMPLIED);
}
END_TEST

START_TEST(an_empty_set_of_capabilities_stays_empty)
{
	expect_body(
		PLAIN "[Service]\nExecStart=/bin/a\nCapabilityBoundingSet=\n",
		"[Service];Exec=/bin/a;CapabilityBoundingSet=;[Conditions];When=path:exec:/bin/a");
	expect_body(
		PLAIN "[Service]\nExecStart=/bin/a\nCapabilityBoundingSet=CAP_KILL\n"
		      "CapabilityBoundingSet=\n"
		      "CapabilityBoundingSet=CAP_CHOWN\n",
		"[Service];Exec=/bin/a;CapabilityBoundingSet=;CapabilityBoundingSet=CAP_CHOWN;[Conditions];When=path:exec:/bin/a");
}
END_TEST

START_TEST(every_line_is_reported_once)
{
	g_autoptr(Import) import = import_good(
		"/x/a.service",
		"[Unit]\n# comment\nDescription=A \\\n  b\nOnFailure=c.service\nNonsense=1\n"
		"[X-Other]\nKey=1\n[Service]\nExecStart=/bin/a \\\n# between\n  -b\n");

	ck_assert_uint_eq(import->lines->len, 6);
	ck_assert_str_eq(line_message(import, "ExecStart=/bin/a    -b")->became, "Exec=/bin/a -b");
	ck_assert_uint_eq(line_message(import, "ExecStart=/bin/a    -b")->origin.line, 10);
	ck_assert_int_eq(line_message(import, "OnFailure=c.service")->verdict, IMPORT_LOST);
	ck_assert_str_eq(line_message(import, "Nonsense=1")->note,
			 "svcctl import does not know this key");
	ck_assert_int_eq(line_message(import, "Key=1")->verdict, IMPORT_IMPLIED);
}
END_TEST

START_TEST(a_dropped_line_is_explained)
{
	static const char unit[] =
		"[Unit]\nWants=network-online.target\nAfter=network-online.target a.service\n"
		"Conflicts=syslog.target\n"
		"[Service]\nExecStart=/bin/a\nExecStartPre=-\nExecStop=;\n";
	g_autoptr(Import) import = import_good("/x/a.service", unit);

	ck_assert_str_eq(
		line_message(import, "After=network-online.target a.service")->note,
		"network-online.target: no key is needed; a.service: this is the service itself");
	ck_assert_str_eq(line_message(import, "Conflicts=syslog.target")->note,
			 "syslog.target: no key is needed");
	ck_assert_str_eq(line_message(import, "ExecStartPre=-")->note, "a command has no program");
	ck_assert_str_eq(line_message(import, "ExecStop=;")->note, "there is no command");
}
END_TEST

START_TEST(the_install_section_becomes_policy_only)
{
	g_autoptr(Import) import = import_good("/x/sshd.service",
					       "[Service]\nExecStart=/bin/a\n[Install]\n"
					       "WantedBy=multi-user.target\nAlias=other.service\n");

	ck_assert_str_eq(import->name, "ssh");
	ck_assert_ptr_nonnull(
		strstr(import->policy, "\n[service ssh]\nActivation=boot\nRunlevels=2 3 4 5\n"));
	ck_assert_ptr_null(strstr(import->service, "Runlevels"));
	ck_assert_ptr_nonnull(strstr(import->service, "\nProvides=other\n"));
}
END_TEST

START_TEST(a_template_stays_a_template)
{
	g_autoptr(Import) import = import_good("/x/a@.service",
					       "[Service]\nExecStart=/bin/a %i 100%%\n[Install]\n"
					       "WantedBy=multi-user.target\n");

	ck_assert_ptr_nonnull(strstr(import->service, "\nExec=/bin/a %i 100%%\n"));
	ck_assert_ptr_nonnull(strstr(import->policy, "[service a@INSTANCE]\n"));
}
END_TEST

START_TEST(an_infinite_timeout_is_refused)
{
	g_autoptr(Import)
		import = import_good("/x/a.service",
				     "[Service]\nExecStart=/bin/a\nTimeoutStartSec=infinity\n"
				     "TimeoutStopSec=5s\nStartLimitInterval=0\n");

	ck_assert_ptr_nonnull(strstr(import->service, "\nStartTimeout=1h\nStopTimeout=5s\n"));
	ck_assert_str_eq(line_message(import, "TimeoutStartSec=infinity")->note,
			 "every wait needs a limit");
}
END_TEST

START_TEST(other_kinds_of_units_are_refused_with_a_way)
{
	g_autoptr(Import) timer = import_text("/x/a.timer", "[Timer]\nOnCalendar=daily\n");
	g_autoptr(Import) nothing = import_text("/x/a", "");
	g_autoptr(Import) binary = import_text("/x/a.service", "[Service]\nExecStart=/bin/\xff\n");

	expect_diags(
		timer->diags,
		"/x/a.timer: svcd has no timers; put the command into a file of /etc/cron.d\n");
	expect_diags(nothing->diags,
		     "/x/a: \"a\" is not a unit; give a file such as NAME.service\n");
	ck_assert_uint_ge(diag_list_count_errors(binary->diags), 1);
}
END_TEST

START_TEST(an_invalid_line_is_an_error_with_its_number)
{
	g_autoptr(Import) import = import_text(
		"/x/a.service", "Key=1\n[Service]\nExecStart=/bin/a\nnonsense\n[Half\n");

	expect_diags(import->diags,
		     "/x/a.service:1: \"Key=1\" is not a setting in a section\n"
		     "/x/a.service:4: \"nonsense\" is not a setting of the form KEY=VALUE\n"
		     "/x/a.service:5: \"[Half\" is not a section; write [NAME]\n");
}
END_TEST

START_TEST(a_service_that_has_nothing_to_run_is_an_error)
{
	g_autoptr(Import) empty = import_text("/x/a.service", "");
	g_autoptr(Import) open =
		import_text("/x/a.service", "[Service]\nExecStart=/bin/a 'b\nExecStop=/bin/c\n");
	g_autoptr(Import) broken =
		import_text("/x/a.service", "[Service]\nExecStart=/bin/printf \"a\\nb\"\n");
	g_autoptr(Import)
		unknown = import_text("/x/a.service", "[Service]\nExecStart=/bin/echo %Z\n");

	expect_diags(empty->diags, "a.service: the unit has no ExecStart=\n");
	expect_diags(unknown->diags, "/x/a.service:2: ExecStart=: %Z is known only when the unit "
				     "is started; write its value\n");
	expect_diags(open->diags, "/x/a.service:2: ExecStart=/bin/a 'b: a ' is not closed\n");
	expect_diags(
		broken->diags,
		"/x/a.service:2: ExecStart=/bin/printf \"a\\nb\": a line of a service file cannot "
		"contain a line break\n");
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("import-unit");

	ADD_CASE(suite, "parts", tokens_are_unquoted_and_quoted_again, variables_take_a_shell,
		 the_main_process_is_known_without_a_shell, an_unclosed_quote_is_reported,
		 a_command_without_a_program_is_reported,
		 specifiers_are_expanded_if_their_value_is_known_from_the_file,
		 names_of_units_become_services_facilities_and_conditions);
	ADD_CASE(suite, "units", types_become_type_and_readiness,
		 several_commands_of_a_task_run_in_their_order,
		 a_unit_with_nothing_but_a_stop_is_a_task, order_and_need_become_terms,
		 a_dependency_on_the_network_becomes_a_condition,
		 conditions_that_are_alternatives_are_one_term,
		 a_firewall_precedes_the_services_that_bring_up_interfaces,
		 a_unit_for_real_machines_has_two_conditions,
		 a_unit_that_provides_a_facility_keeps_its_own_name,
		 systemd_s_own_dependencies_are_written_down, an_empty_value_clears_earlier_values,
		 an_empty_set_of_capabilities_stays_empty, every_line_is_reported_once,
		 a_dropped_line_is_explained, the_install_section_becomes_policy_only,
		 a_template_stays_a_template, an_infinite_timeout_is_refused,
		 other_kinds_of_units_are_refused_with_a_way,
		 an_invalid_line_is_an_error_with_its_number,
		 a_service_that_has_nothing_to_run_is_an_error);
	return suite;
}
