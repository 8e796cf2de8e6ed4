/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <check.h>
#include <string.h>

#include "base/limits.h"
#include "config/loader.h"
#include "svc-generate/volumes.h"
#include "tests/lib/diags.h"
#include "tests/lib/suite.h"
#include "tests/lib/tree.h"

static GeneratedFiles *generate(const char *fstab)
{
	g_autoptr(DiagList) diags = diag_list_new();
	g_autoptr(GPtrArray) entries = fstab_parse("/etc/fstab", fstab, diags);
	GeneratedFiles *output = generated_files_new();

	expect_diags(diags, "");
	volumes_generate(entries, output);
	return output;
}

/* The file without the line that names its generator. */
static const char *text_of(GeneratedFiles *output, const char *name)
{
	return strchr(generated_files_add(output, name, "nothing")->str, '\n') + 1;
}

static const struct {
	const char *target;
	const char *name;
} names[] = {
	{ "/home", "mount-home" },
	{ "/boot/efi", "mount-boot-efi" },
	{ "/srv/my-data", "mount-srv-my--data" },
	{ "/a-/b", "mount-a---b" },
	{ "/a/-b", "mount-a-+2db" },
	{ "/a b@c", "mount-a+20b+40c" },
};

START_TEST(each_place_has_its_own_name)
{
	g_autofree char *name = volume_mount_name(names[_i].target);

	ck_assert_str_eq(name, names[_i].name);
}
END_TEST

START_TEST(long_places_have_names_that_fit_and_differ)
{
	g_autofree char *filler = g_strnfill(300, 'x');
	g_autofree char *one = g_strdup_printf("/%s/one", filler);
	g_autofree char *two = g_strdup_printf("/%s/two", filler);
	g_autofree char *name_one = volume_mount_name(one);
	g_autofree char *name_two = volume_mount_name(two);

	ck_assert_uint_eq(strlen(name_one), LIMIT_NAME_BYTES);
	ck_assert_uint_eq(strlen(name_two), LIMIT_NAME_BYTES);
	ck_assert_str_ne(name_one, name_two);
}
END_TEST

static const struct {
	const char *source;
	const char *condition; /* NULL: no device */
} devices[] = {
	{ "LABEL=/usr", "label:/usr" },
	{ "LABEL=my d/ata \xc3\xbc\\", "label:my d/ata \xc3\xbc\\" },
	{ "LABEL=a|b", "device:/dev/disk/by-label/a\\x7cb" },
	{ "UUID=3E6B-9de8", "uuid:3E6B-9de8" },
	{ "UUID=a b", "device:/dev/disk/by-uuid/a\\x20b" },
	{ "PARTUUID=3E6B-01", "device:/dev/disk/by-partuuid/3e6b-01" },
	{ "PARTLABEL=my data*", "device:/dev/disk/by-partlabel/my\\x20data\\x2a" },
	{ "PARTLABEL=a\\b \xc3\xbc", "device:/dev/disk/by-partlabel/a\\x5cb\\x20\xc3\xbc" },
	{ "ID=x", "device:/dev/disk/by-id/x" },
	{ "/dev/mapper/x", "device:/dev/mapper/x" },
	{ "LABEL=", NULL },
	{ "/image", NULL },
	{ "tmpfs", NULL },
	{ "server:/x", NULL },
};

START_TEST(a_device_is_found_by_its_udev_properties)
{
	g_autofree char *condition = volume_device_condition(devices[_i].source);

	ck_assert_pstr_eq(condition, devices[_i].condition);
}
END_TEST

#define STOP "Stop=" SVCD_LIBDIR "/boot/unmount-volume"
#define CONDITIONS "\n[Conditions]\nWhen=!virtual:container\nAfter=checkroot\n"

START_TEST(a_volume_is_waited_for_checked_mounted_and_unmounted)
{
	g_autoptr(GeneratedFiles)
		output = generate("LABEL=my\\040data /srv/data ext4 noatime 0 2\n");

	ck_assert_str_eq(text_of(output, "mount-srv-data.svc"),
			 "[Service]\nDescription=File system /srv/data\nType=task\n"
			 "Exec=" SVCD_LIBDIR
			 "/boot/mount-volume 2 ext4 noatime \"LABEL=my data\" /srv/data\n" STOP
			 " /srv/data\nStopTimeout=30s\nStartTimeout=2h\n" CONDITIONS
			 "While=\"label:my data\"\nWants=udev\nAfter=udev\nWaitTimeout=90s\n"
			 "DoneWhile=mounted:/srv/data\nProvides=$local_fs\n");
	ck_assert_str_eq(text_of(output, "50-fstab.policy"),
			 "\n[runlevel S]\nActivate=mount-srv-data\n");
}
END_TEST

START_TEST(nofail_neither_waits_nor_counts)
{
	g_autoptr(GeneratedFiles)
		output = generate("/dev/sdb1 /mnt ext4 nofail,x-systemd.device-timeout=5s 0 0\n");

	ck_assert_str_eq(
		text_of(output, "mount-mnt.svc"),
		"[Service]\nDescription=File system /mnt\nType=task\n"
		"Exec=" SVCD_LIBDIR "/boot/mount-volume 0 ext4 defaults /dev/sdb1 /mnt\n" STOP
		" /mnt\nStopTimeout=30s\n" CONDITIONS
		"While=device:/dev/sdb1\nWants=udev\nAfter=udev\nDoneWhile=mounted:/mnt\n");
}
END_TEST

static const struct {
	const char *options;
	const char *line; /* NULL: none */
} limits[] = {
	{ "defaults", "WaitTimeout=90s\n" },
	{ "x-systemd.device-timeout=5", "WaitTimeout=5s\n" },
	{ "x-systemd.device-timeout=1min30s", "WaitTimeout=90s\n" },
	{ "x-systemd.device-timeout=200ms", "WaitTimeout=200ms\n" },
	{ "x-systemd.device-timeout=0", NULL },
	{ "x-systemd.device-timeout=infinity", NULL },
};

START_TEST(a_line_sets_the_timeout_of_its_device)
{
	g_autofree char *fstab = g_strdup_printf("LABEL=a /a ext4 %s 0 0\n", limits[_i].options);
	g_autoptr(GeneratedFiles) output = generate(fstab);
	const char *text = text_of(output, "mount-a.svc");

	ck_assert_ptr_null(strstr(text, "x-systemd"));
	if (limits[_i].line)
		ck_assert_ptr_nonnull(strstr(text, limits[_i].line));
	else
		ck_assert_ptr_null(strstr(text, "WaitTimeout"));
}
END_TEST

START_TEST(swap_waits_for_its_device_and_leaves_with_it)
{
	g_autoptr(GeneratedFiles) output = generate("LABEL=fast none swap sw 0 0\n");

	ck_assert_str_eq(text_of(output, "swap-label-fast.svc"),
			 "[Service]\nDescription=Swap space on LABEL=fast\nType=task\n"
			 "Exec=" SVCD_LIBDIR "/boot/swap-space on defaults LABEL=fast\n"
			 "Stop=" SVCD_LIBDIR
			 "/boot/swap-space off defaults LABEL=fast\nStopTimeout=90s\n" CONDITIONS
			 "While=label:fast\nWants=udev\nAfter=udev\nWaitTimeout=90s\n");
}
END_TEST

START_TEST(noauto_is_by_hand)
{
	g_autoptr(GeneratedFiles) output = generate("# first\ntmpfs /mnt tmpfs noauto\n");

	ck_assert_str_eq(
		text_of(output, "50-fstab.policy"),
		"\n[service mount-mnt]\nActivation=manual\nReason=noauto in /etc/fstab, line 2\n");
	ck_assert_ptr_null(strstr(text_of(output, "mount-mnt.svc"), "Provides="));
}
END_TEST

START_TEST(a_volume_below_another_volume_needs_it)
{
	g_autoptr(GeneratedFiles) output =
		generate("tmpfs /a tmpfs\ntmpfs /a/b/c tmpfs\n/a/b/c/d /bound none bind\n"
			 "/a/swap none swap\ntmpfs /hand tmpfs noauto\ntmpfs /hand/x tmpfs\n"
			 "tmpfs /ab tmpfs\n");

	ck_assert_ptr_nonnull(
		strstr(text_of(output, "mount-a-b-c.svc"), "\nWhile=service:mount-a\n"));
	ck_assert_ptr_nonnull(
		strstr(text_of(output, "mount-bound.svc"), "\nWhile=service:mount-a-b-c\n"));
	ck_assert_ptr_nonnull(
		strstr(text_of(output, "swap-a-swap.svc"), "\nWhile=service:mount-a\n"));
	ck_assert_ptr_nonnull(strstr(text_of(output, "mount-hand-x.svc"), "\nAfter=mount-hand\n"));
	ck_assert_ptr_null(strstr(text_of(output, "mount-ab.svc"), "\nWhile="));
}
END_TEST

START_TEST(network_volumes_come_after_the_network)
{
	g_autoptr(GeneratedFiles) output = generate("server:/home /home nfs\n");

	ck_assert_str_eq(
		text_of(output, "mount-home.svc"),
		"[Service]\nDescription=File system /home\nType=task\n"
		"Exec=" SVCD_LIBDIR "/boot/mount-volume 0 nfs defaults server:/home /home\n" STOP
		" /home\nStopTimeout=30s\n"
		"Restart=on-failure\nRestartDelay=2s\nRestartLimit=5/10min\n\n"
		"[Conditions]\nWhen=!virtual:container\nAfter=checkroot\n"
		"DoneWhile=mounted:/home\nAfter=$network loopback\nWants=nfs-common rpc-statd\n"
		"After=nfs-common rpc-statd\nProvides=$remote_fs\n");
}
END_TEST

START_TEST(the_root_is_left_to_checkroot_and_usr_is_kept)
{
	g_autoptr(GeneratedFiles) output =
		generate("LABEL=root / ext4 defaults 0 1\n/dev/sda3 /usr ext4 ro\nproc /proc proc "
			 "hidepid=2\n");

	ck_assert_str_eq(text_of(output, "mount-.svc"), "");
	ck_assert_ptr_null(strstr(text_of(output, "mount-usr.svc"), "Stop="));
	ck_assert_ptr_nonnull(
		strstr(text_of(output, "mount-usr.svc"), "\nWhen=device:/dev/sda3\n"));
	ck_assert_ptr_null(strstr(text_of(output, "mount-proc.svc"), "Stop="));
	ck_assert_str_eq(
		text_of(output, "50-fstab.policy"),
		"\n[runlevel S]\nActivate=mount-usr\n\n[runlevel S]\nActivate=mount-proc\n");
}
END_TEST

/* Copies every .svc file of @directory into the tree, and the policy file. */
static void ship(const Tree *tree, const char *directory)
{
	g_autoptr(GDir) dir = g_dir_open(directory, 0, NULL);
	const char *name;

	ck_assert_ptr_nonnull(dir);
	while ((name = g_dir_read_name(dir)) != NULL) {
		g_autofree char *from = g_build_filename(directory, name, NULL);
		g_autofree char *text = NULL;
		const bool is_policy = g_str_has_suffix(name, ".policy");
		g_autofree char *to = g_build_filename(
			SVCD_LIBDIR, is_policy ? "policy.d" : "services.d", name, NULL);

		if (!is_policy && !g_str_has_suffix(name, ".svc"))
			continue;
		ck_assert(g_file_get_contents(from, &text, NULL, NULL));
		tree_write(tree, to, text);
	}
}

START_TEST(shipped_and_generated_files_are_without_fault)
{
	g_autoptr(Tree) tree = tree_new();
	g_autofree char *generated = tree_path(tree, "/run/svcd/generated");
	g_autoptr(GeneratedFiles) output =
		generate("LABEL=my\\040data /we%ard/\"q\"/$x\\134 ext4 defaults 0 2\n"
			 "/we%ard/\"q\"/$x\\134/y /b|c none bind\nUUID=1 none swap sw,pri=1\n"
			 "LABEL=/usr /mnt/usr ext4 nofail\nLABEL=a|\\040!b /c ext4\n"
			 "PARTLABEL=a\\134*\\040b /d ext4\n"
			 "UUID=3E6B-1 /e vfat\nUUID=a*b /f vfat\ns:/x /!n nfs noauto\n");
	const LoaderOptions options = { .root = tree->root, .any_owner = true };
	g_autoptr(Configuration) configuration = NULL;
	g_autoptr(GError) error = NULL;

	ship(tree, SHIPPED_FILES "/core");
	ship(tree, SHIPPED_FILES "/daemons");
	ship(tree, SHIPPED_FILES "/policy");
	ship(tree, SHIPPED_FILES);
	ck_assert(generated_files_write(output, generated, &error));

	configuration = configuration_load(&options, NULL);
	expect_diags(configuration->diags, "");
	ck_assert_ptr_nonnull(
		service_set_find(configuration->set, "mount-we+25ard-+22q+22-+24x+5c"));
	ck_assert_ptr_nonnull(service_set_find(configuration->set, "swap-uuid-1"));
}
END_TEST

START_TEST(files_of_removed_fstab_lines_are_removed_and_foreign_files_stay)
{
	g_autoptr(Tree) tree = tree_new();
	g_autofree char *directory = tree_path(tree, "/generated");
	g_autofree char *gone = tree_path(tree, "/generated/mount-a.svc");
	g_autofree char *kept = tree_path(tree, "/generated/mount-b.svc");
	g_autofree char *foreign = tree_path(tree, "/generated/script.svc");
	g_autoptr(GeneratedFiles) before = generate("tmpfs /a tmpfs\ntmpfs /b tmpfs\n");
	g_autoptr(GeneratedFiles) after = generate("#\ntmpfs /b tmpfs\n");
	g_autoptr(GError) error = NULL;

	tree_write(tree, "/generated/script.svc", "[Service]\n");
	ck_assert(generated_files_write(before, directory, &error));
	ck_assert(g_file_test(gone, G_FILE_TEST_EXISTS));

	ck_assert(generated_files_write(after, directory, &error));
	ck_assert(!g_file_test(gone, G_FILE_TEST_EXISTS));
	ck_assert(g_file_test(kept, G_FILE_TEST_EXISTS));
	ck_assert(g_file_test(foreign, G_FILE_TEST_EXISTS));
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("volumes");

	suite_add_loop(suite, "names", each_place_has_its_own_name, G_N_ELEMENTS(names));
	suite_add_loop(suite, "names", a_device_is_found_by_its_udev_properties,
		       G_N_ELEMENTS(devices));
	ADD_CASE(suite, "names", long_places_have_names_that_fit_and_differ);
	suite_add_loop(suite, "services", a_line_sets_the_timeout_of_its_device,
		       G_N_ELEMENTS(limits));
	ADD_CASE(suite, "services", a_volume_is_waited_for_checked_mounted_and_unmounted,
		 nofail_neither_waits_nor_counts, swap_waits_for_its_device_and_leaves_with_it,
		 noauto_is_by_hand, a_volume_below_another_volume_needs_it,
		 network_volumes_come_after_the_network,
		 the_root_is_left_to_checkroot_and_usr_is_kept);
	ADD_CASE(suite, "files", shipped_and_generated_files_are_without_fault,
		 files_of_removed_fstab_lines_are_removed_and_foreign_files_stay);
	return suite;
}
