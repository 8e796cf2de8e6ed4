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
#define KEEPERS_WORD "svcd.watchdog="

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
		diag_warning(diags, origin, NULL, "svcd.runlevel=%s: no runlevel to boot into", name);
		return;
	}
	g_free(policy->default_runlevel);
	policy->default_runlevel = g_strdup(found);
	policy->default_runlevel_origin = origin;
	policy_record(policy, "defaults", "", "Runlevel", found, false, origin);
}

static void warn_of_unknown(const char *word, Origin origin, DiagList *diags)
{
	static const char *const own[] = { "svcd.never=", "svcd.runlevel=", KEEPERS_WORD, POLICY_KERNEL_WORD_VENDOR, NULL };
	g_autofree char *head = g_strndup(word, strcspn(word, "=") + 1);
	const char *nearest = words_nearest(head, own);

	if (nearest)
		diag_warning(diags, origin, NULL, "%s: did you mean %s?", word, nearest);
	else
		diag_warning(diags, origin, NULL, "%s: unknown argument; svcd(8) lists them", word);
}

bool policy_kernel_is_vendor_only(const char *const *words)
{
	return words && g_strv_contains(words, POLICY_KERNEL_WORD_VENDOR);
}

void policy_apply_kernel_word(Policy *policy, const char *word, DiagList *diags)
{
	/*
	 * The runlevel arguments of SysV init (init(8), "BOOTFLAGS"). Single-user mode is runlevel
	 * 1.
	 */
	static const char *const bare[] = { "1", "2", "3", "4", "5", NULL };
	static const char *const single[] = { "single", "s", "S", NULL };
	const Origin origin = origin_new("kernel command line", 0);

	policy->layer = POLICY_LAYER_KERNEL;
	if (g_str_has_prefix(word, "svcd.never="))
		apply_never(policy, word + strlen("svcd.never="), origin, diags);
	else if (g_str_has_prefix(word, "svcd.runlevel="))
		apply_runlevel(policy, word + strlen("svcd.runlevel="), origin, diags);
	else if (g_strv_contains(single, word))
		apply_runlevel(policy, "1", origin, diags);
	else if (g_strv_contains(bare, word))
		apply_runlevel(policy, word, origin, diags);
	else if (strcmp(word, POLICY_KERNEL_WORD_VENDOR) == 0)
		diag_warning(diags, origin, NULL,
			   "%s: only the vendor's policy counts; /etc/svcd/policy.d and /run/svcd/policy.d are ignored in "
			   "this boot", word);
	else if (g_str_has_prefix(word, "svcd.policy="))
		diag_warning(diags, origin, NULL, "%s: there is only %s", word, POLICY_KERNEL_WORD_VENDOR);
	else if (g_str_has_prefix(word, "svcd.") && !g_str_has_prefix(word, KEEPERS_WORD))
		warn_of_unknown(word, origin, diags);
}
