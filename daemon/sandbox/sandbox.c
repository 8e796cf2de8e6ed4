/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sandbox: flags, levels, lists of paths, sets of names, and the table of all keys.
 */
#include "config.h"

#include "sandbox/sandbox.h"

#include <errno.h>
#include <linux/sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "sandbox/capability-names.h"
#include "tokens/tokens.h"

#define BIT(n) (UINT64_C(1) << (n))
#define N_ELEMENTS(array) (sizeof(array) / sizeof((array)[0]))

/* Reads one entry of a list of paths. Returns: 0, EINVAL or ENOMEM. */
typedef int PathReader(struct SandboxPath *path, const char *token, struct Problem *problem);
/* Adds the bits of @name to *@mask. Returns: 0 or EINVAL. */
typedef int SetMember(const char *name, uint64_t *mask, struct Problem *problem);

typedef struct SandboxKeyRow SandboxKeyRow;
struct SandboxKeyRow {
	const char *name;
	enum SandboxShape shape;
	int (*read)(struct Sandbox *sandbox, enum SandboxKey key, const char *value,
		    struct Problem *problem);
	const char *const *levels;
	PathReader *read_path;
};
static const SandboxKeyRow rows[SANDBOX_KEYS_COUNT];

static void set_value(struct Sandbox *sandbox, enum SandboxKey key, uint64_t value,
		      bool is_requested)
{
	sandbox->value[key] = value;
	sandbox->requested = is_requested ? sandbox->requested | BIT(key) :
					    sandbox->requested & ~BIT(key);
}

static int no_memory(struct Problem *problem)
{
	(void)problem_set(problem, "out of memory");
	return ENOMEM;
}

/* --- flags and levels --- */

static int read_flag(struct Sandbox *sandbox, enum SandboxKey key, const char *value,
		     struct Problem *problem)
{
	bool yes;

	if (!token_parse_bool(value, &yes))
		return problem_set(problem, "write yes or no");
	set_value(sandbox, key, yes, yes);
	return 0;
}

#define LEVEL_NAME(id, name) name,
static const char *const protect_system_names[] = { PROTECT_SYSTEM_LEVELS(LEVEL_NAME) NULL };
static const char *const protect_home_names[] = { PROTECT_HOME_LEVELS(LEVEL_NAME) NULL };
static const char *const protect_proc_names[] = { PROTECT_PROC_LEVELS(LEVEL_NAME) NULL };
static const char *const proc_subset_names[] = { PROC_SUBSETS(LEVEL_NAME) NULL };
static const char *const keyring_mode_names[] = { KEYRING_MODES(LEVEL_NAME) NULL };

/* A level key with the values "no" and "yes" accepts all spellings of a boolean. */
static int read_level(struct Sandbox *sandbox, enum SandboxKey key, const char *value,
		      struct Problem *problem)
{
	const char *const *names = rows[key].levels;
	bool yes;

	if (strcmp(names[0], "no") == 0 && token_parse_bool(value, &yes))
		value = yes ? "yes" : "no";
	for (unsigned level = 0; names[level]; level++) {
		if (strcmp(names[level], value) != 0)
			continue;
		set_value(sandbox, key, level, level > 0);
		return 0;
	}
	return problem_none_of(problem, value, names);
}

/* --- paths --- */

/* @length bytes; "." and ".." are not accepted. */
static bool is_step(const char *part, size_t length)
{
	return (length == 1 && part[0] == '.') || (length == 2 && part[0] == '.' && part[1] == '.');
}

/* Checks @path and returns a copy in which "/a//b/" is "/a/b". */
static int copy_path(const char *path, char **ret, struct Problem *problem)
{
	char *copy;
	char *end;

	if (*path != '/')
		return problem_set(
			problem,
			"\"%s\": the path must be absolute; a \"-\" in front allows it to be "
			"missing",
			path);
	if (strchr(path, '\n'))
		return problem_set(problem, "\"%s\" is not a path", path);
	copy = end = malloc(strlen(path) + 2);
	if (!copy)
		return no_memory(problem);
	for (const char *part = path; *part;) {
		const size_t length = strcspn(part, "/");

		if (is_step(part, length)) {
			free(copy);
			return problem_set(problem, "\"%s\": write the path without \"%.*s\"", path,
					   (int)length, part);
		}
		if (length > 0) {
			*end++ = '/';
			end = mempcpy(end, part, length);
		}
		part += length + (part[length] == '/');
	}
	if (end == copy)
		*end++ = '/';
	*end = '\0';
	*ret = copy;
	return 0;
}

static int read_plain_path(struct SandboxPath *path, const char *token, struct Problem *problem)
{
	return copy_path(token, &path->path, problem);
}

/* For keys that must not name the root directory. */
static int read_part(struct SandboxPath *path, const char *token, struct Problem *problem)
{
	int error = read_plain_path(path, token, problem);

	if (!error && strcmp(path->path, "/") == 0)
		return problem_set(problem,
				   "write a path below /; ProtectSystem= covers the whole tree");
	return error;
}

static int check_target(const struct SandboxPath *path, struct Problem *problem)
{
	return strcmp(path->path, "/") == 0 ? problem_set(problem, "/ cannot be replaced") : 0;
}

/* SOURCE[:TARGET[:rbind|norbind]]; @token is changed. */
static int split_bind(struct SandboxPath *path, char *token, struct Problem *problem)
{
	const char *source = strsep(&token, ":");
	const char *target = strsep(&token, ":");
	int error = copy_path(source, &path->source, problem);

	if (!error)
		error = copy_path(target && *target ? target : source, &path->path, problem);
	if (!error && token && strcmp(token, "rbind") != 0 && strcmp(token, "norbind") != 0)
		error = problem_set(
			problem, "\"%s\" is neither rbind nor norbind; write SOURCE:TARGET:norbind",
			token);
	path->is_flat = token && strcmp(token, "norbind") == 0;
	return error ? error : check_target(path, problem);
}

static int read_bind(struct SandboxPath *path, const char *token, struct Problem *problem)
{
	char *copy = strdup(token);
	int error = copy ? split_bind(path, copy, problem) : no_memory(problem);

	free(copy);
	return error;
}

/* "10%", "64M", "5": at least one digit, and at most one of @units. */
static bool is_tmpfs_number(const char *value, const char *digits, const char *units)
{
	const char *end = value + strspn(value, digits);

	return end > value && (!*end || (strchr(units, *end) && !end[1]));
}

/* tmpfs(5) */
static bool is_tmpfs_option(const char *option)
{
	static const char *const tokens[] = { "ro", "rw", "exec", "noexec", "nodev", "nosuid" };
	static const struct {
		const char *name;
		const char *digits;
		const char *units;
	} settings[] = {
		{ "mode=", "01234567", "" },
		{ "size=", "0123456789", "kKmMgG%" },
		{ "nr_inodes=", "0123456789", "kKmMgG" },
		{ "uid=", "0123456789", "" },
		{ "gid=", "0123456789", "" },
	};

	for (size_t i = 0; i < N_ELEMENTS(settings); i++) {
		const size_t length = strlen(settings[i].name);

		if (strncmp(option, settings[i].name, length) == 0)
			return is_tmpfs_number(option + length, settings[i].digits,
					       settings[i].units);
	}
	for (size_t i = 0; i < N_ELEMENTS(tokens); i++) {
		if (strcmp(option, tokens[i]) == 0)
			return true;
	}
	return false;
}

/* PATH[:OPTION,OPTION...]; @token is changed. */
static int split_tmpfs(struct SandboxPath *path, char *token, struct Problem *problem)
{
	const char *directory = strsep(&token, ":");
	int error = copy_path(directory, &path->path, problem);

	path->options = strdup(token ? token : "");
	if (!error && !path->options)
		error = no_memory(problem);
	for (char *option = error ? NULL : strsep(&token, ","); option && !error;
	     option = strsep(&token, ",")) {
		if (!is_tmpfs_option(option))
			error = problem_set(
				problem,
				"\"%s\" is not an option of a tmpfs here; write ro, noexec, "
				"mode=, size=, "
				"nr_inodes=, uid= or gid=",
				option);
	}
	return error ? error : check_target(path, problem);
}

static int read_tmpfs(struct SandboxPath *path, const char *token, struct Problem *problem)
{
	char *copy = strdup(token);
	int error = copy ? split_tmpfs(path, copy, problem) : no_memory(problem);

	free(copy);
	return error;
}

/* --- the service's own directories --- */

const struct SandboxDirectory sandbox_directories[SANDBOX_DIRECTORIES] = {
	{ SANDBOX_RUNTIME_DIRECTORY, SANDBOX_RUNTIME_DIRECTORY_MODE, "/run", "RUNTIME_DIRECTORY" },
	{ SANDBOX_STATE_DIRECTORY, SANDBOX_STATE_DIRECTORY_MODE, "/var/lib", "STATE_DIRECTORY" },
	{ SANDBOX_CACHE_DIRECTORY, SANDBOX_CACHE_DIRECTORY_MODE, "/var/cache", "CACHE_DIRECTORY" },
	{ SANDBOX_LOGS_DIRECTORY, SANDBOX_LOGS_DIRECTORY_MODE, "/var/log", "LOGS_DIRECTORY" },
	{ SANDBOX_CONFIGURATION_DIRECTORY, SANDBOX_CONFIGURATION_DIRECTORY_MODE, "/etc",
	  "CONFIGURATION_DIRECTORY" },
};

static const char *directory_root(enum SandboxKey key)
{
	int i = 0;

	while (sandbox_directories[i].key != key)
		i++;
	return sandbox_directories[i].root;
}

/* Every component must have a name. */
static bool is_relative(const char *path)
{
	size_t length;

	do {
		length = strcspn(path, "/");
		if (length == 0 || is_step(path, length))
			return false;
		path += length + 1;
	} while (path[-1]);
	return true;
}

static int read_directory(struct SandboxPath *path, const char *token, struct Problem *problem)
{
	const char *root = directory_root(path->key);

	if (*token == '/')
		return problem_set(problem,
				   "\"%s\" is made below %s; write it without the leading %s/",
				   token, root, root);
	if (strchr(token, ':'))
		return problem_set(problem,
				   "\"%s\": write the name only; links to it are not supported",
				   token);
	if (!is_relative(token))
		return problem_set(problem, "\"%s\" is not the name of a directory below %s", token,
				   root);
	path->path = strdup(token);
	return path->path ? 0 : no_memory(problem);
}

static int read_mode(struct Sandbox *sandbox, enum SandboxKey key, const char *value,
		     struct Problem *problem)
{
	const size_t length = strlen(value);
	const unsigned long mode = strtoul(value, NULL, 8);

	if (length == 0 || strspn(value, "01234567") != length || mode > 07777)
		return problem_set(problem, "write an octal mode such as 0755");
	set_value(sandbox, key, mode, false);
	return 0;
}

/* --- lists of paths --- */

static void clear_path(struct SandboxPath *path)
{
	free(path->path);
	free(path->source);
	free(path->options);
}

static int add_path(struct Sandbox *sandbox, enum SandboxKey key, const char *token,
		    struct Problem *problem)
{
	struct SandboxPath path = {
		.key = key, .is_optional = rows[key].shape == SHAPE_PATHS && *token == '-'
	};
	struct SandboxPath *paths;
	int error;

	if (sandbox->n_paths >= TOKENS_MAX)
		return problem_set(problem, "there are more than %d entries", TOKENS_MAX);
	error = rows[key].read_path(&path, token + path.is_optional, problem);
	paths = error ? NULL : reallocarray(sandbox->paths, sandbox->n_paths + 1, sizeof(*paths));
	if (!paths) {
		clear_path(&path);
		return error ? error : no_memory(problem);
	}
	sandbox->paths = paths;
	paths[sandbox->n_paths++] = path;
	set_value(sandbox, key, 1, true);
	return 0;
}

static int read_paths(struct Sandbox *sandbox, enum SandboxKey key, const char *value,
		      struct Problem *problem)
{
	const char *reason;
	auto_tokens char **tokens = tokens_split(value, &reason);
	int error = tokens ? 0 : problem_set(problem, "%s", reason);

	for (char **token = tokens; token && *token && !error; token++)
		error = add_path(sandbox, key, *token, problem);
	return error;
}

/* --- sets of names --- */

/*
 * One line of a set of names. The first line is the set, or with "~" its complement; a later line
 * adds names, or with "~" removes them.
 */
static int read_set(struct Sandbox *sandbox, enum SandboxKey key, const char *line, SetMember *add,
		    struct Problem *problem)
{
	const bool is_inverted = *line == '~';
	const uint64_t before = sandbox->value[key];
	const char *reason;
	auto_tokens char **tokens = tokens_split(line + is_inverted, &reason);
	int error = tokens ? 0 : problem_set(problem, "%s", reason);
	uint64_t mask = 0;

	for (char **token = tokens; token && *token && !error; token++)
		error = add(*token, &mask, problem);
	if (error)
		return error;
	if (!sandbox_requests(sandbox, key))
		set_value(sandbox, key, is_inverted ? ~mask : mask, true);
	else
		set_value(sandbox, key, is_inverted ? before & ~mask : before | mask, true);
	return 0;
}

static int add_capability(const char *name, uint64_t *mask, struct Problem *problem)
{
	unsigned number;

	if (!capability_from_name(name, &number))
		return problem_unknown(problem, "capability", name, capability_names());
	*mask |= BIT(number);
	return 0;
}

static int read_bounding_set(struct Sandbox *sandbox, enum SandboxKey key, const char *line,
			     struct Problem *problem)
{
	return read_set(sandbox, key, line, add_capability, problem);
}

/* A list with "~" is limited to existing capabilities, because others cannot be given. */
static int read_ambient(struct Sandbox *sandbox, enum SandboxKey key, const char *line,
			struct Problem *problem)
{
	int error = read_set(sandbox, key, line, add_capability, problem);

	for (unsigned number = 0; number < 64; number++) {
		if (!capability_name(number))
			sandbox->value[key] &= ~BIT(number);
	}
	return error;
}

/* clang-format off */
static const struct { const char *name; int number; } families[] = {
	{ "AF_UNIX", AF_UNIX }, { "AF_LOCAL", AF_LOCAL }, { "AF_INET", AF_INET }, { "AF_INET6", AF_INET6 },
	{ "AF_NETLINK", AF_NETLINK }, { "AF_PACKET", AF_PACKET }, { "AF_AX25", AF_AX25 }, { "AF_IPX", AF_IPX },
	{ "AF_APPLETALK", AF_APPLETALK }, { "AF_NETROM", AF_NETROM }, { "AF_BRIDGE", AF_BRIDGE },
	{ "AF_ATMPVC", AF_ATMPVC }, { "AF_X25", AF_X25 }, { "AF_ROSE", AF_ROSE }, { "AF_DECnet", AF_DECnet },
	{ "AF_NETBEUI", AF_NETBEUI }, { "AF_SECURITY", AF_SECURITY }, { "AF_KEY", AF_KEY }, { "AF_ASH", AF_ASH },
	{ "AF_ECONET", AF_ECONET }, { "AF_ATMSVC", AF_ATMSVC }, { "AF_RDS", AF_RDS }, { "AF_SNA", AF_SNA },
	{ "AF_IRDA", AF_IRDA }, { "AF_PPPOX", AF_PPPOX }, { "AF_WANPIPE", AF_WANPIPE }, { "AF_LLC", AF_LLC },
	{ "AF_IB", AF_IB }, { "AF_MPLS", AF_MPLS }, { "AF_CAN", AF_CAN }, { "AF_TIPC", AF_TIPC },
	{ "AF_BLUETOOTH", AF_BLUETOOTH }, { "AF_IUCV", AF_IUCV }, { "AF_RXRPC", AF_RXRPC }, { "AF_ISDN", AF_ISDN },
	{ "AF_PHONET", AF_PHONET }, { "AF_IEEE802154", AF_IEEE802154 }, { "AF_CAIF", AF_CAIF }, { "AF_ALG", AF_ALG },
	{ "AF_NFC", AF_NFC }, { "AF_VSOCK", AF_VSOCK }, { "AF_KCM", AF_KCM }, { "AF_QIPCRTR", AF_QIPCRTR },
	{ "AF_SMC", AF_SMC }, { "AF_XDP", AF_XDP },
};
const struct SandboxNamespace sandbox_namespaces[] = {
	{ "cgroup", CLONE_NEWCGROUP }, { "ipc", CLONE_NEWIPC }, { "net", CLONE_NEWNET }, { "mnt", CLONE_NEWNS },
	{ "pid", CLONE_NEWPID }, { "user", CLONE_NEWUSER }, { "uts", CLONE_NEWUTS }, { "time", CLONE_NEWTIME }, { NULL, 0 },
};
/* clang-format on */

static int add_family(const char *name, uint64_t *mask, struct Problem *problem)
{
	const char *names[N_ELEMENTS(families) + 1] = { NULL };

	for (size_t i = 0; i < N_ELEMENTS(families); i++) {
		names[i] = families[i].name;
		if (strcmp(families[i].name, name) != 0)
			continue;
		*mask |= BIT(families[i].number);
		return 0;
	}
	return problem_unknown(problem, "address family", name, names);
}

static int read_families(struct Sandbox *sandbox, enum SandboxKey key, const char *value,
			 struct Problem *problem)
{
	if (strcmp(value, "none") != 0)
		return read_set(sandbox, key, value, add_family, problem);
	set_value(sandbox, key, 0, true);
	return 0;
}

static int add_namespace(const char *name, uint64_t *mask, struct Problem *problem)
{
	const char *names[N_ELEMENTS(sandbox_namespaces)] = { NULL };

	for (size_t i = 0; sandbox_namespaces[i].name; i++) {
		names[i] = sandbox_namespaces[i].name;
		if (strcmp(names[i], name) != 0)
			continue;
		*mask |= sandbox_namespaces[i].flag;
		return 0;
	}
	return problem_none_of(problem, name, names);
}

/* yes: no namespace may be made; no: all may be made; or a list of those that may be made. */
static int read_namespaces(struct Sandbox *sandbox, enum SandboxKey key, const char *value,
			   struct Problem *problem)
{
	bool yes;

	if (!token_parse_bool(value, &yes))
		return read_set(sandbox, key, value, add_namespace, problem);
	set_value(sandbox, key, yes ? 0 : UINT64_MAX, yes);
	return 0;
}

#define ARCHITECTURE_NAME(name, token) name,
static int add_architecture(const char *name, uint64_t *mask, struct Problem *problem)
{
	/* The machine's own architecture is always included, and has no bit. */
	static const char *const names[] = { "native",
					     SANDBOX_ARCHITECTURES(ARCHITECTURE_NAME) NULL };

	for (size_t i = 0; names[i]; i++) {
		if (strcmp(names[i], name) != 0)
			continue;
		*mask |= i > 0 ? BIT(i - 1) : 0;
		return 0;
	}
	return problem_none_of(problem, name, names);
}

static int read_architectures(struct Sandbox *sandbox, enum SandboxKey key, const char *value,
			      struct Problem *problem)
{
	uint64_t none = 0;

	if (*value == '~')
		return add_architecture(value, &none, problem); /* "~" is an invalid name here */
	return read_set(sandbox, key, value, add_architecture, problem);
}

/* --- system calls --- */

static int read_system_calls(struct Sandbox *sandbox, enum SandboxKey key, const char *value,
			     struct Problem *problem)
{
	int error = syscall_filter_add_line(&sandbox->system_calls, value, problem);

	if (!error)
		set_value(sandbox, key, 1, true);
	return error;
}

/* SystemCallErrorNumber= alone has no effect. */
static int read_system_call_error(struct Sandbox *sandbox, enum SandboxKey key, const char *value,
				  struct Problem *problem)
{
	int number;
	int error = syscall_filter_read_error(value, &number, problem);

	if (!error)
		set_value(sandbox, key, number == SYSCALL_ERROR_KILL ? 0 : (uint64_t)number, false);
	return error;
}

/* --- the table --- */

#define FLAG .read = read_flag
#define LEVEL(names) .read = read_level, .levels = names
#define PATHS_OF(reader) .read = read_paths, .read_path = reader
#define ROW(id, key_name, key_shape, ...) \
	[SANDBOX_##id] = { .name = key_name, .shape = SHAPE_##key_shape, __VA_ARGS__ },

static const SandboxKeyRow rows[SANDBOX_KEYS_COUNT] = { SANDBOX_KEYS(ROW) };

bool sandbox_key_find(const char *name, enum SandboxKey *ret)
{
	for (unsigned key = 0; key < SANDBOX_KEYS_COUNT; key++) {
		if (strcmp(rows[key].name, name) != 0)
			continue;
		*ret = (enum SandboxKey)key;
		return true;
	}
	return false;
}

const char *sandbox_key_name(enum SandboxKey key)
{
	return rows[key].name;
}

bool sandbox_key_takes_paths(enum SandboxKey key)
{
	return rows[key].shape == SHAPE_PATHS;
}

void sandbox_init(struct Sandbox *sandbox)
{
	*sandbox = (struct Sandbox){
		.value = { [SANDBOX_BOUNDING_SET] = UINT64_MAX,
			   [SANDBOX_FAMILIES] = UINT64_MAX,
			   [SANDBOX_NAMESPACES] = UINT64_MAX },
	};
	for (int i = 0; i < SANDBOX_DIRECTORIES; i++)
		sandbox->value[sandbox_directories[i].mode] = 0755;
}

void sandbox_clear(struct Sandbox *sandbox)
{
	for (size_t i = 0; i < sandbox->n_paths; i++)
		clear_path(&sandbox->paths[i]);
	free(sandbox->paths);
	syscall_filter_clear(&sandbox->system_calls);
	sandbox_init(sandbox);
}

int sandbox_read(struct Sandbox *sandbox, enum SandboxKey key, const char *value,
		 struct Problem *problem)
{
	return rows[key].read(sandbox, key, value, problem);
}

int sandbox_check(const struct Sandbox *sandbox, enum SandboxKey *ret_key, struct Problem *problem)
{
	const uint64_t missing = sandbox->value[SANDBOX_AMBIENT_SET] &
				 ~sandbox->value[SANDBOX_BOUNDING_SET];

	for (unsigned number = 0; number < 64; number++) {
		const char *name = capability_name(number);

		if (!name || !(missing & BIT(number)))
			continue;
		*ret_key = SANDBOX_AMBIENT_SET;
		return problem_set(problem,
				   "%s is not in CapabilityBoundingSet=, so no process can have it",
				   name);
	}
	return 0;
}
