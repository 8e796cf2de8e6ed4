/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Privileges: a list of capabilities to keep, and a list of system calls to give up.
 *
 * The first list contains the needed capabilities, because the kernel does not change their
 * meaning. The second list contains the forbidden system calls, because the next version of the C
 * library may need other calls. Each forbidden call fails with EPERM, as if the process lacked the
 * right.
 */
#include "config.h"

#include "process/privileges.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BIT(capability) (1ull << (capability))

/*
 * Why each capability is kept:
 * - Files in /run/svcd and control groups: owner, mode, contents.
 * - Processes of services: signals, and without cgroup v2 the environment in /proc, which needs
 *   CAP_SYS_PTRACE.
 * - CAP_NET_ADMIN: the buffers of log channels.
 * - Our own limits, and descriptors in flight to the keeper.
 * - /dev/kmsg: the processes that were killed because memory was short.
 * - CAP_SYS_NICE: enabling cpusets moves all processes of a group, even those with capabilities
 *   that we lack (cap_task_setscheduler() in the kernel).
 */
#define KEPT                                                                                   \
	(BIT(CAP_CHOWN) | BIT(CAP_DAC_OVERRIDE) | BIT(CAP_DAC_READ_SEARCH) | BIT(CAP_FOWNER) | \
	 BIT(CAP_FSETID) | BIT(CAP_KILL) | BIT(CAP_NET_ADMIN) | BIT(CAP_SYS_NICE) |            \
	 BIT(CAP_SYS_PTRACE) | BIT(CAP_SYS_RESOURCE) | BIT(CAP_SYSLOG))

#if defined __x86_64__
#define OUR_ARCH AUDIT_ARCH_X86_64
#elif defined __i386__
#define OUR_ARCH AUDIT_ARCH_I386
#elif defined __aarch64__ && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define OUR_ARCH AUDIT_ARCH_AARCH64
#elif defined __arm__ && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define OUR_ARCH AUDIT_ARCH_ARM
#elif defined __riscv && __riscv_xlen == 64
#define OUR_ARCH AUDIT_ARCH_RISCV64
#elif defined __powerpc64__ && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define OUR_ARCH AUDIT_ARCH_PPC64LE
#elif defined __s390x__
#define OUR_ARCH AUDIT_ARCH_S390X
#endif

static const uint16_t refused[] = {
	/* Mounts and namespaces: svc-exec and mount(8) make them for helpers and services. */
	SYS_mount,
	SYS_umount2,
	SYS_pivot_root,
	SYS_chroot,
	SYS_open_tree,
	SYS_move_mount,
	SYS_fsopen,
	SYS_fsconfig,
	SYS_fsmount,
	SYS_fspick,
	SYS_setns,
	SYS_unshare,
#ifdef SYS_mount_setattr
	SYS_mount_setattr,
#endif
	/* Other processes are only read and signalled. */
	SYS_process_vm_readv,
	SYS_process_vm_writev,
	SYS_kcmp,
#ifdef SYS_pidfd_getfd
	SYS_pidfd_getfd,
#endif
#ifdef SYS_process_madvise
	SYS_process_madvise,
#endif
	/* The machine: the keeper shuts it down, and services set its clock and its names. */
	SYS_reboot,
	SYS_kexec_load,
	SYS_init_module,
	SYS_finit_module,
	SYS_delete_module,
	SYS_swapon,
	SYS_swapoff,
	SYS_acct,
	SYS_quotactl,
	SYS_sethostname,
	SYS_setdomainname,
	SYS_settimeofday,
	SYS_clock_settime,
	SYS_adjtimex,
	SYS_clock_adjtime,
#ifdef SYS_kexec_file_load
	SYS_kexec_file_load,
#endif
#ifdef SYS_iopl
	SYS_iopl,
	SYS_ioperm,
#endif
	/* Large parts of the kernel that are not used. */
	SYS_bpf,
	SYS_perf_event_open,
	SYS_userfaultfd,
	SYS_io_uring_setup,
	SYS_io_uring_enter,
	SYS_io_uring_register,
	SYS_add_key,
	SYS_request_key,
	SYS_keyctl,
	SYS_personality,
	SYS_fanotify_init,
	SYS_open_by_handle_at,
	/* Identities other than the file system ids, because the keeper has already set them. */
	SYS_setuid,
	SYS_setgid,
	SYS_setreuid,
	SYS_setregid,
	SYS_setresuid,
	SYS_setresgid,
	SYS_setgroups,
#ifndef WITH_SANITIZERS /* the leak check starts a process */
	/* Children belong to the keeper, and we have one thread. */
	SYS_clone,
	SYS_execve,
	SYS_execveat,
	SYS_ptrace,
#ifdef SYS_clone3
	SYS_clone3,
#endif
#ifdef SYS_fork
	SYS_fork,
	SYS_vfork,
#endif
#endif
};

#define N_REFUSED (sizeof(refused) / sizeof(refused[0]))

/* On x86-64 this bit marks a call of the x32 ABI. */
#define X32_BIT 0x40000000u

#ifdef OUR_ARCH

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))

/*
 * All calls of another ABI are refused, because their numbers differ. Returns: the number of
 * instructions.
 */
static unsigned short write_filter(struct sock_filter *code)
{
	unsigned short n = 0;

	_Static_assert(N_REFUSED < UINT8_MAX, "a jump of a filter is at most that long");
	code[n++] = (struct sock_filter)LOAD(arch);
	code[n++] =
		(struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OUR_ARCH, 0, N_REFUSED + 3);
	code[n++] = (struct sock_filter)LOAD(nr);
	code[n++] =
		(struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, X32_BIT, N_REFUSED + 1, 0);
	for (unsigned i = 0; i < N_REFUSED; i++)
		code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, refused[i],
							 (uint8_t)(N_REFUSED - i), 0);
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
	return n;
}

/*
 * SPEC_ALLOW: otherwise a filter disables speculation before Linux 5.16, and that protects only
 * programs that run foreign code.
 */
static bool refuse_calls(void)
{
	struct sock_filter code[N_REFUSED + 6];
	struct sock_fprog program = { .filter = code };

	program.len = write_filter(code);
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW,
		       &program) == 0;
}

#else

static bool refuse_calls(void)
{
	return false;
}

#endif

static bool get_permitted(uint64_t *ret)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &header, data) < 0)
		return false;
	*ret = data[0].permitted | (uint64_t)data[1].permitted << 32;
	return true;
}

static bool set_capabilities(uint64_t set)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	const struct __user_cap_data_struct data[2] = {
		{ .permitted = (uint32_t)set, .effective = (uint32_t)set },
		{ .permitted = (uint32_t)(set >> 32), .effective = (uint32_t)(set >> 32) },
	};

	return syscall(SYS_capset, &header, data) == 0;
}

static bool reduce_capabilities(void)
{
	uint64_t permitted;

	/*
	 * The bounding set is emptied, because nothing is executed. Without CAP_SETPCAP (a user's
	 * manager) no capability could be gained anyway.
	 */
	for (int capability = 0; prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; capability++)
		(void)prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
	(void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	return get_permitted(&permitted) && set_capabilities(permitted & KEPT);
}

const char *privileges_reduce(void)
{
	const bool no_new = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;

	if (!reduce_capabilities())
		return "capabilities";
	if (!no_new)
		return "new privileges";
	return refuse_calls() ? NULL : "system calls";
}
