/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Verb listen: opens the sockets of services, and removes the files of closed ones.
 *
 * listen ADDRESS KIND KEY=VALUE... (model/socket-fields.h) answers with a new socket. With the
 * descriptor of a kept socket it answers "done same" if clients can still reach that socket.
 *
 * unlisten remove|leave shuts down the socket that is sent with it, so clients are refused at once,
 * not only after the last descriptor is closed. With "remove" the socket's file is removed, too.
 */
#include "config.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fd.h"
#include "config/accounts.h"
#include "model/socket-fields.h"
#include "process/listening.h"
#include "tools/svc-worker/verbs.h"

static int open_socket(const SocketDef *def, GError **error)
{
	ListenOwner owner = { .uid = geteuid(), .gid = getegid() };

	if (!accounts_find(&accounts_of_machine, def->user, def->group, &owner.uid, &owner.gid,
			   error))
		return -1;
	return listening_open(g_ptr_array_index(def->listens, 0), def, &owner, error);
}

static bool is_intact(int fd, const Listen *listen)
{
	if (fd < 0)
		return false;
	if (listening_is_intact(fd, listen))
		return true;
	/* The old socket's file may block the path of the new socket. */
	if (listen_has_file(listen))
		listening_remove_file(fd, listen->text);
	return false;
}

void verb_listen(WorkerRequest *request)
{
	SocketDef *def = socket_fields_read(request->fields + 1, request->n_fields - 1);
	/* closed after the answer is sent, because the close may hang */
	auto_fd int kept = worker_message_take_fd(request);
	auto_fd int fd = -1;
	g_autoptr(GError) error = NULL;

	if (!def)
		worker_answer(request->id, -1, WORKER_FAILED,
			      "svc-worker does not understand the definition of the socket", NULL);
	else if (is_intact(kept, g_ptr_array_index(def->listens, 0)))
		worker_answer(request->id, -1, WORKER_DONE, SOCKET_IS_SAME, NULL);
	else if ((fd = open_socket(def, &error)) < 0)
		worker_answer(request->id, -1, WORKER_FAILED, error->message, NULL);
	else
		worker_answer(request->id, fd, WORKER_DONE, NULL);
	socket_def_free(def);
}

void verb_unlisten(WorkerRequest *request)
{
	auto_fd int fd = worker_message_take_fd(request);
	const bool removes = request->n_fields > 1 && strcmp(request->fields[1], "remove") == 0;
	g_autofree char *path = fd >= 0 && removes ? listening_path(fd) : NULL;

	if (path)
		listening_remove_file(fd, path);
	if (fd >= 0)
		/* a fifo or a datagram socket has nothing to shut down */
		(void)shutdown(fd, SHUT_RDWR);
	worker_answer(request->id, -1, WORKER_DONE, NULL);
}
