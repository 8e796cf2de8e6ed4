#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
A process that lists a directory can hold its lock forever. So users cannot list directories that
svcd changes.

These directories are the cgroups and those below /run/svcd. PID 1, the manager and svc-logger
change them while services run.
"""

import os

from sandbox import Sandbox

NOBODY = """import os, sys
os.setgroups([])
os.setresgid(65534, 65534, 65534)
os.setresuid(65534, 65534, 65534)
for path in sys.argv[1:]:
    try:
        os.listdir(path)
        print(path)
    except PermissionError:
        pass
"""

FORKS = "[Service]\nExec=/bin/sleep infinity\nRuntimeDirectory=plain\n"
AS_USER = "[Service]\nExec=/bin/sleep infinity\nUser=65534\nGroup=65534\nPrivateTmp=yes\n"

with Sandbox({"plain": FORKS, "user": AS_USER}, files={"/etc/nobody.py": NOBODY, "/var/tmp": {"directory": True, "mode": 0o1777}}) as box:
    box.wait_states({"plain": "ready", "user": "ready"})

    groups = [path[len(box.path("")):] for path, _, _ in os.walk(box.path("/sys/fs/cgroup/svcd"))]
    assert "/sys/fs/cgroup/svcd/user" in groups, groups
    ours = ["/run/svcd", "/run/svcd/log", "/run/svcd/notify", "/run/svcd/private-tmp"]
    listed = box.run("/usr/bin/python3", "/etc/nobody.py", "/run", *ours, *groups).stdout.split()
    assert listed == ["/run"], f"users can list {listed}"

    # Files there can still be reached by their names.
    box.run("test -S /run/svcd/private && test -d /run/svcd/generated")
