/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <check.h>

#include "svc-generate/bus-activation.h"
#include "tests/lib/diags.h"
#include "tests/lib/suite.h"
#include "tests/lib/tree.h"

/* A machine with upower. Its package brings two bus names, one of them without a service. */
typedef struct Machine {
	Tree *tree;
	ServiceSet *set;
	GeneratedFiles *output;
} Machine;

static void machine_clear(Machine *m)
{
	generated_files_free(m->output);
	service_set_free(m->set);
	tree_free(m->tree);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Machine, machine_clear)

static void machine_init(Machine *m)
{
	g_autoptr(DiagList) diags = diag_list_new();

	*m = (Machine){ .tree = tree_new(),
			.set = service_set_new(),
			.output = generated_files_new() };
	add_service(m->set, "upower",
		    "[Service]\nReady=dbus:org.freedesktop.UPower\nBusName=org.example.Further\n",
		    diags);
	expect_diags(diags, "");
	tree_write(m->tree, "/vendor/org.freedesktop.UPower.service",
		   "[D-BUS Service]\nName=org.freedesktop.UPower\nExec=/usr/libexec/upowerd\n"
		   "User=root\n");
	tree_write(m->tree, "/vendor/org.example.Nobody.service",
		   "[D-BUS Service]\nName=org.example.Nobody\n");
	tree_write(m->tree, "/vendor/README", "no service\n");
}

static void generate(Machine *m)
{
	g_autofree char *vendor = tree_path(m->tree, "/vendor");
	g_autofree char *admin = tree_path(m->tree, "/admin");

	bus_activation_generate(m->set, vendor, admin, m->output);
}

/* The text after the line that names the generator. */
static const char *text_of(Machine *m, const char *file)
{
	const GString *text = generated_files_add(m->output, file, "nothing");

	return strchr(text->str, '\n') + 1;
}

START_TEST(a_name_that_a_service_owns_leads_to_svcd)
{
	g_auto(Machine) m;

	machine_init(&m);
	generate(&m);
	ck_assert_str_eq(text_of(&m, "org.freedesktop.UPower.service"),
			 "[D-BUS Service]\nName=org.freedesktop.UPower\nUser=root\n"
			 "Exec=" SVCD_LIBDIR "/svc-activate org.freedesktop.UPower\n");
}
END_TEST

START_TEST(a_name_without_a_service_is_left_to_the_bus)
{
	g_auto(Machine) m;

	machine_init(&m);
	generate(&m);
	ck_assert(!generated_files_has(m.output, "org.example.Nobody.service"));
	ck_assert(!generated_files_has(m.output, "README"));
}
END_TEST

START_TEST(a_name_that_the_bus_does_not_start_gets_no_file)
{
	g_auto(Machine) m;

	machine_init(&m);
	generate(&m);
	ck_assert(!generated_files_has(m.output, "org.example.Further.service"));

	tree_write(m.tree, "/vendor/org.example.Further.service", "[D-BUS Service]\n");
	generate(&m);
	ck_assert(generated_files_has(m.output, "org.example.Further.service"));
}
END_TEST

START_TEST(the_admins_own_files_win)
{
	static const char own[] =
		"[D-BUS Service]\nName=org.freedesktop.UPower\nExec=/usr/local/sbin/my-power\n"
		"User=root\n";
	g_auto(Machine) m;

	machine_init(&m);
	tree_write(m.tree, "/admin/org.freedesktop.UPower.service", own);
	tree_write(m.tree, "/admin/org.example.Mine.service", own);
	generate(&m);
	ck_assert_str_eq(text_of(&m, "org.freedesktop.UPower.service"), own);
	ck_assert_str_eq(text_of(&m, "org.example.Mine.service"), own);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("bus-activation");

	ADD_CASE(suite, "files", a_name_that_a_service_owns_leads_to_svcd,
		 a_name_without_a_service_is_left_to_the_bus,
		 a_name_that_the_bus_does_not_start_gets_no_file, the_admins_own_files_win);
	return suite;
}
