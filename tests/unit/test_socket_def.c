/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Socket definition: the meaning of [Socket] sections, and the diagnostics of invalid sections.
 */
#include "config.h"

#include <arpa/inet.h>
#include <check.h>

#include "base/limits.h"
#include "tests/lib/diags.h"
#include "tests/lib/suite.h"

#define DAEMON "[Service]\nExec=/bin/x\n"

static ServiceDef *parse_socket(const char *lines)
{
	g_autofree char *text = g_strconcat("[Socket]\n", lines, NULL);

	return parse_good_lines(text);
}

static const Listen *listen_at(const ServiceDef *def, guint index)
{
	ck_assert_uint_lt(index, service_def_n_sockets(def));
	return g_ptr_array_index(def->socket->listens, index);
}

START_TEST(without_the_section_a_service_has_no_sockets)
{
	g_autoptr(DiagList) diags = diag_list_new();
	g_autoptr(ServiceDef) def = parse_text("x", DAEMON, diags);

	ck_assert_ptr_null(def->socket);
	ck_assert_uint_eq(service_def_n_sockets(def), 0);
}
END_TEST

START_TEST(one_line_has_the_documented_defaults)
{
	g_autoptr(ServiceDef) def = parse_socket("ListenStream=/run/x.sock\n");
	const SocketDef *socket = def->socket;
	g_autofree char *name = socket_def_name(socket, 0, "x");

	ck_assert_uint_eq(socket->mode, 0666);
	ck_assert_uint_eq(socket->directory_mode, 0755);
	ck_assert_uint_eq(socket->backlog, 4096);
	ck_assert_uint_eq(socket->trigger_limit, 20);
	ck_assert_int_eq(socket->trigger_window_us, 10 * G_USEC_PER_SEC);
	ck_assert_ptr_null(socket->user);
	ck_assert_ptr_null(socket->group);
	ck_assert(!socket->remove_on_stop && !socket->keep_alive && !socket->no_delay &&
		  !socket->free_bind);
	ck_assert(!socket->reuse_port && !socket->pass_credentials);
	ck_assert_int_eq(socket->ipv6_only, IPV6_ONLY_DEFAULT);
	ck_assert_str_eq(name, "x.socket");
}
END_TEST

START_TEST(every_key_reaches_its_field)
{
	g_autoptr(ServiceDef) def = parse_socket(
		"ListenStream=80\nSocketUser=www\nSocketGroup=33\nSocketMode=0600\n"
		"DirectoryMode=0700\nBacklog=7\n"
		"FileDescriptorName=http\nRemoveOnStop=yes\nKeepAlive=yes\nNoDelay=yes\n"
		"FreeBind=yes\nReusePort=yes\n"
		"BindIPv6Only=ipv6-only\nPassCredentials=yes\nReceiveBuffer=64K\nSendBuffer=1M\n"
		"TriggerLimit=3/1min\n"
		"Accept=no\n");
	const SocketDef *socket = def->socket;

	ck_assert_str_eq(socket->user, "www");
	ck_assert_str_eq(socket->group, "33");
	ck_assert_uint_eq(socket->mode, 0600);
	ck_assert_uint_eq(socket->directory_mode, 0700);
	ck_assert_uint_eq(socket->backlog, 7);
	ck_assert_str_eq(g_ptr_array_index(socket->names, 0), "http");
	ck_assert(socket->remove_on_stop && socket->keep_alive && socket->no_delay &&
		  socket->free_bind);
	ck_assert(socket->reuse_port && socket->pass_credentials);
	ck_assert_int_eq(socket->ipv6_only, IPV6_ONLY_ONLY);
	ck_assert_uint_eq(socket->receive_buffer, 65536);
	ck_assert_uint_eq(socket->send_buffer, 1048576);
	ck_assert_uint_eq(socket->trigger_limit, 3);
	ck_assert_int_eq(socket->trigger_window_us, 60 * G_USEC_PER_SEC);
}
END_TEST

static const struct {
	const char *line;
	ListenKind kind;
	ListenFamily family;
	const char *ip; /* NULL: none */
	unsigned port;
} addresses[] = {
	{ "ListenStream=/run/x.sock", LISTEN_STREAM, LISTEN_FAMILY_PATH, NULL, 0 },
	{ "ListenDatagram=/dev/log", LISTEN_DATAGRAM, LISTEN_FAMILY_PATH, NULL, 0 },
	{ "ListenSequentialPacket=@x y", LISTEN_SEQPACKET, LISTEN_FAMILY_ABSTRACT, NULL, 0 },
	{ "ListenFIFO=/run/x.fifo", LISTEN_FIFO, LISTEN_FAMILY_PATH, NULL, 0 },
	{ "ListenStream=80", LISTEN_STREAM, LISTEN_FAMILY_ANY, NULL, 80 },
	{ "ListenDatagram=127.0.0.1:53", LISTEN_DATAGRAM, LISTEN_FAMILY_IPV4, "127.0.0.1", 53 },
	{ "ListenStream=[::1]:65535", LISTEN_STREAM, LISTEN_FAMILY_IPV6, "::1", 65535 },
	{ "ListenStream=[::]:22", LISTEN_STREAM, LISTEN_FAMILY_IPV6, "::", 22 },
};

START_TEST(an_address_has_five_forms)
{
	g_autofree char *text = g_strconcat(addresses[_i].line, "\n", NULL);
	g_autoptr(ServiceDef) def = parse_socket(text);
	const Listen *listen = listen_at(def, 0);
	char ip[INET6_ADDRSTRLEN] = "";

	ck_assert_int_eq(listen->kind, addresses[_i].kind);
	ck_assert_int_eq(listen->family, addresses[_i].family);
	ck_assert_str_eq(listen->text, strchr(addresses[_i].line, '=') + 1);
	ck_assert_uint_eq(listen->port, addresses[_i].port);
	ck_assert(listen_is_network(listen) == (listen->port > 0));
	if (!addresses[_i].ip)
		return;
	inet_ntop(listen->family == LISTEN_FAMILY_IPV6 ? AF_INET6 : AF_INET, listen->ip, ip,
		  sizeof(ip));
	ck_assert_str_eq(ip, addresses[_i].ip);
}
END_TEST

#define FORMS "write /PATH, @NAME, PORT, IPV4:PORT or [IPV6]:PORT"

static const struct {
	const char *line;
	const char *complaint; /* after "x.svc:4: " */
	/* clang-format off */
} mistakes[] = {
	{ "ListenStream=0", "ListenStream=0: \"0\" is not a port; write a number from 1 to 65535" },
	{ "ListenStream=65536", "ListenStream=65536: \"65536\" is not a port; write a number from 1 to 65535" },
	{ "ListenStream=http", "ListenStream=http: \"http\" is not an address; " FORMS },
	{ "ListenStream=localhost:80", "ListenStream=localhost:80: \"localhost\" is not a numeric address, and names are not looked "
				       "up; " FORMS },
	{ "ListenStream=::1:80", "ListenStream=::1:80: write an IPv6 address in brackets: [ADDRESS]:PORT" },
	{ "ListenStream=[::1]", "ListenStream=[::1]: the port is missing; write [ADDRESS]:PORT" },
	{ "ListenStream=[::1]:", "ListenStream=[::1]:: \"\" is not a port; write a number from 1 to 65535" },
	{ "ListenStream=[fe80::1%eth0]:80", "ListenStream=[fe80::1%eth0]:80: an address with an interface (\"%eth0\") is not "
					    "supported; write [::]:PORT" },
	{ "ListenStream=1.2.3:80", "ListenStream=1.2.3:80: \"1.2.3\" is not a numeric address, and names are not looked up; " FORMS },
	{ "ListenStream=/run/", "ListenStream=/run/: this is not the path of a socket; write it without \"..\" and without a \"/\" at its "
				"end" },
	{ "ListenStream=/run/../x", "ListenStream=/run/../x: this is not the path of a socket; write it without \"..\" and without a "
				    "\"/\" at its end" },
	{ "ListenStream=@", "ListenStream=@: an abstract name has from 1 to 107 bytes (unix(7))" },
	{ "ListenFIFO=@x", "ListenFIFO=@x: a fifo needs an absolute path" },
	{ "ListenSequentialPacket=80", "ListenSequentialPacket=80: a sequential-packet socket needs a path or an @NAME" },
	{ "ListenStream=80\nListenStream=80", "ListenStream=80: line 4 has this address already" },
	{ "ListenStream=/x\nListenDatagram=/x", "ListenDatagram=/x: line 4 has this address already" },
	{ "Accept=yes", "Accept=yes: a process for each connection is not supported; let the service accept its connections itself, or "
			"use inetd" },
	{ "SocketMode=888", "SocketMode=888: write an octal mode such as 0660" },
	{ "SocketMode=4755", "SocketMode=4755: write an octal mode such as 0660" },
	{ "SocketUser=a b", "SocketUser=a b: \"a b\" is not the name of an account" },
	{ "Backlog=0", "Backlog=0: write a number above 0" },
	{ "FileDescriptorName=a:b", "FileDescriptorName=a:b: \"a:b\" is not the name of a socket; write up to 255 bytes without a colon" },
	{ "BindIPv6Only=no", "BindIPv6Only=no: \"no\" is not one of default, both, ipv6-only" },
	{ "ReceiveBuffer=big", "ReceiveBuffer=big: write a size such as 64K or 8M" },
	{ "TriggerLimit=5", "TriggerLimit=5: write STARTS/TIME, such as 5/10s" },
	{ "ListenNetlink=kobject", "unknown key ListenNetlink=: the service must open its netlink sockets itself" },
	{ "TriggerLimitBurst=3", "unknown key TriggerLimitBurst=: write TriggerLimit=STARTS/TIME" },
	{ "Exec=/bin/y", "Exec= belongs in [Service], not in [Socket]" },
};
/* clang-format on */

START_TEST(an_error_is_reported_with_the_valid_form)
{
	g_autofree char *text = g_strconcat(DAEMON "[Socket]\n", mistakes[_i].line, "\n", NULL);
	const unsigned line = strchr(mistakes[_i].line, '\n') ? 5 : 4;
	g_autofree char *expected = g_strdup_printf("x.svc:%u: %s\n", line, mistakes[_i].complaint);
	g_autoptr(DiagList) diags = diag_list_new();
	g_autoptr(ServiceDef) def = parse_text("x", text, diags);

	expect_diags(diags, expected);
	ck_assert_ptr_nonnull(def->problem);
}
END_TEST

static const struct {
	const char *text;
	const char *complaint;
	/* clang-format off */
} contradictions[] = {
	{ DAEMON "[Socket]\nBacklog=3\n", "x.svc:4: [Socket] sets no address to listen on; write ListenStream=, ListenDatagram=, "
					  "ListenSequentialPacket= or ListenFIFO=\n" },
	{ "[Service]\nType=task\nExec=/bin/x\n[Socket]\nListenStream=80\n",
	  "x.svc:5: only a daemon can have sockets, and this is a task\n" },
	{ "[Service]\nType=group\n[Socket]\nListenStream=80\n", "x.svc:4: only a daemon can have sockets, and this is a group\n" },
	{ DAEMON "[Socket]\nListenStream=80\nListenStream=81\nListenStream=82\nFileDescriptorName=a b\n",
	  "x.svc:7: FileDescriptorName= has 2 names for 3 sockets; write one for all, or one for each\n" },
	{ DAEMON "Ready=fd:4\n[Socket]\nListenStream=80\nListenStream=81\n",
	  "x.svc:3: Ready=fd:4 is the descriptor of a socket; the sockets have 3 to 4, so write fd:5 or higher\n" },
};
/* clang-format on */

START_TEST(conflicting_keys_are_reported)
{
	g_autoptr(DiagList) diags = diag_list_new();
	g_autoptr(ServiceDef) def = parse_text("x", contradictions[_i].text, diags);

	expect_diags(diags, contradictions[_i].complaint);
}
END_TEST

START_TEST(a_path_has_at_most_107_bytes_and_a_fifo_may_be_longer)
{
	g_autofree char *name = g_strnfill(106, 'a');
	g_autofree char *fits = g_strdup_printf("ListenStream=/%s\nListenFIFO=/%sb\n", name, name);
	g_autofree char *too_long = g_strdup_printf(DAEMON "[Socket]\nListenStream=/%sb\n", name);
	g_autoptr(DiagList) diags = diag_list_new();
	g_autoptr(ServiceDef) good = parse_socket(fits);
	g_autoptr(ServiceDef) bad = parse_text("x", too_long, diags);

	ck_assert_uint_eq(service_def_n_sockets(good), 2);
	ck_assert_ptr_nonnull(
		strstr(bad->problem, "the path of a socket has at most 107 bytes (unix(7))"));
}
END_TEST

START_TEST(a_service_has_at_most_32_sockets)
{
	g_autoptr(GString) text = g_string_new(DAEMON "[Socket]\n");
	g_autoptr(DiagList) diags = diag_list_new();
	g_autoptr(ServiceDef) def = NULL;

	for (int i = 0; i <= LIMIT_SOCKETS; i++)
		g_string_append_printf(text, "ListenStream=%d\n", 1000 + i);
	def = parse_text("x", text->str, diags);
	expect_diags(diags, "x.svc:36: ListenStream=1032: there are more than 32 sockets\n");
}
END_TEST

START_TEST(sockets_have_one_name_each_or_one_for_all)
{
	g_autoptr(ServiceDef) each =
		parse_socket("ListenStream=80\nListenStream=443\nFileDescriptorName=http https\n");
	g_autoptr(ServiceDef)
		all = parse_socket("ListenStream=80\nListenStream=443\nFileDescriptorName=web\n");
	g_autofree char *second = socket_def_name(each->socket, 1, "x");
	g_autofree char *common = socket_def_name(all->socket, 1, "x");

	ck_assert_str_eq(second, "https");
	ck_assert_str_eq(common, "web");
}
END_TEST

START_TEST(an_empty_value_in_a_drop_in_takes_the_addresses_back)
{
	const char *text = DAEMON "[Socket]\nListenStream=80\nBacklog=3\n";
	const char *drop_in = "[Socket]\nListenStream=\nListenStream=/run/x.sock\n";
	const SourceText sources[] = {
		{ .file = "x.svc", .text = text, .length = strlen(text) },
		{ .file = "x.conf", .text = drop_in, .length = strlen(drop_in) },
	};
	g_autoptr(DiagList) diags = diag_list_new();
	g_autoptr(ServiceDef) def = service_parse("x", sources, G_N_ELEMENTS(sources), diags);

	expect_diags(diags, "");
	ck_assert_uint_eq(service_def_n_sockets(def), 1);
	ck_assert_str_eq(listen_at(def, 0)->text, "/run/x.sock");
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("socket-def");

	suite_add_loop(suite, "good", an_address_has_five_forms, G_N_ELEMENTS(addresses));
	ADD_CASE(suite, "good", without_the_section_a_service_has_no_sockets,
		 one_line_has_the_documented_defaults, every_key_reaches_its_field,
		 sockets_have_one_name_each_or_one_for_all,
		 an_empty_value_in_a_drop_in_takes_the_addresses_back);
	suite_add_loop(suite, "bad", an_error_is_reported_with_the_valid_form,
		       G_N_ELEMENTS(mistakes));
	suite_add_loop(suite, "bad", conflicting_keys_are_reported, G_N_ELEMENTS(contradictions));
	ADD_CASE(suite, "bad", a_path_has_at_most_107_bytes_and_a_fifo_may_be_longer,
		 a_service_has_at_most_32_sockets);
	return suite;
}
