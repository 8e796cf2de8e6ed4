/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Udev record: one device as plain text, as udev has processed it, and the requirements of a
 * condition. The device's manufacturer or user chooses its labels, models and serial numbers. These
 * texts are only compared, or shown escaped.
 */
#ifndef SVCD_PROVIDERS_UDEV_RECORD_H
#define SVCD_PROVIDERS_UDEV_RECORD_H

#include <glib.h>
#include <libudev.h>
#include <stdbool.h>

#include "model/key.h"

typedef struct UdevRecord {
	char *syspath; /* /sys/devices/...: the device's identity */
	char **properties; /* NAME=VALUE, sorted by name */
	const char *subsystem; /* into @properties; "" if it has none */
	/*
	 * it has no readable content: a slot without its card, a loop device without its file;
	 * never set from an event
	 */
	bool is_empty;
	GPtrArray *slots; /* owned by the table (udev-table.c) */
	unsigned seen; /* the last listing that contained it */
} UdevRecord;

/*
 * @properties: a strv of NAME=VALUE. Properties of events (ACTION, SEQNUM) and overlong ones are
 * left out.
 */
UdevRecord *udev_record_new(const char *syspath, const char *const *properties);
UdevRecord *udev_record_copy(const UdevRecord *record); /* a copy that is in no table */
void udev_record_free(UdevRecord *record); /* NULL is allowed */

/* Returns: its value, or NULL. */
const char *udev_record_property(const UdevRecord *record, const char *name);

/*
 * False: udev knows the device, but it is not ready for use (SYSTEMD_READY=0: an array without all
 * its members).
 */
bool udev_record_is_ready(const UdevRecord *record);

/* Does the device have a label or a UUID? */
bool udev_record_is_volume(const UdevRecord *record);

/* Has blkid found no content: neither a file system nor a part of an array or the like? */
bool udev_record_is_blank(const UdevRecord *record);

bool udev_record_has_partitions(const UdevRecord *record);

/*
 * Is this a device-mapper device that is suspended or new? Then udev's rules have not read its
 * content (60-persistent-storage-dm.rules).
 */
bool udev_record_is_unread(const UdevRecord *record);

/*
 * Is lack of content the only reason why the device is not ready? 99-systemd.rules treats an
 * encrypted device without content as incomplete.
 */
bool udev_record_is_unready_while_blank(const UdevRecord *record);

bool udev_record_has_tag(const UdevRecord *record, const char *tag);

/* The keys of the conditions that its names make true: label:, uuid:, device:. A new strv. */
char **udev_record_keys(const UdevRecord *record);

/* For users: "/dev/sda1", or its path in /sys if it has no node; a new string. */
char *udev_record_name(const UdevRecord *record);

/* @text for display: valid UTF-8, one line, limited length; a new string. */
char *udev_text_show(const char *text);

/* Undoes udev's \xHH (ID_FS_LABEL_ENC); a new string. */
char *udev_text_decode(const char *text);

/* --- from libudev --- */

/*
 * Without memory or descriptors libudev answers as if there were nothing, and only errno shows the
 * error until the next call of libudev. An unreadable device must not count as removed, because
 * services that need it would then be stopped.
 *
 * Sets @trouble to errno for such an error; otherwise leaves it unchanged.
 */
void udev_record_note_read_error(int *trouble);

/**
 * udev_record_from_device() - all properties of a device
 * @device: if it is from an event, no file is read, because all properties came with the event
 * @subsystem: for a device of /sys, where the subsystem is only a link; NULL for a device of an
 * event, because its properties contain the subsystem
 *
 * Returns: a new record, or NULL with @trouble set if the device cannot be read at present.
 */
UdevRecord *udev_record_from_device(struct udev_device *device, const char *subsystem,
				    int *trouble);

/* --- the device that a condition requires --- */

typedef struct UdevMatch {
	KeyPrefix prefix;
	/*
	 * the only subsystem with matching devices; NULL: any. A narrow subsystem causes fewer
	 * wake-ups
	 */
	char *subsystem;
	/* of an udev: condition, PROPERTY=PATTERN or TAG=NAME; none for other conditions */
	char **tokens;
} UdevMatch;

/* @key: interned, of one of the four prefixes */
UdevMatch *udev_match_new(const char *key);
void udev_match_free(UdevMatch *match); /* NULL is allowed */

bool udev_match_has_in_scope(const UdevMatch *match, const UdevRecord *record);

bool udev_match_token_is_true(const char *token, const UdevRecord *record);
/* Does one device fulfil all requirements of an udev: condition? */
bool udev_match_is_true(const UdevMatch *match, const UdevRecord *record);

/*
 * @pattern: * is any text, ? one character. Takes at most time proportional to the product of both
 * lengths.
 */
bool udev_match_pattern(const char *pattern, const char *text);

#endif
