/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Helper: our own programs for operations that may block (disks, locks). The keeper runs them like
 * services, and reports them under names that no service can have.
 */
#include "config.h"

#include <string.h>
#include <unistd.h>

#include "manager/manager.h"

static const Helper *const helpers[] = { &files_helper, &records_helper, &boot_history_helper,
					 &last_success_helper, &changes_helper,
					 &worker_helper };

static const Helper *find_helper(const char *service)
{
	for (size_t i = 0; i < G_N_ELEMENTS(helpers); i++) {
		const Helper *helper = helpers[i];

		if (helper->has_many_rows ? g_str_has_prefix(service, helper->service) :
					    strcmp(helper->service, service) == 0)
			return helper;
	}
	return NULL;
}

uint64_t helper_spawn(Manager *m, const Helper *helper, const HelperRun *run, GError **error)
{
	/* the monotonic time, so the numbers also increase from one manager to the next */
	const uint64_t invocation = run->invocation ? run->invocation : (uint64_t)loop_now();
	const SpawnParameters request = {
		.service = run->row ? run->row : helper->service,
		.role = ROLE_MAIN,
		.invocation = invocation,
		.argv = run->argv,
		.environment = m->context.environment,
		.stdin_fd = run->input_fd >= 0 ? run->input_fd : STDERR_FILENO,
		.stdout_fd = run->output_fd >= 0 ? run->output_fd : STDERR_FILENO,
		.stderr_fd = run->output_fd >= 0 && !run->has_log ? run->output_fd : STDERR_FILENO,
		.cgroup_fd = -1,
		.status_fd = -1,
	};

	return keeper_link_spawn(m->link, &request, error) ? invocation : 0;
}

bool helper_on_spawned(Manager *m, const struct MessageSpawned *message)
{
	const Helper *helper = find_helper(message->id.service);

	if (helper)
		helper->spawned(m, message);
	return helper != NULL;
}

bool helper_on_exited(Manager *m, const struct MessageExited *message)
{
	const Helper *helper = find_helper(message->id.service);

	if (!helper)
		return false;
	keeper_link_ack(m->link, &message->id, NULL);
	helper->exited(m, message);
	return true;
}
