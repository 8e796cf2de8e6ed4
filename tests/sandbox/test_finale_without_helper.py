#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""svc-finale is missing or hangs: PID 1 reports it, ends all processes itself, and shuts down the
machine."""

import os
import signal

from sandbox import Sandbox

STUBBORN = "[Service]\nExec=/bin/sh -c \"trap '' TERM; while :; do sleep 0.1; done\"\nStopTimeout=1s\n"
HANGS = "#!/bin/sh\ntrap '' TERM\nwhile :; do sleep 1; done\n"


def check(prepare, expected):
    with Sandbox({"a": STUBBORN}, expect_crash=True) as box:
        box.wait_state("a", "ready")
        box.run(prepare)
        os.kill(box.manager_pid(), signal.SIGSTOP)
        os.kill(box.pid1, signal.SIGRTMIN + 4)
        status = box.wait_end()
        assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGINT, f"wait status {status:#x}"
        assert expected in box.console(), box.console()


check("rm /usr/lib/svcd/svc-finale", "/usr/lib/svcd/svc-finale: cannot execute it: No such file or directory")
check(f"cat >/usr/lib/svcd/svc-finale <<'E'\n{HANGS}E\nchmod 755 /usr/lib/svcd/svc-finale", "svc-finale processes takes too long; the shutdown continues")
