/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * SysV: requests from tools through the fifo /run/initctl. The keeper keeps the fifo open, so that
 * no request is lost if a manager dies.
 */
#include "config.h"

#include "base/fd.h"
#include "base/log.h"
#include "manager/manager.h"

static Initctl *initctl; /* NULL: not PID 1, or there is no /run */
static bool is_halt_requested; /* the next runlevel 0 leaves the power on */

/* the fifo does not show the sender */
static const Requester initctl_requester = { .uid = 0, .source = "initctl" };

static void change_runlevel(Manager *m, const char *runlevel)
{
	g_autoptr(GError) error = NULL;
	bool done;

	if (*runlevel == '0')
		done = power_shutdown(m, is_halt_requested ? SHUTDOWN_HALT : SHUTDOWN_POWEROFF,
				      &initctl_requester, &error);
	else
		done = requests_set_runlevel(m, runlevel, &initctl_requester, &error);
	if (!done)
		log_warning(NULL, "runlevel %s, requested through %s: %s", runlevel, INITCTL_PATH,
			    error->message);
}

static void on_request(void *data, const InitctlMeaning *meaning)
{
	Manager *m = data;

	switch (meaning->action) {
	case INITCTL_ACTION_NOTHING:
		break;
	case INITCTL_ACTION_RUNLEVEL:
		change_runlevel(m, meaning->runlevel);
		break;
	case INITCTL_ACTION_RELOAD:
		files_load(m);
		break;
	case INITCTL_ACTION_REEXEC:
		log_notice(NULL, "executing svcd again, requested through %s", INITCTL_PATH);
		keeper_link_reexec(m->link);
		break;
	case INITCTL_ACTION_POWER_FAIL:
		power_on_supply(m, POWER_SUPPLY_FAILED);
		break;
	case INITCTL_ACTION_POWER_FAIL_NOW:
		power_on_supply(m, POWER_SUPPLY_LOW);
		break;
	case INITCTL_ACTION_POWER_OK:
		power_on_supply(m, POWER_SUPPLY_BACK);
		break;
	case INITCTL_ACTION_HALT_KIND:
		is_halt_requested = meaning->is_halt;
		break;
	}
}

static void serve(Manager *m, int fd)
{
	initctl_free(initctl);
	initctl = initctl_new(fd, on_request, m);
}

/* @fd: the new descriptor; -1: the fifo cannot be opened, because of @problem. */
static void opened(Manager *m, int fd, const char *problem)
{
	if (fd < 0) {
		log_error(NULL, "telinit and shutdown cannot reach svcd: %s", problem);
		return;
	}
	keeper_link_keep(m->link, SYSV_KEPT_FIFO, fd);
	serve(m, fd);
}

static void on_opened(void *data, const char *const *fields, unsigned n_fields, int fd)
{
	opened(data, fd, n_fields > 1 ? fields[1] : "svc-worker has not opened it");
}

static void on_open_lost(void *data, const char *why)
{
	opened(data, -1, why);
}

void sysv_open(Manager *m)
{
	static const WorkerListener listener = { .answer = on_opened, .lost = on_open_lost };
	static const char *const fields[] = { "initctl", INITCTL_PATH };

	if (m->welcome.flags & WELCOME_IS_PID1)
		(void)worker_job_new(m->workers, "run", fields, G_N_ELEMENTS(fields), NULL, 0,
				     &listener, m);
}

void sysv_serve(Manager *m, int kept_fd)
{
	g_autoptr(GError) error = NULL;
	int fd = kept_fd;

	if (!(m->welcome.flags & WELCOME_IS_PID1)) {
		fd_close(&fd);
	} else if (fd >= 0) {
		serve(m, fd);
	} else {
		fd = initctl_open(INITCTL_PATH, &error);
		opened(m, fd, error ? error->message : NULL);
	}
}
