#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Ready=exit: a task is done when its process exits with success; its dependents start only then.
"""

from sandbox import Sandbox

SERVICES = {
    "make": "[Service]\nType=task\nExec=/bin/sh -c \"while [ ! -e /run/go ]; do sleep 0.05; done; echo x >/run/made\"\n",
    "use": "[Service]\nExec=/bin/sh -c \"cat /run/made >/run/used; exec sleep infinity\"\n"
           "[Conditions]\nWhen=service:make\n",
    "bad": "[Service]\nType=task\nExec=/bin/sh -c \"exit 3\"\n",
    "odd": "[Service]\nType=task\nExec=/bin/sh -c \"exit 3\"\nSuccessStatus=3\n",
}

with Sandbox(SERVICES) as box:
    box.wait_states({"make": "starting", "use": "waiting", "bad": "failed", "odd": "done"})
    assert "3" in box.svcctl("explain", "bad").stdout

    box.write("/run/go", "")
    box.wait_states({"make": "done", "use": "ready"})
