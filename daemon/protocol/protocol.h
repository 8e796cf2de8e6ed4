/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Protocol: the messages between the keeper (PID 1) and the manager.
 *
 * One SOCK_SEQPACKET pair, one message per datagram. Each message is a fixed struct that begins
 * with MessageHeader, optionally followed by a variable part. Descriptors are sent with SCM_RIGHTS,
 * in the order that the struct's comment gives.
 *
 * Both programs are built from this header, but their versions may differ (svcctl reexec). A layout
 * only grows at its end, the unknown tail of a longer message is ignored, and an unknown type is
 * ignored.
 *
 * Rules (docs/keeper.md): neither side ever waits to send. The keeper stores no message: a report
 * that could not be sent keeps its pending bit in the table and is sent later. A replay sets all
 * those bits. Until MESSAGE_REPLAYED the manager sends only HELLO and PONG.
 */
#ifndef SVCD_PROTOCOL_H
#define SVCD_PROTOCOL_H

#include <stdint.h>

#define PROTOCOL_VERSION 1

/*
 * The manager's end of the pair has this number (its only other descriptors are 0, 1, 2 and the
 * clock).
 */
#define PROTOCOL_LINK_FD 3

/*
 * The manager's clock, a timerfd (CLOCK_MONOTONIC) that both hold. The manager sets it to WELCOME's
 * busy_ms while it works, and disarms it when it is idle. If it expires, the keeper begins to ping.
 * So neither process wakes up while the system is idle.
 */
#define PROTOCOL_CLOCK_FD 4

/*
 * The maximum size of a datagram. The receive buffer is static, and its used part stays in PID 1's
 * private memory.
 */
#define PROTOCOL_MESSAGE_BYTES 16384

/* Size of a service's name with its NUL. (base/limits.h allows 200 bytes.) */
#define PROTOCOL_NAME_BYTES 208

/*
 * Size of a note with its NUL. Longer notes would exceed PID 1's memory budget (252 KiB at 1,000
 * services).
 */
#define PROTOCOL_NOTE_BYTES 128

/* The name of a kept descriptor: "service/kind/index". */
#define PROTOCOL_KEEP_NAME_BYTES 240

/*
 * The maximum number of descriptors in one message: stdin, stdout, stderr, cgroup, exec status, and
 * those that the service inherits from 3 on.
 */
#define PROTOCOL_MAX_FDS 64

#define PROTOCOL_MAX_GROUPS 64
#define PROTOCOL_MAX_RLIMITS 16

/* Capacity of PID 1's tables; untouched rows cost address space only. */
#define PROTOCOL_MAX_CHILDREN 8192
#define PROTOCOL_MAX_NOTES 16384
#define PROTOCOL_MAX_KEPT_FDS 8192

/* Milliseconds. */
#define PROTOCOL_PING_INTERVAL_MS 5000
#define PROTOCOL_PINGS_MISSED 3
#define PROTOCOL_HELLO_LIMIT_MS 60000

/* Exit statuses of the manager that the keeper interprets. */
#define PROTOCOL_EXIT_REEXEC 75 /* start me again at once; not a failure */
#define PROTOCOL_EXIT_INCOMPATIBLE 76 /* I cannot serve this keeper */

enum MessageType {
	/* manager -> keeper */
	MESSAGE_HELLO = 1,
	MESSAGE_PONG = 2,
	MESSAGE_SPAWN = 3,
	MESSAGE_ACK = 4,
	MESSAGE_NOTE = 5, /* both ways: sets a note; in the replay, reports one */
	MESSAGE_SIGNAL = 6,
	MESSAGE_ADOPT = 7,
	MESSAGE_KEEP = 8,
	MESSAGE_FORGET = 9,
	MESSAGE_SHUTDOWN = 10,
	MESSAGE_FINALE = 11,
	MESSAGE_REEXEC = 12,
	MESSAGE_DISPOSE = 15,

	/* keeper -> manager */
	MESSAGE_WELCOME = 32,
	MESSAGE_PING = 33,
	MESSAGE_SPAWNED = 34,
	MESSAGE_EXITED = 35,
	MESSAGE_KEPT = 36,
	MESSAGE_REPLAYED = 37,
	MESSAGE_ADOPTED = 38,
	MESSAGE_REQUEST = 39,
	MESSAGE_SHUTDOWN_INTENT = 40,
};

struct MessageHeader {
	uint32_t type;
	uint32_t size; /* the whole datagram's */
};

/*
 * The key of a row of the keeper's table is (service, role, invocation). One process of each role
 * can be alive at a time.
 */
enum ProcessRole {
	ROLE_MAIN = 0,
	ROLE_CONTROL = 1, /* preparation, stop, reload and clean-up commands */
	ROLE_CHECK = 2, /* CheckCommand= */
	ROLE_HEALTH = 3, /* HealthCommand= */
	ROLE_COUNT
};

/* The row of svc-logger; no service can have this name. The finale kills it last. */
#define PROTOCOL_LOGGER_SERVICE ".logger"

struct ProcessId {
	char service[PROTOCOL_NAME_BYTES];
	uint64_t invocation; /* assigned by the manager, increasing, never 0 */
	uint32_t role;
	uint32_t reserved;
};

/* HELLO: from then on the keeper may ping. */
struct MessageHello {
	struct MessageHeader header;
	uint32_t version;
	uint32_t reserved;
};

/* PING and PONG: the answer repeats the number. */
struct MessagePing {
	struct MessageHeader header;
	uint64_t serial;
};

enum SpawnFlags {
	/* fds: stdin, stdout, stderr; otherwise the keeper's /dev/null */
	SPAWN_STDIO = 1u << 0,
	SPAWN_CGROUP = 1u << 1, /* fd: directory for CLONE_INTO_CGROUP */
	SPAWN_STATUS = 1u << 2, /* fd: writer's end of the exec status channel; stays CLOEXEC */
	SPAWN_SET_UID = 1u << 3,
	SPAWN_SET_GID = 1u << 4,
	SPAWN_SET_GROUPS = 1u << 5, /* also with n_groups 0: no supplementary groups */
	SPAWN_SET_NICE = 1u << 6,
	SPAWN_SET_UMASK = 1u << 7,
	SPAWN_SET_OOM = 1u << 8,
	SPAWN_SET_DIRECTORY = 1u << 9,
};

/*
 * SPAWN. Followed by: uint32_t gids[n_groups]; struct SpawnRlimit[n_rlimits]; then strings, each
 * with its NUL: the directory if SPAWN_SET_DIRECTORY, argv[0..argc), environment[0..envc). argv[0]
 * is also the path of the program; it is absolute. Descriptors, in this order: those of
 * SPAWN_STDIO, SPAWN_CGROUP, SPAWN_STATUS, then n_inherited ones, which get numbers from 3 on in
 * the child.
 *
 * The child has its own session, default signals, an empty mask, no other descriptors, umask 022, /
 * as its directory, oom_score_adj 0, the soft NOFILE limit that PID 1 was started with, and exactly
 * the given environment. If the row is in use, SPAWNED reports EBUSY. The note is stored whenever
 * SPAWNED has error 0.
 *
 * The keeper closes its copies of a SPAWN's descriptors when the child has them. A child could make
 * the last close(2) of some descriptors wait, for example of a listening socket. So the keeper
 * (KEEP) or the manager must hold such a descriptor until SPAWNED.
 */
struct MessageSpawn {
	struct MessageHeader header;
	struct ProcessId id;
	char note[PROTOCOL_NOTE_BYTES]; /* empty: leave the service's note as it is */
	uint32_t flags;
	uint32_t uid;
	uint32_t gid;
	uint32_t umask;
	int32_t nice;
	int32_t oom_score_adj;
	uint32_t n_groups;
	uint32_t n_rlimits;
	uint32_t n_inherited;
	uint32_t argc;
	uint32_t envc;
	uint32_t reserved;
};

struct SpawnRlimit {
	uint32_t resource; /* RLIMIT_* */
	uint32_t reserved;
	uint64_t soft; /* RLIM_INFINITY as it is on this machine */
	uint64_t hard;
};

/*
 * Written by a child to the exec status channel if it could not execute the service; end of file
 * means success.
 */
enum ExecStep {
	EXEC_STEP_SETUP = 1, /* session, descriptors, signals */
	EXEC_STEP_LIMITS = 2, /* rlimits, nice, oom_score_adj, umask */
	EXEC_STEP_DIRECTORY = 3, /* chdir */
	EXEC_STEP_IDENTITY = 4, /* groups, gid, uid */
	EXEC_STEP_EXEC = 5, /* execve */
	EXEC_STEP_USER = 6, /* svc-exec: no such user or group */
	EXEC_STEP_ENVIRONMENT = 7, /* svc-exec: an environment file */
	EXEC_STEP_TTY = 8, /* svc-exec: the terminal */
	EXEC_STEP_SPEC = 9, /* svc-exec: its own input */
	EXEC_STEP_RUNTIME = 10, /* svc-exec: one of its directories */
	EXEC_STEP_INPUT = 11, /* svc-exec: standard input */
	EXEC_STEP_SCHEDULING = 12, /* svc-exec: processors and priorities */
	EXEC_STEP_SANDBOX = 13, /* svc-exec: mounts, namespaces, capabilities, system calls */
	EXEC_STEP_REMOVE = 14, /* svc-exec: a directory of the run could not be removed */
};

#define EXEC_STATUS_TEXT 184

struct ExecStatus {
	int32_t step;
	int32_t error; /* errno */
	/*
	 * "PrivateTmp=: cannot mount /tmp", for users; ends with a NUL; "": only the step is known
	 */
	char what[EXEC_STATUS_TEXT];
};

/*
 * SPAWNED: always precedes EXITED of the same row. If it has an error, no EXITED follows, and the
 * row is free.
 */
struct MessageSpawned {
	struct MessageHeader header;
	struct ProcessId id;
	/* errno: EBUSY row in use, EINVAL bad request, ENFILE table full, else from clone3(2) */
	int32_t error;
	int32_t pid;
	uint64_t at_us; /* CLOCK_MONOTONIC */
};

/* EXITED: repeated in a replay until ACK arrives. The row stays in use until then. */
struct MessageExited {
	struct MessageHeader header;
	struct ProcessId id;
	int32_t pid;
	/*
	 * CLD_EXITED, CLD_KILLED or CLD_DUMPED (waitid(2)); 0: unknown, because the process was
	 * reaped before it was adopted
	 */
	int32_t code;
	int32_t status; /* exit status or signal */
	uint32_t reserved;
	uint64_t at_us;
	uint64_t user_us; /* CPU time */
	uint64_t system_us;
};

/*
 * ACK: the exit was handled, and the row becomes free. The note is stored at the same time (empty:
 * unchanged).
 */
struct MessageAck {
	struct MessageHeader header;
	struct ProcessId id;
	char note[PROTOCOL_NOTE_BYTES];
};

/*
 * NOTE: the stored text of one service (or of the manager itself, service "."). An empty text
 * deletes it.
 */
struct MessageNote {
	struct MessageHeader header;
	char service[PROTOCOL_NAME_BYTES];
	char note[PROTOCOL_NOTE_BYTES];
};

/* SIGNAL: to an unreaped child of the keeper; ignored if the row is gone. */
struct MessageSignal {
	struct MessageHeader header;
	struct ProcessId id;
	int32_t signo;
	uint32_t reserved;
};

/*
 * ADOPT: makes a row for a re-parented process of a service (pidfile, MAINPID=). Answered by
 * ADOPTED.
 */
struct MessageAdopt {
	struct MessageHeader header;
	struct ProcessId id;
	int32_t pid;
	uint32_t reserved;
};

/*
 * ADOPTED: error 0, ECHILD if it is not the keeper's child, ESRCH if it is gone, EBUSY if the row
 * is in use.
 */
struct MessageAdopted {
	struct MessageHeader header;
	struct ProcessId id;
	int32_t pid;
	int32_t error;
};

/*
 * KEEP (fd: the descriptor); KEPT (fd: a duplicate) in the replay. An existing descriptor of the
 * same name is replaced and closed.
 */
struct MessageKeep {
	struct MessageHeader header;
	char name[PROTOCOL_KEEP_NAME_BYTES];
};

enum ForgetFlags {
	/* our end of a channel that has ended (base/channel.h): close(2) cannot wait */
	FORGET_ENDED = 1u << 0,
};

/* FORGET. Older managers send only the fields of MessageKeep. */
struct MessageForget {
	struct MessageHeader header;
	char name[PROTOCOL_KEEP_NAME_BYTES];
	uint32_t flags;
	uint32_t reserved;
};

enum ShutdownKind {
	SHUTDOWN_NONE = 0,
	SHUTDOWN_POWEROFF = 1,
	SHUTDOWN_REBOOT = 2,
	SHUTDOWN_HALT = 3,
	SHUTDOWN_EXIT = 4, /* user mode, and containers that cannot reboot(2) */
};

/*
 * SHUTDOWN: the machine is shutting down. If FINALE has not arrived after deadline_ms, the keeper
 * goes on alone. The kind SHUTDOWN_NONE cancels the shutdown. FINALE: everything is stopped, so
 * halt, power off or reboot now. SHUTDOWN_INTENT: in the replay, a shutdown is in progress;
 * deadline_ms is the remaining time.
 */
struct MessageShutdown {
	struct MessageHeader header;
	uint32_t kind;
	uint32_t deadline_ms;
};

/*
 * REEXEC: the keeper executes its binary again with its tables in a memfd, then starts a new
 * manager.
 */
struct MessageReexec {
	struct MessageHeader header;
};

/*
 * DISPOSE: descriptors whose last close(2) may wait for ever, because a process of a service could
 * hold the lock of the object. A child of the keeper closes them. The manager sends them, closes
 * its own copies, and then sends a DISPOSE without descriptors. From then on the child may close
 * them. FORGET does the same for a kept descriptor, unless FORGET_ENDED is set. FORGET is sent
 * after the manager has closed its copy.
 */
struct MessageDispose {
	struct MessageHeader header;
};

enum WelcomeFlags {
	WELCOME_IS_PID1 = 1u << 0,
	WELCOME_CONTAINER = 1u << 1,
	WELCOME_CGROUP2 = 1u << 2, /* cgroup_root is a writable cgroup v2 directory */
	/* the notes may cause failures: they are kept but not sent; /etc and /run are still read */
	WELCOME_WITHOUT_NOTES = 1u << 3,
	WELCOME_WITHOUT_LOCAL_FILES = 1u << 4, /* read neither /etc/svcd nor /run/svcd */
	WELCOME_RECOVERY = 1u << 5, /* not the first manager since this keeper started */
	/* the installed keeper could not take over, so the previous one continues */
	WELCOME_NOT_TAKEN_OVER = 1u << 7,
	WELCOME_DISPOSES = 1u << 8, /* the keeper supports MESSAGE_DISPOSE */
};

/* WELCOME: the first message to each manager. */
struct MessageWelcome {
	struct MessageHeader header;
	uint32_t version;
	uint32_t flags;
	uint32_t generation; /* the number of earlier managers */
	int32_t last_status; /* wait status of the previous manager, 0 if there was none */
	uint64_t boot_at_us; /* CLOCK_MONOTONIC when the keeper first started */
	/* for example /sys/fs/cgroup/svcd; empty without cgroup v2 */
	char cgroup_root[PROTOCOL_NAME_BYTES];
	char virtualization[32]; /* "", "container", "vm" */
	uint32_t busy_ms; /* the time to which the manager sets its clock */
	/* with WELCOME_NOT_TAKEN_OVER: the installed keeper's wait status; -1: it did not end */
	int32_t trial_status;
};

/* REPLAYED: the manager now has all state. */
struct MessageReplayed {
	struct MessageHeader header;
	uint32_t n_children;
	uint32_t n_notes;
	uint32_t n_fds;
	uint32_t reserved;
};

enum RequestKind {
	REQUEST_CTRL_ALT_DEL = 1, /* SIGINT */
	REQUEST_TERMINATE = 2, /* SIGTERM */
	REQUEST_RELOAD = 3, /* SIGHUP */
	REQUEST_REOPEN = 4, /* SIGUSR1, from telinit and mountall.sh: reopen control channels */
	REQUEST_POWER = 5, /* SIGPWR */
	REQUEST_KEYBOARD = 6, /* SIGWINCH */
	REQUEST_HALT = 7, /* SIGRTMIN+3 */
	REQUEST_POWEROFF = 8, /* SIGRTMIN+4 */
	REQUEST_REBOOT = 9, /* SIGRTMIN+5 */
};

/* REQUEST: the keeper has received a signal that is a request. */
struct MessageRequest {
	struct MessageHeader header;
	uint32_t kind;
	uint32_t reserved;
};

#endif
