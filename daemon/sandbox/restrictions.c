/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Restrictions: one function per key.
 *
 * A filter cannot check arguments in memory, because another thread could change them afterwards.
 * Calls with such arguments (clone3, openat2) fail with ENOSYS, and programs use the older calls.
 */
#include "config.h"

#include "sandbox/restrictions.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/shm.h>
#include <sys/stat.h>

#define PERSONALITY_QUERY 0xffffffffUL
#define INT_BITS 0xffffffffu /* an argument of 32 bits; the kernel ignores the upper half */

/*
 * SCHED_EXT is in <linux/sched.h> of later kernels. POLICY_BITS excludes the flag that is combined
 * with a policy.
 */
#ifndef SCHED_EXT
#define SCHED_EXT 7
#endif
#define POLICY_BITS (INT_BITS & ~(unsigned)SCHED_RESET_ON_FORK)

/*
 * @call fails with @error if all @n arguments compare true. Returns: 0 or an errno; a call that
 * @target lacks is not an error.
 */
static int forbid(const struct RuleTarget *target, int error, const char *call, unsigned n,
		  const struct scmp_arg_cmp *args)
{
	const int number = target->library->resolve_name(call);
	int result;

	if (number == __NR_SCMP_ERROR)
		return 0; /* the library knows this call on no processor */
	result = target->library->rule_add_array(target->filter, SCMP_ACT_ERRNO((unsigned)error),
						 number, n, args);
	return result == -EDOM || result == -EEXIST ? 0 : -result;
}

static int forbid_always(const struct RuleTarget *target, int error, const char *call)
{
	return forbid(target, error, call, 0, NULL);
}

/* Forbids @call if all bits of @bits are set in argument @arg. */
static int forbid_bits(const struct RuleTarget *target, const char *call, unsigned arg,
		       uint64_t bits)
{
	const struct scmp_arg_cmp args[] = { SCMP_CMP(arg, SCMP_CMP_MASKED_EQ, bits, bits) };

	return forbid(target, EPERM, call, 1, args);
}

/* Forbids @call if argument @arg, masked with @mask, is @value. */
static int forbid_value(const struct RuleTarget *target, int error, const char *call, unsigned arg,
			uint64_t mask, uint64_t value)
{
	const struct scmp_arg_cmp args[] = { SCMP_CMP(arg, SCMP_CMP_MASKED_EQ, mask, value) };

	return forbid(target, error, call, 1, args);
}

/* --- RestrictAddressFamilies= --- */

static int forbid_families(const struct RuleTarget *target, uint64_t allowed)
{
	const unsigned lowest = (unsigned)__builtin_ctzll(allowed);
	const unsigned highest = 63 - (unsigned)__builtin_clzll(allowed);
	const struct scmp_arg_cmp below[] = { SCMP_CMP(0, SCMP_CMP_LT, lowest) };
	const struct scmp_arg_cmp above[] = { SCMP_CMP(0, SCMP_CMP_GT, highest) };
	int error = lowest > 0 ? forbid(target, EAFNOSUPPORT, "socket", 1, below) : 0;

	if (!error)
		error = forbid(target, EAFNOSUPPORT, "socket", 1, above);
	for (unsigned family = lowest; family < highest && !error; family++) {
		if (!(allowed & (UINT64_C(1) << family)))
			error = forbid_value(target, EAFNOSUPPORT, "socket", 0, INT_BITS, family);
	}
	return error;
}

/*
 * io_uring can make sockets without a system call that a filter sees. The old socketcall(2) has its
 * arguments in memory, where a filter cannot check them. On a processor that has this call,
 * libseccomp extends each rule for socket(2) by a rule that forbids socketcall(2) to make any
 * socket.
 */
static int restrict_families(const struct Sandbox *sandbox, const struct RuleTarget *target)
{
	int error = forbid_always(target, ENOSYS, "io_uring_setup");

	if (!error && sandbox->value[SANDBOX_FAMILIES] == 0)
		return forbid_always(target, EAFNOSUPPORT, "socket");
	return error ? error : forbid_families(target, sandbox->value[SANDBOX_FAMILIES]);
}

/* --- RestrictNamespaces= --- */

static int restrict_namespaces(const struct Sandbox *sandbox, const struct RuleTarget *target)
{
	const unsigned clone_flags =
		target->arch == SCMP_ARCH_S390 || target->arch == SCMP_ARCH_S390X ? 1 : 0;
	int error = forbid_always(target, ENOSYS, "clone3");

	/* With type 0 the descriptor determines the type of the namespace. */
	if (!error)
		error = forbid_value(target, EPERM, "setns", 1, INT_BITS, 0);
	for (const struct SandboxNamespace *one = sandbox_namespaces; one->name && !error; one++) {
		if (sandbox->value[SANDBOX_NAMESPACES] & one->flag)
			continue;
		error = forbid_bits(target, "unshare", 0, one->flag);
		if (!error)
			error = forbid_bits(target, "setns", 1, one->flag);
		/* for clone(2) that bit is part of the signal number */
		if (!error && one->flag != CLONE_NEWTIME)
			error = forbid_bits(target, "clone", clone_flags, one->flag);
	}
	return error;
}

/* --- RestrictRealtime= --- */

static int restrict_realtime(const struct Sandbox *sandbox, const struct RuleTarget *target)
{
	static const int policies[] = { SCHED_FIFO, SCHED_RR, 4 /* SCHED_ISO, reserved */,
					SCHED_DEADLINE, SCHED_EXT };
	int error = forbid_always(target, EPERM, "sched_setattr");

	(void)sandbox;
	for (size_t i = 0; i < sizeof(policies) / sizeof(policies[0]) && !error; i++)
		error = forbid_value(target, EPERM, "sched_setscheduler", 1, POLICY_BITS,
				     (uint64_t)policies[i]);
	return error;
}

/* --- RestrictSUIDSGID= --- */

/* Calls with a mode, and the index of that argument. */
static const struct {
	const char *call;
	unsigned mode;
} mode_calls[] = { { "chmod", 1 }, { "fchmod", 1 },  { "fchmodat", 2 },
		   { "mknod", 1 }, { "mknodat", 2 }, { "creat", 1 } };

/* The mode has an effect only if a file is made. */
static int forbid_open(const struct RuleTarget *target, const char *call, unsigned flags,
		       uint64_t bit)
{
	static const uint64_t makes[] = { O_CREAT, O_TMPFILE & ~O_DIRECTORY };
	int error = 0;

	for (size_t i = 0; i < sizeof(makes) / sizeof(makes[0]) && !error; i++) {
		const struct scmp_arg_cmp args[] = {
			SCMP_CMP(flags, SCMP_CMP_MASKED_EQ, makes[i], makes[i]),
			SCMP_CMP(flags + 1, SCMP_CMP_MASKED_EQ, bit, bit)
		};

		error = forbid(target, EPERM, call, 2, args);
	}
	return error;
}

static int restrict_suid_sgid(const struct Sandbox *sandbox, const struct RuleTarget *target)
{
	static const uint64_t bits[] = { S_ISUID, S_ISGID };
	int error = forbid_always(target, ENOSYS, "openat2");

	/* RestrictAddressFamilies= also adds this rule. */
	if (!error && !sandbox_requests(sandbox, SANDBOX_FAMILIES))
		error = forbid_always(target, ENOSYS, "io_uring_setup");
	for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]) && !error; i++) {
		for (size_t k = 0; k < sizeof(mode_calls) / sizeof(mode_calls[0]) && !error; k++)
			error = forbid_bits(target, mode_calls[k].call, mode_calls[k].mode,
					    bits[i]);
		if (!error)
			error = forbid_open(target, "open", 1, bits[i]);
		if (!error)
			error = forbid_open(target, "openat", 2, bits[i]);
	}
	return error;
}

/* --- the others --- */

static int lock_personality(const struct Sandbox *sandbox, const struct RuleTarget *target)
{
	const int now = personality(PERSONALITY_QUERY);
	const struct scmp_arg_cmp another[] = { SCMP_CMP(0, SCMP_CMP_NE, (uint32_t)now) };

	(void)sandbox;
	return now < 0 ? errno : forbid(target, EPERM, "personality", 1, another);
}

static int deny_write_execute(const struct Sandbox *sandbox, const struct RuleTarget *target)
{
	/* On these processors mmap(2) takes its arguments in memory; programs use mmap2. */
	const bool has_old_mmap = target->arch == SCMP_ARCH_X86 || target->arch == SCMP_ARCH_S390;
	int error = has_old_mmap ? forbid_always(target, EPERM, "mmap") :
				   forbid_bits(target, "mmap", 2, PROT_WRITE | PROT_EXEC);

	(void)sandbox;
	if (!error)
		error = forbid_bits(target, "mmap2", 2, PROT_WRITE | PROT_EXEC);
	if (!error)
		error = forbid_bits(target, "mprotect", 2, PROT_EXEC);
	if (!error)
		error = forbid_bits(target, "pkey_mprotect", 2, PROT_EXEC);
	return error ? error : forbid_bits(target, "shmat", 2, SHM_EXEC);
}

static int protect_hostname(const struct Sandbox *sandbox, const struct RuleTarget *target)
{
	int error = forbid_always(target, EPERM, "sethostname");

	(void)sandbox;
	return error ? error : forbid_always(target, EPERM, "setdomainname");
}

static int protect_kernel_logs(const struct Sandbox *sandbox, const struct RuleTarget *target)
{
	(void)sandbox;
	return forbid_always(target, EPERM, "syslog");
}

static const struct {
	enum SandboxKey key;
	int (*add)(const struct Sandbox *sandbox, const struct RuleTarget *target);
} restrictions[] = {
	{ SANDBOX_FAMILIES, restrict_families },
	{ SANDBOX_NAMESPACES, restrict_namespaces },
	{ SANDBOX_RESTRICT_REALTIME, restrict_realtime },
	{ SANDBOX_RESTRICT_SUID_SGID, restrict_suid_sgid },
	{ SANDBOX_LOCK_PERSONALITY, lock_personality },
	{ SANDBOX_DENY_WRITE_EXECUTE, deny_write_execute },
	{ SANDBOX_PROTECT_HOSTNAME, protect_hostname },
	{ SANDBOX_PROTECT_KERNEL_LOGS, protect_kernel_logs },
};

const char *restrictions_first_key(const struct Sandbox *sandbox)
{
	for (size_t i = 0; i < sizeof(restrictions) / sizeof(restrictions[0]); i++) {
		if (sandbox_requests(sandbox, restrictions[i].key))
			return sandbox_key_name(restrictions[i].key);
	}
	return NULL;
}

int restrictions_add(const struct Sandbox *sandbox, const struct RuleTarget *target,
		     const char **ret_key)
{
	for (size_t i = 0; i < sizeof(restrictions) / sizeof(restrictions[0]); i++) {
		int error = sandbox_requests(sandbox, restrictions[i].key) ?
				    restrictions[i].add(sandbox, target) :
				    0;

		if (!error)
			continue;
		*ret_key = sandbox_key_name(restrictions[i].key);
		return error;
	}
	return 0;
}

bool restrictions_forbid_fchmodat2(const struct Sandbox *sandbox)
{
	return sandbox_requests(sandbox, SANDBOX_RESTRICT_SUID_SGID);
}
