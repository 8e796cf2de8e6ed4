/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Policy, kernel command line: the layer above all files.
 */
#include "config.h"

#include <string.h>

#include "base/text.h"
#include "model/policy-private.h"
#include "model/value.h"

/* PID 1 reads this argument itself (docs/keeper.md), and reports its errors. */
#define KEEPER_ARGUMENT "svcd.watchdog="

static void apply_never(Policy *policy, const char *name, Origin origin, DiagList *diags)
{
	g_autofree char *problem = value_check_service(name);
	ServiceEntry *entry;

	if (problem) {
		diag_warning(diags, origin, NULL, "svcd.never=%s: %s", name, problem);
		return;
	}
	entry = policy_ensure_service(policy, name, origin);
	entry->has_activation = true;
	entry->activation = ACTIVATION_NEVER;
	entry->activation_origin = origin;
	policy_record(policy, "service", name, "Activation", "never", false, origin);
}

static void apply_runlevel(Policy *policy, const char *name, Origin origin, DiagList *diags)
{
	const char *found = policy_find_runlevel(policy, name);

	if (!found || strcmp(found, "0") == 0 || strcmp(found, "6") == 0) {
		diag_warning(diags, origin, NULL, "svcd.runlevel=%s: no runlevel to boot into",
			     name);
		return;
	}
	g_free(policy->default_runlevel);
	policy->default_runlevel = g_strdup(found);
	policy->default_runlevel_origin = origin;
	policy_record(policy, "defaults", "", "Runlevel", found, false, origin);
}

static void warn_of_unknown(const char *token, Origin origin, DiagList *diags)
{
	static const char *const own[] = { "svcd.never=", "svcd.runlevel=", KEEPER_ARGUMENT,
					   POLICY_KERNEL_ARGUMENT_VENDOR, NULL };
	g_autofree char *head = g_strndup(token, strcspn(token, "=") + 1);
	const char *nearest = token_nearest(head, own);

	if (nearest)
		diag_warning(diags, origin, NULL, "%s: did you mean %s?", token, nearest);
	else
		diag_warning(diags, origin, NULL, "%s: unknown argument; svcd(8) lists them",
			     token);
}

bool policy_kernel_is_vendor_only(const char *const *tokens)
{
	return tokens && g_strv_contains(tokens, POLICY_KERNEL_ARGUMENT_VENDOR);
}

void policy_apply_kernel_argument(Policy *policy, const char *token, DiagList *diags)
{
	/*
	 * The runlevel arguments of SysV init (init(8), "BOOTFLAGS"). Single-user mode is runlevel
	 * 1.
	 */
	static const char *const bare[] = { "1", "2", "3", "4", "5", NULL };
	static const char *const single[] = { "single", "s", "S", NULL };
	const Origin origin = origin_new("kernel command line", 0);

	policy->layer = POLICY_LAYER_KERNEL;
	if (g_str_has_prefix(token, "svcd.never="))
		apply_never(policy, token + strlen("svcd.never="), origin, diags);
	else if (g_str_has_prefix(token, "svcd.runlevel="))
		apply_runlevel(policy, token + strlen("svcd.runlevel="), origin, diags);
	else if (g_strv_contains(single, token))
		apply_runlevel(policy, "1", origin, diags);
	else if (g_strv_contains(bare, token))
		apply_runlevel(policy, token, origin, diags);
	else if (strcmp(token, POLICY_KERNEL_ARGUMENT_VENDOR) == 0)
		diag_warning(diags, origin, NULL,
			     "%s: only the vendor's policy counts; /etc/svcd/policy.d and "
			     "/run/svcd/policy.d are ignored in "
			     "this boot",
			     token);
	else if (g_str_has_prefix(token, "svcd.policy="))
		diag_warning(diags, origin, NULL, "%s: unknown value; write %s", token,
			     POLICY_KERNEL_ARGUMENT_VENDOR);
	else if (g_str_has_prefix(token, "svcd.") && !g_str_has_prefix(token, KEEPER_ARGUMENT))
		warn_of_unknown(token, origin, diags);
}
