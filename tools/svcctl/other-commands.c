/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Other commands: the table, which tests/lint/verbs checks.
 */
#include "config.h"

#include "svcctl/other-commands.h"

#include <string.h>

static const struct {
	const char *token;
	const char *answer;
} other_commands[] = {
	/* systemctl, journalctl, systemd-analyze */
	{ "mask", "svcctl set NAME never" },
	{ "unmask", "svcctl undo NAME" },
	{ "is-active", "svcctl is up NAME" },
	{ "is-enabled", "svcctl is enabled NAME" },
	{ "is-failed", "svcctl is failed NAME" },
	{ "is-system-running", "svcctl boot" },
	{ "daemon-reload", "svcctl reload-files" },
	{ "daemon-reexec", "svcctl reexec" },
	{ "reset-failed", "svcctl clear NAME" },
	{ "try-restart", "svcctl restart NAME --if-running" },
	{ "reload-or-restart", "svcctl reload NAME, or svcctl restart NAME" },
	{ "kill", "svcctl reload NAME --signal TERM --all" },
	{ "isolate", "svcctl runlevel N" },
	{ "rescue", "svcctl runlevel 1" },
	{ "emergency", "svcctl runlevel 1" },
	{ "list-units", "svcctl list" },
	{ "list-unit-files", "svcctl list --all" },
	{ "list-dependencies", "svcctl tree NAME" },
	{ "preset", "svcctl policy presets" },
	{ "blame", "svcctl boot blame" },
	{ "critical-chain", "svcctl boot chain" },
	{ "plot", "svcctl boot plot" },
	{ "analyze", "svcctl boot" },
	{ "journal", "svcctl log NAME" },
	{ "logs", "svcctl log NAME" },
	{ "--failed", "svcctl list --state failed" },
	{ "--now", "svcctl enable NAME, which starts it too; svcctl disable NAME stops it" },
	{ "--unit", "svcctl log NAME" },
	{ "--type", "svcctl list" },
	{ "--no-pager", "no option, because no pager is started" },
	{ "-u", "svcctl log NAME" },
	{ "-b", "svcctl log NAME, or for the boot before this svcctl log NAME --boot -1" },
	/* service, rc-service, sv, initctl, telinit */
	{ "up", "svcctl start NAME" },
	{ "down", "svcctl stop NAME" },
	{ "once", "svcctl start NAME" },
	{ "condrestart", "svcctl restart NAME --if-running" },
	{ "force-reload", "svcctl reload NAME, or svcctl restart NAME" },
	{ "telinit", "svcctl runlevel N" },
	{ "init", "svcctl runlevel N" },
	{ "single", "svcctl runlevel 1" },
	{ "shutdown", "svcctl poweroff --at TIME, or svcctl reboot --at TIME" },
	{ "add", "svcctl new NAME -- COMMAND" },
	{ "create", "svcctl new NAME -- COMMAND" },
	{ "failed", "svcctl list --state failed" },
	{ "cancel", "svcctl stop NAME, or svcctl poweroff --cancel" },
	/* svcctl's own, which are options of other verbs now */
	{ "overview", "svcctl status" },
	{ "show", "svcctl status --properties NAME" },
	{ "ps", "svcctl list --processes" },
	{ "top", "svcctl list --processes" },
	{ "conditions", "svcctl list --conditions" },
	{ "graph", "svcctl tree --order" },
	{ "signal", "svcctl reload --signal NAME" },
	{ "override", "svcctl edit NAME, which takes KEY=VALUE, too" },
	{ "revert", "svcctl undo NAME" },
	{ "diff", "svcctl cat --diff NAME" },
	{ "presets", "svcctl policy presets" },
	{ "import-unit", "svcctl import FILE" },
	{ "audit", "svcctl doctor --security" },
	{ "halt", "svcctl poweroff --halt" },
	{ "version", "svcctl --version" },
};

char *other_command_answer(const char *token, const char *const *names, unsigned n_names)
{
	for (size_t i = 0; i < G_N_ELEMENTS(other_commands); i++) {
		g_autoptr(GString) joined = g_string_new(NULL);
		g_auto(GStrv) parts = NULL;

		if (strcmp(other_commands[i].token, token) != 0)
			continue;
		if (n_names == 0)
			return g_strdup(other_commands[i].answer);
		for (unsigned k = 0; k < n_names; k++)
			g_string_append_printf(joined, "%s%s", k > 0 ? " " : "", names[k]);
		parts = g_strsplit(other_commands[i].answer, "NAME", -1);
		return g_strjoinv(joined->str, parts);
	}
	return NULL;
}
