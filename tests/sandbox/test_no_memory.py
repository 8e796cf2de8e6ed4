#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
One allocation of the manager fails, at any point: the request gets an error, or the manager dies
and the next manager continues.

Nothing runs twice or stops, and each request gets an answer. SVCD_TEST_ALLOCATIONS=0 tests each
allocation.
"""

import os

from deadline import wait_for
from no_memory import MANAGER_FILES, STAGE, Sweep, next_manager
from patience import TELLER, ask, run_until_failed
from sandbox import Sandbox

MOST = int(os.environ.get("SVCD_TEST_ALLOCATIONS", "4"))
ONLY = os.environ.get("SVCD_TEST_ACTS", "").split()

# Reports a second copy of a service: only one process can make the file. The script starts no
# program, because a signal might kill it.
GUARD = """#!/bin/sh
trap 'rm -f /run/only-'$1'; exit 0' TERM
set -C
true 2>/dev/null >/run/only-$1 || echo "$1 started twice" >>/run/doubles
while :; do sleep 0.02; done
"""
STAY = ["stay", "spool", "open"]
SERVICES = {
    "stay": "[Service]\nExec=/usr/local/bin/guard stay\n",
    "spool": "[Service]\nExec=/usr/local/bin/guard spool\n[Conditions]\nWhile=path:nonempty:/run/spool\n",
    "open": "[Service]\nExec=/usr/local/bin/guard open\n[Conditions]\nWhile=flag:open\n",
    "move": "[Service]\nExec=/usr/local/bin/guard move\n",
    "gate": "[Service]\nExec=/usr/local/bin/guard gate\n[Conditions]\nWhile=path:/run/gate\n",
    "tell": "[Service]\nExec=/usr/local/bin/teller\nReady=notify\nStartTimeout=1h\n",
    "after": "[Service]\nExec=/usr/local/bin/guard after\n[Conditions]\nWhile=service:tell\n",
    "end": "[Service]\nExec=/bin/sh -c \"exit 3\"\nRestart=no\n",
    "again": "[Service]\nExec=/usr/local/bin/teller\nReady=notify\nRestart=always\nRestartDelay=10ms\nRestartDelayMax=10ms\nRestartLimit=60/1s\n",
    "task": "[Service]\nType=task\nExec=/bin/sh -c \"echo done >>/run/tasks\"\n",
    "connect": "[Service]\nExec=/usr/local/bin/guard connect\n[Socket]\nListenStream=/run/connect\n",
}
POLICY = "[runlevel 2]\n" + "".join(f"Activate={name}\n" for name in [*STAY, "gate", "after", "again", "connect"]) + \
         "[runlevel 3]\nInclude=2\nActivate=move\n"


def move(box):
    ask(box, "start", "move")
    box.wait_state("move", "ready")
    ask(box, "stop", "move")
    box.wait_state("move", "idle")


def tell(box):
    ask(box, "start", "tell")
    box.wait_state("after", "ready")
    ask(box, "stop", "tell", "--with-dependents")
    box.wait_state("after", "waiting")


def end(box):
    run_until_failed(box, "end")
    assert "status 3" in ask(box, "explain", "end").stdout


def task(box):
    ask(box, "start", "task")
    ask(box, "restart", "again")
    box.wait_state("again", "ready")


def gate(box):
    box.write("/run/gate", "")
    box.wait_state("gate", "ready")
    box.remove("/run/gate")
    box.wait_state("gate", "waiting")


def spool(box):
    """Change the watched directory, which is never empty."""
    box.write("/run/spool/two", "")
    box.remove("/run/spool/two")
    ask(box, "list")


def crash(box):
    row = box.wait_state("again", "ready")
    box.kill(row["pid"])
    wait_for(lambda: box.pid("again") not in (0, row["pid"]), what="it was started again")
    box.wait_state("again", "ready")


def look(box):
    for words in (["list", "--all"], ["explain", "after"], ["status", "--properties", "tell"], ["list", "--conditions"], ["log", "stay"], ["status"],
                  ["tree"], ["list", "--json"]):
        answer = ask(box, *words)
        assert answer.stdout or words[0] in ("log",), words


def reload(box):
    box.write("/etc/svcd/services.d/new.svc", "[Service]\nExec=/usr/local/bin/guard new\n")
    ask(box, "reload-files")
    wait_for(lambda: "new" in box.services(), what="it is known")
    box.remove("/etc/svcd/services.d/new.svc")
    ask(box, "reload-files")
    wait_for(lambda: "new" not in box.services(), what="it is gone")


def policy(box):
    ask(box, "enable", "end")
    ask(box, "disable", "end")


def runlevel(box):
    ask(box, "runlevel", "3")
    box.wait_state("move", "ready")
    ask(box, "runlevel", "2")
    box.wait_state("move", "idle")


def flag(box):
    ask(box, "flag", "set", "other")
    ask(box, "flag", "clear", "other")


ACTS = [move, tell, end, task, gate, spool, crash, look, reload, policy, runlevel, flag, next_manager]

FILES = {
    "/usr/local/bin/guard": {"text": GUARD, "mode": 0o755},
    "/usr/local/bin/teller": {"text": TELLER, "mode": 0o755},
} | MANAGER_FILES


with Sandbox(SERVICES, policy=POLICY, files=FILES, stage=STAGE, expect_crash=True) as box:
    box.write("/run/spool/one", "")
    ask(box, "flag", "set", "open")
    box.wait_state("again", "ready")
    sweep = Sweep(box, STAY, MOST)
    for act in ACTS:
        if not ONLY or act.__name__ in ONLY:
            sweep.run(act)
    sweep.end()
    assert not box.exists("/run/doubles"), box.read("/run/doubles")
