#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""svcctl stop returns when the stopped run of the service is over, even if another client starts
the service again."""

import threading

from sandbox import Sandbox

SLOW = "#!/bin/sh\ntrap 'sleep 1; exit 0' TERM\nwhile :; do sleep 0.1; done\n"

with Sandbox({"slow": "[Service]\nExec=/usr/local/bin/slow\n"},
             files={"/usr/local/bin/slow": {"text": SLOW, "mode": 0o755}}) as box:
    box.wait_state("slow", "ready")
    old = box.pid("slow")
    answers = []
    stopper = threading.Thread(target=lambda: answers.append(box.svcctl("stop", "slow", check=False)))

    stopper.start()
    box.wait_state("slow", "stopping")
    started = box.svcctl("start", "slow")
    stopper.join(10)

    assert answers, "svcctl stop still waits"
    assert answers[0].returncode == 0, (answers[0].stdout, answers[0].stderr)
    assert "slow started" in started.stdout, started.stdout
    assert box.pid("slow") not in (0, old)
    stopper.join()
