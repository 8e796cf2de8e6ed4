/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Service keys: the table of all keys of service files. docs/service-files.md and svcd.service(5)
 * describe the same keys.
 */
#ifndef SVCD_MODEL_SERVICE_KEYS_H
#define SVCD_MODEL_SERVICE_KEYS_H

#include <glib.h>
#include <stdbool.h>

#include "base/diag.h"
#include "model/field-read.h"
#include "model/service-def.h"

/* The struct that contains the field of a key. */
typedef enum KeyTarget {
	KEY_IN_DEFINITION, /* ServiceDef */
	KEY_IN_EXECUTION, /* its ExecDef */
	KEY_IN_SOCKET, /* its SocketDef */
} KeyTarget;

typedef struct ServiceKey {
	const char *section;
	const char *name;
	bool is_list; /* may be repeated; each line adds entries */
	KeyReader *read; /* for the field at @offset in the struct @target */
	size_t offset;
	NumberedKeyReader *read_numbered; /* in place of @read, for rows that share a reader */
	int number; /* identifies the row: the resource or limit */
	KeyTarget target;
	bool takes_nothing; /* an empty value sets the empty set, instead of only clearing */
} ServiceKey;

/* A row without a name ends the table. */
const ServiceKey *service_keys(void);
unsigned service_keys_length(void);

/* The index of the row in the table, from 0. */
unsigned service_key_number(const ServiceKey *key);

/*
 * Can the value of @key contain a path, in which "%t" is replaced? False for commands, because
 * their percent signs belong to the program.
 */
bool service_key_takes_paths(const ServiceKey *key);

/* By section and name; NULL if there is none. */
const ServiceKey *service_key_find(const char *section, const char *name);

/*
 * Reads one value; a list gets one more entry. Returns: NULL, or the error as one sentence, a new
 * string.
 */
char *service_key_read(const ServiceKey *key, ServiceDef *def, const char *value, Origin origin);

/**
 * service_key_explain_unknown() - explain why @name is not a key of @section, and name the
 * alternative
 * @service: for the name of the policy section
 * Returns: the explanation as one sentence, a new string.
 */
char *service_key_explain_unknown(const char *section, const char *name, const char *service);
char *service_section_explain_unknown(const char *section, const char *service);
bool service_section_is_known(const char *section);

#endif
