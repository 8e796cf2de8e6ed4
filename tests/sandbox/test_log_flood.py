#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
A service that writes as fast as possible slows down only itself.

svcctl gets answers, other services start and log as before, and the work that the flood causes in
svc-logger is bounded. The service can be stopped, and its last lines are in the log.
"""

import os
import time

from deadline import wait_for
from raw_bus import PEER, Latency, RawBus
from sandbox import Sandbox

# The time limits hold only without sanitizers, which make svcd several times slower.
STAGE = os.environ["SVCD_BUILDS"] + "/stage-bare"

# limits.h: LIMIT_LOG_BURST_BYTES, and the rate of a flood per second. SLACK is for the bytes
# in the channels.
BURST, RATE, SLACK = 4 << 20, (16 << 20) + (256 << 10), 1 << 20

SPEAKER = """import os, time
began = time.monotonic()
line = b"x" * 99 + b"\\n"
for _ in range(1 << 8):
    os.write(1, line * 40)
os.write(1, b"the last line\\n")
with open("/run/took", "w") as file:
    file.write(str(time.monotonic() - began))
"""
SERVICES = {
    "flood": "[Service]\nExec=/usr/bin/yes the quick brown fox jumps over the lazy dog and then goes home for the night\n",
    "quiet": "[Service]\nExec=/bin/sleep infinity\n",
    "quick": "[Service]\nType=task\nExec=/bin/true\n",
    "speaker": "[Service]\nType=task\nExec=/usr/bin/python3 /etc/speaker.py\n",
}


def written(pid):
    with open(f"/proc/{pid}/io", encoding="utf-8") as io:
        return int(next(line for line in io if line.startswith("wchar")).split()[1])


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def logger(box):
    return next(row[0] for row in box.processes().values() if row[2].startswith("svc-logger"))


def speak(box):
    """Returns the MiB per second of a service with finite output, all of which must be in its
    log."""
    if box.exists("/run/took"):
        box.remove("/run/took")
    box.svcctl("restart", "speaker")
    wait_for(lambda: box.exists("/run/took") and box.read("/run/took"), what="the service has written all its output")
    wait_for(lambda: "the last line" in box.read("/run/svcd/log/speaker.log")[-200:], what="the last line is in the log")
    return (40 * 100 * (1 << 8) / (1 << 20)) / float(box.read("/run/took"))


def measure(box, label):
    ping, svcctl, start = Latency("Ping"), Latency("svcctl is"), Latency("svcctl restart of a task")
    client = RawBus(box.path("/run/svcd/private"))
    for _ in range(20):
        ping.measure(lambda: client.ask(PEER, "Ping"))
        svcctl.measure(lambda: box.svcctl("is", "up", "quiet"))
        start.measure(lambda: box.svcctl("restart", "quick"))
    client.close()
    print(f"{label}: {ping}; {svcctl}; {start}; another service writes {speak(box):.1f} MiB/s")
    assert ping.worst() < 1, ping


with Sandbox(SERVICES, policy="[runlevel 2]\nActivate=quiet\n", files={"/etc/speaker.py": SPEAKER}, stage=STAGE) as machine:
    machine.wait_state("quiet", "ready")
    measure(machine, "calm")

    machine.svcctl("start", "flood")
    began = time.monotonic()
    flood = machine.outer_pid(machine.pid("flood"))
    used = cpu_seconds(logger(machine))
    measure(machine, "flood")
    seconds, n_bytes = time.monotonic() - began, written(flood)
    share = (cpu_seconds(logger(machine)) - used) / seconds
    print(f"the flood wrote {n_bytes / seconds / 1e6:.1f} MB/s, its logger had {share * 100:.0f} % of a processor")
    # The flood has started a little earlier.
    assert n_bytes < BURST + (seconds + 1) * RATE + SLACK, (n_bytes, seconds)

    began = time.monotonic()
    machine.svcctl("stop", "flood")
    machine.wait_state("flood", "idle")
    print(f"the flood is stopped in {(time.monotonic() - began) * 1000:.0f} ms")
