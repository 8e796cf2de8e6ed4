/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keys: one row per prefix, with the check of its argument.
 */
#include "config.h"

#include "model/key.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/name.h"
#include "model/time-key.h"

/* IFNAMSIZ of <linux/if.h>, including the NUL. */
#define INTERFACE_NAME_BYTES 16

/*
 * Path and argument checks return the canonical argument, a new string, or NULL with @ret_problem.
 */
static char *canonical_path(const char *path, char **ret_problem)
{
	g_autoptr(GString) out = g_string_sized_new(strlen(path));

	if (*path != '/') {
		*ret_problem = g_strdup_printf("\"%s\" is not an absolute path", path);
		return NULL;
	}
	for (const char *part = path; *part;) {
		const size_t length = strcspn(++part, "/");

		if (length == 2 && strncmp(part, "..", 2) == 0) {
			*ret_problem = g_strdup_printf(
				"\"%s\" contains \"..\"; write the path without it", path);
			return NULL;
		}
		if (length > 1 || (length == 1 && *part != '.')) {
			g_string_append_c(out, '/');
			g_string_append_len(out, part, (gssize)length);
		}
		part += length;
	}
	if (out->len == 0)
		g_string_append_c(out, '/');
	return g_string_free(g_steal_pointer(&out), FALSE);
}

static char *check_path(const char *argument, char **ret_problem)
{
	static const char *const kinds[] = { "exec:", "dir:", "nonempty:", NULL };
	g_autofree char *path = NULL;

	for (unsigned i = 0; kinds[i]; i++) {
		if (!g_str_has_prefix(argument, kinds[i]))
			continue;
		path = canonical_path(argument + strlen(kinds[i]), ret_problem);
		return path ? g_strconcat(kinds[i], path, NULL) : NULL;
	}
	if (*argument != '/' && strchr(argument, ':')) {
		*ret_problem = g_strdup_printf(
			"\"%s\": only exec:, dir: or nonempty: may precede the path", argument);
		return NULL;
	}
	return canonical_path(argument, ret_problem);
}

static char *check_service(const char *argument, char **ret_problem)
{
	if (*argument == '$')
		*ret_problem =
			g_strdup_printf("%s is a facility; write facility:%s", argument, argument);
	else if (name_check_service(argument, ret_problem))
		return g_strdup(argument);
	return NULL;
}

static char *check_settled(const char *argument, char **ret_problem)
{
	const bool fine = *argument == '$' ? name_check_facility(argument, ret_problem) :
					     name_check_service(argument, ret_problem);

	return fine ? g_strdup(argument) : NULL;
}

static char *check_facility(const char *argument, char **ret_problem)
{
	return name_check_facility(argument, ret_problem) ? g_strdup(argument) : NULL;
}

static char *check_kernel(const char *argument, char **ret_problem)
{
	if (*argument && *argument != '=')
		return g_strdup(argument);
	*ret_problem =
		g_strdup("kernel: takes an argument of the kernel command line: kernel:quiet, "
			 "kernel:key=value");
	return NULL;
}

static char *check_virtual(const char *argument, char **ret_problem)
{
	if (strcmp(argument, "container") == 0 || strcmp(argument, "vm") == 0)
		return g_strdup(argument);
	*ret_problem = g_strdup("the conditions are virtual:container and virtual:vm");
	return NULL;
}

static char *check_flag(const char *argument, char **ret_problem)
{
	return name_check_flag(argument, ret_problem) ? g_strdup(argument) : NULL;
}

static char *check_dbus(const char *argument, char **ret_problem)
{
	return name_check_bus(argument, ret_problem) ? g_strdup(argument) : NULL;
}

static char *check_network(const char *argument, char **ret_problem)
{
	static const char interface[] = "interface:";
	const char *name = argument + sizeof interface - 1;

	if (strcmp(argument, "up") == 0 || strcmp(argument, "online") == 0)
		return g_strdup(argument);
	if (!g_str_has_prefix(argument, interface)) {
		*ret_problem = g_strdup(
			"the conditions are network:up, network:online and network:interface:NAME");
		return NULL;
	}
	/* The names that the kernel accepts (dev_valid_name() in net/core/dev.c). */
	if (*name && strlen(name) < INTERFACE_NAME_BYTES && !strpbrk(name, "/: \t\n") &&
	    strcmp(name, ".") != 0 && strcmp(name, "..") != 0)
		return g_strdup(argument);
	*ret_problem = g_strdup_printf("\"%s\" is not the name of a network interface", name);
	return NULL;
}

static char *check_label(const char *argument, char **ret_problem)
{
	if (*argument)
		return g_strdup(argument);
	*ret_problem =
		g_strdup("a label is missing; write label:DATA, in quotes if it contains blanks");
	return NULL;
}

static char *check_uuid(const char *argument, char **ret_problem)
{
	if (*argument &&
	    argument[strspn(argument, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "-")] == '\0')
		return g_ascii_strdown(argument, -1);
	*ret_problem = g_strdup_printf("\"%s\" is not the UUID of a volume; blkid(8) shows them",
				       argument);
	return NULL;
}

static char *check_device(const char *argument, char **ret_problem)
{
	g_autofree char *path = canonical_path(argument, ret_problem);

	if (path && g_str_has_prefix(path, "/dev/"))
		return g_steal_pointer(&path);
	if (path)
		*ret_problem =
			g_strdup_printf("\"%s\" is not a device; devices are below /dev/", path);
	return NULL;
}

/*
 * Returns: NULL if @token is a PROPERTY=VALUE of a device; otherwise the error as one sentence, a
 * new string.
 */
static char *check_match(const char *token)
{
	static const char *const of_an_event[] = { "ACTION=", "SEQNUM=", NULL };
	const char *equals = strchr(token, '=');

	if (!equals || equals == token ||
	    strspn(token, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_.-") < (size_t)(equals - token))
		return g_strdup_printf("\"%s\" is not PROPERTY=VALUE; udevadm info shows them",
				       token);
	for (unsigned i = 0; of_an_event[i]; i++) {
		if (g_str_has_prefix(token, of_an_event[i]))
			return g_strdup_printf("\"%s\" is a property of events, not of devices",
					       token);
	}
	return NULL;
}

/* At least one PROPERTY=PATTERN. Patterns are those of g_pattern_spec: * and ?. */
static char *check_udev(const char *argument, char **ret_problem)
{
	g_auto(GStrv) tokens = text_split_tokens(argument, ret_problem);

	if (!tokens)
		return NULL;
	if (!*tokens)
		*ret_problem =
			g_strdup("a match is missing; write udev:SUBSYSTEM=block ID_BUS=usb");
	for (char **token = tokens; *token && !*ret_problem; token++)
		*ret_problem = check_match(*token);
	if (*ret_problem)
		return NULL;
	qsort(tokens, g_strv_length(tokens), sizeof *tokens, text_compare);
	return text_join_tokens((const char *const *)tokens);
}

/* INTERFACE.PROPERTY */
static char *check_property_name(const char *text)
{
	const char *dot = strrchr(text, '.');
	g_autofree char *interface = dot ? g_strndup(text, (gsize)(dot - text)) : NULL;

	if (interface && name_check_bus(interface, NULL) && dot[1] &&
	    dot[1 + strspn(dot + 1, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_")] == '\0')
		return NULL;
	return g_strdup_printf("\"%s\" is not INTERFACE.PROPERTY", text);
}

static char *check_object_path(const char *text)
{
	if (text[0] == '/' && (!text[1] || !g_str_has_suffix(text, "/")) && !strstr(text, "//") &&
	    text[strspn(text, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_/")] == '\0')
		return NULL;
	return g_strdup_printf("\"%s\" is not the path of a D-Bus object", text);
}

/* Only numbers can be ordered. */
static char *check_operand(KeyOperator operator, const char * value)
{
	const bool is_number = *value && value[strspn(value, G_CSET_DIGITS "+-.eE")] == '\0';

	if (is_number || operator== KEY_OPERATOR_EQUAL || operator== KEY_OPERATOR_UNEQUAL)
		return NULL;
	return g_strdup_printf("%s compares numbers, and \"%s\" is not a number",
			       key_operator_name(operator), value);
}

static char *check_dbus_property(const char *argument, char **ret_problem)
{
	enum { TOKEN_NAME, TOKEN_PATH, TOKEN_PROPERTY, TOKEN_OPERATOR, TOKEN_VALUE, N_TOKENS };
	g_auto(GStrv) tokens = text_split_tokens(argument, ret_problem);
	KeyOperator operator= KEY_OPERATOR_EQUAL;

	if (!tokens)
		return NULL;
	if (g_strv_length(tokens) != N_TOKENS)
		*ret_problem = g_strdup("write dbus-property:NAME PATH INTERFACE.PROPERTY = VALUE");
	else if (name_check_bus(tokens[TOKEN_NAME], ret_problem) &&
		 !(*ret_problem = check_object_path(tokens[TOKEN_PATH])) &&
		 !(*ret_problem = check_property_name(tokens[TOKEN_PROPERTY])) &&
		 !key_operator_from_name(tokens[TOKEN_OPERATOR], &operator))
		*ret_problem = g_strdup_printf(
			"\"%s\" is not a comparison; the operators are =, !=, >= and <=",
			tokens[TOKEN_OPERATOR]);
	if (!*ret_problem)
		*ret_problem = check_operand(operator, tokens[TOKEN_VALUE]);
	return *ret_problem ? NULL : text_join_tokens((const char *const *)tokens);
}

/* Tokens of times need no quotes. A new string, or NULL with @ret_problem. */
static char *join_times(const char *argument, char **ret_problem)
{
	g_auto(GStrv) tokens = text_split_tokens(argument, ret_problem);
	g_autofree char *joined = tokens ? g_strjoinv(" ", tokens) : NULL;
	g_auto(GStrv) parts = joined ? g_strsplit(joined, " ", -1) : NULL;
	g_autoptr(GPtrArray) given = g_ptr_array_new();

	if (!parts)
		return NULL;
	for (char **part = parts; *part; part++) {
		if (**part)
			g_ptr_array_add(given, *part);
	}
	g_ptr_array_add(given, NULL);
	return g_strjoinv(" ", (char **)given->pdata);
}

static char *check_due(const char *argument, char **ret_problem)
{
	g_autofree char *joined = join_times(argument, ret_problem);
	DueKey due;

	if (!joined || !due_key_parse(joined, &due, ret_problem))
		return NULL;
	due_key_clear(&due);
	return g_steal_pointer(&joined);
}

static char *check_time(const char *argument, char **ret_problem)
{
	g_autofree char *joined = join_times(argument, ret_problem);
	TimeKey time;

	return joined && time_key_parse(joined, &time, ret_problem) ? g_steal_pointer(&joined) :
								      NULL;
}

static const struct {
	char *(*check)(const char *argument, char **ret_problem); /* entry: *ret_problem is NULL */
	bool is_internal;
	bool has_vocabulary;
} prefixes[] = {
	[KEY_PATH] = { .check = check_path },
	[KEY_SERVICE] = { .check = check_service, .is_internal = true },
	[KEY_SETTLED] = { .check = check_settled, .is_internal = true },
	[KEY_ACTIVE] = { .check = check_service, .is_internal = true },
	[KEY_HEALTHY] = { .check = check_service, .is_internal = true },
	[KEY_FACILITY] = { .check = check_facility, .is_internal = true },
	[KEY_KERNEL] = { .check = check_kernel },
	[KEY_VIRTUAL] = { .check = check_virtual },
	[KEY_FLAG] = { .check = check_flag },
	[KEY_INSTALLED] = { .check = canonical_path },
	[KEY_MOUNTED] = { .check = canonical_path },
	[KEY_DBUS] = { .check = check_dbus },
	[KEY_DBUS_PROPERTY] = { .check = check_dbus_property, .has_vocabulary = true },
	[KEY_NETWORK] = { .check = check_network },
	[KEY_LABEL] = { .check = check_label },
	[KEY_UUID] = { .check = check_uuid },
	[KEY_DEVICE] = { .check = check_device },
	[KEY_UDEV] = { .check = check_udev, .has_vocabulary = true },
	[KEY_DUE] = { .check = check_due, .has_vocabulary = true },
	[KEY_TIME] = { .check = check_time, .has_vocabulary = true },
};
G_STATIC_ASSERT(G_N_ELEMENTS(prefixes) == KEY_COUNT);

static char *unknown_prefix(const char *prefix, const char *argument)
{
	const char *names[KEY_COUNT + 1] = { NULL };
	g_autofree char *all = NULL;
	const char *nearest;

	for (int i = 0; i < (int)KEY_COUNT; i++)
		names[i] = key_prefix_name((KeyPrefix)i);
	nearest = token_nearest(prefix, names);
	if (nearest)
		return g_strdup_printf("no provider \"%s\"; did you mean \"%s:%s\"?", prefix,
				       nearest, argument);
	all = g_strjoinv(", ", (char **)names);
	return g_strdup_printf("no provider \"%s\"; the providers are %s", prefix, all);
}

static char *no_prefix(const char *text)
{
	if (*text == '/')
		return g_strdup_printf("\"%s\" is not a condition; did you mean \"path:%s\"?", text,
				       text);
	if (*text == '$')
		return g_strdup_printf("\"%s\" is not a condition; did you mean \"facility:%s\"?",
				       text, text);
	if (name_check_service(text, NULL))
		return g_strdup_printf("\"%s\" is not a condition; did you mean \"service:%s\"?",
				       text, text);
	return g_strdup_printf("\"%s\" is not a condition; write PROVIDER:ARGUMENT", text);
}

/* Why the prefix of @text is unknown; a new string. */
static char *explain_no_prefix(const char *text)
{
	const char *colon = strchr(text, ':');
	g_autofree char *name = colon ? g_strndup(text, (gsize)(colon - text)) : NULL;

	return !name || !*name || strchr(name, '/') ? no_prefix(text) :
						      unknown_prefix(name, colon + 1);
}

static bool find_prefix(const char *text, KeyPrefix *ret)
{
	for (int i = 0; i < (int)KEY_COUNT; i++) {
		const char *name = key_prefix_name((KeyPrefix)i);
		const char *rest = text;

		while (*name && *rest == *name) {
			name++;
			rest++;
		}
		if (!*name && *rest == ':') {
			*ret = (KeyPrefix)i;
			return true;
		}
	}
	return false;
}

char *key_canonical(const char *text, KeyPrefix *ret_prefix, char **ret_problem)
{
	g_autofree char *argument = NULL;
	KeyPrefix prefix;

	*ret_problem = NULL;
	if (!find_prefix(text, &prefix)) {
		*ret_problem = explain_no_prefix(text);
		return NULL;
	}
	argument = prefixes[prefix].check(key_argument(text), ret_problem);
	if (!argument)
		return NULL;
	*ret_prefix = prefix;
	return g_strconcat(key_prefix_name(prefix), ":", argument, NULL);
}

bool key_parse(const char *text, KeyPrefix *ret_prefix, const char **ret_canonical,
	       char **ret_problem)
{
	g_autofree char *canonical = key_canonical(text, ret_prefix, ret_problem);

	if (canonical)
		*ret_canonical = g_intern_string(canonical);
	return canonical != NULL;
}

const char *key_known(const char *canonical)
{
	const GQuark quark = g_quark_try_string(canonical); /* the table of g_intern_string(3) */

	return quark ? g_quark_to_string(quark) : NULL;
}

const char *key_argument(const char *canonical)
{
	return strchr(canonical, ':') + 1;
}

bool key_is_silent(const char *canonical)
{
	const char *path = strchr(key_argument(canonical), '/');

	return path && (g_str_has_prefix(path, "/proc/") || g_str_has_prefix(path, "/sys/"));
}

bool key_has_vocabulary(const char *text)
{
	KeyPrefix prefix;

	return find_prefix(text, &prefix) && prefixes[prefix].has_vocabulary;
}

char **key_argument_tokens(const char *canonical)
{
	g_autofree char *problem = NULL; /* never set for a canonical text */

	return text_split_tokens(key_argument(canonical), &problem);
}

bool key_prefix_is_internal(KeyPrefix prefix)
{
	return prefixes[prefix].is_internal;
}
