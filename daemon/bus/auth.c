/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Auth: the authentication protocol as a state machine over lines.
 */
#include "config.h"

#include "bus/auth.h"

#include <string.h>

#include "base/limits.h"
#include "base/text.h"

void auth_init(Auth *auth, uid_t uid, const char *guid)
{
	*auth = (Auth){ .uid = uid, .line = g_string_new(NULL) };
	g_strlcpy(auth->guid, guid, sizeof auth->guid);
}

void auth_clear(Auth *auth)
{
	if (auth->line)
		g_string_free(auth->line, TRUE);
	auth->line = NULL;
}

/*
 * @hex is the decimal uid, with each character as two hexadecimal digits. An empty @hex means the
 * uid of the peer.
 */
static bool is_own_uid(const char *hex, uid_t uid)
{
	char decimal[16];
	const size_t length = strlen(hex);
	uint64_t claimed;

	if (length == 0)
		return true;
	if (length % 2 != 0 || length / 2 >= sizeof decimal)
		return false;
	for (size_t i = 0; i < length / 2; i++) {
		const int high = g_ascii_xdigit_value(hex[2 * i]);
		const int low = g_ascii_xdigit_value(hex[2 * i + 1]);

		if (high < 0 || low < 0)
			return false;
		decimal[i] = (char)(high * 16 + low);
		if (!g_ascii_isdigit(decimal[i]))
			return false;
	}
	decimal[length / 2] = '\0';
	return text_parse_uint(decimal, 10, UINT32_MAX - 1, &claimed) && (uid_t)claimed == uid;
}

static AuthenticationResult reject(Auth *auth, GString *reply)
{
	auth->state = AUTH_STATE_COMMAND;
	g_string_append(reply, "REJECTED EXTERNAL\r\n");
	return AUTHENTICATION_MORE;
}

static AuthenticationResult identify(Auth *auth, const char *hex, GString *reply)
{
	if (!is_own_uid(hex, auth->uid))
		return reject(auth, reply);
	auth->state = AUTH_STATE_BEGIN;
	g_string_append_printf(reply, "OK %s\r\n", auth->guid);
	return AUTHENTICATION_MORE;
}

/* "AUTH", "AUTH EXTERNAL" or "AUTH EXTERNAL HEX" */
static AuthenticationResult on_auth(Auth *auth, const char *argument, GString *reply)
{
	static const char mechanism[] = "EXTERNAL";
	const size_t length = sizeof mechanism - 1;

	if (strncmp(argument, mechanism, length) != 0 ||
	    (argument[length] && argument[length] != ' '))
		return reject(auth, reply);
	if (argument[length])
		return identify(auth, argument + length + 1, reply);
	auth->state = AUTH_STATE_DATA;
	g_string_append(reply, "DATA\r\n");
	return AUTHENTICATION_MORE;
}

static AuthenticationResult on_begin(Auth *auth, const char *argument, GString *reply)
{
	return AUTHENTICATION_DONE;
}

static AuthenticationResult on_cancel(Auth *auth, const char *argument, GString *reply)
{
	return reject(auth, reply);
}

static const struct {
	const char *name;
	AuthState state; /* the only state in which the command is valid */
	AuthenticationResult (*handle)(Auth *auth, const char *argument, GString *reply);
} commands[] = {
	{ "AUTH", AUTH_STATE_COMMAND, on_auth },   { "DATA", AUTH_STATE_DATA, identify },
	{ "CANCEL", AUTH_STATE_DATA, on_cancel },  { "ERROR", AUTH_STATE_DATA, on_cancel },
	{ "CANCEL", AUTH_STATE_BEGIN, on_cancel }, { "BEGIN", AUTH_STATE_BEGIN, on_begin },
};

static AuthenticationResult on_line(Auth *auth, char *line, GString *reply)
{
	char *blank = strchr(line, ' ');
	const char *argument = "";

	if (blank) {
		*blank = '\0';
		argument = blank + 1;
	}
	for (size_t i = 0; i < G_N_ELEMENTS(commands); i++) {
		if (commands[i].state == auth->state && strcmp(commands[i].name, line) == 0)
			return commands[i].handle(auth, argument, reply);
	}
	/* BEGIN before OK: the specification requires a disconnect. */
	if (strcmp(line, "BEGIN") == 0)
		return AUTHENTICATION_REFUSED;
	/* NEGOTIATE_UNIX_FD is declined here too. */
	g_string_append(reply, "ERROR\r\n");
	return AUTHENTICATION_MORE;
}

static AuthenticationResult on_byte(Auth *auth, char byte, GString *reply)
{
	AuthenticationResult result;
	GString *line = auth->line;

	if (byte == '\0' || line->len >= LIMIT_AUTH_LINE_BYTES)
		return AUTHENTICATION_REFUSED;
	g_string_append_c(line, byte);
	if (byte != '\n')
		return AUTHENTICATION_MORE;
	if (line->len < 2 || line->str[line->len - 2] != '\r' || ++auth->n_lines > LIMIT_AUTH_LINES)
		return AUTHENTICATION_REFUSED;
	g_string_truncate(line, line->len - 2);
	result = on_line(auth, line->str, reply);
	g_string_truncate(line, 0);
	return result;
}

AuthenticationResult auth_feed(Auth *auth, const guint8 *bytes, size_t length, size_t *ret_used,
			       GString *reply)
{
	AuthenticationResult result = AUTHENTICATION_MORE;
	size_t used = 0;

	if (length > 0 && auth->state == AUTH_STATE_NUL) {
		if (bytes[used++] != 0)
			result = AUTHENTICATION_REFUSED;
		auth->state = AUTH_STATE_COMMAND;
	}
	while (result == AUTHENTICATION_MORE && used < length)
		result = on_byte(auth, (char)bytes[used++], reply);
	*ret_used = used;
	return result;
}
