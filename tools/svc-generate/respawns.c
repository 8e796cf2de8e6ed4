/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Respawns: see respawns.h.
 */
#include "config.h"

#include "svc-generate/respawns.h"

#include <string.h>

#include "svc-generate/inittab.h"

#define INITTAB "/etc/inittab"

/* This file is in force whatever RcLinks= is. */
#define ANSWERS_POLICY_FILE "50-inittab.policy"

/* The characters that make init(8) pass a command to a shell. */
#define SHELL_LETTERS "~`!$^&*()=|\\{}[];\"'<>?"

typedef struct Respawns {
	const RespawnsWorld *world;
	RespawnsOutput output;
	DiagList *diags;
	/* names of the tasks that all further lines wait for, each after a blank */
	GString *waited_for;
	GString *boot_waited_for; /* the same for boot lines, which no runlevel line delays */
} Respawns;

/* --- commands --- */

static bool is_rc(const InittabEntry *entry)
{
	static const char *const programs[] = { "/etc/init.d/rcS",  "/etc/init.d/rc",
						"/etc/init.d/boot", "/sbin/rc",
						"/lib/init/rc",     "/lib/init/rcS",
						"/etc/rc.d/rc",     "/etc/rc.d/rc.sysinit" };
	const size_t length = strcspn(entry->process, " \t");

	for (size_t i = 0; i < G_N_ELEMENTS(programs); i++)
		if (strlen(programs[i]) == length &&
		    strncmp(entry->process, programs[i], length) == 0)
			return true;
	return entry->action == INITTAB_SYSINIT;
}

/* The shell of single-user mode; it is left out, because svcd has its own (rescue). */
static bool is_sulogin(const InittabEntry *entry)
{
	const size_t length = strcspn(entry->process, " \t");

	return length >= strlen("sulogin") && strncmp(entry->process + length - strlen("sulogin"),
						      "sulogin", strlen("sulogin")) == 0;
}

static char **split_tokens(const char *process)
{
	char **tokens = g_strsplit_set(process, " \t", -1);
	size_t n = 0;

	for (size_t i = 0; tokens[i]; i++) {
		if (*tokens[i])
			tokens[n++] = tokens[i];
		else
			g_free(tokens[i]);
	}
	tokens[n] = NULL;
	return tokens;
}

static char *format_exec(const char *process)
{
	g_autoptr(GString) exec = g_string_new("Exec=");
	g_auto(GStrv) tokens = NULL;

	if (strpbrk(process, SHELL_LETTERS) || *process != '/') {
		g_autofree char *line = g_strconcat("exec ", process, NULL);
		g_autofree char *quoted = g_shell_quote(line);

		g_string_append_printf(exec, "/bin/sh -c %s", quoted);
		return g_string_free(g_steal_pointer(&exec), FALSE);
	}
	tokens = split_tokens(process);
	for (size_t i = 0; tokens[i]; i++)
		g_string_append_printf(exec, "%s%s", i ? " " : "", tokens[i]);
	return g_string_free(g_steal_pointer(&exec), FALSE);
}

/* Returns: the terminal of a getty, a new string; NULL if the command is not a getty. */
static char *getty_terminal(const char *process)
{
	static const char *const kinds[] = {
		"tty", "hvc", "hvsi", "pts/", "console", "xvc", "ttyS"
	};
	g_auto(GStrv) tokens = split_tokens(process);

	if (!tokens[0] || !g_str_has_suffix(tokens[0], "getty"))
		return NULL;
	for (size_t i = 1; tokens[i]; i++) {
		const char *name = g_str_has_prefix(tokens[i], "/dev/") ?
					   tokens[i] + strlen("/dev/") :
					   tokens[i];

		for (size_t k = 0; k < G_N_ELEMENTS(kinds); k++)
			if (g_str_has_prefix(name, kinds[k]) &&
			    strspn(name, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS) == strlen(name))
				return g_strdup(name);
	}
	return NULL;
}

/* --- policy --- */

static GString *policy_of(Respawns *r)
{
	return generated_files_add(r->output.policy, RESPAWNS_POLICY_FILE, INITTAB);
}

/*
 * Leaves out 0 and 6, which shut down the machine, and a, b and c, which are not states of a
 * machine. An empty field means 1 to 5.
 */
static char *format_levels(const InittabEntry *entry)
{
	const char *message = *entry->levels ? entry->levels : "12345";
	g_autoptr(GString) levels = g_string_new(NULL);

	for (; *message; message++)
		if (strchr("12345789S", *message))
			g_string_append_printf(levels, "%s%c", levels->len ? " " : "", *message);
	return g_string_free(g_steal_pointer(&levels), FALSE);
}

static void want(Respawns *r, const char *name, const InittabEntry *entry, const char *levels)
{
	g_string_append_printf(policy_of(r), "\n# line %u\n[service %s]\n", entry->origin.line,
			       name);
	if (*levels)
		g_string_append_printf(policy_of(r), "Activation=boot\nRunlevels=\nRunlevels=%s\n",
				       levels);
	else
		g_string_append(policy_of(r), "Activation=manual\n");
}

static void set_default_runlevel(Respawns *r, const InittabEntry *entry)
{
	if (strlen(entry->levels) != 1 || !strchr("12345789S", *entry->levels)) {
		diag_error(r->diags, entry->origin, NULL,
			   "the runlevel of initdefault must be 1 to 5; the line is left out");
		return;
	}
	g_string_append_printf(policy_of(r), "\n# line %u\n[defaults]\nRunlevel=%c\n",
			       entry->origin.line, *entry->levels == 'S' ? '1' : *entry->levels);
}

/* --- services --- */

/* "~" in an id becomes "_", because it is invalid in a service's name. */
static char *service_name(const InittabEntry *entry)
{
	g_autofree char *id = g_strdup(entry->id);

	for (char *p = id; *p; p++)
		if (*p == '~')
			*p = '_';
	return g_strdup_printf("inittab-%s", id);
}

static GString *begin_service(Respawns *r, const char *name, const InittabEntry *entry)
{
	g_autofree char *file = g_strdup_printf("%s.svc", name);
	g_autofree char *exec = format_exec(entry->process);
	GString *text;

	if (generated_files_has(r->output.services, file)) {
		diag_error(r->diags, entry->origin, NULL,
			   "an earlier line already defines %s; this line is left out", name);
		return NULL;
	}
	text = generated_files_add(r->output.services, file, INITTAB);
	g_string_append_printf(text, "[Service]\nDescription=%s of /etc/inittab: %s\n%s\n",
			       inittab_action_name(entry->action), entry->process, exec);
	return text;
}

/*
 * SysV's init runs all scripts of the runlevel before it starts these lines. Here each line waits
 * for what it needs.
 */
static void end_service(GString *text, const char *first, const GString *waited_for)
{
	g_string_append_printf(text, "\n[Conditions]\nAfter=%s%s\n", first, waited_for->str);
}

static void make_daemon(Respawns *r, const InittabEntry *entry)
{
	g_autofree char *terminal = getty_terminal(entry->process);
	g_autofree char *levels = format_levels(entry);
	g_autofree char *name = terminal && r->world->has_getty ?
					g_strdup_printf("getty@%s", terminal) :
					service_name(entry);
	GString *text;

	if (terminal && r->world->has_getty) {
		want(r, name, entry, levels);
		return;
	}
	text = begin_service(r, name, entry);
	if (!text)
		return;
	/* init(8) restarts a process ten times in two minutes, and then pauses for five minutes. */
	g_string_append(text, "Restart=always\nRestartDelay=1s\nRestartLimit=10/2min\n");
	if (terminal)
		g_string_append_printf(text,
				       "KillMode=process\nCleanup=-" SVCD_LIBDIR
				       "/svc-utmp dead %s\n",
				       terminal);
	/*
	 * The terms are those of getty@. The script rc.local runs after all services, and a login
	 * may be possible before it.
	 */
	end_service(text,
		    terminal ? "$local_fs $remote_fs hostname keyboard-setup console-setup" :
			       "$local_fs $remote_fs $syslog $network rc.local",
		    r->waited_for);
	want(r, name, entry, levels);
}

static void make_task(Respawns *r, const InittabEntry *entry, const char *first, const char *levels)
{
	const bool is_of_boot = entry->action == INITTAB_BOOT || entry->action == INITTAB_BOOT_WAIT;
	g_autofree char *name = service_name(entry);
	GString *text = begin_service(r, name, entry);

	if (!text)
		return;
	g_string_append(text, "Type=task\n");
	end_service(text, first, is_of_boot ? r->boot_waited_for : r->waited_for);
	want(r, name, entry, levels);
	if (entry->action == INITTAB_WAIT || entry->action == INITTAB_BOOT_WAIT)
		g_string_append_printf(r->waited_for, " %s", name);
	if (entry->action == INITTAB_BOOT_WAIT)
		g_string_append_printf(r->boot_waited_for, " %s", name);
}

/*
 * Only svcd starts this service, when the event occurs. The policy for new services does not apply.
 * A program that cannot be run must not replace svcd's own reaction.
 */
static void make_answer(Respawns *r, const InittabEntry *entry, const char *name)
{
	g_autofree char *program = g_strndup(entry->process, strcspn(entry->process, " \t"));
	GString *text;

	if (*program == '/' && !r->world->has_program(r->world->data, program)) {
		diag_warning(r->diags, entry->origin, NULL,
			     "%s: there is no %s; the line is left out", name, program);
		return;
	}
	text = begin_service(r, name, entry);
	if (!text)
		return;
	g_string_append(text, "Type=task\n");
	g_string_append_printf(
		generated_files_add(r->output.services, ANSWERS_POLICY_FILE, INITTAB),
		"\n# line %u\n[service %s]\nActivation=manual\n", entry->origin.line, name);
}

static void generate_entry(Respawns *r, const InittabEntry *entry)
{
	g_autofree char *levels = format_levels(entry);

	if (is_rc(entry) || is_sulogin(entry))
		return;
	switch (entry->action) {
	case INITTAB_RESPAWN:
		make_daemon(r, entry);
		break;
	case INITTAB_WAIT:
	case INITTAB_ONCE:
		make_task(r, entry, "$local_fs $remote_fs $syslog $network", levels);
		break;
	case INITTAB_BOOT:
	case INITTAB_BOOT_WAIT:
		make_task(r, entry, "$local_fs", "S");
		break;
	case INITTAB_INIT_DEFAULT:
		set_default_runlevel(r, entry);
		break;
	case INITTAB_POWER_WAIT:
	case INITTAB_POWER_FAIL:
		make_answer(r, entry, "power-fail");
		break;
	case INITTAB_POWER_OK_WAIT:
		make_answer(r, entry, "power-ok");
		break;
	case INITTAB_POWER_FAIL_NOW:
		make_answer(r, entry, "power-fail-now");
		break;
	case INITTAB_CTRL_ALT_DEL:
		make_answer(r, entry, "ctrl-alt-del");
		break;
	case INITTAB_KEYBOARD_REQUEST:
		make_answer(r, entry, "keyboard-request");
		break;
	case INITTAB_ON_DEMAND:
		diag_warning(r->diags, entry->origin, NULL,
			     "svcd has no runlevels a, b and c; the line is left out");
		break;
	case INITTAB_OFF:
	case INITTAB_SYSINIT:
	case INITTAB_COUNT:
		break;
	}
}

void respawns_generate(const GPtrArray *entries, const RespawnsWorld *world, RespawnsOutput output,
		       DiagList *diags)
{
	g_autoptr(GString) waited_for = g_string_new(NULL);
	g_autoptr(GString) boot_waited_for = g_string_new(NULL);
	Respawns r = { .world = world,
		       .output = output,
		       .diags = diags,
		       .waited_for = waited_for,
		       .boot_waited_for = boot_waited_for };

	for (guint i = 0; i < entries->len; i++)
		generate_entry(&r, g_ptr_array_index(entries, i));
}
