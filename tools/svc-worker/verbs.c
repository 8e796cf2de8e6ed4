/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Verbs: the table of the verbs of svc-worker. Each verb has its own file.
 */
#include "config.h"

#include "loop/netlink.h"
#include "providers/path.h"
#include "providers/udev-reader.h"
#include "tools/svc-worker/verbs.h"
#include "tools/svc-worker/worker.h"

/* Answers at once: shows whether the program can be executed, and serves tests. */
static void echo(WorkerRequest *request)
{
	worker_answer(request->id, -1, WORKER_DONE, request->n_fields > 1 ? request->fields[1] : "",
		      NULL);
}

const WorkerVerb worker_verbs[] = {
	{ "eat", verb_eat, NULL },
	{ "find-main", verb_find_main, NULL },
	{ "has-process", verb_has_process, NULL },
	{ "name-processes", verb_name_processes, NULL },
	{ "initctl", verb_initctl, NULL },
	{ "take-file", verb_take_file, NULL },
	{ "cgroup-signal", verb_cgroup_signal, NULL },
	{ "cgroup-clear", verb_cgroup_clear, NULL },
	{ UDEV_VERB_ANNOUNCE, verb_announce_device, NULL },
	{ UDEV_VERB_LIST, verb_list_devices, NULL },
	{ UDEV_VERB_LOOK, verb_look_at_devices, NULL },
	{ "echo", echo, NULL },
	{ "listen", verb_listen, NULL },
	{ NETLINK_VERB_LIST, verb_list_network, NULL },
	{ "unlisten", verb_unlisten, NULL },
	{ PATH_VERB_WATCH, path_watch, path_cancel },
	{ NULL, NULL, NULL },
};
