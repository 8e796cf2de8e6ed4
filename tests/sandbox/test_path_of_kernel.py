#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
A path below /proc is checked when the files are read, and before each start, because the kernel
reports no changes there.

Between these checks the condition keeps its level. svcctl check warns if While= has such a path.
"""

from deadline import wait_for
from sandbox import Sandbox

POLICY = "[runlevel 2]\nActivate=process\n"


def needs(key, pid):
    return f"[Service]\nExec=/bin/sleep infinity\nRestart=always\nRestartDelay=100ms\n[Conditions]\n{key}=!path:/proc/{pid}\n"


def level(box, pid):
    rows = box.svcctl_json("list", "--conditions")
    return next(row["level"] for row in rows if row["condition"] == f"path:/proc/{pid}")


def process(box):
    """The pid of a process that the test can end."""
    box.svcctl("restart", "process")
    box.wait_state("process", "ready")
    return box.pid("process")


with Sandbox({"process": "[Service]\nExec=/bin/sleep infinity\n"}, policy=POLICY) as box:
    box.wait_state("process", "ready")
    pid = process(box)
    for name in ("asked", "read", "restarted"):
        box.write(f"/etc/svcd/services.d/{name}.svc", needs("When", pid))
    box.svcctl("reload-files")
    box.svcctl("start", "asked", "read", check=False)
    for name in ("asked", "read"):
        box.wait_state(name, "waiting")

    # A change alone is not noticed; the next check sees it.
    box.svcctl("stop", "process")
    assert level(box, pid) == "true"
    box.svcctl("start", "asked", check=False)
    box.wait_state("asked", "ready")
    wait_for(lambda: level(box, pid) == "false", what="the condition is looked at")
    box.wait_state("read", "ready")

    # The path exists when the service ends, and prevents another start.
    pid = process(box)
    box.write("/etc/svcd/services.d/later.svc", needs("When", pid))
    box.svcctl("reload-files")
    box.svcctl("start", "later", check=False)
    box.wait_state("later", "waiting")
    box.svcctl("stop", "process")
    box.svcctl("reload-files")
    box.wait_state("later", "ready")

    box.write("/etc/svcd/services.d/held.svc", needs("While", pid))
    said = box.svcctl("check", "/etc/svcd/services.d/held.svc", check=False)
    assert f"the kernel reports no changes of /proc/{pid}" in said.stdout + said.stderr, said
