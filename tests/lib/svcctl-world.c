/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * svcctl world: the program itself, with org.svcd1 and an engine. Complete outputs are compared.
 */
#include "config.h"

#include "tests/lib/svcctl-world.h"

#include <string.h>

#include "tests/lib/suite.h"

const char machine_files[] =
	"== base\n[Service]\nDescription=The ground that all the others stand on\nExec=/bin/base\n"
	"== upper\n[Service]\nExec=/bin/upper\nReload=signal:HUP\n[Conditions]\n"
	"While=service:base\n"
	"== broken\n[Service]\nExec=/bin/broken\n"
	"== barred\n[Service]\nExec=/bin/barred\n"
	"== odd\n[Service]\nExec=/bin/odd\n"
	"== shy\n[Service]\nExec=/bin/shy\n[Conditions]\nWhen=flag:go\n";
const char machine_policy[] = "[runlevel 2]\nActivate=base upper shy broken\n"
			      "[service upper]\nReason=office rule 12\n"
			      "[service barred]\nActivation=never\nReason=no printers\n";

BusWorld *machine(void)
{
	BusWorld *bw = bus_world_new(machine_files, machine_policy);

	world_dies(bw->world, "broken", 7);
	world_settle(bw->world);
	bw->settles = true;
	tree_write(bw->tree, "/log/upper.log", "second line\nthird \033[31mline\n");
	tree_write(bw->tree, "/log/upper.log.1", "first line\n");
	return bw;
}

char *steady(const char *text)
{
	static const struct {
		const char *pattern;
		const char *replacement;
	} rules[] = {
		{ "[A-Z][a-z][a-z] [0-9:]{8} \\([0-9a-z. ]+ ago\\)", "AGO" },
		{ "[0-9]+ (d|h|min) [0-9]+ (h|min|s) ago( \\([A-Z][a-z][a-z] [0-9:]{8}\\))?",
		  "AGO" },
		{ "up [0-9]+ (d|h|min) [0-9]+ (h|min|s)", "up LONG" },
		{ "pid [0-9]+, svcctl", "pid N, svcctl" },
	};
	char *result = g_strdup(text);

	for (size_t i = 0; i < G_N_ELEMENTS(rules); i++) {
		g_autoptr(GRegex) regex = g_regex_new(rules[i].pattern, 0, 0, NULL);
		char *next = g_regex_replace_literal(regex, result, -1, 0, rules[i].replacement, 0,
						     NULL);

		g_free(result);
		result = next;
	}
	return result;
}

void expect_typed(BusWorld *bw, const Typed *t)
{
	g_autofree char *out = NULL;
	g_autofree char *err = NULL;
	g_autofree char *steady_out = NULL;
	const int code = bus_world_svcctl(bw, t->line, &out, &err);

	steady_out = steady(out);
	ck_assert_msg(code == t->code, "svcctl %s: exit %d\n%s%s", t->line, code, out, err);
	if (t->out)
		ck_assert_msg(strcmp(steady_out, t->out) == 0, "svcctl %s:\n%s", t->line,
			      steady_out);
	if (t->err)
		ck_assert_msg(strcmp(err, t->err) == 0, "svcctl %s:\n%s", t->line, err);
	/* No escape sequence, because this is not a terminal. */
	ck_assert(strchr(out, '\033') == NULL && strchr(err, '\033') == NULL);
}

JsonObject *parse_answer(JsonParser *parser, const char *text)
{
	g_autoptr(GError) error = NULL;

	ck_assert_msg(json_parser_load_from_data(parser, text, -1, &error), "%s: %s", text,
		      error ? error->message : "");
	ck_assert(JSON_NODE_HOLDS_OBJECT(json_parser_get_root(parser)));
	return json_node_get_object(json_parser_get_root(parser));
}

/* The same with --json: checks the common parts of each answer. */
static void expect_typed_json(BusWorld *bw, const Typed *t)
{
	g_autoptr(JsonParser) parser = json_parser_new();
	g_autofree char *line = g_strconcat("--json ", t->line, NULL);
	g_autofree char *out = NULL;
	g_autofree char *err = NULL;
	const int code = bus_world_svcctl(bw, line, &out, &err);
	JsonObject *answer = parse_answer(parser, out);

	ck_assert_int_eq(code, t->code);
	ck_assert_str_eq(err, "");
	ck_assert_str_eq(json_object_get_string_member(answer, "schema"), "svcctl/1");
	ck_assert(json_object_has_member(answer, "verb"));
	ck_assert_int_eq(json_object_get_int_member(answer, "exit"), code);
	if (code == 0)
		ck_assert(json_object_has_member(answer, "data") &&
			  !json_object_has_member(answer, "error"));
	if (t->err && *t->err && code != 1) {
		JsonObject *error = json_object_get_object_member(answer, "error");

		ck_assert(error != NULL);
		ck_assert_str_ne(json_object_get_string_member(error, "code"), "");
		ck_assert(strstr(t->err, json_object_get_string_member(error, "message")) != NULL);
	}
}

/* The command lines of this program's suite. */
static const Typed *lines;

START_TEST(each_line_has_its_answer)
{
	g_autoptr(BusWorld) bw = machine();

	expect_typed(bw, &lines[_i]);
}
END_TEST

START_TEST(each_line_has_its_answer_in_json)
{
	g_autoptr(BusWorld) bw = machine();

	expect_typed_json(bw, &lines[_i]);
}
END_TEST

void suite_add_typed(Suite *suite, const Typed *typed, size_t n)
{
	g_assert(!lines);
	lines = typed;
	suite_add_loop(suite, "lines", each_line_has_its_answer, n);
	suite_add_loop(suite, "lines", each_line_has_its_answer_in_json, n);
}
