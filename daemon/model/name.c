/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names: the valid characters of each kind.
 */
#include "config.h"

#include "model/name.h"

#include <glib.h>
#include <string.h>

#include "base/limits.h"

#define LETTERS_AND_DIGITS G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS
#define MARKS "_.@:+-"

/* The limit of useradd(8). */
#define GROUP_NAME_BYTES 32

/* See "Message Protocol Names" in the D-Bus Specification. */
#define BUS_NAME_BYTES 255

/* Names are short, so strspn(3), which first makes a table of all bytes, would take longer. */
static const char *find_bad_byte(const char *name)
{
	while (*name && (g_ascii_isalnum(*name) || strchr(MARKS, *name)))
		name++;
	return name;
}

/* Returns: NULL if @name is valid; otherwise the error as one sentence, a new string. */
static char *find_problem(const char *what, const char *name)
{
	const char *bad = find_bad_byte(name);

	if (!*name)
		return g_strdup_printf("the name of a %s is empty", what);
	if (strlen(name) > LIMIT_NAME_BYTES)
		return g_strdup_printf("the name of a %s has at most %d bytes", what,
				       LIMIT_NAME_BYTES);
	if (name[0] == '.' || name[0] == '-')
		return g_strdup_printf("the name of a %s must not begin with \"%c\"", what,
				       name[0]);
	if (g_ascii_isprint(*bad))
		return g_strdup_printf(
			"the name of a %s contains letters, digits and %s, not \"%c\"", what, MARKS,
			*bad);
	if (*bad)
		return g_strdup_printf(
			"the name of a %s contains letters, digits and %s, not byte 0x%02x", what,
			MARKS, (unsigned char)*bad);
	return NULL;
}

static bool check(const char *what, const char *name, char **ret_problem)
{
	g_autofree char *problem = find_problem(what, name);
	const bool fine = !problem;

	if (!fine && ret_problem)
		*ret_problem = g_steal_pointer(&problem);
	return fine;
}

bool name_check_service(const char *name, char **ret_problem)
{
	return check("service", name, ret_problem);
}

bool name_check_lock(const char *name, char **ret_problem)
{
	return check("lock", name, ret_problem);
}

bool name_check_facility(const char *name, char **ret_problem)
{
	if (*name == '$')
		return check("facility", name + 1, ret_problem);
	if (ret_problem)
		*ret_problem = g_strdup_printf("a facility name begins with $; write $%s", name);
	return false;
}

char *name_flag_owner(const char *name)
{
	const char *slash = strchr(name, '/');

	return slash ? g_strndup(name, (gsize)(slash - name)) : NULL;
}

bool name_check_flag(const char *name, char **ret_problem)
{
	g_autofree char *owner = name_flag_owner(name);

	if (owner && strlen(name) > LIMIT_NAME_BYTES) {
		if (ret_problem)
			*ret_problem = g_strdup_printf("the name of a flag has at most %d bytes",
						       LIMIT_NAME_BYTES);
		return false;
	}
	return owner ? name_check_bus(owner, ret_problem) &&
			       check("flag", name + strlen(owner) + 1, ret_problem) :
		       check("flag", name, ret_problem);
}

bool name_check_bus(const char *name, char **ret_problem)
{
	g_auto(GStrv) elements = g_strsplit(name, ".", -1);
	bool fine = strlen(name) <= BUS_NAME_BYTES && g_strv_length(elements) > 1;

	for (char **element = elements; *element && fine; element++)
		fine = **element && !g_ascii_isdigit(**element) &&
		       (*element)[strspn(*element, LETTERS_AND_DIGITS "_-")] == '\0';
	if (!fine && ret_problem)
		*ret_problem = g_strdup_printf(
			"\"%s\" is not a D-Bus name; write it as in org.example.Name", name);
	return fine;
}

bool name_check_runlevel(const char *name, char **ret_problem)
{
	return check("runlevel", name, ret_problem);
}

bool name_check_group(const char *name, char **ret_problem)
{
	if (strlen(name) <= GROUP_NAME_BYTES && !strpbrk(name, ":@+"))
		return check("group", name, ret_problem);
	if (ret_problem)
		*ret_problem = g_strdup_printf(
			"\"%s\" is not the name of a group, which contains at most %d "
			"letters, digits, \"_\", \".\" and \"-\"",
			name, GROUP_NAME_BYTES);
	return false;
}

bool name_split_instance(const char *name, char **ret_template, char **ret_instance)
{
	const char *at = strchr(name, '@');

	if (!at)
		return false;
	if (ret_template)
		*ret_template = g_strndup(name, (gsize)(at - name + 1));
	if (ret_instance)
		*ret_instance = g_strdup(at + 1);
	return true;
}
