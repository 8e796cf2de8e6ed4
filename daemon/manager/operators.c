/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Operators: the groups that may operate a service, and the group that may read its log.
 */
#include "config.h"

#include "base/errors.h"
#include "base/limits.h"
#include "base/log.h"
#include "config/gather.h"
#include "config/groups.h"
#include "manager/manager.h"
#include "model/name.h"

static GHashTable *groups; /* those of /etc/group at the last load */

void operators_load(const Bundle *bundle)
{
	const BundleEntry *entry = bundle_find(bundle, GATHER_GROUPS);
	g_autofree char *text = entry ? g_strndup(g_bytes_get_data(entry->bytes, NULL),
						  g_bytes_get_size(entry->bytes)) :
					g_strdup("");
	const bool is_there = entry && entry->kind == BUNDLE_FILE;

	if (!is_there)
		log_warning(NULL, "Operators= ignores all group names: %s", text);
	if (groups)
		g_hash_table_unref(groups);
	groups = groups_parse(is_there ? text : "");
}

static const GPtrArray *operators_of(const Manager *m, const char *service)
{
	const Policy *policy = m->engine ? engine_policy(m->engine) : NULL;
	const PolicyService *extra = policy ? policy_service(policy, service) : NULL;

	return extra ? extra->operators : NULL;
}

bool operators_have(void *manager, const char *service, const gid_t *gids, unsigned n_gids)
{
	const Manager *m = manager;
	const GPtrArray *operators = operators_of(m, service);
	gid_t gid;

	for (guint i = 0; operators && i < operators->len; i++) {
		const NameRef *ref = g_ptr_array_index(operators, i);

		for (unsigned j = 0; groups_find(groups, ref->name, &gid) && j < n_gids; j++) {
			if (gids[j] == gid)
				return true;
		}
	}
	return false;
}

bool operators_add_instance(void *manager, const char *name, const Requester *requester,
			    GError **error)
{
	Manager *m = manager;
	const unsigned n = files_count_instances(m, requester->uid);

	if (name_split_instance(name, NULL, NULL) && n >= LIMIT_INSTANCES_PER_OPERATOR)
		return fail(
			error, SVCD_ERROR_LIMIT_REACHED,
			"uid %u has %u instances of templates already; %s can be started when one "
			"of them is stopped",
			(unsigned)requester->uid, n, name);
	(void)files_add_instance(m, name); /* if it does not exist, the request reports that */
	return true;
}

gid_t operators_log_group(void *manager, const char *service)
{
	const Manager *m = manager;
	const GPtrArray *operators = operators_of(m, service);
	gid_t gid;

	for (guint i = 0; operators && i < operators->len; i++) {
		const NameRef *ref = g_ptr_array_index(operators, i);

		if (groups_find(groups, ref->name, &gid))
			return gid;
	}
	return 0;
}
