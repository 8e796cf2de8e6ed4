#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
The delay that each attack of tests/lib/attack_set.py causes in svcd, compared with the same load.
limit: 1500

Each attack has two sandboxes. In one the attack runs. In the other, processes of user nobody use as
much CPU time as the attackers in the first. The same values are measured in both,
$SVCD_BENCH_ROUNDS times (60), in milliseconds, with the 95th percentile of each:

    pid1     PID 1 reaps a killed orphan
    manager  a Ping on the private socket gets its answer
    restart  a killed service is executed again
    output   a line of another service is in its log

A measurement of more than five seconds counts as a hang. $SVCD_BENCH_ATTACKS selects attacks (a
regular expression). The bench prints one line of JSON, and a table.
"""

import json
import math
import os
import re
import select
import statistics
import subprocess
import time

import attack
import attack_set
from attack import Attack
from deadline import DeadlinePassed, wait_for
from raw_bus import PEER, RawBus
from sandbox import Sandbox

# Fewer than 64, because 64 exits within a second reach the largest effective RestartLimit=.
ROUNDS = int(os.environ.get("SVCD_BENCH_ROUNDS", "60"))
ONLY = os.environ.get("SVCD_BENCH_ATTACKS", "")
BAR_MS = 100
HANG_S = 5.0
MEASURES = ("pid1", "manager", "restart", "output")
NOTES = "/run/notes"
LOG = "/run/svcd/log/talker.log"
TICK = os.sysconf("SC_CLK_TCK")

# The directories that change at run time.
DIRECTORIES = ("/run", "/run/svcd", "/sys/fs/cgroup", "/sys/fs/cgroup/svcd", "/proc", "/dev", "/dev/shm")
PLANS = [plan for plan in attack_set.PLANS
         if not plan.name.startswith("directory-") or plan.name in {attack_set.directory_name(path) for path in DIRECTORIES}]

NOTER = (f"[Service]\nExec={attack.PROGRAM} note {NOTES}\nRestart=always\nRestartDelay=1ms\nRestartDelayMax=1ms\n"
         "RestartLimit=100000/1s\n")


class Waits(Exception):
    """A measurement took longer than HANG_S."""


def poll_until(condition):
    """Poll every 0.2 ms, because a measurement takes about 1 ms."""
    until = time.monotonic() + HANG_S
    while not condition():
        if time.monotonic() > until:
            raise Waits
        time.sleep(0.0002)


class Probe:
    """The measurements in one sandbox, with everything opened in advance."""

    def __init__(self, box):
        self.box = box
        self.bus = None
        self.talk = os.open(box.path("/run/talk"), os.O_RDWR)
        self.log = -1
        self.notes = os.open(box.path(NOTES), os.O_RDONLY)
        self.reaper = subprocess.Popen(box.command([attack.PROGRAM, "reap"]), stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def close(self):
        self.reaper.stdin.close()
        for fd in (self.talk, self.log, self.notes):
            if fd >= 0:
                os.close(fd)

    def pid1(self):
        self.reaper.stdin.write(b"\n")
        self.reaper.stdin.flush()
        if not select.select([self.reaper.stdout], [], [], HANG_S)[0]:
            raise Waits
        return int(os.read(self.reaper.stdout.fileno(), 64)) / 1e6

    def manager(self):
        """If the connection leads to an earlier manager, connect again."""
        began = time.monotonic()
        while True:
            try:
                self.bus = self.bus or RawBus(self.box.path("/run/svcd/private"), seconds=HANG_S)
                self.bus.ask(PEER, "Ping")
                return (time.monotonic() - began) * 1000
            except (OSError, RuntimeError) as problem:
                self.bus = None
                if isinstance(problem, TimeoutError) or time.monotonic() - began > HANG_S:
                    raise Waits from None
                time.sleep(0.001)

    def _last_note(self):
        lines = os.pread(self.notes, 1 << 20, 0).decode().splitlines()
        return [int(word) for word in lines[-1].split()]

    def restart(self):
        _when, inner = self._last_note()
        outer = self.box.outer_pid(inner)
        began = time.monotonic_ns()
        os.kill(outer, 9)
        poll_until(lambda: self._last_note()[1] != inner)
        return (self._last_note()[0] - began) / 1e6

    def output(self):
        if self.log < 0:
            poll_until(lambda: self.box.exists(LOG))
            self.log = os.open(self.box.path(LOG), os.O_RDONLY)
        word = b"said %d\n" % time.monotonic_ns()
        size = os.fstat(self.log).st_size
        began = time.monotonic()
        os.write(self.talk, word[5:])
        poll_until(lambda: word in os.pread(self.log, 65536, size))
        return (time.monotonic() - began) * 1000


def measure(probe):
    """name -> milliseconds of each round. A hang counts as HANG_S. After three hangs the other
    rounds are skipped."""
    found = {name: [] for name in MEASURES}
    hangs = {name: 0 for name in MEASURES}
    for _round in range(ROUNDS):
        for name in MEASURES:
            if hangs[name] >= 3:
                continue
            try:
                found[name].append(getattr(probe, name)())
            except (Waits, KeyError):
                hangs[name] += 1
                found[name] += [HANG_S * 1000] * (ROUNDS // 10 + 1)
    probe.close()
    return found


def cpu_s(box):
    """The CPU time of the attackers, and of the bus that works for them."""
    total = 0
    for outer, _parent, name, _state in box.processes().values():
        if name in ("attack", "dbus-daemon"):
            try:
                with open(f"/proc/{outer}/stat", encoding="utf-8") as stat:
                    total += sum(int(word) for word in stat.read().rsplit(")", 1)[1].split()[11:13])
            except OSError:
                pass
    return total / TICK


def machine(plan):
    return Sandbox({**attack_set.services_of([plan]), "noter": NOTER}, policy=attack_set.policy_of([plan]) + "Activate=noter\n",
                   files={**attack_set.files_of([plan]), NOTES: {"text": "", "mode": 0o666}})


def ready(box):
    """Return the probe, which opens everything before an attack."""
    attack.keeper(box)
    box.expect_crash = True # a hanging manager is replaced; the figures show it
    box.run("ip", "link", "set", "lo", "up")
    try:
        box.wait_console("noter: ready", HANG_S)
        attack.check_output(box, HANG_S)
    except AssertionError:
        pass # an attack began with the start of its service; the measurements show its waits
    return Probe(box)


def under_attack(plan):
    """Return the measurements, the ways in which the attackers hold their objects, and the CPU
    share of the attackers."""
    with machine(plan) as box:
        probe = ready(box)
        attackers = plan.begin(box)
        try:
            ways = plan.wait(box)
        except DeadlinePassed:
            ways = []
        plan.go_on(box)
        before, began = cpu_s(box), time.monotonic()
        found = measure(probe)
        share = max(0.0, (cpu_s(box) - before) / (time.monotonic() - began))
        for attacker in attackers:
            attacker.end()
    return found, ways, share


def under_load(plan, share):
    """The plan without its attacking services."""
    calm = attack_set.Plan(plan.name)
    with machine(calm) as box:
        probe = ready(box)
        n_busy = math.ceil(share)
        load = [Attack(box, "busy", str(max(1, round(share * 100 / n_busy)))).__enter__() for _number in range(n_busy)]
        found = measure(probe)
        for process in load:
            process.end()
    return found


def p95(values):
    return statistics.quantiles(values, n=20)[-1]


def bench(plan):
    attacked, ways, share = under_attack(plan)
    calm = under_load(plan, share)
    row = {"attack": plan.name, "holds": sorted(set(ways)), "processors": round(share, 2)}
    for name in MEASURES:
        row[name] = {"attack": round(p95(attacked[name]), 1), "load": round(p95(calm[name]), 1),
                     "difference": round(p95(attacked[name]) - p95(calm[name]), 1)}
    return row


def cell(figures):
    text = f"{figures['attack']:.1f} − {figures['load']:.1f} = {figures['difference']:.1f}"
    return text if figures["difference"] <= BAR_MS else f"**{text}**"


rows = [bench(plan) for plan in PLANS if re.search(ONLY, plan.name)]
print(json.dumps({"bench": "attacks", "rounds": ROUNDS, "bar_ms": BAR_MS, "attacks": rows}))
print("| attack | holds by | processors | " + " | ".join(MEASURES) + " |")
print("|---|---|---|" + "---|" * len(MEASURES))
for row in rows:
    print(f"| {row['attack']} | {', '.join(row['holds']) or 'nothing'} | {row['processors']} | " +
          " | ".join(cell(row[name]) for name in MEASURES) + " |")
over = [f"{row['attack']} ({name})" for row in rows for name in MEASURES if row[name]["difference"] > BAR_MS]
print(f"more than {BAR_MS} ms beyond the load: {', '.join(over) or 'none'}")
