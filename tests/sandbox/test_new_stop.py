#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A running service is reloaded and stopped by the commands in its present files, not by those in
the files at its start."""

from deadline import wait_for
from sandbox import Sandbox

OLD = "[Service]\nExec=/bin/sleep infinity\nReload=/bin/touch /run/reloaded-the-old-way\nStop=/bin/touch /run/stopped-the-old-way\n"
NEW = """[Service]
Exec=/bin/sleep infinity
Reload=/bin/touch /run/reloaded-the-new-way
Stop=/bin/sh -c "touch /run/stopped-the-new-way; kill $MAINPID"
Cleanup=/bin/touch /run/cleaned-the-new-way
"""

with Sandbox({"changed": OLD}) as box:
    box.wait_state("changed", "ready")
    before = box.pid("changed")

    box.write("/etc/svcd/services.d/changed.svc", NEW)
    box.svcctl("reload-files")

    def is_reloaded():
        box.svcctl("reload", "changed", check=False)
        return box.exists("/run/reloaded-the-new-way")

    wait_for(is_reloaded, what="the files are read and the new Reload= runs")
    assert box.pid("changed") == before

    box.svcctl("stop", "changed")
    box.wait_state("changed", "idle")
    assert box.exists("/run/stopped-the-new-way")
    assert box.exists("/run/cleaned-the-new-way")
    assert not box.exists("/run/stopped-the-old-way")
