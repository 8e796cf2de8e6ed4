/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keys: the names of conditions, "prefix:argument", and the grammar of each prefix.
 *
 * One table lists the prefixes, the syntax of their arguments, and their providers.
 */
#ifndef SVCD_MODEL_KEY_H
#define SVCD_MODEL_KEY_H

#include <glib.h>
#include <stdbool.h>

#include "base/enum-names.h"

/* clang-format off */
#define KEY_PREFIXES(X, P)                                                                         \
	X(P, PATH, "path")         /* path:/x path:exec:/x path:dir:/x path:nonempty:/x */             \
	X(P, SERVICE, "service")   /* ready; for a task: succeeded */                              \
	X(P, SETTLED, "settled")   /* not about to change by itself; also settled:$facility */         \
	X(P, ACTIVE, "active")     /* has processes */                                                 \
	X(P, HEALTHY, "healthy")   /* ready, and its HealthCommand= succeeds */                    \
	X(P, FACILITY, "facility") /* facility:$network: every wanted provider is ready */             \
	X(P, KERNEL, "kernel")     /* kernel:token kernel:key=value on the command line */         \
	X(P, VIRTUAL, "virtual")   /* virtual:container virtual:vm */                                  \
	X(P, FLAG, "flag")         /* set by svcctl flag set */                                        \
	X(P, INSTALLED, "installed") /* the package of that program is set up and not being removed */ \
	X(P, MOUNTED, "mounted")   /* mounted:/usr is a mount point */                                 \
	X(P, DBUS, "dbus")         /* the bus name has an owner */                                     \
	X(P, DBUS_PROPERTY, "dbus-property") /* dbus-property:NAME PATH INTERFACE.PROPERTY OP VALUE */ \
	X(P, NETWORK, "network")   /* network:up network:online network:interface:eth0 */              \
	X(P, LABEL, "label")       /* a volume with that label, without udev's escapes */ \
	X(P, UUID, "uuid")         /* a volume with that UUID, in lower case */                    \
	X(P, DEVICE, "device")     /* device:/dev/sda2; also links */                              \
	X(P, UDEV, "udev")         /* udev:SUBSYSTEM=block ID_BUS=usb, all on one device; sorted */ \
	X(P, DUE, "due")           /* due:NAME/weekly: the last success of NAME is older */ \
	X(P, TIME, "time")         /* time:02:00-04:00 time:boot+15min */
/* clang-format on */
ENUM_WITH_NAMES(KeyPrefix, KEY, key_prefix, KEY_PREFIXES)

#define LEVELS(X, P) X(P, FALSE, "false") X(P, TRUE, "true") X(P, UNKNOWN, "unknown")
ENUM_WITH_NAMES(Level, LEVEL, level, LEVELS)

/**
 * key_parse() - parse the name of a condition
 * @text: for example "path:exec:/usr/sbin/sshd"
 * @ret_prefix: the kind of condition
 * @ret_canonical: interned, equal pointers for equal conditions (paths without "//" and final "/")
 * @ret_problem: on failure one sentence with a suggestion, a new string
 */
bool key_parse(const char *text, KeyPrefix *ret_prefix, const char **ret_canonical,
	       char **ret_problem);

/**
 * key_canonical() - check untrusted text, and make its canonical form
 *
 * The result is not interned. Interned strings are never freed, so a client without rights must not
 * add any.
 * Returns: the canonical text, a new string; NULL with *@ret_problem.
 */
char *key_canonical(const char *text, KeyPrefix *ret_prefix, char **ret_problem);

/* The interned copy of @canonical. NULL: there is none, so no such condition is known. */
const char *key_known(const char *canonical);

/* The part after "prefix:"; points into @canonical. */
const char *key_argument(const char *canonical);

/* For path: is it below /proc or /sys, where the kernel reports no changes? */
bool key_is_silent(const char *canonical);

/**
 * key_has_vocabulary() - does the argument continue over blanks, up to the next "|"?
 * @text: the beginning of a condition, at least "prefix:"
 */
bool key_has_vocabulary(const char *text);

/* The tokens of an argument that has several, without their quotes; a new strv. */
char **key_argument_tokens(const char *canonical);

/*
 * "NAME PATH INTERFACE.PROPERTY OP VALUE", with OP one of these. Text values support only = and !=.
 */
#define KEY_OPERATORS(X, P) \
	X(P, EQUAL, "=") X(P, UNEQUAL, "!=") X(P, AT_LEAST, ">=") X(P, AT_MOST, "<=")
ENUM_WITH_NAMES(KeyOperator, KEY_OPERATOR, key_operator, KEY_OPERATORS)

/*
 * True for service:, settled:, active:, healthy: and facility:, which the engine itself computes.
 */
bool key_prefix_is_internal(KeyPrefix prefix);

#endif
