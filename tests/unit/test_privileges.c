/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Privileges: dropped privileges cannot be regained, and needed privileges are kept. Each test is a
 * separate process.
 */
#include "config.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "process/privileges.h"
#include "tests/lib/suite.h"

/* A line of /proc/self/status. */
static unsigned long long status(const char *key, int base)
{
	FILE *file = fopen("/proc/self/status", "re");
	char line[256];
	unsigned long long value = 0;
	bool found = false;

	ck_assert_ptr_nonnull(file);
	while (!found && fgets(line, sizeof line, file)) {
		found = strncmp(line, key, strlen(key)) == 0 && line[strlen(key)] == ':';
		if (found)
			value = strtoull(line + strlen(key) + 1, NULL, base);
	}
	(void)fclose(file);
	ck_assert_msg(found, "no %s", key);
	return value;
}

static bool has(const char *set, int capability)
{
	return status(set, 16) >> capability & 1;
}

static void reduce(void)
{
	const char *left = privileges_reduce();

	ck_assert_msg(!left, "could not give up %s", left);
}

START_TEST(the_reduction_is_visible_from_outside)
{
	reduce();
	ck_assert_uint_eq(status("NoNewPrivs", 10), 1);
	ck_assert_uint_eq(status("Seccomp", 10), 2);
	ck_assert_uint_eq(status("Seccomp_filters", 10), 1);
}
END_TEST

START_TEST(capabilities_without_a_use_are_gone)
{
	static const int gone[] = { CAP_SETPCAP,   CAP_SYS_MODULE, CAP_SYS_RAWIO, CAP_SYS_CHROOT,
				    CAP_SYS_BOOT,  CAP_SYS_TIME,   CAP_MKNOD,     CAP_SETFCAP,
				    CAP_MAC_ADMIN, CAP_BPF,        CAP_NET_RAW };

	reduce();
	for (size_t i = 0; i < sizeof gone / sizeof gone[0]; i++) {
		ck_assert_msg(!has("CapPrm", gone[i]), "capability %d", gone[i]);
		ck_assert_msg(!has("CapEff", gone[i]), "capability %d", gone[i]);
	}
	ck_assert_uint_eq(status("CapInh", 16), 0);
	ck_assert_uint_eq(status("CapAmb", 16), 0);
}
END_TEST

START_TEST(those_of_files_and_services_are_kept)
{
	const bool could_kill = has("CapEff", CAP_KILL);
	const bool could_own = has("CapEff", CAP_CHOWN);

	reduce();
	ck_assert(has("CapEff", CAP_KILL) == could_kill);
	ck_assert(has("CapEff", CAP_CHOWN) == could_own);
}
END_TEST

/* The arguments would give any other caller an error other than EPERM. */
static const struct {
	const char *name;
	long number;
	long argument;
	bool sanitizers_need_it;
} barred[] = {
	{ "mount", SYS_mount, 0, false },
	{ "umount2", SYS_umount2, 0, false },
	{ "fsopen", SYS_fsopen, 0, false },
	{ "unshare", SYS_unshare, 0, false },
	{ "setns", SYS_setns, -1, false },
	{ "process_vm_readv", SYS_process_vm_readv, -1, false },
	{ "bpf", SYS_bpf, -1, false },
	{ "keyctl", SYS_keyctl, -1, false },
	{ "init_module", SYS_init_module, 0, false },
	{ "kexec_load", SYS_kexec_load, -1, false },
	{ "reboot", SYS_reboot, 0, false },
	{ "setuid", SYS_setuid, 0, false },
	{ "io_uring_setup", SYS_io_uring_setup, 0, false },
	{ "ptrace", SYS_ptrace, PTRACE_TRACEME, true },
	{ "execve", SYS_execve, 0, true },
	{ "clone", SYS_clone, -1, true },
	{ "clone3", SYS_clone3, 0, true },
};

START_TEST(a_barred_call_is_refused)
{
#ifdef WITH_SANITIZERS
	if (barred[_i].sanitizers_need_it)
		return;
#endif
	reduce();
	errno = 0;
	ck_assert_msg(syscall(barred[_i].number, barred[_i].argument, 0, 0, 0, 0) == -1 &&
			      errno == EPERM,
		      "%s: %s", barred[_i].name, strerror(errno));
}
END_TEST

#if defined __x86_64__ && !defined WITH_SANITIZERS
/*
 * Calls of other ABIs: getpid(2) of x32, and the 32-bit exit(2), which would end this process.
 */
START_TEST(calls_of_another_abi_are_refused)
{
	long result;

	reduce();
	errno = 0;
	ck_assert(syscall(SYS_getpid | 0x40000000) == -1 && errno == EPERM);
	__asm__ volatile("int $0x80" : "=a"(result) : "a"(1), "b"(9) : "memory");
	ck_assert_int_eq(result, -EPERM);
}
END_TEST
#endif

START_TEST(the_work_of_a_manager_goes_on)
{
	int pair[2];

	reduce();
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	ck_assert_int_eq(kill(getpid(), 0), 0);
	ck_assert_int_ge(open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC), 0);
	free(malloc(4 << 20));
}
END_TEST

START_TEST(a_second_reduction_succeeds)
{
	reduce();
	ck_assert_ptr_null(privileges_reduce());
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("privileges");

	ADD_CASE(suite, "given up", the_reduction_is_visible_from_outside,
		 capabilities_without_a_use_are_gone, those_of_files_and_services_are_kept,
		 the_work_of_a_manager_goes_on, a_second_reduction_succeeds);
	(void)suite_add_loop(suite, "calls", a_barred_call_is_refused,
			     sizeof barred / sizeof barred[0]);
#if defined __x86_64__ && !defined WITH_SANITIZERS
	ADD_CASE(suite, "other kinds", calls_of_another_abi_are_refused);
#endif
	return suite;
}
