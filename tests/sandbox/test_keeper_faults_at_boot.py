#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
One system call of PID 1 fails during a boot: the service starts, or explain gives the reason for
its failure. Each call has its own boot. limit: 900

A failed service starts on request. PID 1 is built as shipped, so a sanitizer makes none of the
calls.
"""

import os
import re

from deadline import wait_for
from sandbox import Sandbox

SERVICE = {"stay": "[Service]\nExec=/bin/sleep infinity\n"}
STAGE = os.environ["SVCD_BUILDS"] + "/stage-bare"
TRACE = "/trace"

# The possible errors; EINTR where a call may wait.
ERRORS = {
    "clone3": ("EAGAIN",),
    "mkdir": ("EROFS", "ENOSPC"),
    "openat": ("ENOENT", "EMFILE"),
    "poll": ("EINTR", "ENOMEM"),
    "read": ("EINTR", "EIO"),
    "recvmsg": ("EINTR", "ENOMEM"),
    "sendmsg": ("EINTR", "ENOMEM"),
    "wait4": ("EINTR",),
    "write": ("EINTR", "ENOSPC"),
}
OTHERS = ("ENOMEM",)
# These calls cannot fail, or have their effect in spite of an error.
NO_FAULT = {"restart_syscall", "rt_sigreturn", "rt_sigaction", "rt_sigprocmask", "getpid", "close", "exit_group"}
# If a call is in a loop, the first calls and the last call fail.
FIRST = int(os.environ.get("SVCD_TEST_FAULTS", "2"))


def sandbox(*options):
    return Sandbox(SERVICE, expect_crash=True, stage=STAGE,
                   init=("/usr/bin/strace", "-D", "-qq", "-o", TRACE, *options, "/sbin/svcd"))


def is_told_or_up(box):
    state = box.service("stay")["state"]
    return state == "ready" or (state == "failed" and "cannot start" in box.svcctl("explain", "stay").stdout)


def boot_with(fault):
    call = fault.partition(":")[0]
    with sandbox("-e", f"trace={call}", "-e", f"inject={fault}") as box:
        box.wait_up()
        wait_for(lambda: is_told_or_up(box), what="the service is up, or reports why not")
        box.svcctl("start", "stay")
        box.wait_state("stay", "ready")
        return "(INJECTED)" in box.read(TRACE)


def calls_of_a_boot():
    """name -> the numbers of its calls, without those of the loader. Numbers start at 1."""
    with sandbox() as box:
        box.wait_state("stay", "ready")
        names = [line.partition("(")[0] for line in box.read(TRACE).splitlines() if re.match(r"\w+\(", line)]
    assert names.count("prctl") == 1, "the first thing that svcd does is to name itself"
    begin = names.index("prctl")
    found = {}
    for index, name in enumerate(names):
        if index > begin and name not in NO_FAULT:
            found.setdefault(name, []).append(names[:index + 1].count(name))
    return found


n_faults = 0
found = calls_of_a_boot()
for call, numbers in sorted(found.items()):
    for when in sorted(set(numbers[:FIRST] + numbers[-1:])):
        for error in ERRORS.get(call, OTHERS):
            print(f"{call}:error={error}:when={when}", flush=True)
            n_faults += boot_with(f"{call}:error={error}:when={when}")
assert n_faults >= len(found), f"only {n_faults} calls were made to fail"
print(f"{n_faults} boots in which a call failed: {' '.join(sorted(found))}")
