/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Policy change: the common path of every verb that writes. It checks permission, errors, and the
 * services that would start and stop. Then the change is written (except with --dry-run), and svcd
 * reads its files again.
 */
#ifndef SVCD_SVCCTL_POLICY_CHANGE_H
#define SVCD_SVCCTL_POLICY_CHANGE_H

#include "policy-edit/policy-edit.h"
#include "svcctl/forecast.h"
#include "svcctl/svcctl.h"

/* The result of a change. */
typedef struct Outcome {
	bool is_changed; /* false: the files already contain the change */
	bool is_written;
	bool is_running; /* svcd runs and has read the files (--dry-run: would) */
	bool is_cleared; /* earlier starts or stops by an admin ended (--dry-run: would) */
	uint64_t number; /* of the step in the history; 0: none */
	char *warning; /* why it cannot be undone, or NULL */
	Forecast *forecast; /* NULL if nothing changes */
} Outcome;

void outcome_clear(Outcome *outcome);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Outcome, outcome_clear)

/**
 * policy_hand_over() - let the manager make the change for an unprivileged user
 * @ret_is_done: polkit allowed it, the manager's helper has done it, and its output was printed: no
 * work is left
 * Returns: false with NOT_AUTHORIZED and the command that would do it as root.
 */
bool policy_hand_over(Context *context, bool *ret_is_done, GError **error);

/* A new change, below --root or until reboot, as the options require. */
Change *policy_change_new(const Context *context);

/**
 * policy_change_check() - is the change wrong?
 * @ret_preview: the resulting configuration, or NULL
 * Returns: false with INVALID_CONFIGURATION and the first diagnostic that is new.
 */
bool policy_change_check(const Context *context, const Change *change, Configuration **ret_preview,
			 GError **error);

/**
 * policy_change_commit() - check, forecast and write a change, and wait until svcd has read it
 * @cleared: names of services; the change ends an admin's earlier start or stop of them, even if
 * there is nothing to write. NULL: none
 */
bool policy_change_commit(Context *context, Change *change, const GPtrArray *cleared, Outcome *ret,
			  GError **error);

/**
 * policy_let_svcd_read() - let svcd read files that were written, and wait until it has read them
 * @ret_is_running: false: no svcd runs here
 */
bool policy_let_svcd_read(Context *context, bool *ret_is_running, GError **error);

/* Only starts the reading. Returns: the answer, NULL with @error. */
GVariant *policy_request_read(Context *context, GError **error);

/*
 * Waits until svcd has begun to read its files at @since_us (CLOCK_MONOTONIC) or later, and they
 * are in force.
 */
bool policy_wait_until_read(Context *context, int64_t since_us, GError **error);

/* "stops now: a b", "written as step 12"; and the same for JSON. */
void outcome_print(Context *context, const Outcome *outcome);
void outcome_to_json(const Outcome *outcome, const Context *context, JsonObject *object);

/* The services that would start and stop, for people and as members of @object. */
void forecast_print(Output *output, const Forecast *forecast, bool is_certain);
/* --quiet leaves out confirmations, but not the message that a running service stops. */
bool forecast_is_shown(const Context *context, const Forecast *forecast);
void forecast_to_json(const Forecast *forecast, JsonObject *object);

/**
 * policy_forecast() - the effects of a change on this machine, or below --root
 * @ret_is_running: svcd reported the present state; otherwise it is guessed. May be NULL
 * @error: as for forecast_new()
 */
Forecast *policy_forecast(Context *context, const ForecastChange *change, bool *ret_is_running,
			  GError **error);

/* The machine at one moment: its services, levels and files in force. */
typedef struct PolicyPresent PolicyPresent;

PolicyPresent *policy_present_new(Context *context);
void policy_present_free(PolicyPresent *present);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PolicyPresent, policy_present_free)

/**
 * policy_forecast_files() - the effects of the service and policy files since @present
 * @are_read: svcd has read them since then; otherwise those on the disk are used
 * @ret_is_running: as for policy_forecast()
 */
Forecast *policy_forecast_files(PolicyPresent *present, bool are_read, bool *ret_is_running);

/* --- verbs that are forms of other verbs --- */

bool policy_override(Context *context, GError **error); /* edit NAME KEY=VALUE... */
bool policy_revert(Context *context, GError **error); /* undo NAME... */
bool policy_presets(Context *context, GError **error); /* policy presets [NAME] */

#endif
