#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
A service of root makes cgroups below its own, and any user can list them: notification, stop and
removal work.

A user who holds the lock of such a cgroup blocks neither the manager nor PID 1.
"""

import time

import attack
from attack import Attack
from deadline import wait_for
from sandbox import Sandbox

GROUP = "/sys/fs/cgroup/svcd/deep"

# The process in the inner cgroup sends its readiness, and writes a file when it gets TERM.
DEEP = f"""import os, signal, socket, sys, time
inner = "{GROUP}/inner"
os.makedirs(inner, 0o755, exist_ok=True)
if os.fork() == 0:
    with open(inner + "/cgroup.procs", "w") as procs:
        procs.write("0")
    def on_term(*_):
        with open("/run/term", "w") as file:
            file.write("TERM")
        os._exit(0)
    signal.signal(signal.SIGTERM, on_term)
    say = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    say.connect(os.environ["NOTIFY_SOCKET"])
    say.send(b"READY=1")
while True:
    time.sleep(1000)
"""

SERVICES = {**attack.WITNESSES, "deep": "[Service]\nExec=/usr/bin/python3 /etc/deep.py\nReady=notify\nStartTimeout=30s\n"}


def it_starts_and_stops(box):
    box.svcctl("start", "deep")
    assert box.state("deep") == "ready"
    assert box.exists(GROUP + "/inner")

    box.svcctl("stop", "deep")
    box.wait_state("deep", "idle")
    assert box.read("/run/term") == "TERM"
    box.remove("/run/term")
    assert not box.exists(GROUP), "its cgroups are left"


with Sandbox(SERVICES, policy="[runlevel 2]\nActivate=victim\nActivate=talker\n",
             files={**attack.FILES, "/etc/deep.py": DEEP}) as machine:
    machine.wait_up()
    it_starts_and_stops(machine)
    it_starts_and_stops(machine)
    machine.svcctl("start", "deep")
    with Attack(machine, "hold-directory", GROUP + "/inner", "writer"):
        attack.check_responsive(machine)
        machine.svcctl("stop", "deep", "--no-wait")
        began = time.monotonic()
        wait_for(lambda: '"idle"' in attack.ask(machine, "/usr/bin/svcctl", "status", "deep", "--json")[1], what="deep is stopped")
        print(f"deep stopped after {time.monotonic() - began:.1f} s")
        attack.check_responsive(machine)
