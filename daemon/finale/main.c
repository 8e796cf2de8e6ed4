/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * svc-finale: the last steps of a shutdown, which may hang, so PID 1 does not do them itself.
 *
 * 	svc-finale processes machine|user CGROUP-ROOT [PID...]    ends all processes except PID...
 * 	svc-finale file-systems                                   sync, swapoff, unmount, read-only
 *
 * With "user" only processes that descend from the keeper are ended.
 *
 * Any of these steps can hang for ever, on a dead disk or server, or because a user holds the lock
 * of /proc. PID 1 waits for a limited time and goes on (docs/keeper.md, "Finale").
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "finale/file-systems.h"
#include "finale/remaining-processes.h"

#define MAX_SPARED 32

static int end_processes(int argc, char **argv)
{
	pid_t spared[MAX_SPARED];
	struct Finale finale = {
		.is_user = strcmp(argv[2], "user") == 0,
		.cgroup_root = argv[3],
		.spared = spared,
	};

	for (int i = 4; i < argc && finale.n_spared < MAX_SPARED; i++)
		spared[finale.n_spared++] = atoi(argv[i]);
	remaining_processes_end(&finale);
	return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	if (argc >= 4 && strcmp(argv[1], "processes") == 0)
		return end_processes(argc, argv);
	if (argc >= 2 && strcmp(argv[1], "file-systems") == 0) {
		file_systems_end();
		return EXIT_SUCCESS;
	}
	(void)fprintf(stderr,
		      "svc-finale: only PID 1 starts this program, at the end of a shutdown\n");
	return 2;
}
