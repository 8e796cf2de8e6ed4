/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * System calls: one filter for each processor whose programs this machine runs, for the calls have other numbers there; one filter
 * for all of them would be as weak as the weakest.
 */
#include "config.h"

#include "exec/syscalls.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "exec/restrictions.h"
#include "exec/syscalls-late.h"

#define ARCHES_MAX 4

struct Arches {
	uint32_t tokens[ARCHES_MAX]; /* the machine's own is the last */
	unsigned n;
};

static const struct {
	const char *name;
	uint32_t token;
} arch_names[] = {
	{ "x86", SCMP_ARCH_X86 },       { "x86-64", SCMP_ARCH_X86_64 },      { "x32", SCMP_ARCH_X32 },
	{ "arm", SCMP_ARCH_ARM },       { "arm64", SCMP_ARCH_AARCH64 },      { "mips", SCMP_ARCH_MIPS },
	{ "mips-le", SCMP_ARCH_MIPSEL }, { "mips64", SCMP_ARCH_MIPS64 },     { "mips64-le", SCMP_ARCH_MIPSEL64 },
	{ "mips64-n32", SCMP_ARCH_MIPS64N32 }, { "mips64-le-n32", SCMP_ARCH_MIPSEL64N32 }, { "ppc", SCMP_ARCH_PPC },
	{ "ppc64", SCMP_ARCH_PPC64 },   { "ppc64-le", SCMP_ARCH_PPC64LE },   { "riscv64", SCMP_ARCH_RISCV64 },
	{ "s390", SCMP_ARCH_S390 },     { "s390x", SCMP_ARCH_S390X },
};

/* What else a processor's kernel runs. */
static const struct {
	uint32_t native;
	uint32_t others[ARCHES_MAX - 1]; /* 0 at the end */
} relatives[] = {
	{ SCMP_ARCH_X86_64, { SCMP_ARCH_X86, SCMP_ARCH_X32 } },
	{ SCMP_ARCH_AARCH64, { SCMP_ARCH_ARM } },
	{ SCMP_ARCH_S390X, { SCMP_ARCH_S390 } },
	{ SCMP_ARCH_PPC64, { SCMP_ARCH_PPC } },
	{ SCMP_ARCH_MIPS64, { SCMP_ARCH_MIPS64N32, SCMP_ARCH_MIPS } },
	{ SCMP_ARCH_MIPSEL64, { SCMP_ARCH_MIPSEL64N32, SCMP_ARCH_MIPSEL } },
};

static bool is_asked_for(const struct Spec *spec, uint32_t token)
{
	if (!spec_has(spec, EXEC_SPEC_ARCHITECTURE))
		return true;
	for (size_t i = 0; i < sizeof(arch_names) / sizeof(arch_names[0]); i++) {
		for (size_t k = 0; k < spec->architectures.n; k++) {
			if (arch_names[i].token == token && strcmp(spec->architectures.items[k], arch_names[i].name) == 0)
				return true;
		}
	}
	return false;
}

/* Those whose calls can be made at all; the machine's own always can. */
static void find_arches(const struct Spec *spec, const struct SeccompLibrary *library, struct Arches *ret)
{
	const uint32_t native = library->arch_native();

	ret->n = 0;
	for (size_t i = 0; i < sizeof(relatives) / sizeof(relatives[0]); i++) {
		for (size_t k = 0; relatives[i].native == native && k < ARCHES_MAX - 1 && relatives[i].others[k]; k++) {
			if (is_asked_for(spec, relatives[i].others[k]))
				ret->tokens[ret->n++] = relatives[i].others[k];
		}
	}
	ret->tokens[ret->n++] = native;
}

/* A filter for @arch alone, which lets everything of the others pass. Returns: 0 or an errno. */
static int new_filter(struct Syscalls *s, uint32_t arch, uint32_t default_action, const char *key, scmp_filter_ctx *ret)
{
	const struct SeccompLibrary *library = &s->library;
	scmp_filter_ctx context = library->init(default_action);
	int error = context ? 0 : ENOMEM;

	if (!error && arch != library->arch_native()) {
		error = -library->arch_add(context, arch);
		if (!error)
			error = -library->arch_remove(context, library->arch_native());
	}
	if (!error)
		error = -library->attr_set(context, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ALLOW);
	if (!error)
		error = -library->attr_set(context, SCMP_FLTATR_CTL_NNP, 0); /* NoNewPrivileges= is decided elsewhere */
	if (error)
		return error;
	(void)library->attr_set(context, SCMP_FLTATR_CTL_OPTIMIZE, 2); /* a tree is quicker than a list; not all versions can */
	s->filters[s->n++] = (struct Filter){ .key = key, .context = context };
	*ret = context;
	return 0;
}

/* --- SystemCallArchitectures= --- */

static int add_architectures(struct Syscalls *s, const struct Arches *arches)
{
	scmp_filter_ctx context = NULL;
	int error = new_filter(s, s->library.arch_native(), SCMP_ACT_ALLOW, "SystemCallArchitectures", &context);

	for (unsigned i = 0; i + 1 < arches->n && !error; i++)
		error = -s->library.arch_add(context, arches->tokens[i]);
	return error ? error : -s->library.attr_set(context, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
}

/* --- restrictions --- */

static int add_restrictions(const struct Spec *spec, struct Syscalls *s, const struct Arches *arches, const char **ret_key)
{
	int error = 0;

	for (unsigned i = 0; i < arches->n && !error; i++) {
		struct RuleTarget target = { .library = &s->library, .arch = arches->tokens[i] };

		error = new_filter(s, target.arch, SCMP_ACT_ALLOW, *ret_key, &target.filter);
		if (!error)
			error = restrictions_add(spec, &target, ret_key);
	}
	return error;
}

/* --- SystemCallFilter= --- */

static uint32_t error_action(int error)
{
	return error > 0 ? SCMP_ACT_ERRNO((unsigned)error) : SCMP_ACT_KILL_PROCESS;
}

/* What a filter does with calls that are in no list, and with those that are. */
struct Actions {
	uint32_t listed;
	uint32_t others;
};

static struct Actions list_actions(const struct Spec *spec)
{
	const uint32_t forbid = error_action((int)spec->system_call_error);

	return spec_flag(spec, EXEC_FLAG_CALLS_ALLOWED) ? (struct Actions){ SCMP_ACT_ALLOW, forbid } :
							   (struct Actions){ forbid, SCMP_ACT_ALLOW };
}

/* "NAME" or "NAME:ERRNO". Returns: false when it is too long for a name. */
static bool read_call(const char *text, char name[64], bool *ret_has_error, int *ret_error)
{
	const char *colon = strchr(text, ':');
	const size_t length = colon ? (size_t)(colon - text) : strlen(text);

	if (length >= 64)
		return false;
	memcpy(name, text, length);
	name[length] = '\0';
	*ret_has_error = colon != NULL;
	*ret_error = colon ? atoi(colon + 1) : 0;
	return true;
}

static int add_call(const struct Spec *spec, const struct RuleTarget *target, const char *text)
{
	const struct Actions actions = list_actions(spec);
	const bool is_native = target->arch == target->library->arch_native();
	uint32_t action = actions.listed;
	bool has_error;
	char name[64];
	int number;
	int error;
	int result;

	if (!read_call(text, name, &has_error, &error))
		return EINVAL;
	if (has_error)
		action = error_action(error);
	if (action == actions.others)
		return 0; /* as if it were not listed */
	number = target->library->resolve_name(name);
	if (number == __NR_SCMP_ERROR)
		number = is_native ? syscall_late_number(name) : -1;
	if (number == -1)
		return 0; /* another processor's; or a late one, for which see add_late() */
	result = target->library->rule_add_array(target->filter, action, number, 0, NULL);
	return result == -EDOM ? 0 : -result; /* not on this processor */
}

static int add_calls(const struct Spec *spec, struct Syscalls *s, const struct Arches *arches)
{
	int error = 0;

	for (unsigned i = 0; i < arches->n && !error; i++) {
		struct RuleTarget target = { .library = &s->library, .arch = arches->tokens[i] };

		error = new_filter(s, target.arch, list_actions(spec).others, "SystemCallFilter", &target.filter);
		for (size_t k = 0; k < spec->system_calls.n && !error; k++)
			error = add_call(spec, &target, spec->system_calls.items[k]);
	}
	return error;
}

/* --- what the library does not know --- */

/* Of a list of forbidden calls the late ones; what is not in a list of allowed ones is forbidden anyway. */
static int add_late_call(const struct Spec *spec, struct Syscalls *s, const char *text, struct LateCall *calls, unsigned *n)
{
	bool has_error;
	char name[64];
	int number;
	int error;

	if (!read_call(text, name, &has_error, &error))
		return EINVAL;
	number = syscall_late_number(name);
	if (number < 0 || s->library.resolve_name(name) >= 0)
		return 0;
	if (!has_error && spec_flag(spec, EXEC_FLAG_CALLS_ALLOWED))
		return 0;
	calls[(*n)++] = (struct LateCall){ number, has_error ? error : (int)spec->system_call_error };
	return 0;
}

static int add_late(const struct Spec *spec, struct Syscalls *s)
{
	struct LateCall *calls = calloc(spec->system_calls.n + 1, sizeof(*calls));
	unsigned n = 0;
	int error = calls ? 0 : ENOMEM;

	if (!error && restrictions_forbid_fchmodat2(spec))
		calls[n++] = (struct LateCall){ syscall_late_number("fchmodat2"), ENOSYS };
	for (size_t i = 0; i < spec->system_calls.n && !error; i++)
		error = add_late_call(spec, s, spec->system_calls.items[i], calls, &n);
	if (!error && n > 0) {
		s->late.code = syscalls_late_build(calls, n, &s->late.n);
		error = s->late.code ? 0 : ENOMEM;
	}
	free(calls);
	return error;
}

/* --- all of them --- */

static const char *first_key(const struct Spec *spec)
{
	if (spec_has(spec, EXEC_SPEC_ARCHITECTURE))
		return "SystemCallArchitectures";
	return spec_flag(spec, EXEC_FLAG_HAS_CALLS) ? "SystemCallFilter" : restrictions_first_key(spec);
}

static int build(const struct Spec *spec, struct Syscalls *s, const char **ret_key)
{
	struct Arches arches;
	int error = 0;

	find_arches(spec, &s->library, &arches);
	if (spec_has(spec, EXEC_SPEC_ARCHITECTURE))
		error = add_architectures(s, &arches);
	if (!error && restrictions_first_key(spec)) {
		*ret_key = restrictions_first_key(spec);
		error = add_restrictions(spec, s, &arches, ret_key);
	}
	if (!error && spec_flag(spec, EXEC_FLAG_HAS_CALLS)) {
		*ret_key = "SystemCallFilter";
		error = add_calls(spec, s, &arches);
	}
	return error ? error : add_late(spec, s);
}

int syscalls_build(const struct Spec *spec, struct Syscalls *ret, struct Failure *failure)
{
	const char *key = first_key(spec);
	int error;

	memset(ret, 0, sizeof(*ret));
	if (!key)
		return 0;
	error = seccomp_library_open(&ret->library);
	if (error)
		return failure_set(failure, error, "%s=: needs libseccomp2", key);
	error = build(spec, ret, &key);
	return error ? failure_set(failure, error, "%s=: cannot make a filter of system calls", key) : 0;
}

bool syscalls_are_filtered(const struct Syscalls *syscalls)
{
	return syscalls->n > 0;
}

static int load_late(const struct LateFilter *late)
{
	const struct sock_fprog program = { .len = late->n, .filter = late->code };

	return late->code && syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) < 0 ? errno : 0;
}

/* The last one is for this processor, and of the list that may forbid loading another. */
int syscalls_load(const struct Syscalls *syscalls, struct Failure *failure)
{
	int error = load_late(&syscalls->late);

	for (unsigned i = 0; i < syscalls->n && !error; i++) {
		error = -syscalls->library.load(syscalls->filters[i].context);
		if (error)
			return failure_set(failure, error, "%s=: cannot load the filter of system calls",
					   syscalls->filters[i].key);
	}
	return error ? failure_set(failure, error, "SystemCallFilter=: cannot load the filter of late system calls") : 0;
}
