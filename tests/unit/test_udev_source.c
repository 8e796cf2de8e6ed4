/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The monitor of device events: the kernel's filter.
 */
#include "config.h"

#include <check.h>
#include <linux/netlink.h>
#include <sys/socket.h>

#include "loop/udev-source.h"
#include "tests/lib/suite.h"

static struct udev *udev;
static UdevSource *source;

static void set_up(void)
{
	static const UdevSourceListener listener = { NULL, NULL, NULL, NULL };
	g_autoptr(GError) error = NULL;

	udev = udev_new();
	source = udev_source_new(udev, &listener, NULL, &error);
	ck_assert_msg(source, "%s", error ? error->message : "");
}

static void tear_down(void)
{
	udev_source_free(source);
	(void)udev_unref(udev);
}

/* The monitor hides its descriptor, which is this process's only socket of that family. */
static int find_socket(void)
{
	for (int fd = 0; fd < 64; fd++) {
		int protocol = -1;
		int domain = -1;
		socklen_t size = sizeof(int);

		if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 &&
		    domain == AF_NETLINK &&
		    getsockopt(fd, SOL_SOCKET, SO_PROTOCOL, &protocol, &size) == 0 &&
		    protocol == NETLINK_KOBJECT_UEVENT)
			return fd;
	}
	return -1;
}

/* The length of the kernel's filter in instructions; 0: none. */
static unsigned filter_length(void)
{
	socklen_t n = 0;

	ck_assert_int_eq(getsockopt(find_socket(), SOL_SOCKET, SO_GET_FILTER, NULL, &n), 0);
	return n;
}

START_TEST(without_a_filter_all_events_pass)
{
	ck_assert_uint_eq(filter_length(), 0);
}
END_TEST

START_TEST(the_kernel_filters_by_subsystem)
{
	udev_source_filter(source, (const char *const[]){ "block", NULL });

	ck_assert_uint_gt(filter_length(), 0);
}
END_TEST

START_TEST(a_wider_filter_takes_the_place_of_the_first)
{
	unsigned before;

	udev_source_filter(source, (const char *const[]){ "block", NULL });
	before = filter_length();

	udev_source_filter(source, (const char *const[]){ "block", "tty", NULL });

	ck_assert_uint_gt(filter_length(), before);
}
END_TEST

START_TEST(a_removed_filter_passes_all_events)
{
	udev_source_filter(source, (const char *const[]){ "block", NULL });

	udev_source_filter(source, NULL);

	ck_assert_uint_eq(filter_length(), 0);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("udev_source");

	ADD_CASE_AROUND(suite, "filter", set_up, tear_down, without_a_filter_all_events_pass,
			the_kernel_filters_by_subsystem,
			a_wider_filter_takes_the_place_of_the_first,
			a_removed_filter_passes_all_events);
	return suite;
}
