#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Init scripts with a daemon, by pid file or start-stop-daemon: a dead daemon is restarted within a
limit.

A daemon that is disabled, or dies just after its script, is not shown as up. A script without a
daemon is done.
"""

from deadline import wait_for
from sandbox import Sandbox

SCRIPT = """#!/bin/sh
### BEGIN INIT INFO
# Provides: {name}
# Required-Start:
# Required-Stop:
# Default-Start: 2
# Default-Stop: 0 1 6
# Short-Description: a test
### END INIT INFO
{begin}
case "$1" in
start) {start} ;;
stop) {stop} ;;
esac
"""
SLEEP = "/bin/sleep infinity & echo $! >$PIDFILE"
KILL = "kill $(cat $PIDFILE)"


def script(name, begin, start, stop="true"):
    text = SCRIPT.format(name=name, begin=begin, start=start, stop=stop)
    return f"/etc/init.d/{name}", {"text": text, "mode": 0o755}


def pid_file(name):
    return f"PIDFILE=/run/{name}.pid"


FILES = dict([
    script("mortal", pid_file("mortal"), SLEEP, KILL),
    # A second process of this service continues when the first one is killed.
    script("pair", pid_file("pair"), SLEEP + "; [ -e /run/other ] || { setsid sleep infinity & echo $! >/run/other; }", KILL),
    script("dies", pid_file("dies"), "( sleep 0.2; exit 1 ) & echo $! >$PIDFILE"),
    script("off", "ENABLED=0", '[ $ENABLED = 1 ] || { echo "disabled in /etc/default/off"; exit 0; }; start-stop-daemon --start'),
    script("setter", "", "echo set"),
    script("later", "", "echo later"),
])

with Sandbox({}, policy="[defaults]\nRcLinks=yes\n", files=FILES) as box:
    box.wait_states({"mortal": "ready", "pair": "ready", "off": "idle", "setter": "done", "later": "done"})

    # Disabled: the service is not up, for a reason that is shown, and has not failed either.
    off = box.service("off")
    assert "it left nothing running" in off["result"], off
    assert box.svcctl("is", "up", "off", check=False).returncode == 3
    assert "disabled in /etc/default/off" in box.svcctl("log", "off").stdout
    status = box.svcctl("status", "off", check=False)
    assert status.stdout.startswith("○") and "disabled in /etc/default/off" in status.stdout, status.stdout

    # The daemon dies just after its script, again and again: svcd retries within the limit, and
    # then the service has failed.
    box.wait_state("dies", "failed")
    assert "ended 5 times" in box.svcctl("explain", "dies").stdout + box.svcctl("status", "dies", check=False).stdout

    # The daemon dies later, and is restarted.
    pid = wait_for(lambda: box.pid("mortal"), what="its daemon is found")
    box.kill(pid)
    wait_for(lambda: box.pid("mortal") not in (0, None, pid), what="its daemon runs again")
    box.wait_state("mortal", "ready")
    assert box.service("mortal")["restarts"] == 1

    # Its remaining processes are reported.
    pid = wait_for(lambda: box.pid("pair"), what="its daemon is found")
    box.kill(pid)
    wait_for(lambda: box.pid("pair") not in (0, None, pid), what="its daemon runs again")
    assert "its other processes still run" in box.svcctl("status", "pair").stdout
    assert box.is_alive(int(box.read("/run/other")))
