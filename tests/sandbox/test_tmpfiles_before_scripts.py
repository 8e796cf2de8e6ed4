#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""An init script with $remote_fs starts after tmpfiles, so the directories of tmpfiles.d exist in
/run."""

from sandbox import Sandbox

SCRIPT = """#!/bin/sh
### BEGIN INIT INFO
# Provides: {name}
# Required-Start: {needs}
# Required-Stop:
# Default-Start: S
# Default-Stop:
# Short-Description: a test
### END INIT INFO
if test -d /run/of-a-package; then echo "{name}: found"; else echo "{name}: missing"; fi >/dev/console
"""

FILES = {
    "/etc/init.d/early": {"text": SCRIPT.format(name="early", needs=""), "mode": 0o755},
    "/etc/init.d/cleanup": {"text": SCRIPT.format(name="cleanup", needs="$remote_fs"), "mode": 0o755},
    "/usr/lib/tmpfiles.d/package.conf": "d /run/of-a-package 0755 root root\n",
    # Without an ordering both scripts would start before tmpfiles ends.
    "/etc/svcd/services.d/tmpfiles.svc.d/held.conf": "[Service]\nPrepare=/bin/sh -c 'until test -e /run/go; do sleep 0.05; done'\n",
}

with Sandbox(policy="[runlevel S]\nActivate=early cleanup\n", root="debian", vendor=True, files=FILES) as box:
    box.wait_console("early: missing")
    box.write("/run/go", "")
    box.wait_console("cleanup: found")
    assert "cleanup: missing" not in box.console()
