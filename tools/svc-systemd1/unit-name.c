/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Unit name: see unit-name.h. systemd.unit(5) and org.freedesktop.systemd1(5) describe the names.
 */
#include "config.h"

#include "svc-systemd1/unit-name.h"

#include <string.h>

typedef enum InstanceKind {
	INSTANCE_ANY,
	INSTANCE_UID,
	INSTANCE_TERMINAL,
	INSTANCE_NONE,
} InstanceKind;

/* The first row that matches decides. */
static const struct {
	const char *prefix;
	const char *suffix;
	InstanceKind instance;
	UnitKind kind;
} kinds[] = {
	{ "user@", ".service", INSTANCE_UID, UNIT_USER_MANAGER },
	{ "user-runtime-dir@", ".service", INSTANCE_UID, UNIT_RUNTIME_DIR },
	{ "autovt@", ".service", INSTANCE_TERMINAL, UNIT_GETTY },
	{ "user-", ".slice", INSTANCE_UID, UNIT_USER_SLICE },
	{ "poweroff", ".target", INSTANCE_NONE, UNIT_MACHINE_END },
	{ "reboot", ".target", INSTANCE_NONE, UNIT_MACHINE_END },
	{ "halt", ".target", INSTANCE_NONE, UNIT_MACHINE_END },
	{ "suspend", ".target", INSTANCE_NONE, UNIT_SLEEP },
	{ "hibernate", ".target", INSTANCE_NONE, UNIT_SLEEP },
	{ "hybrid-sleep", ".target", INSTANCE_NONE, UNIT_SLEEP },
	{ "suspend-then-hibernate", ".target", INSTANCE_NONE, UNIT_SLEEP },
	{ "", ".scope", INSTANCE_ANY, UNIT_SCOPE },
};

static bool is_number(const char *text, size_t length, uint32_t *ret)
{
	uint64_t value = 0;

	if (length == 0 || length > 10 || (length > 1 && *text == '0'))
		return false;
	for (size_t i = 0; i < length; i++) {
		if (!g_ascii_isdigit(text[i]))
			return false;
		value = value * 10 + (uint64_t)(text[i] - '0');
	}
	if (value >= UINT32_MAX) /* (uid_t)-1 is not a user */
		return false;
	*ret = (uint32_t)value;
	return true;
}

static bool instance_fits(InstanceKind kind, const char *text, size_t length)
{
	uint32_t number;

	switch (kind) {
	case INSTANCE_ANY:
		return length > 0;
	case INSTANCE_UID:
		return is_number(text, length, &number);
	case INSTANCE_TERMINAL:
		return length > 3 && memcmp(text, "tty", 3) == 0 &&
		       is_number(text + 3, length - 3, &number);
	case INSTANCE_NONE:
		return length == 0;
	}
	return false;
}

static bool is_valid(const char *name)
{
	const size_t length = strlen(name);

	return length > 0 && length <= UNIT_NAME_MAX && *name != '.' &&
	       strspn(name, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS ":-_.\\@") == length;
}

UnitKind unit_name_kind(const char *name)
{
	const size_t length = strlen(name);

	if (!is_valid(name))
		return UNIT_OTHER;
	for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
		const size_t before = strlen(kinds[i].prefix);
		const size_t after = strlen(kinds[i].suffix);

		if (length >= before + after && g_str_has_prefix(name, kinds[i].prefix) &&
		    g_str_has_suffix(name, kinds[i].suffix) &&
		    instance_fits(kinds[i].instance, name + before, length - before - after))
			return kinds[i].kind;
	}
	return UNIT_OTHER;
}

bool unit_name_uid(const char *name, uint32_t *ret_uid)
{
	const UnitKind kind = unit_name_kind(name);
	const char *begin;

	if (kind != UNIT_USER_SLICE && kind != UNIT_USER_MANAGER && kind != UNIT_RUNTIME_DIR)
		return false;
	begin = strpbrk(name, "0123456789");
	return is_number(begin, strspn(begin, "0123456789"), ret_uid);
}

char *unit_name_instance(const char *name)
{
	const char *at = strchr(name, '@');
	const char *begin = at ? at + 1 : name;
	const char *dot = strrchr(begin, '.');

	return g_strndup(begin, dot ? (size_t)(dot - begin) : strlen(begin));
}

char *unit_name_to_object(const char *name)
{
	GString *path = g_string_new(SYSTEMD1_UNIT_PREFIX);

	for (const char *c = name; *c; c++) {
		if (g_ascii_isalpha(*c) || (g_ascii_isdigit(*c) && c > name))
			g_string_append_c(path, *c);
		else
			g_string_append_printf(path, "_%02x", (unsigned char)*c);
	}
	return g_string_free(path, FALSE);
}

char *unit_name_from_object(const char *path)
{
	GString *name;
	const char *c;

	if (!g_str_has_prefix(path, SYSTEMD1_UNIT_PREFIX))
		return NULL;
	name = g_string_new(NULL);
	for (c = path + strlen(SYSTEMD1_UNIT_PREFIX); *c && name->len <= UNIT_NAME_MAX; c++) {
		if (*c == '_' && g_ascii_isxdigit(c[1]) && g_ascii_isxdigit(c[2])) {
			g_string_append_c(name, (char)(g_ascii_xdigit_value(c[1]) * 16 +
						       g_ascii_xdigit_value(c[2])));
			c += 2;
		} else {
			g_string_append_c(name, *c);
		}
	}
	if (is_valid(name->str) && strlen(name->str) == name->len)
		return g_string_free(name, FALSE);
	g_string_free(name, TRUE);
	return NULL;
}

char *unit_name_cgroup(const char *name, uint32_t uid)
{
	if (unit_name_kind(name) == UNIT_USER_SLICE)
		return g_strdup_printf("user.slice/user-%u.slice", uid);
	return g_strdup_printf("user.slice/user-%u.slice/%s", uid, name);
}
