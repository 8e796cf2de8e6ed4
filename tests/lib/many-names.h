/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Many names: for a test program with thousands of names.
 *
 * GLib leaks its old table of interned strings whenever it grows (glib/gquark.c, quark_new()), the
 * first time at 2,048 strings. LeakSanitizer would report that leak. Only the function below can
 * prevent the report.
 */
#ifndef SVCD_TESTS_MANY_NAMES_H
#define SVCD_TESTS_MANY_NAMES_H

static int many_names_made;

/*
 * lsan_interface.h: called at the end of each test's process. Tests without many names are still
 * checked.
 */
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
	return many_names_made;
}

#endif
