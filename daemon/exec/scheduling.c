/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Scheduling: three system calls.
 */
#include "config.h"

#include "exec/scheduling.h"

#include <errno.h>
#include <linux/ioprio.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

int scheduling_apply(const struct Spec *spec, struct Failure *failure)
{
	const struct sched_param parameters = { .sched_priority = (int)spec->cpu_priority };

	if (spec_has(spec, EXEC_SPEC_CPU) && sched_setaffinity(0, sizeof(spec->cpus), &spec->cpus) < 0)
		return failure_set(failure, errno, "CPUAffinity=: cannot keep to these processors");
	if (spec_has(spec, EXEC_SPEC_CPU_POLICY) && sched_setscheduler(0, (int)spec->cpu_policy, &parameters) < 0)
		return failure_set(failure, errno, "CPUSchedulingPolicy=: cannot set it");
	if (spec_has(spec, EXEC_SPEC_IO_PRIORITY) && syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, spec->io_priority) < 0)
		return failure_set(failure, errno, "IOSchedulingClass=: cannot set it");
	return 0;
}
