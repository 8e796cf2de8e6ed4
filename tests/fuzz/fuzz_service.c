/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzz target: a service file of any bytes, as a plain service, as an instance and as a drop-in,
 * and the later checks.
 */
#include "config.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/limits.h"
#include "model/check.h"
#include "model/service-parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char plain[] =
		"[Service]\nExec=/bin/x\n[Conditions]\nAfter=x t@1\nWhen=service:x\n";
	g_autofree char *text = g_malloc0(size + 1);
	g_autoptr(ServiceSet) set = service_set_new();
	g_autoptr(Policy) policy = policy_new();
	g_autoptr(DiagList) diags = diag_list_new();
	SourceText sources[2] = { { .file = "x.svc", .length = size },
				  { .file = "x.conf", .length = size } };

	if (size > LIMIT_FILE_BYTES)
		return 0;
	if (size > 0)
		memcpy(text, data, size);
	sources[0].text = sources[1].text = text;
	service_set_add(set, service_parse("x", sources, 1, diags));
	service_set_add(set, service_parse("t@1", sources, 1, diags));
	sources[0].text = plain;
	sources[0].length = sizeof plain - 1;
	service_set_add(set, service_parse("y", sources, 2, diags));
	check_set(set, policy, diags);
	diag_list_sort(diags);
	for (unsigned i = 0; i < diag_list_length(diags); i++)
		g_free(diag_format(diag_list_get(diags, i)));
	/* A service with an error is disabled, and only such a service. */
	for (unsigned i = 0; i < service_set_length(set); i++) {
		const ServiceDef *def = g_ptr_array_index(service_set_list(set), i);

		g_assert(!def->problem || diag_list_count_errors(diags) > 0);
		g_assert(def->problem || def->exec || def->type == TYPE_GROUP);
	}
	return 0;
}
