#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
svcd compared with other init systems, each as PID 1 of a sandbox with the same services.
limit: 5400

They take turns. The measurements are 1,000 services that start at once, one after the other, or in
layers; memory; the time from an event to exec; the cost of idling.

$SVCD_BENCH_PEERS selects inits. $SVCD_BENCH_ROUNDS, $SVCD_BENCH_SERVICES, $SVCD_BENCH_IDLE_S and
$SVCD_BENCH_EVENTS make the bench shorter. It prints one line of JSON, then the same as a table.
"""

import json
import os
import statistics
import struct
import sys
import time

from deadline import DeadlinePassed, wait_for
from peers import HAS_DEPENDENCIES, NOTER, NOTES, PACKAGES, Peer
from sandbox import memory_of

N_SERVICES = int(os.environ.get("SVCD_BENCH_SERVICES", "1000"))
ROUNDS = int(os.environ.get("SVCD_BENCH_ROUNDS", "5"))
IDLE_S = int(os.environ.get("SVCD_BENCH_IDLE_S", "60"))
EVENTS = int(os.environ.get("SVCD_BENCH_EVENTS", "200"))
PEERS = os.environ.get("SVCD_BENCH_PEERS", " ".join(PACKAGES)).split()

FEW = 3
A_LAYER = 50
NEEDS = 3
LIMIT_S = 120
REST_S = 3    # svcd frees memory a second after a burst
QUIET_S = 15  # until the last consequence of a boot is over

WATCH_SVCD = f"[Service]\nExec={NOTER}\n[Conditions]\nWhile=path:/run/bench/go\n"
WATCH_SYSTEMD = {
    "/etc/systemd/system/go.path": "[Unit]\nDefaultDependencies=no\n[Path]\nPathExists=/run/bench/go\n",
    "/etc/systemd/system/go.service": "[Unit]\nDefaultDependencies=no\nStartLimitIntervalSec=0\n[Service]\nType=exec\n"
                                      f"ExecStart={NOTER}\nStandardOutput=null\nStandardError=null\n",
    "/etc/systemd/system/bench.target.wants/go.path": {"link": "../go.path"},
}


def flat(n):
    return {f"s{number}": [] for number in range(n)}


def chain(n):
    return {f"s{number}": [f"s{number - 1}"] if number else [] for number in range(n)}


def layered(n):
    """Each service needs three of the previous layer."""
    def needs(number):
        before = (number // A_LAYER - 1) * A_LAYER
        return [f"s{before + (number + 7 * which) % A_LAYER}" for which in range(NEEDS)] if before >= 0 else []
    return {f"s{number}": needs(number) for number in range(n)}


SHAPES = {"flat": flat, "chain": chain, "layered": layered}


def notes(box):
    """The exec times of the services, in order; milliseconds of CLOCK_MONOTONIC."""
    with open(box.path(NOTES), "rb") as file:
        data = file.read()
    return [number / 1e6 for (number,) in struct.iter_unpack("=Q", data[:len(data) // 8 * 8])]


def n_notes(box):
    try:
        return os.path.getsize(box.path(NOTES)) // 8
    except OSError:
        return 0


def supervisors(box):
    """The pids, outside the sandbox, of all processes except the services."""
    return [outer for outer, _parent, name, state in box.processes().values() if name != "noter" and state != "Z"]


def nanoseconds(pids):
    total = 0
    for pid in pids:
        with open(f"/proc/{pid}/schedstat", encoding="ascii") as file:
            total += int(file.read().split()[0])
    return total


def reaped_ms(pid1):
    """CPU time of ended children of PID 1 and their children, mainly scripts."""
    with open(f"/proc/{pid1}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[13]) + int(fields[14])) * 1000 / os.sysconf("SC_CLK_TCK")


def status_sum(pids, word):
    total = 0
    for pid in pids:
        with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
            total += sum(int(line.split()[1]) for line in file if word in line)
    return total


def memory(pids):
    each = [memory_of(pid) for pid in pids]
    return {"pss": sum(one["pss"] for one in each), "private": sum(one["private"] for one in each)}


def boot(peer, shape):
    """Start all services of that shape, and measure from PID 1's exec on. Returns a dictionary of
    figures, or None if not all services came up."""
    box = peer.sandbox(SHAPES[shape](N_SERVICES))
    box.start()
    try:
        wait_for(lambda: n_notes(box) >= N_SERVICES, LIMIT_S, "all services were executed")
        executed = notes(box)[:N_SERVICES]
        figures = {"ready_ms": max(executed) - box.booted_at * 1000,
                   "steps_ms": [b - a for a, b in zip(executed, executed[1:])] if shape == "chain" else None}
        time.sleep(REST_S)
        mine = supervisors(box)
        figures["cpu_ms"] = nanoseconds(mine) / 1e6 + reaped_ms(box.pid1)
        figures["cpu_all_ms"] = figures["cpu_ms"] + nanoseconds(
            outer for outer, _parent, name, _state in box.processes().values() if name == "noter") / 1e6
        figures["peak_kib"] = status_sum(mine, "VmHWM")
        figures["pid1"] = memory_of(box.pid1)
        figures["memory"] = memory(mine)
        if peer.name == "svcd":
            figures["floor_ms"] = int(box.run("/usr/local/bin/spawn-floor", NOTER, str(N_SERVICES)).stdout) / 1000
        return figures
    except (DeadlinePassed, OSError):
        return None
    finally:
        box.tear_down()


def spread(values, digits=1):
    return {"min": round(min(values), digits), "median": round(statistics.median(values), digits),
            "max": round(max(values), digits)}


def summarise(rounds):
    """Summarise the rounds of one peer and one shape."""
    figures = {name: spread([one[name] for one in rounds])
               for name in ("ready_ms", "cpu_ms", "cpu_all_ms", "peak_kib")}
    for name in ("pid1", "memory"):
        figures[name] = {kind: round(statistics.median(one[name][kind] for one in rounds)) for kind in ("pss", "private")}
    if rounds[0]["steps_ms"]:
        steps = [step for one in rounds for step in one["steps_ms"][:EVENTS]]
        figures["dependency_to_exec_ms"] = {"median": round(statistics.median(steps), 3), "worst": round(max(steps), 3)}
    return figures


def boots(peers):
    """Run the rounds of all shapes. The peers take turns, and a peer that failed a shape skips it.
    """
    rounds = {}
    floors = []
    out = set()
    for _round in range(ROUNDS):
        for shape in SHAPES:
            for peer in peers:
                if (shape, peer.name) in out or (shape != "flat" and peer.name not in HAS_DEPENDENCIES):
                    continue
                figures = boot(peer, shape)
                if figures:
                    rounds.setdefault(shape, {}).setdefault(peer.name, []).append(figures)
                    floors += [figures["floor_ms"]] if "floor_ms" in figures else []
                else:
                    out.add((shape, peer.name))
    summary = {shape: {name: summarise(each) for name, each in of.items()} for shape, of in rounds.items()}
    for shape, name in out:
        summary.setdefault(shape, {}).setdefault(name, None)
    return summary, spread(floors) if floors else None


def idle(peers):
    """Run all peers at the same time, with a few services: their cost in a minute, and their
    memory.
    """
    boxes = {peer.name: peer.sandbox(flat(FEW)) for peer in peers}
    try:
        for box in boxes.values():
            box.start()
        for box in boxes.values():
            wait_for(lambda box=box: n_notes(box) >= FEW, LIMIT_S, "the few services were executed")
        time.sleep(QUIET_S)
        pids = {name: supervisors(box) for name, box in boxes.items()}
        began = {name: (nanoseconds(mine), status_sum(mine, "ctxt_switches")) for name, mine in pids.items()}
        time.sleep(IDLE_S)
        return {name: {"cpu_us": round((nanoseconds(mine) - began[name][0]) / 1000),
                       "switches": status_sum(mine, "ctxt_switches") - began[name][1],
                       "pid1": memory_of(boxes[name].pid1), "memory": memory(mine)}
                for name, mine in pids.items()}
    finally:
        for box in boxes.values():
            box.tear_down()


def one_event(box, again):
    """A file appears; milliseconds to the exec of the waiting service."""
    n_before = n_notes(box)
    began_ms = time.monotonic_ns() / 1e6
    with open(box.path("/run/bench/go"), "wb"):
        pass
    deadline = time.monotonic() + LIMIT_S
    while n_notes(box) == n_before and time.monotonic() < deadline:
        time.sleep(0.0005)
    took = notes(box)[n_before] - began_ms
    box.remove("/run/bench/go")
    again()
    return took


def file_to_exec(peer):
    """Only for peers that can wait for a file."""
    more = WATCH_SYSTEMD if peer.name == "systemd" else {"/etc/svcd/services.d/go.svc": WATCH_SVCD,
                                                         "/etc/svcd/policy.d/go.policy": "[runlevel 2]\nActivate=go\n"}
    box = peer.sandbox(flat(FEW), more)
    box.start()
    try:
        wait_for(lambda: n_notes(box) >= FEW, LIMIT_S, "the few services were executed")
        if peer.name == "systemd":
            wait_for(lambda: box.run("systemctl", "is-active", "go.path", check=False).stdout == "active\n", LIMIT_S, "it waits")
            again = lambda: box.run("systemctl", "stop", "go.service")  # noqa: E731
        else:
            again = lambda: box.wait_state("go", "waiting")  # noqa: E731
            again()
        took = [one_event(box, again) for _event in range(EVENTS)]
        return {"median": round(statistics.median(took), 3), "worst": round(max(took), 3)}
    finally:
        box.tear_down()


def cell(value, of=None):
    return "-" if value is None else f"{value:.0f}" if of is None else f"{value:.0f} ({value / of:.2f})"


def table(result):
    """A table of medians; in brackets the multiple of the floor."""
    floor = result["floor_ms"]["median"] if result["floor_ms"] else None
    lines = [f"{N_SERVICES} services; bare fork and exec: {cell(floor)} ms",
             f"{'':10} {'flat ms':>14} {'chain ms':>14} {'layered ms':>14} {'CPU ms':>8} {'Pss KiB':>8} {'PID 1':>7} "
             f"{'few: Pss':>9} {'PID 1':>6} {'idle us':>8} {'switches':>9}"]
    for name in PEERS:
        shapes = [(result["boots"].get(shape) or {}).get(name) for shape in SHAPES]
        times = [f"{cell(one['ready_ms']['median'] if one else None, floor):>14}" for one in shapes]
        full = shapes[0] or {}
        rest = result["idle"].get(name)
        lines.append(f"{name:10} {' '.join(times)} {cell(full['cpu_ms']['median'] if full else None):>8} "
                     f"{cell(full['memory']['pss'] if full else None):>8} {cell(full['pid1']['private'] if full else None):>7} "
                     f"{rest['memory']['pss']:>9} {rest['pid1']['private']:>6} {rest['cpu_us']:>8} {rest['switches']:>9}")
    for name, took in result["file_to_exec_ms"].items():
        lines.append(f"{name:10} file to exec {took['median']} ms, at worst {took['worst']}")
    for name, one in (result["boots"].get("chain") or {}).items():
        if one:
            took = one["dependency_to_exec_ms"]
            lines.append(f"{name:10} dependency to exec {took['median']} ms, at worst {took['worst']}")
    return "\n".join(lines)


def measure_all():
    peers = [Peer(name) for name in PEERS]
    load = round(os.getloadavg()[0], 2)
    summary, floor = boots(peers)
    return {"bench": "peers", "services": N_SERVICES, "rounds": ROUNDS, "load": load, "floor_ms": floor, "boots": summary,
            "idle_s": IDLE_S, "idle": idle(peers), "events": EVENTS,
            "file_to_exec_ms": {peer.name: file_to_exec(peer) for peer in peers if peer.name in ("svcd", "systemd")}}


measured = measure_all()
print(json.dumps(measured))
print(table(measured), file=sys.stderr)
