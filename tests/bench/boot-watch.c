/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * boot-watch: the program that the kernel executes in place of the measured init. It leaves a
 * process behind, and then executes the init (bench.init=PATH). The process checks every 50 ms
 * which daemons are up, writes the times to the console, and powers the machine off.
 *
 * bench.own=FILE,... are cpu.stat files of the init's own cgroups, for its own CPU time.
 * bench.kin=NAME,... are the names of the init's processes besides PID 1. Their memory is reported
 * in KiB, SETTLE_MS after all daemons are up.
 *
 * /etc/bench-up has a line per daemon: "tcp PORT", "udp PORT", "unix PATH...", "comm NAME..." (one
 * of them exists), "greeter" (logind has an active session of that class) and "colours N" (the
 * middle of the screen has at least N colours; reported at once, for taking a picture). Times are
 * those of CLOCK_MONOTONIC since the exec of the init. The checks cost the same under each init.
 *
 * bench.limit=SECONDS: the time limit (100). bench.login=no: does not wait for a login on a
 * terminal.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "screen.h"

#define MAX_DAEMONS 64
#define LOOK_MS 50
#define SETTLE_MS 2000
#define LIMIT_S 100
#define LOOKS_A_PICTURE 5
#define SESSIONS "/run/systemd/sessions"

struct Daemon {
	char kind[8];
	char what[120];
	int64_t up_us; /* 0: not yet */
};

static struct Daemon daemons[MAX_DAEMONS];
static unsigned n_daemons;
static char sockets[256 * 1024]; /* /proc/net/unix */
static char ports[2][128 * 1024]; /* "tcp", "udp": v4, followed by v6 */
static char names[16 * 1024]; /* " name name " of all processes */
static int64_t began_us;

static int64_t now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000LL + now.tv_nsec / 1000;
}

static size_t read_file(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t done = 0;
	ssize_t n;

	while (fd >= 0 && done + 1 < size && (n = read(fd, text + done, size - 1 - done)) > 0)
		done += (size_t)n;
	text[done] = '\0';
	if (fd >= 0)
		close(fd);
	return done;
}

static bool read_token(const char *key, char *value, size_t size)
{
	static char tokens[4096];
	char *at;

	read_file("/proc/cmdline", tokens, sizeof(tokens));
	at = strstr(tokens, key);
	if (!at)
		return false;
	at += strlen(key);
	snprintf(value, size, "%.*s", (int)strcspn(at, " \n"), at);
	return true;
}

static void read_daemons(void)
{
	FILE *file = fopen("/etc/bench-up", "re");
	char line[160];

	while (file && n_daemons < MAX_DAEMONS && fgets(line, sizeof(line), file)) {
		struct Daemon *daemon = &daemons[n_daemons];

		if (sscanf(line, "%7s %119[^\n]", daemon->kind, daemon->what) >= 1)
			n_daemons++;
	}
	if (file)
		fclose(file);
}

/* --- checks --- */

static void look_at_ports(char *text, size_t size, const char *four, const char *six)
{
	size_t n = read_file(four, text, size);

	read_file(six, text + n, size - n);
}

static void look_at_processes(void)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	size_t n = 1;

	strcpy(names, "\n");
	while (proc && (entry = readdir(proc))) {
		char path[300];

		if (entry->d_name[0] < '1' || entry->d_name[0] > '9' || n + 32 > sizeof(names))
			continue;
		snprintf(path, sizeof(path), "/proc/%s/comm", entry->d_name);
		n += read_file(path, names + n, sizeof(names) - n);
	}
	if (proc)
		closedir(proc);
}

/* Whether @text contains one of the keys, between @before and a line's end. */
static bool has_token(const char *text, char before, const char *tokens)
{
	char copy[120];
	char *rest = copy;
	char *token;

	snprintf(copy, sizeof(copy), "%s", tokens);
	while ((token = strsep(&rest, " "))) {
		char line[140];

		snprintf(line, sizeof(line), "%c%s\n", before, token);
		if (*token && strstr(text, line))
			return true;
	}
	return false;
}

/*
 * Finds a listening socket (state 0A) in /proc/net/tcp, or a socket in any state in /proc/net/udp.
 */
static bool has_port(const char *text, unsigned port, bool is_tcp)
{
	char local[8];

	snprintf(local, sizeof(local), ":%04X ", port);
	for (const char *at = strstr(text, local); at; at = strstr(at + 1, local)) {
		const char *remote = at + strlen(local);
		const char *state = strchr(remote, ' ');

		if (state && (!is_tcp || strncmp(state, " 0A ", 4) == 0))
			return true;
	}
	return false;
}

/* elogind and systemd-logind use the same format for session files. */
static bool has_greeter(void)
{
	DIR *sessions = opendir(SESSIONS);
	struct dirent *entry;
	bool found = false;

	while (sessions && !found && (entry = readdir(sessions))) {
		static char text[4096];
		char path[300];

		snprintf(path, sizeof(path), SESSIONS "/%s", entry->d_name);
		if (entry->d_name[0] != '.' && read_file(path, text, sizeof(text)) > 0)
			found = strstr(text, "CLASS=greeter") && strstr(text, "ACTIVE=1");
	}
	if (sessions)
		closedir(sessions);
	return found;
}

/*
 * A check reads 200,000 pixels. So it runs in every LOOKS_A_PICTURE-th look, and only with a
 * greeter.
 */
static bool shows(unsigned n_colours)
{
	static unsigned n_looks;

	return n_looks++ % LOOKS_A_PICTURE == 0 && has_greeter() &&
	       screen_count_colours(n_colours) >= n_colours;
}

static bool is_up(const struct Daemon *daemon)
{
	if (strcmp(daemon->kind, "greeter") == 0)
		return has_greeter();
	if (strcmp(daemon->kind, "colours") == 0)
		return shows((unsigned)strtoul(daemon->what, NULL, 10));
	if (strcmp(daemon->kind, "comm") == 0)
		return has_token(names, '\n', daemon->what);
	if (strcmp(daemon->kind, "tcp") == 0)
		return has_port(ports[0], (unsigned)strtoul(daemon->what, NULL, 10), true);
	if (strcmp(daemon->kind, "udp") == 0)
		return has_port(ports[1], (unsigned)strtoul(daemon->what, NULL, 10), false);
	return has_token(sockets, ' ', daemon->what);
}

static bool is_awaited(const char *kind)
{
	for (unsigned i = 0; i < n_daemons; i++)
		if (!daemons[i].up_us && strcmp(daemons[i].kind, kind) == 0)
			return true;
	return false;
}

/*
 * Returns: the number of daemons that are up. Reads only files that may have changed, because a
 * check of all processes costs milliseconds. An init that starts its processes early would pay for
 * that in each check.
 */
static unsigned look(bool needs_names)
{
	unsigned n_up = 0;

	if (is_awaited("tcp"))
		look_at_ports(ports[0], sizeof(ports[0]), "/proc/net/tcp", "/proc/net/tcp6");
	if (is_awaited("udp"))
		look_at_ports(ports[1], sizeof(ports[1]), "/proc/net/udp", "/proc/net/udp6");
	if (is_awaited("unix"))
		read_file("/proc/net/unix", sockets, sizeof(sockets));
	if (needs_names || is_awaited("comm"))
		look_at_processes();
	for (unsigned i = 0; i < n_daemons; i++) {
		if (!daemons[i].up_us && is_up(&daemons[i]))
			daemons[i].up_us = now_us();
		n_up += daemons[i].up_us != 0;
	}
	return n_up;
}

/* --- reports --- */

static void write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC);

	(void)!write(fd, text, strlen(text));
	close(fd);
}

static void print_number(const char *what, int64_t us)
{
	char line[240];

	snprintf(line, sizeof(line), "\r\nbench: %s %lld\r\n", what, (long long)us);
	write_text("/dev/ttyS0", line);
}

/* Microseconds of CPU time, and of waits for a disk, since the kernel's start. */
static void read_cpu(int64_t *busy_us, int64_t *wait_us)
{
	static char text[8192];
	long long v[8] = { 0 };

	read_file("/proc/stat", text, sizeof(text));
	sscanf(text, "cpu %lld %lld %lld %lld %lld %lld %lld %lld", &v[0], &v[1], &v[2], &v[3],
	       &v[4], &v[5], &v[6], &v[7]);
	*busy_us = (v[0] + v[1] + v[2] + v[5] + v[6]) * 10000;
	*wait_us = v[4] * 10000;
}

/* Microseconds of processor time of the control groups of bench.own=. */
static int64_t own_cpu_us(void)
{
	static char files[300];
	char *rest = files;
	char *path;
	int64_t sum_us = 0;

	if (!read_token("bench.own=", files, sizeof(files)))
		return 0;
	while ((path = strsep(&rest, ","))) {
		static char text[2048];
		long long us = 0;

		read_file(path, text, sizeof(text));
		sscanf(text, "usage_usec %lld", &us);
		sum_us += us;
	}
	return sum_us;
}

/* Adds the KiB of a line of smaps_rollup to @sum. */
static void add_kib(const char *text, const char *key, int64_t *sum)
{
	const char *at = strstr(text, key);

	*sum += at ? strtoll(at + strlen(key), NULL, 10) : 0;
}

static void add_memory(const char *pid, int64_t *pss, int64_t *private)
{
	static char text[4096];
	char path[300];

	snprintf(path, sizeof(path), "/proc/%s/smaps_rollup", pid);
	read_file(path, text, sizeof(text));
	add_kib(text, "\nPss:", pss);
	add_kib(text, "\nPrivate_Clean:", private);
	add_kib(text, "\nPrivate_Dirty:", private);
}

static bool is_own_process(const char *pid, const char *child)
{
	char path[300];
	char comm[32];
	char token[40];

	snprintf(path, sizeof(path), "/proc/%s/comm", pid);
	if (read_file(path, comm, sizeof(comm)) == 0)
		return false;
	snprintf(token, sizeof(token), ",%.*s,", (int)strcspn(comm, "\n"), comm);
	return strstr(child, token) != NULL;
}

static void print_memory(void)
{
	char text[200] = "";
	char child[210];
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	int64_t pss = 0;
	int64_t private = 0;

	add_memory("1", &pss, &private);
	print_number("private_1_kib", private);
	(void)read_token("bench.kin=", text, sizeof(text));
	snprintf(child, sizeof(child), ",%s,", text);
	while (proc && (entry = readdir(proc))) {
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9' &&
		    strcmp(entry->d_name, "1") != 0 && is_own_process(entry->d_name, child))
			add_memory(entry->d_name, &pss, &private);
	}
	if (proc)
		closedir(proc);
	print_number("pss_kib", pss);
	print_number("private_kib", private);
}

static void print_all(void)
{
	char line[160];

	for (unsigned i = 0; i < n_daemons; i++) {
		snprintf(line, sizeof(line), "daemon %.7s %.119s:", daemons[i].kind,
			 daemons[i].what);
		print_number(line, daemons[i].up_us ? daemons[i].up_us - began_us : -1);
	}
}

/* Prints the names of all processes except kernel threads, which have no program. */
static void print_processes(void)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;

	while (proc && (entry = readdir(proc))) {
		char path[300];
		char line[64] = "process ";

		snprintf(path, sizeof(path), "/proc/%s/exe", entry->d_name);
		if (entry->d_name[0] < '1' || entry->d_name[0] > '9' ||
		    readlink(path, (char[8]){ 0 }, 8) < 0)
			continue;
		snprintf(path, sizeof(path), "/proc/%s/comm", entry->d_name);
		read_file(path, line + strlen(line), sizeof(line) - strlen(line));
		line[strcspn(line, "\n")] = '\0';
		print_number(line, strtoll(entry->d_name, NULL, 10));
	}
	if (proc)
		closedir(proc);
}

static void power_off(void)
{
	char command[200];

	if (!read_token("bench.off=", command, sizeof(command)))
		return;
	for (char *at = command; *at; at++)
		*at = *at == ',' ? ' ' : *at;
	/* The last action: later times are the kernel's own time stamps. */
	write_text("/proc/sys/kernel/printk", "7");
	write_text("/dev/kmsg", "bench: off");
	setenv("PATH", "/usr/sbin:/usr/bin:/sbin:/bin", 1);
	(void)!system(command);
}

/* Reports the drawn picture at once, and only the first time. */
static void print_drawn(void)
{
	static bool is_printed;

	for (unsigned i = 0; i < n_daemons && !is_printed; i++) {
		if (strcmp(daemons[i].kind, "colours") == 0 && daemons[i].up_us) {
			is_printed = true;
			print_number("drawn", daemons[i].up_us - began_us);
		}
	}
}

static void sleep_ms(int ms)
{
	const struct timespec pause = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L };

	nanosleep(&pause, NULL);
}

static int64_t limit_s(void)
{
	char seconds[12];

	return read_token("bench.limit=", seconds, sizeof(seconds)) ? strtoll(seconds, NULL, 10) :
								      LIMIT_S;
}

static bool waits_for_login(void)
{
	char token[12];

	return !read_token("bench.login=", token, sizeof(token)) || strcmp(token, "no") != 0;
}

static void watch(int64_t busy_began_us, int64_t wait_began_us)
{
	const int64_t until_us = now_us() + limit_s() * 1000000LL;
	int64_t busy_us;
	int64_t wait_us;
	bool has_login = !waits_for_login();
	bool all_up = false;

	while (!(all_up && has_login) && now_us() < until_us) {
		const bool are_up = look(!has_login) == n_daemons;

		print_drawn();
		if (!has_login && has_token(names, '\n', "agetty getty")) {
			has_login = true;
			print_number("login", now_us() - began_us);
		}
		if (are_up && !all_up) {
			all_up = true;
			read_cpu(&busy_us, &wait_us);
			print_number("up", now_us() - began_us);
			print_number("busy", busy_us - busy_began_us);
			print_number("iowait", wait_us - wait_began_us);
			print_number("own", own_cpu_us());
		}
		sleep_ms(LOOK_MS);
	}
	print_all();
	sleep_ms(SETTLE_MS);
	print_memory();
	print_processes();
	power_off();
}

int main(int argc, char **argv)
{
	static char init[200];
	int64_t busy_us;
	int64_t wait_us;

	(void)argc;
	began_us = now_us();
	read_cpu(&busy_us, &wait_us);
	read_daemons();
	if (!read_token("bench.init=", init, sizeof(init)))
		return 1;
	if (fork() == 0) {
		setsid();
		watch(busy_us, wait_us);
		_exit(0);
	}
	argv[0] = init;
	execv(init, argv);
	return 1;
}
