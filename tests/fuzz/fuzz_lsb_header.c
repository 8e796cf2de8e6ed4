/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzz target: any bytes as an init script beside two sound ones. svcd's own parsers accept the
 * generated service files and policy, and there is no dependency cycle.
 */
#include "config.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/limits.h"
#include "lsb-compat/translate.h"
#include "model/policy.h"
#include "model/service-parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define SOUND(name, fields) \
	"#!/bin/sh\n### BEGIN INIT INFO\n# Provides: " name "\n" fields "### END INIT INFO\n"

static LsbScript *script_new(const char *name, const char *text, size_t size, DiagList *diags)
{
	LsbScript *script = g_new0(LsbScript, 1);

	script->file = g_strdup(name);
	script->path = g_strconcat(LSB_SCRIPTS "/", name, NULL);
	script->service = g_strdup(name);
	script->text = g_malloc0(size + 1); /* ends with NUL, like a text of lsb_tree_read() */
	if (size > 0)
		memcpy(script->text, text, size);
	script->length = size;
	script->header = lsb_header_parse(script->path, name, script->text, size, diags);
	script->links.start = size % 2 ? 1u << 2 : 0;
	script->links.stop = 1u << 6;
	return script;
}

static void read_back(const LsbNodes *nodes, const GPtrArray *plans)
{
	g_autoptr(DiagList) diags = diag_list_new();
	g_autoptr(Policy) policy = policy_new();
	g_autofree char *links = lsb_translate_links(nodes);

	for (guint i = 0; i < nodes->list->len; i++) {
		const LsbNode *node = lsb_node_at(nodes, i);
		const LsbPlan *plan = g_ptr_array_index(plans, i);
		g_autofree char *text = lsb_translate_script(node, plan);
		const SourceText source = { .file = "x.svc", .text = text, .length = strlen(text) };

		service_def_free(service_parse(node->name, &source, 1, diags));
		g_assert(!g_ptr_array_find_with_equal_func(plan->after, node->name, g_str_equal,
							   NULL));
		g_assert(!g_ptr_array_find_with_equal_func(plan->stop_before, node->name,
							   g_str_equal, NULL));
	}
	g_assert(links && policy_parse(policy, POLICY_LAYER_VENDOR, "x.policy", links,
				       strlen(links), diags));
	g_assert(diag_list_length(diags) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char a[] = SOUND("a", "# Required-Start: c $f\n# X-Start-Before: b\n");
	static const char b[] = SOUND("b c2", "# Required-Stop: c\n# Should-Start: $all\n");
	static const char conf[] = "$f +c +b\n$g $f\n";
	g_autofree char *text = g_malloc0(size + 1);
	g_autoptr(DiagList) diags = diag_list_new();
	g_autoptr(GPtrArray) scripts = g_ptr_array_new_with_free_func(lsb_script_free);
	g_autoptr(LsbFacilities) facilities = lsb_facilities_new();
	g_autoptr(LsbNodes) nodes = NULL;
	g_autoptr(GPtrArray) plans = NULL;

	if (size > LIMIT_SCRIPT_BYTES)
		return 0;
	if (size > 0)
		memcpy(text, data, size);
	lsb_facilities_parse(facilities, "/etc/insserv.conf", conf, sizeof conf - 1, diags);
	g_ptr_array_add(scripts, script_new("a", a, sizeof a - 1, diags));
	g_ptr_array_add(scripts, script_new("b", b, sizeof b - 1, diags));
	g_ptr_array_add(scripts, script_new("c", text, size, diags));
	nodes = lsb_nodes_new(scripts, facilities, NULL, diags);
	plans = lsb_order(nodes, diags);
	g_assert(plans->len == 3);
	read_back(nodes, plans);
	return 0;
}
