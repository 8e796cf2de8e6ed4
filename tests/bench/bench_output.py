#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
The output of 100 services: memory while all are silent, and the time to read 10 MB that all write
at once.

The memory is that of svc-logger, and that of the kernel if there is a memory controller of cgroup
v1.
"""

import json
import os
import statistics
import time

from deadline import wait_for
from sandbox import Sandbox, memory_of

N_SERVICES = 100
ROUNDS = 10
BYTES = 100_000
NAMES = [f"s{number}" for number in range(N_SERVICES)]
LINE = "a line of 80 bytes, which is about what a line in the log of a daemon mostly has"
GROUPS = "/sys/fs/cgroup/memory"

# A service writes when it reads a line from its fifo, so all start at once and each round has the
# same processes. A service writes that line last.
WRITER = f"while read -r round <&3; do yes '{LINE}' | head -c {BYTES}; echo; echo $round; done"
SERVICE = "[Service]\nExec=/bin/sh -c \"mkfifo /dev/shm/go-{name}; exec 3<>/dev/shm/go-{name}; " + WRITER + "\"\n"


class KernelMemory:
    """The kernel's own allocations for this process and its children."""

    def __init__(self):
        self.path = f"{GROUPS}/svcd-bench-{os.getpid()}"
        try:
            os.mkdir(self.path)
            with open(f"{self.path}/cgroup.procs", "w", encoding="ascii") as procs:
                procs.write("0")
        except OSError:
            self.path = None

    def kib(self):
        if not self.path:
            return None
        with open(f"{self.path}/memory.kmem.usage_in_bytes", encoding="ascii") as usage:
            return int(usage.read()) // 1024

    def leave(self):
        """A cgroup that still has a process is removed by the machine's next clean-up."""
        if self.path:
            with open(f"{GROUPS}/cgroup.procs", "w", encoding="ascii") as procs:
                procs.write("0")
            os.rmdir(self.path)


def logger_pid(box):
    for inner in box.processes():
        if os.path.basename(box.run("readlink", f"/proc/{inner}/exe", check=False).stdout.strip()) == "svc-logger":
            return box.outer_pid(inner)
    raise AssertionError("svc-logger does not run")


def cpu_ms(pid):
    with open(f"/proc/{pid}/schedstat", encoding="utf-8") as file:
        return int(file.read().split()[0]) / 1e6


def ends_with(path, line):
    try:
        with open(path, "rb") as log:
            log.seek(max(0, os.fstat(log.fileno()).st_size - 100))
            return log.read().endswith(f"{line}\n".encode())
    except FileNotFoundError:  # a new file is just replacing a full one
        return False


def one_round(box, logger, number):
    line = f"end of round {number}"
    before, began = cpu_ms(logger), time.monotonic()
    for name in NAMES:
        box.write(f"/dev/shm/go-{name}", f"{line}\n")
    for name in NAMES:
        wait_for(lambda path=box.path(f"/run/svcd/log/{name}.log"): ends_with(path, line), 120, "its last line is in its log")
    return (time.monotonic() - began) * 1000, cpu_ms(logger) - before


def spread(values):
    return {"min": round(min(values)), "median": round(statistics.median(values)), "max": round(max(values))}


services = {name: SERVICE.format(name=name) for name in NAMES}
kernel = KernelMemory()
with Sandbox(services, policy="[runlevel 2]\n[runlevel 3]\n" + "".join(f"Activate={name}\n" for name in NAMES)) as box:
    box.wait_at_rest()
    before = kernel.kib()
    box.svcctl("runlevel", "3")
    wait_for(lambda: all(box.exists(f"/dev/shm/go-{name}") for name in NAMES), 60, "all are there")
    box.wait_at_rest()
    after = kernel.kib()
    logger = logger_pid(box)
    memory = memory_of(logger)
    rounds = [one_round(box, logger, number) for number in range(ROUNDS)]
kernel.leave()

print(json.dumps({
    "bench": "output", "services": N_SERVICES, "rounds": ROUNDS, "megabytes": N_SERVICES * BYTES / 1e6,
    "ms": spread([took for took, _cpu in rounds]), "logger_cpu_ms": spread([cpu for _took, cpu in rounds]),
    "logger_kib": memory, "kernel_kib_per_service": None if after is None else round((after - before) / N_SERVICES, 1),
}))
