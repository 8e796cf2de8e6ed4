/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Udev match: what one condition asks of a device.
 */
#ifndef SVCD_PROVIDERS_UDEV_MATCH_H
#define SVCD_PROVIDERS_UDEV_MATCH_H

#include <glib.h>
#include <stdbool.h>

#include "model/key.h"
#include "providers/udev-record.h"

typedef struct UdevMatch UdevMatch;

/* @key: interned, of one of the four prefixes */
UdevMatch *udev_match_new(const char *key);
void udev_match_free(UdevMatch *match); /* NULL is nothing */

KeyPrefix udev_match_prefix(const UdevMatch *match);

/*
 * The only subsystem whose devices can match; NULL when it may be any. The narrower, the fewer events wake the manager.
 */
const char *udev_match_subsystem(const UdevMatch *match);
bool udev_match_has_in_scope(const UdevMatch *match, const UdevRecord *record);

/* The words of an udev: condition, PROPERTY=PATTERN or TAG=NAME; none for the others. */
const char *const *udev_match_words(const UdevMatch *match);
bool udev_match_word_holds(const char *word, const UdevRecord *record);
/* All words of an udev: condition on one device. */
bool udev_match_holds(const UdevMatch *match, const UdevRecord *record);

/* @pattern: * is any text, ? one character. Takes a time of at most both lengths multiplied. */
bool udev_match_pattern(const char *pattern, const char *text);

#endif
