/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Policy: what this machine wants. Merged from all policy files, key by key, each with the origin that decided.
 * Never says how a service runs.
 */
#ifndef SVCD_MODEL_POLICY_H
#define SVCD_MODEL_POLICY_H

#include <glib.h>
#include <stdbool.h>

#include "base/diag.h"
#include "base/enum-names.h"
#include "model/service-def.h"

/* From the lowest to the highest. */
#define POLICY_LAYERS(X, P)                                                                        \
	X(P, BUILTIN, "built-in") X(P, VENDOR, "vendor") X(P, RC_LINKS, "rc links") X(P, ADMIN, "admin") \
	X(P, UNTIL_REBOOT, "until reboot") X(P, KERNEL, "kernel command line")
ENUM_WITH_NAMES(PolicyLayer, POLICY_LAYER, policy_layer, POLICY_LAYERS)

#define ACTIVATIONS(X, P)                                                                          \
	X(P, BOOT, "boot") X(P, ON_DEMAND, "on-demand") X(P, MANUAL, "manual") X(P, NEVER, "never")
ENUM_WITH_NAMES(Activation, ACTIVATION, activation, ACTIVATIONS)

/* The class of a service until the login screen of a boot is there: docs/login-screen.md. */
#define SERVICE_CLASSES(X, P)                                                                      \
	X(P, LOGIN_SCREEN, "login-screen") X(P, NORMAL, "normal") X(P, AFTER_LOGIN, "after-login")
ENUM_WITH_NAMES(ServiceClass, SERVICE_CLASS, service_class, SERVICE_CLASSES)

typedef struct Policy Policy;

Policy *policy_new(void);
void policy_free(Policy *policy);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Policy, policy_free)

/**
 * policy_parse() - merge one file; layers must come in ascending order, files of one layer in order of their names
 * @text:  the whole file, NUL-terminated; @length without the NUL
 * Returns: false when the file has an error; then nothing of it is merged, and @diags says why.
 */
bool policy_parse(Policy *policy, PolicyLayer layer, const char *file, const char *text, gsize length,
		  DiagList *diags);

/**
 * policy_count_rc_links() - do the files of POLICY_LAYER_RC_LINKS count?
 *
 * [defaults] RcLinks= says so, in a file of any other layer; so these are merged twice, the first time without that layer and
 * to ask policy_rc_links(). Before the first file of that layer; until then its files decide nothing, and their
 * statements are only recorded.
 */
void policy_count_rc_links(Policy *policy, bool counts);

/* [defaults] RcLinks=; false if nobody says. */
bool policy_rc_links(const Policy *policy, Origin *ret_origin);

/**
 * policy_record_statements() - from now on remember every statement of every file, for policy_statements()
 *
 * Before the first file. For programs that show policy; it costs memory in proportion to all files.
 */
void policy_record_statements(Policy *policy);

/* One key of one file as it was read, whether or not it is in force. All strings are interned. */
typedef struct PolicyStatement {
	PolicyLayer layer;
	Origin origin;
	const char *section;  /* "runlevel", "service" or "defaults" */
	const char *argument; /* of the section: the runlevel or the service (or its template); "" for [defaults] */
	const char *key;
	const char *value; /* of Activate=, Runlevels=, Include= and Ignore= one word ("ssh", "-ssh"); else as written;
			      "" takes back what was said before */
	bool decides;      /* in force; one that takes back never is */
	bool counts;       /* false: of the rc links, and RcLinks= leaves these out */
} PolicyStatement;

/**
 * policy_statements() - everything that was said about one service, and what of it is in force
 * @service:  NULL: [defaults] alone
 * @runlevel: NULL: the one to boot into
 *
 * For a service: the section of its own or else of its template; every word about it in Activate= of @runlevel, of those that it
 * includes, and of S, or by which it is boot elsewhere; and NewServices=, which decides when nobody names it. What the rc
 * links say of it is among them, if it counts or not.
 * Returns: a new array of PolicyStatement *, lowest layer first, within one file in its order; empty unless
 * policy_record_statements() was called in time.
 */
GPtrArray *policy_statements(const Policy *policy, const char *service, const char *runlevel);

/* Boots with the vendor's policy alone: the loader leaves out the layers between rc links and the kernel command line. */
#define POLICY_KERNEL_WORD_VENDOR "svcd.policy=vendor"

/* Does the kernel command line, a strv or NULL, hold that word? */
bool policy_kernel_is_vendor_only(const char *const *words);

/**
 * policy_apply_kernel_word() - svcd.never=NAME, svcd.runlevel=N and SysV's words for a runlevel
 *
 * That svcd.policy=vendor leaves out files is told as an error, so that it is seen on every console. Other words that begin
 * with "svcd." are warned of; the rest are none of ours.
 */
void policy_apply_kernel_word(Policy *policy, const char *word, DiagList *diags);

/* [defaults] Runlevel=; "2" if nobody says. */
const char *policy_default_runlevel(const Policy *policy, Origin *ret_origin);

/* By number or Name=: the canonical name of a runlevel, or NULL. 0 to 6 and S always exist. */
const char *policy_find_runlevel(const Policy *policy, const char *name);

/* Display name ("desktop"), or the number itself. */
const char *policy_runlevel_title(const Policy *policy, const char *runlevel);

/* Canonical names of all runlevels, a new strv-like array of interned strings. */
GPtrArray *policy_runlevels(const Policy *policy);

typedef struct PolicyDecision {
	Origin activation_origin; /* which file and line said so; built-in: NewServices' default */
	Origin runlevel_origin;
	Activation activation;
	bool is_default;          /* nobody names this service */
	bool in_runlevel;         /* the runlevel asked about wants it (only meaningful for ACTIVATION_BOOT) */
	PolicyLayer runlevel_layer; /* of the file that wants it there */
	unsigned order;           /* rank among conflicting services: lower was named earlier in the policy */
} PolicyDecision;

/**
 * policy_decide() - everything policy says of @service in @runlevel
 *
 * Named in Activate= of the runlevel, of one it Includes, or of S (except for 0 and 6), or by Runlevels= in
 * [service X]: activation boot, unless [service X] Activation= says otherwise. A section [service X] that comes from rc links
 * is weaker than Activate= of a later layer: a link is no word of an admin's own. Nobody names it: as NewServices= says;
 * NewServices=boot wants it in 2 to 5, and in runlevels that include one of these.
 */
void policy_decide(const Policy *policy, const char *service, const char *runlevel, PolicyDecision *ret);

/* The names that some runlevel or [service] section mentions; a new array of borrowed strings. */
GPtrArray *policy_named_services(const Policy *policy);

/* The same names with the places they were written; borrowed NameRef *, a new array. */
GPtrArray *policy_named_refs(const Policy *policy);

/* The admin's extra terms, dropped terms and other words for one service; NULL when there are none. */
typedef struct PolicyService {
	GPtrArray *when;   /* Term *, never NULL */
	GPtrArray *hold;   /* Term *: While= */
	GPtrArray *ignore; /* NameRef *: conditions or names whose terms are dropped */
	bool has_on_lapse;
	OnLapse on_lapse;
	Origin on_lapse_origin;
	bool has_class;
	ServiceClass service_class;
	Origin class_origin;
	GPtrArray *operators; /* NameRef *, never NULL: names of groups, see Operators= in svcd.policy(5) */
	char *reason;    /* NULL, or as written */
	Origin reason_origin;
} PolicyService;

const PolicyService *policy_service(const Policy *policy, const char *service);

/*
 * The word of Ignore= by which @term does not count (it names the condition, the service or facility in it, or the whole
 * line), and that by which an order after @name or a want of it does not; NULL: it counts. @words may be NULL.
 */
const NameRef *policy_service_ignores(const PolicyService *words, const Term *term);
const NameRef *policy_service_ignores_name(const PolicyService *words, const char *name);

/* Warns of runlevels that some key names and nobody defines; after the last file. */
void policy_check(const Policy *policy, DiagList *diags);

/* [defaults] LoginScreen=: NameRef *, services and $facilities; the first that is to be had counts; borrowed. */
const GPtrArray *policy_login_screen(const Policy *policy);

/*
 * [defaults] TasksMax=, as in ResourceDef: for services that say nothing of it. A bomb of small shells that has this share of
 * the threads that the kernel allows takes about a third of the memory for which it allows so many.
 */
#define POLICY_TASKS_MAX "15%"
const char *policy_tasks_max(const Policy *policy);

/* [defaults] NewServices=: the activation of services that nobody names; on-demand if nobody says. */
Activation policy_new_services(const Policy *policy, Origin *ret_origin);

#endif
