#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
System calls of PID 1 fail, one at a time, with each possible error, while services start, stop and
end. limit: 900

The manager is killed meanwhile. PID 1 stays, running services continue, and refused requests work
afterwards.
"""

import os
import re
import signal
import subprocess
import tempfile

from deadline import wait_for
from sandbox import Sandbox

# How often a frequent call fails, spread over the round; SVCD_TEST_FAULTS=1000: each time.
PLACES = int(os.environ.get("SVCD_TEST_FAULTS", "2"))

# The possible errors, from the manual pages. EINTR and EAGAIN mean that the call must be repeated.
ERRORS = {
    "clone3": ("EAGAIN", "ENOMEM", "EPERM"),
    "fcntl": ("EMFILE",),
    "kill": ("ESRCH", "EPERM"),
    "poll": ("EINTR", "ENOMEM"),
    "read": ("EINTR", "EAGAIN", "EIO"),
    "recvmsg": ("EINTR", "ECONNRESET"), # EAGAIN would mean an empty queue
    "sendmsg": ("EINTR", "EAGAIN", "ENOMEM", "EPIPE"),
    "socketpair": ("EMFILE", "ENOMEM"),
    "timerfd_create": ("EMFILE", "ENOMEM"),
    "timerfd_settime": ("EINVAL",),
    "wait4": ("EINTR",), # ECHILD would be false, and no other error is possible
    "waitid": ("EINTR", "ECHILD"),
    "write": ("EINTR", "EAGAIN", "EIO", "ENOSPC"),
}
# The errors of a call that is not in the list.
OTHERS = ("ENOMEM",)
# Calls of the kernel and the C library that cannot fail; and close(2), which closes even if it
# fails.
NO_FAULT = {"restart_syscall", "rt_sigreturn", "exit_group", "getpid", "gettid", "close"}

STAY = [f"stay{number}" for number in range(5)]
SERVICES = {name: "[Service]\nExec=/bin/sleep infinity\n" for name in STAY + ["move"]} | {
    "end": "[Service]\nExec=/bin/sh -c \"exit $(cat /run/status)\"\nRestart=no\n",
    "task": "[Service]\nType=task\nExec=/bin/true\n",
}
POLICY = "[runlevel 2]\n" + "".join(f"Activate={name}\n" for name in STAY)


class Tracer:
    """strace(1) attached to PID 1 writes its calls to @path, and can make them fail."""

    def __init__(self, box, path, inject=None):
        argv = ["strace", "-qq", "-o", path, "-p", str(box.pid1)]
        if inject:
            call = inject.partition(":")[0]
            argv += ["-e", f"trace={call}", "-e", f"inject={inject}"]
        self.process = subprocess.Popen(argv, stdin=subprocess.DEVNULL)
        self.pid1 = box.pid1

    def __enter__(self):
        wait_for(lambda: self._tracer() == self.process.pid, what="strace is attached to PID 1")
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()
        assert self._tracer() is not None, "PID 1 has ended"

    def _tracer(self):
        try:
            with open(f"/proc/{self.pid1}/status", encoding="utf-8") as status:
                return int(re.search(r"^TracerPid:\s+(\d+)", status.read(), re.MULTILINE)[1])
        except OSError:
            return None


def try_all(box, number):
    """A round in which all requests may be refused. No command of svcctl may hang."""
    box.write("/run/status", f"{number % 250 + 1}\n")
    for words in (("start", "move"), ("start", "end"), ("start", "task"), ("stop", "move")):
        box.svcctl(*words, check=False)
    box.kill_manager(wait=False)
    box.svcctl("list", check=False)
    box.svcctl("start", "move", check=False)


def ask(box, *words):
    wait_for(lambda: box.svcctl(*words, check=False).returncode == 0, what=" ".join(words))


def check_all(box, number, pids):
    """A round in which all requests must work."""
    box.wait_up()
    assert {name: box.pid(name) for name in STAY} == pids
    ask(box, "start", "move")
    box.wait_state("move", "ready")
    box.write("/run/status", f"{number % 250 + 1}\n")
    ask(box, "stop", "move")
    box.wait_state("move", "idle")
    box.svcctl("start", "end", check=False)
    wait_for(lambda: f"status {number % 250 + 1}" in box.svcctl("explain", "end", check=False).stdout, what="its exit is known")
    ask(box, "start", "task")


def calls_of_a_round(box, path):
    with Tracer(box, path):
        try_all(box, 0)
    with open(path, encoding="utf-8", errors="replace") as lines:
        names = re.findall(r"^(\w+)\(", lines.read(), re.MULTILINE)
    return {name: names.count(name) for name in set(names) - NO_FAULT}


def places(count):
    """The numbers of the calls that fail, from 1 to @count."""
    n = min(PLACES, count)
    return sorted({1 + number * count // n for number in range(n)})


def was_injected(path):
    with open(path, encoding="utf-8", errors="replace") as lines:
        return "(INJECTED)" in lines.read()


with Sandbox(SERVICES, policy=POLICY, expect_crash=True) as box, tempfile.TemporaryDirectory() as work:
    box.wait_states({name: "ready" for name in STAY})
    pids = {name: box.pid(name) for name in STAY}
    found = calls_of_a_round(box, f"{work}/calls")
    check_all(box, 0, pids)
    n_faults = 0
    for call, count in sorted(found.items()):
        for error in ERRORS.get(call, OTHERS):
            for when in places(count):
                fault = f"{call}:error={error}:when={when}"
                print(fault, flush=True)
                with Tracer(box, f"{work}/trace", fault):
                    try_all(box, n_faults)
                n_faults += was_injected(f"{work}/trace")
                check_all(box, n_faults + 100, pids)
    assert n_faults >= len(found), f"only {n_faults} calls were made to fail"
    print(f"{n_faults} calls of PID 1 failed: {' '.join(sorted(found))}")
