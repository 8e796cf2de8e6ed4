#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
A file system that does not answer: conditions on what is in it are unknown, and say why; the manager goes on, dies and comes back,
and nothing is stopped. When it answers they are what it says.
"""

import os

from deadline import wait_for
from sandbox import HERE, Failure, Sandbox

with open(os.path.join(HERE, "fuse_server.py"), encoding="utf-8") as file:
    SERVER = file.read()

SILENT = "the file system at /srv does not answer"


def waits_for(path):
    return f"[Service]\nExec=/bin/sleep infinity\n[Conditions]\nWhile=path:{path}\n"


SERVICES = {
    "server": "[Service]\nExec=/usr/bin/python3 /fuse_server.py /srv /run/may-answer /run/serves\nReady=path:/run/serves\n",
    "far": waits_for("/srv/here"),
    "through-link": waits_for("/run/link"),
    "missing": waits_for("/srv/missing"),
    "near": waits_for("/run/near"),
}


def wait_explained(box, name, text):
    wait_for(lambda: text in box.svcctl("explain", name).stdout, what=f"explain {name} says: {text}")


def check_silence(box):
    for name in ("far", "missing"):
        wait_explained(box, name, SILENT)


with Sandbox(SERVICES, files={"/fuse_server.py": SERVER, "/srv": {"directory": True}}) as box:
    os.symlink("../srv/here", box.path("/run/link"))
    box.wait_state("server", "ready")
    check_silence(box)
    box.write("/run/near", "")
    box.wait_states({"near": "ready", "far": "waiting", "through-link": "waiting", "missing": "waiting"})

    box.write("/run/may-answer", "")
    box.wait_states({"far": "ready", "through-link": "ready", "missing": "waiting"})
    wait_explained(box, "missing", "it does not exist")
    pids = {name: box.pid(name) for name in ("far", "through-link", "near", "server")}

    box.remove("/run/may-answer")
    wait_explained(box, "missing", SILENT)
    box.kill_manager()
    wait_explained(box, "missing", SILENT)
    box.remove("/run/near")
    box.wait_state("near", "waiting")
    box.write("/run/near", "")
    box.wait_state("near", "ready")
    pids["near"] = box.pid("near")

    box.write("/run/may-answer", "")
    wait_explained(box, "missing", "it does not exist")
    box.wait_at_rest()
    if (now := {name: box.pid(name) for name in pids}) != pids:
        raise Failure(f"something was stopped: {pids}, now {now}")

    box.run("umount", "/srv")
    box.wait_states({"far": "waiting", "through-link": "waiting"})
