#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""svcd loads 10,000 service files, and is not slower afterwards."""

from sandbox import Sandbox

N_FILES = 10_000

files = {f"/etc/svcd/services.d/bulk-{number}.svc": f"[Service]\nExec=/bin/sleep {number}\n[Conditions]\nWhen=flag:bulk\n"
         for number in range(N_FILES)}
files["/etc/svcd/services.d/one.svc"] = "[Service]\nExec=/bin/sleep infinity\n"

with Sandbox(files=files, policy="[runlevel 2]\nActivate=one\n") as box:
    box.wait_state("one", "ready", seconds=180)
    assert len(box.services()) == N_FILES + 1

    pid = box.pid("one")
    box.kill_manager()
    box.wait_state("one", "ready", seconds=180)
    assert box.pid("one") == pid
