/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * SysV: requests of tools through /run/initctl. The keeper keeps its descriptor, so that no request
 * is lost if a manager dies.
 */
#include "config.h"

#include "base/fd.h"
#include "base/log.h"
#include "manager/manager.h"

static const Requester initctl_asks = { .uid = 0, .source = "initctl" }; /* the fifo does not show the sender */

static void change_runlevel(Manager *m, const char *runlevel)
{
	g_autoptr(GError) error = NULL;
	bool done;

	if (*runlevel == '0')
		done = power_shutdown(m, m->is_halt_asked ? SHUTDOWN_HALT : SHUTDOWN_POWEROFF, &initctl_asks, &error);
	else
		done = requests_set_runlevel(m, runlevel, &initctl_asks, &error);
	if (!done)
		log_warning(NULL, "runlevel %s, asked through %s: %s", runlevel, INITCTL_PATH, error->message);
}

static void on_ask(void *data, const InitctlMeaning *meaning)
{
	Manager *m = data;

	switch (meaning->ask) {
	case ASK_NOTHING:
		break;
	case ASK_RUNLEVEL:
		change_runlevel(m, meaning->runlevel);
		break;
	case ASK_RELOAD:
		files_load(m);
		break;
	case ASK_REEXEC:
		log_notice(NULL, "replacing itself, asked through %s", INITCTL_PATH);
		keeper_link_reexec(m->link);
		break;
	case ASK_POWER_FAIL:
		power_on_supply(m, POWER_SUPPLY_FAILED);
		break;
	case ASK_POWER_FAIL_NOW:
		power_on_supply(m, POWER_SUPPLY_LOW);
		break;
	case ASK_POWER_OK:
		power_on_supply(m, POWER_SUPPLY_BACK);
		break;
	case ASK_HALT_KIND:
		m->is_halt_asked = meaning->is_halt;
		break;
	}
}

static void serve(Manager *m, int fd)
{
	initctl_free(m->initctl);
	m->initctl = initctl_new(fd, on_ask, m);
}

/* @fd: new; -1: it cannot be opened, because of @problem. */
static void opened(Manager *m, int fd, const char *problem)
{
	if (fd < 0) {
		log_error(NULL, "telinit and shutdown cannot reach svcd: %s", problem);
		return;
	}
	keeper_link_keep(m->link, SYSV_KEPT_FIFO, fd);
	serve(m, fd);
}

static void on_opened(void *data, const char *const *words, unsigned n_words, int fd)
{
	opened(data, fd, n_words > 1 ? words[1] : "svc-worker has not opened it");
}

static void on_open_lost(void *data, const char *why)
{
	opened(data, -1, why);
}

void sysv_open(Manager *m)
{
	static const WorkerListener listener = { .answer = on_opened, .lost = on_open_lost };
	static const char *const words[] = { "initctl", INITCTL_PATH };

	if (m->welcome.flags & WELCOME_IS_PID1)
		(void)worker_job_new(m->workers, "run", words, G_N_ELEMENTS(words), NULL, 0, &listener, m);
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
