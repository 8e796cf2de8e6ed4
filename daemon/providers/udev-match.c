/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Udev match: words and patterns against one device's properties.
 */
#include "config.h"

#include "providers/udev-match.h"

#include <string.h>

struct UdevMatch {
	KeyPrefix prefix;
	char *subsystem; /* NULL: any */
	char **words;
};

/*
 * Whose nodes these are, by their names alone, where that is certain: the device need not be there yet. In /dev itself only the
 * kernel makes such names; the subdirectories are those of udev's own rules.
 */
static const struct {
	const char *pattern;
	const char *subsystem;
} nodes[] = {
	{ "/dev/disk/*", "block" }, { "/dev/sd*", "block" }, { "/dev/vd*", "block" }, { "/dev/xvd*", "block" },
	{ "/dev/nvme*n*", "block" }, { "/dev/dm-*", "block" }, { "/dev/sr?", "block" }, { "/dev/input/*", "input" },
	{ "/dev/dri/*", "drm" }, { "/dev/snd/*", "sound" },
};

static const char *subsystem_of_node(const char *path)
{
	for (size_t i = 0; i < G_N_ELEMENTS(nodes); i++)
		if (udev_match_pattern(nodes[i].pattern, path))
			return nodes[i].subsystem;
	return NULL;
}

static const char *subsystem_of_words(char **words)
{
	for (; *words; words++)
		if (g_str_has_prefix(*words, "SUBSYSTEM=") && !strpbrk(*words, "*?"))
			return strchr(*words, '=') + 1;
	return NULL;
}

UdevMatch *udev_match_new(const char *key)
{
	UdevMatch *match = g_new0(UdevMatch, 1);
	g_autofree char *prefix = g_strndup(key, (gsize)(key_argument(key) - 1 - key));
	bool is_known = key_prefix_from_name(prefix, &match->prefix);

	g_assert(is_known);
	if (match->prefix == KEY_UDEV) {
		match->words = key_argument_words(key);
		match->subsystem = g_strdup(subsystem_of_words(match->words));
	} else if (match->prefix == KEY_DEVICE) {
		match->subsystem = g_strdup(subsystem_of_node(key_argument(key)));
	} else {
		match->subsystem = g_strdup("block");
	}
	return match;
}

void udev_match_free(UdevMatch *match)
{
	if (!match)
		return;
	g_free(match->subsystem);
	g_strfreev(match->words);
	g_free(match);
}

KeyPrefix udev_match_prefix(const UdevMatch *match)
{
	return match->prefix;
}

const char *udev_match_subsystem(const UdevMatch *match)
{
	return match->subsystem;
}

bool udev_match_has_in_scope(const UdevMatch *match, const UdevRecord *record)
{
	return !match->subsystem || strcmp(match->subsystem, record->subsystem) == 0;
}

const char *const *udev_match_words(const UdevMatch *match)
{
	static const char *const none[] = { NULL };

	return match->words ? (const char *const *)match->words : none;
}

static const char *next_character(const char *text)
{
	text++;
	while (((unsigned char)*text & 0xc0) == 0x80)
		text++;
	return text;
}

/*
 * Not GPatternSpec: that takes exponential time for some patterns, and wants valid UTF-8; a device's text may be anything.
 * Going back to the last star alone is enough: what an earlier star could take more of, the last one can take too.
 */
bool udev_match_pattern(const char *pattern, const char *text)
{
	const char *star = NULL; /* what follows the last star, and where its text could end next */
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

bool udev_match_word_holds(const char *word, const UdevRecord *record)
{
	const char *pattern = strchr(word, '=') + 1;
	g_autofree char *name = g_strndup(word, (gsize)(pattern - 1 - word));
	const char *value;

	if (strcmp(name, "TAG") == 0)
		return udev_record_has_tag(record, pattern);
	value = udev_record_property(record, name);
	return value && udev_match_pattern(pattern, value);
}

bool udev_match_holds(const UdevMatch *match, const UdevRecord *record)
{
	if (!udev_match_has_in_scope(match, record))
		return false;
	for (char **word = match->words; word && *word; word++)
		if (!udev_match_word_holds(*word, record))
			return false;
	return true;
}
