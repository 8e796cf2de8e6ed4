/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <check.h>

#include "tests/lib/diags.h"
#include "tests/lib/suite.h"

static ServiceDef *add(ServiceSet *set, const char *name, const char *conditions)
{
	g_autoptr(DiagList) diags = diag_list_new();
	ServiceDef *def = add_service(set, name, conditions, diags);

	expect_diags(diags, "");
	return def;
}

START_TEST(services_are_listed_by_name_whatever_order_they_came_in)
{
	static const char *const names[] = { "m", "a", "z", "b", "mm", "A", "getty@tty1" };
	static const char *const sorted[] = { "A", "a", "b", "getty@tty1", "m", "mm", "z" };
	g_autoptr(ServiceSet) set = service_set_new();

	for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
		add(set, names[i], "");
	ck_assert_uint_eq(service_set_length(set), G_N_ELEMENTS(sorted));
	for (size_t i = 0; i < G_N_ELEMENTS(sorted); i++)
		ck_assert_str_eq(((ServiceDef *)g_ptr_array_index(service_set_list(set), i))->name,
				 sorted[i]);
}
END_TEST

START_TEST(a_service_is_found_by_its_name_and_by_further_names)
{
	g_autoptr(ServiceSet) set = service_set_new();
	ServiceDef *exim = add(set, "exim4", "Provides=mta smtp\n");
	ServiceDef *postfix = add(set, "postfix", "Provides=mta\n");
	ServiceDef *smtp = add(set, "smtp", "");

	ck_assert_ptr_eq(service_set_find(set, "postfix"), postfix);
	ck_assert_ptr_eq(service_set_find(set, "mta"), exim);
	ck_assert_ptr_eq(service_set_find(set, "smtp"), smtp);
	ck_assert_ptr_null(service_set_find(set, "nix"));
	ck_assert_ptr_null(service_set_find(set, "$mta"));
}
END_TEST

START_TEST(a_service_is_found_by_the_names_that_it_owns_on_the_bus)
{
	g_autoptr(ServiceSet) set = service_set_new();
	ServiceDef *upower = add(set, "upower", "[Service]\nReady=dbus:org.freedesktop.UPower\n");
	ServiceDef *two = add(set, "two", "[Service]\nBusName=org.example.One org.example.Two\n");

	ck_assert_ptr_eq(service_set_find_bus_name(set, "org.freedesktop.UPower"), upower);
	ck_assert_ptr_eq(service_set_find_bus_name(set, "org.example.Two"), two);
	ck_assert_ptr_null(service_set_find_bus_name(set, "org.example.Three"));
}
END_TEST

START_TEST(a_service_that_is_added_again_replaces_the_old_one_with_all_its_names)
{
	g_autoptr(ServiceSet) set = service_set_new();
	ServiceDef *fresh;

	add(set, "a", "Provides=x $f\n");
	fresh = add(set, "a", "Provides=y\n");
	ck_assert_uint_eq(service_set_length(set), 1);
	ck_assert_ptr_eq(service_set_find(set, "a"), fresh);
	ck_assert_ptr_null(service_set_find(set, "x"));
	ck_assert_ptr_eq(service_set_find(set, "y"), fresh);
	ck_assert_ptr_null(service_set_facility(set, "$f"));
}
END_TEST

START_TEST(a_facility_knows_its_providers)
{
	g_autoptr(ServiceSet) set = service_set_new();
	const GPtrArray *providers;

	add(set, "a", "Provides=$network $network\n");
	add(set, "b", "Provides=$network\n");
	providers = service_set_facility(set, "$network");
	ck_assert_ptr_nonnull(providers);
	ck_assert_uint_eq(providers->len, 2);
	ck_assert_ptr_null(service_set_facility(set, "$time"));
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("service-set");

	ADD_CASE(suite, "service-set", services_are_listed_by_name_whatever_order_they_came_in,
		 a_service_is_found_by_its_name_and_by_further_names,
		 a_service_is_found_by_the_names_that_it_owns_on_the_bus,
		 a_service_that_is_added_again_replaces_the_old_one_with_all_its_names,
		 a_facility_knows_its_providers);
	return suite;
}
