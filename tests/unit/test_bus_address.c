/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The address of a session's bus, from the environment of the session.
 */
#include "config.h"

#include <check.h>
#include <string.h>

#include "loop/bus-address.h"
#include "tests/lib/suite.h"

static const struct {
	const char *text;
	const char *path; /* an abstract name begins with @; NULL: unusable address */
} addresses[] = {
	{ "unix:path=/run/user/1000/bus", "/run/user/1000/bus" },
	{ "unix:path=/tmp/dbus-xyz,guid=0123456789abcdef0123456789abcdef", "/tmp/dbus-xyz" },
	{ "unix:guid=00,path=/tmp/a%20b%2c", "/tmp/a b," },
	{ "unix:abstract=/tmp/dbus-xyz,guid=00", "@/tmp/dbus-xyz" },
	{ "tcp:host=localhost,port=1;unix:path=/b;unix:path=/c", "/b" },
	{ "tcp:host=localhost,port=1", NULL },
	{ "autolaunch:", NULL },
	{ "unix:path=relative", NULL },
	{ "unix:path=%zz", NULL },
	{ "unix:pathological=/x", NULL },
	{ "unix:", NULL },
	{ "", NULL },
};

START_TEST(an_address_is_a_local_socket_or_refused)
{
	g_autoptr(GError) error = NULL;
	BusAddress address;
	const char *path = addresses[_i].path;

	ck_assert_int_eq(bus_address_parse(addresses[_i].text, &address, &error), path != NULL);
	ck_assert_int_eq(error != NULL, path == NULL);
	if (!path)
		return;
	ck_assert_int_eq(address.is_abstract, *path == '@');
	if (address.is_abstract) {
		ck_assert_int_eq(address.socket.sun_path[0], 0);
		ck_assert_uint_eq(address.length,
				  offsetof(struct sockaddr_un, sun_path) + strlen(path));
		ck_assert_int_eq(memcmp(address.socket.sun_path + 1, path + 1, strlen(path) - 1),
				 0);
	} else {
		ck_assert_str_eq(address.socket.sun_path, path);
	}
}
END_TEST

START_TEST(an_overlong_address_is_refused)
{
	g_autofree char *name = g_strnfill(sizeof((struct sockaddr_un){ 0 }).sun_path, 'a');
	g_autofree char *path = g_strdup_printf("unix:path=/%s", name);
	g_autofree char *abstract = g_strdup_printf("unix:abstract=%s", name);
	g_autoptr(GError) error = NULL;
	BusAddress address;

	ck_assert(!bus_address_parse(path, &address, &error));
	ck_assert(strstr(error->message, "is too long for the path of a socket"));
	ck_assert(!bus_address_parse(abstract, &address, NULL));
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("bus-address");

	suite_add_loop(suite, "text", an_address_is_a_local_socket_or_refused,
		       G_N_ELEMENTS(addresses));
	ADD_CASE(suite, "length", an_overlong_address_is_refused);
	return suite;
}
