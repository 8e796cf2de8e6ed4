/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Any bytes as a bundle of files: refused with a reason, or loaded.
 */
#include "config.h"

#include "config/gather.h"
#include "config/loader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autoptr(GBytes) bytes = g_bytes_new(data, size);
	g_autoptr(GError) error = NULL;
	g_autoptr(Bundle) bundle = bundle_parse(bytes, &error);
	g_autoptr(Configuration) configuration = NULL;

	g_assert((bundle == NULL) == (error != NULL));
	if (!bundle)
		return 0;
	g_assert(!bundle_is_open(bundle) && bundle_began_us(bundle) >= 0);
	configuration =
		configuration_load(&(LoaderOptions){ .any_owner = true, .bundle = bundle }, NULL);
	g_assert(configuration->set && configuration->policy);
	return 0;
}
