/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Driver: runs a fuzz target over the files of its corpus and over mutations of them, the same ones
 * each time.
 *
 * "--corpus" prints the corpus's directory. With file names as arguments the target runs over those
 * files alone, to examine an input that once failed. With "--no-memory MOST" before the file names
 * it runs over each file many times, each time with another failing allocation (alone, and then
 * with all later ones). MOST limits the number of these allocations per file; 0 means all. For that
 * tests/lib/no-memory.so is preloaded.
 */
#include "config.h"

#include <dlfcn.h>
#include <glib.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "tests/lib/no-memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The number of mutations per file: lower for targets where one input is expensive. */
#ifndef FUZZ_MUTATIONS
#define FUZZ_MUTATIONS 150
#endif

enum { MUTATIONS = FUZZ_MUTATIONS, MOST_CHANGES = 6 };

/* Tokens of the formats: a change to one of these reaches further than a random byte. */
static const char *const tokens[] = {
	"\n",
	"[",
	"]",
	"=",
	" ",
	"\t",
	"#",
	";",
	"|",
	"!",
	"\"",
	"'",
	"\\",
	"%i",
	"%",
	"\r",
	"\xef\xbb\xbf",
	"\xff",
	"\n  ",
	"[Service]\n",
	"[Conditions]\n",
	"Exec=",
	"When=",
	"After=x y z\n",
	"service:x",
	"path:/",
	"$x",
	"-",
	"@",
	"[runlevel 5]\n",
	"[service x]\n",
	"Include=",
	"Activate=",
	"0",
	"99999999999999999999",
	"\xc3",
};

static void change(GString *text, GRand *rand)
{
	const gsize at = text->len > 0 ? (gsize)g_rand_int_range(rand, 0, (gint32)text->len) : 0;
	const char *token = tokens[g_rand_int_range(rand, 0, G_N_ELEMENTS(tokens))];

	switch (g_rand_int_range(rand, 0, 5)) {
	case 0:
		if (text->len > 0)
			text->str[at] = (char)g_rand_int_range(rand, 0, 256);
		break;
	case 1:
		g_string_truncate(text, at);
		break;
	case 2:
		g_string_erase(text, (gssize)at, (gssize)MIN(text->len - at, 1 + at % 7));
		break;
	case 3: {
		g_autofree char *piece = g_memdup2(text->str + at, text->len - at + 1);

		g_string_append_len(text, piece, (gssize)(text->len - at));
		break;
	}
	default:
		g_string_insert(text, (gssize)at, token);
		break;
	}
}

static void run_mutations(const char *bytes, gsize length, guint32 seed)
{
	g_autoptr(GRand) rand = g_rand_new_with_seed(seed);

	for (int i = 0; i < MUTATIONS; i++) {
		g_autoptr(GString) text = g_string_new_len(bytes, (gssize)length);

		for (int n = g_rand_int_range(rand, 1, MOST_CHANGES + 1); n > 0; n--)
			change(text, rand);
		(void)LLVMFuzzerTestOneInput((const uint8_t *)text->str, text->len);
	}
}

/* Returns: false if the file cannot be read. */
static bool run_file(const char *path, bool mutate)
{
	g_autofree char *bytes = NULL;
	gsize length;

	if (!g_file_get_contents(path, &bytes, &length, NULL)) {
		(void)fprintf(stderr, "%s cannot be read\n", path);
		return false;
	}
	(void)LLVMFuzzerTestOneInput((const uint8_t *)bytes, length);
	if (mutate)
		run_mutations(bytes, length, g_str_hash(strrchr(path, '/') + 1));
	return true;
}

/* --- without memory --- */

enum {
	CHILD_REACHED = 0,
	CHILD_NOT_REACHED = 1,
	CHILD_STACK_FULL = 2,
	CHILD_OUTPUT_BYTES = 65536,
	NEAR_BYTES = 1 << 16
};

/*
 * GLib's last message needs memory, too. Without memory, GLib reports that it cannot report, until
 * the stack is used up (g_logv() in 2.74). That end is by design; any other fault is svcd's.
 */
static void on_fault(int signo, siginfo_t *info, void *context)
{
	const ucontext_t *at = context;
	const uintptr_t stack = (uintptr_t)at->uc_mcontext.gregs[REG_RSP];
	const uintptr_t fault = (uintptr_t)info->si_addr;

	if (fault <= stack + NEAR_BYTES && stack <= fault + NEAR_BYTES)
		_exit(CHILD_STACK_FULL);
	(void)signal(signo, SIG_DFL);
}

static void catch_faults(void)
{
	static char own_stack[65536];
	const stack_t stack = { .ss_sp = own_stack, .ss_size = sizeof own_stack };
	const struct sigaction action = { .sa_sigaction = on_fault,
					  .sa_flags = SA_SIGINFO | SA_ONSTACK };

	if (sigaltstack(&stack, NULL) < 0 || sigaction(SIGSEGV, &action, NULL) < 0)
		_exit(EXIT_FAILURE + CHILD_STACK_FULL);
}

/*
 * Runs the target while the @number-th allocation fails, and with @lasts all later ones. Does not
 * return.
 */
G_GNUC_NORETURN static void run_child(NoMemoryControl *control, const char *bytes, gsize length,
				      uint64_t number, bool lasts, int output)
{
	(void)dup2(output, STDERR_FILENO);
	catch_faults();
	control->failed = 0;
	control->lasts = lasts;
	control->left = number;
	(void)LLVMFuzzerTestOneInput((const uint8_t *)bytes, length);
	control->left = 0;
	_exit(control->failed > 0 ? CHILD_REACHED : CHILD_NOT_REACHED);
}

/* The child may exit normally, or abort like GLib without memory. */
static bool ended_well(int status, const char *output)
{
	if (strstr(output, "Sanitizer") || strstr(output, "runtime error:"))
		return false;
	if (WIFEXITED(status))
		return WEXITSTATUS(status) <= CHILD_STACK_FULL;
	return (WTERMSIG(status) == SIGTRAP || WTERMSIG(status) == SIGABRT) &&
	       (strstr(output, "failed to allocate") || strstr(output, "no memory"));
}

/* Returns: false if the child did not end well. */
static bool fail_one(NoMemoryControl *control, const char *bytes, gsize length, uint64_t number,
		     bool lasts)
{
	g_autofree char *text = g_malloc0(CHILD_OUTPUT_BYTES);
	const int output = memfd_create("said", MFD_CLOEXEC);
	const pid_t pid = fork();
	int status = 0;
	bool is_fine;

	if (pid == 0)
		run_child(control, bytes, length, number, lasts, output);
	is_fine = output >= 0 && pid > 0 && waitpid(pid, &status, 0) == pid &&
		  pread(output, text, CHILD_OUTPUT_BYTES - 1, 0) >= 0 && ended_well(status, text);
	if (!is_fine)
		(void)fprintf(stderr,
			      "without allocation %" G_GUINT64_FORMAT "%s: status 0x%x\n%s\n",
			      number, lasts ? " and all that follow" : "", (unsigned)status, text);
	(void)close(output);
	return is_fine;
}

/*
 * Runs the target with one failing allocation at a time, alone and with all later ones. @most: the
 * limit of such allocations, spread evenly; 0: all. Returns: the number of bad ends, or -1.
 */
static int run_file_without_memory(const char *path, uint64_t most)
{
	NoMemoryControl *(*find)(void) = NULL;
	g_autofree char *bytes = NULL;
	NoMemoryControl *control;
	uint64_t total;
	uint64_t step;
	gsize length;
	int n_bad = 0;

	*(void **)&find = dlsym(RTLD_DEFAULT, "no_memory_control");
	if (!find || !g_file_get_contents(path, &bytes, &length, NULL))
		return -1;
	control = find();
	(void)LLVMFuzzerTestOneInput((const uint8_t *)bytes, length); /* one-time allocations */
	control->left = total = UINT64_MAX;
	(void)LLVMFuzzerTestOneInput((const uint8_t *)bytes, length);
	total -= control->left;
	control->left = 0;
	step = most > 0 ? total / most + 1 : 1;
	for (uint64_t number = 1; number <= total; number += step) {
		n_bad += !fail_one(control, bytes, length, number, false);
		n_bad += !fail_one(control, bytes, length, number, true);
	}
	(void)printf("%s: %" G_GUINT64_FORMAT " allocations, every %" G_GUINT64_FORMAT
		     ". failed, %d times not well\n",
		     path, total, step, n_bad);
	return n_bad;
}

int main(int argc, char *argv[])
{
	GDir *dir;
	const char *name;
	unsigned n = 0;

	if (argc == 2 && strcmp(argv[1], "--corpus") == 0) {
		(void)puts(FUZZ_CORPUS);
		return EXIT_SUCCESS;
	}
	if (argc > 3 && strcmp(argv[1], "--no-memory") == 0) {
		for (int i = 3; i < argc; i++)
			n += run_file_without_memory(argv[i],
						     g_ascii_strtoull(argv[2], NULL, 10)) != 0;
		return n > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
	}
	for (int i = 1; i < argc; i++) {
		if (!run_file(argv[i], false))
			return EXIT_FAILURE;
	}
	if (argc > 1)
		return EXIT_SUCCESS;
	dir = g_dir_open(FUZZ_CORPUS, 0, NULL);
	while (dir && (name = g_dir_read_name(dir)) != NULL) {
		g_autofree char *path = g_build_filename(FUZZ_CORPUS, name, NULL);

		n += run_file(path, true);
	}
	if (dir)
		g_dir_close(dir);
	(void)printf("%u files, %u mutations\n", n, n * MUTATIONS);
	return n > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
