#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""30,000 orphans that end at once: all are reaped, and svcctl gets answers meanwhile."""

import os
import time

from deadline import wait_for
from sandbox import Sandbox

# Built without sanitizers, because otherwise the test would measure their slowness.
STAGE = os.environ["SVCD_BUILDS"] + "/stage-bare"

N_ORPHANS = 30000
# The parent does not reap its children. When the parent ends, PID 1 gets all the zombies at once.
STORM = f"""use strict;
for (1 .. {N_ORPHANS}) {{
	my $pid = fork();
	die "fork: $!" if !defined($pid);
	exit(0) if $pid == 0;
}}
open(my $file, ">", "/run/all"); close($file);
select(undef, undef, undef, 0.02) until -e "/run/go";
"""


def n_processes(box):
    """The kernel's number of processes, zombies included."""
    with open(box.path("/proc/loadavg"), encoding="ascii") as loadavg:
        return int(loadavg.read().split()[3].split("/")[1])


with Sandbox({"a": "[Service]\nExec=/bin/sleep infinity\n",
              "storm": "[Service]\nExec=/usr/bin/perl /storm.pl\nTasksMax=infinity\nRestart=no\n"},
             stage=STAGE, policy="[runlevel 2]\nActivate=a\n", files={"/storm.pl": STORM}) as box:
    pid = box.wait_state("a", "ready")["pid"]
    box.svcctl("start", "storm")
    wait_for(lambda: box.exists("/run/all"), 200, "all are there")
    before = n_processes(box)
    assert before > N_ORPHANS, before

    box.write("/run/go", "")
    began = time.monotonic()
    asked = []
    while n_processes(box) > before - N_ORPHANS + 500:
        began_asking = time.monotonic()
        box.svcctl("status", "a")
        asked.append(time.monotonic() - began_asking)
        assert time.monotonic() - began < 60, "they are not reaped"
    took = time.monotonic() - began
    print(f"{N_ORPHANS} orphans were reaped in {took:.2f} s; svcctl status took {max(asked or [0]) * 1000:.0f} ms at most")
    # The limit is generous, for emulated or busy machines.
    assert took < 30, took
    wait_for(lambda: not [row for row in box.processes().values() if row[3] == "Z"], what="there is no zombie")
    assert box.pid("a") == pid
