#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A service without a file can be stopped: svcctl reports the stop, although the service no longer
exists."""

from sandbox import Sandbox

SLEEP = "[Service]\nExec=/bin/sleep infinity\n"
SLOW = "#!/bin/sh\ntrap 'sleep 0.5; exit 0' TERM\nwhile :; do sleep 0.1; done\n"

with Sandbox({"a": "[Service]\nExec=/usr/local/bin/slow\n", "b": SLEEP},
             files={"/usr/local/bin/slow": {"text": SLOW, "mode": 0o755}}) as box:
    box.wait_states({"a": "ready", "b": "ready"})
    pid = box.pid("a")
    box.remove("/etc/svcd/services.d/a.svc")
    box.svcctl("reload-files")
    assert box.is_alive(pid)

    done = box.svcctl("stop", "a")

    assert "a stopped" in done.stdout, done.stdout
    assert not box.is_alive(pid)
    assert box.svcctl("stop", "a", check=False).returncode == 4
    assert box.state("b") == "ready"
