/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Service keys: the one table of what a service file may say. docs/service-files.md and svcd.service(5) tell the same.
 */
#ifndef SVCD_MODEL_SERVICE_KEYS_H
#define SVCD_MODEL_SERVICE_KEYS_H

#include <glib.h>
#include <stdbool.h>

#include "base/diag.h"
#include "model/field-read.h"
#include "model/service-def.h"

/* The struct that a key's field is in. */
typedef enum KeyHome {
	KEY_HOME_DEFINITION, /* ServiceDef */
	KEY_HOME_EXECUTION,  /* its ExecDef */
	KEY_HOME_SOCKET,     /* its SocketDef */
} KeyHome;

typedef struct ServiceKey {
	const char *section;
	const char *name;
	bool is_list; /* may repeat, each line adds */
	KeyReader *read; /* of the field @offset bytes into the struct @home */
	size_t offset;
	NumberedKeyReader *read_numbered; /* instead of @read, for rows that share a reader */
	int number;                       /* which of them it is: the resource, the limit */
	KeyHome home;
	bool takes_nothing; /* an empty value is a value, the empty set, and does not only clear */
} ServiceKey;

/* Both are NULL-terminated by a row without a name. */
const ServiceKey *service_keys(void);
unsigned service_keys_length(void);

/* Which row of the table it is, from 0. */
unsigned service_key_number(const ServiceKey *key);

/* May there be a path in its value? Not in a command, in which a percent sign is the program's. */
bool service_key_takes_paths(const ServiceKey *key);

/* By section and name; NULL if there is none. */
const ServiceKey *service_key_find(const char *section, const char *name);

/* Reads one value; @key's list gets one more entry. Returns: NULL, or one sentence, a new string. */
char *service_key_read(const ServiceKey *key, ServiceDef *def, const char *value, Origin origin);

/**
 * service_key_explain_unknown() - why @name is no key of @section, and what to write
 * @service: for the name of the policy section
 * Returns: one sentence, a new string.
 */
char *service_key_explain_unknown(const char *section, const char *name, const char *service);
char *service_section_explain_unknown(const char *section, const char *service);
bool service_section_is_known(const char *section);

#endif
