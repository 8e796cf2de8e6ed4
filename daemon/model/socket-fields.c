/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Socket fields: one table with a row for each field of SocketDef that applies to a socket.
 */
#include "config.h"

#include "model/socket-fields.h"

#include <string.h>

#include "base/text.h"

/* The address and the kind precede the options. */
enum { N_FIXED_FIELDS = 2 };

typedef enum FieldType { FIELD_BOOL, FIELD_UNSIGNED, FIELD_UINT64, FIELD_STRING } FieldType;

typedef struct Field {
	const char *key;
	size_t offset;
	FieldType type;
	/*
	 * This field applies only to addresses with a file, so that its change does not close a
	 * port.
	 */
	bool is_of_file;
} Field;

static const Field table[] = {
	{ "user", offsetof(SocketDef, user), FIELD_STRING, true },
	{ "group", offsetof(SocketDef, group), FIELD_STRING, true },
	{ "mode", offsetof(SocketDef, mode), FIELD_UNSIGNED, true },
	{ "directory-mode", offsetof(SocketDef, directory_mode), FIELD_UNSIGNED, true },
	{ "backlog", offsetof(SocketDef, backlog), FIELD_UNSIGNED, false },
	{ "keep-alive", offsetof(SocketDef, keep_alive), FIELD_BOOL, false },
	{ "no-delay", offsetof(SocketDef, no_delay), FIELD_BOOL, false },
	{ "free-bind", offsetof(SocketDef, free_bind), FIELD_BOOL, false },
	{ "reuse-port", offsetof(SocketDef, reuse_port), FIELD_BOOL, false },
	{ "pass-credentials", offsetof(SocketDef, pass_credentials), FIELD_BOOL, false },
	{ "ipv6-only", offsetof(SocketDef, ipv6_only), FIELD_UNSIGNED, false },
	{ "receive-buffer", offsetof(SocketDef, receive_buffer), FIELD_UINT64, false },
	{ "send-buffer", offsetof(SocketDef, send_buffer), FIELD_UINT64, false },
};
G_STATIC_ASSERT(sizeof(Ipv6Only) == sizeof(unsigned));

/* Returns: a new string; NULL: not set. */
static char *write_value(const Field *field, const SocketDef *def)
{
	const void *at = (const char *)def + field->offset;

	switch (field->type) {
	case FIELD_BOOL:
		return g_strdup(*(const bool *)at ? "1" : "0");
	case FIELD_UNSIGNED:
		return g_strdup_printf("%u", *(const unsigned *)at);
	case FIELD_UINT64:
		return g_strdup_printf("%" G_GUINT64_FORMAT, *(const uint64_t *)at);
	case FIELD_STRING:
		break;
	}
	return g_strdup(*(char *const *)at);
}

static bool read_value(const Field *field, SocketDef *def, const char *value)
{
	void *at = (char *)def + field->offset;
	const uint64_t max = field->type == FIELD_BOOL     ? 1 :
			     field->type == FIELD_UNSIGNED ? UINT_MAX :
							     UINT64_MAX;
	uint64_t number = 0;

	if (field->type != FIELD_STRING && !text_parse_uint(value, 10, max, &number))
		return false;
	switch (field->type) {
	case FIELD_BOOL:
		*(bool *)at = number;
		break;
	case FIELD_UNSIGNED:
		*(unsigned *)at = (unsigned)number;
		break;
	case FIELD_UINT64:
		*(uint64_t *)at = number;
		break;
	case FIELD_STRING:
		g_free(*(char **)at);
		*(char **)at = g_strdup(value);
		break;
	}
	return true;
}

char **socket_fields_new(const Listen *listen, const SocketDef *def)
{
	GPtrArray *list = g_ptr_array_new();

	g_ptr_array_add(list, g_strdup(listen->text));
	g_ptr_array_add(list, g_strdup(listen_kind_name(listen->kind)));
	for (size_t i = 0; i < G_N_ELEMENTS(table); i++) {
		g_autofree char *value = write_value(&table[i], def);

		if (value && (!table[i].is_of_file || listen_has_file(listen)))
			g_ptr_array_add(list, g_strdup_printf("%s=%s", table[i].key, value));
	}
	g_ptr_array_add(list, NULL);
	return (char **)g_ptr_array_free(list, FALSE);
}

static bool read_field(SocketDef *def, const char *field)
{
	for (size_t i = 0; i < G_N_ELEMENTS(table); i++) {
		const size_t length = strlen(table[i].key);

		if (strncmp(field, table[i].key, length) == 0 && field[length] == '=')
			return read_value(&table[i], def, field + length + 1);
	}
	return false;
}

static bool read_fixed(SocketDef *def, const char *const *fields, unsigned n_fields)
{
	g_autofree char *problem = NULL;
	ListenKind kind;

	if (n_fields < N_FIXED_FIELDS || !listen_kind_from_name(fields[1], &kind))
		return false;
	problem = socket_def_add(def, kind, fields[0], (Origin){ 0 });
	return !problem;
}

SocketDef *socket_fields_read(const char *const *fields, unsigned n_fields)
{
	SocketDef *def = socket_def_new();
	bool ok = read_fixed(def, fields, n_fields);

	for (unsigned i = N_FIXED_FIELDS; i < n_fields && ok; i++)
		ok = read_field(def, fields[i]);
	if (ok)
		return def;
	socket_def_free(def);
	return NULL;
}

char *socket_fields_hash(const char *const *fields)
{
	g_autofree char *text = g_strjoinv("\n", (char **)fields);
	g_autofree char *digest = g_compute_checksum_for_string(G_CHECKSUM_SHA256, text, -1);

	return g_strndup(digest, SOCKET_HASH_LENGTH);
}
