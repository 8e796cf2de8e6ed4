/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Policy: properties that hold for any files. Each round makes random files from its number, which
 * a failure prints.
 */
#include "config.h"

#include <check.h>

#include "config/loader.h"
#include "model/policy.h"
#include "tests/lib/diags.h"
#include "tests/lib/suite.h"
#include "tests/lib/tree.h"

enum { ROUNDS = 200 };

static const char *const services[] = { "a", "b", "c", "d", "t@", "t@1" };
static const char *const runlevels[] = { "2", "3", "5", "S", "on-train" };

/* --- all answers of policy, as text --- */

static void print_entry(GString *out, const PolicyService *settings)
{
	const GPtrArray *const terms[] = { settings->when, settings->while_terms };
	const GPtrArray *const names[] = { settings->ignore, settings->operators };

	for (size_t i = 0; i < G_N_ELEMENTS(terms); i++) {
		for (guint j = 0; j < terms[i]->len; j++)
			g_string_append_printf(out, " %s",
					       ((Term *)g_ptr_array_index(terms[i], j))->text);
		g_string_append(out, " /");
	}
	for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
		for (guint j = 0; j < names[i]->len; j++)
			g_string_append_printf(out, " %s",
					       ((NameRef *)g_ptr_array_index(names[i], j))->name);
		g_string_append(out, " /");
	}
	g_string_append_printf(out, " %s %s",
			       settings->has_on_lapse ? on_lapse_name(settings->on_lapse) : "-",
			       settings->reason ? settings->reason : "-");
}

static void print_service(GString *out, const Policy *policy, const char *service)
{
	const PolicyService *settings = policy_service(policy, service);

	g_string_append_printf(out, "%s:", service);
	for (size_t i = 0; i < G_N_ELEMENTS(runlevels); i++) {
		PolicyDecision decision;

		policy_decide(policy, service, runlevels[i], &decision);
		g_string_append_printf(out, " %s%s", activation_name(decision.activation),
				       decision.in_runlevel ? "+" : "");
	}
	if (settings)
		print_entry(out, settings);
	g_string_append_c(out, '\n');
}

/* The precedence of conflicting services. */
static void print_ranks(GString *out, const Policy *policy)
{
	for (size_t i = 0; i < G_N_ELEMENTS(services); i++) {
		for (size_t j = 0; j < i; j++) {
			PolicyDecision one;
			PolicyDecision two;

			policy_decide(policy, services[i], "2", &one);
			policy_decide(policy, services[j], "2", &two);
			g_string_append_c(out, one.order < two.order ? '<' :
					       one.order > two.order ? '>' :
								       '=');
		}
	}
}

static char *effective(const Policy *policy)
{
	GString *out = g_string_new(NULL);

	g_string_append_printf(out, "%s %s %s\n", policy_default_runlevel(policy, NULL),
			       activation_name(policy_new_services(policy, NULL)),
			       policy_runlevel_title(policy, "5"));
	for (size_t i = 0; i < G_N_ELEMENTS(services); i++)
		print_service(out, policy, services[i]);
	return g_string_free(out, FALSE);
}

static char *effective_with_ranks(const Policy *policy)
{
	g_autofree char *all = effective(policy);
	GString *out = g_string_new(all);

	print_ranks(out, policy);
	return g_string_free(out, FALSE);
}

/* --- random files --- */

static const char *pick(GRand *rand, const char *const *from, size_t n)
{
	return from[g_rand_int_range(rand, 0, (gint32)n)];
}

#define PICK(rand, array) pick(rand, array, G_N_ELEMENTS(array))

/* One key of one section, as a complete file, about @service; NULL: about any. */
static char *random_setting(GRand *rand, const char *service)
{
	static const char *const lines[] = {
		"Activation=boot",      "Activation=never",
		"Activation=manual",    "Activation=",
		"Runlevels=2 on-train", "Runlevels=-3",
		"Runlevels=",           "When=flag:x",
		"When=flag:y | flag:z", "When=",
		"While=network:up",     "While=",
		"Ignore=network:up b",  "Ignore=",
		"OnLapse=keep",         "OnLapse=",
		"Operators=adm web",    "Operators=",
		"Reason=because",       "Reason=",
	};
	static const char *const defaults[] = { "NewServices=boot",  "NewServices=manual",
						"NewServices=",      "Runlevel=5",
						"Runlevel=on-train", "Runlevel=",
						"RcLinks=yes",       "RcLinks=no",
						"RcLinks=" };
	static const char *const other[] = { "a", "-a", "b c", "-c d", "t@1", "-t@1 a", "" };

	if (service || g_rand_boolean(rand))
		return g_strdup_printf("[service %s]\n%s\n",
				       service ? service : PICK(rand, services), PICK(rand, lines));
	switch (g_rand_int_range(rand, 0, 4)) {
	case 0:
		return g_strdup_printf("[defaults]\n%s\n", PICK(rand, defaults));
	case 1:
		return g_strdup_printf("[runlevel %s]\nInclude=%s\n",
				       g_rand_boolean(rand) ? "5" : "on-train",
				       g_rand_boolean(rand) ? "3" : "-2");
	case 2:
		return g_strdup_printf("[runlevel 5]\nName=%s\n",
				       g_rand_boolean(rand) ? "desktop" : "");
	default:
		return g_strdup_printf("[runlevel %s]\nActivate=%s\n", PICK(rand, runlevels),
				       PICK(rand, other));
	}
}

static GPtrArray *random_settings(GRand *rand, int n)
{
	GPtrArray *settings = g_ptr_array_new_with_free_func(g_free);

	for (int i = 0; i < n; i++)
		g_ptr_array_add(settings, random_setting(rand, NULL));
	return settings;
}

static bool merge(Policy *policy, const char *text)
{
	g_autoptr(DiagList) diags = diag_list_new();

	return policy_parse(policy, POLICY_LAYER_ADMIN, "f", text, strlen(text), diags);
}

static void must_merge(Policy *policy, const char *text)
{
	ck_assert_msg(merge(policy, text), "refused: %s", text);
}

START_TEST(how_the_settings_are_spread_over_files_does_not_matter)
{
	g_autoptr(GRand) rand = g_rand_new_with_seed((guint32)_i);
	g_autoptr(GPtrArray) settings = random_settings(rand, 30);
	g_autoptr(Policy) each = policy_new();
	g_autoptr(Policy) together = policy_new();
	g_autoptr(GString) file = g_string_new(NULL);
	g_autofree char *one = NULL;
	g_autofree char *two = NULL;

	for (guint i = 0; i < settings->len; i++) {
		const char *setting = g_ptr_array_index(settings, i);
		g_autofree char *joined = g_strconcat(file->str, setting, NULL);
		g_autoptr(Policy) trial = policy_new();

		must_merge(each, setting);
		/*
		 * A plain key that is set twice in one file is an error. So such a setting begins
		 * the next file.
		 */
		if (g_rand_int_range(rand, 0, 8) == 0 || !merge(trial, joined)) {
			must_merge(together, file->str);
			g_string_truncate(file, 0);
		}
		g_string_append(file, setting);
	}
	must_merge(together, file->str);

	one = effective_with_ranks(each);
	two = effective_with_ranks(together);
	ck_assert_msg(strcmp(one, two) == 0, "seed %d:\n%s\n%s", _i, one, two);
}
END_TEST

/* Written in random order, because some file systems list a directory in that order. */
static char *load_shuffled(GRand *rand, const GPtrArray *settings)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(Configuration) c = NULL;
	const LoaderOptions options = { .root = tree->root, .any_owner = true };
	g_autoptr(GPtrArray) left = g_ptr_array_new();

	for (guint i = 0; i < settings->len; i++)
		g_ptr_array_add(left, GUINT_TO_POINTER(i + 1));
	while (left->len > 0) {
		const guint at = (guint)g_rand_int_range(rand, 0, (gint32)left->len);
		const guint i = GPOINTER_TO_UINT(g_ptr_array_remove_index_fast(left, at)) - 1;
		g_autofree char *name =
			g_strdup_printf("%s/policy.d/%02u.policy", SVCD_SYSCONFDIR, i);

		tree_write(tree, name, g_ptr_array_index(settings, i));
	}
	c = configuration_load(&options, NULL);
	return effective_with_ranks(c->policy);
}

START_TEST(the_order_in_which_a_directory_lists_its_files_does_not_matter)
{
	g_autoptr(GRand) rand = g_rand_new_with_seed((guint32)_i);
	g_autoptr(GPtrArray) settings = random_settings(rand, 12);
	g_autoptr(Policy) in_order = policy_new();
	g_autofree char *expected = NULL;
	g_autofree char *one = load_shuffled(rand, settings);
	g_autofree char *two = load_shuffled(rand, settings);

	for (guint i = 0; i < settings->len; i++)
		must_merge(in_order, g_ptr_array_index(settings, i));
	expected = effective_with_ranks(in_order);
	ck_assert_msg(strcmp(one, expected) == 0, "seed %d:\n%s\n%s", _i, one, expected);
	ck_assert_msg(strcmp(two, expected) == 0, "seed %d:\n%s\n%s", _i, two, expected);
}
END_TEST

START_TEST(changes_of_different_services_commute)
{
	g_autoptr(GRand) rand = g_rand_new_with_seed((guint32)_i);
	g_autoptr(GPtrArray) settings = random_settings(rand, 10);
	g_autofree char *of_a = random_setting(rand, "a");
	g_autofree char *of_b = random_setting(rand, "b");
	g_autoptr(Policy) a_first = policy_new();
	g_autoptr(Policy) b_first = policy_new();
	g_autofree char *one = NULL;
	g_autofree char *two = NULL;

	for (guint i = 0; i < settings->len; i++) {
		must_merge(a_first, g_ptr_array_index(settings, i));
		must_merge(b_first, g_ptr_array_index(settings, i));
	}
	must_merge(a_first, of_a);
	must_merge(a_first, of_b);
	must_merge(b_first, of_b);
	must_merge(b_first, of_a);

	one = effective(a_first);
	two = effective(b_first);
	ck_assert_msg(strcmp(one, two) == 0, "seed %d: %s%s:\n%s\n%s", _i, of_a, of_b, one, two);
}
END_TEST

/* --- each key over each layer --- */

/*
 * Values for the vendor's layer, the admin's layer and the layer until reboot. They are added one
 * after the other. In the end an empty value in another file removes them.
 */
static const struct LayerRow {
	const char *section;
	const char *key;
	const char *values[3];
	const char *in_force[4]; /* after each of the values, and after the empty one */
	/* clang-format off */
} rows[] = {
	{ "[service a]", "Activation", { "boot", "never", "manual" }, { "boot", "never", "manual", "on-demand" } },
	{ "[service a]", "Reason", { "one", "two", "three" }, { "one", "two", "three", "" } },
	{ "[service a]", "OnLapse", { "keep", "reload", "stop" }, { "keep", "reload", "stop", "" } },
	{ "[service a]", "Operators", { "x y", "z", "v w" }, { "x y", "z", "v w", "" } },
	{ "[service a]", "When", { "flag:a", "flag:b", "flag:c" }, { "flag:a", "flag:a flag:b", "flag:a flag:b flag:c", "" } },
	{ "[service a]", "While", { "flag:a", "flag:b", "flag:c" }, { "flag:a", "flag:a flag:b", "flag:a flag:b flag:c", "" } },
	{ "[service a]", "Ignore", { "x", "y", "z" }, { "x", "x y", "x y z", "" } },
	{ "[service a]", "Runlevels", { "2 3", "-2", "2" }, { "23", "3", "23", "" } },
	{ "[runlevel 2]", "Activate", { "a b", "-a", "a" }, { "2", "", "2", "" } },
	{ "[runlevel 3]", "Include", { "2", "-2", "2" }, { "included", "", "included", "" } },
	{ "[runlevel 5]", "Name", { "one", "two", "three" }, { "one", "two", "three", "5" } },
	{ "[defaults]", "Runlevel", { "3", "4", "5" }, { "3", "4", "5", "2" } },
	{ "[defaults]", "NewServices", { "boot", "never", "manual" }, { "boot", "never", "manual", "on-demand" } },
	{ "[defaults]", "RcLinks", { "yes", "no", "yes" }, { "yes", "no", "yes", "no" } },
};
/* clang-format on */

static char *join(const GPtrArray *array, bool are_terms)
{
	GString *out = g_string_new(NULL);

	for (guint i = 0; array && i < array->len; i++) {
		const void *item = g_ptr_array_index(array, i);

		g_string_append_printf(out, "%s%s", i > 0 ? " " : "",
				       are_terms ? ((const Term *)item)->text :
						   ((const NameRef *)item)->name);
	}
	return g_string_free(out, FALSE);
}

/* Which of the runlevels 2 and 3 want "a". */
static char *wanted_in(const Policy *policy)
{
	GString *out = g_string_new(NULL);

	for (const char *runlevel = "23"; *runlevel; runlevel++) {
		const char name[] = { *runlevel, '\0' };
		PolicyDecision decision;

		policy_decide(policy, "a", name, &decision);
		if (decision.in_runlevel)
			g_string_append(out, name);
	}
	return g_string_free(out, FALSE);
}

static char *in_force(const Policy *policy, const char *key)
{
	const PolicyService *settings = policy_service(policy, "a");
	PolicyDecision decision;

	policy_decide(policy, "a", "3", &decision);
	if (strcmp(key, "Activation") == 0)
		return g_strdup(activation_name(decision.activation));
	if (strcmp(key, "Reason") == 0)
		return g_strdup(settings->reason ? settings->reason : "");
	if (strcmp(key, "OnLapse") == 0)
		return g_strdup(settings->has_on_lapse ? on_lapse_name(settings->on_lapse) : "");
	if (strcmp(key, "Operators") == 0 || strcmp(key, "Ignore") == 0)
		return join(*key == 'O' ? settings->operators : settings->ignore, false);
	if (strcmp(key, "When") == 0 || strcmp(key, "While") == 0)
		return join(strcmp(key, "When") == 0 ? settings->when : settings->while_terms,
			    true);
	if (strcmp(key, "Runlevels") == 0 || strcmp(key, "Activate") == 0)
		return wanted_in(policy);
	if (strcmp(key, "Include") == 0)
		return g_strdup(decision.in_runlevel ? "included" : "");
	if (strcmp(key, "Name") == 0)
		return g_strdup(policy_runlevel_title(policy, "5"));
	if (strcmp(key, "Runlevel") == 0)
		return g_strdup(policy_default_runlevel(policy, NULL));
	if (strcmp(key, "RcLinks") == 0)
		return g_strdup(policy_rc_links(policy, NULL) ? "yes" : "no");
	return g_strdup(activation_name(policy_new_services(policy, NULL)));
}

START_TEST(every_key_is_decided_layer_by_layer)
{
	static const PolicyLayer layers[] = { POLICY_LAYER_VENDOR, POLICY_LAYER_ADMIN,
					      POLICY_LAYER_UNTIL_REBOOT,
					      POLICY_LAYER_UNTIL_REBOOT };
	const struct LayerRow *row = &rows[_i];
	g_autoptr(Policy) policy = policy_new();

	if (strcmp(row->key, "Include") == 0)
		must_merge(policy, "[runlevel 2]\nActivate=a\n");
	for (size_t i = 0; i < G_N_ELEMENTS(layers); i++) {
		g_autofree char *text = g_strdup_printf("%s\n%s=%s\n", row->section, row->key,
							i < 3 ? row->values[i] : "");
		g_autofree char *now = NULL;
		g_autoptr(DiagList) diags = diag_list_new();

		ck_assert(policy_parse(policy, layers[i], "f", text, strlen(text), diags));
		now = in_force(policy, row->key);
		ck_assert_msg(strcmp(now, row->in_force[i]) == 0, "%s after layer %zu: %s",
			      row->key, i, now);
	}
}
END_TEST

/* --- the layer of the rc links --- */

static const char *const layer_directories[] = { SVCD_LIBDIR "/policy.d",
						 "/run/svcd/generated/rc-links",
						 SVCD_SYSCONFDIR "/policy.d",
						 "/run/svcd/policy.d" };
static const PolicyLayer layers_in_order[] = { POLICY_LAYER_VENDOR, POLICY_LAYER_RC_LINKS,
					       POLICY_LAYER_ADMIN, POLICY_LAYER_UNTIL_REBOOT };

/* The links of one service: the runlevels that start it, or none. */
static char *random_links(GRand *rand)
{
	const char *service = PICK(rand, services);
	const char *runlevel = PICK(rand, runlevels);

	if (g_rand_int_range(rand, 0, 3) == 0)
		return g_strdup_printf("[service %s]\nActivation=manual\n", service);
	return g_strdup_printf("[service %s]\nActivation=boot\nRunlevels=\nRunlevels=%s\n", service,
			       runlevel);
}

/* @layer 1 has the links. With @with_links, all layers go into one policy. */
static void merge_layer(Policy *policy, unsigned layer, const GPtrArray *settings, bool with_links)
{
	g_autoptr(DiagList) diags = diag_list_new();

	for (guint i = layer; i < settings->len; i += G_N_ELEMENTS(layers_in_order)) {
		const char *text = g_ptr_array_index(settings, i);

		if (layers_in_order[layer] != POLICY_LAYER_RC_LINKS || with_links)
			ck_assert(policy_parse(policy, layers_in_order[layer], "f", text,
					       strlen(text), diags));
	}
}

static Policy *merge_layers(const GPtrArray *settings, bool with_links)
{
	Policy *policy = policy_new();

	policy_count_rc_links(policy, with_links);
	for (unsigned layer = 0; layer < G_N_ELEMENTS(layers_in_order); layer++)
		merge_layer(policy, layer, settings, with_links);
	return policy;
}

/* Setting i belongs to layer i modulo 4. The layer of the links has only links. */
static GPtrArray *random_layers(GRand *rand)
{
	GPtrArray *settings = g_ptr_array_new_with_free_func(g_free);

	for (unsigned i = 0; i < 24; i++)
		g_ptr_array_add(settings, i % G_N_ELEMENTS(layers_in_order) == 1 ?
						  random_links(rand) :
						  random_setting(rand, NULL));
	return settings;
}

START_TEST(links_count_as_a_layer_of_their_own_or_leave_no_trace)
{
	g_autoptr(GRand) rand = g_rand_new_with_seed((guint32)_i);
	g_autoptr(GPtrArray) settings = random_layers(rand);
	g_autoptr(Policy) without = merge_layers(settings, false);
	g_autoptr(Policy) expected = merge_layers(settings, policy_rc_links(without, NULL));
	g_autoptr(Tree) tree = tree_new();
	const LoaderOptions options = { .root = tree->root,
					.any_owner = true,
					.record_statements = true };
	g_autoptr(Configuration) c = NULL;
	g_autofree char *one = effective_with_ranks(expected);
	g_autofree char *two = NULL;

	for (guint i = 0; i < settings->len; i++) {
		g_autofree char *name =
			g_strdup_printf("%s/%02u.policy",
					layer_directories[i % G_N_ELEMENTS(layer_directories)], i);

		tree_write(tree, name, g_ptr_array_index(settings, i));
	}
	c = configuration_load(&options, NULL);
	two = effective_with_ranks(c->policy);
	ck_assert_msg(strcmp(one, two) == 0, "seed %d:\n%s\n%s", _i, one, two);
}
END_TEST

START_TEST(a_section_of_a_later_layer_overrides_the_links)
{
	g_autoptr(GRand) rand = g_rand_new_with_seed((guint32)_i);
	const char *activation =
		activation_name((Activation)g_rand_int_range(rand, 0, ACTIVATION_COUNT));
	g_autofree char *links = random_links(rand);
	g_autofree char *text = g_strdup_printf("[service a]\nActivation=%s\n", activation);
	g_autoptr(Policy) policy = policy_new();
	g_autoptr(DiagList) diags = diag_list_new();
	PolicyDecision decision;

	policy_count_rc_links(policy, true);
	ck_assert(
		policy_parse(policy, POLICY_LAYER_RC_LINKS, "links", links, strlen(links), diags));
	ck_assert(policy_parse(policy, _i % 2 ? POLICY_LAYER_ADMIN : POLICY_LAYER_UNTIL_REBOOT,
			       "set", text, strlen(text), diags));
	policy_decide(policy, "a", PICK(rand, runlevels), &decision);
	ck_assert_str_eq(activation_name(decision.activation), activation);
}
END_TEST

/* --- shipped files --- */

START_TEST(every_shipped_example_is_right_alone_and_begins_with_its_title)
{
	static const char directory[] = SHIPPED_POLICIES;
	g_autoptr(GDir) dir = g_dir_open(directory, 0, NULL);
	unsigned n = 0;

	ck_assert_ptr_nonnull(dir);
	for (const char *name; (name = g_dir_read_name(dir)) != NULL;) {
		g_autofree char *path = g_build_filename(directory, name, NULL);
		g_autofree char *text = NULL;
		g_autoptr(Policy) policy = policy_new();

		ck_assert_msg(g_file_get_contents(path, &text, NULL, NULL), "%s cannot be read",
			      path);
		must_merge(policy, text);
		if (strcmp(name, "50-svcd.policy") == 0)
			continue; /* not an example: the file is in force */
		ck_assert_msg(g_str_has_prefix(text, "# Title: "), "%s has no title", name);
		n++;
	}
	ck_assert_uint_ge(n, 2);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("policy_property");

	suite_add_loop(suite, "layers", every_key_is_decided_layer_by_layer, G_N_ELEMENTS(rows));
	ADD_CASE(suite, "layers", every_shipped_example_is_right_alone_and_begins_with_its_title);
	suite_add_loop(suite, "properties", how_the_settings_are_spread_over_files_does_not_matter,
		       ROUNDS);
	suite_add_loop(suite, "properties",
		       the_order_in_which_a_directory_lists_its_files_does_not_matter, ROUNDS / 10);
	suite_add_loop(suite, "properties", links_count_as_a_layer_of_their_own_or_leave_no_trace,
		       ROUNDS);
	suite_add_loop(suite, "properties", a_section_of_a_later_layer_overrides_the_links, ROUNDS);
	suite_add_loop(suite, "properties", changes_of_different_services_commute, ROUNDS);
	return suite;
}
