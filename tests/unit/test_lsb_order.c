/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Properties of any set of headers, tested on thousands of random sets.
 */
#include "config.h"

#include <check.h>
#include <string.h>

#include "lsb-compat/order.h"
#include "tests/lib/diags.h"
#include "tests/lib/suite.h"

enum { ROUNDS = 400, MOST_SCRIPTS = 9, MOST_TOKENS = 3 };

static const char *const fields[] = { "Required-Start", "Should-Start", "X-Start-Before",
				      "Required-Stop",  "Should-Stop",  "X-Stop-After" };

/* Tokens are names of scripts and facilities, and names without an owner. */
static void add_random_tokens(GString *text, GRand *rand, guint n_scripts)
{
	for (int n = g_rand_int_range(rand, 0, MOST_TOKENS + 1); n > 0; n--) {
		const int number = g_rand_int_range(rand, 0, (gint32)n_scripts + 1);

		if (g_rand_int_range(rand, 0, 8) == 0)
			g_string_append(text, g_rand_boolean(rand) ? " $f" : " $all");
		else
			g_string_append_printf(text, " s%d", number);
	}
}

static LsbScript *random_script(GRand *rand, guint number, guint n_scripts, DiagList *diags)
{
	LsbScript *script = g_new0(LsbScript, 1);
	g_autoptr(GString) text = g_string_new("### BEGIN INIT INFO\n");

	script->file = g_strdup_printf("s%u", number);
	script->service = g_strdup(script->file);
	script->path = g_strconcat(LSB_SCRIPTS "/", script->file, NULL);
	g_string_append_printf(text, "# Provides: %s\n", script->file);
	for (size_t i = 0; i < G_N_ELEMENTS(fields); i++) {
		g_string_append_printf(text, "# %s:", fields[i]);
		add_random_tokens(text, rand, n_scripts);
		g_string_append_c(text, '\n');
	}
	g_string_append(text, "# Default-Start: 2\n# Default-Stop: 0\n### END INIT INFO\n");
	/* Some have no header, and are ordered by numbers. */
	if (g_rand_int_range(rand, 0, 6) == 0)
		g_string_truncate(text, 0);
	script->header =
		lsb_header_parse(script->path, script->service, text->str, text->len, diags);
	script->links.start = g_rand_int_range(rand, 0, 5) > 0 ? 1u << 2 : 0;
	script->links.stop = 1u << 0;
	script->links.start_number[2] = (unsigned char)g_rand_int_range(rand, 0, 5);
	script->links.stop_number[0] = (unsigned char)g_rand_int_range(rand, 0, 5);
	return script;
}

/* One random machine. */
typedef struct World {
	GPtrArray *scripts;
	LsbFacilities *facilities;
	LsbNodes *nodes;
	GPtrArray *plans;
	DiagList *diags;
} World;

static World *world_new(guint32 seed)
{
	static const char conf[] = "$f s0 +s2\n";
	World *w = g_new0(World, 1);
	g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
	const guint n_scripts = (guint)g_rand_int_range(rand, 1, MOST_SCRIPTS + 1);

	w->diags = diag_list_new();
	w->scripts = g_ptr_array_new_with_free_func(lsb_script_free);
	w->facilities = lsb_facilities_new();
	lsb_facilities_parse(w->facilities, "/etc/insserv.conf", conf, strlen(conf), w->diags);
	for (guint i = 0; i < n_scripts; i++)
		g_ptr_array_add(w->scripts, random_script(rand, i, n_scripts, w->diags));
	w->nodes = lsb_nodes_new(w->scripts, w->facilities, NULL, w->diags);
	w->plans = lsb_order(w->nodes, w->diags);
	return w;
}

static void world_free(World *w)
{
	if (!w)
		return;
	g_ptr_array_unref(w->plans);
	lsb_nodes_free(w->nodes);
	lsb_facilities_free(w->facilities);
	g_ptr_array_unref(w->scripts);
	diag_list_free(w->diags);
	g_free(w);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(World, world_free)

static const LsbPlan *plan_at(const World *w, guint i)
{
	return g_ptr_array_index(w->plans, i);
}

static bool names(const GPtrArray *list, const char *name)
{
	return g_ptr_array_find_with_equal_func((GPtrArray *)list, name, g_str_equal, NULL);
}

/* Does @list, of service @i, name @j itself, or a facility that @j provides and @i does not? */
static bool reaches(const World *w, const GPtrArray *list, guint i, guint j)
{
	const LsbNode *self = lsb_node_at(w->nodes, i);
	const LsbNode *other = lsb_node_at(w->nodes, j);

	return i != j &&
	       (names(list, other->name) || (names(list, "$f") && names(other->provides, "$f") &&
					     !names(self->provides, "$f")));
}

/*
 * Removes each service that waits for no remaining service, until all are gone. Returns: false if
 * all remaining services wait.
 */
static bool is_without_loops(const World *w, bool is_stop)
{
	const guint n = w->nodes->list->len;
	bool gone[MOST_SCRIPTS] = { false };
	guint n_gone = 0;
	bool progress = true;

	while (progress && n_gone < n) {
		progress = false;
		for (guint i = 0; i < n; i++) {
			bool waits = false;

			for (guint j = 0; j < n && !gone[i]; j++)
				waits |= !gone[j] && reaches(w,
							     is_stop ? plan_at(w, i)->stop_before :
								       plan_at(w, i)->after,
							     i, j);
			if (gone[i] || waits)
				continue;
			gone[i] = progress = true;
			n_gone++;
		}
	}
	return n_gone == n;
}

START_TEST(no_script_waits_for_itself_and_none_is_lost)
{
	for (guint32 seed = 0; seed < ROUNDS; seed++) {
		g_autoptr(World) w = world_new(seed);

		ck_assert_uint_eq(w->nodes->list->len, w->scripts->len);
		ck_assert_msg(is_without_loops(w, false), "seed %u: a loop at the start", seed);
		ck_assert_msg(is_without_loops(w, true), "seed %u: a loop at the stop", seed);
	}
}
END_TEST

/* Is there a diagnostic of a broken loop? */
static bool is_reported(const World *w)
{
	for (unsigned i = 0; i < diag_list_length(w->diags); i++) {
		if (strstr(diag_list_get(w->diags, i)->text, "closes a loop"))
			return true;
	}
	return false;
}

/* The plans contain everything that @field of each header contains. */
static void expect_field(const World *w, LsbField field, bool is_stop, bool is_towards,
			 guint32 seed)
{
	for (guint i = 0; i < w->scripts->len; i++) {
		const LsbScript *script = g_ptr_array_index(w->scripts, i);
		const GPtrArray *tokens = script->header->fields[field].tokens;

		for (guint k = 0; k < tokens->len; k++) {
			for (guint j = 0; j < w->scripts->len; j++) {
				const LsbNode *other = lsb_node_at(w->nodes, j);
				const LsbPlan *plan = plan_at(w, is_towards ? i : j);
				const LsbNode *named = is_towards ? other :
								    lsb_node_at(w->nodes, i);

				if (i == j ||
				    strcmp(g_ptr_array_index(tokens, k), other->name) != 0)
					continue;
				ck_assert_msg(names(is_stop ? plan->stop_before : plan->after,
						    named->name),
					      "seed %u: %s of s%u is lost", seed,
					      lsb_field_name(field), i);
			}
		}
	}
}

START_TEST(without_cycles_all_header_edges_are_kept)
{
	unsigned n = 0;

	for (guint32 seed = 0; seed < ROUNDS; seed++) {
		g_autoptr(World) w = world_new(seed);

		if (is_reported(w))
			continue;
		n++;
		expect_field(w, LSB_REQUIRED_START, false, true, seed);
		expect_field(w, LSB_SHOULD_START, false, true, seed);
		expect_field(w, LSB_START_BEFORE, false, false, seed);
		expect_field(w, LSB_REQUIRED_STOP, true, true, seed);
		expect_field(w, LSB_SHOULD_STOP, true, true, seed);
		expect_field(w, LSB_STOP_AFTER, true, false, seed);
	}
	/* The test is significant only if enough machines have no cycle. */
	ck_assert_uint_gt(n, ROUNDS / 20);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("lsb order");

	ADD_CASE(suite, "random headers", no_script_waits_for_itself_and_none_is_lost,
		 without_cycles_all_header_edges_are_kept);
	return suite;
}
