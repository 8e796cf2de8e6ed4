/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * System calls: one filter for each processor type whose programs this machine can run, because the
 * calls have different numbers. One filter for all types would be as weak as the weakest of them.
 */
#include "config.h"

#include "sandbox/syscalls.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sandbox/restrictions.h"
#include "sandbox/syscalls-late.h"

#define ARCHES_MAX 4

struct Arches {
	uint32_t tokens[ARCHES_MAX]; /* the machine's own is the last */
	unsigned n;
};

#define ARCHITECTURE_TOKEN(name, token) token,
static const uint32_t arch_tokens[] = { SANDBOX_ARCHITECTURES(ARCHITECTURE_TOKEN) };

/* Other processor types that a processor's kernel can run. */
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

static bool is_requested(const struct Sandbox *sandbox, uint32_t token)
{
	const uint64_t requested = sandbox->value[SANDBOX_ARCHITECTURES];

	if (!sandbox_requests(sandbox, SANDBOX_ARCHITECTURES))
		return true;
	for (size_t i = 0; i < sizeof(arch_tokens) / sizeof(arch_tokens[0]); i++) {
		if (arch_tokens[i] == token)
			return requested & (UINT64_C(1) << i);
	}
	return false;
}

/* The processor types that can be used at all; the machine's own always can. */
static void find_arches(const struct Sandbox *sandbox, const struct SeccompLibrary *library,
			struct Arches *ret)
{
	const uint32_t native = library->arch_native();

	ret->n = 0;
	for (size_t i = 0; i < sizeof(relatives) / sizeof(relatives[0]); i++) {
		for (size_t k = 0;
		     relatives[i].native == native && k < ARCHES_MAX - 1 && relatives[i].others[k];
		     k++) {
			if (is_requested(sandbox, relatives[i].others[k]))
				ret->tokens[ret->n++] = relatives[i].others[k];
		}
	}
	ret->tokens[ret->n++] = native;
}

/* A filter for @arch only, which allows all calls of other processors. Returns: 0 or an errno. */
static int new_filter(struct Syscalls *s, uint32_t arch, uint32_t default_action, const char *key,
		      scmp_filter_ctx *ret)
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
		/* another function applies NoNewPrivileges= */
		error = -library->attr_set(context, SCMP_FLTATR_CTL_NNP, 0);
	if (error)
		return error;
	/* a tree is faster than a list; older versions lack it */
	(void)library->attr_set(context, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	s->filters[s->n++] = (struct Filter){ .key = key, .context = context };
	*ret = context;
	return 0;
}

/* --- SystemCallArchitectures= --- */

static int add_architectures(struct Syscalls *s, const struct Arches *arches)
{
	scmp_filter_ctx context = NULL;
	int error = new_filter(s, s->library.arch_native(), SCMP_ACT_ALLOW,
			       "SystemCallArchitectures", &context);

	for (unsigned i = 0; i + 1 < arches->n && !error; i++)
		error = -s->library.arch_add(context, arches->tokens[i]);
	return error ? error :
		       -s->library.attr_set(context, SCMP_FLTATR_ACT_BADARCH,
					    SCMP_ACT_KILL_PROCESS);
}

/* --- restrictions --- */

static int add_restrictions(const struct Sandbox *sandbox, struct Syscalls *s,
			    const struct Arches *arches, const char **ret_key)
{
	int error = 0;

	for (unsigned i = 0; i < arches->n && !error; i++) {
		struct RuleTarget target = { .library = &s->library, .arch = arches->tokens[i] };

		error = new_filter(s, target.arch, SCMP_ACT_ALLOW, *ret_key, &target.filter);
		if (!error)
			error = restrictions_add(sandbox, &target, ret_key);
	}
	return error;
}

/* --- SystemCallFilter= --- */

static uint32_t error_action(int error)
{
	return error > 0 ? SCMP_ACT_ERRNO((unsigned)error) : SCMP_ACT_KILL_PROCESS;
}

/* The actions of a filter for calls that are not listed, and for those that are. */
struct Actions {
	uint32_t listed;
	uint32_t others;
};

static struct Actions list_actions(const struct Sandbox *sandbox)
{
	const uint32_t forbid = error_action((int)sandbox->value[SANDBOX_SYSTEM_CALL_ERROR]);

	return syscall_filter_is_allow_list(&sandbox->system_calls) ?
		       (struct Actions){ SCMP_ACT_ALLOW, forbid } :
		       (struct Actions){ forbid, SCMP_ACT_ALLOW };
}

static int add_call(const struct Sandbox *sandbox, const struct RuleTarget *target,
		    const struct SyscallToken *call)
{
	const struct Actions actions = list_actions(sandbox);
	const bool is_native = target->arch == target->library->arch_native();
	const uint32_t action = call->error ? error_action(call->error) : actions.listed;
	int number;
	int result;

	if (action == actions.others)
		return 0; /* as if it were not listed */
	number = target->library->resolve_name(call->name);
	if (number == __NR_SCMP_ERROR)
		number = is_native ? syscall_late_number(call->name) : -1;
	if (number == -1)
		return 0; /* a call of another processor, or a late one: see add_late() */
	result = target->library->rule_add_array(target->filter, action, number, 0, NULL);
	return result == -EDOM ? 0 : -result; /* not on this processor */
}

static int add_calls(const struct Sandbox *sandbox, struct Syscalls *s, const struct Arches *arches)
{
	int error = 0;

	for (unsigned i = 0; i < arches->n && !error; i++) {
		struct RuleTarget target = { .library = &s->library, .arch = arches->tokens[i] };

		error = new_filter(s, target.arch, list_actions(sandbox).others, "SystemCallFilter",
				   &target.filter);
		for (size_t k = 0; k < s->calls.n && !error; k++)
			error = add_call(sandbox, &target, &s->calls.items[k]);
	}
	return error;
}

/* --- calls that the library does not know --- */

/*
 * Adds the late calls of a list of forbidden calls. A list of allowed calls forbids unlisted ones
 * anyway.
 */
static void add_late_call(const struct Sandbox *sandbox, const struct Syscalls *s,
			  const struct SyscallToken *call, struct LateCall *calls, unsigned *n)
{
	const int number = syscall_late_number(call->name);
	const int error = call->error ? call->error :
					(int)sandbox->value[SANDBOX_SYSTEM_CALL_ERROR];

	if (number < 0 || s->library.resolve_name(call->name) >= 0)
		return;
	if (call->error || !syscall_filter_is_allow_list(&sandbox->system_calls))
		calls[(*n)++] = (struct LateCall){ number, error };
}

static int add_late(const struct Sandbox *sandbox, struct Syscalls *s)
{
	struct LateCall *calls = calloc(s->calls.n + 1, sizeof(*calls));
	unsigned n = 0;
	int error = calls ? 0 : ENOMEM;

	if (!error && restrictions_forbid_fchmodat2(sandbox))
		calls[n++] = (struct LateCall){ syscall_late_number("fchmodat2"), ENOSYS };
	for (size_t i = 0; i < s->calls.n && !error; i++)
		add_late_call(sandbox, s, &s->calls.items[i], calls, &n);
	if (!error && n > 0) {
		s->late.code = syscalls_late_build(calls, n, &s->late.n);
		error = s->late.code ? 0 : ENOMEM;
	}
	free(calls);
	return error;
}

/* --- all of them --- */

static const char *first_key(const struct Sandbox *sandbox)
{
	if (sandbox_requests(sandbox, SANDBOX_ARCHITECTURES))
		return "SystemCallArchitectures";
	return sandbox_requests(sandbox, SANDBOX_SYSTEM_CALL_FILTER) ?
		       "SystemCallFilter" :
		       restrictions_first_key(sandbox);
}

static int build(const struct Sandbox *sandbox, struct Syscalls *s, const char **ret_key)
{
	struct Arches arches;
	int error = syscall_filter_resolve(&sandbox->system_calls, &s->calls);

	find_arches(sandbox, &s->library, &arches);
	if (!error && sandbox_requests(sandbox, SANDBOX_ARCHITECTURES))
		error = add_architectures(s, &arches);
	if (!error && restrictions_first_key(sandbox)) {
		*ret_key = restrictions_first_key(sandbox);
		error = add_restrictions(sandbox, s, &arches, ret_key);
	}
	if (!error && sandbox_requests(sandbox, SANDBOX_SYSTEM_CALL_FILTER)) {
		*ret_key = "SystemCallFilter";
		error = add_calls(sandbox, s, &arches);
	}
	return error ? error : add_late(sandbox, s);
}

int syscalls_build(const struct Sandbox *sandbox, struct Syscalls *ret, struct Failure *failure)
{
	const char *key = first_key(sandbox);
	int error;

	memset(ret, 0, sizeof(*ret));
	if (!key)
		return 0;
	error = seccomp_library_open(&ret->library);
	if (error)
		return failure_set(failure, error, "%s=: needs libseccomp2", key);
	error = build(sandbox, ret, &key);
	return error ? failure_set(failure, error, "%s=: cannot make a filter of system calls",
				   key) :
		       0;
}

bool syscalls_are_filtered(const struct Syscalls *syscalls)
{
	return syscalls->n > 0;
}

static int load_late(const struct LateFilter *late)
{
	const struct sock_fprog program = { .len = late->n, .filter = late->code };

	return late->code && syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) < 0 ?
		       errno :
		       0;
}

/*
 * The last filter is that of SystemCallFilter= for this processor, which may forbid loading another
 * filter.
 */
int syscalls_load(const struct Syscalls *syscalls, struct Failure *failure)
{
	int error = load_late(&syscalls->late);

	for (unsigned i = 0; i < syscalls->n && !error; i++) {
		error = -syscalls->library.load(syscalls->filters[i].context);
		if (error)
			return failure_set(failure, error,
					   "%s=: cannot load the filter of system calls",
					   syscalls->filters[i].key);
	}
	return error ? failure_set(
			       failure, error,
			       "SystemCallFilter=: cannot load the filter of late system calls") :
		       0;
}
