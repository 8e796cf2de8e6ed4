/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Every limit, with its reason. Each has a test that reaches it.
 * Limits on what keeper and manager say to each other are in protocol/protocol.h.
 */
#ifndef SVCD_BASE_LIMITS_H
#define SVCD_BASE_LIMITS_H

#include "words/words.h"

/* A service's name: the longest cgroup directory or log file is 255 bytes, and suffixes are added to it. */
#define LIMIT_NAME_BYTES 200

/* One line of a service or policy file, continuation lines joined: longer than any command line in use. */
#define LIMIT_LINE_BYTES 8192

/* One service or policy file: a hundred times the largest that is shipped. */
#define LIMIT_FILE_BYTES (256 * 1024)

/*
 * All files of one load together, as svc-generate hands them to the manager: LIMIT_SERVICES files of 3 KiB, the size of the largest that
 * is shipped. The kept descriptor holds that much memory.
 */
#define LIMIT_BUNDLE_BYTES (64 * 1024 * 1024)

/* An init script: the largest that packages install have some 40 KiB. */
#define LIMIT_SCRIPT_BYTES (1024 * 1024)

/* Init scripts: large installations have two hundred. Each may be ordered to each other. */
#define LIMIT_SCRIPTS 1000

/* Loops in the order of init scripts that are broken with care, one edge at a time. Debian's have none. */
#define LIMIT_LOOPS 64

/* Service files in all directories together; entries of a directory of init scripts or links. */
#define LIMIT_SERVICES 20000

/*
 * The login screen is waited for at most so long since the boot began: a check of a disk or a missing screen must not keep
 * others down. And so long since its service is ready, should nobody tell that it is drawn: what GNOME's greeter takes on a
 * slow machine.
 */
#define LIMIT_LOGIN_SCREEN_US (90 * G_USEC_PER_SEC)
#define LIMIT_LOGIN_SCREEN_DRAWN_US (30 * G_USEC_PER_SEC)

/* What earlier boots took: services, and the file, in which the longest names with the longest numbers fit. */
#define LIMIT_DURATIONS 4096
#define LIMIT_DURATIONS_BYTES (2 * 1024 * 1024)

/* /run/svcd/boot: a few lines a service. */
#define LIMIT_BOOT_FILE_BYTES (8 * 1024 * 1024)

/*
 * The history of policy: steps, all of them together, one of them (some files, each twice), and files of one step.
 * The oldest go first; a year of changes by hand fits.
 */
#define LIMIT_HISTORY_STEPS 1000
#define LIMIT_HISTORY_BYTES (16 * 1024 * 1024)
#define LIMIT_HISTORY_STEP_BYTES (4 * 1024 * 1024)
#define LIMIT_HISTORY_FILES 64

/* How long a change of policy waits for another to end: each takes some fsyncs. */
#define LIMIT_POLICY_LOCK_US (10 * G_USEC_PER_SEC)

/* Entries of one list key, and words of one command. */
#define LIMIT_LIST_ENTRIES WORDS_MAX

/* Sockets of one service: they travel with one message to the keeper, which takes 64 descriptors, and some are others. */
#define LIMIT_SOCKETS 32

/* A name in LISTEN_FDNAMES, as sd_listen_fds_with_names(3) has it. */
#define LIMIT_SOCKET_NAME_BYTES 255

/* Alternatives in one term. */
#define LIMIT_TERM_ALTERNATIVES 64

/* Runlevels, the eight that always exist included; Include= is followed at most this deep. */
#define LIMIT_RUNLEVELS 64

/* An environment file, as read by svc-exec. */
#define LIMIT_ENVIRONMENT_FILE_BYTES (64 * 1024)

/* One sd_notify datagram; sd_notify(3) users send far less, systemd takes 4096. */
#define LIMIT_NOTIFY_BYTES 4096

/* A unit of work in one turn of the main loop, so that no source starves the others. */
#define LIMIT_NOTIFY_BATCH 32
#define LIMIT_KEEPER_BATCH 32

/* Output kept for one service in /run/svcd/log: this much in the current file, and as much in the one before. */
#define LIMIT_LOG_BYTES (256 * 1024)

/*
 * What svc-logger does for one service: so much at once, then so much a second; in bytes, and each line costs as much as some more
 * of them. Who says more shares the last with all others who do, some tenth of a processor, and waits in write(2) meanwhile. Of
 * what is said faster a second is not kept anyway: LIMIT_LOG_BYTES.
 */
#define LIMIT_LOG_BURST_BYTES (4 * 1024 * 1024)
#define LIMIT_LOG_RATE_BYTES (256 * 1024)
#define LIMIT_LOG_FLOOD_BYTES (16 * 1024 * 1024)
#define LIMIT_LOG_LINE_COST 100

/* Records of causes remembered for one service. */
#define LIMIT_CAUSES 16

/* Those whom policy refused a service, remembered by name; all are counted. A service has a few doors and names. */
#define LIMIT_REFUSALS 8

/*
 * Instances of templates that one operator has: a handful of consoles, shares or sessions. Names are free to choose, so without
 * it one user could fill the machine. Root has none.
 */
#define LIMIT_INSTANCES_PER_OPERATOR 32

/* /etc/group: ten thousand groups with long lists of members. */
#define LIMIT_GROUP_FILE_BYTES (2 * 1024 * 1024)

/* Clients of the private socket at one time. */
#define LIMIT_PRIVATE_CLIENTS 64

/* From one line of log about clients of a socket that misbehave to the next: who may connect must not be able to fill the log. */
#define LIMIT_CLIENT_REMARK_US (60 * G_USEC_PER_SEC)

/*
 * How long nobody is let in who cannot even be turned away, for no process of the machine may open a file: who waits would wake us at once
 * again.
 */
#define LIMIT_NO_FILES_PAUSE_US (100 * 1000)

/* Conditions that one client watches at one time: a script waits for a handful. */
#define LIMIT_WATCHES 64

/* Time for the private socket's greeting, so that silent clients cannot hold all places. */
#define LIMIT_AUTH_US (10 * G_USEC_PER_SEC)

/* One line of the greeting (ours have 60 bytes), and lines of it altogether. */
#define LIMIT_AUTH_LINE_BYTES 512
#define LIMIT_AUTH_LINES 16

/* A message from a client: all that org.svcd1 takes are some names. */
#define LIMIT_BUS_MESSAGE_BYTES (64 * 1024)

/* Answers that wait for a client to read them: above the first it is not listened to, above the second disconnected. */
#define LIMIT_BUS_QUEUE_PAUSE_BYTES (256 * 1024)
#define LIMIT_BUS_QUEUE_BYTES (1024 * 1024)

/*
 * Calls of one client in one turn of the main loop, and the time after which no other is begun: with a thousand services one
 * answer may take some milliseconds.
 */
#define LIMIT_BUS_BATCH 8
#define LIMIT_BUS_TURN_US 1000

/*
 * After a turn of users' calls that took longer than the first, because an answer was large, no other begins for so many times as
 * long, but never longer than the last: so the answers that users ask for take at most a fifth of the manager's time, one at a time,
 * and root's requests find it idle.
 */
#define LIMIT_STRANGERS_TURN_US (2 * 1000)
#define LIMIT_STRANGERS_REST_FACTOR 4
#define LIMIT_STRANGERS_REST_US (200 * G_TIME_SPAN_MILLISECOND)

/*
 * What the system bus sends us: answers of other services, whose objects may have much to tell. Longer ones are passed
 * over, not the end of the connection: anybody on the bus may address a message to us. dbus-daemon takes 32 MiB.
 */
#define LIMIT_SYSTEM_BUS_MESSAGE_BYTES (1024 * 1024)

/*
 * What waits for the bus daemon to read it. Above the first nothing is read from it, above the second (it is stopped) the
 * connection is given up, and all is asked again. Ten thousand questions at once, after a reconnection, have two MiB.
 */
#define LIMIT_SYSTEM_BUS_QUEUE_PAUSE_BYTES (4 * 1024 * 1024)
#define LIMIT_SYSTEM_BUS_QUEUE_BYTES (8 * 1024 * 1024)

/* Its messages in one turn of the main loop, within LIMIT_BUS_TURN_US: calls are only put into their callers' queues. */
#define LIMIT_SYSTEM_BUS_BATCH 64

/*
 * Calls from the system bus that wait for their turn: of one caller, with their bytes, and the bytes of all. The bus itself lets
 * 128 calls of one connection be open (dbus-daemon(1)), so only who wants no answers meets the first.
 */
#define LIMIT_CALLS_QUEUED_OF_CALLER 128
#define LIMIT_CALLS_QUEUED_OF_CALLER_BYTES LIMIT_BUS_MESSAGE_BYTES
#define LIMIT_CALLS_QUEUED_BYTES (2 * 1024 * 1024)

/*
 * In a flood the bus daemon reads four KiB of ours in each round of all others: answers that list everything would keep the
 * one connection busy for seconds. When it has kept us waiting for so long, and for a second after, a user of whom more calls
 * wait than so many gets errors instead, until none waits. If so many wait of all together, what would be a long answer is an
 * error, for whoever asks: none can be interrupted. What the socket holds, and nobody can overtake, is as short as the kernel
 * allows: about as much as the bus daemon reads in a round.
 */
#define LIMIT_BUS_SLOW_US (100 * G_TIME_SPAN_MILLISECOND)
#define LIMIT_BUS_SLOW_HOLD_US G_USEC_PER_SEC
#define LIMIT_CALLS_WHILE_SLOW 64
#define LIMIT_CALLS_IN_FLOOD 32
#define LIMIT_ANSWER_IN_FLOOD_BYTES 2048
#define LIMIT_SYSTEM_BUS_SOCKET_BYTES 1

/* Of how many callers the bus daemon is asked at one time whose they are; these questions are read in one round. */
#define LIMIT_CALLERS_ASKED 16

/*
 * Match rules of one kind on the system bus; whoever comes later shares one rule that hears more than is needed. There are
 * four kinds, and the bus takes 512 rules from one connection (max_match_rules_per_connection in dbus-daemon(1)).
 */
#define LIMIT_BUS_RULES 96

/* Questions to services on the system bus at one time; the bus lets 128 of one connection be open (dbus-daemon(1)). */
#define LIMIT_BUS_CALLS 32

/* A text that a property of a bus object has: longer ones are equal to nothing that a service file can hold. */
#define LIMIT_BUS_TEXT_BYTES LIMIT_LINE_BYTES

/* Events of devices in one turn of the main loop. */
#define LIMIT_UDEV_BATCH 64

/* The queue for events of devices: some thousand of them, before all devices must be looked at again. */
#define LIMIT_UDEV_BUFFER_BYTES (16 * 1024 * 1024)

/* One property of a device, and how many of one device: a message of udev's is smaller than either. */
#define LIMIT_UDEV_PROPERTY_BYTES 8192
#define LIMIT_UDEV_PROPERTIES 1024

/* Network interfaces and default routes that are looked at: a machine full of containers has hundreds of the first. */
#define LIMIT_NETWORK_LINKS 8192
#define LIMIT_DEFAULT_ROUTES 64

/* Interfaces that a sentence names. */
#define LIMIT_LINKS_NAMED 20

/*
 * Calls from the system bus that wait for polkit: of one client, of one user with many clients, and altogether. Each is a
 * question of ours, and the bus lets 128 of one connection be open (dbus-daemon(1)); LIMIT_BUS_CALLS are the providers'.
 */
#define LIMIT_PARKED_PER_CLIENT 16
#define LIMIT_PARKED_PER_USER 32
#define LIMIT_PARKED 64

/*
 * Time for polkit to decide, and with a user who types a password. The first is shorter than the 25 s that clients wait by
 * default, so that they get our sentence and not their own.
 */
#define LIMIT_AUTHORIZE_US (15 * G_USEC_PER_SEC)
#define LIMIT_AUTHENTICATE_US (120 * G_USEC_PER_SEC)

/*
 * A change of policy asked for on the bus: its words, and their bytes with a NUL each, which fit into one message to the
 * keeper; how many wait for the one that is being made; what is kept of what it says; and its time. It writes and syncs
 * four small files; only a disk in trouble takes longer.
 */
#define LIMIT_CHANGE_WORDS 64
#define LIMIT_CHANGE_BYTES 4096
#define LIMIT_CHANGES_WAITING 16
#define LIMIT_CHANGE_OUTPUT_BYTES (16 * 1024)
#define LIMIT_CHANGE_US (60 * G_USEC_PER_SEC)

/* Requests that wait for the CheckCommand= of a service; each is a call of a client that waits for its answer. */
#define LIMIT_CHECKS_WAITING 256

/* Flags that may be set at one time. */
#define LIMIT_FLAGS 256
/* Of these, the flags of one name on the bus: its program may be anybody's. */
#define LIMIT_FLAGS_OF_OWNER 32

/* What is read of a process' environment, and how far up its parents are followed, where there are no cgroups. */
#define LIMIT_ENVIRON_BYTES (256 * 1024)
#define LIMIT_KIN_DEPTH 64

/* So often at once the environment of a process is looked at that is just being executed. */
#define LIMIT_KIN_LOOKS 3

#endif
