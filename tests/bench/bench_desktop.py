#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# limit: 5400
"""
One desktop, booted by svcd, by sysvinit with elogind, and by systemd: times from the exec of the
init.

The times end when gdm runs, when the greeter has its session, when it is drawn, and when each
daemon is up. A picture of each drawn greeter is taken. Processes that do not run under all three
inits are listed.

Time is counted in instructions (watched_boot.py). SVCD_BENCH_ROUNDS (3) rounds, all inits in each;
SVCD_BENCH_PEERS selects inits.
"""

import json
import os
import sys

import desktop_peers
import vm_image
from watched_boot import boot, spread

ROUNDS = int(os.environ.get("SVCD_BENCH_ROUNDS", "3"))
PEERS = [peer for peer in desktop_peers.PEERS if peer.name in os.environ.get("SVCD_BENCH_PEERS", peer.name).split()]

# The kernel lets boot-watch read the screen's memory. GNOME Shell needs more memory than a server.
WORDS = "iomem=relaxed bench.login=no bench.limit=120"
MACHINE = {"screen": True, "memory_mib": 2048}


def when(result, kind):
    """The time when the last daemon of @kind was up (None: of all kinds); None if one of them never
    was."""
    times = [us for what, us in result.items() if what.startswith(f"daemon {kind}" if kind else "daemon ") and
             (kind or not what.startswith(("daemon greeter", "daemon colours")))]
    return None if not times or min(times) < 0 else max(times)


def moments(result):
    found = {"gdm": when(result, "comm gdm3"), "session": when(result, "greeter"), "drawn": when(result, "colours"),
             "daemons": when(result, None), "busy": result.get("busy"), "own": result.get("own"), "off": result["off"]}
    return {name: us for name, us in found.items() if us is not None}


def summary(results):
    rounds = [moments(result) for result in results]
    return {name: spread([one[name] for one in rounds if name in one]) for name in rounds[0]}


def print_table(figures):
    columns = ("gdm", "session", "drawn", "daemons", "busy", "own", "off")
    print(f"{'':<18} " + " ".join(f"{name:>8}" for name in columns) + "   (ms, medians)", file=sys.stderr)
    for name, row in figures.items():
        cells = " ".join(f"{row[key]['median_ms'] if key in row else '-':>8}" for key in columns)
        print(f"{name:<18} {cells}", file=sys.stderr)


def print_processes(processes):
    """@processes: of each init, the names of its processes at the end."""
    common = set.intersection(*processes.values())
    print(f"in all: {' '.join(sorted(common))}", file=sys.stderr)
    for name, own in processes.items():
        print(f"{name}: {' '.join(sorted(own - common))}", file=sys.stderr)


with vm_image.work_directory() as work:
    results = {peer.name: [] for peer in PEERS}
    for _round in range(ROUNDS):
        for peer in PEERS:
            results[peer.name].append(boot(peer, desktop_peers.debian(peer), work, WORDS, **MACHINE))
            print(f"{peer.name}: {results[peer.name][-1]}", file=sys.stderr, flush=True)

figures = {name: summary(rounds) for name, rounds in results.items()}
print_processes({name: set(rounds[-1]["processes"]) for name, rounds in results.items()})
print_table(figures)
print(json.dumps({"bench": "desktop", "rounds": ROUNDS, "inits": figures,
                  "daemons_ms": {name: {what[7:-1].strip(): us // 1000 for what, us in rounds[0].items() if what.startswith("daemon ")}
                                 for name, rounds in results.items()}}))
