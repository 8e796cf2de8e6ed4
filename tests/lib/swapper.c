/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "tests/lib/swapper.h"

#include <check.h>
#include <dirent.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

struct Swapper {
	char *own;
	char *victim;
	char *before; /* state of the victim at the start */
	volatile unsigned *n_done; /* shared with the child */
	pid_t pid;
};

static void append_stat(GString *text, const char *name, const struct stat *st, bool is_directory)
{
	g_string_append_printf(text, "%s: %o %u:%u %ld at %ld.%09ld\n", name, (unsigned)st->st_mode,
			       (unsigned)st->st_uid, (unsigned)st->st_gid,
			       is_directory ? 0L : (long)st->st_size, (long)st->st_mtim.tv_sec,
			       st->st_mtim.tv_nsec);
}

/* Names, kinds, modes, owners, and modification times; a new string. */
static char *describe(const char *directory)
{
	GString *text = g_string_new(NULL);
	DIR *dir = opendir(directory);
	const struct dirent *entry;
	struct stat st;

	ck_assert_ptr_nonnull(dir);
	while ((entry = readdir(dir))) {
		if (strcmp(entry->d_name, "..") == 0)
			continue;
		ck_assert_int_eq(fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW), 0);
		append_stat(text, entry->d_name, &st, S_ISDIR(st.st_mode));
	}
	(void)closedir(dir); /* was only read */
	return g_string_free(text, FALSE);
}

static void bind_unprivileged(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	g_strlcpy(address.sun_path, path, sizeof address.sun_path);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
	(void)close(fd); /* no listener */
}

static void make_scene(const Tree *tree, const Swapper *s)
{
	g_autofree char *link_path = g_strconcat(s->own, "/link", NULL);
	g_autofree char *real = g_strconcat(s->own, "/real", NULL);
	g_autofree char *fifo = g_strconcat(s->victim, "/fifo", NULL);
	g_autofree char *sock = g_strconcat(s->victim, "/socket", NULL);

	tree_write(tree, "/own/real/text", "mine");
	tree_write(tree, "/own/real/env", "X=mine\n");
	tree_write(tree, "/victim/text", "secret");
	tree_write(tree, "/victim/env", "X=secret\n");
	ck_assert_int_eq(mkfifo(fifo, 0600), 0);
	bind_unprivileged(sock);
	ck_assert_int_eq(symlink(s->victim, link_path), 0);
	ck_assert_int_eq(chmod(tree->root, 0755), 0);
	ck_assert_int_eq(chmod(s->victim, 0700), 0);
	ck_assert_int_eq(chown(s->own, SWAPPER_UID, SWAPPER_UID), 0);
	ck_assert_int_eq(chown(real, SWAPPER_UID, SWAPPER_UID), 0);
	ck_assert_int_eq(lchown(link_path, SWAPPER_UID, SWAPPER_UID), 0);
}

static void __attribute__((noreturn)) swap_for_ever(const Swapper *s)
{
	const int fd = open(s->own, O_PATH | O_DIRECTORY | O_CLOEXEC);

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (fd < 0 || setresgid(SWAPPER_UID, SWAPPER_UID, SWAPPER_UID) < 0 ||
	    setresuid(SWAPPER_UID, SWAPPER_UID, SWAPPER_UID) < 0)
		_exit(1);
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL); /* a change of uid has cleared it */
	for (;;) {
		if (syscall(SYS_renameat2, fd, "real", fd, "link", RENAME_EXCHANGE) == 0)
			++*s->n_done;
	}
}

Swapper *swapper_new(const Tree *tree)
{
	Swapper *s = g_new0(Swapper, 1);

	s->own = tree_path(tree, "/own");
	s->victim = tree_path(tree, "/victim");
	make_scene(tree, s);
	s->before = describe(s->victim);
	s->n_done = mmap(NULL, sizeof *s->n_done, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne((void *)s->n_done, MAP_FAILED);
	s->pid = fork();
	ck_assert_int_ge(s->pid, 0);
	if (s->pid == 0)
		swap_for_ever(s);
	while (*s->n_done == 0) /* on a busy machine the test could end before the swapper starts */
		(void)sched_yield();
	return s;
}

char *swapper_path(const Swapper *swapper, const char *name)
{
	return g_strdup_printf("%s/real/%s", swapper->own, name);
}

void swapper_end(Swapper *s)
{
	g_autofree char *after = NULL;

	ck_assert_int_eq(kill(s->pid, SIGKILL), 0);
	ck_assert_int_eq(waitpid(s->pid, NULL, 0), s->pid);
	after = describe(s->victim);
	ck_assert_str_eq(after, s->before);
	ck_assert_uint_gt(*s->n_done, 0);
	(void)munmap((void *)s->n_done, sizeof *s->n_done); /* this process's own mapping */
	g_free(s->own);
	g_free(s->victim);
	g_free(s->before);
	g_free(s);
}
