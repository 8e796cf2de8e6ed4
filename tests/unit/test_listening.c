/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Listening: sockets and fifos from their definition, and obstacles. Runs with and without root;
 * the tests of owners need root.
 */
#include "config.h"

#include <check.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/fd.h"
#include "process/listening.h"
#include "tests/lib/scratch.h"
#include "tests/lib/suite.h"
#include "tests/lib/swapper.h"
#include "tests/lib/tree.h"

static char *directory;
static SocketDef *def;

static void setup(void)
{
	directory = scratch_new();
	def = socket_def_new();
}

static void teardown(void)
{
	g_clear_pointer(&directory, scratch_free);
	g_clear_pointer(&def, socket_def_free);
}

/* @address: "%s" is replaced by the directory. */
static const Listen *define(ListenKind kind, const char *address)
{
	g_auto(GStrv) parts = g_strsplit(address, "%s", 2);
	g_autofree char *text = g_strjoinv(directory, parts);

	ck_assert_ptr_null(socket_def_add(def, kind, text, (Origin){ 0 }));
	return g_ptr_array_index(def->listens, def->listens->len - 1);
}

static const ListenOwner *me(void)
{
	static ListenOwner owner;

	owner = (ListenOwner){ .uid = geteuid(), .gid = getegid() };
	return &owner;
}

static int open_good(const Listen *listen)
{
	g_autoptr(GError) error = NULL;
	const int fd = listening_open(listen, def, me(), &error);

	ck_assert_msg(fd >= 0, "%s", error ? error->message : "?");
	return fd;
}

static char *open_bad(const Listen *listen)
{
	g_autoptr(GError) error = NULL;

	ck_assert_int_eq(listening_open(listen, def, me(), &error), -1);
	return g_strdup(error->message);
}

static unsigned mode_of(const char *path)
{
	struct stat st;

	ck_assert_int_eq(lstat(path, &st), 0);
	return st.st_mode & 07777;
}

static int connect_to(const char *path, int type)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	const int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);

	g_strlcpy(address.sun_path, path, sizeof(address.sun_path));
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0)
		return fd;
	(void)close(fd);
	return -1;
}

static const struct {
	ListenKind kind;
	int type;
} unix_kinds[] = { { LISTEN_STREAM, SOCK_STREAM },
		   { LISTEN_DATAGRAM, SOCK_DGRAM },
		   { LISTEN_SEQPACKET, SOCK_SEQPACKET } };

START_TEST(a_socket_with_a_path_takes_clients_and_blocks_nobody)
{
	const Listen *listen = define(unix_kinds[_i].kind, "%s/a/b/x.sock");
	auto_fd int fd = -1;
	auto_fd int client = -1;

	def->mode = 0640;
	def->directory_mode = 0710;
	fd = open_good(listen);
	client = connect_to(listen->text, unix_kinds[_i].type);
	ck_assert_int_ge(client, 0);
	ck_assert_uint_eq(mode_of(listen->text), 0640);
	ck_assert(fcntl(fd, F_GETFL) & O_NONBLOCK);
	ck_assert(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	ck_assert(listening_is_intact(fd, listen));
}
END_TEST

START_TEST(directories_on_the_way_get_their_mode)
{
	const Listen *listen = define(LISTEN_STREAM, "%s/a/b/x.sock");
	g_autofree char *middle = g_build_filename(directory, "a", NULL);
	auto_fd int fd = -1;

	def->directory_mode = 0710;
	fd = open_good(listen);
	ck_assert_uint_eq(mode_of(middle), 0710);
}
END_TEST

START_TEST(the_umask_is_what_it_was)
{
	const mode_t old = umask(027);
	auto_fd int fd = open_good(define(LISTEN_STREAM, "%s/d/x.sock"));
	auto_fd int fifo = open_good(define(LISTEN_FIFO, "%s/e/x.fifo"));

	ck_assert_uint_eq(umask(old), 027);
	ck_assert_int_ge(MIN(fd, fifo), 0);
}
END_TEST

START_TEST(what_a_dead_program_left_is_replaced)
{
	const Listen *listen = define(LISTEN_STREAM, "%s/x.sock");
	int dead = open_good(listen);
	auto_fd int fd = -1;

	(void)close(dead);
	ck_assert_int_eq(connect_to(listen->text, SOCK_STREAM), -1);
	fd = open_good(listen);
	ck_assert(listening_is_intact(fd, listen));
}
END_TEST

START_TEST(what_lives_there_is_not_replaced)
{
	const Listen *stream = define(LISTEN_STREAM, "%s/x.sock");
	auto_fd int fd = open_good(stream);
	auto_fd int client = -1;
	g_autofree char *problem = open_bad(stream);

	ck_assert_ptr_nonnull(strstr(
		problem, "/x.sock: the address is in use; `ss -lnptux` shows by which program"));
	client = connect_to(stream->text, SOCK_STREAM);
	ck_assert_int_ge(client, 0);
	ck_assert_int_ge(fd, 0);
}
END_TEST

START_TEST(another_file_is_never_replaced)
{
	const Listen *listen = define(unix_kinds[_i].kind, "%s/x");
	g_autofree char *problem = NULL;
	g_autofree char *left = NULL;

	ck_assert(g_file_set_contents(listen->text, "precious", -1, NULL));
	problem = open_bad(listen);
	ck_assert_ptr_nonnull(strstr(problem, "the path exists and is not a socket; remove it"));
	ck_assert(g_file_get_contents(listen->text, &left, NULL, NULL));
	ck_assert_str_eq(left, "precious");
}
END_TEST

START_TEST(no_link_is_followed)
{
	const Listen *sock = define(LISTEN_STREAM, "%s/x");
	const Listen *fifo = define(LISTEN_FIFO, "%s/f");
	g_autofree char *target = g_build_filename(directory, "target", NULL);
	g_autofree char *first = NULL;
	g_autofree char *second = NULL;

	ck_assert_int_eq(mkfifo(target, 0600), 0);
	ck_assert_int_eq(symlink(target, sock->text), 0);
	ck_assert_int_eq(symlink(target, fifo->text), 0);
	first = open_bad(sock);
	second = open_bad(fifo);
	ck_assert_ptr_nonnull(strstr(first, "not a socket; remove it"));
	ck_assert_ptr_nonnull(strstr(second, "not a fifo; remove it"));
	ck_assert_uint_eq(mode_of(target), 0600);
}
END_TEST

START_TEST(a_fifo_has_its_mode_and_keeps_what_is_written)
{
	const Listen *listen = define(LISTEN_FIFO, "%s/a/x.fifo");
	auto_fd int fd = -1;
	auto_fd int again = -1;
	char word[8] = { 0 };
	int writer;

	def->mode = 0622;
	fd = open_good(listen);
	ck_assert_uint_eq(mode_of(listen->text), 0622);
	writer = open(listen->text, O_WRONLY | O_CLOEXEC);
	ck_assert_int_eq(write(writer, "hello", 5), 5);
	(void)close(writer);

	/* An existing fifo is used, with its content. */
	again = open_good(listen);
	ck_assert_int_eq(read(again, word, sizeof(word)), 5);
	ck_assert(listening_is_intact(fd, listen));
	ck_assert(listening_is_intact(again, listen));
}
END_TEST

START_TEST(a_socket_whose_file_was_removed_or_replaced_is_not_intact)
{
	const Listen *sock = define(LISTEN_STREAM, "%s/x.sock");
	const Listen *fifo = define(LISTEN_FIFO, "%s/x.fifo");
	auto_fd int a = open_good(sock);
	auto_fd int b = open_good(fifo);
	auto_fd int other = -1;

	ck_assert_int_eq(unlink(sock->text), 0);
	ck_assert_int_eq(unlink(fifo->text), 0);
	ck_assert(!listening_is_intact(a, sock));
	ck_assert(!listening_is_intact(b, fifo));
	other = open_good(sock);
	ck_assert(listening_is_intact(other, sock));
	if (geteuid() == 0) /* for others the kernel hides the owner */
		ck_assert(!listening_is_intact(a, sock));
	listening_remove_file(b, sock->text);
	ck_assert_int_eq(access(sock->text, F_OK), 0);
	listening_remove_file(other, sock->text);
	ck_assert_int_ne(access(sock->text, F_OK), 0);
}
END_TEST

START_TEST(a_socket_of_another_kind_or_address_is_not_intact)
{
	const Listen *stream = define(LISTEN_STREAM, "%s/x.sock");
	auto_fd int fd = open_good(stream);
	Listen other = *stream;

	other.kind = LISTEN_SEQPACKET;
	ck_assert(!listening_is_intact(fd, &other));
	other = *stream;
	other.family = LISTEN_FAMILY_ABSTRACT;
	ck_assert(!listening_is_intact(fd, &other));
	ck_assert(!listening_is_intact(fd, define(LISTEN_STREAM, "%s/y.sock")));
	ck_assert(!listening_is_intact(fd, define(LISTEN_STREAM, "8080")));
	ck_assert(!listening_is_intact(fd, define(LISTEN_FIFO, "%s/z")));
}
END_TEST

START_TEST(an_abstract_name_is_bound)
{
	g_autofree char *name = g_strdup_printf("@listening-%d", (int)getpid());
	const Listen *listen = define(LISTEN_STREAM, name);
	auto_fd int fd = open_good(listen);
	g_autofree char *problem = open_bad(listen);
	g_autofree char *path = listening_path(fd);

	ck_assert(listening_is_intact(fd, listen));
	ck_assert_ptr_null(path);
	ck_assert_ptr_nonnull(strstr(problem, "the address is in use"));
}
END_TEST

/* A port that is free on all addresses at the moment. */
static char *free_port(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET };
	socklen_t length = sizeof(address);
	auto_fd int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	ck_assert_int_eq(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&address, &length), 0);
	return g_strdup_printf("%u", ntohs(address.sin_port));
}

static int option(int fd, int level, int name)
{
	int value = 0;
	socklen_t length = sizeof(value);

	ck_assert_int_eq(getsockopt(fd, level, name, &value, &length), 0);
	return value;
}

START_TEST(a_port_is_bound_with_its_options)
{
	g_autofree char *port = free_port();
	g_autofree char *address = g_strdup_printf("127.0.0.1:%s", port);
	const Listen *listen = define(LISTEN_STREAM, address);
	auto_fd int fd = -1;

	def->keep_alive = true;
	def->no_delay = true;
	def->reuse_port = true;
	def->free_bind = true;
	fd = open_good(listen);
	ck_assert_int_ne(option(fd, SOL_SOCKET, SO_ACCEPTCONN), 0);
	ck_assert_int_ne(option(fd, SOL_SOCKET, SO_KEEPALIVE), 0);
	ck_assert_int_ne(option(fd, IPPROTO_TCP, TCP_NODELAY), 0);
	ck_assert_int_ne(option(fd, SOL_SOCKET, SO_REUSEPORT), 0);
	ck_assert(listening_is_intact(fd, listen));
}
END_TEST

START_TEST(a_port_alone_is_on_all_addresses)
{
	g_autofree char *port = free_port();
	const Listen *listen = define(LISTEN_STREAM, port);
	auto_fd int fd = open_good(listen);
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_port = htons(listen->port),
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	auto_fd int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	ck_assert(listening_is_intact(fd, listen));
	ck_assert_int_eq(connect(client, (struct sockaddr *)&address, sizeof(address)), 0);
}
END_TEST

static void *close_soon(void *fd)
{
	g_usleep(LISTENING_PATIENCE_US / 10);
	(void)close(GPOINTER_TO_INT(fd));
	return NULL;
}

START_TEST(an_address_that_is_about_to_be_free_is_waited_for)
{
	g_autofree char *port = free_port();
	g_autofree char *name = g_strdup_printf("@listening-soon-%d", (int)getpid());
	const char *const addresses[] = { port, name, "%s/soon.sock" };
	const Listen *listen = define(LISTEN_STREAM, addresses[_i]);
	GThread *closer = g_thread_new("closer", close_soon, GINT_TO_POINTER(open_good(listen)));
	auto_fd int fd = open_good(listen);

	(void)g_thread_join(closer);
	ck_assert(listening_is_intact(fd, listen));
}
END_TEST

START_TEST(a_socket_that_its_service_has_shut_down_is_not_intact)
{
	g_autofree char *port = free_port();
	const Listen *listen = define(LISTEN_STREAM, port);
	auto_fd int fd = open_good(listen);
	auto_fd int again = -1;

	ck_assert_int_eq(shutdown(fd, SHUT_RDWR), 0);
	ck_assert(!listening_is_intact(fd, listen));
	again = open_good(listen);
	ck_assert(listening_is_intact(again, listen));
}
END_TEST

START_TEST(the_owner_is_set)
{
	const ListenOwner owner = { .uid = 65534, .gid = 3 };
	const Listen *listen = define(_i ? LISTEN_FIFO : LISTEN_STREAM, "%s/x");
	g_autoptr(GError) error = NULL;
	auto_fd int fd = -1;
	struct stat st;

	if (geteuid() != 0)
		return;
	def->mode = 0660;
	fd = listening_open(listen, def, &owner, &error);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(lstat(listen->text, &st), 0);
	ck_assert_uint_eq(st.st_uid, 65534);
	ck_assert_uint_eq(st.st_gid, 3);
	ck_assert_uint_eq(st.st_mode & 07777, 0660);
}
END_TEST

/* --- in a directory that its owner replaces --- */

#define RACES 1500

static void count_one(ListenKind kind, const char *path, const ListenOwner *owner, unsigned *n_open)
{
	g_autoptr(GError) error = NULL;
	SocketDef *socket_def = socket_def_new();
	auto_fd int fd = -1;

	ck_assert_ptr_null(socket_def_add(socket_def, kind, path, (Origin){ 0 }));
	fd = listening_open(g_ptr_array_index(socket_def->listens, 0), socket_def, owner, &error);
	if (fd >= 0)
		listening_remove_file(fd, path);
	*n_open += fd >= 0;
	socket_def_free(socket_def);
}

START_TEST(nothing_is_made_removed_or_given_away_where_others_lead_it)
{
	g_autoptr(Tree) tree = tree_new();
	Swapper *swapper = swapper_new(tree);
	g_autofree char *fresh = swapper_path(swapper, "fresh");
	g_autofree char *there = swapper_path(swapper, "socket");
	g_autofree char *fifo = swapper_path(swapper, "fifo");
	const ListenOwner owner = { .uid = SWAPPER_UID, .gid = SWAPPER_UID };
	unsigned n_open = 0;

	for (unsigned i = 0; i < RACES; i++) {
		count_one(LISTEN_STREAM, fresh, &owner, &n_open);
		count_one(LISTEN_DATAGRAM, there, &owner, &n_open);
		count_one(LISTEN_FIFO, fifo, &owner, &n_open);
	}
	swapper_end(swapper);

	ck_assert_uint_gt(n_open, 0);
	ck_assert_uint_lt(n_open, 3 * RACES);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("listening");

	ADD_CASE_AROUND(suite, "paths", setup, teardown, directories_on_the_way_get_their_mode,
			the_umask_is_what_it_was, what_a_dead_program_left_is_replaced,
			what_lives_there_is_not_replaced, no_link_is_followed,
			a_fifo_has_its_mode_and_keeps_what_is_written,
			a_socket_whose_file_was_removed_or_replaced_is_not_intact,
			a_socket_of_another_kind_or_address_is_not_intact);
	ADD_LOOP_AROUND(suite, "paths", setup, teardown,
			a_socket_with_a_path_takes_clients_and_blocks_nobody,
			G_N_ELEMENTS(unix_kinds));
	ADD_LOOP_AROUND(suite, "paths", setup, teardown, another_file_is_never_replaced,
			G_N_ELEMENTS(unix_kinds));
	ADD_LOOP_AROUND(suite, "paths", setup, teardown, the_owner_is_set, 2);
	ADD_CASE_AROUND(suite, "network", setup, teardown, an_abstract_name_is_bound,
			a_port_is_bound_with_its_options, a_port_alone_is_on_all_addresses,
			a_socket_that_its_service_has_shut_down_is_not_intact);
	ADD_LOOP_AROUND(suite, "network", setup, teardown,
			an_address_that_is_about_to_be_free_is_waited_for, 3);
	if (geteuid() == 0) /* only root can change owners */
		ADD_CASE(suite, "exchanged",
			 nothing_is_made_removed_or_given_away_where_others_lead_it);
	return suite;
}
