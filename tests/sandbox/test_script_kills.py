#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
The manager is killed at random moments while scripts start, restart by their commands and stop.

No command or daemon runs twice, and none is left over.
"""

import os
import random
import subprocess
import time

from deadline import wait_for
from sandbox import Sandbox

ROUNDS = int(os.environ.get("SVCD_TEST_ROUNDS", "30"))
SEED = int(os.environ.get("SVCD_TEST_SEED", "1"))

# This daemon reports at its start if another process of its name runs. Only one process can make
# the directory.
GUARD = """#!/bin/sh
mkdir /run/only-$1 || echo "$1 runs twice" >>/run/doubles
trap 'rmdir /run/only-'$1'; exit 0' TERM
while :; do sleep 0.02; done
"""

# The name of the script selects its behaviour: "file" has a daemon with a pid file, "pair" has two
# daemons without one, "none" has no daemon. Each call takes some time, and simultaneous calls are
# reported, too.
SCRIPT = """#!/bin/sh
name=$(basename $0)
if [ ! "$inner" ]; then
	mkdir /run/call-$name || echo "$name $1 while another command runs" >>/run/doubles
	echo $1 >>/run/calls-$name
fi
sleep 0.02
begin() { setsid /usr/local/bin/guard $1 & echo $! >/run/$1.pid; }
end() { p=$(cat /run/$1.pid) && kill $p && while kill -0 $p 2>/dev/null; do sleep 0.01; done; rm -f /run/$1.pid; }
case $name,$1 in
none,*) ;;
*,start) begin $name; [ $name != pair ] || begin other ;;
*,stop) end $name; [ $name != pair ] || end other ;;
*,restart) inner=yes $0 stop; inner=yes $0 start ;;
esac
[ "$inner" ] || rmdir /run/call-$name
"""
NAMES = ("file", "pair", "none")
UP = {"file": "ready", "pair": "ready", "none": "done"}


def service(name):
    path = f"/etc/init.d/{name}"
    pid_file = "PidFile=/run/file.pid\n" if name == "file" else ""
    return f"[Service]\nType=script\nExec={path} start\nStop={path} stop\nRestartCommand={path} restart\n{pid_file}"


FILES = {f"/etc/init.d/{name}": {"text": SCRIPT, "mode": 0o755} for name in NAMES}
FILES["/usr/local/bin/guard"] = {"text": GUARD, "mode": 0o755}
POLICY = "[runlevel 2]\n[runlevel 3]\n" + "".join(f"Activate={name}\n" for name in NAMES)


def is_quiet(machine):
    return not any(machine.exists(f"/run/call-{name}") for name in NAMES)


def check_processes(machine, is_up):
    wait_for(lambda: is_quiet(machine), what="no command runs")
    wait_for(lambda: sum(row[2] == "guard" for row in machine.processes().values()) == (3 if is_up else 0),
             what="the expected number of daemons runs")
    assert not machine.exists("/run/doubles"), machine.read("/run/doubles")


def ask(machine, number):
    """Change the runlevel, or restart two services. Returns the requesting processes."""
    if number % 3 == 0:
        return [machine.command(("svcctl", "runlevel", "3" if number % 2 == 0 else "2"))]
    return [machine.command(("svcctl", "restart", name)) for name in ("file", "pair", "none")]


chance = random.Random(SEED)
print(f"seed {SEED}")
with Sandbox({name: service(name) for name in NAMES}, policy=POLICY, files=FILES) as box:
    is_up = False
    for turn in range(ROUNDS):
        if turn % 3 == 0:
            is_up = turn % 2 == 0
        elif not is_up:
            continue
        askers = [subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=box.run_environment())
                  for argv in ask(box, turn)]
        # A random moment, not a wait: the kill may hit at any point.
        time.sleep(chance.random() * 0.15)
        box.kill_manager()
        for asker in askers:
            asker.wait()
        if turn % 3 == 0: # the request may have died with the manager
            box.svcctl("runlevel", "3" if is_up else "2")
        box.wait_states({name: UP[name] if is_up else "idle" for name in NAMES})
        check_processes(box, is_up)
    box.svcctl("runlevel", "2")
    box.wait_states(dict.fromkeys(NAMES, "idle"))
    check_processes(box, False)
    for name in NAMES:
        calls = box.read(f"/run/calls-{name}").split()
        assert calls.count("start") == calls.count("stop") > 0, (name, calls)
        assert calls.count("restart") > 0, (name, calls)
