/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * crypttab: see crypttab.h. cryptdisks_start handles the options for opening a volume.
 */
#include "config.h"

#include "svc-generate/crypttab.h"

#include <string.h>

#include "svc-generate/fstab.h"
#include "svc-generate/volumes.h"

#define POLICY_FILE "50-crypttab.policy"

/* From the package cryptsetup; they support all of Debian's options, and keyscripts. */
#define START "/sbin/cryptdisks_start"
#define STOP "/sbin/cryptdisks_stop"

enum { FIELD_NAME, FIELD_SOURCE, FIELD_KEY, FIELD_OPTIONS, N_FIELDS };

static void crypt_entry_free(gpointer data)
{
	CryptEntry *entry = data;

	if (!entry)
		return;
	g_free(entry->name);
	g_free(entry->source);
	g_free(entry->key);
	g_free(entry);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CryptEntry, crypt_entry_free)

static void take_options(CryptEntry *entry, const char *options)
{
	g_auto(GStrv) tokens = g_strsplit(options, ",", -1);

	for (char **token = tokens; *token; token++) {
		entry->is_noauto |= strcmp(*token, "noauto") == 0;
		entry->is_nofail |= strcmp(*token, "nofail") == 0;
		entry->is_remote |= strcmp(*token, "_netdev") == 0;
		/* As without a key file: a keyscript may ask the user for a passphrase. */
		if (g_str_has_prefix(*token, "keyscript="))
			g_clear_pointer(&entry->key, g_free);
	}
}

/* Fields are separated by blanks. Returns: at most N_FIELDS fields. */
static GPtrArray *split_fields(const char *line)
{
	GPtrArray *fields = g_ptr_array_new_with_free_func(g_free);
	g_auto(GStrv) tokens = g_strsplit_set(line, " \t", -1);

	for (char **token = tokens; *token && fields->len < N_FIELDS; token++) {
		if (**token)
			g_ptr_array_add(fields, g_strdup(*token));
	}
	return fields;
}

/* Returns: the problem, a new string; NULL: none. */
static char *check_fields(const GPtrArray *fields)
{
	if (fields->len <= FIELD_SOURCE)
		return g_strdup("the device is missing; a line is: name, device, key file or none, "
				"options");
	for (unsigned i = 0; i < fields->len; i++) {
		const char *problem = fstab_decode_field(fields->pdata[i]);

		if (problem)
			return g_strdup_printf("field %u %s", i + 1, problem);
	}
	if (strchr(fields->pdata[FIELD_NAME], '/'))
		return g_strdup_printf("\"%s\" is not a valid name of a mapping; remove the \"/\"",
				       (char *)fields->pdata[FIELD_NAME]);
	return NULL;
}

static CryptEntry *entry_new(const GPtrArray *fields, Origin origin)
{
	CryptEntry *entry = g_new0(CryptEntry, 1);
	const char *key = fields->len > FIELD_KEY ? fields->pdata[FIELD_KEY] : "none";

	entry->name = g_strdup(fields->pdata[FIELD_NAME]);
	entry->source = g_strdup(fields->pdata[FIELD_SOURCE]);
	entry->key = strcmp(key, "none") == 0 || strcmp(key, "-") == 0 ? NULL : g_strdup(key);
	entry->origin = origin;
	if (fields->len > FIELD_OPTIONS)
		take_options(entry, fields->pdata[FIELD_OPTIONS]);
	return entry;
}

static const CryptEntry *find_same(const GPtrArray *entries, const CryptEntry *entry)
{
	for (unsigned i = 0; i < entries->len; i++) {
		const CryptEntry *other = g_ptr_array_index(entries, i);

		if (strcmp(other->name, entry->name) == 0)
			return other;
	}
	return NULL;
}

static void take_line(GPtrArray *entries, const char *line, Origin origin, DiagList *diags)
{
	g_autoptr(GPtrArray) fields = split_fields(line);
	g_autoptr(CryptEntry) entry = NULL;
	g_autofree char *problem = NULL;
	const CryptEntry *same;

	if (fields->len == 0 || *(char *)fields->pdata[0] == '#')
		return;
	problem = check_fields(fields);
	if (problem) {
		diag_error(diags, origin, NULL, "%s", problem);
		return;
	}
	entry = entry_new(fields, origin);
	same = find_same(entries, entry);
	if (same)
		diag_error(diags, origin, NULL, "line %u already defines %s; this line is left out",
			   same->origin.line, entry->name);
	else
		g_ptr_array_add(entries, g_steal_pointer(&entry));
}

GPtrArray *crypttab_parse(const char *file, const char *text, DiagList *diags)
{
	GPtrArray *entries = g_ptr_array_new_with_free_func(crypt_entry_free);
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

	for (unsigned i = 0; lines[i]; i++)
		take_line(entries, g_strchomp(lines[i]), origin_new(file, i + 1), diags);
	return entries;
}

static void append_service(GString *text, const CryptEntry *entry)
{
	g_string_append_printf(text, "[Service]\nDescription=Encrypted volume %s\nType=task\n",
			       entry->name);
	volume_append_tokens(text, "Exec", START, entry->name, NULL);
	/*
	 * The root's volume, which the initramfs has opened, stays open, because it is in use.
	 */
	volume_append_tokens(text, "Stop", "-" STOP, entry->name, NULL);
	if (entry->key)
		g_string_append(text, "StartTimeout=5min\n");
	else
		g_string_append(text, "StartLock=console\nTTYPath=/dev/console\nStartTimeout=2h\n");
}

static void append_device_terms(GString *text, const CryptEntry *entry)
{
	g_autofree char *condition = volume_device_condition(entry->source);

	if (!condition)
		return;
	volume_append_tokens(text, "While", condition, NULL);
	g_string_append(text, "Wants=udev\nAfter=udev\n");
	if (!entry->is_nofail)
		g_string_append_printf(text, "WaitTimeout=%ds\n",
				       (int)(FSTAB_DEVICE_LIMIT_US / G_USEC_PER_SEC));
}

/*
 * The time limit for the device of a file system on this volume must not run while a user enters a
 * passphrase.
 */
static void append_volumes_within(GString *text, const CryptEntry *entry, const GPtrArray *volumes)
{
	g_autofree char *device = g_strconcat("/dev/mapper/", entry->name, NULL);

	for (unsigned i = 0; i < volumes->len; i++) {
		const FstabEntry *volume = g_ptr_array_index(volumes, i);
		g_autofree char *name = NULL;

		if (strcmp(volume->source, device) != 0 || strcmp(volume->target, "/") == 0)
			continue;
		name = volume_service_name(volume);
		g_string_append_printf(text, "Before=%s\n", name);
	}
}

static bool is_file(const char *path)
{
	return path && *path == '/' && !g_str_has_prefix(path, "/dev/");
}

static void append_conditions(GString *text, const CryptEntry *entry, const GPtrArray *volumes)
{
	g_autofree char *mapping = g_strconcat("device:/dev/mapper/", entry->name, NULL);

	g_string_append(text, "\n[Conditions]\nWhen=!virtual:container\nWhen=path:exec:" START
			      "\nAfter=checkroot\n");
	append_device_terms(text, entry);
	if (is_file(entry->source)) /* an image */
		volume_append_holder(text, "While", volumes, entry->source, NULL);
	if (is_file(entry->key))
		volume_append_holder(text, "When", volumes, entry->key, NULL);
	if (entry->is_remote)
		g_string_append(text, "After=$network loopback\n");
	/* A user who closes it by hand opens it again with "svcctl start". */
	if (!strchr(mapping, '|')) /* a condition cannot contain it */
		volume_append_tokens(text, "DoneWhile", mapping, NULL);
	append_volumes_within(text, entry, volumes);
}

void crypttab_generate(const GPtrArray *entries, const GPtrArray *volumes, GeneratedFiles *output)
{
	GString *group = generated_files_add(output, "cryptdisks.svc", "/etc/crypttab");

	g_string_append(group,
			"[Service]\nDescription=Encrypted volumes\nType=group\n\n"
			"[Conditions]\nWhen=!virtual:container\nProvides=cryptdisks-early\n");
	for (unsigned i = 0; i < entries->len; i++) {
		const CryptEntry *entry = g_ptr_array_index(entries, i);
		g_autofree char *name = volume_crypt_name(entry->name);
		g_autofree char *file = g_strdup_printf("%s.svc", name);
		g_autofree char *from = origin_format(entry->origin);
		GString *text = generated_files_add(output, file, from);

		append_service(text, entry);
		append_conditions(text, entry, volumes);
		volume_append_policy(output, POLICY_FILE, entry->origin, entry->is_noauto, name);
		if (!entry->is_noauto)
			g_string_append_printf(group, "Wants=%s\n", name);
		g_string_append_printf(group, "After=%s\n", name);
	}
}
