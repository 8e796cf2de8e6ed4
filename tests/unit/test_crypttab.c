/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <check.h>
#include <string.h>

#include "svc-generate/crypttab.h"
#include "svc-generate/fstab.h"
#include "tests/lib/diags.h"
#include "tests/lib/suite.h"

#define HEAD                                                                             \
	"[Conditions]\nWhen=!virtual:container\nWhen=path:exec:/sbin/cryptdisks_start\n" \
	"After=checkroot\n"
#define HOME_DEVICE "While=uuid:1234-ABCD\nWants=udev\nAfter=udev\nWaitTimeout=90s\n"

static GeneratedFiles *generate(const char *crypttab, const char *fstab)
{
	g_autoptr(DiagList) diags = diag_list_new();
	g_autoptr(GPtrArray) volumes = fstab_parse("/etc/fstab", fstab, diags);
	g_autoptr(GPtrArray) entries = crypttab_parse("/etc/crypttab", crypttab, diags);
	GeneratedFiles *output = generated_files_new();

	expect_diags(diags, "");
	crypttab_generate(entries, volumes, output);
	return output;
}

/* The file without the line that names its generator. */
static void expect_file(GeneratedFiles *output, const char *name, const char *expected)
{
	ck_assert_msg(generated_files_has(output, name), "there is no %s", name);
	ck_assert_str_eq(strchr(generated_files_add(output, name, "nothing")->str, '\n') + 1,
			 expected);
}

START_TEST(a_passphrase_is_asked_for_at_the_console_before_the_volume_is_waited_for)
{
	g_autoptr(GeneratedFiles)
		output = generate("home UUID=1234-ABCD none luks,discard\n",
				  "/dev/mapper/home /home ext4\n/dev/sdb1 /srv ext4\n");

	expect_file(output, "crypt-home.svc",
		    "[Service]\nDescription=Encrypted volume home\nType=task\n"
		    "Exec=/sbin/cryptdisks_start home\nStop=-/sbin/cryptdisks_stop home\n"
		    "StartLock=console\nTTYPath=/dev/console\nStartTimeout=2h\n"
		    "\n" HEAD HOME_DEVICE "DoneWhile=device:/dev/mapper/home\nBefore=mount-home\n");
	expect_file(output, "50-crypttab.policy", "\n[runlevel S]\nActivate=crypt-home\n");
}
END_TEST

START_TEST(with_a_key_there_is_no_prompt)
{
	g_autoptr(GeneratedFiles) output = generate("home UUID=1234-ABCD /media/stick/key luks\n",
						    "LABEL=stick /media/stick vfat\n");

	expect_file(output, "crypt-home.svc",
		    "[Service]\nDescription=Encrypted volume home\nType=task\n"
		    "Exec=/sbin/cryptdisks_start home\nStop=-/sbin/cryptdisks_stop home\n"
		    "StartTimeout=5min\n"
		    "\n" HEAD HOME_DEVICE
		    "When=service:mount-media-stick\nDoneWhile=device:/dev/mapper/home\n");
}
END_TEST

START_TEST(swap_with_a_random_key_comes_before_its_use)
{
	g_autoptr(GeneratedFiles)
		output = generate("swap /dev/sda2 /dev/urandom swap,cipher=aes-xts-plain64\n",
				  "/dev/mapper/swap none swap sw 0 0\n");

	expect_file(output, "crypt-swap.svc",
		    "[Service]\nDescription=Encrypted volume swap\nType=task\n"
		    "Exec=/sbin/cryptdisks_start swap\nStop=-/sbin/cryptdisks_stop swap\n"
		    "StartTimeout=5min\n"
		    "\n" HEAD "While=device:/dev/sda2\nWants=udev\nAfter=udev\nWaitTimeout=90s\n"
		    "DoneWhile=device:/dev/mapper/swap\nBefore=swap-dev-mapper-swap\n");
}
END_TEST

START_TEST(options_select_waiting_and_prompting)
{
	g_autoptr(GeneratedFiles)
		output = generate("a /dev/sda2 none nofail\nb /srv/image - _netdev,noauto\n"
				  "c /dev/sda3 argument luks,keyscript=/bin/key,nofail\n",
				  "/dev/sdb1 /srv ext4 noauto\n");

	expect_file(
		output, "crypt-a.svc",
		"[Service]\nDescription=Encrypted volume a\nType=task\n"
		"Exec=/sbin/cryptdisks_start a\nStop=-/sbin/cryptdisks_stop a\n"
		"StartLock=console\nTTYPath=/dev/console\nStartTimeout=2h\n"
		"\n" HEAD
		"While=device:/dev/sda2\nWants=udev\nAfter=udev\nDoneWhile=device:/dev/mapper/a\n");
	expect_file(output, "crypt-b.svc",
		    "[Service]\nDescription=Encrypted volume b\nType=task\n"
		    "Exec=/sbin/cryptdisks_start b\nStop=-/sbin/cryptdisks_stop b\n"
		    "StartLock=console\nTTYPath=/dev/console\nStartTimeout=2h\n"
		    "\n" HEAD
		    "After=mount-srv\nAfter=$network loopback\nDoneWhile=device:/dev/mapper/b\n");
	expect_file(
		output, "crypt-c.svc",
		"[Service]\nDescription=Encrypted volume c\nType=task\n"
		"Exec=/sbin/cryptdisks_start c\nStop=-/sbin/cryptdisks_stop c\n"
		"StartLock=console\nTTYPath=/dev/console\nStartTimeout=2h\n"
		"\n" HEAD
		"While=device:/dev/sda3\nWants=udev\nAfter=udev\nDoneWhile=device:/dev/mapper/c\n");
	expect_file(
		output, "50-crypttab.policy",
		"\n[runlevel S]\nActivate=crypt-a\n"
		"\n[service crypt-b]\nActivation=manual\nReason=noauto in /etc/crypttab, line 2\n"
		"\n[runlevel S]\nActivate=crypt-c\n");
	expect_file(output, "cryptdisks.svc",
		    "[Service]\nDescription=Encrypted volumes\nType=group\n"
		    "\n[Conditions]\nWhen=!virtual:container\nProvides=cryptdisks-early\n"
		    "Wants=crypt-a\nAfter=crypt-a\nAfter=crypt-b\nWants=crypt-c\nAfter=crypt-c\n");
}
END_TEST

START_TEST(a_table_without_lines_still_takes_the_place_of_the_script)
{
	g_autoptr(GeneratedFiles)
		output = generate("# <target name> <source device> <key file> <options>\n\n", "");

	ck_assert(generated_files_has(output, "cryptdisks.svc"));
	ck_assert(!generated_files_has(output, "50-crypttab.policy"));
}
END_TEST

START_TEST(a_name_with_odd_letters_is_quoted)
{
	g_autoptr(GeneratedFiles) output = generate("my\\040data /dev/sda2 none noauto\n", "");

	ck_assert_ptr_nonnull(strstr(generated_files_add(output, "crypt-my+20data.svc", "")->str,
				     "Exec=/sbin/cryptdisks_start \"my data\"\n"));
}
END_TEST

static const struct {
	const char *text;
	const char *expected;
	/* clang-format off */
} bad[] = {
	{ "home\n", "t:1: the device is missing; a line is: name, device, key file or none, options\n" },
	{ "a/b /dev/sda1\n", "t:1: \"a/b\" is not a valid name of a mapping; remove the \"/\"\n" },
	{ "a /dev/sda1\n#\na /dev/sda2\n", "t:3: line 1 already defines a; this line is left out\n" },
	{ "a\\001b /dev/sda1\n", "t:1: field 1 contains a control character, which a service file cannot contain\n" },
};
/* clang-format on */

START_TEST(a_bad_line_is_reported_and_skipped)
{
	g_autoptr(DiagList) diags = diag_list_new();
	g_autoptr(GPtrArray) entries = crypttab_parse("t", bad[_i].text, diags);

	expect_diags(diags, bad[_i].expected);
	ck_assert_uint_le(entries->len, 1);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("crypttab");

	suite_add_loop(suite, "lines", a_bad_line_is_reported_and_skipped, G_N_ELEMENTS(bad));
	ADD_CASE(suite, "lines",
		 a_passphrase_is_asked_for_at_the_console_before_the_volume_is_waited_for,
		 with_a_key_there_is_no_prompt, swap_with_a_random_key_comes_before_its_use,
		 options_select_waiting_and_prompting,
		 a_table_without_lines_still_takes_the_place_of_the_script,
		 a_name_with_odd_letters_is_quoted);
	return suite;
}
