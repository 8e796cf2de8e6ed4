/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sandbox keys: words, sets of names as masks, lists of paths.
 */
#include "config.h"

#include "model/sandbox-read.h"

#include <linux/sched.h>
#include <string.h>

#include "base/list.h"
#include "base/text.h"
#include "model/capability.h"
#include "model/syscall-filter.h"

/* --- one of some words --- */

VALUE_ENUM_READER(read_protect_system, ProtectSystem, protect_system, PROTECT_SYSTEM_COUNT)
VALUE_ENUM_READER(read_protect_home, ProtectHome, protect_home, PROTECT_HOME_COUNT)
FIELD_ENUM_READER(sandbox_read_protect_proc, ProtectProc, protect_proc, PROTECT_PROC_COUNT)
FIELD_ENUM_READER(sandbox_read_proc_subset, ProcSubset, proc_subset, PROC_SUBSET_COUNT)
FIELD_ENUM_READER(sandbox_read_keyring_mode, KeyringMode, keyring_mode, KEYRING_MODE_COUNT)

char *sandbox_read_protect_system(ServiceDef *def, void *field, const char *value, Origin origin)
{
	bool yes;

	if (!words_parse_bool(value, &yes))
		return read_protect_system(field, value);
	*(ProtectSystem *)field = yes ? PROTECT_SYSTEM_YES : PROTECT_SYSTEM_NO;
	return NULL;
}

char *sandbox_read_protect_home(ServiceDef *def, void *field, const char *value, Origin origin)
{
	bool yes;

	if (!words_parse_bool(value, &yes))
		return read_protect_home(field, value);
	*(ProtectHome *)field = yes ? PROTECT_HOME_YES : PROTECT_HOME_NO;
	return NULL;
}

/* --- lists of paths --- */

static char *check_path(const char *path)
{
	g_auto(GStrv) parts = NULL;

	if (*path != '/')
		return g_strdup_printf("\"%s\": the path must be absolute; \"-\" in front: it may be missing", path);
	if (strchr(path, '\n'))
		return g_strdup_printf("\"%s\" is no path", path);
	parts = g_strsplit(path, "/", -1);
	for (char **part = parts; *part; part++) {
		if (strcmp(*part, ".") == 0 || strcmp(*part, "..") == 0)
			return g_strdup_printf("\"%s\": write the path without \"%s\"", path, *part);
	}
	return NULL;
}

/* "/a//b/" is "/a/b". */
static char *tidy_path(const char *path)
{
	return g_canonicalize_filename(path, "/");
}

static char *read_plain_path(SandboxPath *path, const char *word)
{
	char *problem = check_path(word);

	if (!problem)
		path->path = tidy_path(word);
	return problem;
}

/* For what cannot be said of the whole tree. */
static char *read_part(SandboxPath *path, const char *word)
{
	char *problem = read_plain_path(path, word);

	if (!problem && strcmp(path->path, "/") == 0)
		problem = g_strdup("name a part of the tree; ProtectSystem= is about all of it");
	return problem;
}

/* SOURCE[:TARGET[:rbind|norbind]] */
static char *read_bind(SandboxPath *path, const char *word)
{
	g_auto(GStrv) parts = g_strsplit(word, ":", 3);
	const char *target = parts[0] && parts[1] && *parts[1] ? parts[1] : parts[0];
	const char *option = parts[0] && parts[1] ? parts[2] : NULL;
	char *problem = check_path(parts[0] ? parts[0] : "");

	if (!problem)
		problem = check_path(target);
	if (!problem && option && strcmp(option, "rbind") != 0 && strcmp(option, "norbind") != 0)
		problem = g_strdup_printf("\"%s\" is neither rbind nor norbind; write SOURCE:TARGET:norbind", option);
	if (problem)
		return problem;
	path->source = tidy_path(parts[0]);
	path->path = tidy_path(target);
	path->is_flat = g_strcmp0(option, "norbind") == 0;
	if (strcmp(path->path, "/") == 0)
		return g_strdup("nothing can be put in place of /");
	return NULL;
}

/* "10%", "64M", "5": one digit at least, and one of @units at most. */
static bool is_tmpfs_number(const char *value, const char *digits, const char *units)
{
	const char *end = value + strspn(value, digits);

	return end > value && (!*end || (strchr(units, *end) && !end[1]));
}

/* tmpfs(5) */
static bool is_tmpfs_option(const char *option)
{
	static const char *const words[] = { "ro", "rw", "exec", "noexec", "nodev", "nosuid", NULL };
	static const struct {
		const char *name;
		const char *digits;
		const char *units;
	} settings[] = {
		{ "mode=", "01234567", "" },		 { "size=", G_CSET_DIGITS, "kKmMgG%" },
		{ "nr_inodes=", G_CSET_DIGITS, "kKmMgG" }, { "uid=", G_CSET_DIGITS, "" },
		{ "gid=", G_CSET_DIGITS, "" },
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(settings); i++) {
		if (g_str_has_prefix(option, settings[i].name))
			return is_tmpfs_number(option + strlen(settings[i].name), settings[i].digits, settings[i].units);
	}
	return g_strv_contains(words, option);
}

/* PATH[:OPTION,OPTION...] */
static char *read_tmpfs(SandboxPath *path, const char *word)
{
	g_auto(GStrv) parts = g_strsplit(word, ":", 2);
	g_auto(GStrv) options = parts[0] && parts[1] ? g_strsplit(parts[1], ",", -1) : NULL;
	char *problem = read_plain_path(path, parts[0] ? parts[0] : "");

	for (char **option = options; option && *option && !problem; option++) {
		if (!is_tmpfs_option(*option))
			problem = g_strdup_printf("\"%s\" is no option of a tmpfs here; write ro, noexec, mode=, size=, "
						  "nr_inodes=, uid= or gid=", *option);
	}
	if (!problem && strcmp(path->path, "/") == 0)
		problem = g_strdup("nothing can be put in place of /");
	if (!problem)
		path->options = g_strdup(parts[1] ? parts[1] : "");
	return problem;
}

static char *add_path(SandboxDef *sandbox, SandboxPathKind kind, const char *word, char *(*read)(SandboxPath *, const char *))
{
	GPtrArray **paths = &sandbox->paths[kind];
	SandboxPath *path;
	char *problem = value_check_room(*paths);

	if (problem)
		return problem;
	path = g_new0(SandboxPath, 1);
	path->is_optional = *word == '-';
	problem = read(path, word + path->is_optional);
	if (problem)
		sandbox_path_free(path);
	else
		list_add(paths, path, (GDestroyNotify)sandbox_path_free);
	return problem;
}

static char *read_paths(ServiceDef *def, SandboxPathKind kind, const char *value, char *(*read)(SandboxPath *, const char *))
{
	char *problem = NULL;
	g_auto(GStrv) words = text_split_words(value, &problem);

	for (char **word = words; word && *word && !problem; word++)
		problem = add_path(def->execution->sandbox, kind, *word, read);
	return problem;
}

char *sandbox_read_read_only_paths(ServiceDef *def, void *field, const char *value, Origin origin)
{
	return read_paths(def, SANDBOX_READ_ONLY, value, read_plain_path);
}

char *sandbox_read_read_write_paths(ServiceDef *def, void *field, const char *value, Origin origin)
{
	return read_paths(def, SANDBOX_READ_WRITE, value, read_part);
}

char *sandbox_read_inaccessible_paths(ServiceDef *def, void *field, const char *value, Origin origin)
{
	return read_paths(def, SANDBOX_INACCESSIBLE, value, read_part);
}

char *sandbox_read_bind_paths(ServiceDef *def, void *field, const char *value, Origin origin)
{
	return read_paths(def, SANDBOX_BIND, value, read_bind);
}

char *sandbox_read_bind_read_only_paths(ServiceDef *def, void *field, const char *value, Origin origin)
{
	return read_paths(def, SANDBOX_BIND_READ_ONLY, value, read_bind);
}

char *sandbox_read_temporary_file_system(ServiceDef *def, void *field, const char *value, Origin origin)
{
	return read_paths(def, SANDBOX_TMPFS, value, read_tmpfs);
}

/* --- sets of names --- */

/* Adds the bits of @name to *@mask, or returns what is wrong. */
typedef char *SetMember(const char *name, uint64_t *mask);

/*
 * One line of a set that lines add to: the first line is the set, or with "~" in front all but it; a later one adds, or with "~"
 * takes away. @is_given: was there a line before?
 */
static char *read_set(bool *is_given, uint64_t *set, const char *line, SetMember *add)
{
	const bool is_inverted = *line == '~';
	char *problem = NULL;
	g_auto(GStrv) words = text_split_words(line + is_inverted, &problem);
	uint64_t mask = 0;

	for (char **word = words; word && *word && !problem; word++)
		problem = add(*word, &mask);
	if (problem)
		return problem;
	if (!*is_given)
		*set = is_inverted ? ~mask : mask;
	else
		*set = is_inverted ? *set & ~mask : *set | mask;
	*is_given = true;
	return NULL;
}

static char *unknown_name(const char *kind, const char *name, const char *const *names)
{
	const char *nearest = words_nearest(name, names);

	if (nearest)
		return g_strdup_printf("no %s \"%s\"; did you mean %s?", kind, name, nearest);
	return g_strdup_printf("no %s \"%s\"", kind, name);
}

static char *add_capability(const char *name, uint64_t *mask)
{
	unsigned number;

	if (!capability_from_name(name, &number))
		return unknown_name("capability", name, capability_names());
	*mask |= UINT64_C(1) << number;
	return NULL;
}

char *sandbox_read_bounding_set(ServiceDef *def, void *field, const char *value, Origin origin)
{
	return read_set(&def->execution->sandbox->bounds_capabilities, field, value, add_capability);
}

char *sandbox_read_ambient_set(ServiceDef *def, void *field, const char *value, Origin origin)
{
	uint64_t *set = field;
	char *problem = read_set(&def->execution->sandbox->has_ambient, set, value, add_capability);

	for (unsigned number = 0; number < 64; number++) {
		if (!capability_name(number))
			*set &= ~(UINT64_C(1) << number); /* of "all but": nobody can be given what is not there */
	}
	return problem;
}

/* clang-format off */
/* Numbers of Linux, the same on all processors; <sys/socket.h> is nothing for this room. */
static const struct { const char *name; int number; } families[] = {
	{ "AF_UNIX", 1 }, { "AF_LOCAL", 1 }, { "AF_INET", 2 }, { "AF_INET6", 10 },
	{ "AF_NETLINK", 16 }, { "AF_PACKET", 17 }, { "AF_AX25", 3 }, { "AF_IPX", 4 },
	{ "AF_APPLETALK", 5 }, { "AF_NETROM", 6 }, { "AF_BRIDGE", 7 },
	{ "AF_ATMPVC", 8 }, { "AF_X25", 9 }, { "AF_ROSE", 11 }, { "AF_DECnet", 12 },
	{ "AF_NETBEUI", 13 }, { "AF_SECURITY", 14 }, { "AF_KEY", 15 }, { "AF_ASH", 18 },
	{ "AF_ECONET", 19 }, { "AF_ATMSVC", 20 }, { "AF_RDS", 21 }, { "AF_SNA", 22 },
	{ "AF_IRDA", 23 }, { "AF_PPPOX", 24 }, { "AF_WANPIPE", 25 }, { "AF_LLC", 26 },
	{ "AF_IB", 27 }, { "AF_MPLS", 28 }, { "AF_CAN", 29 }, { "AF_TIPC", 30 },
	{ "AF_BLUETOOTH", 31 }, { "AF_IUCV", 32 }, { "AF_RXRPC", 33 }, { "AF_ISDN", 34 },
	{ "AF_PHONET", 35 }, { "AF_IEEE802154", 36 }, { "AF_CAIF", 37 }, { "AF_ALG", 38 },
	{ "AF_NFC", 39 }, { "AF_VSOCK", 40 }, { "AF_KCM", 41 }, { "AF_QIPCRTR", 42 },
	{ "AF_SMC", 43 }, { "AF_XDP", 44 },
};
static const struct { const char *name; uint64_t flag; } namespaces[] = {
	{ "cgroup", CLONE_NEWCGROUP }, { "ipc", CLONE_NEWIPC }, { "net", CLONE_NEWNET }, { "mnt", CLONE_NEWNS },
	{ "pid", CLONE_NEWPID }, { "user", CLONE_NEWUSER }, { "uts", CLONE_NEWUTS }, { "time", CLONE_NEWTIME },
};
/* clang-format on */

static char *add_family(const char *name, uint64_t *mask)
{
	const char *names[G_N_ELEMENTS(families) + 1] = { NULL };

	for (size_t i = 0; i < G_N_ELEMENTS(families); i++) {
		names[i] = families[i].name;
		if (strcmp(families[i].name, name) != 0)
			continue;
		*mask |= UINT64_C(1) << families[i].number;
		return NULL;
	}
	return unknown_name("address family", name, names);
}

char *sandbox_read_families(ServiceDef *def, void *field, const char *value, Origin origin)
{
	SandboxDef *sandbox = def->execution->sandbox;

	if (strcmp(value, "none") != 0)
		return read_set(&sandbox->restricts_families, field, value, add_family);
	sandbox->restricts_families = true;
	sandbox->families = 0;
	return NULL;
}

static char *add_namespace(const char *name, uint64_t *mask)
{
	const char *names[G_N_ELEMENTS(namespaces)];

	for (size_t i = 0; i < G_N_ELEMENTS(namespaces); i++) {
		names[i] = namespaces[i].name;
		if (strcmp(namespaces[i].name, name) != 0)
			continue;
		*mask |= namespaces[i].flag;
		return NULL;
	}
	return value_none_of(name, names, G_N_ELEMENTS(names));
}

/* yes: none may be made; no: all; or those that may. */
char *sandbox_read_namespaces(ServiceDef *def, void *field, const char *value, Origin origin)
{
	SandboxDef *sandbox = def->execution->sandbox;
	bool yes;

	if (!words_parse_bool(value, &yes))
		return read_set(&sandbox->restricts_namespaces, field, value, add_namespace);
	sandbox->restricts_namespaces = yes;
	sandbox->namespaces = yes ? 0 : UINT64_MAX;
	return NULL;
}

/* --- system calls --- */

char *sandbox_read_system_calls(ServiceDef *def, void *field, const char *value, Origin origin)
{
	return syscall_filter_add_line(&def->execution->sandbox->system_calls, value);
}

char *sandbox_read_system_call_error(ServiceDef *def, void *field, const char *value, Origin origin)
{
	return syscall_filter_read_error(value, field);
}

char *sandbox_read_architectures(ServiceDef *def, void *field, const char *value, Origin origin)
{
	static const char *const known[] = { "native", "x86", "x86-64", "x32", "arm", "arm64", "mips", "mips-le", "mips64",
					     "mips64-le", "mips64-n32", "mips64-le-n32", "ppc", "ppc64", "ppc64-le", "riscv64",
					     "s390", "s390x", NULL };
	SandboxDef *sandbox = def->execution->sandbox;
	char *problem = NULL;
	g_auto(GStrv) words = text_split_words(value, &problem);

	for (char **word = words; word && *word && !problem; word++) {
		if (!g_strv_contains(known, *word))
			return value_none_of(*word, known, G_N_ELEMENTS(known) - 1);
		if (sandbox->architectures->len < G_N_ELEMENTS(known))
			list_add(&sandbox->architectures, g_strdup(*word), g_free);
	}
	return problem;
}
