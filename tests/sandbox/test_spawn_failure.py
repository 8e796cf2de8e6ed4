#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A start that fails for lack of processes (EAGAIN in PID 1) or files (ENFILE in the manager) is
retried with a backoff, without a limit."""

import subprocess

from deadline import wait_for
from sandbox import Sandbox

# More failures than RestartLimit= would permit. The services have no Restart=.
N_FAILURES = 9
SERVICE = "[Service]\nExec=/bin/sleep infinity\nRestartDelay=10ms\n"


def traced(pid):
    with open(f"/proc/{pid}/status", encoding="utf-8") as status:
        return "TracerPid:\t0\n" not in status.read()


def start_while_failing(box, name, pid, call, error, n_calls=N_FAILURES):
    with subprocess.Popen(["strace", "-qq", "-o", "/dev/null", "-p", str(pid), "-e", f"trace={call}",
                           "-e", f"inject={call}:error={error}:when=1..{n_calls}"], stdin=subprocess.DEVNULL) as strace:
        try:
            wait_for(lambda: traced(pid), what="strace is attached")
            box.svcctl("start", name, check=False)
            row = box.wait_state(name, "ready")
        finally:
            strace.terminate()
    assert row["restarts"] >= N_FAILURES / 2, row


with Sandbox({"a": SERVICE, "b": SERVICE}, policy="[runlevel 2]\n") as box:
    box.wait_up()
    manager = box.manager_pid()

    start_while_failing(box, "a", box.pid1, "clone3", "EAGAIN")
    start_while_failing(box, "b", manager, "socketpair", "ENFILE", 2 * N_FAILURES) # some failures hit other calls

    assert box.read("/proc/1/comm").strip() == "svcd"
    assert box.manager_pid() == manager
    assert box.state("a") == "ready"
