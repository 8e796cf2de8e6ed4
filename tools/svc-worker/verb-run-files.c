/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Verb run files: operations in /run itself. They may block, because every user can hold that
 * directory's lock.
 *
 * 	initctl PATH   -> done, with the descriptor of the fifo
 * 	take-file PATH -> done TEXT    of a short file, which is removed
 */
#include "config.h"

#include <unistd.h>

#include "base/fd.h"
#include "sysv/initctl.h"
#include "tools/svc-worker/verbs.h"
#include "tools/svc-worker/worker.h"

void verb_initctl(WorkerRequest *request)
{
	g_autoptr(GError) error = NULL;
	auto_fd int fd = request->n_fields == 2 ? initctl_open(request->fields[1], &error) : -1;

	worker_answer(request->id, fd, fd >= 0 ? WORKER_DONE : WORKER_FAILED,
		      error ? error->message : "", NULL);
}

void verb_take_file(WorkerRequest *request)
{
	g_autoptr(GBytes) bytes =
		request->n_fields == 2 ? file_read_bounded(request->fields[1], 16, NULL) : NULL;
	g_autofree char *text =
		bytes ? g_strndup(g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes)) :
			g_strdup("");

	if (request->n_fields == 2)
		(void)unlink(request->fields[1]); /* the file is for this event only */
	worker_answer(request->id, -1, WORKER_DONE, text, NULL);
}
