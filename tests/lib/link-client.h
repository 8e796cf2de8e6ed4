/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Link client: a test plays the manager of a real keeper (svcd --user), message by message.
 *
 * Each wait has a deadline, which ends the test. A wait for another message answers pings.
 */
#ifndef SVCD_TESTS_LIB_LINK_CLIENT_H
#define SVCD_TESTS_LIB_LINK_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "protocol/protocol.h"

typedef struct {
	pid_t pid; /* of the keeper */
	int listen_fd;
	char *directory;
	char socket_path[96];
} KeeperRun;

typedef struct {
	pid_t pid;
	int control_fd; /* to the fake manager */
	int link_fd; /* its end of the link */
	uint64_t answered; /* serial of the last answered ping; 0: none */
} Manager;

typedef union {
	struct MessageHeader header;
	struct MessageWelcome welcome;
	struct MessagePing ping;
	struct MessageSpawned spawned;
	struct MessageExited exited;
	struct MessageAdopted adopted;
	struct MessageNote note;
	struct MessageKeep keep;
	struct MessageReplayed replayed;
	struct MessageRequest request;
	struct MessageShutdown shutdown;
	char bytes[PROTOCOL_MESSAGE_BYTES];
} Message;

/* A spawn request. Zeros: not set. */
typedef struct {
	const char *service;
	uint64_t invocation;
	uint32_t role;
	const char *note;
	uint32_t flags;
	uint32_t uid;
	uint32_t gid;
	uint32_t umask;
	int32_t nice;
	int32_t oom_score_adj;
	const char *directory;
	const uint32_t *groups;
	uint32_t n_groups;
	const struct SpawnRlimit *rlimits;
	uint32_t n_rlimits;
	const char *const *argv; /* ends with NULL */
	const char *const *environment; /* ends with NULL; NULL: empty */
	const int *fds; /* in the order of MessageSpawn */
	uint32_t n_fds;
	uint32_t n_inherited;
} Spawn;

/*
 * Starts svcd --user with the fake manager. @ping_ms 0: the interval is so long that a busy test
 * never misses a ping.
 */
void keeper_run_start(KeeperRun *run, unsigned int ping_ms);

/*
 * The same in two steps, with a takeover of the tables in @tables_fd. In the tables the path of
 * the manager must be keeper_run_manager(), and its only argument run->socket_path.
 */
void keeper_run_listen(KeeperRun *run);
void keeper_run_resume(KeeperRun *run, int tables_fd);
const char *keeper_run_manager(char *path, size_t size);

/* Ends the keeper and all its descendants. */
void keeper_run_stop(KeeperRun *run);

/* The number of open descriptors of the keeper. */
unsigned int keeper_run_count_open(const KeeperRun *run);

/* Waits for the start of the next manager, and takes over its end of the link. */
void manager_accept(KeeperRun *run, Manager *m);

/* The same, and reads the replay up to REPLAYED; @ret_welcome may be NULL. */
void manager_accept_replayed(KeeperRun *run, Manager *m, struct MessageWelcome *ret_welcome);

/* Closes the test's copy of the link. */
void manager_drop(Manager *m);

/* Lets the fake manager exit with @status. */
void manager_exit(Manager *m, unsigned char status);

/* Waits for the next message except pings. Its descriptor goes to *@ret_fd (NULL: closed). */
void manager_next(Manager *m, Message *ret, int *ret_fd);

/* The same; the message must have this @type. */
void manager_expect(Manager *m, enum MessageType type, Message *ret);

/* Answers pings until one has a serial above @serial. Returns: its serial. */
uint64_t manager_answer_ping(Manager *m, uint64_t serial);

void manager_send(Manager *m, const void *message, size_t size, int fd);

/* Builds and sends SPAWN. Returns: false if the socket is full. */
bool manager_spawn(Manager *m, const Spawn *s);

void manager_hello(Manager *m);
void manager_ack(Manager *m, const struct ProcessId *id, const char *note);
void manager_note(Manager *m, const char *service, const char *note);
void manager_signal(Manager *m, const struct ProcessId *id, int signo);
void manager_keep(Manager *m, const char *name, int fd);
void manager_forget(Manager *m, const char *name);
void manager_forget_ended(Manager *m, const char *name);

#endif
