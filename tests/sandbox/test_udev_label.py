#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""label: follows real volumes through a real udevd: attached, relabelled, detached; labels with blanks; two with one label."""

import os

from sandbox import Failure, Sandbox

# Loop devices belong to the machine: no other test may have these labels.
ONE, OTHER = f"one-{os.getpid()}", f"oth-{os.getpid()}"
BLANKS = f"a/b {os.getpid()} ü"


def service(label):
    return f"[Service]\nExec=/bin/sleep infinity\n[Conditions]\nWhile=\"label:{label}\"\n"


with Sandbox({"one": service(ONE), "other": service(OTHER), "blanks": service(BLANKS)}, udev=True) as box:
    box.wait_states({"udevd": "ready", "one": "waiting", "other": "waiting", "blanks": "waiting"})
    box.wait_udev_known("one")

    device = box.attach(box.volume(ONE))
    box.wait_state("one", "ready")

    box.run("e2label", device, OTHER)
    box.wait_states({"one": "waiting", "other": "ready"})

    second = box.attach(box.volume(OTHER))
    box.run("udevadm", "settle")
    pid = box.pid("other")
    box.detach(device)
    box.run("udevadm", "settle")
    box.wait_at_rest()
    if box.pid("other") != pid:
        raise Failure("a service was touched though a second volume has its label")

    box.detach(second)
    box.wait_state("other", "waiting")

    device = box.attach(box.volume(BLANKS))
    box.wait_state("blanks", "ready")
    pid = box.pid("blanks")
    box.kill_manager()
    box.wait_state("blanks", "ready")
    if box.pid("blanks") != pid:
        raise Failure("another manager has restarted a service whose volume was there all the time")

    box.detach(device)
    box.wait_state("blanks", "waiting")
