/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Time keys: the service in front of a calendar expression has a letter, and "00/4:00" has none
 * there.
 */
#include "config.h"

#include "model/time-key.h"

#include <string.h>

#include "base/text.h"
#include "model/name.h"

#define EVERY "every "
#define SINCE_BOOT "boot+"

/* The bytes of the service in @argument; 0: it has none. */
static size_t service_length(const char *argument)
{
	const char *slash = strchr(argument, '/');
	g_autofree char *name = slash ? g_strndup(argument, (gsize)(slash - argument)) : NULL;

	return name && strpbrk(name, G_CSET_A_2_Z G_CSET_a_2_z) && name_check_service(name, NULL) ?
		       strlen(name) :
		       0;
}

/* At least a second, because the levels change at full seconds. */
static bool parse_span(const char *text, int64_t *ret_s, char **ret_problem)
{
	int64_t us;

	if (!text_parse_duration(text, &us) || us < G_USEC_PER_SEC) {
		*ret_problem = g_strdup_printf("\"%s\" is not a time such as 15min or 1d", text);
		return false;
	}
	*ret_s = us / G_USEC_PER_SEC;
	return true;
}

bool due_key_parse(const char *argument, DueKey *ret, char **ret_problem)
{
	const size_t length = service_length(argument);
	const char *rest = argument + length + 1;

	*ret = (DueKey){ 0 };
	*ret_problem = NULL;
	if (length == 0) {
		*ret_problem = g_strdup_printf(
			"the service is missing; write due:NAME/%s outside of its own file",
			argument);
		return false;
	}
	if (g_str_has_prefix(rest, EVERY)) {
		if (!parse_span(rest + strlen(EVERY), &ret->every_s, ret_problem))
			return false;
	} else {
		ret->calendar = calendar_parse(rest, ret_problem);
		if (!ret->calendar)
			return false;
	}
	ret->service = g_strndup(argument, length);
	return true;
}

void due_key_clear(DueKey *key)
{
	g_free(key->service);
	calendar_free(key->calendar);
}

bool time_key_parse(const char *argument, TimeKey *ret, char **ret_problem)
{
	*ret = (TimeKey){ .is_since_boot = g_str_has_prefix(argument, SINCE_BOOT) };
	*ret_problem = NULL;
	if (ret->is_since_boot)
		return parse_span(argument + strlen(SINCE_BOOT), &ret->boot_s, ret_problem);
	return day_window_parse(argument, &ret->window, ret_problem);
}

char *due_key_complete(const char *condition, const char *service)
{
	const char *argument = condition + strlen("due:");

	if (!g_str_has_prefix(condition, "due:") || !service || service_length(argument) > 0)
		return NULL;
	return g_strdup_printf("due:%s/%s", service, argument);
}
