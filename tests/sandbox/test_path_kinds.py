#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The conditions path:exec:, path:dir: and path:nonempty: check more than existence."""

import os

from sandbox import Sandbox


def waits_for(term):
    return f"[Service]\nExec=/bin/sleep infinity\n[Conditions]\nWhile={term}\n"


SERVICES = {
    "executable": waits_for("path:exec:/run/tool"),
    "directory": waits_for("path:dir:/run/place"),
    "content": waits_for("path:nonempty:/run/list"),
    "absent": waits_for("!path:/run/stop-it"),
}

with Sandbox(SERVICES) as box:
    box.write("/run/tool", "#!/bin/sh\n", 0o644)
    box.write("/run/place", "")
    box.write("/run/list", "")
    box.wait_states({"executable": "waiting", "directory": "waiting", "content": "waiting", "absent": "ready"})

    os.chmod(box.path("/run/tool"), 0o755)
    box.remove("/run/place")
    os.mkdir(box.path("/run/place"))
    box.write("/run/list", "one\n")
    box.write("/run/stop-it", "")
    box.wait_states({"executable": "ready", "directory": "ready", "content": "ready", "absent": "waiting"})
