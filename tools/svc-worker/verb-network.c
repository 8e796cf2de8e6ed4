/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Verb network: a list of links or routes, in a memfd. The call may block, because a user can hold
 * the lock that the kernel takes for it.
 */
#include "config.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/errors.h"
#include "base/fd.h"
#include "loop/netlink.h"
#include "tools/svc-worker/verbs.h"
#include "tools/svc-worker/worker.h"

/* TYPE FAMILY */
void verb_list_network(WorkerRequest *request)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(GByteArray) list = NULL;
	auto_fd int fd = memfd_create("network", MFD_CLOEXEC);

	if (request->n_fields == 3)
		list = netlink_dump((uint16_t)atoi(request->fields[1]),
				    (uint8_t)atoi(request->fields[2]), &error);
	if (list && (!fd_write_all(fd, list->data, list->len) || lseek(fd, 0, SEEK_SET) < 0))
		fail_errno(&error, errno, "cannot hand over the list of links and routes");
	if (list && !error)
		worker_answer(request->id, fd, WORKER_DONE, NULL);
	else
		worker_answer(request->id, -1, WORKER_FAILED,
			      error ? error->message : "two arguments are required", NULL);
}
