/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Process event: turns a report about a service's processes into an event of the table, and stores
 * its results.
 */
#include "config.h"

#include "engine/engine-private.h"

static void replace_text(char **text, const char *by)
{
	g_free(*text);
	*text = g_strdup(by);
}

static void set_result(Service *s, const ProcessEvent *event)
{
	/* A stop after a failure must not replace the result of the failure. */
	if (s->state == STATE_STOPPING && !s->priv->run.is_stop_ordered && s->result)
		return;
	run_set_result(s, event->kind == PROCESS_EXITED && event->success, event->is_refused,
		       event->text ? g_strdup(event->text) :
				     g_strdup_printf("exit status %d", event->status));
}

/* Did @s complete its work, with no process left that should keep running? */
static bool has_done_its_work(const Service *s, const ProcessEvent *event)
{
	if (service_type(s) != TYPE_SCRIPT)
		return service_type(s) == TYPE_TASK && event->success;
	return event->is_done && (s->state == STATE_STARTING || s->def->restart != RESTART_ALWAYS);
}

static void on_health(Service *s, const ProcessEvent *event)
{
	const Health before = s->health;

	if (!service_is_up(s))
		return; /* the report came too late */
	s->health = event->success ? HEALTH_HEALTHY : HEALTH_UNHEALTHY;
	g_free(s->health_text);
	s->health_text = event->success ? NULL :
					  g_strdup(event->text ? event->text : "no reason given");
	if (s->health == HEALTH_UNHEALTHY)
		service_remark(s, g_strdup_printf("unhealthy: %s", s->health_text));
	else if (before == HEALTH_UNHEALTHY)
		service_remark(s, g_strdup("healthy again"));
	engine_queue(s, WORK_LEVEL);
}

static void on_exited(Service *s, const ProcessEvent *event)
{
	set_result(s, event);
	s->main_pid = 0;
	if (event->is_restart)
		run_set_stop_ordered(s, true);
	if (has_done_its_work(s, event))
		service_apply(s, EVENT_SUCCEEDED, g_strdup(s->result));
	else
		service_apply(s, EVENT_EXITED, g_strdup(s->result));
}

static void on_start_failed(Service *s, const ProcessEvent *event)
{
	set_result(s, event);
	service_apply(s, EVENT_START_FAILED, g_strdup(s->result));
}

/*
 * The service is up as before, and the services that stopped for it return. The command's output is
 * kept out of the history.
 */
static void on_stop_failed(Service *s, const ProcessEvent *event)
{
	const char *text = event->text ? event->text : "no reason given";

	if (s->state == STATE_STOPPING) {
		g_free(s->stop_problem);
		s->stop_problem = event->output && *event->output ?
					  g_strdup_printf("%s: %s", text, event->output) :
					  g_strdup(text);
		run_set_stop_ordered(s, false);
	}
	service_apply(s, EVENT_STOP_FAILED, g_strdup_printf("its stop failed: %s", text));
}

void process_event_apply(Service *s, const ProcessEvent *event)
{
	Engine *engine = s->priv->engine;

	switch (event->kind) {
	case PROCESS_STARTED:
	case PROCESS_MAIN_PID:
		s->main_pid = service_is_active(s) ? event->pid : 0;
		break;
	case PROCESS_READY:
		service_apply(s, EVENT_READY, g_strdup("it is ready"));
		break;
	case PROCESS_START_FAILED:
		on_start_failed(s, event);
		break;
	case PROCESS_EXITED:
		on_exited(s, event);
		break;
	case PROCESS_STOPPING:
		service_apply(s, EVENT_STOPS_ITSELF, g_strdup("it stops by itself"));
		break;
	case PROCESS_RELOADED:
		run_end_reload(s, NULL);
		break;
	case PROCESS_RELOAD_FAILED:
		run_end_reload(s, event->text ? event->text : "no reason given");
		break;
	case PROCESS_RESTARTED:
		run_end_restart(s, NULL);
		break;
	case PROCESS_RESTART_FAILED:
		run_end_restart(s, event->text ? event->text : "no reason given");
		break;
	case PROCESS_STATUS:
		replace_text(&s->status_text, event->text);
		break;
	case PROCESS_RESOURCES:
		replace_text(&s->resource_problem, event->text);
		break;
	case PROCESS_HEALTH:
		on_health(s, event);
		break;
	case PROCESS_STOP_FAILED:
		on_stop_failed(s, event);
		break;
	case PROCESS_CHECKED:
	case PROCESS_PHASE:
	case PROCESS_COUNT:
		break;
	case PROCESS_GONE:
		if (service_is_active(s) && s->state != STATE_DONE)
			run_end(s);
		return;
	}
	engine->ops.changed(engine->data, s);
}
