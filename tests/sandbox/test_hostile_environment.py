#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Variables from the kernel command line in PID 1's environment reach neither the manager nor a
service."""

from sandbox import ENVIRONMENT, Sandbox

HOSTILE = {
    "LD_LIBRARY_PATH": "/tmp", "G_DEBUG": "fatal-warnings", "G_MESSAGES_DEBUG": "all", "IFS": "x", "BASH_ENV": "/tmp/x",
    "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/tmp/x", "PATH": "/tmp", "NOTIFY_SOCKET": "/tmp/x", "LISTEN_FDS": "3",
}

with Sandbox({"a": "[Service]\nExec=/bin/sleep infinity\n"}, environment=HOSTILE) as box:
    pid = box.wait_state("a", "ready")["pid"]
    manager = [inner for inner, row in box.processes().items() if row[0] == box.manager_pid()][0]
    for process in (pid, manager):
        words = [word for word in box.read(f"/proc/{process}/environ").split("\0") if word]
        found = dict(word.split("=", 1) for word in words)
        assert not {name for name, value in found.items() if HOSTILE.get(name) == value}, words
    assert set(ENVIRONMENT["PATH"].split(":")) & set(found["PATH"].split(":")), found
