/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <check.h>

#include "tests/lib/diags.h"
#include "tests/lib/suite.h"

static const struct {
	const char *lines;
	bool needs_helper;
} settings[] = {
	{ "", false },
	{ "LimitNOFILE=64\nNice=1\nUMask=077\nWorkingDirectory=/srv\nEnvironment=A=1\n"
	  "OOMScoreAdjust=5\n",
	  false },
	{ "User=1000\nGroup=1000\nSupplementaryGroups=4 24\n", false },
	{ "User=1000\n", true }, /* its groups must be looked up */
	{ "User=www-data\nGroup=33\n", true },
	{ "Group=www-data\n", true },
	{ "Group=33\n", false },
	{ "User=0\nGroup=0\nSupplementaryGroups=audio\n", true },
	{ "EnvironmentFile=/etc/default/x\n", true },
	{ "TTYPath=/dev/tty1\n", true },
	{ "TTYPath=-/dev/tty1\n", true },
	{ "RuntimeDirectory=x\n", true },
	{ "LogsDirectory=x\n", true },
	{ "StandardInput=file:/etc/passwd\n", true },
	{ "StandardInput=null\n", false },
	{ "CPUAffinity=0\n", true },
	{ "CPUSchedulingPolicy=batch\n", true },
	{ "IOSchedulingPriority=7\n", true },
	{ "ProtectSystem=no\nPrivateTmp=no\nRestrictNamespaces=no\nKeyringMode=inherit\n", false },
	{ "ProtectSystem=yes\n", true },
	{ "ProtectHome=read-only\n", true },
	{ "PrivateTmp=yes\n", true },
	{ "PrivateDevices=yes\n", true },
	{ "PrivateNetwork=yes\n", true },
	{ "ProtectKernelTunables=yes\n", true },
	{ "ProtectKernelModules=yes\n", true },
	{ "ProtectKernelLogs=yes\n", true },
	{ "ProtectControlGroups=yes\n", true },
	{ "ProtectClock=yes\n", true },
	{ "ProtectHostname=yes\n", true },
	{ "ProtectProc=invisible\n", true },
	{ "ProcSubset=pid\n", true },
	{ "ReadOnlyPaths=/x\n", true },
	{ "TemporaryFileSystem=/x\n", true },
	{ "NoNewPrivileges=yes\n", true },
	{ "CapabilityBoundingSet=\n", true },
	{ "AmbientCapabilities=CAP_NET_BIND_SERVICE\n", true },
	{ "SystemCallFilter=@system-service\n", true },
	{ "SystemCallArchitectures=native\n", true },
	{ "RestrictAddressFamilies=none\n", true },
	{ "RestrictNamespaces=yes\n", true },
	{ "RestrictRealtime=yes\n", true },
	{ "RestrictSUIDSGID=yes\n", true },
	{ "LockPersonality=yes\n", true },
	{ "MemoryDenyWriteExecute=yes\n", true },
	{ "KeyringMode=private\n", true },
};

START_TEST(only_keys_that_need_more_than_numbers_need_the_helper)
{
	g_autoptr(ServiceDef) def = parse_good_lines(settings[_i].lines);

	ck_assert_int_eq(exec_def_needs_helper(def->execution), settings[_i].needs_helper);
}
END_TEST

START_TEST(a_shared_definition_outlives_its_first_owner)
{
	ServiceDef *def = parse_good_lines(
		"User=a\nGroup=b\nSupplementaryGroups=c\nEnvironment=A=1\nEnvironmentFile=-/x\n"
		"LimitNOFILE=64\nNice=3\nTTYPath=/dev/tty1\nWorkingDirectory=/srv\n"
		"RuntimeDirectory=r\n"
		"CPUAffinity=1\nBindPaths=/a:/b\nTemporaryFileSystem=/t:ro\n"
		"SystemCallFilter=~reboot\n"
		"SystemCallArchitectures=native\n");
	ServiceDef *shared = service_def_share(def);
	const ExecDef *e = shared->execution;

	service_def_free(def);
	ck_assert_str_eq(e->user, "a");
	ck_assert_str_eq(e->group, "b");
	ck_assert_str_eq(g_ptr_array_index(e->groups, 0), "c");
	ck_assert_str_eq(g_ptr_array_index(e->environment, 0), "A=1");
	ck_assert_str_eq(((EnvironmentFile *)g_ptr_array_index(e->environment_files, 0))->path,
			 "/x");
	ck_assert(((EnvironmentFile *)g_ptr_array_index(e->environment_files, 0))->optional);
	ck_assert_uint_eq(g_array_index(e->rlimits, Rlimit, 0).soft, 64);
	ck_assert_int_eq(e->nice, 3);
	ck_assert_str_eq(e->tty, "/dev/tty1");
	ck_assert_str_eq(e->directory, "/srv");
	ck_assert_uint_eq(g_array_index(e->scheduling.cpus, unsigned, 0), 1);
	ck_assert_str_eq(e->sandbox->paths[0].path, "r");
	ck_assert_str_eq(e->sandbox->paths[1].source, "/a");
	ck_assert_str_eq(e->sandbox->paths[2].options, "ro");
	ck_assert_str_eq(e->sandbox->system_calls.items[0].name, "reboot");
	ck_assert_str_eq(g_ptr_array_index(e->sandbox_lines, 4), "SystemCallArchitectures=native");
	service_def_free(shared);
}
END_TEST

START_TEST(services_without_these_keys_share_one_record)
{
	g_autoptr(ServiceDef) plain = parse_good_lines("Restart=always\n");
	g_autoptr(ServiceDef) other = parse_good_lines("Stop=signal:HUP\n");
	g_autoptr(ServiceDef) nice = parse_good_lines("Nice=3\n");

	ck_assert_ptr_eq(plain->execution, &exec_def_plain);
	ck_assert_ptr_eq(other->execution, &exec_def_plain);
	ck_assert_int_eq(nice->execution->nice, 3);
	ck_assert_int_eq(exec_def_plain.nice, 0);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("exec-def");

	ADD_CASE(suite, "exec-def", services_without_these_keys_share_one_record,
		 a_shared_definition_outlives_its_first_owner);
	suite_add_loop(suite, "exec-def", only_keys_that_need_more_than_numbers_need_the_helper,
		       G_N_ELEMENTS(settings));
	return suite;
}
