/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Doctor, reboot: would the present ways into the machine exist after a reboot? This reads the
 * files of the next boot. So it finds changes that svcd has not read yet, and settings that hold
 * only until the reboot.
 */
#include "config.h"

#include <string.h>

#include "svcctl/doctor.h"

/*
 * The ways into the machine, each by a facility that its service provides, or by the service's
 * name.
 */
static const struct {
	const char *what;
	const char *facility;
	const char *const names[4];
} accesses[] = {
	{ "the remote login", NULL, { "ssh", "sshd", "dropbear", NULL } },
	{ "the login screen", "$x-display-manager", { NULL } },
	{ "the login on a console", "$text-login", { NULL } },
};

static bool provides(const ServiceDef *def, const char *facility)
{
	for (guint i = 0; facility && i < def->provides->len; i++) {
		if (strcmp(((const NameRef *)g_ptr_array_index(def->provides, i))->name,
			   facility) == 0)
			return true;
	}
	return false;
}

/* "the remote login"; NULL: it is not a way in. @def: NULL if its file is gone. */
static const char *find_access(const char *name, const ServiceDef *def)
{
	for (size_t i = 0; i < G_N_ELEMENTS(accesses); i++) {
		if (g_strv_contains(accesses[i].names, name) ||
		    (def && provides(def, accesses[i].facility)))
			return accesses[i].what;
	}
	return NULL;
}

/*
 * The services that are up, borrowed names; a new array with NULL at its end. The caller passes it
 * to context_load(), which loads an instance of a template only if it gets its name.
 */
static GPtrArray *list_up(const Doctor *d)
{
	GPtrArray *names = g_ptr_array_new();

	for (guint i = 0; d->services && i < d->services->len; i++) {
		GVariant *record = g_ptr_array_index(d->services, i);

		if (state_is_up(record_text(record, "State")))
			g_ptr_array_add(names, (gpointer)record_text(record, "Name"));
	}
	g_ptr_array_add(names, NULL);
	return names;
}

/* Returns: whether this way in exists after a reboot. */
static bool check_access(Doctor *d, const char *name, const char *what, const Configuration *next,
			 GHashTable *wanted)
{
	const ServiceDef *def = service_set_find(next->set, name);
	g_autofree char *enable = g_strdup_printf("svcctl enable %s", name);

	if (def && def->problem)
		doctor_report(d, DOCTOR_ERROR, "svcctl check",
			      "%s (%s) will not start at the next boot: %s", name, what,
			      def->problem);
	else if (!def)
		doctor_report(d, DOCTOR_ERROR, NULL,
			      "%s (%s) runs, but no file that the next boot reads describes it",
			      name, what);
	else if (!g_hash_table_contains(wanted, name))
		doctor_report(d, DOCTOR_WARNING, enable,
			      "%s (%s) runs, but nothing will start it at the next boot", name,
			      what);
	else
		return true;
	return false;
}

void doctor_check_reboot(Doctor *d)
{
	g_autoptr(GPtrArray) up = list_up(d);
	g_autoptr(Configuration) next =
		context_load(d->context, (const char *const *)up->pdata, CONTEXT_LOAD_NEXT_BOOT);
	g_autoptr(GHashTable) wanted = wanted_in(next, policy_default_runlevel(next->policy, NULL));
	g_autoptr(GString) names = g_string_new(NULL);

	for (guint i = 0; i + 1 < up->len; i++) {
		const char *name = g_ptr_array_index(up, i);
		const char *what = find_access(name, service_set_find(next->set, name));

		if (what && check_access(d, name, what, next, wanted))
			g_string_append_printf(names, "%s%s", names->len > 0 ? ", " : "", name);
	}
	if (names->len > 0)
		doctor_report(d, DOCTOR_OK, NULL, "a login will be possible after a reboot: %s",
			      names->str);
}
