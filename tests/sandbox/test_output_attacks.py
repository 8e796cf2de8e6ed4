#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
A service with User= attacks through its output, its commands' output and the descriptor of
Ready=fd:, and a user holds /dev.

The manager answers, a killed service restarts, and the output of another service arrives. The test
runs twice: with this kernel, and as if the kernel could not refuse file descriptors (before Linux
6.16).
"""

import ctypes
import os
import socket

import attack
from attack import Attack
from deadline import wait_for
from sandbox import Sandbox

SO_PASSRIGHTS = 83
SYS_PIDFD_GETFD = 438
SEND = "output-descriptors"


def later(mark, *words):
    """The attacker starts when /run/go exists."""
    return f'/bin/sh -c "until [ -e /run/go ]; do sleep 0.05; done; exec {" ".join(attack.arguments(mark, *words))}"'


def boxed(exec_line, more=""):
    return f"[Service]\nExec={exec_line}\nUser=nobody\nNoNewPrivileges=yes\n{more}"


SERVICES = {
    **attack.WITNESSES,
    "splice": attack.service("splice", "hold-pipe", "1"),
    "lock": attack.service("lock", "hold-socket", "1"),
    "deaf": boxed('/bin/sh -c "printf half; exec sleep infinity"'),
    "output": boxed(later("output", SEND)),
    "ready": boxed(later("ready", SEND, "5"), "Ready=fd:5\nStartTimeout=1h\n"),
    "health": boxed("/bin/sleep infinity", f"HealthCommand={later('health', SEND)}\nHealthInterval=100ms\nHealthTimeout=1s\n"),
}
HOSTILE = [name for name in SERVICES if name not in attack.WITNESSES]


def descriptors_of(pid):
    """Duplicates of the stream sockets of a process."""
    libc = ctypes.CDLL(None, use_errno=True)
    pidfd = os.pidfd_open(pid)
    for number in os.listdir(f"/proc/{pid}/fd"):
        try:
            is_socket = os.readlink(f"/proc/{pid}/fd/{number}").startswith("socket:")
        except FileNotFoundError:
            continue
        fd = libc.syscall(SYS_PIDFD_GETFD, pidfd, int(number), 0) if is_socket else -1
        if fd >= 0:
            with socket.socket(fileno=fd) as found:
                yield found
    os.close(pidfd)


def allow_descriptors(box):
    """Restores the behaviour of an older kernel on all existing channels."""
    for row in box.processes().values():
        if row[2] in ("svcd-manager", "svc-logger"):
            for found in descriptors_of(row[0]):
                if found.family == socket.AF_UNIX and found.type == socket.SOCK_STREAM:
                    try:
                        found.setsockopt(socket.SOL_SOCKET, SO_PASSRIGHTS, 1)
                    except OSError:
                        return


def attack_all(is_older):
    with Sandbox(SERVICES, files=attack.FILES) as box:
        attack.keeper(box)  # this also ends the attackers if the test fails
        box.wait_state("talker", "ready")
        for name in HOSTILE:
            box.svcctl("start", "--no-wait", name)
        box.wait_states({"splice": "ready", "lock": "ready", "deaf": "ready", "output": "ready", "ready": "starting", "health": "ready"})
        wait_for(lambda: "half" in box.svcctl("log", "deaf").stdout, what="half a line is written")
        if is_older:
            allow_descriptors(box)
        box.write("/run/go", "")
        attack.wait_tried(box, "output")
        if is_older:
            assert attack.state(box, "output").way == "descriptor", attack.state(box, "output").lines
            wait_for(lambda: "sent file descriptors with its output" in box.console(), what="the output is refused")
            assert "a line" in box.svcctl("log", "output").stdout
        print({what: f"{seconds:.3f} s" for what, seconds in attack.check_responsive(box).items()})

        with Attack(box, "hold-directory", "/dev", "writer") as held:
            box.svcctl("restart", "deaf")
            print(f"/dev held by {held.way}:", {what: f"{seconds:.3f} s" for what, seconds in attack.check_responsive(box).items()})

        box.svcctl("stop", *HOSTILE)
        box.wait_states({name: "idle" for name in HOSTILE})
        attack.check_responsive(box)
        box.kill_manager()
        attack.check_responsive(box)


attack_all(is_older=False)
attack_all(is_older=True)
