/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libseccomp: loads the library by dlopen(3), and looks up each function by name.
 */
#include "config.h"

#include "sandbox/seccomp-library.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

#define LIBRARY "libseccomp.so.2"

static const struct {
	const char *name;
	size_t offset;
} functions[] = {
	{ "seccomp_init", offsetof(struct SeccompLibrary, init) },
	{ "seccomp_release", offsetof(struct SeccompLibrary, release) },
	{ "seccomp_load", offsetof(struct SeccompLibrary, load) },
	{ "seccomp_attr_set", offsetof(struct SeccompLibrary, attr_set) },
	{ "seccomp_arch_add", offsetof(struct SeccompLibrary, arch_add) },
	{ "seccomp_arch_remove", offsetof(struct SeccompLibrary, arch_remove) },
	{ "seccomp_arch_native", offsetof(struct SeccompLibrary, arch_native) },
	{ "seccomp_syscall_resolve_name", offsetof(struct SeccompLibrary, resolve_name) },
	{ "seccomp_rule_add_array", offsetof(struct SeccompLibrary, rule_add_array) },
};

int seccomp_library_open(struct SeccompLibrary *ret)
{
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);

	if (!library)
		return ENOPKG;
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		void *function = dlsym(library, functions[i].name);

		if (!function)
			return ELIBBAD;
		memcpy((char *)ret + functions[i].offset, &function, sizeof(function));
	}
	return 0;
}
