/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * svcctl: declarations that its verbs share. A verb is one row in main.c and one function in a
 * cmd-*.c.
 */
#ifndef SVCD_SVCCTL_SVCCTL_H
#define SVCD_SVCCTL_SVCCTL_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "config/loader.h"
#include "svc-generate/generate.h"
#include "svcctl/client.h"
#include "svcctl/exit-code.h"
#include "svcctl/output.h"

/* The options of the command line; texts are borrowed from it. */
typedef struct Options {
	const char *json; /* NULL: text; "" or "pretty" */
	bool is_user; /* the user's own services */
	bool has_help;
	bool has_version;
	bool is_quiet;
	bool is_ascii;
	bool has_no_header;
	const char *colour; /* auto, always, never */
	const char *width;
	const char *columns;
	const char *timeout; /* seconds */
	const char *root;
	const char *state;
	const char *level;
	const char *lines;
	const char *since;
	const char *boot; /* "-1": the one before this */
	bool of_shutdown;
	const char *run_as;
	const char *restart;
	const char *when;
	const char *hold; /* --while */
	const char *description;
	const char *at;
	const char *signal;
	bool is_halt;
	bool with_processes;
	bool with_properties;
	bool with_order;
	bool with_security;
	bool with_diff;
	bool is_cancel;
	const char *runlevel;
	bool is_all;
	bool is_unmanaged;
	bool waits;
	bool has_no_wait;
	bool shows_progress;
	bool with_dependents;
	bool with_conditions;
	bool with_timers;
	bool is_reverse;
	bool only_value;
	const char *property;
	const char *shell;
	bool all_matching;
	bool only_running;
	bool is_forced;
	bool follows;
	bool only_edges;
	bool shows_stop;
	bool is_dry_run;
	bool is_until_reboot;
	const char *reason;
	bool from_sysv;
	bool is_none;
	bool edits_policy;
	const char *output; /* a directory */
	bool is_report;
	bool is_keep;
	bool is_back;
	bool reboots;
	const char *helper_for; /* the uid of the user for whom the manager runs this */
} Options;

typedef struct Context Context;

typedef struct Verb {
	const char *name;
	const char *arguments; /* for the usage line */
	const char *summary; /* one line */
	/* names of its options besides the global ones, separated by blanks */
	const char *options;
	unsigned min_names;
	unsigned max_names;
	/* False with @error; otherwise context->exit is the result. */
	bool (*run)(Context *context, GError **error);
	const char *details; /* the rest of its --help */
	/* NULL: typed by its own name; else as an option of this verb ("": of no verb) */
	const char *of;
	const char *by; /* the options that select this verb, separated by blanks */
} Verb;

struct Context {
	const Verb *verbs; /* the complete table */
	unsigned n_verbs;
	const Verb *verb;
	Options options;
	Output output;
	Client *client;
	int64_t timeout_us;
	char **names; /* the arguments, borrowed */
	unsigned n_names;
	char **expanded; /* @names after replace_patterns(), or NULL; owned */
	char **arguments; /* the command line without argv[0], NULL-terminated, borrowed */
	ExitCode exit;
	/* below --root: what svc-generate would make; else NULL. Owned, like @overlay */
	Generated *generated;
	GHashTable *overlay; /* these files in the form that the loader takes */
	char *hint; /* the next step after a failure; owned */
};

/* "list --processes": how the verb is typed; interned. */
const char *verb_typed(const Verb *verb);

/* The verbs, by file. */
bool cmd_overview(Context *context, GError **error);
bool cmd_list(Context *context, GError **error);
bool cmd_status(Context *context, GError **error);
bool cmd_explain(Context *context, GError **error);
bool cmd_audit(Context *context, GError **error);
bool cmd_doctor(Context *context, GError **error);
bool cmd_boot(Context *context, GError **error);
bool boot_blame(Context *context, GError **error);
bool boot_chain(Context *context, GError **error);
bool boot_dot(Context *context, GError **error);
bool boot_record(Context *context, GError **error);
bool boot_list(Context *context, GError **error);
bool boot_show(Context *context, GError **error);
bool boot_compare_two(Context *context, GError **error);
bool boot_plot_one(Context *context, GError **error);
/* The boot with this number; NULL with @error. */
struct SavedBoot *boots_load_text(Context *context, const char *text, GError **error);
/* The boot of --boot: its number, or -1 for the one before this. NULL in @ret_boot: this boot. */
bool boots_load_earlier(Context *context, struct SavedBoot **ret_boot, GError **error);
bool cmd_start(Context *context, GError **error);
bool cmd_stop(Context *context, GError **error);
bool cmd_restart(Context *context, GError **error);
bool cmd_reload(Context *context, GError **error);
bool cmd_clear(Context *context, GError **error);
bool cmd_tree(Context *context, GError **error);
bool cmd_show(Context *context, GError **error);
bool cmd_is(Context *context, GError **error);
bool cmd_ps(Context *context, GError **error);
bool cmd_complete(Context *context, GError **error);
bool cmd_signal(Context *context, GError **error);
bool cmd_new(Context *context, GError **error);
bool cmd_log(Context *context, GError **error);
bool cmd_cat(Context *context, GError **error);
bool cmd_check(Context *context, GError **error);
bool cmd_graph(Context *context, GError **error);
bool cmd_flag(Context *context, GError **error);
bool cmd_conditions(Context *context, GError **error);
bool cmd_timers(Context *context, GError **error);
bool cmd_wait(Context *context, GError **error);
bool cmd_monitor(Context *context, GError **error);
bool cmd_runlevel(Context *context, GError **error);
bool cmd_try(Context *context, GError **error);
bool cmd_end_machine(Context *context, GError **error); /* poweroff, reboot, halt */
bool cmd_reload_files(Context *context, GError **error);
bool cmd_reexec(Context *context, GError **error);
bool cmd_version(Context *context, GError **error);
bool cmd_policy(Context *context, GError **error);
bool cmd_enable(Context *context, GError **error);
bool cmd_disable(Context *context, GError **error);
bool cmd_set(Context *context, GError **error);
bool cmd_edit(Context *context, GError **error);
bool cmd_diff(Context *context, GError **error);
bool cmd_import_unit(Context *context, GError **error);
bool cmd_import_sysv(Context *context, GError **error);
bool cmd_undo(Context *context, GError **error);

/* --- shared --- */

/*
 * The directory of services' output: "/run/svcd/log", the user's, or $SVCD_LOG_DIRECTORY; a new
 * string.
 */
char *log_directory(const Context *context);
/* The services that are named on the command line, after a check of the names; a new array. */
GPtrArray *log_named(Context *context, GError **error);
/* The log of an earlier boot. @since and @n: as for log_lines_select() */
bool log_saved(Context *context, const struct SavedBoot *boot, const char *since, unsigned n,
	       GError **error);

typedef enum ContextLoad {
	CONTEXT_LOAD_STATEMENTS = 1 << 0, /* LoaderOptions.record_statements */
	CONTEXT_LOAD_RC_LINKS = 1 << 1, /* LoaderOptions.rc_links_count */
	CONTEXT_LOAD_NEXT_BOOT = 1 << 2, /* LoaderOptions.without_until_reboot */
} ContextLoad;

/**
 * context_load() - load all files below --root, or those of this machine with the kernel's command
 * line
 * @names: requested instances of templates, or NULL
 * @flags: of ContextLoad
 */
Configuration *context_load(const Context *context, const char *const *names, unsigned flags);

/* Like context_load(), from @bundle, the files in force (in-force.h); NULL: those on the disk. */
Configuration *context_load_in_force(const Context *context, const char *const *names,
				     Bundle *bundle);

/* Like context_load(), with the instances of templates in the names of the command line. */
Configuration *context_load_named(const Context *context);

/* Like context_load(), without the files of the admin and of this boot. */
Configuration *context_load_vendor(const Context *context, const char *const *names);

/* May the user write the files without being root? True below --root, and with --user. */
bool context_owns_files(const Context *context);

/* --root, "" for the machine itself. */
const char *context_root(const Context *context);

/* The kernel's command line, NULL below --root; a new string. */
char *context_kernel_cmdline(const Context *context);

/**
 * wanted_in() - the services that a runlevel wants, and their dependencies
 * Returns: a new table: name -> the service that needs it, "" if policy names it; all borrowed from
 * @configuration.
 */
GHashTable *wanted_in(const Configuration *configuration, const char *runlevel);

/* An array of records: GVariant *, owned. */
GPtrArray *records_new(void);
/* The records in an answer that is an array of tuples; @fields: the names of their members. */
GPtrArray *records_from_reply(GVariant *reply, const char *const *fields);
/* The records in the answer of a method of org.svcd1.Manager; NULL with @error. */
GPtrArray *get_records(Context *context, const char *method, GVariant *args, const char *type,
		       const char *const *fields, GError **error);
/* Adds the contents of @dict, which is then empty. */
void records_add(GPtrArray *records, GVariantDict *dict);
void record_add_text(GVariantDict *dict, const char *name, const char *text); /* NULL: "" */

/* The manager's diagnostics about files, as records; NULL with @error. */
GPtrArray *get_diagnostics(Context *context, GError **error);
char *diagnostic_sentence(GVariant *record); /* "FILE:LINE: error: TEXT"; a new string */
void print_diagnostics(Context *context, const GPtrArray *records);
JsonNode *diagnostics_to_json(const GPtrArray *records);

/* org.svcd1.Boot.ListTimes; NULL with @error. */
struct BootTimes *get_boot_times(Context *context, GError **error);

/*
 * Records of ListConditions, with Key, Level, Why, Since, Waiting, Others, Instead; NULL with
 * @error.
 */
GPtrArray *get_conditions(Context *context, GError **error);

/* The processes that the bus started without svcd, one line each. */
bool list_unmanaged(Context *context, GError **error);

/* Records of ListServices, GVariant *; NULL with @error. */
GPtrArray *get_services(Context *context, GError **error);

/*
 * Like get_services(), with these properties only, names separated by blanks; an old manager may
 * return more.
 */
GPtrArray *get_services_with(Context *context, const char *properties, GError **error);

/**
 * expand_names() - the arguments, with patterns replaced by the names they match
 * Returns: a new strv; NULL with NO_SUCH_SERVICE if a pattern matches nothing.
 */
char **expand_names(Context *context, GError **error);

/* Like expand_names(), with the names of files, without a call to svcd. */
char **expand_names_in(const Context *context, const ServiceSet *set, GError **error);

/* Is a pattern among the arguments? Is @name a pattern? */
bool has_patterns(const Context *context);
bool name_is_pattern(const char *name);

/* The questions that "is" can answer, separated by @separator; a new string. */
char *states_text(const char *separator);

/* Handles one name. @ret_record: the service afterwards, for --json; may stay NULL. */
typedef bool (*NameFunc)(Context *context, const char *name, GVariant **ret_record, GError **error);

/**
 * for_each_name() - handle all names, one after the other; a failure does not stop the loop
 *
 * The last error is returned; the earlier ones are printed at once.
 */
bool for_each_name(Context *context, NameFunc act, GError **error);

/* The result for one name: @record may be NULL, and so may @error and its @hint. */
JsonNode *result_to_json(const char *name, GVariant *record, const GError *error, const char *hint);

/*
 * The combined exit code of several names: the common one, or "some of several failed". @index: the
 * index of the name with the code @now.
 */
ExitCode join_codes(ExitCode before, ExitCode now, unsigned index);

/**
 * replace_patterns() - with --all-matching, replace the patterns among the arguments by the names
 * that they match
 *
 * Without it, verbs that change services refuse patterns. Returns: false with USAGE or
 * NO_SUCH_SERVICE.
 */
bool replace_patterns(Context *context, GError **error);

/* After an error: sets context->hint to the remedy. @name may be NULL. */
void context_advise(Context *context, const GError *error, const char *name);

/**
 * context_hint_name() - there is no service @name: suggests a similar name, or the unit that has
 * this name
 * @names: a strv of all services
 * Returns: whether a hint was set.
 */
bool context_hint_name(Context *context, const char *name, const char *const *names);

/* An svcctl command line as it is typed for the user's own svcd; a new string. */
char *context_command_of_user(const char *line);

/* "svcctl set ssh never", as it was typed, each argument quoted for a shell; a new string. */
char *context_command_line(const Context *context);

/* Sets context->hint. */
void context_hint(Context *context, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* Up, as "status" defines it: ready, or a task that is done. */
bool state_is_up(const char *state);

/*
 * Is the service of @record unable to run on this machine, because its program is missing or for
 * another lasting reason?
 */
bool record_is_absent(GVariant *record);

#endif
