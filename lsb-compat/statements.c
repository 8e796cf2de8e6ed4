/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Statements: the same tokens, facilities and exceptions as in insserv(8), for start and for stop.
 *
 * A: Required-Start: B     B starts before A       A: Required-Stop: B     A stops before B
 * A: X-Start-Before: B     A starts before B       A: X-Stop-After: B      B stops before A
 */
#include "config.h"

#include "lsb-compat/statements.h"

#include <string.h>

/* Single-user mode. Headers do not describe what the scripts of this runlevel kill and start. */
#define LEVEL_1 (1u << 1)

/* How a field orders its script. */
typedef struct FieldRule {
	LsbField field;
	LsbStrength strength;
	bool is_stop;
	bool is_self_first; /* the script comes before the token, not behind it */
} FieldRule;

/* clang-format off */
static const FieldRule rules[] = {
	{ LSB_REQUIRED_START, LSB_REQUIRED, false, false }, { LSB_SHOULD_START, LSB_SHOULD, false, false },
	{ LSB_START_AFTER, LSB_SHOULD, false, false },	    { LSB_START_BEFORE, LSB_SHOULD, false, true },
	{ LSB_REQUIRED_STOP, LSB_REQUIRED, true, true },    { LSB_SHOULD_STOP, LSB_SHOULD, true, true },
	{ LSB_STOP_AFTER, LSB_SHOULD, true, false },
};
/* clang-format on */

typedef struct StatementCollector {
	LsbNodes *nodes;
	LsbStatements *statements;
	DiagList *diags;
	unsigned self;
	const FieldRule *rule; /* of the current field */
	Origin origin; /* of its line */
} StatementCollector;

static LsbNode *self_of(const StatementCollector *c)
{
	return lsb_node_at(c->nodes, c->self);
}

/* Is @first running when @second starts? Runlevel S is part of every other runlevel. */
static bool start_together(const LsbNode *first, const LsbNode *second)
{
	return (first->start & second->start) != 0 ||
	       ((first->start & LSB_LEVEL_S) && second->start);
}

/*
 * @second starts during the boot, and @first only when a runlevel is entered. No boot ever had such
 * an order.
 */
static bool is_against_levels(const LsbNode *first, const LsbNode *second)
{
	return first->start && !(first->start & LSB_LEVEL_S) && (second->start & LSB_LEVEL_S) &&
	       !(first->start & second->start);
}

static void add_edge(const StatementCollector *c, const LsbEdge *edge, bool is_stop)
{
	const LsbNode *first = lsb_node_at(c->nodes, edge->before);
	const LsbNode *second = lsb_node_at(c->nodes, edge->after);
	LsbEdge copy = *edge;

	if (!is_stop && is_against_levels(first, second))
		return;
	if (is_stop ? !(first->stop & second->stop) : !start_together(first, second))
		copy.strength = LSB_UNUSED;
	lsb_edges_add(is_stop ? c->statements->stop : c->statements->start, &copy);
}

static void add_token_edge(const StatementCollector *c, unsigned other, LsbStrength strength,
			   const char *token)
{
	const bool is_self_first = c->rule->is_self_first;
	const LsbEdge edge = {
		.before = is_self_first ? c->self : other,
		.after = is_self_first ? other : c->self,
		.strength = strength,
		.origin = c->origin,
		.declared_by = c->self,
		.field = lsb_field_name(c->rule->field),
		.token = token,
	};

	add_edge(c, &edge, c->rule->is_stop);
}

/*
 * Does the field order the script after its tokens at the start, or before them at the stop? For
 * such a field the service file also names the facility itself.
 */
static bool is_towards_facility(const FieldRule *rule)
{
	return rule->is_stop == rule->is_self_first;
}

static void use_facility(const StatementCollector *c, const char *facility, bool is_expanded)
{
	const LsbFacilityUse use = { .node = c->self,
				     .facility = facility,
				     .is_expanded = is_expanded };

	if (is_towards_facility(c->rule))
		g_array_append_val(c->rule->is_stop ? c->statements->stop_uses :
						      c->statements->start_uses,
				   use);
}

static void add_facility(const StatementCollector *c, const char *facility, LsbStrength strength)
{
	g_autoptr(GPtrArray) members = lsb_facilities_expand(c->nodes->facilities, facility);

	for (guint i = 0; i < members->len; i++) {
		const GArray *list = lsb_nodes_find(c->nodes, g_ptr_array_index(members, i));

		for (guint j = 0; list && j < list->len; j++)
			add_token_edge(c, g_array_index(list, unsigned, j), strength, facility);
	}
	if (!lsb_facilities_has(c->nodes->facilities, facility) &&
	    c->rule->field == LSB_REQUIRED_START)
		diag_warning(
			c->diags, c->origin, self_of(c)->name,
			"Required-Start: no line of /etc/insserv.conf or insserv.conf.d defines %s",
			facility);
	use_facility(c, facility, true);
}

/*
 * Reports a required service that is absent in a runlevel in which the script starts. insserv would
 * refuse the script.
 */
static void check_levels(const StatementCollector *c, const GArray *list, const char *token)
{
	unsigned missing = self_of(c)->start & ~LEVEL_1;
	g_autofree char *levels = NULL;

	for (guint i = 0; i < list->len; i++) {
		const LsbNode *other = lsb_node_at(c->nodes, g_array_index(list, unsigned, i));

		missing &= other->start & LSB_LEVEL_S || other->role == LSB_ROLE_OWN_JOB ?
				   0 :
				   ~other->start;
	}
	if (!missing)
		return;
	levels = lsb_levels_format(missing);
	diag_warning(c->diags, c->origin, self_of(c)->name,
		     "Required-Start: %s is not started in runlevel %s; this service starts there "
		     "without it",
		     token, levels);
}

static void add_name(const StatementCollector *c, const char *token, LsbStrength strength)
{
	const GArray *list = lsb_nodes_find(c->nodes, token);
	const bool is_required = c->rule->field == LSB_REQUIRED_START && strength == LSB_REQUIRED;

	if (!list && is_required)
		diag_warning(
			c->diags, c->origin, self_of(c)->name,
			"Required-Start: nothing provides \"%s\"; this service starts without it",
			token);
	if (list && is_required)
		check_levels(c, list, token);
	for (guint i = 0; list && i < list->len; i++) {
		const unsigned other = g_array_index(list, unsigned, i);
		const LsbNode *node = lsb_node_at(c->nodes, other);

		add_token_edge(c, other, strength, token);
		if (node->role == LSB_ROLE_OWN_JOB && node->stands_for)
			use_facility(c, node->stands_for, false);
	}
}

/* $all: last at the start, first at the stop. Two scripts with it are not ordered by it. */
static bool contains_all(const LsbNode *node, bool is_stop)
{
	for (size_t i = 0; i < G_N_ELEMENTS(rules); i++) {
		const GPtrArray *tokens = node->script->header->fields[rules[i].field].tokens;

		if (rules[i].is_stop != is_stop || !is_towards_facility(&rules[i]))
			continue;
		for (guint j = 0; j < tokens->len; j++) {
			const char *token = g_ptr_array_index(tokens, j);

			if (g_ascii_strcasecmp(token + (*token == '+'), "$all") == 0)
				return true;
		}
	}
	return false;
}

/*
 * Is @other part of the $all of @self? The $all of a script of the boot contains no scripts of
 * later runlevels.
 */
static bool is_of_all(const LsbNode *self, const LsbNode *other, bool is_stop)
{
	if (!other->script || contains_all(other, is_stop))
		return false;
	return is_stop || !other->start || start_together(other, self);
}

static void add_all(const StatementCollector *c)
{
	const bool is_stop = c->rule->is_stop;

	for (guint i = 0; i < c->nodes->list->len; i++) {
		if (i != c->self && is_of_all(self_of(c), lsb_node_at(c->nodes, i), is_stop))
			add_token_edge(c, i, LSB_ALL, "$all");
	}
}

static void add_token(const StatementCollector *c, const char *token)
{
	const bool is_optional = *token == '+';
	const LsbStrength strength = is_optional ? LSB_SHOULD : c->rule->strength;

	token += is_optional;
	if (g_ascii_strcasecmp(token, "$null") == 0)
		return;
	if (g_ascii_strcasecmp(token, "$all") != 0) {
		if (*token == '$')
			add_facility(c, token, strength);
		else
			add_name(c, token, strength);
	} else if (is_towards_facility(c->rule)) {
		add_all(c);
	} else {
		diag_warning(c->diags, c->origin, self_of(c)->name, "%s: $all has no effect here",
			     lsb_field_name(c->rule->field));
	}
}

static void collect_header(StatementCollector *c)
{
	const LsbHeader *header = self_of(c)->script->header;

	for (size_t i = 0; i < G_N_ELEMENTS(rules); i++) {
		const LsbTokens *list = &header->fields[rules[i].field];

		c->rule = &rules[i];
		c->origin = list->origin;
		for (guint j = 0; j < list->tokens->len; j++)
			add_token(c, g_ptr_array_index(list->tokens, j));
	}
}

/*
 * The first runlevel in which both have links with different numbers decides: <0: @a comes first.
 */
static int compare_numbers(const LsbLinks *a, const LsbLinks *b, bool is_stop)
{
	static const char up[] = { 7, 2, 3, 4, 5, 1 }; /* runlevel S first, then the common ones */
	static const char down[] = { 0, 6, 1 };
	const char *levels = is_stop ? down : up;
	const size_t n = is_stop ? sizeof down : sizeof up;

	for (size_t i = 0; i < n; i++) {
		const unsigned bit = 1u << levels[i];
		const unsigned number_a = is_stop ? a->stop_number[(int)levels[i]] :
						    a->start_number[(int)levels[i]];
		const unsigned number_b = is_stop ? b->stop_number[(int)levels[i]] :
						    b->start_number[(int)levels[i]];

		if (((is_stop ? a->stop & b->stop : a->start & b->start) & bit) &&
		    number_a != number_b)
			return number_a < number_b ? -1 : 1;
	}
	return 0;
}

/* A script without a header that starts only in a runlevel may assume that the boot is over. */
static bool is_of_boot(const LsbNode *other, const LsbNode *self)
{
	return (other->start & LSB_LEVEL_S) && self->start && !(self->start & LSB_LEVEL_S);
}

static void add_number_edge(const StatementCollector *c, unsigned before, unsigned after,
			    bool is_stop)
{
	const LsbEdge edge = {
		.before = before,
		.after = after,
		.strength = LSB_NUMBER,
		.origin = origin_new(self_of(c)->script->path, 0),
		.declared_by = c->self,
	};

	add_edge(c, &edge, is_stop);
}

/* Scripts without a header are ordered by numbers, also against those with one. */
static void collect_numbers(const StatementCollector *c)
{
	const LsbNode *self = self_of(c);

	for (guint i = 0; i < c->nodes->list->len; i++) {
		const LsbNode *other = lsb_node_at(c->nodes, i);

		if (i == c->self || !other->script)
			continue;
		for (int is_stop = 0; is_stop <= 1; is_stop++) {
			const int order = compare_numbers(&self->script->links,
							  &other->script->links, is_stop);

			if (order != 0)
				add_number_edge(c, order < 0 ? c->self : i, order < 0 ? i : c->self,
						is_stop);
		}
		if (is_of_boot(other, self))
			add_number_edge(c, i, c->self, false);
	}
}

LsbStatements *lsb_statements_collect(LsbNodes *nodes, DiagList *diags)
{
	LsbStatements *statements = g_new0(LsbStatements, 1);
	StatementCollector c = { .nodes = nodes, .statements = statements, .diags = diags };

	statements->start = lsb_edges_new();
	statements->stop = lsb_edges_new();
	statements->start_uses = g_array_new(FALSE, FALSE, sizeof(LsbFacilityUse));
	statements->stop_uses = g_array_new(FALSE, FALSE, sizeof(LsbFacilityUse));
	/* Tokens add nodes of services that are not scripts. These have no statements. */
	for (c.self = 0; c.self < nodes->list->len; c.self++) {
		const LsbNode *node = self_of(&c);

		if (node->role == LSB_ROLE_NATIVE)
			continue;
		if (lsb_header_exists(node->script->header))
			collect_header(&c);
		else
			collect_numbers(&c);
	}
	return statements;
}

void lsb_statements_free(LsbStatements *statements)
{
	if (!statements)
		return;
	lsb_edges_free(statements->start);
	lsb_edges_free(statements->stop);
	g_array_unref(statements->start_uses);
	g_array_unref(statements->stop_uses);
	g_free(statements);
}
