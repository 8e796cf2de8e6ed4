/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Verbs: the functions in the table, by file.
 */
#ifndef SVCD_TOOLS_VERBS_H
#define SVCD_TOOLS_VERBS_H

#include "tools/svc-worker/worker.h"

/* verb-listen.c */
void verb_listen(WorkerRequest *request);
void verb_unlisten(WorkerRequest *request);

/* verb-path.c; the verbs are described in providers/path.h. */
void path_watch(WorkerRequest *request);
void path_cancel(uint64_t id);

/* verb-devices.c; the verbs are described in providers/udev-reader.h. */
void verb_list_devices(WorkerRequest *request);
void verb_look_at_devices(WorkerRequest *request);
void verb_announce_device(WorkerRequest *request);

/* verb-network.c; the verb is described in loop/netlink.h. */
void verb_list_network(WorkerRequest *request);

/* verb-datagrams.c */
void verb_eat(WorkerRequest *request);

/* verb-processes.c */
void verb_find_main(WorkerRequest *request);
void verb_has_process(WorkerRequest *request);
void verb_name_processes(WorkerRequest *request);

/* verb-run-files.c */
void verb_initctl(WorkerRequest *request);
void verb_take_file(WorkerRequest *request);

/* verb-cgroups.c */
void verb_cgroup_signal(WorkerRequest *request);
void verb_cgroup_clear(WorkerRequest *request);

#endif
