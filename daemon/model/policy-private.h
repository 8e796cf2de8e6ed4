/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Policy, internal: the structures that policy-parse.c fills and policy.c reads.
 */
#ifndef SVCD_MODEL_POLICY_PRIVATE_H
#define SVCD_MODEL_POLICY_PRIVATE_H

#include "model/policy.h"

/* "x" or "-x" in a list. The last entry for a name applies. */
typedef struct PolicyEntry {
	NameRef ref;
	bool removes;
	PolicyLayer layer; /* of the file with the last entry */
	unsigned order; /* increases over all files */
} PolicyEntry;

typedef struct Runlevel {
	const char *name; /* interned */
	char *title; /* Name=, or NULL */
	GHashTable *include; /* name -> PolicyEntry */
	GHashTable *activate; /* name -> PolicyEntry */
} Runlevel;

typedef struct ServiceEntry {
	PolicyService settings;
	NameRef *name_ref; /* where its section first appears */
	bool has_links; /* a file of POLICY_LAYER_RC_LINKS has a section for it */
	bool has_activation;
	Activation activation;
	Origin activation_origin;
	PolicyLayer activation_layer;
	GHashTable *runlevels; /* name -> PolicyEntry */
	unsigned order;
} ServiceEntry;

struct Policy {
	GHashTable *runlevels; /* name -> Runlevel */
	GPtrArray *runlevel_list; /* Runlevel *, borrowed, in order of appearance */
	GHashTable *services; /* name -> ServiceEntry */
	char *default_runlevel; /* may be NULL */
	Origin default_runlevel_origin;
	GPtrArray *login_screen; /* NameRef *; a list of base/list.h */
	Activation new_services;
	Origin new_services_origin;
	char *tasks_max; /* as in ResourceDef, or NULL */
	bool rc_links; /* from RcLinks= */
	Origin rc_links_origin;
	bool counts_rc_links; /* set by policy_count_rc_links() */
	PolicyLayer layer; /* of the present file */
	unsigned n_entries;
	GPtrArray *statements; /* PolicyStatement *, in the order of reading; NULL: not recorded */
};

/* Finds a runlevel by its name or by Name=; NULL: there is none. */
const Runlevel *policy_lookup_runlevel(const Policy *policy, const char *name);

/* The section of the service itself, or of its template; NULL: there is none. */
const ServiceEntry *policy_lookup_service(const Policy *policy, const char *service);

/*
 * The direct entry for @service in @runlevel: [service] Runlevels= first, then Activate=. NULL:
 * there is none. If the service has an entry in the layer of rc links, Activate= of a later layer
 * overrides it, and Activate= of an earlier layer is ignored.
 */
const PolicyEntry *policy_own_entry(const ServiceEntry *entry, const char *service,
				    const Runlevel *runlevel);

/*
 * Does Activation= in the section of the service decide? A section in the layer of rc links decides
 * only if no later layer names the service anywhere.
 */
bool policy_section_decides(const Policy *policy, const ServiceEntry *entry, const char *service);

/*
 * The runlevels that matter for @requested: @requested, the runlevels that it includes, and S. A
 * new set of Runlevel *.
 */
GHashTable *policy_runlevels_below(const Policy *policy, const Runlevel *requested);

/* If recording is on, records a value. @is_list: each token is a statement. */
void policy_record(Policy *policy, const char *section, const char *argument, const char *key,
		   const char *value, bool is_list, Origin origin);

/*
 * The next two functions return the entry with this name, and make it if it does not exist. NULL:
 * there are too many runlevels.
 */
Runlevel *policy_ensure_runlevel(Policy *policy, const char *name);
ServiceEntry *policy_ensure_service(Policy *policy, const char *name, Origin origin);

/* Puts "x" or "-x" into the table, and replaces an earlier entry for x. */
void policy_set_entry(Policy *policy, GHashTable *entries, const char *token, Origin origin);

#endif
