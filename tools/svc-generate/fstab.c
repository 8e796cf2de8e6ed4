/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fstab: see fstab.h. Format: fstab(5); fields are separated by blanks, and \040 and similar
 * escapes stand for bytes.
 */
#include "config.h"

#include "svc-generate/fstab.h"

#include <stdint.h>
#include <string.h>

#include "base/limits.h"
#include "base/text.h"

#define DEVICE_TIMEOUT "x-systemd.device-timeout="

enum { FIELD_SOURCE, FIELD_TARGET, FIELD_TYPE, FIELD_OPTIONS, FIELD_FREQ, FIELD_PASSNO, N_FIELDS };

static void fstab_entry_free(gpointer data)
{
	FstabEntry *entry = data;

	if (!entry)
		return;
	g_free(entry->source);
	g_free(entry->target);
	g_free(entry->type);
	g_free(entry->options);
	g_free(entry);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FstabEntry, fstab_entry_free)

const char *fstab_decode_field(char *field)
{
	char *to = field;

	for (const char *from = field; *from; from++) {
		if (from[0] == '\\' && from[1] >= '0' && from[1] <= '3' && from[2] >= '0' &&
		    from[2] <= '7' && from[3] >= '0' && from[3] <= '7') {
			*to++ = (char)((from[1] - '0') * 64 + (from[2] - '0') * 8 +
				       (from[3] - '0'));
			from += 3;
		} else {
			*to++ = *from;
		}
	}
	*to = '\0';
	if (!g_utf8_validate(field, -1, NULL))
		return "is not UTF-8, and a service file cannot contain it";
	for (const char *p = field; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			return "contains a control character, which a service file cannot contain";
	return NULL;
}

/*
 * Returns: the path without "//", "/./" and a final "/", a new string; NULL if it is not absolute
 * or contains "..".
 */
static char *canonical_target(const char *path)
{
	g_autoptr(GString) result = g_string_new(NULL);
	g_auto(GStrv) parts = g_strsplit(path, "/", -1);

	if (*path != '/')
		return NULL;
	for (char **part = parts; *part; part++) {
		if (strcmp(*part, "..") == 0)
			return NULL;
		if (**part && strcmp(*part, ".") != 0)
			g_string_append_printf(result, "/%s", *part);
	}
	if (result->len == 0)
		g_string_append_c(result, '/');
	return g_string_free(g_steal_pointer(&result), FALSE);
}

static bool type_is_remote(const char *type)
{
	static const char *const types[] = {
		"nfs",        "nfs4",        "cifs",           "smb3",
		"smbfs",      "ceph",        "glusterfs",      "afs",
		"ncpfs",      "ncp",         "lustre",         "davfs",
		"curlftpfs",  "fuse.sshfs",  "fuse.glusterfs", "fuse.curlftpfs",
		"fuse.davfs", "fuse.rclone", "sshfs",          NULL,
	};

	return g_strv_contains(types, type);
}

/* Returns: false if @text is not a time. */
static bool take_device_timeout(FstabEntry *entry, const char *text)
{
	if (strcmp(text, "infinity") == 0) {
		entry->device_limit_us = 0;
		return true;
	}
	return text_parse_duration(text, &entry->device_limit_us);
}

/* Handles one option. Returns: true if it is for mount(8). */
static bool take_option(FstabEntry *entry, const char *token)
{
	static const char *const tokens[] = { "noauto",   "nofail", "_netdev", "auto",
					      "defaults", "sw",     NULL };

	entry->is_noauto |= strcmp(token, "noauto") == 0;
	entry->is_nofail |= strcmp(token, "nofail") == 0;
	entry->is_remote |= strcmp(token, "_netdev") == 0;
	/* These are not for mount(8): options for another init, comments, and defaults. */
	return *token && !g_str_has_prefix(token, "x-systemd.") &&
	       !g_str_has_prefix(token, "comment=") && !g_strv_contains(tokens, token);
}

/* Commas within double quotes (SELinux contexts) do not separate options. */
static void take_options(FstabEntry *entry, const char *options, DiagList *diags)
{
	g_autoptr(GString) kept = g_string_new(NULL);
	const char *start = options;
	bool in_quotes = false;

	for (const char *p = options;; p++) {
		if (*p == '"')
			in_quotes = !in_quotes;
		if (*p && (*p != ',' || in_quotes))
			continue;
		g_autofree char *token = g_strndup(start, (gsize)(p - start));

		if (g_str_has_prefix(token, DEVICE_TIMEOUT) &&
		    !take_device_timeout(entry, token + strlen(DEVICE_TIMEOUT)))
			diag_warning(diags, entry->origin, NULL,
				     "\"%s\" is not a time; svcd waits 90 s for the device", token);
		if (take_option(entry, token))
			g_string_append_printf(kept, "%s%s", kept->len ? "," : "", token);
		if (!*p)
			break;
		start = p + 1;
	}
	if (kept->len == 0)
		g_string_append(kept, "defaults");
	entry->options = g_string_free(g_steal_pointer(&kept), FALSE);
}

/* LABEL="my data" means LABEL=my data for mount(8). */
static char *unquote_tag(const char *source)
{
	const char *value = strchr(source, '=');
	size_t length = strlen(source);

	if (*source == '/' || !value || value[1] != '"' || source + length - 1 == value + 1 ||
	    source[length - 1] != '"')
		return g_strdup(source);
	return g_strdup_printf("%.*s%.*s", (int)(value - source + 1), source,
			       (int)(source + length - 1 - (value + 2)), value + 2);
}

/* Fields are separated by blanks; a missing field is NULL. */
static void split_fields(char *line, char *fields[N_FIELDS])
{
	char *rest = line;

	for (int i = 0; i < N_FIELDS; i++) {
		rest += strspn(rest, " \t");
		fields[i] = *rest ? rest : NULL;
		rest += strcspn(rest, " \t");
		if (*rest)
			*rest++ = '\0';
	}
}

/* Returns: the problem of the fields, a new string; NULL: none. */
static char *check_fields(char *fields[N_FIELDS], uint64_t *ret_passno)
{
	static const char *const names[] = { "the device", "the mount point", "the type",
					     "the options" };

	*ret_passno = 0;
	for (int i = FIELD_SOURCE; i <= FIELD_OPTIONS; i++) {
		const char *problem = fields[i] ? fstab_decode_field(fields[i]) : NULL;

		if (problem)
			return g_strdup_printf("%s %s", names[i], problem);
	}
	if (!fields[FIELD_TYPE])
		return g_strdup(
			"the type is missing; a line is: device, mount point, type, options, 0, "
			"pass number");
	if (fields[FIELD_PASSNO] && !text_parse_uint(fields[FIELD_PASSNO], 10, 9, ret_passno))
		return g_strdup_printf("\"%s\" is not a pass number; write 0, 1 or 2",
				       fields[FIELD_PASSNO]);
	return NULL;
}

/*
 * Returns: NULL for a line without an effect, and for an invalid one, with *@ret_problem a new
 * string.
 */
static FstabEntry *parse_line(char *line, Origin origin, DiagList *diags, char **ret_problem)
{
	g_autoptr(FstabEntry) entry = g_new0(FstabEntry, 1);
	char *fields[N_FIELDS];
	uint64_t passno;

	split_fields(line, fields);
	if (!fields[FIELD_SOURCE] || *fields[FIELD_SOURCE] == '#')
		return NULL;
	*ret_problem = check_fields(fields, &passno);
	if (*ret_problem || strcmp(fields[FIELD_TYPE], "ignore") == 0)
		return NULL;
	entry->source = unquote_tag(fields[FIELD_SOURCE]);
	entry->type = g_strdup(fields[FIELD_TYPE]);
	entry->is_swap = strcmp(entry->type, "swap") == 0;
	entry->target = entry->is_swap ? g_strdup("none") : canonical_target(fields[FIELD_TARGET]);
	if (!entry->target) {
		*ret_problem = g_strdup_printf(
			"\"%s\" is not a mount point; write an absolute path without \"..\"",
			fields[FIELD_TARGET]);
		return NULL;
	}
	entry->origin = origin;
	entry->device_limit_us = FSTAB_DEVICE_LIMIT_US;
	take_options(entry, fields[FIELD_OPTIONS] ? fields[FIELD_OPTIONS] : "defaults", diags);
	entry->is_remote = entry->is_remote || type_is_remote(entry->type);
	entry->passno = (unsigned)passno;
	return g_steal_pointer(&entry);
}

static const FstabEntry *find_same(const GPtrArray *entries, const FstabEntry *entry)
{
	for (unsigned i = 0; i < entries->len; i++) {
		const FstabEntry *other = g_ptr_array_index(entries, i);

		if (other->is_swap == entry->is_swap &&
		    strcmp(entry->is_swap ? other->source : other->target,
			   entry->is_swap ? entry->source : entry->target) == 0)
			return other;
	}
	return NULL;
}

/* Adds the entry of the line; @line is modified. */
static void take_line(GPtrArray *entries, char *line, Origin origin, DiagList *diags)
{
	g_autofree char *problem = NULL;
	g_autoptr(FstabEntry) entry = parse_line(line, origin, diags, &problem);
	const FstabEntry *same;

	if (problem)
		diag_error(diags, origin, NULL, "%s", problem);
	if (!entry)
		return;
	same = find_same(entries, entry);
	if (same)
		diag_error(diags, origin, NULL, "line %u already defines %s; this line is left out",
			   same->origin.line, entry->is_swap ? entry->source : entry->target);
	else
		g_ptr_array_add(entries, g_steal_pointer(&entry));
}

GPtrArray *fstab_parse(const char *file, const char *text, DiagList *diags)
{
	GPtrArray *entries = g_ptr_array_new_with_free_func(fstab_entry_free);
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

	for (unsigned i = 0; lines[i]; i++) {
		const Origin origin = origin_new(file, i + 1);

		if (strlen(lines[i]) > LIMIT_LINE_BYTES)
			diag_error(diags, origin, NULL, "the line is longer than %d bytes",
				   LIMIT_LINE_BYTES);
		else
			take_line(entries, g_strchomp(lines[i]), origin, diags);
	}
	return entries;
}
