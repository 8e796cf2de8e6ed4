/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Facilities: lines of the form "$name member +member $other". "+" marks an optional member, which
 * makes no difference for ordering.
 */
#include "config.h"

#include "lsb-compat/facilities.h"

#include <string.h>

#include "base/text.h"
#include "lsb-compat/lsb-tokens.h"
#include "model/graph.h"

typedef struct LsbFacility {
	char *name;
	unsigned number; /* in the list of all */
	Origin origin; /* of its first line */
	GPtrArray *members; /* strings without "+" */
	GHashTable *is_member; /* a set of the same strings */
} LsbFacility;

struct LsbFacilities {
	GPtrArray *list; /* LsbFacility *, owned, in the order of the files */
	GHashTable *by_name;
	/* token -> GPtrArray of LsbFacility * of which it is a direct member */
	GHashTable *by_member;
	GHashTable *interactive; /* a set of tokens */
};

static void lsb_facility_free(gpointer data)
{
	LsbFacility *facility = data;

	g_free(facility->name);
	g_hash_table_unref(facility->is_member);
	g_ptr_array_unref(facility->members);
	g_free(facility);
}

LsbFacilities *lsb_facilities_new(void)
{
	LsbFacilities *facilities = g_new0(LsbFacilities, 1);

	facilities->list = g_ptr_array_new_with_free_func(lsb_facility_free);
	facilities->by_name = g_hash_table_new(g_str_hash, g_str_equal);
	facilities->by_member = g_hash_table_new_full(g_str_hash, g_str_equal, NULL,
						      (GDestroyNotify)g_ptr_array_unref);
	facilities->interactive = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	return facilities;
}

void lsb_facilities_free(LsbFacilities *facilities)
{
	if (!facilities)
		return;
	g_hash_table_unref(facilities->interactive);
	g_hash_table_unref(facilities->by_member);
	g_hash_table_unref(facilities->by_name);
	g_ptr_array_unref(facilities->list);
	g_free(facilities);
}

static LsbFacility *find_or_add(LsbFacilities *facilities, const char *name, Origin origin)
{
	LsbFacility *facility = g_hash_table_lookup(facilities->by_name, name);

	if (facility)
		return facility;
	facility = g_new0(LsbFacility, 1);
	facility->name = g_strdup(name);
	facility->origin = origin;
	facility->number = facilities->list->len;
	facility->members = g_ptr_array_new_with_free_func(g_free);
	facility->is_member = g_hash_table_new(g_str_hash, g_str_equal);
	g_ptr_array_add(facilities->list, facility);
	g_hash_table_insert(facilities->by_name, facility->name, facility);
	return facility;
}

static void add_member(LsbFacilities *facilities, LsbFacility *facility, const char *token)
{
	char *member;
	GPtrArray *owners;

	if (g_hash_table_contains(facility->is_member, token))
		return;
	member = g_strdup(token);
	g_ptr_array_add(facility->members, member);
	g_hash_table_add(facility->is_member, member);
	owners = g_hash_table_lookup(facilities->by_member, member);
	if (!owners) {
		owners = g_ptr_array_new();
		g_hash_table_insert(facilities->by_member, member, owners);
	}
	g_ptr_array_add(owners, facility);
}

static void add_members(LsbFacilities *facilities, LsbFacility *facility, const GPtrArray *tokens,
			Origin origin, DiagList *diags)
{
	for (guint i = 0; i < tokens->len; i++) {
		const char *token = g_ptr_array_index(tokens, i);
		g_autofree char *problem = NULL;

		token += *token == '+';
		if (!lsb_token_check(token, &problem))
			diag_warning(diags, origin, NULL, "%s: \"%s\" is ignored: %s",
				     facility->name, token, problem);
		else
			add_member(facilities, facility, token);
	}
}

static void parse_facility(LsbFacilities *facilities, const char *name, const GPtrArray *tokens,
			   Origin origin, DiagList *diags)
{
	g_autofree char *problem = NULL;

	if (g_ascii_strcasecmp(name, "$all") == 0 || g_ascii_strcasecmp(name, "$null") == 0)
		diag_warning(diags, origin, NULL, "%s has a fixed meaning; the line is ignored",
			     name);
	else if (!lsb_token_check(name, &problem))
		diag_warning(diags, origin, NULL, "the line is ignored: %s", problem);
	else
		add_members(facilities, find_or_add(facilities, name, origin), tokens, origin,
			    diags);
}

static void parse_line(LsbFacilities *facilities, const char *line, Origin origin, DiagList *diags)
{
	const gsize name_length = strcspn(line, " \t=:");
	g_autofree char *name = g_strndup(line, name_length);
	const char *rest = line + name_length + strspn(line + name_length, " \t");
	g_autoptr(GPtrArray) tokens = lsb_split_tokens(rest + (*rest == '=' || *rest == ':'));

	if (*line == '$') {
		parse_facility(facilities, name, tokens, origin, diags);
	} else if (g_ascii_strcasecmp(name, "<interactive>") == 0) {
		for (guint i = 0; i < tokens->len; i++)
			g_hash_table_add(facilities->interactive,
					 g_strdup(g_ptr_array_index(tokens, i)));
	} else {
		diag_warning(
			diags, origin, NULL,
			"the line is ignored, because it does not begin with a facility, such as "
			"$network, or "
			"with <interactive>");
	}
}

void lsb_facilities_parse(LsbFacilities *facilities, const char *file, const char *text,
			  gsize length, DiagList *diags)
{
	unsigned number = 0;
	char *line;

	while ((line = lsb_next_line(&text, &length)) != NULL) {
		number++;
		if (*line != '#' && line[strspn(line, " \t")])
			parse_line(facilities, line, origin_new(file, number), diags);
		g_free(line);
	}
}

/* Without recursion, because a chain of facilities may be as long as a file. */
GPtrArray *lsb_facilities_expand(const LsbFacilities *facilities, const char *name)
{
	g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
	g_autoptr(GPtrArray) open = g_ptr_array_new();
	GPtrArray *found = g_ptr_array_new();

	g_ptr_array_add(open, (gpointer)name);
	while (open->len > 0) {
		const LsbFacility *facility = g_hash_table_lookup(
			facilities->by_name, g_ptr_array_steal_index(open, open->len - 1));

		for (guint i = 0; facility && i < facility->members->len; i++) {
			char *member = g_ptr_array_index(facility->members, i);

			if (g_hash_table_add(seen, member))
				g_ptr_array_add(*member == '$' ? open : found, member);
		}
	}
	return found;
}

GPtrArray *lsb_facilities_of(const LsbFacilities *facilities, const char *token)
{
	g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
	g_autoptr(GPtrArray) open = g_ptr_array_new();
	GPtrArray *found = g_ptr_array_new();

	g_ptr_array_add(open, (gpointer)token);
	while (open->len > 0) {
		const GPtrArray *owners = g_hash_table_lookup(
			facilities->by_member, g_ptr_array_steal_index(open, open->len - 1));

		for (guint i = 0; owners && i < owners->len; i++) {
			LsbFacility *facility = g_ptr_array_index(owners, i);

			if (!g_hash_table_add(seen, facility))
				continue;
			g_ptr_array_add(open, facility->name);
			g_ptr_array_add(found, facility->name);
		}
	}
	g_ptr_array_sort(found, text_compare);
	return found;
}

bool lsb_facilities_has(const LsbFacilities *facilities, const char *name)
{
	/* LSB Core 4.1, "Facility Names" */
	static const char *const standard[] = { "$local_fs",  "$network", "$named", "$portmap",
						"$remote_fs", "$syslog",  "$time",  NULL };

	return g_strv_contains(standard, name) || g_hash_table_contains(facilities->by_name, name);
}

/* An edge for each facility that is a member of another. Undefined facilities are reported. */
static GArray *nested_edges(const LsbFacilities *facilities, DiagList *diags)
{
	GArray *edges = g_array_new(FALSE, TRUE, sizeof(Edge));

	for (guint i = 0; i < facilities->list->len; i++) {
		const LsbFacility *facility = g_ptr_array_index(facilities->list, i);

		for (guint j = 0; j < facility->members->len; j++) {
			const char *member = g_ptr_array_index(facility->members, j);
			const LsbFacility *other = g_hash_table_lookup(facilities->by_name, member);
			const Edge edge = { .before = i, .after = other ? other->number : 0 };

			if (other)
				g_array_append_val(edges, edge);
			else if (*member == '$' && !lsb_facilities_has(facilities, member))
				diag_warning(diags, facility->origin, NULL,
					     "%s: no line defines %s", facility->name, member);
		}
	}
	return edges;
}

void lsb_facilities_check(const LsbFacilities *facilities, DiagList *diags)
{
	g_autoptr(GArray) edges = nested_edges(facilities, diags);
	g_autofree unsigned *components = graph_components(facilities->list->len, edges);
	g_autofree bool *is_reported = g_new0(bool, facilities->list->len + 1);

	for (guint i = 0; i < edges->len; i++) {
		const Edge *edge = &g_array_index(edges, Edge, i);
		const LsbFacility *facility = g_ptr_array_index(facilities->list, edge->before);

		if (components[edge->before] != components[edge->after] ||
		    is_reported[edge->before])
			continue;
		is_reported[edge->before] = true;
		diag_warning(diags, facility->origin, NULL,
			     "%s refers to itself; remove it from one of the lines of this cycle",
			     facility->name);
	}
}

bool lsb_facilities_is_interactive(const LsbFacilities *facilities, const char *token)
{
	return g_hash_table_contains(facilities->interactive, token);
}
