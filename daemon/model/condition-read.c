/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Condition keys: terms and names of services.
 */
#include "config.h"

#include "model/condition-read.h"

FIELD_ENUM_READER(condition_read_on_lapse, OnLapse, on_lapse, ON_LAPSE_COUNT)

char *condition_read_terms(ServiceDef *def, void *field, const char *value, Origin origin)
{
	return value_read_term(field, value, def->name, origin);
}

char *condition_read_services(ServiceDef *def, void *field, const char *value, Origin origin)
{
	return value_read_names(field, value, origin, value_check_service);
}

char *condition_read_services_or_facilities(ServiceDef *def, void *field, const char *value,
					    Origin origin)
{
	return value_read_names(field, value, origin, value_check_service_or_facility);
}
