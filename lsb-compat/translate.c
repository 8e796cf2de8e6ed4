/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Translate: keys are explained in docs/service-files.md and docs/policy.md.
 */
#include "config.h"

#include "lsb-compat/translate.h"

#include <string.h>

/* A description is one line for the user; longer text adds nothing. */
#define DESCRIPTION_BYTES 200

/* Names per line: readable, and below the limit for lines. */
#define NAMES_IN_LINE 10

/* Makes text from a script the value of a key: one line of UTF-8. */
static char *make_value(const char *text)
{
	g_autofree char *valid = g_utf8_make_valid(text, -1);
	g_autoptr(GString) value = g_string_new(NULL);

	for (const char *p = valid; *p; p = g_utf8_next_char(p)) {
		const gunichar c = g_utf8_get_char(p);

		if (value->len >= DESCRIPTION_BYTES)
			break;
		/* "%i" would be expanded as in a template. */
		if (c == 'i' && g_str_has_suffix(value->str, "%"))
			g_string_append_c(value, ' ');
		g_string_append_unichar(value, g_unichar_isprint(c) ? c : ' ');
	}
	return g_strstrip(g_string_free(g_steal_pointer(&value), FALSE));
}

static void add_description(GString *text, const LsbScript *script)
{
	const char *message = script->header->short_description;
	g_autofree char *value = NULL;

	if (!message)
		message = script->header->description;
	value = make_value(message ? message : script->file);
	g_string_append_printf(text, "Description=%s\n", *value ? value : script->file);
}

static void add_command(GString *text, const char *key, const LsbScript *script, const char *action)
{
	/* The kernel does not execute a file without "#!"; a shell reads it itself. */
	g_string_append_printf(text, "%s=%s%s %s\n", key,
			       lsb_script_has_interpreter(script) ? "" : "/bin/sh ", script->path,
			       action);
}

static void add_service(GString *text, const LsbNode *node)
{
	const LsbScript *script = node->script;
	g_autofree char *pid_file = lsb_script_pid_file(script);

	g_string_append(text, "[Service]\n");
	add_description(text, script);
	g_string_append(text, "Type=script\n");
	if (node->is_stop_only)
		/* up from the boot on, so that it can be stopped */
		g_string_append(text, "Exec=/bin/true\n");
	else
		add_command(text, "Exec", script, "start");
	add_command(text, "Stop", script, "stop");
	if (!node->is_stop_only && lsb_script_can_restart(script))
		add_command(text, "RestartCommand", script, "restart");
	if (lsb_script_can_reload(script))
		add_command(text, "Reload", script, "reload");
	if (pid_file)
		g_string_append_printf(text, "PidFile=%s\n", pid_file);
	if (lsb_header_exists(script->header))
		g_string_append(text, "SuccessStatus=5 6\n");
	/* The window is longer than five starts that use their whole time limit. */
	if (!node->is_stop_only && lsb_script_has_daemon(script))
		g_string_append(text, "Restart=on-failure\nRestartDelay=1s\nRestartLimit=5/1h\n");
	/*
	 * A script that asks on the console waits for the user, and such a script may check file
	 * systems.
	 */
	g_string_append_printf(
		text, "KillMode=process\nStartTimeout=%s\nStopTimeout=5min\nStopOrder=said\n",
		node->is_interactive ? "2h" : "5min");
	g_string_append_printf(text, "Environment=SVCD_SCRIPT=%s\n", node->name);
	if (node->is_interactive)
		g_string_append(text, "StartLock=console\nTTYPath=-/dev/console\n");
}

static void add_list(GString *text, const char *key, const GPtrArray *names)
{
	for (guint i = 0; i < names->len; i++) {
		if (i % NAMES_IN_LINE == 0)
			g_string_append_printf(text, "%s%s=", i > 0 ? "\n" : "", key);
		else
			g_string_append_c(text, ' ');
		g_string_append(text, g_ptr_array_index(names, i));
	}
	if (names->len > 0)
		g_string_append_c(text, '\n');
}

char *lsb_translate_script(const LsbNode *node, const LsbPlan *plan)
{
	GString *text = g_string_new(NULL);

	add_service(text, node);
	g_string_append(text, "\n[Conditions]\n");
	add_list(text, "Provides", node->provides);
	add_list(text, "After", plan->after);
	add_list(text, "Before", plan->before);
	add_list(text, "StopBefore", plan->stop_before);
	add_list(text, "StopAfter", plan->stop_after);
	return g_string_free(text, FALSE);
}

static int compare_nodes(gconstpointer a, gconstpointer b)
{
	return strcmp((*(const LsbNode *const *)a)->name, (*(const LsbNode *const *)b)->name);
}

char *lsb_translate_links(const LsbNodes *nodes)
{
	g_autoptr(GPtrArray) sorted = g_ptr_array_new();
	g_autoptr(GString) text = g_string_new(NULL);

	for (guint i = 0; i < nodes->list->len; i++) {
		LsbNode *node = lsb_node_at(nodes, i);

		if (node->is_known && node->role != LSB_ROLE_OWN_JOB)
			g_ptr_array_add(sorted, node);
	}
	g_ptr_array_sort(sorted, compare_nodes);
	for (guint i = 0; i < sorted->len; i++) {
		const LsbNode *node = g_ptr_array_index(sorted, i);
		const unsigned start = node->is_stop_only ? LSB_LEVEL_S : node->start;
		g_autofree char *levels = lsb_levels_format(start);

		g_string_append_printf(text, "%s[service %s]\n", i > 0 ? "\n" : "", node->name);
		if (start)
			g_string_append_printf(text, "Activation=boot\nRunlevels=\nRunlevels=%s\n",
					       levels);
		else
			g_string_append(text, "Activation=manual\n");
	}
	return sorted->len > 0 ? g_string_free(g_steal_pointer(&text), FALSE) : NULL;
}
