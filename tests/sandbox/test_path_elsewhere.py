#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
A condition on a path on a file system served by a process is unknown, and suggests a mounted: term.

svcd never touches such a path, so a hanging server delays nothing, and no service is stopped. After
an unmount the condition is false.
"""

import os

from deadline import wait_for
from sandbox import HERE, Failure, Sandbox

with open(os.path.join(HERE, "fuse_server.py"), encoding="utf-8") as file:
    SERVER = file.read()

UNKNOWN = "it is on a network or FUSE file system; use mounted:/srv"


def needs(term):
    return f"[Service]\nExec=/bin/sleep infinity\n[Conditions]\nWhile={term}\n"


SERVICES = {
    "server": "[Service]\nExec=/usr/bin/python3 /fuse_server.py /srv /run/may-answer /run/serves\nReady=path:/run/serves\n",
    "far": needs("path:/srv/here"),
    "through-link": needs("path:/run/link"),
    "missing": needs("path:/srv/missing"),
    "near": needs("path:/run/near"),
    "near-later": needs("path:/run/near-later"),
    "on-mount": needs("mounted:/srv"),
}


def check_unknown(box):
    for name in ("far", "through-link", "missing"):
        wait_for(lambda: UNKNOWN in box.svcctl("explain", name).stdout, what=f"explain {name} names the file system")
        assert box.state(name) == "waiting", name
        assert "as soon as" not in box.svcctl("explain", name).stdout, "no process accesses it"


with Sandbox(SERVICES, files={"/fuse_server.py": SERVER, "/srv": {"directory": True}}) as box:
    os.symlink("../srv/here", box.path("/run/link"))
    box.wait_states({"server": "ready", "on-mount": "ready"})
    check_unknown(box)
    checked = box.svcctl("check").stdout
    assert "While=path:/srv/here: /srv is a network or FUSE file system" in checked and "use mounted:/srv" in checked, checked
    box.write("/run/near", "")
    box.wait_state("near", "ready")

    # The server's answer changes nothing, because svcd did not ask the server. Later events are
    # seen.
    box.write("/run/may-answer", "")
    box.write("/run/near-later", "")
    box.wait_state("near-later", "ready")
    check_unknown(box)
    pids = {name: box.pid(name) for name in ("near", "server", "on-mount")}
    box.remove("/run/may-answer")

    box.kill_manager()
    box.wait_states({"near": "ready", "on-mount": "ready", "server": "ready"})
    check_unknown(box)
    if (now := {name: box.pid(name) for name in pids}) != pids:
        raise Failure(f"something was stopped: {pids}, now {now}")

    # umount sends a request to the server.
    box.write("/run/may-answer", "")
    box.run("umount", "/srv")
    box.wait_states({"on-mount": "waiting", "far": "waiting"})
    wait_for(lambda: "it does not exist" in box.svcctl("explain", "far").stdout, what="explain far: no file")
    box.write("/srv/here", "")
    box.wait_states({"far": "ready", "through-link": "ready", "missing": "waiting"})
