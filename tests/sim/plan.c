/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Plan: most terms refer to services with lower numbers, as on a real machine. Wants= and
 * Conflicts= refer to any service, so services may need each other.
 */
#include "config.h"

#include "tests/sim/plan.h"

#include <string.h>

const char *plan_service_name(unsigned index)
{
	static const char *const names[PLAN_MAX_SERVICES] = {
		"s00", "s01", "s02", "s03", "s04", "s05", "s06", "s07", "s08", "s09", "s10", "s11",
		"s12", "s13", "s14", "s15", "s16", "s17", "s18", "s19", "s20", "s21", "s22", "s23",
	};

	return names[index];
}

const char *plan_flag_key(unsigned index)
{
	static const char *const keys[PLAN_FLAGS] = { "flag:f0", "flag:f1", "flag:f2",
						      "flag:f3", "flag:f4", "flag:f5" };

	return keys[index];
}

/* Only a service with HealthCommand= has a healthy: level. */
static bool has_health(const Plan *plan, unsigned index)
{
	return plan->files[index] && strstr(plan->files[index], "HealthCommand=");
}

static void add_condition(GString *text, Chance *c, unsigned self, const Plan *plan)
{
	const unsigned other = self > 0 ? chance_below(c, self) : 0;
	const bool is_negated = chance_percent(c, 12);
	const unsigned kind = chance_below(c, 10);

	if (is_negated)
		g_string_append_c(text, '!');
	if (self > 0 && kind < 5)
		g_string_append_printf(text, "%s:%s",
				       kind < 2 && has_health(plan, other) ? "healthy" : "service",
				       plan_service_name(other));
	else if (self > 0 && kind == 5)
		g_string_append_printf(text, "active:%s", plan_service_name(other));
	else if (kind == 6)
		g_string_append_printf(text, "kernel:f%u", chance_below(c, 2));
	else
		g_string_append(text, plan_flag_key(chance_below(c, PLAN_FLAGS)));
}

static void add_term(GString *text, Chance *c, const char *key, unsigned self, const Plan *plan)
{
	g_string_append_printf(text, "%s=", key);
	add_condition(text, c, self, plan);
	while (chance_percent(c, 15)) {
		g_string_append(text, " | ");
		add_condition(text, c, self, plan);
	}
	g_string_append_c(text, '\n');
}

static void add_conditions(GString *text, Chance *c, unsigned self, const Plan *plan)
{
	static const char *const lapses[] = { "stop", "stop", "stop", "keep", "reload" };
	const unsigned n = plan->n_services;

	g_string_append(text, "[Conditions]\n");
	while (chance_percent(c, 30))
		add_term(text, c, "When", self, plan);
	while (chance_percent(c, 35))
		add_term(text, c, "While", self, plan);
	while (self > 0 && chance_percent(c, 30))
		g_string_append_printf(text, "After=%s\n",
				       plan_service_name(chance_below(c, self)));
	if (self > 2 && chance_percent(c, 8))
		g_string_append(text, "After=$low\n");
	if (self > 2 && chance_percent(c, 5))
		g_string_append(text, "When=facility:$low\n");
	if (self <= 2 && chance_percent(c, 20))
		g_string_append(text, "Provides=$low\n");
	if (chance_percent(c, 20))
		g_string_append_printf(text, "Wants=%s\n", plan_service_name(chance_below(c, n)));
	if (chance_percent(c, 10))
		g_string_append_printf(text, "Conflicts=%s\n",
				       plan_service_name(chance_below(c, n)));
	if (chance_percent(c, 10))
		g_string_append(text, "StandIn=yes\n");
	if (plan->has_stop_after && chance_percent(c, 40))
		g_string_append_printf(text, "StopAfter=%s\n",
				       plan_service_name(chance_below(c, n)));
	if (chance_percent(c, 40))
		g_string_append_printf(text, "OnLapse=%s\n",
				       lapses[chance_below(c, G_N_ELEMENTS(lapses))]);
	if (chance_percent(c, 25))
		g_string_append_printf(text, "Settle=%ums\n", 1 + chance_below(c, 3000));
	if (chance_percent(c, 30))
		g_string_append_printf(text, "WaitTimeout=%ums\n", 1 + chance_below(c, 20000));
}

static char *make_file(Chance *c, unsigned self, const Plan *plan)
{
	static const char *const restarts[] = { "no", "on-failure", "on-failure", "always" };
	g_autoptr(GString) text = g_string_new("[Service]\n");
	const unsigned type = chance_below(c, 12);
	const bool is_task = type >= 6 && type < 9;
	const bool is_script = type >= 10;

	if (chance_percent(c, 1)) {
		g_string_append(text, "Exec=not/absolute\n");
	} else if (type < 6) {
		g_string_append(text, "Exec=/bin/d\nReady=notify\n");
		if (chance_percent(c, 20))
			g_string_append(text, "CheckCommand=/bin/d -t\n");
		if (chance_percent(c, 40))
			g_string_append_printf(text, "HealthCommand=/bin/h\nHealthAction=%s\n",
					       chance_percent(c, 50) ? "restart" : "none");
		if (chance_percent(c, 30))
			g_string_append(text, "Reload=signal:HUP\n");
	} else if (is_task) {
		g_string_append(text, "Type=task\nExec=/bin/t\n");
		if (chance_percent(c, 20))
			g_string_append(text, "Once=yes\n");
	} else if (is_script) {
		g_string_append(text,
				"Type=script\nExec=/etc/init.d/s start\nStop=/etc/init.d/s stop\n");
		if (chance_percent(c, 70))
			g_string_append(text, "RestartCommand=/etc/init.d/s restart\n");
		if (chance_percent(c, 30))
			g_string_append(text, "Reload=/etc/init.d/s reload\n");
	} else {
		g_string_append(text, "Type=group\n");
	}
	if (type < 9 || is_script) {
		g_string_append_printf(text, "Restart=%s\n",
				       restarts[chance_below(c, G_N_ELEMENTS(restarts))]);
		if (plan->has_locks && chance_percent(c, 60))
			g_string_append_printf(text, "StartLock=l%u\n", chance_below(c, 2));
		if (chance_percent(c, 15))
			g_string_append(text, "StopOrder=said\n");
		g_string_append_printf(text, "StartTimeout=%us\nStopTimeout=%us\n",
				       1 + chance_below(c, 5), 1 + chance_below(c, 4));
	}
	if (chance_percent(c, 15))
		g_string_append_printf(text, "Linger=%us\n", 1 + chance_below(c, 10));
	add_conditions(text, c, self, plan);
	if (chance_percent(c, is_task ? 50 : 2))
		add_term(text, c, "DoneWhile", self, plan);
	if (chance_percent(c, 10))
		add_term(text, c, "ShownWhen", self, plan);
	if (type < 6 && chance_percent(c, 30))
		g_string_append_printf(
			text,
			"[Socket]\nListenStream=/run/s\nListenStream=80\nTriggerLimit=%u/40s\n",
			1 + chance_below(c, 3));
	return g_string_free(g_steal_pointer(&text), FALSE);
}

static char *make_policy(Chance *c, unsigned n)
{
	static const char *const activations[] = { "on-demand", "manual", "never", "boot" };
	static const char *const classes[] = { "after-login", "after-login", "normal",
					       "login-screen" };
	g_autoptr(GString) text = g_string_new("[runlevel 2]\nActivate=");

	for (unsigned i = 0; i < n; i++) {
		if (chance_percent(c, 55))
			g_string_append_printf(text, " %s", plan_service_name(i));
	}
	g_string_append(text, "\n[runlevel 3]\nActivate=");
	for (unsigned i = 0; i < n; i++) {
		if (chance_percent(c, 40))
			g_string_append_printf(text, " %s", plan_service_name(i));
	}
	if (chance_percent(c, 30))
		g_string_append_printf(text, "\n[defaults]\nLoginScreen=%s %s",
				       plan_service_name(chance_below(c, n)),
				       plan_service_name(chance_below(c, n)));
	g_string_append_printf(text, "\n[runlevel 0]\nActivate=%s\n",
			       chance_percent(c, 30) ? plan_service_name(chance_below(c, n)) : "");
	for (unsigned i = 0; i < n; i++) {
		if (chance_percent(c, 20))
			g_string_append_printf(
				text, "[service %s]\nActivation=%s\n", plan_service_name(i),
				activations[chance_below(c, G_N_ELEMENTS(activations))]);
		if (chance_percent(c, 20))
			g_string_append_printf(text, "[service %s]\nClass=%s\n",
					       plan_service_name(i),
					       classes[chance_below(c, G_N_ELEMENTS(classes))]);
	}
	return g_string_free(g_steal_pointer(&text), FALSE);
}

Plan *plan_new(Chance *chance)
{
	Plan *plan = g_new0(Plan, 1);

	plan->n_services =
		2 + chance_below(chance, chance_percent(chance, 10) ? PLAN_MAX_SERVICES - 2 : 8);
	plan->has_stop_after = chance_percent(chance, 12);
	plan->has_locks = chance_percent(chance, 30);
	for (unsigned i = 0; i < plan->n_services; i++)
		plan->files[i] = make_file(chance, i, plan);
	plan->policy = make_policy(chance, plan->n_services);
	return plan;
}

void plan_free(Plan *plan)
{
	if (!plan)
		return;
	for (unsigned i = 0; i < plan->n_services; i++)
		g_free(plan->files[i]);
	g_free(plan->policy);
	g_free(plan);
}

void plan_alter(Plan *plan, Chance *chance)
{
	for (unsigned i = 0; i < plan->n_services; i++) {
		if (!chance_percent(chance, 25))
			continue;
		g_clear_pointer(&plan->files[i], g_free);
		if (!chance_percent(chance, 30))
			plan->files[i] = make_file(chance, i, plan);
	}
	if (chance_percent(chance, 40)) {
		g_free(plan->policy);
		plan->policy = make_policy(chance, plan->n_services);
	}
}
