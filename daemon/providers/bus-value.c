/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Bus value: integers are compared as integers, because a double cannot represent all those above
 * 2^53.
 */
#include "config.h"

#include "providers/bus-value.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/limits.h"
#include "base/text.h"

#define SHOWN_BYTES 80

typedef enum Order { ORDER_NONE, ORDER_LESS, ORDER_EQUAL, ORDER_GREATER } Order;

/* --- reading --- */

static void set_signed(BusValue *value, int64_t number)
{
	value->kind = BUS_VALUE_INTEGER;
	value->is_negative = number < 0;
	value->magnitude = number < 0 ? -(uint64_t)number : (uint64_t)number;
}

static void set_unsigned(BusValue *value, uint64_t number)
{
	value->kind = BUS_VALUE_INTEGER;
	value->magnitude = number;
}

static void set_text(BusValue *value, const char *text)
{
	value->kind = BUS_VALUE_TEXT;
	value->is_cut = strlen(text) > LIMIT_BUS_TEXT_BYTES;
	value->text = g_strndup(text, LIMIT_BUS_TEXT_BYTES);
}

static void read_basic(DBusMessageIter *iter, BusValue *value)
{
	DBusBasicValue basic;

	dbus_message_iter_get_basic(iter, &basic);
	switch (value->type) {
	case DBUS_TYPE_BOOLEAN:
		value->kind = BUS_VALUE_BOOLEAN;
		value->boolean = basic.bool_val;
		break;
	case DBUS_TYPE_BYTE:
		set_unsigned(value, basic.byt);
		break;
	case DBUS_TYPE_INT16:
		set_signed(value, basic.i16);
		break;
	case DBUS_TYPE_UINT16:
		set_unsigned(value, basic.u16);
		break;
	case DBUS_TYPE_INT32:
		set_signed(value, basic.i32);
		break;
	case DBUS_TYPE_UINT32:
		set_unsigned(value, basic.u32);
		break;
	case DBUS_TYPE_INT64:
		set_signed(value, basic.i64);
		break;
	case DBUS_TYPE_UINT64:
		set_unsigned(value, basic.u64);
		break;
	case DBUS_TYPE_DOUBLE:
		value->kind = BUS_VALUE_DOUBLE;
		value->real = basic.dbl;
		break;
	default:
		set_text(value, basic.str); /* bus_value_read() excludes descriptors */
		break;
	}
}

void bus_value_read(DBusMessageIter *iter, BusValue *ret)
{
	DBusMessageIter at = *iter;

	/* libdbus has refused messages with a nesting deeper than 64. */
	while (dbus_message_iter_get_arg_type(&at) == DBUS_TYPE_VARIANT) {
		DBusMessageIter inner;

		dbus_message_iter_recurse(&at, &inner);
		at = inner;
	}
	*ret = (BusValue){ .kind = BUS_VALUE_OTHER, .type = dbus_message_iter_get_arg_type(&at) };
	/* Reading a descriptor would create a new one that must be closed. */
	if (dbus_type_is_basic(ret->type) && ret->type != DBUS_TYPE_UNIX_FD)
		read_basic(&at, ret);
}

void bus_value_clear(BusValue *value)
{
	g_free(value->text);
	*value = (BusValue){ 0 };
}

/* --- signals --- */

/* Is the string at @entry the name @member? */
static bool entry_is(DBusMessageIter *entry, const char *member)
{
	const char *name;

	if (dbus_message_iter_get_arg_type(entry) != DBUS_TYPE_STRING)
		return false;
	dbus_message_iter_get_basic(entry, &name);
	return strcmp(name, member) == 0;
}

BusChange bus_change_find(const DBusMessageIter *changed, const char *member, BusValue *ret)
{
	DBusMessageIter iter = *changed;
	DBusMessageIter list;

	for (dbus_message_iter_recurse(&iter, &list);
	     dbus_message_iter_get_arg_type(&list) == DBUS_TYPE_DICT_ENTRY;
	     dbus_message_iter_next(&list)) {
		DBusMessageIter entry;

		dbus_message_iter_recurse(&list, &entry);
		if (!entry_is(&entry, member))
			continue;
		dbus_message_iter_next(&entry);
		bus_value_read(&entry, ret);
		return BUS_CHANGE_VALUE;
	}
	if (!dbus_message_iter_next(&iter))
		return BUS_CHANGE_NONE;
	for (dbus_message_iter_recurse(&iter, &list);
	     dbus_message_iter_get_arg_type(&list) == DBUS_TYPE_STRING;
	     dbus_message_iter_next(&list)) {
		if (entry_is(&list, member))
			return BUS_CHANGE_INVALID;
	}
	return BUS_CHANGE_NONE;
}

/* --- comparing --- */

/* Accepts a decimal number, whole or not, within range. No "nan", "inf" or "0x". */
static bool parse_number(const char *token, BusValue *ret)
{
	int64_t integer;
	uint64_t natural;
	char *end;

	*ret = (BusValue){ 0 };
	if (text_parse_int(token, INT64_MIN, INT64_MAX, &integer)) {
		set_signed(ret, integer);
		return true;
	}
	if (text_parse_uint(token, 10, UINT64_MAX, &natural)) {
		set_unsigned(ret, natural);
		return true;
	}
	if (!*token || token[strspn(token, "0123456789+-.eE")] != '\0')
		return false;
	errno = 0;
	ret->kind = BUS_VALUE_DOUBLE;
	ret->real = g_ascii_strtod(token, &end);
	return *end == '\0' && errno == 0 && isfinite(ret->real);
}

static double as_double(const BusValue *number)
{
	if (number->kind == BUS_VALUE_DOUBLE)
		return number->real;
	return number->is_negative ? -(double)number->magnitude : (double)number->magnitude;
}

static Order order_integers(const BusValue *a, const BusValue *b)
{
	if (a->is_negative != b->is_negative)
		return a->is_negative ? ORDER_LESS : ORDER_GREATER;
	if (a->magnitude == b->magnitude)
		return ORDER_EQUAL;
	return (a->magnitude < b->magnitude) != a->is_negative ? ORDER_LESS : ORDER_GREATER;
}

static Order order_numbers(const BusValue *a, const BusValue *b)
{
	if (a->kind == BUS_VALUE_INTEGER && b->kind == BUS_VALUE_INTEGER)
		return order_integers(a, b);
	if (isless(as_double(a), as_double(b)))
		return ORDER_LESS;
	return isgreater(as_double(a), as_double(b)) ? ORDER_GREATER : ORDER_EQUAL;
}

static bool order_fits(Order order, KeyOperator operator)
{
	switch (operator) {
	case KEY_OPERATOR_EQUAL:
		return order == ORDER_EQUAL;
	case KEY_OPERATOR_UNEQUAL:
		return order != ORDER_EQUAL;
	case KEY_OPERATOR_AT_LEAST:
		return order == ORDER_EQUAL || order == ORDER_GREATER;
	case KEY_OPERATOR_AT_MOST:
		return order == ORDER_EQUAL || order == ORDER_LESS;
	case KEY_OPERATOR_COUNT:
		break;
	}
	return false;
}

/* Each returns the order of value and token, or ORDER_NONE with *@ret_problem, static. */
static Order order_boolean(const BusValue *value, const char *token, const char **ret_problem)
{
	if (strcmp(token, value->boolean ? "true" : "false") == 0)
		return ORDER_EQUAL;
	if (strcmp(token, value->boolean ? "false" : "true") == 0)
		return value->boolean ? ORDER_GREATER : ORDER_LESS;
	*ret_problem = "which can only be compared with true and false";
	return ORDER_NONE;
}

static Order order_number(const BusValue *value, const char *token, const char **ret_problem)
{
	BusValue number;

	if (value->kind == BUS_VALUE_DOUBLE && isnan(value->real))
		*ret_problem = "which cannot be compared with a number";
	else if (!parse_number(token, &number))
		*ret_problem = "which can only be compared with numbers";
	else
		return order_numbers(value, &number);
	return ORDER_NONE;
}

static Order order_text(const BusValue *value, const char *token)
{
	return !value->is_cut && strcmp(value->text, token) == 0 ? ORDER_EQUAL : ORDER_LESS;
}

static Order order_value(const BusValue *value, const char *token, const char **ret_problem)
{
	switch (value->kind) {
	case BUS_VALUE_BOOLEAN:
		return order_boolean(value, token, ret_problem);
	case BUS_VALUE_INTEGER:
	case BUS_VALUE_DOUBLE:
		return order_number(value, token, ret_problem);
	case BUS_VALUE_TEXT:
		return order_text(value, token);
	case BUS_VALUE_OTHER:
		break;
	}
	*ret_problem = "which cannot be compared";
	return ORDER_NONE;
}

/* --- text for reports --- */

static char *shown_text(const BusValue *value)
{
	g_autofree char *escaped = text_escape_terminal(value->text);

	if (strlen(escaped) <= SHOWN_BYTES)
		return g_strdup_printf("\"%s\"", escaped);
	*g_utf8_find_prev_char(escaped, escaped + SHOWN_BYTES + 1) = '\0';
	return g_strdup_printf("\"%s...\"", escaped);
}

static const char *other_value(int type)
{
	switch (type) {
	case DBUS_TYPE_ARRAY:
		return "a list";
	case DBUS_TYPE_STRUCT:
		return "a structure";
	case DBUS_TYPE_UNIX_FD:
		return "a file descriptor";
	default:
		return "something"; /* cannot happen: libdbus refuses an empty variant */
	}
}

static char *value_text(const BusValue *value)
{
	char number[G_ASCII_DTOSTR_BUF_SIZE];

	switch (value->kind) {
	case BUS_VALUE_BOOLEAN:
		return g_strdup(value->boolean ? "true" : "false");
	case BUS_VALUE_INTEGER:
		return g_strdup_printf("%s%" PRIu64, value->is_negative ? "-" : "",
				       value->magnitude);
	case BUS_VALUE_DOUBLE:
		return g_strdup(g_ascii_formatd(number, sizeof number, "%.15g", value->real));
	case BUS_VALUE_TEXT:
		return shown_text(value);
	case BUS_VALUE_OTHER:
		break;
	}
	return g_strdup(other_value(value->type));
}

bool bus_value_compare(const BusValue *value, KeyOperator operator, const char * token,
		       const char *name, char **ret_why)
{
	g_autofree char *shown = value_text(value);
	const bool is_ranked = operator== KEY_OPERATOR_AT_LEAST || operator== KEY_OPERATOR_AT_MOST;
	const char *problem = NULL;
	const Order order = order_value(value, token, &problem);

	if (!problem && is_ranked && value->kind != BUS_VALUE_INTEGER &&
	    value->kind != BUS_VALUE_DOUBLE)
		problem = "which can only be compared by = and !=";
	*ret_why = g_strdup_printf("%s is %s%s%s", name, shown, problem ? ", " : "",
				   problem ? problem : "");
	return !problem && order_fits(order, operator);
}
