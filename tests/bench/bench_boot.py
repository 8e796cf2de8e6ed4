#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# limit: 5400
"""
One Debian with 23 real daemons, booted by each init in apt: times of the boot, the login and the
shutdown, and memory.

The time of the boot is from the kernel's exec of the init until each daemon is up. The time of the
shutdown is from the command until the machine is off.

"work" is the lower bound: the CPU time of all processes except svcd's own. No start order reduces
it, and there is only one processor. Reads from the disk overlap with other work.

QEMU counts instructions instead of time (-icount, one processor), so the load of this machine has
no effect, and a run repeats within about one percent. SVCD_BENCH_ROUNDS (3) rounds, all inits in
each; SVCD_BENCH_PEERS selects inits.
"""

import json
import os
import statistics
import sys

import boot_peers
import vm_image
from watched_boot import boot, spread

ROUNDS = int(os.environ.get("SVCD_BENCH_ROUNDS", "3"))
PEERS = [peer for peer in boot_peers.PEERS if peer.name in os.environ.get("SVCD_BENCH_PEERS", peer.name).split()]

# The memory of PID 1, and of all supervisors, two seconds after the last daemon came up.
MEMORY = ("private_1_kib", "private_kib", "pss_kib")


def summary(results):
    """Summarise one peer's rounds. A value that was never measured is left out."""
    wanted = ("up", "login", "busy", "iowait", "own", "work", "off")
    times = {name: spread([result[name] for result in results if name in result])
             for name in wanted if any(name in result for result in results)}
    return times | {name: statistics.median(result[name] for result in results) for name in MEMORY}


def print_table(figures):
    print(f"{'init':<10} {'up':>8} {'login':>8} {'CPU':>8} {'disk':>8} {'work':>8} {'off':>8} {'Pss KiB':>8}   (ms, medians)",
          file=sys.stderr)
    for name, row in figures.items():
        cells = " ".join(f"{row[key]['median_ms'] if key in row else '-':>8}" for key in ("up", "login", "busy", "iowait", "work", "off"))
        print(f"{name:<10} {cells} {row['pss_kib']:>8}", file=sys.stderr)


with vm_image.work_directory() as work:
    results = {peer.name: [] for peer in PEERS}
    for _round in range(ROUNDS):
        for peer in PEERS:
            results[peer.name].append(boot(peer, peer.debian(), work))
            print(f"{peer.name}: {results[peer.name][-1]}", file=sys.stderr, flush=True)

figures = {name: summary(rounds) for name, rounds in results.items()}
print_table(figures)
late = {name: dict(sorted(((what[7:-1], us // 1000) for what, us in rounds[0].items() if what.startswith("daemon ")),
                          key=lambda item: item[1]))
        for name, rounds in results.items()}
print(json.dumps({"bench": "boot", "rounds": ROUNDS, "daemons": len(boot_peers.UP.splitlines()), "inits": figures,
                  "daemons_ms": late}))
