/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Capabilities: prctl(2), capset(2); which set is which: capabilities(7).
 */
#include "config.h"

#include "exec/capabilities.h"

#include <errno.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BIT(capability) (UINT64_C(1) << (capability))

/* What a key takes away, so that what it forbids cannot be had back. */
static const struct {
	enum ExecFlag flag;
	const char *key;
	uint64_t lost;
} takers[] = {
	{ EXEC_FLAG_PRIVATE_DEVICES, "PrivateDevices", BIT(CAP_MKNOD) | BIT(CAP_SYS_RAWIO) },
	{ EXEC_FLAG_KERNEL_MODULES, "ProtectKernelModules", BIT(CAP_SYS_MODULE) },
	{ EXEC_FLAG_KERNEL_LOGS, "ProtectKernelLogs", BIT(CAP_SYSLOG) },
	{ EXEC_FLAG_CLOCK, "ProtectClock", BIT(CAP_SYS_TIME) | BIT(CAP_WAKE_ALARM) },
};

static const char *key_that_takes(const struct Spec *spec, unsigned capability)
{
	for (size_t i = 0; i < sizeof(takers) / sizeof(takers[0]); i++) {
		if (spec_flag(spec, takers[i].flag) && takers[i].lost & BIT(capability))
			return takers[i].key;
	}
	return "CapabilityBoundingSet";
}

/* All that the service may ever have. */
static uint64_t allowed(const struct Spec *spec)
{
	uint64_t set = spec->bounding_set;

	for (size_t i = 0; i < sizeof(takers) / sizeof(takers[0]); i++)
		set &= spec_flag(spec, takers[i].flag) ? ~takers[i].lost : UINT64_MAX;
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

int capabilities_bound(const struct Spec *spec, struct Failure *failure)
{
	const uint64_t set = allowed(spec);

	for (unsigned capability = 0; capability < 64; capability++) {
		int has = set & BIT(capability) ? 0 : prctl(PR_CAPBSET_READ, capability, 0, 0, 0);

		if (has < 0)
			break; /* the kernel's last one was before */
		if (has && prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) < 0)
			return failure_set(failure, errno, "%s=: cannot take away capability %u",
					   key_that_takes(spec, capability), capability);
	}
	return 0;
}

int capabilities_keep(const struct Spec *spec, struct Failure *failure)
{
	if (spec->ambient_set == 0 || prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) == 0)
		return 0;
	return failure_set(failure, errno, "AmbientCapabilities=: cannot keep any");
}

/* Of what another user has been given there is nothing left but the ambient ones; root has all that is allowed. */
static int reduce(const struct Spec *spec, struct Failure *failure)
{
	struct __user_cap_data_struct now[2];
	uint64_t permitted;
	int error = get_own(now);

	if (error)
		return failure_set(failure, error, "CapabilityBoundingSet=: cannot read the capabilities");
	permitted = now[0].permitted | (uint64_t)now[1].permitted << 32;
	permitted &= geteuid() == 0 ? allowed(spec) | spec->ambient_set : spec->ambient_set;
	if (spec->ambient_set & ~permitted)
		return failure_set(failure, EPERM, "AmbientCapabilities=: svcd does not have them all itself");
	error = set_own(permitted, spec->ambient_set);
	return error ? failure_set(failure, error, "CapabilityBoundingSet=: cannot reduce the capabilities") : 0;
}

int capabilities_assume(const struct Spec *spec, struct Failure *failure)
{
	int error = spec->ambient_set != 0 || allowed(spec) != UINT64_MAX ? reduce(spec, failure) : 0;

	for (unsigned capability = 0; capability < 64 && !error; capability++) {
		if (!(spec->ambient_set & BIT(capability)))
			continue;
		if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, capability, 0, 0) < 0)
			error = failure_set(failure, errno, "AmbientCapabilities=: cannot give capability %u", capability);
	}
	return error;
}

static bool has_sys_admin(void)
{
	struct __user_cap_data_struct now[2];

	return get_own(now) == 0 && now[0].effective & BIT(CAP_SYS_ADMIN);
}

int capabilities_forbid_new(const struct Spec *spec, bool has_filter, struct Failure *failure)
{
	if (!spec_flag(spec, EXEC_FLAG_NO_NEW_PRIVILEGES) && !(has_filter && !has_sys_admin()))
		return 0;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return failure_set(failure, errno, "NoNewPrivileges=: cannot set it");
	return 0;
}
