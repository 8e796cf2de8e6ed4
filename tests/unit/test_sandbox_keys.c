/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The sandbox and execution keys of service files: the meaning of good values, and the diagnostics
 * of bad ones.
 */
#include "config.h"

#include <check.h>
#include <errno.h>
#include <linux/sched.h>
#include <sys/socket.h>

#include "sandbox/capability-names.h"
#include "sandbox/sandbox.h"
#include "tests/lib/diags.h"
#include "tests/lib/suite.h"

START_TEST(tokens_become_values)
{
	g_autoptr(ServiceDef) def = parse_good_lines(
		"ProtectSystem=strict\nProtectHome=tmpfs\nPrivateTmp=yes\nPrivateDevices=true\n"
		"PrivateNetwork=on\n"
		"ProtectKernelTunables=1\nProtectKernelModules=yes\nProtectKernelLogs=yes\n"
		"ProtectControlGroups=yes\n"
		"ProtectClock=yes\nProtectHostname=yes\nProtectProc=invisible\nProcSubset=pid\n"
		"NoNewPrivileges=yes\n"
		"RestrictRealtime=yes\nRestrictSUIDSGID=yes\nLockPersonality=yes\n"
		"MemoryDenyWriteExecute=yes\n"
		"KeyringMode=private\nSystemCallErrorNumber=EPERM\n");
	const struct Sandbox *s = def->execution->sandbox;
	static const enum SandboxKey flags[] = {
		SANDBOX_PRIVATE_TMP,
		SANDBOX_PRIVATE_DEVICES,
		SANDBOX_PRIVATE_NETWORK,
		SANDBOX_PROTECT_KERNEL_TUNABLES,
		SANDBOX_PROTECT_KERNEL_MODULES,
		SANDBOX_PROTECT_KERNEL_LOGS,
		SANDBOX_PROTECT_CONTROL_GROUPS,
		SANDBOX_PROTECT_CLOCK,
		SANDBOX_PROTECT_HOSTNAME,
		SANDBOX_NO_NEW_PRIVILEGES,
		SANDBOX_RESTRICT_REALTIME,
		SANDBOX_RESTRICT_SUID_SGID,
		SANDBOX_LOCK_PERSONALITY,
		SANDBOX_DENY_WRITE_EXECUTE,
	};

	for (size_t i = 0; i < G_N_ELEMENTS(flags); i++)
		ck_assert_msg(sandbox_requests(s, flags[i]) && s->value[flags[i]] == 1, "%s",
			      sandbox_key_name(flags[i]));
	ck_assert_uint_eq(s->value[SANDBOX_PROTECT_SYSTEM], PROTECT_SYSTEM_STRICT);
	ck_assert_uint_eq(s->value[SANDBOX_PROTECT_HOME], PROTECT_HOME_TMPFS);
	ck_assert_uint_eq(s->value[SANDBOX_PROTECT_PROC], PROTECT_PROC_INVISIBLE);
	ck_assert_uint_eq(s->value[SANDBOX_PROC_SUBSET], PROC_SUBSET_PID);
	ck_assert_uint_eq(s->value[SANDBOX_KEYRING_MODE], KEYRING_MODE_PRIVATE);
	ck_assert_uint_eq(s->value[SANDBOX_SYSTEM_CALL_ERROR], EPERM);
}
END_TEST

START_TEST(protections_with_degrees_also_take_yes_and_no)
{
	g_autoptr(ServiceDef) def = parse_good_lines(
		"ProtectSystem=true\nProtectHome=off\nRuntimeDirectoryPreserve=1\n");

	ck_assert_uint_eq(def->execution->sandbox->value[SANDBOX_PROTECT_SYSTEM],
			  PROTECT_SYSTEM_YES);
	ck_assert(!sandbox_requests(def->execution->sandbox, SANDBOX_PROTECT_HOME));
	ck_assert_int_eq(def->execution->runtime_preserve, PRESERVE_YES);
}
END_TEST

static void expect_lines(const ServiceDef *def, const char *expected)
{
	g_autoptr(GString) lines = g_string_new(NULL);

	for (guint i = 0; i < def->execution->sandbox_lines->len; i++)
		g_string_append_printf(lines, "%s|",
				       (char *)g_ptr_array_index(def->execution->sandbox_lines, i));
	ck_assert_str_eq(lines->str, expected);
}

START_TEST(svc_exec_gets_the_lines_in_effect_as_they_were_written)
{
	const char *main_text =
		"[Service]\nExec=/bin/x\nPrivateTmp=yes\nReadOnlyPaths=/a\nReadOnlyPaths=\"/b c\" "
		" -/d\n"
		"CapabilityBoundingSet=CAP_KILL\nProtectHome=yes\n";
	const char *drop_in = "[Service]\nPrivateTmp=no\nReadOnlyPaths=\nReadOnlyPaths=/e\n"
			      "CapabilityBoundingSet=\nProtectHome=\n";
	const SourceText sources[] = {
		{ .file = "x.svc", .text = main_text, .length = strlen(main_text) },
		{ .file = "x.svc.d/a.conf", .text = drop_in, .length = strlen(drop_in) }
	};
	g_autoptr(DiagList) diags = diag_list_new();
	g_autoptr(ServiceDef) alone = service_parse("x", sources, 1, diags);
	g_autoptr(ServiceDef) both = service_parse("x", sources, 2, diags);

	expect_diags(diags, "");
	expect_lines(alone, "PrivateTmp=yes|ReadOnlyPaths=/a|ReadOnlyPaths=\"/b c\"  "
			    "-/d|CapabilityBoundingSet=CAP_KILL|ProtectHome=yes|");
	expect_lines(both, "PrivateTmp=no|ReadOnlyPaths=/e|CapabilityBoundingSet=|");
}
END_TEST

/* The @i-th path of @key. */
static const struct SandboxPath *path_at(const ServiceDef *def, enum SandboxKey key, unsigned i)
{
	const struct Sandbox *sandbox = def->execution->sandbox;

	for (size_t k = 0; k < sandbox->n_paths; k++) {
		if (sandbox->paths[k].key == key && i-- == 0)
			return &sandbox->paths[k];
	}
	ck_abort_msg("no such path");
}

START_TEST(paths_are_lists)
{
	g_autoptr(ServiceDef) def = parse_good_lines(
		"ReadOnlyPaths=/a -/b//c/\nReadOnlyPaths=\"/with blank\"\nReadWritePaths=/d\n"
		"InaccessiblePaths=-/e\n");

	ck_assert_str_eq(path_at(def, SANDBOX_READ_ONLY_PATHS, 0)->path, "/a");
	ck_assert(!path_at(def, SANDBOX_READ_ONLY_PATHS, 0)->is_optional);
	ck_assert_str_eq(path_at(def, SANDBOX_READ_ONLY_PATHS, 1)->path, "/b/c");
	ck_assert(path_at(def, SANDBOX_READ_ONLY_PATHS, 1)->is_optional);
	ck_assert_str_eq(path_at(def, SANDBOX_READ_ONLY_PATHS, 2)->path, "/with blank");
	ck_assert_str_eq(path_at(def, SANDBOX_READ_WRITE_PATHS, 0)->path, "/d");
	ck_assert(path_at(def, SANDBOX_INACCESSIBLE_PATHS, 0)->is_optional);
}
END_TEST

START_TEST(binds_have_a_source_and_a_target)
{
	g_autoptr(ServiceDef) def = parse_good_lines(
		"BindPaths=/a /b:/c -/d:/e:norbind /f::rbind\nBindReadOnlyPaths=/g:/h\n"
		"TemporaryFileSystem=/i /j:ro,mode=0700,size=10%\n");

	ck_assert_str_eq(path_at(def, SANDBOX_BIND_PATHS, 0)->source, "/a");
	ck_assert_str_eq(path_at(def, SANDBOX_BIND_PATHS, 0)->path, "/a");
	ck_assert_str_eq(path_at(def, SANDBOX_BIND_PATHS, 1)->source, "/b");
	ck_assert_str_eq(path_at(def, SANDBOX_BIND_PATHS, 1)->path, "/c");
	ck_assert(path_at(def, SANDBOX_BIND_PATHS, 2)->is_optional &&
		  path_at(def, SANDBOX_BIND_PATHS, 2)->is_flat);
	ck_assert_str_eq(path_at(def, SANDBOX_BIND_PATHS, 2)->path, "/e");
	ck_assert_str_eq(path_at(def, SANDBOX_BIND_PATHS, 3)->path, "/f");
	ck_assert_str_eq(path_at(def, SANDBOX_BIND_READ_ONLY_PATHS, 0)->path, "/h");
	ck_assert_str_eq(path_at(def, SANDBOX_TEMPORARY_FILE_SYSTEM, 0)->options, "");
	ck_assert_str_eq(path_at(def, SANDBOX_TEMPORARY_FILE_SYSTEM, 1)->options,
			 "ro,mode=0700,size=10%");
}
END_TEST

#define BIT(n) (UINT64_C(1) << (n))

static const struct {
	const char *lines;
	uint64_t set;
} bounding_sets[] = {
	{ "CapabilityBoundingSet=CAP_CHOWN CAP_KILL\n", BIT(0) | BIT(5) },
	{ "CapabilityBoundingSet=CAP_CHOWN\nCapabilityBoundingSet=cap_kill\n", BIT(0) | BIT(5) },
	{ "CapabilityBoundingSet=~CAP_CHOWN\n", ~BIT(0) },
	{ "CapabilityBoundingSet=~CAP_CHOWN\nCapabilityBoundingSet=~CAP_KILL\n",
	  ~(BIT(0) | BIT(5)) },
	{ "CapabilityBoundingSet=CAP_CHOWN CAP_KILL\nCapabilityBoundingSet=~CAP_KILL\n", BIT(0) },
	{ "CapabilityBoundingSet=\n", 0 },
	{ "CapabilityBoundingSet=~\n", UINT64_MAX },
};

START_TEST(bounding_sets_add_up)
{
	g_autoptr(ServiceDef) def = parse_good_lines(bounding_sets[_i].lines);

	ck_assert(sandbox_requests(def->execution->sandbox, SANDBOX_BOUNDING_SET));
	ck_assert_uint_eq(def->execution->sandbox->value[SANDBOX_BOUNDING_SET],
			  bounding_sets[_i].set);
}
END_TEST

START_TEST(ambient_sets_contain_only_known_capabilities)
{
	g_autoptr(ServiceDef) one = parse_good_lines("AmbientCapabilities=CAP_NET_BIND_SERVICE\n");
	g_autoptr(ServiceDef) all_but = parse_good_lines("AmbientCapabilities=~CAP_CHOWN\n");

	ck_assert_uint_eq(one->execution->sandbox->value[SANDBOX_AMBIENT_SET], BIT(10));
	ck_assert_uint_eq(all_but->execution->sandbox->value[SANDBOX_AMBIENT_SET], BIT(41) - 2);
}
END_TEST

START_TEST(a_drop_in_can_empty_the_bounding_set)
{
	const char *main_text = "[Service]\nExec=/bin/x\nCapabilityBoundingSet=CAP_CHOWN\n";
	const char *drop_in = "[Service]\nCapabilityBoundingSet=\n";
	const SourceText sources[] = {
		{ .file = "x.svc", .text = main_text, .length = strlen(main_text) },
		{ .file = "x.svc.d/a.conf", .text = drop_in, .length = strlen(drop_in) }
	};
	g_autoptr(DiagList) diags = diag_list_new();
	g_autoptr(ServiceDef) def = service_parse("x", sources, 2, diags);

	expect_diags(diags, "");
	ck_assert(sandbox_requests(def->execution->sandbox, SANDBOX_BOUNDING_SET));
	ck_assert_uint_eq(def->execution->sandbox->value[SANDBOX_BOUNDING_SET], 0);
}
END_TEST

START_TEST(families_and_namespaces_are_sets)
{
	g_autoptr(ServiceDef) some = parse_good_lines(
		"RestrictAddressFamilies=AF_UNIX AF_INET\nRestrictNamespaces=net mnt\n");
	g_autoptr(ServiceDef) all_but =
		parse_good_lines("RestrictAddressFamilies=~AF_PACKET\nRestrictNamespaces=~user\n");
	g_autoptr(ServiceDef) late = parse_good_lines(
		"RestrictAddressFamilies=AF_NETLINK AF_VSOCK AF_XDP AF_BLUETOOTH AF_ALG\n");
	g_autoptr(ServiceDef)
		none = parse_good_lines("RestrictAddressFamilies=none\nRestrictNamespaces=yes\n");

	ck_assert_uint_eq(some->execution->sandbox->value[SANDBOX_FAMILIES],
			  BIT(AF_UNIX) | BIT(AF_INET));
	ck_assert_uint_eq(late->execution->sandbox->value[SANDBOX_FAMILIES],
			  BIT(AF_NETLINK) | BIT(AF_VSOCK) | BIT(AF_XDP) | BIT(AF_BLUETOOTH) |
				  BIT(AF_ALG));
	ck_assert_uint_eq(some->execution->sandbox->value[SANDBOX_NAMESPACES],
			  CLONE_NEWNET | CLONE_NEWNS);
	ck_assert_uint_eq(all_but->execution->sandbox->value[SANDBOX_FAMILIES], ~BIT(AF_PACKET));
	ck_assert_uint_eq(all_but->execution->sandbox->value[SANDBOX_NAMESPACES],
			  ~(uint64_t)CLONE_NEWUSER);
	ck_assert(sandbox_requests(none->execution->sandbox, SANDBOX_FAMILIES) &&
		  sandbox_requests(none->execution->sandbox, SANDBOX_NAMESPACES));
	ck_assert_uint_eq(none->execution->sandbox->value[SANDBOX_FAMILIES], 0);
	ck_assert_uint_eq(none->execution->sandbox->value[SANDBOX_NAMESPACES], 0);
}
END_TEST

START_TEST(directories_and_their_modes)
{
	g_autoptr(ServiceDef) def = parse_good_lines(
		"StateDirectory=a a/b\nStateDirectoryMode=0700\nCacheDirectory=c\n"
		"LogsDirectory=d\nConfigurationDirectory=e\nRuntimeDirectory=-f\n"
		"RuntimeDirectoryPreserve=restart\nStandardInput=file:/etc/motd\n");
	const ExecDef *e = def->execution;

	ck_assert_str_eq(path_at(def, SANDBOX_STATE_DIRECTORY, 0)->path, "a");
	ck_assert_str_eq(path_at(def, SANDBOX_STATE_DIRECTORY, 1)->path, "a/b");
	ck_assert_uint_eq(e->sandbox->value[SANDBOX_STATE_DIRECTORY_MODE], 0700);
	ck_assert_str_eq(path_at(def, SANDBOX_CACHE_DIRECTORY, 0)->path, "c");
	ck_assert_uint_eq(e->sandbox->value[SANDBOX_CACHE_DIRECTORY_MODE], 0755);
	ck_assert_str_eq(path_at(def, SANDBOX_LOGS_DIRECTORY, 0)->path, "d");
	ck_assert_str_eq(path_at(def, SANDBOX_CONFIGURATION_DIRECTORY, 0)->path, "e");
	ck_assert_str_eq(path_at(def, SANDBOX_RUNTIME_DIRECTORY, 0)->path, "-f");
	ck_assert_int_eq(e->runtime_preserve, PRESERVE_RESTART);
	ck_assert_str_eq(e->input, "/etc/motd");
}
END_TEST

START_TEST(scheduling)
{
	g_autoptr(ServiceDef) def = parse_good_lines(
		"CPUSchedulingPolicy=fifo\nCPUSchedulingPriority=20\nIOSchedulingPriority=6\n"
		"CPUAffinity=0 2-4,3\n");
	const SchedulingDef *s = &def->execution->scheduling;

	ck_assert_int_eq(s->cpu_policy, CPU_POLICY_FIFO);
	ck_assert_int_eq(s->cpu_priority, 20);
	ck_assert_int_eq(s->io_class, IO_CLASS_BEST_EFFORT);
	ck_assert_int_eq(s->io_priority, 6);
	ck_assert_uint_eq(s->cpus->len, 4);
	ck_assert_uint_eq(g_array_index(s->cpus, unsigned, 3), 4);
}
END_TEST

static const struct {
	const char *line;
	const char *message;
	/* clang-format off */
} mistakes[] = {
	{ "ProtectSystem=stricter", "\"stricter\" is not one of no, yes, full, strict" },
	{ "ProtectHome=maybe", "\"maybe\" is not one of no, yes, read-only, tmpfs" },
	{ "ProtectProc=yes", "\"yes\" is not one of default, noaccess, invisible, ptraceable" },
	{ "ProcSubset=some", "\"some\" is not one of all, pid" },
	{ "PrivateTmp=disconnected", "write yes or no" },
	{ "ReadOnlyPaths=etc", "\"etc\": the path must be absolute; a \"-\" in front allows it to be missing" },
	{ "ReadOnlyPaths=/a/../b", "\"/a/../b\": write the path without \"..\"" },
	{ "InaccessiblePaths=/", "write a path below /; ProtectSystem= covers the whole tree" },
	{ "BindPaths=/a:b", "\"b\": the path must be absolute; a \"-\" in front allows it to be missing" },
	{ "BindPaths=/a:/b:flat", "\"flat\" is neither rbind nor norbind; write SOURCE:TARGET:norbind" },
	{ "BindPaths=/a:/", "/ cannot be replaced" },
	{ "TemporaryFileSystem=/a:suid",
	  "\"suid\" is not an option of a tmpfs here; write ro, noexec, mode=, size=, nr_inodes=, uid= or gid=" },
	{ "TemporaryFileSystem=/a:size=1M,group=5,ro",
	  "\"group=5\" is not an option of a tmpfs here; write ro, noexec, mode=, size=, nr_inodes=, uid= or gid=" },
	{ "TemporaryFileSystem=/a:size=1M,mode=0799,ro",
	  "\"mode=0799\" is not an option of a tmpfs here; write ro, noexec, mode=, size=, nr_inodes=, uid= or gid=" },
	{ "TemporaryFileSystem=/a:size=1M,size=1kM,ro",
	  "\"size=1kM\" is not an option of a tmpfs here; write ro, noexec, mode=, size=, nr_inodes=, uid= or gid=" },
	{ "TemporaryFileSystem=/a:size=1M,gid=5k,ro",
	  "\"gid=5k\" is not an option of a tmpfs here; write ro, noexec, mode=, size=, nr_inodes=, uid= or gid=" },
	{ "CapabilityBoundingSet=CAP_NET_BIND_SERVCE",
	  "no capability \"CAP_NET_BIND_SERVCE\"; did you mean CAP_NET_BIND_SERVICE?" },
	{ "CapabilityBoundingSet=everything", "no capability \"everything\"" },
	{ "SystemCallFilter=@system-services",
	  "no group of system calls \"@system-services\"; did you mean @system-service?" },
	{ "SystemCallFilter=~mounte", "no system call \"mounte\"; did you mean mount?" },
	{ "SystemCallFilter=mount:EWHAT", "\"EWHAT\" is not an error; write its name, such as EPERM, or kill" },
	{ "SystemCallFilter=~", "write the names of system calls, or of groups such as @system-service" },
	{ "SystemCallErrorNumber=0", "\"0\" is not an error; write its name, such as EPERM, or kill" },
	{ "SystemCallArchitectures=amd64",
	  "\"amd64\" is not one of native, x86, x86-64, x32, arm, arm64, mips, mips-le, mips64, mips64-le, mips64-n32, "
	  "mips64-le-n32, ppc, ppc64, ppc64-le, riscv64, s390, s390x" },
	{ "SystemCallFilter=\"io_cancel io_destroy io_getevents io_pgetevents\"",
	  "no system call \"io_cancel io_destroy io_getevents io_pgetevents\"" },
	{ "SystemCallArchitectures=~x86", "\"~x86\" is not one of native, x86, x86-64, x32, arm, arm64, mips, mips-le, mips64, mips64-le, "
	  "mips64-n32, mips64-le-n32, ppc, ppc64, ppc64-le, riscv64, s390, s390x" },
	{ "RestrictAddressFamilies=INET", "no address family \"INET\"" },
	{ "RestrictAddressFamilies=AF_INET5", "no address family \"AF_INET5\"; did you mean AF_INET?" },
	{ "RestrictNamespaces=network", "\"network\" is not one of cgroup, ipc, net, mnt, pid, user, uts, time" },
	{ "KeyringMode=own", "\"own\" is not one of inherit, private, shared" },
	{ "StateDirectory=/var/lib/x", "\"/var/lib/x\" is made below /var/lib; write it without the leading /var/lib/" },
	{ "CacheDirectory=../x", "\"../x\" is not the name of a directory below /var/cache" },
	{ "StateDirectory=a//b", "\"a//b\" is not the name of a directory below /var/lib" },
	{ "StateDirectory=a/", "\"a/\" is not the name of a directory below /var/lib" },
	{ "StateDirectory=a/./b", "\"a/./b\" is not the name of a directory below /var/lib" },
	{ "RuntimeDirectory=''", "\"\" is not the name of a directory below /run" },
	{ "RuntimeDirectoryMode=0788", "write an octal mode such as 0755" },
	{ "RuntimeDirectoryMode=10000", "write an octal mode such as 0755" },
	{ "LogsDirectory=a:b", "\"a:b\": write the name only; links to it are not supported" },
	{ "RuntimeDirectoryPreserve=often", "\"often\" is not one of no, yes, restart" },
	{ "StandardInput=tty", "for a terminal, write TTYPath=" },
	{ "StandardInput=socket", "write null, or file: and an absolute path" },
	{ "CPUSchedulingPolicy=deadline", "\"deadline\" is not one of other, batch, idle, fifo, rr" },
	{ "CPUSchedulingPriority=100", "write a number from 1 to 99" },
	{ "IOSchedulingClass=fast", "\"fast\" is not one of none, realtime, best-effort, idle" },
	{ "IOSchedulingPriority=8", "write a number from 0 (first) to 7" },
	{ "CPUAffinity=numa", "write numbers of processors and ranges of them, such as 0 2-3" },
	{ "CPUAffinity=3-1", "write numbers of processors and ranges of them, such as 0 2-3" },
};
/* clang-format on */

START_TEST(every_error_is_reported_with_the_valid_form)
{
	g_autofree char *text = g_strdup_printf("[Service]\nExec=/bin/x\n%s\n", mistakes[_i].line);
	g_autofree char *expected =
		g_strdup_printf("x.svc:3: %s: %s\n", mistakes[_i].line, mistakes[_i].message);
	g_autoptr(DiagList) diags = diag_list_new();
	g_autoptr(ServiceDef) def = parse_text("x", text, diags);

	expect_diags(diags, expected);
	ck_assert_ptr_nonnull(def->problem);
}
END_TEST

static const struct {
	const char *lines;
	const char *message;
	/* clang-format off */
} quarrels[] = {
	{ "CPUSchedulingPriority=5\n", "x.svc:3: CPUSchedulingPriority=: only CPUSchedulingPolicy=fifo and rr have a priority; "
				      "see Nice= for the others\n" },
	{ "TTYPath=/dev/tty1\nStandardInput=file:/x\n",
	  "x.svc:4: StandardInput=: TTYPath= already sets standard input; write only one of them\n" },
	{ "CapabilityBoundingSet=CAP_CHOWN\nAmbientCapabilities=CAP_KILL\n",
	  "x.svc:4: AmbientCapabilities=: CAP_KILL is not in CapabilityBoundingSet=, so no process can have it\n" },
	{ "DynamicUser=yes\n", "x.svc:3: unknown key DynamicUser=: there are no temporary accounts; write User= with an account "
			      "that the package makes\n" },
};
/* clang-format on */

START_TEST(conflicting_keys_are_reported)
{
	g_autofree char *text = g_strconcat("[Service]\nExec=/bin/x\n", quarrels[_i].lines, NULL);
	g_autoptr(DiagList) diags = diag_list_new();
	g_autoptr(ServiceDef) def = parse_text("x", text, diags);

	expect_diags(diags, quarrels[_i].message);
	ck_assert_ptr_nonnull(def->problem);
}
END_TEST

/* --- system calls --- */

#define auto_calls __attribute__((cleanup(syscall_filter_clear)))

static struct SyscallTokens resolve(const char *lines)
{
	g_autoptr(ServiceDef) def = parse_good_lines(lines);
	struct SyscallTokens calls = { NULL, 0 };

	ck_assert_int_eq(syscall_filter_resolve(&def->execution->sandbox->system_calls, &calls), 0);
	return calls;
}

static const struct SyscallToken *find(const struct SyscallTokens *calls, const char *name)
{
	const struct SyscallToken *found = NULL;

	for (size_t i = 0; i < calls->n; i++) {
		if (strcmp(calls->items[i].name, name) != 0)
			continue;
		ck_assert_msg(!found, "%s is listed twice", name);
		found = &calls->items[i];
	}
	return found;
}

static bool has(const struct SyscallTokens *calls, const char *name)
{
	return find(calls, name) != NULL;
}

START_TEST(allowed_calls_include_what_every_program_needs)
{
	auto_calls struct SyscallTokens calls = resolve("SystemCallFilter=mkdir\n");

	ck_assert(has(&calls, "mkdir") && has(&calls, "execve") && has(&calls, "exit_group"));
	ck_assert(!has(&calls, "rmdir"));
}
END_TEST

START_TEST(a_later_line_takes_away_from_those_allowed)
{
	auto_calls struct SyscallTokens calls = resolve(
		"SystemCallFilter=@system-service\nSystemCallFilter=~@resources kill:EACCES\n"
		"SystemCallFilter=nice\n");

	ck_assert(has(&calls, "read") && has(&calls, "socket") && has(&calls, "nice"));
	ck_assert(!has(&calls, "sched_setscheduler") && !has(&calls, "mount") &&
		  !has(&calls, "reboot"));
	ck_assert_int_eq(find(&calls, "kill")->error, EACCES);
}
END_TEST

START_TEST(forbidden_calls_are_only_those_listed)
{
	auto_calls struct SyscallTokens calls = resolve(
		"SystemCallFilter=~@mount reboot:EPERM ptrace:kill\nSystemCallFilter=chroot\n");

	ck_assert(has(&calls, "mount") && has(&calls, "umount2"));
	ck_assert(!has(&calls, "chroot") && !has(&calls, "read"));
	ck_assert_int_eq(find(&calls, "reboot")->error, EPERM);
	ck_assert_int_eq(find(&calls, "ptrace")->error, SYSCALL_ERROR_KILL);
}
END_TEST

static int check_token(const char *name, void *data)
{
	unsigned *n = data;

	ck_assert_msg(syscall_is_known(name), "%s", name);
	ck_assert_msg(*name >= '_' && *name <= 'z', "%s", name);
	ck_assert_msg(strlen(name) < SYSCALL_NAME_BYTES - 1, "%s", name);
	(*n)++;
	return 0;
}

static int check_group(const char *name, void *data)
{
	unsigned *n_groups = data;
	unsigned n = 0;

	ck_assert_int_eq(syscall_group_foreach(name, check_token, &n), 0);
	ck_assert_msg(n > 1, "%s", name);
	ck_assert(syscall_group_exists(name) && !syscall_is_known(name));
	(*n_groups)++;
	return 0;
}

START_TEST(every_group_has_calls)
{
	unsigned n = 0;

	ck_assert_int_eq(syscall_group_names(check_group, &n), 0);
	ck_assert_uint_gt(n, 25);
}
END_TEST

START_TEST(no_call_of_this_machine_is_missing)
{
	g_autofree char *text = NULL;
	g_auto(GStrv) lines = NULL;
	unsigned n = 0;

	if (!g_file_get_contents("/usr/include/x86_64-linux-gnu/asm/unistd_64.h", &text, NULL,
				 NULL))
		ck_assert(g_file_get_contents("/usr/include/asm-generic/unistd.h", &text, NULL,
					      NULL));
	lines = g_strsplit(text, "\n", -1);
	for (char **line = lines; *line; line++) {
		g_auto(GStrv) tokens = g_strsplit_set(*line, " \t", -1);

		if (!g_str_has_prefix(*line, "#define __NR_") || !tokens[1] ||
		    strcmp(tokens[1], "__NR_syscalls") == 0 ||
		    strcmp(tokens[1], "__NR_arch_specific_syscall") == 0)
			continue;
		ck_assert_msg(syscall_is_known(tokens[1] + strlen("__NR_")), "%s is in no group",
			      tokens[1]);
		n++;
	}
	ck_assert_uint_gt(n, 250);
}
END_TEST

START_TEST(a_part_of_a_name_is_no_name)
{
	ck_assert(!syscall_is_known("rea") && !syscall_is_known("ead") && !syscall_is_known("") &&
		  !syscall_is_known("@aio"));
	/* Two neighbours in the table. */
	ck_assert(!syscall_is_known("read write") && !syscall_is_known("io_cancel io_destroy"));
	ck_assert(!syscall_group_exists("@none") && !syscall_group_exists("read"));
}
END_TEST

START_TEST(capabilities_have_their_numbers)
{
	unsigned number;

	ck_assert(capability_from_name("CAP_CHECKPOINT_RESTORE", &number));
	ck_assert_uint_eq(number, 40);
	ck_assert_str_eq(capability_name(21), "CAP_SYS_ADMIN");
	ck_assert_ptr_null(capability_name(63));
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("sandbox-keys");

	ADD_CASE(suite, "values", tokens_become_values,
		 protections_with_degrees_also_take_yes_and_no,
		 svc_exec_gets_the_lines_in_effect_as_they_were_written, paths_are_lists,
		 binds_have_a_source_and_a_target, ambient_sets_contain_only_known_capabilities,
		 a_drop_in_can_empty_the_bounding_set, families_and_namespaces_are_sets,
		 directories_and_their_modes, scheduling);
	suite_add_loop(suite, "values", bounding_sets_add_up, G_N_ELEMENTS(bounding_sets));
	suite_add_loop(suite, "mistakes", every_error_is_reported_with_the_valid_form,
		       G_N_ELEMENTS(mistakes));
	suite_add_loop(suite, "mistakes", conflicting_keys_are_reported, G_N_ELEMENTS(quarrels));
	ADD_CASE(suite, "system calls", allowed_calls_include_what_every_program_needs,
		 a_later_line_takes_away_from_those_allowed, forbidden_calls_are_only_those_listed,
		 every_group_has_calls, no_call_of_this_machine_is_missing,
		 a_part_of_a_name_is_no_name, capabilities_have_their_numbers);
	return suite;
}
