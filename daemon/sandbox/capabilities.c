/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Capabilities: prctl(2) and capset(2). capabilities(7) explains the different sets.
 */
#include "config.h"

#include "sandbox/capabilities.h"

#include <errno.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BIT(capability) (UINT64_C(1) << (capability))

/* The capabilities that a key removes, so that its restriction cannot be undone. */
static const struct {
	enum SandboxKey key;
	uint64_t lost;
} takers[] = {
	{ SANDBOX_PRIVATE_DEVICES, BIT(CAP_MKNOD) | BIT(CAP_SYS_RAWIO) },
	{ SANDBOX_PROTECT_KERNEL_MODULES, BIT(CAP_SYS_MODULE) },
	{ SANDBOX_PROTECT_KERNEL_LOGS, BIT(CAP_SYSLOG) },
	{ SANDBOX_PROTECT_CLOCK, BIT(CAP_SYS_TIME) | BIT(CAP_WAKE_ALARM) },
};

static const char *key_that_takes(const struct Sandbox *sandbox, unsigned capability)
{
	for (size_t i = 0; i < sizeof(takers) / sizeof(takers[0]); i++) {
		if (sandbox_requests(sandbox, takers[i].key) && takers[i].lost & BIT(capability))
			return sandbox_key_name(takers[i].key);
	}
	return "CapabilityBoundingSet";
}

/* All capabilities that the service may ever have. */
static uint64_t allowed(const struct Sandbox *sandbox)
{
	uint64_t set = sandbox->value[SANDBOX_BOUNDING_SET];

	for (size_t i = 0; i < sizeof(takers) / sizeof(takers[0]); i++)
		set &= sandbox_requests(sandbox, takers[i].key) ? ~takers[i].lost : UINT64_MAX;
	return set;
}

static int get_own(struct __user_cap_data_struct sets[2])
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };

	return syscall(SYS_capget, &header, sets) < 0 ? errno : 0;
}

static int set_own(uint64_t set, uint64_t inheritable)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct sets[2];

	for (int half = 0; half < 2; half++) {
		sets[half].effective = (uint32_t)(set >> (32 * half));
		sets[half].permitted = (uint32_t)(set >> (32 * half));
		sets[half].inheritable = (uint32_t)(inheritable >> (32 * half));
	}
	return syscall(SYS_capset, &header, sets) < 0 ? errno : 0;
}

int capabilities_bound(const struct Sandbox *sandbox, struct Failure *failure)
{
	const uint64_t set = allowed(sandbox);

	for (unsigned capability = 0; capability < 64; capability++) {
		int has = set & BIT(capability) ? 0 : prctl(PR_CAPBSET_READ, capability, 0, 0, 0);

		if (has < 0)
			break; /* beyond the kernel's last capability */
		if (has && prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) < 0)
			return failure_set(failure, errno, "%s=: cannot drop capability %u",
					   key_that_takes(sandbox, capability), capability);
	}
	return 0;
}

int capabilities_keep(const struct Sandbox *sandbox, struct Failure *failure)
{
	if (sandbox->value[SANDBOX_AMBIENT_SET] == 0 || prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) == 0)
		return 0;
	return failure_set(failure, errno, "AmbientCapabilities=: cannot keep capabilities");
}

/* Another user has only the ambient capabilities; root has all that are allowed. */
static int reduce(const struct Sandbox *sandbox, struct Failure *failure)
{
	struct __user_cap_data_struct now[2];
	uint64_t permitted;
	int error = get_own(now);

	if (error)
		return failure_set(failure, error,
				   "CapabilityBoundingSet=: cannot read the capabilities");
	permitted = now[0].permitted | (uint64_t)now[1].permitted << 32;
	permitted &= geteuid() == 0 ? allowed(sandbox) | sandbox->value[SANDBOX_AMBIENT_SET] :
				      sandbox->value[SANDBOX_AMBIENT_SET];
	if (sandbox->value[SANDBOX_AMBIENT_SET] & ~permitted)
		return failure_set(failure, EPERM,
				   "AmbientCapabilities=: svcd itself does not have all of them");
	error = set_own(permitted, sandbox->value[SANDBOX_AMBIENT_SET]);
	return error ? failure_set(failure, error,
				   "CapabilityBoundingSet=: cannot reduce the capabilities") :
		       0;
}

int capabilities_assume(const struct Sandbox *sandbox, struct Failure *failure)
{
	int error = sandbox->value[SANDBOX_AMBIENT_SET] != 0 || allowed(sandbox) != UINT64_MAX ?
			    reduce(sandbox, failure) :
			    0;

	for (unsigned capability = 0; capability < 64 && !error; capability++) {
		if (!(sandbox->value[SANDBOX_AMBIENT_SET] & BIT(capability)))
			continue;
		if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, capability, 0, 0) < 0)
			error = failure_set(failure, errno,
					    "AmbientCapabilities=: cannot raise capability %u",
					    capability);
	}
	return error;
}

static bool has_sys_admin(void)
{
	struct __user_cap_data_struct now[2];

	return get_own(now) == 0 && now[0].effective & BIT(CAP_SYS_ADMIN);
}

int capabilities_forbid_new(const struct Sandbox *sandbox, bool has_filter, struct Failure *failure)
{
	if (!sandbox_requests(sandbox, SANDBOX_NO_NEW_PRIVILEGES) &&
	    !(has_filter && !has_sys_admin()))
		return 0;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return failure_set(failure, errno, "NoNewPrivileges=: cannot set it");
	return 0;
}
