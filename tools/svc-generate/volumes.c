/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Volumes: see volumes.h.
 */
#include "config.h"

#include "svc-generate/volumes.h"

#include <stdarg.h>
#include <string.h>

#include "base/limits.h"
#include "base/text.h"

#define POLICY_FILE "50-fstab.policy"

/* Characters that are kept in a service's name. "@" is not, because it would make an instance. */
#define PLAIN_IN_NAMES G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_.:"

/* Characters that udev keeps in the links below /dev/disk. */
#define PLAIN_IN_LINKS G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "#+-.:=@_"

typedef enum TagKind {
	TAG_LABEL,
	TAG_UUID,
	TAG_PARTLABEL,
	TAG_PARTUUID,
	TAG_ID,
	TAG_COUNT
} TagKind;

/* For "LABEL=x" and similar: the keyword, udev's directory, the part of a service's name. */
static const struct {
	const char *tag;
	const char *directory;
	const char *name;
} tags[TAG_COUNT] = {
	[TAG_LABEL] = { "LABEL=", "by-label", "label" },
	[TAG_UUID] = { "UUID=", "by-uuid", "uuid" },
	[TAG_PARTLABEL] = { "PARTLABEL=", "by-partlabel", "partlabel" },
	[TAG_PARTUUID] = { "PARTUUID=", "by-partuuid", "partuuid" },
	[TAG_ID] = { "ID=", "by-id", "id" },
};

/* Mounted before svcd runs and needed until the very end: no service unmounts it. */
static bool is_for_the_finale(const char *target)
{
	static const char *const targets[] = { "/proc",    "/sys", "/dev", "/dev/pts",
					       "/dev/shm", "/run", "/usr", NULL };

	return g_strv_contains(targets, target);
}

static void append_name_bytes(GString *name, const char *text)
{
	for (const char *p = text; *p; p++) {
		if (*p == '/')
			g_string_append_c(name, '-');
		else if (*p == '-' && p > text && p[-1] != '/')
			g_string_append(name, "--");
		else if (strchr(PLAIN_IN_NAMES, *p))
			g_string_append_c(name, *p);
		else
			g_string_append_printf(name, "+%02x", (unsigned char)*p);
	}
}

/* "@prefix-@text" as a service's name, limited to the maximum length. */
static char *make_name(const char *prefix, const char *text)
{
	enum { CHECKSUM_BYTES = 16 };
	g_autoptr(GString) name = g_string_new(prefix);
	g_autofree char *checksum = NULL;

	g_string_append_c(name, '-');
	append_name_bytes(name, text);
	if (name->len > LIMIT_NAME_BYTES) {
		checksum = g_compute_checksum_for_string(G_CHECKSUM_SHA256, text, -1);
		g_string_truncate(name, LIMIT_NAME_BYTES - CHECKSUM_BYTES - 1);
		g_string_append_printf(name, "+%.*s", CHECKSUM_BYTES, checksum);
	}
	return g_string_free(g_steal_pointer(&name), FALSE);
}

char *volume_mount_name(const char *target)
{
	return make_name("mount", *target == '/' ? target + 1 : target);
}

char *volume_crypt_name(const char *mapping)
{
	return make_name("crypt", mapping);
}

/* "swap-label-x", "swap-dev-sda2" */
static char *source_name(const char *prefix, const char *source)
{
	for (TagKind kind = 0; kind < TAG_COUNT; kind++) {
		if (g_str_has_prefix(source, tags[kind].tag)) {
			g_autofree char *head = g_strdup_printf("%s-%s", prefix, tags[kind].name);

			return make_name(head, source + strlen(tags[kind].tag));
		}
	}
	return make_name(prefix, *source == '/' ? source + 1 : source);
}

char *volume_service_name(const FstabEntry *entry)
{
	return entry->is_swap ? source_name("swap", entry->source) :
				volume_mount_name(entry->target);
}

static bool is_plain_uuid(const char *text)
{
	return text[strspn(text, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "-")] == '\0';
}

/* "device:/dev/disk/by-partlabel/my\x20data" */
static char *link_condition(const char *directory, const char *value)
{
	g_autoptr(GString) condition = g_string_new(NULL);

	g_string_append_printf(condition, "device:/dev/disk/%s/", directory);
	for (const char *p = value; *p; p++) {
		if (strchr(PLAIN_IN_LINKS, *p) || (unsigned char)*p >= 0x80)
			g_string_append_c(condition, *p);
		else
			g_string_append_printf(condition, "\\x%02x", (unsigned char)*p);
	}
	return g_string_free(g_steal_pointer(&condition), FALSE);
}

static char *tag_condition(TagKind kind, const char *value)
{
	g_autofree char *lower = NULL;

	if (!*value)
		return NULL;
	switch (kind) {
	case TAG_LABEL:
		if (!strchr(value, '|')) /* a condition cannot contain it */
			return g_strconcat("label:", value, NULL);
		break;
	case TAG_UUID:
		if (is_plain_uuid(value))
			return g_strconcat("uuid:", value, NULL);
		break;
	case TAG_PARTUUID:
		/* udev writes them in lower case, whatever the partition table contains */
		lower = g_ascii_strdown(value, -1);
		return link_condition(tags[kind].directory, lower);
	case TAG_PARTLABEL:
	case TAG_ID:
	case TAG_COUNT:
		break;
	}
	return link_condition(tags[kind].directory, value);
}

char *volume_device_condition(const char *source)
{
	for (TagKind kind = 0; kind < TAG_COUNT; kind++) {
		if (g_str_has_prefix(source, tags[kind].tag))
			return tag_condition(kind, source + strlen(tags[kind].tag));
	}
	return g_str_has_prefix(source, "/dev/") ? g_strconcat("device:", source, NULL) : NULL;
}

void volume_append_tokens(GString *text, const char *key, ...)
{
	g_autoptr(GPtrArray) tokens = g_ptr_array_new();
	g_autofree char *line = NULL;
	va_list args;

	va_start(args, key);
	for (const char *token = va_arg(args, const char *); token;
	     token = va_arg(args, const char *))
		g_ptr_array_add(tokens, (gpointer)token);
	va_end(args);
	g_ptr_array_add(tokens, NULL);
	line = text_join_tokens((const char *const *)tokens->pdata);
	g_string_append_printf(text, "%s=%s\n", key, line);
}

static bool path_is_below(const char *path, const char *directory)
{
	const size_t length = strlen(directory);

	return strncmp(path, directory, length) == 0 && path[length] == '/';
}

/*
 * The entry of the volume that contains @path; NULL: the root contains it. @entry is never
 * returned; may be NULL.
 */
static const FstabEntry *find_holder(const GPtrArray *entries, const char *path,
				     const FstabEntry *entry)
{
	const FstabEntry *best = NULL;

	for (unsigned i = 0; i < entries->len; i++) {
		const FstabEntry *other = g_ptr_array_index(entries, i);
		const bool holds = path_is_below(path, other->target) ||
				   (strcmp(path, other->target) == 0 &&
				    (!entry || strcmp(path, entry->target) != 0));

		if (other == entry || other->is_swap || strcmp(other->target, "/") == 0 || !holds)
			continue;
		if (!best || strlen(other->target) > strlen(best->target))
			best = other;
	}
	return best;
}

void volume_append_holder(GString *text, const char *key, const GPtrArray *entries,
			  const char *path, const FstabEntry *entry)
{
	const FstabEntry *holder = find_holder(entries, path, entry);
	g_autofree char *name = holder ? volume_mount_name(holder->target) : NULL;

	if (name && holder->is_noauto)
		g_string_append_printf(text, "After=%s\n", name);
	else if (name)
		g_string_append_printf(text, "%s=service:%s\n", key, name);
}

/* "5s", "1500ms" */
static void append_limit(GString *text, const char *key, int64_t us)
{
	if (us % G_USEC_PER_SEC == 0)
		g_string_append_printf(text, "%s=%" G_GINT64_FORMAT "s\n", key,
				       us / G_USEC_PER_SEC);
	else
		g_string_append_printf(text, "%s=%" G_GINT64_FORMAT "ms\n", key,
				       MAX(us / G_TIME_SPAN_MILLISECOND, 1));
}

/*
 * Mounted while udev reports the device. A mount that is never unmounted ignores the loss of its
 * device.
 */
static void append_device_terms(GString *text, const FstabEntry *entry)
{
	g_autofree char *condition = volume_device_condition(entry->source);

	if (!condition)
		return;
	volume_append_tokens(text, is_for_the_finale(entry->target) ? "When" : "While", condition,
			     NULL);
	g_string_append(text, "Wants=udev\nAfter=udev\n");
	if (!entry->is_nofail && entry->device_limit_us > 0)
		append_limit(text, "WaitTimeout", entry->device_limit_us);
}

/* A user who unmounts it by hand mounts it again with "svcctl start". */
static void append_mounted(GString *text, const FstabEntry *entry)
{
	g_autofree char *condition = g_strconcat("mounted:", entry->target, NULL);

	if (!strchr(condition, '|')) /* a condition cannot contain it */
		volume_append_tokens(text, "DoneWhile", condition, NULL);
}

static void append_conditions(GString *text, const GPtrArray *entries, const FstabEntry *entry)
{
	g_string_append(text, "\n[Conditions]\nWhen=!virtual:container\nAfter=checkroot\n");
	append_device_terms(text, entry);
	if (!entry->is_swap) {
		volume_append_holder(text, "While", entries, entry->target, entry);
		append_mounted(text, entry);
	}
	if (*entry->source == '/' && !g_str_has_prefix(entry->source, "/dev/") &&
	    !g_str_has_prefix(entry->source, "//"))
		/* a bind mount, an image in a file, a swap file */
		volume_append_holder(text, "While", entries, entry->source, entry);
	if (entry->is_remote)
		g_string_append(text, "After=$network loopback\n");
	/* otherwise mount.nfs(8) starts its own rpc.statd */
	if (g_str_has_prefix(entry->type, "nfs"))
		g_string_append(text, "Wants=nfs-common rpc-statd\nAfter=nfs-common rpc-statd\n");
	if (!entry->is_swap && !entry->is_nofail && !entry->is_noauto)
		g_string_append_printf(text, "Provides=%s\n",
				       entry->is_remote ? "$remote_fs" : "$local_fs");
}

static void append_mount(GString *text, const FstabEntry *entry)
{
	const char passno[] = { (char)('0' + entry->passno), '\0' };

	g_string_append_printf(text, "[Service]\nDescription=File system %s\nType=task\n",
			       entry->target);
	volume_append_tokens(text, "Exec", SVCD_LIBDIR "/boot/mount-volume", passno, entry->type,
			     entry->options, entry->source, entry->target, NULL);
	if (!is_for_the_finale(entry->target)) {
		volume_append_tokens(text, "Stop", SVCD_LIBDIR "/boot/unmount-volume",
				     entry->target, NULL);
		g_string_append(text, "StopTimeout=30s\n");
	}
	if (entry->is_remote) /* the server may be available later than the network */
		g_string_append(text,
				"Restart=on-failure\nRestartDelay=2s\nRestartLimit=5/10min\n");
	else if (entry->passno > 0) /* the check of a large file system takes long */
		g_string_append(text, "StartTimeout=2h\n");
}

static void append_swap(GString *text, const FstabEntry *entry)
{
	g_string_append_printf(text, "[Service]\nDescription=Swap space on %s\nType=task\n",
			       entry->source);
	volume_append_tokens(text, "Exec", SVCD_LIBDIR "/boot/swap-space", "on", entry->options,
			     entry->source, NULL);
	volume_append_tokens(text, "Stop", SVCD_LIBDIR "/boot/swap-space", "off", entry->options,
			     entry->source, NULL);
	g_string_append(text, "StopTimeout=90s\n"); /* the swapped pages must be read back */
}

void volume_append_policy(GeneratedFiles *output, const char *file, Origin origin, bool is_noauto,
			  const char *name)
{
	GString *policy = generated_files_add(output, file, origin.file);

	if (is_noauto)
		g_string_append_printf(
			policy, "\n[service %s]\nActivation=manual\nReason=noauto in %s, line %u\n",
			name, origin.file, origin.line);
	else
		g_string_append_printf(policy, "\n[runlevel S]\nActivate=%s\n", name);
}

void volumes_generate(const GPtrArray *entries, GeneratedFiles *output)
{
	for (unsigned i = 0; i < entries->len; i++) {
		const FstabEntry *entry = g_ptr_array_index(entries, i);
		g_autofree char *name = volume_service_name(entry);
		g_autofree char *file = g_strdup_printf("%s.svc", name);
		g_autofree char *from = origin_format(entry->origin);
		GString *text;

		if (strcmp(entry->target, "/") == 0)
			continue;
		text = generated_files_add(output, file, from);
		(entry->is_swap ? append_swap : append_mount)(text, entry);
		append_conditions(text, entries, entry);
		volume_append_policy(output, POLICY_FILE, entry->origin, entry->is_noauto, name);
	}
}
