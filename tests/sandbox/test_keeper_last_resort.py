#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
After its third fault within a minute PID 1 does not execute itself again, but still reaps and obeys
ctrl-alt-del.

A disk that does not answer sync(2) cannot prevent that. A fault signal from outside while PID 1
handles a fault is not counted as a fault of its own. Faults after the third one do not end PID 1
either.
"""

import os
import re
import signal
import subprocess

from deadline import wait_for
from faults import crash
from sandbox import Sandbox

FAULT = "svcd: this keeper crashed"
LAST = "only reaping children now"


def tracer_of(pid):
    with open(f"/proc/{pid}/status", encoding="utf-8") as status:
        return int(re.search(r"^TracerPid:\s+(\d+)", status.read(), re.MULTILINE)[1])


def wait_executed_again(box, times, old_manager):
    """Waits for the console line first, because until then the old manager answers."""
    wait_for(lambda: box.console().count("executing svcd again") >= times, what=f"it executes itself, time {times}")
    wait_for(lambda: box.manager_pid() not in (0, old_manager), what="the program that was executed has a manager")
    box.wait_up()
    box.wait_at_rest()


with Sandbox({"a": "[Service]\nExec=/bin/sleep infinity\n"}, expect_crash=True) as box:
    pid = box.wait_state("a", "ready")["pid"]

    def twice(data):
        """Send a second fault signal from the thread that reads the console, while PID 1 still
        handles the first fault."""
        if FAULT.encode() in data:
            box.on_console = None
            os.kill(box.pid1, signal.SIGSEGV)

    box.on_console = twice
    manager = box.manager_pid()
    os.kill(box.pid1, signal.SIGSEGV)
    wait_executed_again(box, 1, manager)
    assert box.pid("a") == pid
    assert LAST not in box.console()

    manager = box.manager_pid()
    os.kill(box.pid1, signal.SIGSEGV)
    wait_executed_again(box, 2, manager)
    os.kill(box.pid1, signal.SIGSEGV)
    box.wait_console(LAST)
    assert os.path.exists(box.path(f"/proc/{pid}")), "the service keeps running"
    box.run("(sleep 0.01 &) ")
    wait_for(lambda: not box.run("ps -eo stat= | grep Z", check=False).stdout, what="orphans are reaped")
    for n_before in range(1, 4):
        crash(box.pid1)
        wait_for(lambda n_before=n_before: box.console().count(LAST) > n_before, what="PID 1 has survived another fault")

    with subprocess.Popen(["strace", "-qq", "-o", "/dev/null", "-p", str(box.pid1), "-e", "trace=sync",
                           "-e", "inject=sync:delay_enter=90000000"], stdin=subprocess.DEVNULL) as strace:
        try:
            wait_for(lambda: tracer_of(box.pid1) == strace.pid, what="strace is attached to PID 1")
            os.kill(box.pid1, signal.SIGINT)
            status = box.wait_end()
        finally:
            strace.kill()
    assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGHUP, f"wait status {status:#x}"
