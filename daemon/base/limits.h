/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * All limits, with their reasons. Each has a test that reaches it. Limits on the messages between
 * keeper and manager are in protocol/protocol.h.
 */
#ifndef SVCD_BASE_LIMITS_H
#define SVCD_BASE_LIMITS_H

#include "tokens/tokens.h"

/*
 * A service's name. Names of cgroup directories and log files have a suffix and at most 255 bytes.
 */
#define LIMIT_NAME_BYTES 200

/*
 * One line of a service or policy file with its continuation lines: longer than any command line in
 * use.
 */
#define LIMIT_LINE_BYTES 8192

/* One service or policy file: a hundred times the largest one that is shipped. */
#define LIMIT_FILE_BYTES (256 * 1024)

/*
 * All files of one load, as svc-generate passes them to the manager: enough for LIMIT_SERVICES
 * files of 3 KiB, the size of the largest one that is shipped. PID 1 keeps the descriptor, and with
 * it up to this much memory.
 */
#define LIMIT_BUNDLE_BYTES (64 * 1024 * 1024)

/* An init script: the largest in Debian packages have about 40 KiB. */
#define LIMIT_SCRIPT_BYTES (1024 * 1024)

/* Init scripts: large installations have two hundred. Each pair of scripts may have an ordering. */
#define LIMIT_SCRIPTS 1000

/* Dependency cycles of init scripts that are broken one edge at a time. Debian has none. */
#define LIMIT_LOOPS 64

/* Service files in all directories together. Entries of one directory of scripts or links. */
#define LIMIT_SERVICES 20000

/*
 * The longest wait for the login screen, since the start of the boot. A disk check or a missing
 * screen must not delay other services further. The second limit applies after the screen's service
 * is ready, if the service does not report that the screen is drawn. GNOME's greeter takes this
 * long on a slow machine.
 */
#define LIMIT_LOGIN_SCREEN_US (90 * G_USEC_PER_SEC)
#define LIMIT_LOGIN_SCREEN_DRAWN_US (30 * G_USEC_PER_SEC)

/*
 * The file with the durations of earlier boots: the number of its services, and its size, which
 * suffices for the longest names and numbers.
 */
#define LIMIT_DURATIONS 4096
#define LIMIT_DURATIONS_BYTES (2 * 1024 * 1024)

/* /run/svcd/boot: a few lines per service. */
#define LIMIT_BOOT_FILE_BYTES (8 * 1024 * 1024)

/*
 * The policy history: steps, their total size, and the size of one step (a few files, before and
 * after the change). The oldest steps are dropped first. A year of manual changes fits.
 */
#define LIMIT_HISTORY_STEPS 1000
#define LIMIT_HISTORY_BYTES (16 * 1024 * 1024)
#define LIMIT_HISTORY_STEP_BYTES (4 * 1024 * 1024)

/* How long a policy change waits for another one to end. Each takes a few fsyncs. */
#define LIMIT_POLICY_LOCK_US (10 * G_USEC_PER_SEC)

/* Entries of one list key, and arguments of one command. */
#define LIMIT_LIST_ENTRIES TOKENS_MAX

/*
 * Sockets of one service. One message to the keeper has at most 64 descriptors, some of which are
 * not sockets.
 */
#define LIMIT_SOCKETS 32

/* A name in LISTEN_FDNAMES, as in sd_listen_fds_with_names(3). */
#define LIMIT_SOCKET_NAME_BYTES 255

/* Alternatives in one term. */
#define LIMIT_TERM_ALTERNATIVES 64

/* Runlevels, including the eight that always exist. Also the largest depth of Include=. */
#define LIMIT_RUNLEVELS 64

/* An environment file, as read by svc-exec. */
#define LIMIT_ENVIRONMENT_FILE_BYTES (64 * 1024)

/* One datagram of sd_notify(3). Typical ones are much shorter, and systemd accepts 4096. */
#define LIMIT_NOTIFY_BYTES 4096

/* Messages in one turn of the main loop, so that no source starves the others. */
#define LIMIT_NOTIFY_BATCH 32
#define LIMIT_KEEPER_BATCH 32

/*
 * Output kept for one service in /run/svcd/log: the size of the current file. The previous file is
 * no larger.
 */
#define LIMIT_LOG_BYTES (256 * 1024)

/* An answer on the bus contains the end of the log, up to this size: some 500 lines. */
#define LIMIT_LOG_ANSWER_BYTES (64 * 1024)

/*
 * The work of svc-logger for one service, in bytes: a burst, then a rate per second. Each line
 * costs some bytes more. Services that write faster share LIMIT_LOG_FLOOD_BYTES per second, about a
 * tenth of a CPU, and block in write(2) meanwhile. At a higher rate, LIMIT_LOG_BYTES would keep
 * less than a second of output.
 */
#define LIMIT_LOG_BURST_BYTES (4 * 1024 * 1024)
#define LIMIT_LOG_RATE_BYTES (256 * 1024)
#define LIMIT_LOG_FLOOD_BYTES (16 * 1024 * 1024)
#define LIMIT_LOG_LINE_COST 100

/* Cause records kept for one service. */
#define LIMIT_CAUSES 16

/* Refused requesters that are recorded for one service. Few requesters ask for the same service. */
#define LIMIT_REFUSALS 8

/*
 * Template instances per operator: enough consoles, shares or sessions. Operators choose the names,
 * so one user could otherwise fill the machine. Root has no limit.
 */
#define LIMIT_INSTANCES_PER_OPERATOR 32

/* /etc/group: enough for ten thousand groups with long lists of members. */
#define LIMIT_GROUP_FILE_BYTES (2 * 1024 * 1024)

/* Simultaneous clients of the private socket. */
#define LIMIT_PRIVATE_CLIENTS 64

/*
 * The interval between log lines about misbehaving clients of a socket. A process that may connect
 * must not be able to fill the log.
 */
#define LIMIT_CLIENT_REMARK_US (60 * G_USEC_PER_SEC)

/*
 * The pause after the whole machine has run out of open files. A client that can be neither
 * accepted nor turned away would otherwise wake us again at once.
 */
#define LIMIT_NO_FILES_PAUSE_US (100 * 1000)

/* Conditions that one client watches at a time: a script waits for a handful. */
#define LIMIT_WATCHES 64

/*
 * The time for authentication on the private socket, so that silent clients cannot occupy all
 * places.
 */
#define LIMIT_AUTH_US (10 * G_USEC_PER_SEC)

/*
 * The length of a line of the authentication (our clients send 60 bytes), and the number of lines.
 */
#define LIMIT_AUTH_LINE_BYTES 512
#define LIMIT_AUTH_LINES 16

/* A message from a client: the methods of org.svcd1 take only a few names. */
#define LIMIT_BUS_MESSAGE_BYTES (64 * 1024)

/*
 * Answers that wait until a client reads them. Above the first limit its calls are not read, and
 * above the second it is disconnected.
 */
#define LIMIT_BUS_QUEUE_PAUSE_BYTES (256 * 1024)
#define LIMIT_BUS_QUEUE_BYTES (1024 * 1024)

/*
 * Calls of one client in one turn of the main loop, and the time after which no further call
 * begins. With a thousand services one answer may take several milliseconds.
 */
#define LIMIT_BUS_BATCH 8
#define LIMIT_BUS_TURN_US 1000

/*
 * If a turn of users' calls takes longer than the first limit, because of a large answer, the next
 * turn is delayed by FACTOR times that duration, up to the last limit. So users' calls take at most
 * a fifth of the manager's time, and leave the rest to root's requests.
 */
#define LIMIT_STRANGERS_TURN_US (2 * 1000)
#define LIMIT_STRANGERS_REST_FACTOR 4
#define LIMIT_STRANGERS_REST_US (200 * G_TIME_SPAN_MILLISECOND)

/*
 * A message from the system bus, such as the answer of a service with large objects. Longer
 * messages are skipped and do not end the connection, because any process on the bus may send us a
 * message. dbus-daemon accepts 32 MiB.
 */
#define LIMIT_SYSTEM_BUS_MESSAGE_BYTES (1024 * 1024)

/*
 * Data that waits until the bus daemon reads it. Above the first limit nothing is read from the
 * daemon. Above the second, the daemon has evidently stopped reading: the connection is closed, and
 * all questions are repeated. Ten thousand simultaneous questions after a reconnection take 2 MiB.
 */
#define LIMIT_SYSTEM_BUS_QUEUE_PAUSE_BYTES (4 * 1024 * 1024)
#define LIMIT_SYSTEM_BUS_QUEUE_BYTES (8 * 1024 * 1024)

/*
 * Messages of the bus in one turn of the main loop, within LIMIT_BUS_TURN_US. Such a turn only puts
 * calls into the queues of their callers.
 */
#define LIMIT_SYSTEM_BUS_BATCH 64

/*
 * Queued calls from the system bus: calls and bytes of one caller, and bytes of all callers. The
 * bus allows 128 open calls per connection (dbus-daemon(1)), so only a caller that wants no answers
 * reaches the first limit.
 */
#define LIMIT_CALLS_QUEUED_OF_CALLER 128
#define LIMIT_CALLS_QUEUED_OF_CALLER_BYTES LIMIT_BUS_MESSAGE_BYTES
#define LIMIT_CALLS_QUEUED_BYTES (2 * 1024 * 1024)

/*
 * In a flood of calls the bus daemon reads 4 KiB from us in each round over all connections. Large
 * answers would occupy our only connection for seconds.
 *
 * The bus counts as slow once it has kept us waiting for LIMIT_BUS_SLOW_US, and for
 * LIMIT_BUS_SLOW_HOLD_US after that. While it is slow, a user with more than LIMIT_CALLS_WHILE_SLOW
 * waiting calls gets errors until no call of this user waits. If more than LIMIT_CALLS_IN_FLOOD
 * calls of all users wait, an error replaces each answer longer than LIMIT_ANSWER_IN_FLOOD_BYTES,
 * because an answer cannot be interrupted. No message can overtake the data in the socket buffer.
 * So the buffer is as small as the kernel allows: about the size that the bus daemon reads in a
 * round.
 */
#define LIMIT_BUS_SLOW_US (100 * G_TIME_SPAN_MILLISECOND)
#define LIMIT_BUS_SLOW_HOLD_US G_USEC_PER_SEC
#define LIMIT_CALLS_WHILE_SLOW 64
#define LIMIT_CALLS_IN_FLOOD 32
#define LIMIT_ANSWER_IN_FLOOD_BYTES 2048
#define LIMIT_SYSTEM_BUS_SOCKET_BYTES 1

/*
 * Simultaneous queries to the bus daemon for the user of a caller. The daemon reads this many in
 * one round.
 */
#define LIMIT_CALLERS_QUERIED 16

/*
 * Match rules of one kind on the system bus. Beyond this number, one common rule matches more than
 * needed. There are four kinds, and the bus accepts 512 rules from one connection
 * (max_match_rules_per_connection in dbus-daemon(1)).
 */
#define LIMIT_BUS_RULES 96

/*
 * Unanswered calls to services on the system bus. The bus allows 128 per connection
 * (dbus-daemon(1)).
 */
#define LIMIT_BUS_CALLS 32

/*
 * A string in a property of a bus object. No service file can contain a longer one to compare with.
 */
#define LIMIT_BUS_TEXT_BYTES LIMIT_LINE_BYTES

/* Device events in one turn of the main loop. */
#define LIMIT_UDEV_BATCH 64

/*
 * The queue for device events holds several thousand. If it overflows, all devices must be scanned
 * again.
 */
#define LIMIT_UDEV_BUFFER_BYTES (16 * 1024 * 1024)

/*
 * The size of one property of a device, and the number of its properties. No udev message reaches
 * either.
 */
#define LIMIT_UDEV_PROPERTY_BYTES 8192
#define LIMIT_UDEV_PROPERTIES 1024

/*
 * Network interfaces and default routes that are tracked. A machine full of containers has hundreds
 * of interfaces.
 */
#define LIMIT_NETWORK_LINKS 8192
#define LIMIT_DEFAULT_ROUTES 64

/* Interfaces that one message lists. */
#define LIMIT_LINKS_NAMED 20

/*
 * Calls from the system bus that wait for polkit: of one client, of one user with many clients, and
 * in total. For each we have an unanswered call to polkit. The bus allows 128 per connection
 * (dbus-daemon(1)), and the providers may use LIMIT_BUS_CALLS of them.
 */
#define LIMIT_PARKED_PER_CLIENT 16
#define LIMIT_PARKED_PER_USER 32
#define LIMIT_PARKED 64

/*
 * The time for polkit to decide, without and with a user who enters a password. The first is
 * shorter than the default timeout of clients, 25 s, so that they get our error message and not
 * their own.
 */
#define LIMIT_AUTHORIZE_US (15 * G_USEC_PER_SEC)
#define LIMIT_AUTHENTICATE_US (120 * G_USEC_PER_SEC)

/*
 * A policy change requested on the bus: its arguments; their bytes with a NUL each, which fit into
 * one message to the keeper; the changes that wait for the present one; the output that is kept;
 * and the time. A change writes and syncs four small files, so only a failing disk takes longer.
 */
#define LIMIT_CHANGE_ARGUMENTS 64
#define LIMIT_CHANGE_BYTES 4096
#define LIMIT_CHANGES_WAITING 16
#define LIMIT_CHANGE_OUTPUT_BYTES (16 * 1024)
#define LIMIT_CHANGE_US (60 * G_USEC_PER_SEC)

/*
 * Requests that wait for the CheckCommand= of a service. Each is a call of a client that waits for
 * its answer.
 */
#define LIMIT_CHECKS_WAITING 256

/* Flags that are set at the same time. */
#define LIMIT_FLAGS 256
/* Flags of one owner of a bus name, which any program may be. */
#define LIMIT_FLAGS_OF_OWNER 32

/*
 * Without cgroups: the bytes read from the environment of a process, and the number of its
 * ancestors that are followed.
 */
#define LIMIT_ENVIRON_BYTES (256 * 1024)
#define LIMIT_TAGGED_DEPTH 64

/* How often in a row the environment of a process is read while the process is in execve(2). */
#define LIMIT_TAGGED_LOOKS 3

#endif
