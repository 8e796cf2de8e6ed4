#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Type=script with real init scripts: cron and nginx leave a daemon, procps and kmod leave nothing.

The test's own scripts leave two daemons, or fail to restart. The daemons are found, restarted,
killed and stopped.
"""

from deadline import wait_for
from sandbox import Sandbox


def script(name, *keys):
    path = f"/etc/init.d/{name}"
    lines = ["[Service]", "Type=script", f"Exec={path} start", f"Stop={path} stop", f"Reload={path} reload",
             f"RestartCommand={path} restart", "SuccessStatus=5 6", "KillMode=process", f"Environment=SVCD_SCRIPT={name}"]
    return "\n".join(lines + list(keys)) + "\n"


# A script with two daemons and no pid file. /run/refuse makes its restart fail.
PAIR = """#!/bin/sh
echo "pair $1" >/dev/console
case $1 in
start) setsid sleep 5000 & echo $! >/run/one; setsid sleep 6000 & echo $! >/run/two ;;
stop) kill $(cat /run/one /run/two) ;;
restart) [ ! -e /run/refuse ] || exit 4
	kill $(cat /run/one /run/two); $0 start ;;
esac
"""

# A script that leaves no process, as if it only changed a setting.
SETTER = """#!/bin/sh
echo "setter $1" >/dev/console
"""

SERVICES = {
    "cron": script("cron", "PidFile=/var/run/crond.pid"),
    "nginx": script("nginx", "PidFile=/run/nginx.pid"),
    "procps": script("procps"),
    "kmod": script("kmod"),
    "pair": script("pair"),
    "setter": script("setter"),
    # This service needs three of the scripts. Their restarts must not affect it.
    "leaner": "[Service]\nExec=/bin/sleep infinity\n[Conditions]\nWhile=service:cron\nWhile=service:pair\n"
              "While=service:setter\n",
    "absent": script("absent"),
}

FILES = {
    "/etc/init.d/pair": {"text": PAIR, "mode": 0o755},
    "/etc/init.d/setter": {"text": SETTER, "mode": 0o755},
    "/etc/init.d/absent": {"text": "#!/bin/sh\nexit 5\n", "mode": 0o755},
    "/etc/init.d/broken": {"text": "#!/bin/sh\nexit 2\n", "mode": 0o755},
}


def check_start(box):
    box.wait_states({"cron": "ready", "nginx": "ready", "pair": "ready", "leaner": "ready", "procps": "done", "kmod": "done",
                     "setter": "done", "absent": "done"})
    wait_for(lambda: box.pid("cron") == int(box.read("/run/crond.pid")), what="cron is found by its pid file")
    assert box.read(f"/proc/{box.pid('cron')}/comm").strip() == "cron"
    wait_for(lambda: box.pid("nginx") == int(box.read("/run/nginx.pid")), what="nginx is found by its pid file")
    assert not box.pid("pair")
    assert not box.pid("procps")
    assert "exit status 5 (not installed); it left nothing running" in box.service("absent")["result"]


def check_manager_dies(box):
    pid = box.pid("cron")
    box.kill_manager()
    box.wait_states({"cron": "ready", "pair": "ready", "setter": "done"})
    assert box.pid("cron") == pid
    assert not box.pid("pair")


def check_restart(box):
    before = {name: box.pid(name) for name in ("cron", "leaner")}
    two = box.read("/run/two")
    for name in ("cron", "pair", "setter", "procps"):
        box.svcctl("restart", name)
    wait_for(lambda: box.pid("cron") not in (0, None, before["cron"]), what="the new cron is found")
    assert box.state("pair") == "ready" and box.state("setter") == "done" and box.state("procps") == "done"
    assert box.read("/run/two") != two
    assert box.pid("leaner") == before["leaner"], "a restart by command affected a dependent"

    box.write("/run/refuse", "")
    refused = box.svcctl("restart", "pair", check=False)
    assert refused.returncode != 0
    assert "exit status 4 (insufficient privilege)" in refused.stderr + refused.stdout, refused
    assert box.state("pair") == "ready"
    box.svcctl("reload", "procps", check=False)  # a container may not set all of it


def check_death(box):
    box.kill(box.pid("cron"))
    box.wait_state("cron", "failed")
    assert "killed by signal KILL" in box.service("cron")["result"]
    box.svcctl("start", "cron")
    box.wait_state("cron", "ready")

    box.svcctl("edit", "cron", "Restart=on-failure")
    wait_for(lambda: box.pid("cron"), what="cron is found")
    dead = box.pid("cron")
    box.kill(dead)
    wait_for(lambda: box.pid("cron") not in (0, None, dead), what="cron was started again")
    box.wait_state("cron", "ready")

    # The death of one of two daemons does not end the service.
    box.kill(int(box.read("/run/one")))
    assert box.state("pair") == "ready"


def check_failure(box):
    box.write("/etc/svcd/services.d/broken.svc", script("broken"))
    box.svcctl("reload-files")
    failed = box.svcctl("start", "broken", check=False)
    assert failed.returncode != 0
    assert "start failed: exit status 2 (invalid or too many arguments)" in failed.stderr + failed.stdout, failed


def check_stop(box):
    nginx = box.pid("nginx")
    box.svcctl("stop", "nginx")
    box.wait_state("nginx", "idle")
    assert not box.is_alive(nginx)
    box.shut_down("poweroff")
    box.wait_end()
    text = box.console()
    assert text.count("setter stop") == 1, "a script that left nothing was not stopped by its command"
    assert text.count("pair stop") == 1


with Sandbox(SERVICES, root="debian", files=FILES, mounts=("sys",)) as machine:
    check_start(machine)
    check_manager_dies(machine)
    check_restart(machine)
    check_death(machine)
    check_failure(machine)
    check_stop(machine)
