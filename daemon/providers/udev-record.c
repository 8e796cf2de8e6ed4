/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Udev record: the properties of one device, the names that follow from them, and the terms and
 * patterns of conditions.
 */
#include "config.h"

#include "providers/udev-record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/text.h"

#define SHOWN_BYTES 120

/*
 * Only events have these properties, not devices. The present state must not depend on the way it
 * was received.
 */
static const char *const of_an_event[] = { "ACTION", "SEQNUM", "SYNTH_UUID", "DEVPATH_OLD" };

static bool has_name(const char *property, const char *name)
{
	const size_t length = strlen(name);

	return strncmp(property, name, length) == 0 && property[length] == '=';
}

static bool is_kept(const char *property)
{
	const char *equals = strchr(property, '=');

	if (!equals || strlen(property) > LIMIT_UDEV_PROPERTY_BYTES)
		return false;
	for (size_t i = 0; i < G_N_ELEMENTS(of_an_event); i++)
		if (has_name(property, of_an_event[i]))
			return false;
	return true;
}

/*
 * Sorts the properties. The links and tags within a property have no fixed order, and need none,
 * because they are looked up by name.
 */
static char **copy_properties(const char *const *properties)
{
	GPtrArray *kept = g_ptr_array_new();

	for (; *properties && kept->len < LIMIT_UDEV_PROPERTIES; properties++)
		if (is_kept(*properties))
			g_ptr_array_add(kept, g_strdup(*properties));
	g_ptr_array_sort(kept, text_compare);
	g_ptr_array_add(kept, NULL);
	return (char **)g_ptr_array_free(kept, FALSE);
}

UdevRecord *udev_record_new(const char *syspath, const char *const *properties)
{
	UdevRecord *record = g_new0(UdevRecord, 1);
	const char *subsystem;

	record->syspath = g_strdup(syspath);
	record->properties = copy_properties(properties);
	subsystem = udev_record_property(record, "SUBSYSTEM");
	record->subsystem = subsystem ? subsystem : "";
	record->slots = g_ptr_array_new();
	return record;
}

UdevRecord *udev_record_copy(const UdevRecord *record)
{
	UdevRecord *copy =
		udev_record_new(record->syspath, (const char *const *)record->properties);

	copy->is_empty = record->is_empty;
	return copy;
}

void udev_record_free(UdevRecord *record)
{
	if (!record)
		return;
	g_free(record->syspath);
	g_strfreev(record->properties);
	g_ptr_array_unref(record->slots);
	g_free(record);
}

const char *udev_record_property(const UdevRecord *record, const char *name)
{
	for (char **property = record->properties; *property; property++)
		if (has_name(*property, name))
			return *property + strlen(name) + 1;
	return NULL;
}

bool udev_record_is_ready(const UdevRecord *record)
{
	return g_strcmp0(udev_record_property(record, "SYSTEMD_READY"), "0") != 0;
}

static bool has_any_of(const UdevRecord *record, const char *const *names)
{
	for (; *names; names++) {
		const char *value = udev_record_property(record, *names);

		if (value && *value)
			return true;
	}
	return false;
}

bool udev_record_is_volume(const UdevRecord *record)
{
	static const char *const names[] = { "ID_FS_LABEL_ENC", "ID_FS_UUID_ENC", NULL };

	return strcmp(record->subsystem, "block") == 0 && has_any_of(record, names);
}

bool udev_record_is_blank(const UdevRecord *record)
{
	static const char *const names[] = { "ID_FS_TYPE", "ID_FS_USAGE", "ID_FS_LABEL_ENC",
					     "ID_FS_UUID_ENC", NULL };

	return strcmp(record->subsystem, "block") == 0 && !has_any_of(record, names);
}

bool udev_record_has_partitions(const UdevRecord *record)
{
	return udev_record_property(record, "ID_PART_TABLE_TYPE") != NULL;
}

bool udev_record_is_unread(const UdevRecord *record)
{
	return g_strcmp0(udev_record_property(record, "DM_SUSPENDED"), "1") == 0 ||
	       g_strcmp0(udev_record_property(record, "DM_NOSCAN"), "1") == 0;
}

bool udev_record_is_unready_while_blank(const UdevRecord *record)
{
	const char *uuid = udev_record_property(record, "DM_UUID");

	return uuid && g_str_has_prefix(uuid, "CRYPT-") && udev_record_is_blank(record);
}

/*
 * Tags are ":one:two:". TAGS also contains past tags; CURRENT_TAGS (since udev 247) contains only
 * those of the last event.
 */
bool udev_record_has_tag(const UdevRecord *record, const char *tag)
{
	const char *tags = udev_record_property(record, "CURRENT_TAGS");
	g_autofree char *enclosed = g_strconcat(":", tag, ":", NULL);

	if (!tags)
		tags = udev_record_property(record, "TAGS");
	return tags && *tag && !strchr(tag, ':') && strstr(tags, enclosed);
}

char *udev_text_decode(const char *text)
{
	GString *out = g_string_sized_new(strlen(text));

	for (; *text; text++) {
		const int high = text[0] == '\\' && text[1] == 'x' ? g_ascii_xdigit_value(text[2]) :
								     -1;
		const int low = high >= 0 ? g_ascii_xdigit_value(text[3]) : -1;

		if (low < 0 || high * 16 + low == 0) {
			g_string_append_c(out, *text);
			continue;
		}
		g_string_append_c(out, (char)(high * 16 + low));
		text += 3;
	}
	return g_string_free(out, FALSE);
}

/*
 * ID_FS_LABEL and ID_FS_UUID have some bytes replaced, so "my data" and "my_data" become the same.
 */
static void add_volume_keys(const UdevRecord *record, GPtrArray *keys)
{
	const char *label = udev_record_property(record, "ID_FS_LABEL_ENC");
	const char *uuid = udev_record_property(record, "ID_FS_UUID_ENC");

	if (label && *label) {
		g_autofree char *decoded = udev_text_decode(label);

		g_ptr_array_add(keys, g_strconcat("label:", decoded, NULL));
	}
	if (uuid && *uuid) {
		g_autofree char *decoded = udev_text_decode(uuid);
		g_autofree char *lower = g_ascii_strdown(decoded, -1);

		g_ptr_array_add(keys, g_strconcat("uuid:", lower, NULL));
	}
}

/* The kernel's DEVNAME is "sda", udev's "/dev/sda". */
static char *device_node(const UdevRecord *record)
{
	const char *name = udev_record_property(record, "DEVNAME");

	if (!name || !*name)
		return NULL;
	return *name == '/' ? g_strdup(name) : g_strconcat("/dev/", name, NULL);
}

char **udev_record_keys(const UdevRecord *record)
{
	GPtrArray *keys = g_ptr_array_new();
	g_autofree char *node = device_node(record);
	const char *links = udev_record_property(record, "DEVLINKS");
	g_auto(GStrv) each = g_strsplit(links ? links : "", " ", -1);

	add_volume_keys(record, keys);
	if (node)
		g_ptr_array_add(keys, g_strconcat("device:", node, NULL));
	for (char **link = each; *link; link++)
		if (**link)
			g_ptr_array_add(keys, g_strconcat("device:", *link, NULL));
	g_ptr_array_add(keys, NULL);
	return (char **)g_ptr_array_free(keys, FALSE);
}

char *udev_record_name(const UdevRecord *record)
{
	g_autofree char *node = device_node(record);

	return udev_text_show(node ? node : record->syspath);
}

char *udev_text_show(const char *text)
{
	g_autofree char *beginning = g_strndup(text, SHOWN_BYTES); /* may end inside a character */
	g_autofree char *shown = text_escape_terminal(beginning);

	return strlen(text) > SHOWN_BYTES ? g_strconcat(shown, "...", NULL) :
					    g_steal_pointer(&shown);
}

/* --- from libudev: the manager and svc-worker make the same record of the same device --- */

void udev_record_note_read_error(int *trouble)
{
	if (errno == ENOMEM || errno == EMFILE || errno == ENFILE)
		*trouble = errno;
}

UdevRecord *udev_record_from_device(struct udev_device *device, const char *subsystem, int *trouble)
{
	g_autoptr(GPtrArray) properties = g_ptr_array_new_with_free_func(g_free);
	struct udev_list_entry *first;
	struct udev_list_entry *entry;
	bool has_subsystem = false;

	errno = 0;
	first = udev_device_get_properties_list_entry(device);
	udev_record_note_read_error(trouble);
	if (!first && *trouble == 0)
		*trouble = ENOMEM; /* each device has at least a DEVPATH */
	if (*trouble)
		return NULL;
	udev_list_entry_foreach(entry, first)
	{
		const char *name = udev_list_entry_get_name(entry);
		const char *value = udev_list_entry_get_value(entry);

		g_ptr_array_add(properties, g_strconcat(name, "=", value ? value : "", NULL));
		has_subsystem = has_subsystem || strcmp(name, "SUBSYSTEM") == 0;
	}
	if (!has_subsystem && subsystem)
		g_ptr_array_add(properties, g_strconcat("SUBSYSTEM=", subsystem, NULL));
	g_ptr_array_add(properties, NULL);
	return udev_record_new(udev_device_get_syspath(device),
			       (const char *const *)properties->pdata);
}

/* --- the device that a condition requires --- */

/*
 * The subsystem of a device node by its name alone, where that is certain, because the device may
 * not exist yet. In /dev itself only the kernel makes such names. The subdirectories are those of
 * udev's own rules.
 */
static const struct {
	const char *pattern;
	const char *subsystem;
	/* clang-format off */
} nodes[] = {
	{ "/dev/disk/*", "block" }, { "/dev/sd*", "block" }, { "/dev/vd*", "block" }, { "/dev/xvd*", "block" },
	{ "/dev/nvme*n*", "block" }, { "/dev/dm-*", "block" }, { "/dev/sr?", "block" }, { "/dev/input/*", "input" },
	{ "/dev/dri/*", "drm" }, { "/dev/snd/*", "sound" },
};
/* clang-format on */

static const char *subsystem_of_node(const char *path)
{
	for (size_t i = 0; i < G_N_ELEMENTS(nodes); i++)
		if (udev_match_pattern(nodes[i].pattern, path))
			return nodes[i].subsystem;
	return NULL;
}

static const char *subsystem_of_tokens(char **tokens)
{
	for (; *tokens; tokens++)
		if (g_str_has_prefix(*tokens, "SUBSYSTEM=") && !strpbrk(*tokens, "*?"))
			return strchr(*tokens, '=') + 1;
	return NULL;
}

UdevMatch *udev_match_new(const char *key)
{
	UdevMatch *match = g_new0(UdevMatch, 1);
	g_autofree char *prefix = g_strndup(key, (gsize)(key_argument(key) - 1 - key));
	bool is_known = key_prefix_from_name(prefix, &match->prefix);

	g_assert(is_known);
	match->tokens = match->prefix == KEY_UDEV ? key_argument_tokens(key) : g_new0(char *, 1);
	if (match->prefix == KEY_UDEV)
		match->subsystem = g_strdup(subsystem_of_tokens(match->tokens));
	else if (match->prefix == KEY_DEVICE)
		match->subsystem = g_strdup(subsystem_of_node(key_argument(key)));
	else
		match->subsystem = g_strdup("block");
	return match;
}

void udev_match_free(UdevMatch *match)
{
	if (!match)
		return;
	g_free(match->subsystem);
	g_strfreev(match->tokens);
	g_free(match);
}

bool udev_match_has_in_scope(const UdevMatch *match, const UdevRecord *record)
{
	return !match->subsystem || strcmp(match->subsystem, record->subsystem) == 0;
}

static const char *next_character(const char *text)
{
	text++;
	while (((unsigned char)*text & 0xc0) == 0x80)
		text++;
	return text;
}

/*
 * Not GPatternSpec, because it takes exponential time for some patterns and requires valid UTF-8,
 * while a device's text may be anything. Going back only to the last star suffices: the last star
 * can take any text that an earlier one could.
 */
bool udev_match_pattern(const char *pattern, const char *text)
{
	/* the pattern after the last star, and the next possible end of the star's text */
	const char *star = NULL;
	const char *retry = NULL;

	while (*text) {
		if (*pattern == '*') {
			star = ++pattern;
			retry = text;
		} else if (*pattern == '?') {
			pattern++;
			text = next_character(text);
		} else if (*pattern == *text) {
			pattern++;
			text++;
		} else if (star) {
			pattern = star;
			text = retry = next_character(retry);
		} else {
			return false;
		}
	}
	return pattern[strspn(pattern, "*")] == '\0';
}

bool udev_match_token_is_true(const char *token, const UdevRecord *record)
{
	const char *pattern = strchr(token, '=') + 1;
	g_autofree char *name = g_strndup(token, (gsize)(pattern - 1 - token));
	const char *value;

	if (strcmp(name, "TAG") == 0)
		return udev_record_has_tag(record, pattern);
	value = udev_record_property(record, name);
	return value && udev_match_pattern(pattern, value);
}

bool udev_match_is_true(const UdevMatch *match, const UdevRecord *record)
{
	if (!udev_match_has_in_scope(match, record))
		return false;
	for (char **token = match->tokens; *token; token++)
		if (!udev_match_token_is_true(*token, record))
			return false;
	return true;
}
