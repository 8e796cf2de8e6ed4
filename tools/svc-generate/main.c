/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * svc-generate: makes service and policy files from what this machine says elsewhere: /etc/fstab, the kernel's consoles, the
 * chosen display manager; and, when the services are known, from the init scripts that none of them replaces, and what makes
 * the bus ask svcd to start them. It offers to make policy of a SysV init's links.
 *
 * The manager has it run at its start and before files are read anew. It reads a few small files, writes what has changed
 * below /run/svcd/generated and ends. A bad line is told on stderr, with file and line, and left out; so is a script that
 * cannot be run. What else is odd in headers of scripts, "svcctl check" tells.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "policy-edit/policy-edit.h"
#include "svc-generate/generate.h"

static char *root = (char *)"";
static char *output_directory = (char *)GENERATED_DIRECTORY;

/* One line on stderr, which is the console, at each boot until there is an answer; the file keeps it from a second time. */
static void offer_import(Output *output)
{
	g_autofree char *path = g_build_filename(output_directory, POLICY_EDIT_SYSV_OFFERED, NULL);

	if (!policy_sysv_is_offered(root))
		return;
	g_string_append(output_file(output, POLICY_EDIT_SYSV_OFFERED, "/etc/rc?.d"), "# " POLICY_EDIT_SYSV_OFFER "\n");
	if (!g_file_test(path, G_FILE_TEST_EXISTS))
		fprintf(stderr, "%s\n", POLICY_EDIT_SYSV_OFFER);
}

static void print_diagnostic(const Diagnostic *diagnostic)
{
	g_autofree char *line = diag_format(diagnostic);

	fprintf(stderr, "%s\n", line);
}

static void print_diagnostics(const DiagList *diags)
{
	for (unsigned i = 0; i < diag_list_length(diags); i++)
		print_diagnostic(diag_list_get(diags, i));
}

/* A script that is left out is told at each boot; what is odd in headers, whoever asks. */
static void print_script_diagnostics(const DiagList *diags)
{
	const unsigned n_warnings = diag_list_length(diags) - diag_list_count_errors(diags);

	for (unsigned i = 0; i < diag_list_length(diags); i++) {
		if (diag_list_get(diags, i)->level == DIAG_ERROR)
			print_diagnostic(diag_list_get(diags, i));
	}
	if (n_warnings > 0)
		fprintf(stderr, "svc-generate: %u remark%s about init scripts: svcctl check\n", n_warnings,
			n_warnings == 1 ? "" : "s");
}

int main(int argc, char **argv)
{
	const GOptionEntry entries[] = {
		{ "root", 0, 0, G_OPTION_ARG_FILENAME, &root, "read the files below DIR", "DIR" },
		{ "output", 0, 0, G_OPTION_ARG_FILENAME, &output_directory,
		  "write to DIR instead of " GENERATED_DIRECTORY, "DIR" },
		{ .long_name = NULL },
	};
	g_autoptr(GOptionContext) context = g_option_context_new("- make services from what the machine says elsewhere");
	g_autoptr(Generated) generated = NULL;
	g_autoptr(GError) error = NULL;

	g_option_context_add_main_entries(context, entries, NULL);
	if (!g_option_context_parse(context, &argc, &argv, &error) || argc > 1) {
		fprintf(stderr, "svc-generate: %s\n", error ? error->message : "too many arguments");
		return 2;
	}
	generated = generate(root);
	offer_import(generated->files);
	print_diagnostics(generated->diags);
	print_script_diagnostics(generated->script_diags);
	if (!generated_write(generated, output_directory, &error)) {
		fprintf(stderr, "svc-generate: %s\n", error->message);
		return 1;
	}
	/* Not by exit(3): GLib keeps interned texts in tables that a leak checker takes for lost (g_quark_from_string()). */
	quick_exit(0);
}
