/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzz target: a policy file of any bytes, twice over a sound one, and all queries on it.
 */
#include "config.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/limits.h"
#include "model/policy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void query_everything(const Policy *policy)
{
	g_autoptr(GPtrArray) runlevels = policy_runlevels(policy);
	g_autoptr(GPtrArray) names = policy_named_services(policy);

	for (guint i = 0; i < runlevels->len; i++) {
		const char *runlevel = g_ptr_array_index(runlevels, i);

		for (guint j = 0; j < names->len && j < 16; j++) {
			PolicyDecision decision;

			policy_decide(policy, g_ptr_array_index(names, j), runlevel, &decision);
			g_assert(decision.activation < ACTIVATION_COUNT);
		}
	}
	g_assert(policy_find_runlevel(policy, policy_default_runlevel(policy, NULL)) != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char sound[] =
		"[runlevel 5]\nInclude=3\nActivate=x\n[runlevel 3]\nInclude=2\nName=work\n";
	g_autofree char *text = g_malloc0(size + 1);
	g_autoptr(Policy) policy = policy_new();
	g_autoptr(DiagList) diags = diag_list_new();

	if (size > LIMIT_FILE_BYTES)
		return 0;
	if (size > 0)
		memcpy(text, data, size);
	g_assert(policy_parse(policy, POLICY_LAYER_VENDOR, "sound.policy", sound, sizeof sound - 1,
			      diags));
	for (unsigned i = 0; i < 2; i++) {
		const unsigned before = diag_list_count_errors(diags);
		const bool fine =
			policy_parse(policy, POLICY_LAYER_ADMIN, "x.policy", text, size, diags);

		/* A file is refused if and only if there was an error. */
		g_assert(fine == (diag_list_count_errors(diags) == before));
	}
	policy_apply_kernel_argument(policy, text, diags);
	policy_check(policy, diags);
	query_everything(policy);
	return 0;
}
