/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Scheduling: three system calls, and the weight of the session (sched(7), "The autogroup
 * feature").
 */
#include "config.h"

#include "exec/scheduling.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/ioprio.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * Each session has an equal share of the processors, whatever the policy of its processes is, so
 * the session gets the lowest weight. Kernels without autogroups lack the file.
 */
static void yield_session(void)
{
	int fd = open("/proc/self/autogroup", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	(void)!write(fd, "19", 2);
	(void)close(fd);
}

int scheduling_apply(const struct Spec *spec, struct Failure *failure)
{
	const struct sched_param parameters = { .sched_priority = (int)spec->cpu_priority };

	if (spec_has(spec, EXEC_SPEC_CPU) &&
	    sched_setaffinity(0, sizeof(spec->cpus), &spec->cpus) < 0)
		return failure_set(failure, errno, "CPUAffinity=: cannot set the processors");
	if (spec_has(spec, EXEC_SPEC_CPU_POLICY) &&
	    sched_setscheduler(0, (int)spec->cpu_policy, &parameters) < 0)
		return failure_set(failure, errno, "CPUSchedulingPolicy=: cannot set the policy");
	if (spec_has(spec, EXEC_SPEC_CPU_POLICY) && spec->cpu_policy == SCHED_IDLE)
		yield_session();
	if (spec_has(spec, EXEC_SPEC_IO_PRIORITY) &&
	    syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, spec->io_priority) < 0)
		return failure_set(failure, errno, "IOSchedulingClass=: cannot set the class");
	return 0;
}
