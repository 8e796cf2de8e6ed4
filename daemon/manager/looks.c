/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Looks: svc-look, which looks at paths that may not answer. There are as many of it as there are such mounts with a path: condition;
 * those of another manager end by themselves, for nobody reads what they say.
 */
#include "config.h"

#include "base/log.h"
#include "manager/manager.h"

uint64_t looks_start(void *manager, int input, int output)
{
	static const char *const argv[] = { SVCD_LIBDIR "/svc-look", NULL };
	Manager *m = manager;
	g_autoptr(GError) error = NULL;
	const uint64_t invocation =
		helper_spawn(m, &look_helper, &(HelperRun){ .argv = argv, .input_fd = input, .output_fd = output }, &error);

	if (invocation == 0)
		log_warning(NULL, "%s", error->message);
	return invocation;
}

static void on_spawned(Manager *m, const struct MessageSpawned *message)
{
	if (!message->error)
		return;
	log_warning(NULL, "svc-look cannot be started: %s", g_strerror(message->error));
	if (m->registry)
		registry_look_ended(m->registry, message->id.invocation);
}

static void on_exited(Manager *m, const struct MessageExited *message)
{
	if (m->registry)
		registry_look_ended(m->registry, message->id.invocation);
}

const Helper look_helper = { .service = ".look", .spawned = on_spawned, .exited = on_exited };
