#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
One allocation of the manager fails while it reads or lists devices: it does not lose a device, and
does not stop a service. SVCD_TEST_ALLOCATIONS=0 tests each allocation.
"""

import os

from deadline import wait_for
from no_memory import MANAGER_FILES, STAGE, Sweep, next_manager
from sandbox import Sandbox

MOST = int(os.environ.get("SVCD_TEST_ALLOCATIONS", "8"))
REAL = "/devices/system/cpu/cpu0"
GATE = "/devices/virtual/block/gate"

SERVICES = {
    "real": f"[Service]\nExec=/bin/sleep infinity\n[Conditions]\nWhile=udev:DEVPATH={REAL}\n",
    "gate": "[Service]\nExec=/bin/sleep infinity\n[Conditions]\nWhile=udev:SUBSYSTEM=block ID_GATE=open\n",
}


def tell(box, word, state):
    """The next manager does not know a device that only this test has announced, so its event is
    sent again.
    """
    def done():
        box.send_events(1, "change", GATE, "SUBSYSTEM=block", "DEVNAME=/dev/gate", f"ID_GATE={word}")
        answer = box.svcctl("status", "--properties", "gate", "-p", "State", check=False)
        return state in answer.stdout
    wait_for(done, what=f"the gate is {word}")


def change(box):
    """Change the properties of two existing devices."""
    box.send_events(1, "change", REAL, "SUBSYSTEM=cpu", "ID_NEWS=1")
    tell(box, "open", "ready")
    tell(box, "closed", "waiting")


with Sandbox(SERVICES, stage=STAGE, files=MANAGER_FILES, expect_crash=True, udev=True) as box:
    box.wait_states({"udevd": "ready", "real": "ready"})
    sweep = Sweep(box, ["real"], MOST)
    sweep.run(change)
    sweep.run(next_manager)
    sweep.end()
