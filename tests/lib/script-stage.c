/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Script stage: a service of Type=script with a script from the test.
 */
#include "config.h"

#include "tests/lib/script-stage.h"

#include <check.h>
#include <stdlib.h>

/*
 * Each action is one branch of a case statement, and each call is logged. "keep" starts a process
 * in the background and writes its pid to a file. The file is renamed into its place, because a
 * test reads it as soon as it exists.
 */
static const char script_head[] =
	"cd $(dirname $0)\n"
	"echo $1 >>log\n"
	"keep() { sleep 1000 & echo $! >.$1; mv .$1 $1; }\n"
	"end() { kill $(cat $1); rm $1; }\n"
	"end_and_wait() { p=$(cat $1); end $1; while kill -0 $p 2>&-; do sleep 0.02; done; }\n"
	"case $1 in\n";

static const char script_keys[] =
	"[Service]\nType=script\nSuccessStatus=5 6\n"
	"Exec=/bin/sh {DIR}/script start\nStop=/bin/sh {DIR}/script stop\n"
	"Reload=/bin/sh {DIR}/script reload\nRestartCommand=/bin/sh {DIR}/script restart\n";

static Stage *script_set_exactly(const char *branches, const char *further_keys)
{
	g_autofree char *keys = g_strconcat(script_keys, further_keys, NULL);
	g_autofree char *script = g_strconcat(script_head, branches, "esac\n", NULL);
	Stage *stage = stage_set_in_directory(keys);

	tree_write(stage->tree, "/script", script);
	return stage;
}

Stage *script_set(const char *branches, const char *further_keys)
{
	g_autofree char *keys = g_strconcat("PidFile={DIR}/pid\n", further_keys, NULL);

	return script_set_exactly(branches, keys);
}

Stage *script_new_without_pid_file(const char *branches)
{
	Stage *stage = script_set_exactly(branches, "");

	stage_start(stage);
	return stage;
}

Stage *script_new(const char *branches, const char *further_keys)
{
	Stage *stage = script_set(branches, further_keys);

	stage_start(stage);
	return stage;
}

pid_t pid_in(const Stage *stage, const char *path)
{
	g_autofree char *text = read_text(stage, path);

	return (pid_t)atoi(text);
}

bool has_main_of(const Stage *stage, const char *path)
{
	return has_file(stage, path) &&
	       supervisor_main_pid(stage->supervisor) == pid_in(stage, path);
}

Stage *script_new_up(const char *branches, const char *further_keys)
{
	Stage *stage = script_new(branches, further_keys);

	expect_event(stage, "ready");
	run_until(stage, has_main_of, "/pid");
	return stage;
}

static bool has_main(const Stage *stage, const char *what)
{
	(void)what;
	return supervisor_main_pid(stage->supervisor) > 0;
}

void script_let_go(Stage *stage)
{
	expect_event(stage, "ready");
	run_until(stage, has_main, "a main process");
	touch_file(stage, "/go");
}

Stage *script_new_without_cgroups(const char *branches)
{
	Stage *stage = script_set(branches, "");

	stage->context.cgroup_root = NULL;
	stage_start(stage);
	return stage;
}

void expect_calls(const Stage *stage, const char *calls)
{
	g_autofree char *log = g_strdelimit(read_text(stage, "/log"), "\n", ' ');

	ck_assert_str_eq(log, calls);
}
