#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""An unkillable process, which waits for a server that does not answer: a shutdown names it and
continues."""

import os
import re
import signal
import time

from deadline import wait_for
from sandbox import Sandbox

with open(os.path.join(os.path.dirname(__file__), "..", "lib", "hung_fuse.pl"), encoding="utf-8") as file:
    HUNG = file.read()

SERVICES = {
    "remote": "[Service]\nPrepare=/bin/mknod /dev/fuse c 10 229\nExec=/usr/bin/perl /hung_fuse.pl /srv /run/hangs\n"
              "Ready=path:/run/hangs\nStopTimeout=1s\n",
    # This service stops after the unkillable one.
    "first": "[Service]\nExec=/bin/sleep infinity\n[Conditions]\nBefore=remote\n",
}


with Sandbox(SERVICES, files={"/hung_fuse.pl": HUNG, "/srv": {"directory": True}}) as box:
    box.wait_state("remote", "ready")
    mounts = box.read("/proc/1/mountinfo")
    connection = int(re.search(r"^\d+ \d+ 0:(\d+) / /srv ", mounts, re.MULTILINE).group(1))
    box.run("mkdir /run/fusectl && mount -t fusectl none /run/fusectl")
    # Without this the sandbox would never end, because the kernel waits for all processes of its
    # namespace.
    abort = os.open(box.path(f"/run/fusectl/{connection}/abort"), os.O_WRONLY)
    try:
        stuck = int(box.read("/run/hangs"))
        box.kill(stuck)
        wait_for(lambda: box.processes()[stuck][3] == "D", what="it is in uninterruptible sleep")

        began = time.monotonic()
        os.kill(box.pid1, signal.SIGRTMIN + 4)
        box.wait_console("svcd: powering off now", 90)
        print(f"{time.monotonic() - began:.1f} s to the end with a process in uninterruptible sleep")
        assert box.processes()[stuck][3] == "D"
        said = box.console()
        assert f"svcd: remote: cannot be killed, because it waits in the kernel for a disk or a server: perl ({stuck})" in said, said
        assert re.search(rf"svcd: 1 process has not ended yet: perl \({stuck}\) of remote; going on without them in \d s", said), said
        assert said.index("remote: cannot be killed") < said.index("first: stopping"), said
        assert said.index("first: stopping") < said.index("every service has stopped"), said
    finally:
        os.write(abort, b"1")
