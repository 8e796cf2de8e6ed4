/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libseccomp, loaded only when a service has a system call filter: svc-exec links only libc, and
 * most machines and services need no filter.
 */
#ifndef SVCD_SANDBOX_SECCOMP_LIBRARY_H
#define SVCD_SANDBOX_SECCOMP_LIBRARY_H

#include <seccomp.h>

/* The functions in use, seccomp(3); the types are those of <seccomp.h>. */
struct SeccompLibrary {
	scmp_filter_ctx (*init)(uint32_t default_action);
	void (*release)(scmp_filter_ctx filter);
	int (*load)(const scmp_filter_ctx filter);
	int (*attr_set)(scmp_filter_ctx filter, enum scmp_filter_attr attribute, uint32_t value);
	int (*arch_add)(scmp_filter_ctx filter, uint32_t arch);
	int (*arch_remove)(scmp_filter_ctx filter, uint32_t arch);
	uint32_t (*arch_native)(void);
	int (*resolve_name)(const char *name);
	int (*rule_add_array)(scmp_filter_ctx filter, uint32_t action, int call, unsigned n,
			      const struct scmp_arg_cmp *args);
};

/* Returns: 0, ENOPKG if it is not installed, ELIBBAD if the version is incompatible. */
int seccomp_library_open(struct SeccompLibrary *ret);

#endif
