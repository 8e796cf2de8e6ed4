/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <check.h>
#include <string.h>

#include "base/limits.h"
#include "lsb-compat/header.h"
#include "lsb-compat/levels.h"
#include "tests/lib/diags.h"
#include "tests/lib/suite.h"

#define BEGIN "#!/bin/sh\n### BEGIN INIT INFO\n"
#define END "### END INIT INFO\nexit 0\n"
/* The rest of a complete header, without Provides. */
#define REST "# Required-Start:\n# Required-Stop:\n# Default-Start:\n# Default-Stop:\n"

/* The diagnostics must be exactly @message. */
static LsbHeader *parse_bytes(const char *text, gsize length, const char *message)
{
	g_autoptr(DiagList) diags = diag_list_new();
	LsbHeader *header = lsb_header_parse("/etc/init.d/c", "c", text, length, diags);

	expect_diags(diags, message);
	return header;
}

static LsbHeader *parse(const char *text, const char *message)
{
	return parse_bytes(text, strlen(text), message);
}

static void expect_tokens(const LsbHeader *header, LsbField field, const char *expected)
{
	g_autoptr(GString) text = g_string_new(NULL);
	const GPtrArray *tokens = header->fields[field].tokens;

	for (guint i = 0; i < tokens->len; i++)
		g_string_append_printf(text, "%s%s", i > 0 ? " " : "",
				       (const char *)g_ptr_array_index(tokens, i));
	ck_assert_str_eq(text->str, expected);
}

START_TEST(the_fields_of_a_debian_header_are_read)
{
	g_autoptr(LsbHeader)
		header = parse(BEGIN "# Provides:          ssh sshd\n"
				     "# Required-Start:    $remote_fs $syslog\n"
				     "# Required-Stop:     $remote_fs $syslog\n"
				     "# Should-Start:      +slapd\n"
				     "# X-Start-Before:    display\n"
				     "# X-Start-After:     keys\n"
				     "# X-Stop-After:      users\n"
				     "# Default-Start:     2 3 4 5\n"
				     "# Default-Stop:      0 1 6 S\n"
				     "# X-Interactive:     true\n"
				     "# Short-Description: OpenBSD Secure Shell server\n"
				     "# Description: a text that\n#  goes on: and on\n" END,
			       "");

	ck_assert(lsb_header_exists(header));
	expect_tokens(header, LSB_PROVIDES, "ssh sshd");
	expect_tokens(header, LSB_REQUIRED_START, "$remote_fs $syslog");
	expect_tokens(header, LSB_REQUIRED_STOP, "$remote_fs $syslog");
	expect_tokens(header, LSB_SHOULD_START, "+slapd");
	expect_tokens(header, LSB_SHOULD_STOP, "");
	expect_tokens(header, LSB_START_BEFORE, "display");
	expect_tokens(header, LSB_START_AFTER, "keys");
	expect_tokens(header, LSB_STOP_AFTER, "users");
	ck_assert_uint_eq(header->default_start, 1u << 2 | 1u << 3 | 1u << 4 | 1u << 5);
	ck_assert_uint_eq(header->default_stop, 1u << 0 | 1u << 1 | 1u << 6 | LSB_LEVEL_S);
	ck_assert(header->is_interactive);
	ck_assert_str_eq(header->short_description, "OpenBSD Secure Shell server");
	ck_assert_uint_eq(header->fields[LSB_REQUIRED_START].origin.line, 4);
}
END_TEST

/* Each: the line of the field, and its tokens. */
static const struct {
	const char *line;
	LsbField field;
	const char *tokens;
} forms[] = {
	{ "#Should-Start: b", LSB_SHOULD_START, "b" },
	{ "#\t \tShould-Start:\tb\tc ", LSB_SHOULD_START, "b c" },
	{ "# should-start: b", LSB_SHOULD_START, "b" },
	{ "# SHOULD_START: b", LSB_SHOULD_START, "b" },
	{ "# Should__Start : b", LSB_SHOULD_START, "b" },
	{ "# X-UnitedLinux-Should-Start: b", LSB_SHOULD_START, "b" },
	{ "# X-Debian_Start-Before: b", LSB_START_BEFORE, "b" },
	{ "# Stop-After: b", LSB_STOP_AFTER, "b" },
	{ "# Should-Start: a  b", LSB_SHOULD_START, "a b" },
	{ "# Should-Start: a, b;c ,\td", LSB_SHOULD_START, "a b c d" },
	{ "# Should-Start: a b\r", LSB_SHOULD_START, "a b" },
	{ "# Should-Start: a\n#\tb", LSB_SHOULD_START, "a" },
	{ "# X-Restart-Before: b", LSB_START_BEFORE, "" },
	{ "# X-Required-Stop: b", LSB_REQUIRED_STOP, "" },
};

START_TEST(a_field_may_be_written_in_many_ways)
{
	g_autofree char *text =
		g_strconcat(BEGIN "# Provides: c\n" REST, forms[_i].line, "\n" END, NULL);
	g_autoptr(LsbHeader) header = parse(text, "");

	expect_tokens(header, forms[_i].field, forms[_i].tokens);
}
END_TEST

START_TEST(invalid_names_are_reported_and_skipped)
{
	g_autoptr(LsbHeader) header = parse(
		BEGIN "# Provides: $syslog c +c2\n# Should-Start: a \xe9 b ../x\n" REST END,
		"/etc/init.d/c:3: warning: Provides: \"$syslog\" is ignored: no script provides a "
		"system facility; "
		"add the script to it in /etc/insserv.conf.d\n"
		"/etc/init.d/c:3: warning: Provides: \"+c2\" is ignored: a name must not begin "
		"with \"+\"\n"
		"/etc/init.d/c:4: warning: Should-Start: \"\\xe9\" is ignored: the name of a "
		"service contains letters, "
		"digits and _.@:+-, not byte 0xe9\n"
		"/etc/init.d/c:4: warning: Should-Start: \"../x\" is "
		"ignored: the name of a service must not begin "
		"with \".\"\n");

	expect_tokens(header, LSB_PROVIDES, "c");
	expect_tokens(header, LSB_SHOULD_START, "a b");
}
END_TEST

START_TEST(a_header_without_an_end_ends_with_the_comments)
{
	g_autoptr(LsbHeader) header = parse(
		BEGIN "# Provides: c\n" REST "\nexit 0\n# Should-Start: no\n",
		"/etc/init.d/c:9: warning: the header ends here, with the first line that is not "
		"a comment; write \"### END INIT INFO\" at its end\n");
	g_autoptr(LsbHeader) to_the_end = parse(
		BEGIN "# Provides: c\n" REST,
		"/etc/init.d/c:2: warning: the header has no end; write \"### END INIT INFO\" "
		"after it\n");

	expect_tokens(header, LSB_PROVIDES, "c");
	expect_tokens(header, LSB_SHOULD_START, "");
	expect_tokens(to_the_end, LSB_PROVIDES, "c");
}
END_TEST

START_TEST(the_first_of_two_headers_and_of_two_fields_is_used)
{
	g_autoptr(LsbHeader) header =
		parse(BEGIN "# Provides: c\n# Provides: d\n" REST END BEGIN
			    "# Provides: e\n" END BEGIN END,
		      "/etc/init.d/c:4: warning: Provides: occurs twice; the line above is used\n"
		      "/etc/init.d/c:12: warning: the script has a second header; the first one is "
		      "used\n");

	expect_tokens(header, LSB_PROVIDES, "c");
}
END_TEST

START_TEST(missing_header_fields_are_reported_once)
{
	g_autoptr(LsbHeader) header = parse(
		BEGIN "# Provides:\n# Default-Start: 2\n" END,
		"/etc/init.d/c:2: warning: the header lacks Provides Required-Start Required-Stop "
		"Default-Stop; "
		"add it, even if it is empty\n");

	ck_assert_uint_eq(header->default_start, 1u << 2);
	ck_assert(!header->has_default_stop);
}
END_TEST

START_TEST(an_invalid_runlevel_is_reported)
{
	g_autoptr(LsbHeader) header = parse(
		BEGIN
		"# Provides: c\n# Required-Start:\n# Required-Stop:\n# Default-Start: 2 345 s\n# "
		"Default-Stop:\n" END,
		"/etc/init.d/c:6: warning: Default-Start: \"345\" is not a runlevel; write 0 to 6 "
		"and S, with blanks between "
		"them\n");

	ck_assert_uint_eq(header->default_start, 1u << 2 | LSB_LEVEL_S);
}
END_TEST

START_TEST(only_true_is_interactive)
{
	g_autoptr(LsbHeader) yes = parse(
		BEGIN "# Provides: c\n" REST "# X-Interactive: yes\n" END,
		"/etc/init.d/c:8: warning: X-Interactive: \"yes\" counts as false; write true\n");
	g_autoptr(LsbHeader)
		no = parse(BEGIN "# Provides: c\n" REST "# X-Interactive: false\n" END, "");
	g_autoptr(LsbHeader) vendor =
		parse(BEGIN "# Provides: c\n" REST "# X-Debian-Interactive: true\n" END, "");

	ck_assert(!yes->is_interactive);
	ck_assert(!no->is_interactive);
	ck_assert(vendor->is_interactive);
}
END_TEST

START_TEST(comments_of_red_hat_are_read_wherever_they_stand)
{
	g_autoptr(LsbHeader) header = parse(
		"#!/bin/sh\n# chkconfig: 345 20 80\n# description: Does this \\\n#   and that\n"
		"# pidfile: /run/d1.pid\nPIDFILE=/run/other.pid\n# pidfile: /run/no.pid\n",
		"");
	g_autoptr(LsbHeader) none = parse("# chkconfig: - 5 95\n", "");
	g_autoptr(LsbHeader) bad = parse(
		"# chkconfig: 345\n",
		"/etc/init.d/c:1: warning: chkconfig: is ignored; write runlevels and two numbers "
		"from 0 to 99, such as 345 20 80\n");

	ck_assert(!lsb_header_exists(header));
	ck_assert(header->has_chkconfig);
	ck_assert_uint_eq(header->chkconfig_levels, 1u << 3 | 1u << 4 | 1u << 5);
	ck_assert_int_eq(header->chkconfig_start, 20);
	ck_assert_int_eq(header->chkconfig_stop, 80);
	ck_assert_str_eq(header->description, "Does this");
	ck_assert_str_eq(header->pid_file, "/run/d1.pid");
	ck_assert(none->has_chkconfig);
	ck_assert_uint_eq(none->chkconfig_levels, 0);
	ck_assert(!bad->has_chkconfig);
}
END_TEST

START_TEST(endless_lists_and_lines_are_cut)
{
	g_autofree char *tokens = g_strnfill(2 * (LIMIT_LIST_ENTRIES + 1), ' ');
	g_autofree char *line = g_strnfill(2 * LIMIT_LINE_BYTES, 'x');
	g_autofree char *text = NULL;
	g_autoptr(LsbHeader) header = NULL;

	for (int i = 0; i <= LIMIT_LIST_ENTRIES; i++)
		tokens[2 * i] = 'a';
	text = g_strconcat(BEGIN "# Provides: c\n" REST "# Should-Start: ", tokens,
			   "\n# Short-Description: ", line, "\n" END, NULL);
	header = parse(
		text, "/etc/init.d/c:8: warning: Should-Start: only the first 512 of its names are "
		      "used\n");

	ck_assert_uint_eq(header->fields[LSB_SHOULD_START].tokens->len, LIMIT_LIST_ENTRIES);
	ck_assert_uint_eq(strlen(header->short_description) + strlen("# Short-Description: "),
			  LIMIT_LINE_BYTES);
}
END_TEST

START_TEST(bytes_of_any_kind_do_no_harm)
{
	static const char text[] = "#!/bin/sh\n\0\xff\xfe\n" BEGIN "# Provides: c\0d\n" REST END;
	g_autoptr(LsbHeader) header = parse_bytes(text, sizeof text - 1, "");

	expect_tokens(header, LSB_PROVIDES, "c d");
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("lsb header");

	suite_add_loop(suite, "fields", a_field_may_be_written_in_many_ways, G_N_ELEMENTS(forms));
	ADD_CASE(suite, "fields", the_fields_of_a_debian_header_are_read, only_true_is_interactive,
		 comments_of_red_hat_are_read_wherever_they_stand);
	ADD_CASE(suite, "broken headers", invalid_names_are_reported_and_skipped,
		 a_header_without_an_end_ends_with_the_comments,
		 the_first_of_two_headers_and_of_two_fields_is_used,
		 missing_header_fields_are_reported_once, an_invalid_runlevel_is_reported,
		 endless_lists_and_lines_are_cut, bytes_of_any_kind_do_no_harm);
	return suite;
}
