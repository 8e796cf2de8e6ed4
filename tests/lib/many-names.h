/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Many names: for a test program that makes thousands of them.
 *
 * GLib leaves its old table of interned strings behind whenever it grows (glib/gquark.c, quark_new()), at 2,048
 * strings for the first time. LeakSanitizer takes that for a leak of ours, and knows no other way to be told.
 */
#ifndef SVCD_TESTS_MANY_NAMES_H
#define SVCD_TESTS_MANY_NAMES_H

static int many_names_made;

/* lsan_interface.h: asked at the end of the process; the other tests of the program are looked at as ever. */
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
	return many_names_made;
}

#endif
