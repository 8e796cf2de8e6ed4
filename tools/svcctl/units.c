/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Units: reads the units again, as svc-generate does (unit-compat/units.h).
 */
#include "config.h"

#include "svcctl/units.h"

#include <string.h>

#include "base/fd.h"
#include "base/limits.h"
#include "svc-generate/generate.h"
#include "unit-compat/import-unit.h"

char *unit_import_commands(const char *path, const char *service, const char *separator)
{
	return g_strdup_printf(
		"svcctl import %s --output /etc/svcd/services.d%ssvcctl reload-files%ssvcctl "
		"enable %s",
		path, separator, separator, service);
}

static char *hint_of(const Unit *unit)
{
	g_autofree char *commands = unit_import_commands(unit->path, unit->service, "\n");

	switch (unit->fate) {
	case UNIT_REFUSED:
		return g_strdup_printf(
			"svcd cannot run its unit as written. %s\n"
			"To make a service file of the unit, without such lines:\n%s",
			unit->reason, commands);
	case UNIT_OWN:
		return g_strdup_printf("svcd does not read its unit, %s: %s", unit->path,
				       unit->reason);
	case UNIT_MASKED:
		return g_strdup_printf("Its unit is masked: %s", unit->path);
	case UNIT_REPLACED:
		return g_strdup_printf("The service %s does the work of its unit, %s: svcctl "
				       "status %s",
				       unit->service, unit->path, unit->service);
	case UNIT_READ:
		return NULL;
	}
	return NULL;
}

static char *hint_of_kind(const Units *units, const char *name)
{
	const UnitEntry *entry = unit_tree_find(units->tree, name);
	const char *why = entry ? import_refusal(name) : NULL;

	return why ? g_strdup_printf("svcd does not read %s: %s", entry->path, why) : NULL;
}

char *unit_hint(const Context *context, const char *name)
{
	g_autoptr(Generated) own = context->generated ? NULL : generate("", NULL);
	const Units *units = (own ? own : context->generated)->units;
	const Unit *unit = strchr(name, '/') ? NULL : units_find(units, name);

	return unit ? hint_of(unit) : hint_of_kind(units, name);
}

/* From the first line of a generated file: svc-generate/generated-files.h. */
static char *source_in(const char *text, gsize length)
{
	static const char begin[] = OUTPUT_MARK " from ";
	const char *end = g_strstr_len(text, (gssize)length, "; changes are lost.");

	if (length < strlen(begin) || strncmp(text, begin, strlen(begin)) != 0 || !end)
		return NULL;
	return g_strndup(text + strlen(begin), (gsize)(end - text) - strlen(begin));
}

char *generated_source(const Context *context, const char *file)
{
	g_autoptr(GBytes) read = NULL;
	const GBytes *bytes = context->overlay ? g_hash_table_lookup(context->overlay, file) : NULL;
	gsize length;
	const char *text;

	if (!strstr(file, GENERATED_DIRECTORY "/"))
		return NULL;
	if (!bytes)
		bytes = read = file_read_bounded(file, LIMIT_FILE_BYTES, NULL);
	text = bytes ? g_bytes_get_data((GBytes *)bytes, &length) : NULL;
	return text ? source_in(text, length) : NULL;
}
