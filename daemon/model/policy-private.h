/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Policy, inside: what policy-parse.c fills and policy.c answers from.
 */
#ifndef SVCD_MODEL_POLICY_PRIVATE_H
#define SVCD_MODEL_POLICY_PRIVATE_H

#include "model/policy.h"

/* "x" or "-x" in a list: the last word about a name counts. */
typedef struct PolicyWord {
	NameRef ref;
	bool removes;
	PolicyLayer layer; /* of the file that said it last */
	unsigned order; /* counts upwards through all files */
} PolicyWord;

typedef struct Runlevel {
	const char *name; /* interned */
	char *title;      /* Name=, or NULL */
	GHashTable *include;  /* name -> PolicyWord */
	GHashTable *activate; /* name -> PolicyWord */
} Runlevel;

typedef struct ServiceEntry {
	PolicyService words;
	NameRef *place; /* where its section first stands */
	bool has_links; /* a file of POLICY_LAYER_RC_LINKS has a section for it */
	bool has_activation;
	Activation activation;
	Origin activation_origin;
	PolicyLayer activation_layer;
	GHashTable *runlevels; /* name -> PolicyWord */
	unsigned order;
} ServiceEntry;

struct Policy {
	GHashTable *runlevels;  /* name -> Runlevel */
	GPtrArray *runlevel_list; /* Runlevel *, borrowed, in order of appearance */
	GHashTable *services;   /* name -> ServiceEntry */
	char *default_runlevel; /* or NULL */
	Origin default_runlevel_origin;
	GPtrArray *login_screen; /* NameRef *; of base/list.h */
	Activation new_services;
	Origin new_services_origin;
	char *tasks_max; /* as in ResourceDef, or NULL */
	bool rc_links; /* as RcLinks= says */
	Origin rc_links_origin;
	bool counts_rc_links; /* of the files that are merged here */
	PolicyLayer layer; /* of the file that is being merged */
	unsigned n_words;
	GPtrArray *statements; /* PolicyStatement *, in the order they were read; NULL: not recorded */
};

/* By name or Name=; NULL: there is none. */
const Runlevel *policy_lookup_runlevel(const Policy *policy, const char *name);

/* The section of the service itself, or of its template; NULL: none. */
const ServiceEntry *policy_lookup_service(const Policy *policy, const char *service);

/*
 * What is said directly of @service in @runlevel: [service] Runlevels= first, then Activate=; NULL: nothing. What rc links say
 * stands between the layers here, too: before it a later layer's Activate=, and an earlier one's does not count.
 */
const PolicyWord *policy_own_word(const ServiceEntry *entry, const char *service, const Runlevel *runlevel);

/* Does Activation= in its section decide? Of rc links only if no later layer names the service anywhere. */
bool policy_section_decides(const Policy *policy, const ServiceEntry *entry, const char *service);

/* Is this one of those that matter in @asked: itself, what it includes, and S? A new set of Runlevel *. */
GHashTable *policy_reach(const Policy *policy, const Runlevel *asked);

/* When recording: keeps a value that was taken; @is_words: each word is a statement. */
void policy_record(Policy *policy, const char *section, const char *argument, const char *key, const char *value,
		   bool is_words, Origin origin);

/* Made when not there yet; NULL when there are too many runlevels. */
Runlevel *policy_ensure_runlevel(Policy *policy, const char *name);
ServiceEntry *policy_ensure_service(Policy *policy, const char *name, Origin origin);

/* Puts "x" or "-x" into @words, replacing what was said of x before. */
void policy_set_word(Policy *policy, GHashTable *words, const char *word, Origin origin);

#endif
