#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""shutdown -r +10 prints what will happen and how to cancel it; svcctl shows it until then."""

import subprocess

from deadline import wait_for
from sandbox import Sandbox

SENTENCE = "The system is going down to reboot at "

with Sandbox({"a": "[Service]\nExec=/bin/sleep infinity\n"}) as box:
    box.wait_state("a", "ready")

    waiting = subprocess.Popen(box.command(["/usr/lib/svcd/sysv/shutdown", "-r", "+10"]), stdout=subprocess.PIPE, text=True,
                               env=box.run_environment())
    said = waiting.stdout.readline()
    assert said.startswith(SENTENCE) and said.endswith("; shutdown -c cancels it\n"), said
    shown = [line for line in box.svcctl("status").stdout.splitlines() if SENTENCE in line]
    assert len(shown) == 1 and shown[0].endswith(": svcctl poweroff --cancel cancels it"), shown

    done = box.run("/usr/lib/svcd/sysv/shutdown", "-c")
    assert done.stdout == "The shutdown was cancelled.\n", done
    assert waiting.wait(30) == 1
    wait_for(lambda: SENTENCE not in box.svcctl("status").stdout, what="nothing is pending")
    assert box.state("a") == "ready"
