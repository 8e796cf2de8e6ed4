/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * User manager: see user-manager.h.
 */
#include "config.h"

#include "svc-session/user-manager.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <pwd.h>
#include <security/pam_appl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "svc-session/cgroup.h"
#include "svc-session/user-namespace.h"

#define PROGRAM "/lib/systemd/systemd"
#define SERVICE "systemd-user"
#define SEARCH_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

enum { MESSAGE_BYTES = 4096, ADDRESS_BYTES = 128 };

typedef struct Manager {
	const struct passwd *user;
	pam_handle_t *pam;
	int notify; /* its socket for sd_notify(3) */
	char notify_address[ADDRESS_BYTES];
	int signals;
	pid_t pid;
	void (*on_ready)(void);
} Manager;

static int complain(const char *what, const char *reason)
{
	(void)fprintf(stderr, "svc-session: user manager: %s: %s\n", what, reason);
	return EXIT_FAILURE;
}

/* --- its environment --- */

/* An abstract address, because no user can remove it. Every process can send to it. */
static bool open_notify(Manager *manager)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	socklen_t length = sizeof address;
	const int on = 1;

	manager->notify = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	/* without a name the kernel chooses one (unix(7), autobind) */
	if (manager->notify < 0 ||
	    setsockopt(manager->notify, SOL_SOCKET, SO_PASSCRED, &on, sizeof on) < 0 ||
	    bind(manager->notify, (struct sockaddr *)&address, sizeof(sa_family_t)) < 0 ||
	    getsockname(manager->notify, (struct sockaddr *)&address, &length) < 0)
		return false;
	(void)snprintf(manager->notify_address, sizeof manager->notify_address, "@%.*s",
		       (int)(length - offsetof(struct sockaddr_un, sun_path) - 1),
		       address.sun_path + 1);
	return true;
}

/* No question of PAM can be answered. */
static int answer_nothing(int n, const struct pam_message **messages, struct pam_response **replies,
			  void *data)
{
	(void)n;
	(void)messages;
	(void)replies;
	(void)data;
	return PAM_CONV_ERR;
}

static bool open_session(Manager *manager)
{
	static const struct pam_conv conversation = { .conv = answer_nothing };
	int status = pam_start(SERVICE, manager->user->pw_name, &conversation, &manager->pam);

	if (status == PAM_SUCCESS)
		status = pam_acct_mgmt(manager->pam, PAM_SILENT);
	if (status == PAM_SUCCESS)
		status = pam_setcred(manager->pam, PAM_ESTABLISH_CRED | PAM_SILENT);
	if (status == PAM_SUCCESS)
		status = pam_open_session(manager->pam, PAM_SILENT);
	if (status == PAM_SUCCESS)
		return true;
	(void)complain("PAM service " SERVICE, pam_strerror(manager->pam, status));
	return false;
}

static void close_session(Manager *manager)
{
	const int status = pam_close_session(manager->pam, PAM_SILENT);

	(void)pam_setcred(manager->pam, PAM_DELETE_CRED | PAM_SILENT);
	(void)pam_end(manager->pam, status);
}

static bool set_environment(const Manager *manager)
{
	const struct passwd *user = manager->user;
	const char *language = getenv("LANG");
	char runtime[64];
	char **from_pam = pam_getenvlist(manager->pam);

	(void)snprintf(runtime, sizeof runtime, "/run/user/%u", user->pw_uid);
	(void)clearenv();
	if (setenv("HOME", user->pw_dir, 1) < 0 || setenv("USER", user->pw_name, 1) < 0 ||
	    setenv("LOGNAME", user->pw_name, 1) < 0 || setenv("SHELL", user->pw_shell, 1) < 0 ||
	    setenv("PATH", SEARCH_PATH, 1) < 0 || (language && setenv("LANG", language, 1) < 0) ||
	    setenv("XDG_RUNTIME_DIR", runtime, 1) < 0 ||
	    setenv("NOTIFY_SOCKET", manager->notify_address, 1) < 0)
		return false;
	for (char **variable = from_pam; variable && *variable; variable++)
		if (putenv(*variable) < 0)
			return false;
	(void)unsetenv("XDG_SESSION_ID"); /* the manager belongs to no session */
	return true;
}

/* --- the child --- */

/* OOMScoreAdjust=100 of user@.service */
static void adjust_oom_score(void)
{
	const int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd >= 0 && write(fd, "100", 3) < 0)
		(void)complain("OOM score", strerror(errno));
	if (fd >= 0)
		(void)close(fd);
}

static bool detach_output(void)
{
	const int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	/* it logs to the journal or to syslog; our own output must not be in the hands of a user */
	return null >= 0 && dup2(null, 0) >= 0 && dup2(null, 1) >= 0 && dup2(null, 2) >= 0;
}

static void reset_signals(void)
{
	sigset_t none;

	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	(void)signal(SIGPIPE, SIG_DFL);
	(void)signal(SIGHUP, SIG_DFL);
}

_Noreturn static void become_manager(const Manager *manager)
{
	static char *const argv[] = { (char *)"systemd", (char *)"--user", NULL };
	const struct passwd *user = manager->user;

	reset_signals();
	adjust_oom_score();
	if (setsid() < 0 || initgroups(user->pw_name, user->pw_gid) < 0 ||
	    setgid(user->pw_gid) < 0 || setuid(user->pw_uid) < 0)
		exit(complain("cannot become the user", strerror(errno)));
	if (chdir(user->pw_dir) < 0 && chdir("/") < 0)
		exit(complain(user->pw_dir, strerror(errno)));
	if (!set_environment(manager) || !detach_output())
		exit(EXIT_FAILURE);
	(void)execv(PROGRAM, argv);
	_exit(127);
}

/* --- the parent --- */

static bool is_ready_message(const char *text)
{
	return strncmp(text, "READY=1", 7) == 0 || strstr(text, "\nREADY=1") != NULL;
}

/* Messages are read to the end, because a full socket would block the manager. */
static void read_notify(Manager *manager)
{
	union {
		char bytes[CMSG_SPACE(sizeof(struct ucred))];
		struct cmsghdr alignment;
	} control;
	char text[MESSAGE_BYTES + 1];
	struct iovec data = { .iov_base = text, .iov_len = MESSAGE_BYTES };
	struct msghdr message = { .msg_iov = &data,
				  .msg_iovlen = 1,
				  .msg_control = &control,
				  .msg_controllen = sizeof control };
	const ssize_t n = recvmsg(manager->notify, &message, MSG_CMSG_CLOEXEC);
	const struct cmsghdr *header = n >= 0 ? CMSG_FIRSTHDR(&message) : NULL;
	struct ucred sender;

	if (!header || header->cmsg_type != SCM_CREDENTIALS)
		return;
	memcpy(&sender, CMSG_DATA(header), sizeof sender);
	text[n] = '\0';
	if (sender.pid == manager->pid && is_ready_message(text) && manager->on_ready) {
		manager->on_ready();
		manager->on_ready = NULL;
	}
}

/* Returns: true when the manager has ended. */
static bool read_signal(Manager *manager, int *ret_status)
{
	struct signalfd_siginfo info;

	if (read(manager->signals, &info, sizeof info) != sizeof info)
		return false;
	if (info.ssi_signo == SIGTERM)
		(void)kill(manager->pid, SIGTERM);
	return waitpid(manager->pid, ret_status, WNOHANG) == manager->pid;
}

static int wait_for_end(Manager *manager)
{
	struct pollfd fds[] = { { manager->signals, POLLIN, 0 }, { manager->notify, POLLIN, 0 } };
	int status = 0;

	for (;;) {
		(void)poll(fds, 2, -1);
		if (fds[1].revents)
			read_notify(manager);
		if (fds[0].revents && read_signal(manager, &status))
			return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE;
	}
}

/* Until its child exists, SIGTERM ends this process. */
static bool block_signals(Manager *manager)
{
	sigset_t signals;

	(void)signal(SIGHUP, SIG_IGN);
	(void)signal(SIGPIPE, SIG_IGN);
	(void)sigemptyset(&signals);
	(void)sigaddset(&signals, SIGCHLD);
	(void)sigaddset(&signals, SIGTERM);
	manager->signals = signalfd(-1, &signals, SFD_CLOEXEC);
	return manager->signals >= 0 && sigprocmask(SIG_BLOCK, &signals, NULL) == 0;
}

static bool enter_cgroup(uid_t uid)
{
	char cgroup[128];

	(void)snprintf(cgroup, sizeof cgroup, "user.slice/user-%u.slice/user@%u.service", uid, uid);
	return cgroup_make(cgroup) && cgroup_delegate(cgroup, uid) &&
	       cgroup_add_process(cgroup, getpid());
}

int user_manager_run(uid_t uid, void (*on_ready)(void))
{
	Manager manager = { .on_ready = on_ready };
	int status;

	if (!enter_cgroup(uid))
		return EXIT_FAILURE;
	manager.user = getpwuid(uid);
	if (!manager.user)
		return complain("the user is unknown", errno ? strerror(errno) : "no entry");
	if (!user_namespace_enter() || !open_session(&manager))
		return EXIT_FAILURE;
	if (!open_notify(&manager) || !block_signals(&manager) || (manager.pid = fork()) < 0)
		status = complain("cannot be started", strerror(errno));
	else if (manager.pid == 0)
		become_manager(&manager);
	else
		status = wait_for_end(&manager);
	close_session(&manager);
	return status;
}
