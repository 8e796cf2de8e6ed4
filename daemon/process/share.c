/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Share: small writes to small files. If one fails, the service has the share that all others have.
 */
#include "config.h"

#include "process/share.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "process/resources.h"

/* Weights of processors and disks, and what they are if nobody says. */
static const struct {
	Resource resource;
	const char *low;
	const char *normal;
} weights[] = {
	{ RESOURCE_CPU_WEIGHT, G_STRINGIFY(SHARE_LOW_WEIGHT), "100" },
	{ RESOURCE_IO_WEIGHT, "default " G_STRINGIFY(SHARE_LOW_WEIGHT), "default 100" },
};

/* Is a weight to be had? Found out with the first group. */
typedef enum Use { USE_UNKNOWN, USE_YES, USE_NO } Use;

struct Share {
	char *root;
	Use use[G_N_ELEMENTS(weights)];
	bool was_enabled[G_N_ELEMENTS(weights)]; /* before that, and so is to stay */
	bool is_needed[G_N_ELEMENTS(weights)];   /* by services themselves */
};

Share *share_new(const char *root)
{
	Share *share = g_new0(Share, 1);

	share->root = g_strdup(root);
	return share;
}

void share_free(Share *share)
{
	if (!share)
		return;
	g_free(share->root);
	g_free(share);
}

static const char *own_value(const ResourceDef *resources, Resource resource)
{
	return resources ? resources->values[resource] : NULL;
}

/* "50", "default 50" */
static bool is_low(const char *value)
{
	const char *number = value + strcspn(value, "0123456789");

	return g_ascii_strtoull(number, NULL, 10) <= SHARE_LOW_WEIGHT;
}

static void try_first(Share *share, size_t i, const char *group)
{
	share->was_enabled[i] = resources_is_enabled(share->root, resource_controller(weights[i].resource));
	share->use[i] = resources_set(weights[i].resource, weights[i].low, NULL, share->root, group, NULL) ? USE_YES : USE_NO;
}

void share_lower(Share *share, const ResourceDef *resources, const char *group)
{
	if (!share->root)
		return;
	for (size_t i = 0; i < G_N_ELEMENTS(weights); i++) {
		const char *own = own_value(resources, weights[i].resource);

		if (own && is_low(own))
			continue;
		if (share->use[i] == USE_UNKNOWN)
			try_first(share, i, group);
		else if (share->use[i] == USE_YES)
			resources_write(weights[i].resource, weights[i].low, group);
	}
}

void share_make_idle(const char *group)
{
	g_autofree char *path = g_build_filename(group, "cpu.idle", NULL);
	auto_fd int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd >= 0)
		(void)!write(fd, "1", 1); /* it then has what its weight gives it */
}

void share_restore(Share *share, const ResourceDef *resources, const char *group)
{
	for (size_t i = 0; share->root && i < G_N_ELEMENTS(weights); i++) {
		const char *own = own_value(resources, weights[i].resource);

		share->is_needed[i] |= own || (i == 0 && own_value(resources, RESOURCE_CPU_QUOTA));
		resources_write(weights[i].resource, own ? own : weights[i].normal, group);
	}
}

void share_end(Share *share)
{
	for (size_t i = 0; i < G_N_ELEMENTS(weights); i++) {
		const char *controller = resource_controller(weights[i].resource);

		if (share->use[i] == USE_UNKNOWN || share->was_enabled[i] || share->is_needed[i])
			continue;
		if (resources_is_enabled(share->root, controller))
			resources_disable(share->root, controller);
	}
	memset(share->use, 0, sizeof share->use);
	memset(share->is_needed, 0, sizeof share->is_needed);
}
