/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Socket fields: svc-worker reads the fields that the manager wrote, and the hash changes with each
 * option.
 */
#include "config.h"

#include <check.h>

#include "model/socket-fields.h"
#include "tests/lib/diags.h"
#include "tests/lib/suite.h"

#define PATH "ListenStream=/run/x.sock\n"
#define PORT "ListenStream=80\n"

static char **fields_of(const char *lines)
{
	g_autofree char *text = g_strconcat("[Socket]\n", lines, NULL);
	g_autoptr(ServiceDef) def = parse_good_lines(text);

	return socket_fields_new(g_ptr_array_index(def->socket->listens, 0), def->socket);
}

static char *hash_of(const char *lines)
{
	g_auto(GStrv) fields = fields_of(lines);

	return socket_fields_hash((const char *const *)fields);
}

/* Each key with a value other than its default. */
static const char *const options[] = {
	"SocketUser=7\n",        "SocketGroup=tty\n",   "SocketMode=0600\n",
	"DirectoryMode=0700\n",  "Backlog=7\n",         "KeepAlive=yes\n",
	"NoDelay=yes\n",         "FreeBind=yes\n",      "ReusePort=yes\n",
	"PassCredentials=yes\n", "BindIPv6Only=both\n", "ReceiveBuffer=70000\n",
	"SendBuffer=80000\n",
};

START_TEST(fields_are_read_back_as_the_same_definition)
{
	g_autofree char *lines = g_strconcat(PATH, options[_i], NULL);
	g_auto(GStrv) fields = fields_of(lines);
	SocketDef *def = socket_fields_read((const char *const *)fields, g_strv_length(fields));
	g_auto(GStrv) again = NULL;

	ck_assert_ptr_nonnull(def);
	ck_assert_uint_eq(def->listens->len, 1);
	again = socket_fields_new(g_ptr_array_index(def->listens, 0), def);
	ck_assert(g_strv_equal((const char *const *)fields, (const char *const *)again));
	socket_def_free(def);
}
END_TEST

START_TEST(each_option_changes_the_hash)
{
	g_autofree char *lines = g_strconcat(PATH, options[_i], NULL);
	g_autofree char *plain = hash_of(PATH);
	g_autofree char *other = hash_of(lines);

	ck_assert_str_ne(plain, other);
	ck_assert_uint_eq(strlen(plain), SOCKET_HASH_LENGTH);
}
END_TEST

START_TEST(kind_and_address_change_the_hash)
{
	g_autofree char *stream = hash_of(PATH);
	g_autofree char *datagram = hash_of("ListenDatagram=/run/x.sock\n");
	g_autofree char *elsewhere = hash_of("ListenStream=/run/y.sock\n");
	g_autofree char *again = hash_of(PATH);

	ck_assert_str_ne(stream, datagram);
	ck_assert_str_ne(stream, elsewhere);
	ck_assert_str_eq(stream, again);
}
END_TEST

START_TEST(what_a_port_does_not_have_does_not_change_its_hash)
{
	g_autofree char *plain = hash_of(PORT);
	g_autofree char *other =
		hash_of(PORT "SocketMode=0600\nSocketUser=7\nSocketGroup=7\nDirectoryMode=0700\n"
			     "RemoveOnStop=yes\n");

	ck_assert_str_eq(plain, other);
}
END_TEST

START_TEST(other_fields_are_no_definition)
{
	static const char *const bad[][3] = {
		{ "/run/x.sock" },
		{ "/run/x.sock", "torrent" },
		{ "run/x.sock", "stream" },
		{ "/run/x.sock", "stream", "mode" },
		{ "/run/x.sock", "stream", "mode=x" },
		{ "/run/x.sock", "stream", "no-delay=2" },
		{ "/run/x.sock", "stream", "colour=red" },
	};
	unsigned n = 0;

	while (n < 3 && bad[_i][n])
		n++;
	ck_assert_ptr_null(socket_fields_read(bad[_i], n));
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("socket fields");

	ADD_LOOP_AROUND(suite, "words", NULL, NULL, fields_are_read_back_as_the_same_definition,
			G_N_ELEMENTS(options));
	ADD_LOOP_AROUND(suite, "words", NULL, NULL, each_option_changes_the_hash,
			G_N_ELEMENTS(options));
	ADD_CASE(suite, "words", kind_and_address_change_the_hash,
		 what_a_port_does_not_have_does_not_change_its_hash);
	ADD_LOOP_AROUND(suite, "words", NULL, NULL, other_fields_are_no_definition, 7);
	return suite;
}
