#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
A service whose file is gone keeps the services that it needs, also under the next manager: a
package was removed while its daemon runs.
"""

from sandbox import Sandbox

SLEEP = "[Service]\nExec=/bin/sleep infinity\n"
FILES = {"daemon": SLEEP + "[Conditions]\nWants=needed\nWhile=service:needed\n", "needed": SLEEP}

with Sandbox(FILES, policy="[runlevel 2]\nActivate=daemon\n") as box:
    box.wait_states({"daemon": "ready", "needed": "ready"})
    pids = {name: box.pid(name) for name in FILES}
    box.remove("/etc/svcd/services.d/daemon.svc")
    box.svcctl("reload-files", check=False)
    box.wait_at_rest()
    shown = box.svcctl_json("status", "daemon")[0]
    assert shown["file_state"] == "gone", shown

    # Two managers are killed, because the second manager must pass the needs on to the third.
    for _ in range(2):
        box.kill_manager()
        box.wait_at_rest()
        assert {name: box.pid(name) for name in FILES} == pids, box.console()
    # A manager that never read the file reads all files.
    box.svcctl("reload-files", check=False)
    box.kill_manager()
    box.wait_at_rest()
    assert {name: box.pid(name) for name in FILES} == pids, box.console()

    # A service that only the lost service needs ends with it.
    box.svcctl("stop", "daemon")
    box.wait_at_rest()
    assert "daemon" not in box.services()
    assert box.services()["needed"]["state"] != "ready", box.console()
