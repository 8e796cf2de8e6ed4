/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Udev record: one device as plain text, as udev has left it, and what a condition asks of it. What
 * a device says of itself (labels, models, serial numbers) comes from whoever made it: it is
 * compared, and shown escaped, and nothing else.
 */
#ifndef SVCD_PROVIDERS_UDEV_RECORD_H
#define SVCD_PROVIDERS_UDEV_RECORD_H

#include <glib.h>
#include <libudev.h>
#include <stdbool.h>

#include "model/key.h"

typedef struct UdevRecord {
	char *syspath;         /* /sys/devices/...: the device's identity */
	char **properties;     /* NAME=VALUE, sorted by name */
	const char *subsystem; /* into @properties; "" when it has none */
	bool is_empty;         /* nothing in it can be read: a slot without its card, a loop device without its file; never set from an event */
	GPtrArray *slots;      /* the table's; see there */
	unsigned seen;         /* in which listing last */
} UdevRecord;

/* @properties: a strv of NAME=VALUE. What belongs to an event (ACTION, SEQNUM) and what is too long is left out. */
UdevRecord *udev_record_new(const char *syspath, const char *const *properties);
UdevRecord *udev_record_copy(const UdevRecord *record); /* that no table knows */
void udev_record_free(UdevRecord *record); /* NULL is nothing */

/* Returns: its value, or NULL. */
const char *udev_record_property(const UdevRecord *record, const char *name);

/* False: udev knows the device, but nobody is to use it yet (SYSTEMD_READY=0: an array without all its members). */
bool udev_record_is_ready(const UdevRecord *record);

/* It has a label or a UUID. */
bool udev_record_is_volume(const UdevRecord *record);

/* blkid has found nothing that is in it: no file system, no member of something larger. */
bool udev_record_is_blank(const UdevRecord *record);

bool udev_record_has_partitions(const UdevRecord *record);

/* Device-mapper's, suspended or made just now: udev's rules have not read what is in it (60-persistent-storage-dm.rules). */
bool udev_record_is_unread(const UdevRecord *record);

/*
 * It is not ready only because nothing was found in it: 99-systemd.rules takes an encrypted device without content for one that is
 * just being made.
 */
bool udev_record_is_unready_while_blank(const UdevRecord *record);

bool udev_record_has_tag(const UdevRecord *record, const char *tag);

/* The keys of the conditions that it makes true by its names: label:, uuid:, device:. A new strv. */
char **udev_record_keys(const UdevRecord *record);

/* For people: "/dev/sda1", or its path in /sys when it has no node; a new string. */
char *udev_record_name(const UdevRecord *record);

/* @text as it can be shown: valid, of one line, not long; a new string. */
char *udev_text_show(const char *text);

/* Undo udev's \xHH (ID_FS_LABEL_ENC); a new string. */
char *udev_text_decode(const char *text);

/* --- from libudev --- */

/*
 * Without memory or descriptors libudev answers as if there were nothing, and only errno differs, until its next call. A device that
 * cannot be read must not be taken for one that is gone, because then services that need it would be stopped.
 *
 * Sets @trouble to errno if that is such an error; else leaves it alone.
 */
void udev_record_note_read_error(int *trouble);

/**
 * udev_record_from_device() - all properties of a device
 * @device:    of an event: nothing is read from a file, because all properties came with the event
 * @subsystem: for a device of /sys, which has it only as a link; NULL for that of an event, which has it among its properties
 *
 * Returns: a new record, or NULL if the device cannot be read at present, and then @trouble is set.
 */
UdevRecord *udev_record_from_device(struct udev_device *device, const char *subsystem, int *trouble);

/* --- what one condition asks of a device --- */

typedef struct UdevMatch {
	KeyPrefix prefix;
	char *subsystem; /* the only one whose devices can match; NULL: any. The narrower, the fewer events wake the manager */
	char **words;    /* of an udev: condition, PROPERTY=PATTERN or TAG=NAME; none for the others */
} UdevMatch;

/* @key: interned, of one of the four prefixes */
UdevMatch *udev_match_new(const char *key);
void udev_match_free(UdevMatch *match); /* NULL is nothing */

bool udev_match_has_in_scope(const UdevMatch *match, const UdevRecord *record);

bool udev_match_word_holds(const char *word, const UdevRecord *record);
/* All words of an udev: condition on one device. */
bool udev_match_holds(const UdevMatch *match, const UdevRecord *record);

/* @pattern: * is any text, ? one character. Takes a time of at most both lengths multiplied. */
bool udev_match_pattern(const char *pattern, const char *text);

#endif
