/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Policy: the services that this machine wants. It is merged from all policy files, key by key, and
 * each value has its origin. Policy never describes how a service runs.
 */
#ifndef SVCD_MODEL_POLICY_H
#define SVCD_MODEL_POLICY_H

#include <glib.h>
#include <stdbool.h>

#include "base/diag.h"
#include "base/enum-names.h"
#include "model/service-def.h"

/* From the lowest to the highest. */
/* clang-format off */
#define POLICY_LAYERS(X, P)                                                                        \
	X(P, BUILTIN, "built-in") X(P, VENDOR, "vendor") X(P, RC_LINKS, "rc links") X(P, ADMIN, "admin") \
	X(P, UNTIL_REBOOT, "until reboot") X(P, KERNEL, "kernel command line")
/* clang-format on */
ENUM_WITH_NAMES(PolicyLayer, POLICY_LAYER, policy_layer, POLICY_LAYERS)

#define ACTIVATIONS(X, P) \
	X(P, BOOT, "boot") X(P, ON_DEMAND, "on-demand") X(P, MANUAL, "manual") X(P, NEVER, "never")
ENUM_WITH_NAMES(Activation, ACTIVATION, activation, ACTIVATIONS)

/* The class of a service until the login screen of a boot is shown: docs/login-screen.md. */
#define SERVICE_CLASSES(X, P) \
	X(P, LOGIN_SCREEN, "login-screen") X(P, NORMAL, "normal") X(P, AFTER_LOGIN, "after-login")
ENUM_WITH_NAMES(ServiceClass, SERVICE_CLASS, service_class, SERVICE_CLASSES)

typedef struct Policy Policy;

Policy *policy_new(void);
void policy_free(Policy *policy);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Policy, policy_free)

/**
 * policy_parse() - merge one file
 * @text: the whole file, NUL-terminated; @length without the NUL
 *
 * Layers must come in ascending order, and the files of one layer in the order of their names.
 * Returns: false if the file has an error. Then nothing is merged, and @diags has the reason.
 */
bool policy_parse(Policy *policy, PolicyLayer layer, const char *file, const char *text,
		  gsize length, DiagList *diags);

/**
 * policy_count_rc_links() - set whether the files of POLICY_LAYER_RC_LINKS are used
 *
 * [defaults] RcLinks= in the other layers decides this. So the files are merged twice: first
 * without that layer, in order to read policy_rc_links(). Call this before the first file of that
 * layer. Without this call, the files of that layer decide nothing, and their statements are only
 * recorded.
 */
void policy_count_rc_links(Policy *policy, bool counts);

/* [defaults] RcLinks=; false if it is not set. */
bool policy_rc_links(const Policy *policy, Origin *ret_origin);

/**
 * policy_record_statements() - record each statement of each file from now on
 *
 * policy_statements() returns them. Call this before the first file. It is for programs that
 * display policy, and takes memory in proportion to all files.
 */
void policy_record_statements(Policy *policy);

/* One key of one file as it was read, in force or not. All strings are interned. */
typedef struct PolicyStatement {
	PolicyLayer layer;
	Origin origin;
	const char *section; /* "runlevel", "service" or "defaults" */
	const char *argument; /* the runlevel, or the service or its template; "" for [defaults] */
	const char *key;
	/* as written; one entry of lists such as Activate= ("ssh", "-ssh"); "" clears */
	const char *value;
	bool decides; /* in force; false for a statement that clears */
	bool counts; /* false: a statement of the rc links, which RcLinks= excludes */
} PolicyStatement;

/**
 * policy_statements() - find the statements about one service, and those in force
 * @service: NULL: [defaults] alone
 * @runlevel: NULL: the one to boot into
 *
 * For a service these are: its own section or that of its template; each Activate= entry of
 * @runlevel, of the runlevels it includes and of S, or the entry that activates it in another
 * runlevel; and NewServices=, which decides if no entry names it. Statements of the rc links are
 * included even if they are not used.
 * Returns: a new array of PolicyStatement *, lowest layer first, then in the order of the file.
 * Empty unless policy_record_statements() was called in time.
 */
GPtrArray *policy_statements(const Policy *policy, const char *service, const char *runlevel);

/*
 * Boots with the vendor's policy alone: the loader omits the layers between rc links and the kernel
 * command line.
 */
#define POLICY_KERNEL_ARGUMENT_VENDOR "svcd.policy=vendor"

/* Does the kernel command line, a strv or NULL, contain that argument? */
bool policy_kernel_is_vendor_only(const char *const *tokens);

/**
 * policy_apply_kernel_argument() - svcd.never=NAME, svcd.runlevel=N and SysV's arguments for a
 * runlevel
 *
 * svcd.policy=vendor omits files, which is reported as an error, so that every console shows it.
 * Other arguments that begin with "svcd." cause a warning. All other arguments are ignored.
 */
void policy_apply_kernel_argument(Policy *policy, const char *token, DiagList *diags);

/* [defaults] Runlevel=; "2" if it is not set. */
const char *policy_default_runlevel(const Policy *policy, Origin *ret_origin);

/* By number or Name=: the canonical name of a runlevel, or NULL. 0 to 6 and S always exist. */
const char *policy_find_runlevel(const Policy *policy, const char *name);

/* The display name ("desktop"), or the number itself. */
const char *policy_runlevel_title(const Policy *policy, const char *runlevel);

/* Canonical names of all runlevels, a new strv-like array of interned strings. */
GPtrArray *policy_runlevels(const Policy *policy);

typedef struct PolicyDecision {
	Origin activation_origin; /* the file and line; built-in: default of NewServices= */
	Origin runlevel_origin;
	Activation activation;
	bool is_default; /* no entry names this service */
	bool in_runlevel; /* the requested runlevel wants it (for ACTIVATION_BOOT) */
	PolicyLayer runlevel_layer; /* of the file that wants it there */
	unsigned order; /* rank in conflicts: earlier entries are lower */
} PolicyDecision;

/**
 * policy_decide() - get policy's decision about @service in @runlevel
 *
 * A service is named by Activate= of the runlevel, of an included runlevel or of S (except for 0
 * and 6), or by Runlevels= in [service X]. A named service has activation boot, unless [service X]
 * Activation= differs. A section [service X] from rc links is weaker than Activate= of a later
 * layer, because a link is not the admin's decision.
 *
 * A service that no entry names has the activation of NewServices=. NewServices=boot wants it in 2
 * to 5, and in runlevels that include one of these.
 */
void policy_decide(const Policy *policy, const char *service, const char *runlevel,
		   PolicyDecision *ret);

/* The names in all [runlevel] and [service] sections; a new array of borrowed strings. */
GPtrArray *policy_named_services(const Policy *policy);

/* The names of policy_named_services() with their places; borrowed NameRef *, a new array. */
GPtrArray *policy_named_refs(const Policy *policy);

/*
 * The admin's additional terms, dropped terms and other settings for one service; NULL if there are
 * none.
 */
typedef struct PolicyService {
	GPtrArray *when; /* Term *, never NULL */
	GPtrArray *while_terms; /* Term *: While= */
	GPtrArray *ignore; /* NameRef *: conditions or names for which terms are dropped */
	bool has_on_lapse;
	OnLapse on_lapse;
	Origin on_lapse_origin;
	bool has_class;
	ServiceClass service_class;
	Origin class_origin;
	GPtrArray *operators; /* NameRef *, never NULL: groups, see Operators= in svcd.policy(5) */
	char *reason; /* NULL, or as written */
	Origin reason_origin;
} PolicyService;

const PolicyService *policy_service(const Policy *policy, const char *service);

/*
 * The entry of Ignore= that drops @term. The entry names a condition of the term, the service or
 * facility in the condition, or the whole line. The second function does the same for an After= or
 * Wants= entry with @name. NULL: not dropped. The first argument may be NULL.
 */
const NameRef *policy_service_ignores(const PolicyService *settings, const Term *term);
const NameRef *policy_service_ignores_name(const PolicyService *settings, const char *name);

/* Warns of runlevels that are used but not defined. Call it after the last file. */
void policy_check(const Policy *policy, DiagList *diags);

/*
 * [defaults] LoginScreen=: NameRef *, services and $facilities; the first available one is used;
 * borrowed.
 */
const GPtrArray *policy_login_screen(const Policy *policy);

/*
 * [defaults] TasksMax=, as in ResourceDef, for services that do not set it. A fork bomb of small
 * shells with this share of the kernel's thread limit takes about a third of the memory that the
 * limit is computed from.
 */
#define POLICY_TASKS_MAX "15%"
const char *policy_tasks_max(const Policy *policy);

/*
 * [defaults] NewServices=: the activation of services that no entry names; on-demand if it is not
 * set.
 */
Activation policy_new_services(const Policy *policy, Origin *ret_origin);

#endif
