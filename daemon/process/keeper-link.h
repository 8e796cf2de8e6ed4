/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keeper link: the manager's end of the socket to PID 1.
 *
 * It never waits. Datagrams that the socket does not take stay in a queue until the socket is
 * writable. Messages are read in bounded batches and passed to the listener one by one.
 */
#ifndef SVCD_PROCESS_KEEPER_LINK_H
#define SVCD_PROCESS_KEEPER_LINK_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "loop/loop.h"
#include "protocol/protocol.h"

typedef struct KeeperLink KeeperLink;

typedef struct KeeperListener {
	void (*welcome)(void *data, const struct MessageWelcome *message);
	void (*spawned)(void *data, const struct MessageSpawned *message);
	void (*exited)(void *data, const struct MessageExited *message);
	void (*adopted)(void *data, const struct MessageAdopted *message);
	void (*note)(void *data, const struct MessageNote *message);
	void (*kept)(void *data, const char *name, int fd); /* takes @fd */
	void (*shutdown_intent)(void *data, const struct MessageShutdown *message);
	void (*replayed)(void *data, const struct MessageReplayed *message);
	void (*request)(void *data, enum RequestKind kind);
	void (*closed)(void *data); /* the keeper wants this manager to end */
} KeeperListener;

/* All parameters of one spawn. All are borrowed; the descriptors are duplicated or sent at once. */
typedef struct SpawnParameters {
	const char *service;
	enum ProcessRole role;
	uint64_t invocation;
	const char *note; /* stored as the service's note; NULL: none */
	const char *const *argv; /* argv[0] is the path of the program */
	const char *const *environment;
	const char *directory; /* NULL: / */
	int stdin_fd; /* -1, also in the next two: /dev/null */
	int stdout_fd;
	int stderr_fd;
	int cgroup_fd; /* or -1 */
	int status_fd; /* or -1 */
	const int *inherited; /* get the numbers from 3 on */
	unsigned n_inherited;
	bool has_uid, has_gid, has_groups, has_nice, has_umask, has_oom;
	uid_t uid;
	gid_t gid;
	const gid_t *groups;
	unsigned n_groups;
	const struct SpawnRlimit *rlimits;
	unsigned n_rlimits;
	int nice;
	mode_t umask;
	int oom_score_adjust;
} SpawnParameters;

/* @fd: taken. Sends HELLO. */
KeeperLink *keeper_link_new(int fd, const KeeperListener *listener, void *data);
void keeper_link_free(KeeperLink *link);

/**
 * keeper_link_wait() - has the keeper fallen behind in reading?
 * @timer: if the result is true, it fires when the keeper has caught up; borrowed until then, or
 * until keeper_link_wait_no_more()
 *
 * Used for starts of services: 1,000 starts at once would otherwise queue here as messages with
 * their descriptors.
 */
bool keeper_link_wait(KeeperLink *link, Timer *timer);
void keeper_link_wait_no_more(KeeperLink *link, const Timer *timer);

/* False with @error if the request is too large for one message. The caller then uses svc-exec. */
bool keeper_link_spawn(KeeperLink *link, const SpawnParameters *request, GError **error);
void keeper_link_ack(KeeperLink *link, const struct ProcessId *id, const char *note);
void keeper_link_note(KeeperLink *link, const char *service, const char *note);
void keeper_link_signal(KeeperLink *link, const struct ProcessId *id, int signo);
void keeper_link_adopt(KeeperLink *link, const struct ProcessId *id, pid_t pid);
/* The process that becomes the parent of orphans. */
pid_t keeper_link_keeper_pid(const KeeperLink *link);
void keeper_link_keep(KeeperLink *link, const char *name, int fd); /* @fd: duplicated */
/* PID 1 no longer keeps the descriptor @name; one of its children closes it. */
void keeper_link_forget(KeeperLink *link, const char *name);
/*
 * Like keeper_link_forget(), for our end of a channel for which channel_peek() returned
 * CHANNEL_END. PID 1 closes such a descriptor directly.
 */
void keeper_link_forget_ended(KeeperLink *link, const char *name);
/**
 * keeper_link_dispose() - close a descriptor whose last close(2) may wait because of a process of a
 * service
 * @fd: taken; -1: nothing is done
 *
 * PID 1 gets a copy, and one of its children closes that copy last. keeper_link_forget() does the
 * same for kept descriptors, if the manager's copy is closed before the call.
 */
void keeper_link_dispose(KeeperLink *link, int fd);
void keeper_link_shutdown(KeeperLink *link, enum ShutdownKind kind, unsigned deadline_ms);
void keeper_link_finale(KeeperLink *link, enum ShutdownKind kind);
void keeper_link_reexec(KeeperLink *link);

/* Fills in an id. The caller has checked that @service fits. */
void process_id_init(struct ProcessId *id, const char *service, enum ProcessRole role,
		     uint64_t invocation);

#endif
