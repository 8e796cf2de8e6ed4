/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Identity: look-ups through NSS, then three system calls in the only order that works.
 */
#include "config.h"

#include "exec/identity.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_GROUPS 65536 /* NGROUPS_MAX of Linux */

/*
 * A number consists of digits only: "0x0" and "7abc" are names (most likely unknown), see
 * CVE-2020-13776 and CVE-2017-1000082. UINT32_MAX means "leave unchanged" for setresuid(2), so it
 * is not a valid id.
 */
static bool parse_id(const char *text, uint32_t *ret)
{
	uint64_t value = 0;

	if (!*text)
		return false;
	for (const char *p = text; *p; p++) {
		if (*p < '0' || *p > '9')
			return false;
		value = value * 10 + (uint64_t)(*p - '0');
		if (value >= UINT32_MAX)
			return false;
	}
	*ret = (uint32_t)value;
	return true;
}

/* getpwnam(3) reports "not found" by one of many errnos, or by none. */
static int lookup_error(int error)
{
	return error == 0 || error == ENOENT || error == EBADF || error == EPERM ? ESRCH : error;
}

static int resolve_group(const char *text, gid_t *ret)
{
	const struct group *group;
	uint32_t id;

	if (parse_id(text, &id)) {
		*ret = id;
		return 0;
	}
	errno = 0;
	group = getgrnam(text);
	if (!group)
		return lookup_error(errno);
	*ret = group->gr_gid;
	return 0;
}

static int take_entry(struct Identity *identity, const struct passwd *entry)
{
	identity->uid = entry->pw_uid;
	if (!identity->has_group)
		identity->gid = entry->pw_gid;
	identity->has_group = true;
	identity->name = strdup(entry->pw_name);
	identity->home = strdup(entry->pw_dir && *entry->pw_dir ? entry->pw_dir : "/");
	identity->shell = strdup(entry->pw_shell && *entry->pw_shell ? entry->pw_shell : "/bin/sh");
	return identity->name && identity->home && identity->shell ? 0 : ENOMEM;
}

static int resolve_user(const char *text, struct Identity *identity)
{
	const struct passwd *entry;
	uint32_t id = 0;
	bool is_number = parse_id(text, &id);

	errno = 0;
	entry = is_number ? getpwuid(id) : getpwnam(text);
	if (entry)
		return take_entry(identity, entry);
	/* A number without an entry is valid only if a group is given. */
	if (!is_number || !identity->has_group)
		return lookup_error(errno);
	identity->uid = id;
	return 0;
}

static int add_database_groups(struct Identity *identity)
{
	int n = 0;

	if (!identity->name)
		return 0;
	(void)getgrouplist(identity->name, identity->gid, NULL, &n); /* sets @n to their number */
	if (n <= 0 || n > MAX_GROUPS)
		return E2BIG;
	identity->groups = reallocarray(NULL, (size_t)n, sizeof(gid_t));
	if (!identity->groups)
		return ENOMEM;
	if (getgrouplist(identity->name, identity->gid, identity->groups, &n) < 0)
		return EAGAIN; /* the database grew in between */
	identity->n_groups = (size_t)n;
	return 0;
}

static int add_supplementary_groups(struct Identity *identity, const struct StringList *names)
{
	gid_t *groups;

	if (names->n == 0)
		return 0;
	groups = reallocarray(identity->groups, identity->n_groups + names->n, sizeof(gid_t));
	if (!groups)
		return ENOMEM;
	identity->groups = groups;
	for (size_t i = 0; i < names->n; i++) {
		int error = resolve_group(names->items[i], &groups[identity->n_groups]);

		if (error)
			return error;
		identity->n_groups++;
	}
	return 0;
}

int identity_resolve(const struct Spec *spec, struct Identity *ret)
{
	int error = 0;

	memset(ret, 0, sizeof(*ret));
	if (spec->group) {
		error = resolve_group(spec->group, &ret->gid);
		ret->has_group = true;
	}
	if (!error && spec->user) {
		error = resolve_user(spec->user, ret);
		ret->has_user = true;
	}
	if (!error)
		error = add_database_groups(ret);
	if (!error)
		error = add_supplementary_groups(ret, &spec->supplementary);
	/* Root's supplementary groups are dropped for every other user. */
	ret->has_groups = ret->has_user || ret->n_groups > 0;
	return error;
}

int identity_environment(const struct Identity *identity, struct Environment *environment)
{
	const struct {
		const char *name;
		const char *value;
	} pairs[] = {
		{ "HOME", identity->home },
		{ "USER", identity->name },
		{ "LOGNAME", identity->name },
		{ "SHELL", identity->shell },
	};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		int error = pairs[i].value ? environment_set_pair(environment, pairs[i].name,
								  pairs[i].value) :
					     0;

		if (error)
			return error;
	}
	return 0;
}

int identity_assume(const struct Identity *identity)
{
	if (identity->has_groups && setgroups(identity->n_groups, identity->groups) < 0)
		return errno;
	if (identity->has_group && setresgid(identity->gid, identity->gid, identity->gid) < 0)
		return errno;
	if (identity->has_user && setresuid(identity->uid, identity->uid, identity->uid) < 0)
		return errno;
	if ((identity->has_group && getegid() != identity->gid) ||
	    (identity->has_user && geteuid() != identity->uid))
		return EPERM;
	return 0;
}
