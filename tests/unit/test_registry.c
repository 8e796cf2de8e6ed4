/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The small providers through the registry: kernel command line, kind of machine, flags, mount
 * points.
 */
#include "config.h"

#include <check.h>
#include <fcntl.h>
#include <string.h>

#include "base/errors.h"
#include "base/limits.h"
#include "loop/loop.h"
#include "providers/registry.h"
#include "tests/lib/suite.h"

static Registry *registry;
static GHashTable *levels; /* key -> Level + 1 */
static GHashTable *reasons;

static void on_report(void *data, const char *key, Level level, const char *why)
{
	(void)data;
	g_hash_table_insert(levels, (gpointer)key, GINT_TO_POINTER((int)level + 1));
	g_hash_table_insert(reasons, (gpointer)key, g_strdup(why));
}

static void set_up(void)
{
	const RegistryOptions options = { .kernel_cmdline = "ro quiet svcd.runlevel=3",
					  .virtualization = "vm",
					  .mounts_fd = open("/proc/self/mountinfo",
							    O_RDONLY | O_CLOEXEC) };

	levels = g_hash_table_new(g_str_hash, g_str_equal);
	reasons = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, g_free);
	registry = registry_new(&options, on_report, NULL);
}

static void tear_down(void)
{
	registry_free(registry);
	g_hash_table_unref(levels);
	g_hash_table_unref(reasons);
}

static int level_of(const char *key)
{
	return GPOINTER_TO_INT(g_hash_table_lookup(levels, key)) - 1;
}

static int subscribed_level(KeyPrefix prefix, const char *key)
{
	registry_subscribe(registry, prefix, g_intern_string(key));
	registry_flush(registry);
	return level_of(key);
}

START_TEST(nothing_is_reported_inside_subscribe)
{
	registry_subscribe(registry, KEY_KERNEL, g_intern_string("kernel:quiet"));
	ck_assert_int_eq(level_of("kernel:quiet"), -1);

	registry_flush(registry);
	ck_assert_int_eq(level_of("kernel:quiet"), LEVEL_TRUE);
}
END_TEST

START_TEST(kernel_arguments_match_as_a_whole)
{
	ck_assert_int_eq(subscribed_level(KEY_KERNEL, "kernel:ro"), LEVEL_TRUE);
	ck_assert_int_eq(subscribed_level(KEY_KERNEL, "kernel:svcd.runlevel=3"), LEVEL_TRUE);
	ck_assert_int_eq(subscribed_level(KEY_KERNEL, "kernel:svcd.runlevel"), LEVEL_FALSE);
	ck_assert_int_eq(subscribed_level(KEY_KERNEL, "kernel:splash"), LEVEL_FALSE);
}
END_TEST

START_TEST(kind_of_machine)
{
	ck_assert_int_eq(subscribed_level(KEY_VIRTUAL, "virtual:vm"), LEVEL_TRUE);
	ck_assert_int_eq(subscribed_level(KEY_VIRTUAL, "virtual:container"), LEVEL_FALSE);
}
END_TEST

START_TEST(flags_are_set_and_cleared)
{
	FlagProvider *flags = registry_flags(registry);

	ck_assert_int_eq(subscribed_level(KEY_FLAG, "flag:backup"), LEVEL_FALSE);

	ck_assert(flag_provider_set(flags, "backup", true, NULL, "set by uid 0", NULL));
	registry_flush(registry);
	ck_assert_int_eq(level_of("flag:backup"), LEVEL_TRUE);
	ck_assert_str_eq(g_hash_table_lookup(reasons, "flag:backup"), "set by uid 0");

	ck_assert(flag_provider_set(flags, "backup", false, NULL, "", NULL));
	registry_flush(registry);
	ck_assert_int_eq(level_of("flag:backup"), LEVEL_FALSE);
}
END_TEST

START_TEST(a_flag_set_before_its_subscription_is_true)
{
	ck_assert(flag_provider_set(registry_flags(registry), "early", true, NULL, "set by uid 0",
				    NULL));
	ck_assert_int_eq(subscribed_level(KEY_FLAG, "flag:early"), LEVEL_TRUE);
}
END_TEST

START_TEST(bad_flag_names_and_too_many_flags_are_refused)
{
	FlagProvider *flags = registry_flags(registry);
	g_autoptr(GError) error = NULL;

	ck_assert(!flag_provider_set(flags, "../x", true, NULL, "", &error));
	ck_assert_int_eq(error->code, SVCD_ERROR_INVALID_ARGUMENT);
	g_clear_error(&error);

	for (int i = 0; i < LIMIT_FLAGS; i++) {
		g_autofree char *name = g_strdup_printf("f%d", i);

		ck_assert(flag_provider_set(flags, name, true, NULL, "", NULL));
	}
	ck_assert(!flag_provider_set(flags, "one-more", true, NULL, "", &error));
	ck_assert_int_eq(error->code, SVCD_ERROR_LIMIT_REACHED);
	ck_assert(flag_provider_set(flags, "f7", true, NULL, "again", NULL));
}
END_TEST

START_TEST(mount_points_are_known)
{
	ck_assert_int_eq(subscribed_level(KEY_MOUNTED, "mounted:/proc"), LEVEL_TRUE);
	ck_assert_int_eq(subscribed_level(KEY_MOUNTED, "mounted:/nonexistent"), LEVEL_FALSE);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("registry");

	ADD_CASE_AROUND(suite, "registry", set_up, tear_down, nothing_is_reported_inside_subscribe,
			kernel_arguments_match_as_a_whole, kind_of_machine,
			flags_are_set_and_cleared, a_flag_set_before_its_subscription_is_true,
			bad_flag_names_and_too_many_flags_are_refused, mount_points_are_known);
	return suite;
}
