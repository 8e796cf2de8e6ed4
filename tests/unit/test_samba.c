/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <check.h>
#include <string.h>

#include "svc-generate/samba.h"
#include "tests/lib/suite.h"

#define CONF "/etc/samba/smb.conf: "
#define NO_DC "\n[service samba-ad-dc]\nActivation=manual\nReason=" CONF "server role is not active directory domain controller\n"
#define DC                                                                                         \
	"\n[service smbd]\nActivation=manual\nReason=" CONF "a domain controller runs it by itself\n"     \
	"\n[service nmbd]\nActivation=manual\nReason=" CONF "a domain controller runs it by itself\n"     \
	"\n[service winbind]\nActivation=manual\nReason=" CONF "a domain controller runs it by itself\n"

static const struct {
	const char *configuration;
	const char *expected;
} roles[] = {
	{ "", NO_DC },
	{ "[global]\n  server role = standalone server\n", NO_DC },
	{ "[global]\n\tServer  Role=Active Directory Domain Controller\r\n", DC },
	{ "# server role = dc\n; server role = dc\n", NO_DC },
	{ "server role = dc\nserver role = member server\n", NO_DC },
	{ "disable netbios = yes\n",
	  NO_DC "\n[service nmbd]\nActivation=manual\nReason=" CONF "disable netbios = yes\n" },
	{ "disable netbios = no\n", NO_DC },
};

START_TEST(the_role_says_who_is_left_to_an_admins_start)
{
	g_autoptr(Output) output = output_new();

	samba_generate(roles[_i].configuration, output);
	ck_assert_str_eq(strchr(output_file(output, "links-samba.policy", "")->str, '\n') + 1, roles[_i].expected);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("samba");

	suite_add_loop(suite, "policy", the_role_says_who_is_left_to_an_admins_start, G_N_ELEMENTS(roles));
	return suite;
}
