#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
A user holds the directory of the service files. Only svc-generate waits for it.

The manager answers, restarts services, makes instances of templates, and its successor knows all
services. reload-files fails with the directory's name, and works afterwards. A lease on a service
file delays nothing, and neither does a fifo in its place.
"""

import attack
from attack import Attack, ask, check_responsive
from sandbox import Sandbox

SLEEP = "[Service]\nExec=/bin/sleep infinity\n"
DIRECTORY = "/etc/svcd/services.d"
SERVICES = {**attack.WITNESSES, "other": SLEEP, "template@": SLEEP}

# FUSE cannot hold a directory of an overlay, because readers access it with the rights of the
# mounting process.
MOVE = f"cp -r {DIRECTORY} /root/services && mount -t tmpfs -o mode=755 tmpfs {DIRECTORY} && cp /root/services/* {DIRECTORY}"
ODD = f"mkfifo {DIRECTORY}/pipe.svc && echo >{DIRECTORY}/leased.svc && chown nobody {DIRECTORY}/leased.svc"


def reload_files(box):
    return ask(box, "/bin/sh", "-c", "svcctl reload-files; echo exit $?")[1]


with Sandbox(SERVICES, policy="[runlevel 2]\nActivate=victim talker other\n", files=attack.FILES) as box:
    box.wait_states({"victim": "ready", "talker": "ready", "other": "ready"})
    other = box.pid("other")
    names = set(box.services())
    box.run("/bin/sh", "-c", MOVE)
    box.write(f"{DIRECTORY}/new.svc", SLEEP)

    with Attack(box, "hold-directory", DIRECTORY, "writer"):
        said = reload_files(box)
        assert "exit 1" in said and DIRECTORY in said, said
        check_responsive(box)
        assert set(box.services()) == names
        box.kill_manager()
        assert set(box.services()) == names and box.pid("other") == other
        box.svcctl("start", "template@x")
        box.wait_state("template@x", "ready")
        check_responsive(box)

    said = reload_files(box)
    assert "exit 0" in said, said
    assert "new" in box.services() and box.pid("other") == other

    box.run("/bin/sh", "-c", ODD)
    with Attack(box, "hold-lease", f"{DIRECTORY}/leased.svc"):
        box.write(f"{DIRECTORY}/newer.svc", SLEEP)
        said = reload_files(box)
        assert "exit 10" in said, said  # these two files have an error
        check_responsive(box)
        assert "newer" in box.services()
        said = box.svcctl("check", check=False).stdout
        assert "pipe.svc: it is a FIFO" in said and "leased.svc: " in said, said
