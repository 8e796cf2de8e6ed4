/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * svcctl: what its verbs share. A verb is one row in main.c and one function in a cmd-*.c.
 */
#ifndef SVCD_SVCCTL_SVCCTL_H
#define SVCD_SVCCTL_SVCCTL_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "config/loader.h"
#include "svcctl/client.h"
#include "svcctl/exit-code.h"
#include "svcctl/output.h"

/* What was given on the command line; texts are borrowed from it. */
typedef struct Options {
	const char *json; /* NULL: text; "" or "pretty" */
	bool has_help;
	bool has_version;
	bool is_quiet;
	bool is_ascii;
	bool has_no_header;
	const char *colour;  /* auto, always, never */
	const char *width;
	const char *columns;
	const char *timeout; /* seconds */
	const char *root;
	const char *state;
	const char *level;
	const char *lines;
	const char *runlevel;
	bool is_all;
	bool is_unmanaged;
	bool waits;
	bool has_no_wait;
	bool with_dependents;
	bool follows;
	bool only_edges;
	bool is_dry_run;
	bool is_until_reboot;
	const char *reason;
	bool from_sysv;
	bool edits_policy;
	const char *helper_for; /* the number of a user: what the manager has let that user do */
} Options;

typedef struct Context Context;

typedef struct Verb {
	const char *name;
	const char *arguments; /* for the usage line */
	const char *summary;   /* one line */
	const char *options;   /* names of those it takes besides the global ones, with blanks between */
	unsigned min_names;
	unsigned max_names;
	/* False with @error; otherwise context->exit says how it went. */
	bool (*run)(Context *context, GError **error);
	const char *details;   /* the rest of its --help */
} Verb;

struct Context {
	const Verb *verb;
	Options options;
	Output output;
	Client *client;
	int64_t timeout_us;
	char **names;      /* the arguments, borrowed */
	unsigned n_names;
	char **words;      /* the whole command line without the program's name, NULL-terminated, borrowed */
	ExitCode exit;
	char *hint;        /* what to do next if it failed; owned */
};

/* The verbs, by file. */
bool cmd_overview(Context *context, GError **error);
bool cmd_list(Context *context, GError **error);
bool cmd_status(Context *context, GError **error);
bool cmd_explain(Context *context, GError **error);
bool cmd_start(Context *context, GError **error);
bool cmd_stop(Context *context, GError **error);
bool cmd_restart(Context *context, GError **error);
bool cmd_reload(Context *context, GError **error);
bool cmd_clear(Context *context, GError **error);
bool cmd_log(Context *context, GError **error);
bool cmd_cat(Context *context, GError **error);
bool cmd_check(Context *context, GError **error);
bool cmd_graph(Context *context, GError **error);
bool cmd_flag(Context *context, GError **error);
bool cmd_conditions(Context *context, GError **error);
bool cmd_wait(Context *context, GError **error);
bool cmd_monitor(Context *context, GError **error);
bool cmd_runlevel(Context *context, GError **error);
bool cmd_end_machine(Context *context, GError **error); /* poweroff, reboot, halt */
bool cmd_reload_files(Context *context, GError **error);
bool cmd_reexec(Context *context, GError **error);
bool cmd_version(Context *context, GError **error);
bool cmd_policy(Context *context, GError **error);
bool cmd_enable(Context *context, GError **error);
bool cmd_disable(Context *context, GError **error);
bool cmd_set(Context *context, GError **error);
bool cmd_override(Context *context, GError **error);
bool cmd_revert(Context *context, GError **error);
bool cmd_edit(Context *context, GError **error);
bool cmd_diff(Context *context, GError **error);
bool cmd_presets(Context *context, GError **error);

/* --- shared --- */

/* Where services' output is: "/run/svcd/log", or $SVCD_LOG_DIRECTORY. */
const char *log_directory(void);

/**
 * context_load() - all files, below --root or of this machine with its kernel's command line
 * @names: instances of templates that are asked for, or NULL
 */
Configuration *context_load(const Context *context, const char *const *names, bool record_statements);

/* The words of the kernel, NULL below --root; a new string. */
char *context_kernel_cmdline(const Context *context);

/**
 * wanted_in() - services that a runlevel wants, and what they need
 * Returns: a new table: name -> who needs it, "" for what policy names itself; all borrowed from @configuration.
 */
GHashTable *wanted_in(const Configuration *configuration, const char *runlevel);

/* An array of records: GVariant *, owned. */
GPtrArray *records_new(void);

/* The manager's complaints about files, as records; NULL with @error. */
GPtrArray *ask_diagnostics(Context *context, GError **error);

/* Records of ListConditions, with Key, Level, Why, Since, Waiting, Others, Instead; NULL with @error. */
GPtrArray *ask_conditions(Context *context, GError **error);

/* What the bus started behind svcd's back, one line each. */
bool list_unmanaged(Context *context, GError **error);

/* Records of ListServices, GVariant *; NULL with @error. */
GPtrArray *ask_services(Context *context, GError **error);

/**
 * expand_names() - the arguments with patterns replaced by the names they match
 * Returns: a new strv; NULL with NO_SUCH_SERVICE when a pattern matches nothing.
 */
char **expand_names(Context *context, GError **error);

/* After an error: says in context->hint what to do about it. @name may be NULL. */
void context_advise(Context *context, const GError *error, const char *name);

/* Sets context->hint. */
void context_hint(Context *context, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* Up, in the sense of "status": ready, or a task that is done. */
bool state_is_up(const char *state);

#endif
