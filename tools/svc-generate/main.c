/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * svc-generate: makes service and policy files from other settings of this machine: /etc/fstab, the
 * kernel's consoles, the chosen display manager. Once these services are known, it adds a service
 * for each init script that no service file replaces. It also adds the files that route bus
 * activation to svcd. It offers to import the links of a SysV init as policy.
 *
 * The manager runs it at boot and before it reads files again. It reads a few small files and
 * writes changed ones below /run/svcd/generated. A bad line is reported on stderr, with file and
 * line, and left out; so is a script that cannot be run. "svcctl check" reports other faults in the
 * headers of scripts.
 *
 * With --hand-over it then reads all service and policy files and writes them to standard output, a
 * memfd of the manager (config/bundle.h). The manager does not open them itself, because a
 * directory or a file can block its reader for ever, and this process can be replaced. With
 * --hand-over or --save-policy it keeps copies of the admin's files that have no errors.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include <unistd.h>

#include "base/fd.h"
#include "config/gather.h"
#include "policy-edit/policy-edit.h"
#include "svc-generate/generate.h"
#include "svc-generate/local-time.h"

static char *root = (char *)"";
static gboolean is_handed_over;
static gboolean is_policy_saved;
static char *output_directory = (char *)GENERATED_DIRECTORY;

/*
 * Writes one line to stderr, which is the console, at each boot until the admin has decided. The
 * file prevents a second line in the same boot.
 */
static void offer_import(GeneratedFiles *output)
{
	g_autofree char *path = g_build_filename(output_directory, POLICY_EDIT_SYSV_OFFERED, NULL);

	if (!policy_sysv_is_offered(root))
		return;
	g_string_append(generated_files_add(output, POLICY_EDIT_SYSV_OFFERED, "/etc/rc?.d"),
			"# " POLICY_EDIT_SYSV_OFFER "\n");
	if (!g_file_test(path, G_FILE_TEST_EXISTS))
		fprintf(stderr, "%s\n", POLICY_EDIT_SYSV_OFFER);
}

static void print_diagnostic(const Diagnostic *diagnostic)
{
	g_autofree char *line = diag_format(diagnostic);

	fprintf(stderr, "%s\n", line);
}

static void log_diagnostics(const DiagList *diags)
{
	for (unsigned i = 0; i < diag_list_length(diags); i++)
		print_diagnostic(diag_list_get(diags, i));
}

/* A skipped script is reported at each boot; minor faults in headers are shown on request. */
static void print_script_diagnostics(const DiagList *diags)
{
	const unsigned n_warnings = diag_list_length(diags) - diag_list_count_errors(diags);

	for (unsigned i = 0; i < diag_list_length(diags); i++) {
		if (diag_list_get(diags, i)->level == DIAG_ERROR)
			print_diagnostic(diag_list_get(diags, i));
	}
	if (n_warnings > 0)
		fprintf(stderr,
			"svc-generate: %u warning%s about init scripts; svcctl check shows them\n",
			n_warnings, n_warnings == 1 ? "" : "s");
}

static void write_local_time(void)
{
	g_autofree char *table = local_time_table(g_get_real_time() / G_USEC_PER_SEC);
	g_autoptr(GError) error = NULL;

	if (!file_replace(GATHER_LOCAL_TIME, table, 0644, &error))
		fprintf(stderr, "svc-generate: %s\n", error->message);
}

/* Generated files may have changed since the names of services were collected. */
static bool hand_over(Bundle *bundle, GError **error)
{
	const LoaderOptions options = { .root = root,
					.any_owner = *root != '\0',
					.bundle = bundle };

	write_local_time();
	bundle_forget(bundle, GENERATED_DIRECTORY);
	gather(&options);
	return bundle_write(bundle, STDOUT_FILENO, error);
}

/* Fails while the root is read-only; policy-save.svc does it later. */
static void save_handed_over(void)
{
	/* NULL if it could not be written */
	g_autoptr(Bundle) bundle = bundle_read(STDOUT_FILENO, NULL);

	if (bundle)
		(void)policy_save_last_good(root, bundle, NULL);
}

static int complain(const GError *error)
{
	fprintf(stderr, "svc-generate: %s\n", error->message);
	return EXIT_FAILURE;
}

int main(int argc, char **argv)
{
	const GOptionEntry entries[] = {
		{ "root", 0, 0, G_OPTION_ARG_FILENAME, &root, "read the files below DIR", "DIR" },
		{ "output", 0, 0, G_OPTION_ARG_FILENAME, &output_directory,
		  "write to DIR instead of " GENERATED_DIRECTORY, "DIR" },
		{ "hand-over", 0, 0, G_OPTION_ARG_NONE, &is_handed_over,
		  "write all service and policy files to standard output, a memfd", NULL },
		{ "save-policy", 0, 0, G_OPTION_ARG_NONE, &is_policy_saved,
		  "only save copies of the policy and service files that have no errors", NULL },
		{ .long_name = NULL },
	};
	g_autoptr(GOptionContext) context = g_option_context_new(
		"- generate services from fstab, crypttab, inittab and init scripts");
	g_autoptr(Bundle) bundle = bundle_new();
	g_autoptr(Generated) generated = NULL;
	g_autoptr(GError) error = NULL;
	int status = EXIT_SUCCESS;

	g_option_context_add_main_entries(context, entries, NULL);
	if (!g_option_context_parse(context, &argc, &argv, &error) || argc > 1) {
		fprintf(stderr, "svc-generate: %s\n",
			error ? error->message : "too many arguments");
		return 2;
	}
	if (is_policy_saved) {
		if (!policy_save_last_good(root, NULL, &error))
			status = complain(error);
		quick_exit(status);
	}
	if (is_handed_over)
		bundle_set_progress(bundle, STDOUT_FILENO);
	generated = generate(root, bundle);
	offer_import(generated->files);
	log_diagnostics(generated->diags);
	print_script_diagnostics(generated->script_diags);
	/* If /run is full, the files must still be read. */
	if (!generated_write(generated, output_directory, &error))
		status = complain(error);
	g_clear_error(&error);
	if (is_handed_over && !hand_over(bundle, &error))
		status = complain(error);
	if (is_handed_over)
		save_handed_over();
	/*
	 * Not by exit(3), because GLib keeps interned texts in tables that a leak checker reports
	 * (g_quark_from_string()).
	 */
	quick_exit(status);
}
