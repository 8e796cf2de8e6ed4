#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# limit: 5400
"""
One Debian with 23 real daemons, booted by each init that apt offers: from the moment that the kernel executes the init until every
daemon is up, until the login, and from the command to the end of the machine; and what memory the init takes then.

"work" is the bound: what the processor did for anybody but svcd's own processes. No order of starting makes it less, and there is
one processor, so nothing gets all of it done sooner; what reads the disk waits while others work.

QEMU counts instructions instead of time (-icount, one processor), so what else this machine does changes nothing, and a
run repeats within about one percent. SVCD_BENCH_ROUNDS (3) rounds, all inits in each; SVCD_BENCH_PEERS names a few of them.
"""

import json
import os
import re
import statistics
import sys

import boot_peers
import vm_image
from vm import Machine

STAGE = os.environ["SVCD_STAGE"]
WATCH = os.environ["SVCD_BUILD"] + "/tests/bench/boot-watch"
WATCH_PATH = "/usr/local/sbin/boot-watch"
ROUNDS = int(os.environ.get("SVCD_BENCH_ROUNDS", "3"))
PEERS = [peer for peer in boot_peers.PEERS if peer.name in os.environ.get("SVCD_BENCH_PEERS", peer.name).split()]
BOOT_S = int(os.environ.get("SVCD_BENCH_BOOT_S", "1800"))


class OneProcessor(Machine):
    """Its clock goes on with the instructions it has executed: 2 ns each."""

    def _hardware(self):
        argv = super()._hardware()
        argv[argv.index("-smp") + 1] = "1"
        argv[argv.index("-accel") + 1] = "tcg,thread=single"
        return argv + ["-icount", "shift=1,sleep=on"]


def told(console):
    """What boot-watch said: name -> microseconds."""
    return {name: int(us) for name, us in re.findall(r"bench: (.+) (-?\d+)\s", console)}


def stamp(console, what):
    """The kernel's seconds at its line @what."""
    return float(re.search(rf"\[ *([0-9.]+)\] {what}", console)[1])


def boot(peer, directory):
    disk = f"{directory}/{peer.name}"
    debian = peer.debian()
    vm_image.copy_disk(vm_image.disk_image(STAGE if peer.with_svcd else vm_image.NOTHING, debian), disk)
    for folder, ending in peer.removed:
        vm_image.remove_files(disk, folder, ending)
    vm_image.put_program(disk, WATCH_PATH, WATCH)
    words = f"loglevel=4 bench.init={peer.init} bench.off={peer.off.replace(' ', ',')}"
    words += f" bench.own={','.join(peer.own)}" if peer.own else ""
    words += f" bench.kin={','.join(peer.kin)}" if peer.kin else ""
    with OneProcessor([disk], *vm_image.boot_files(debian), init=WATCH_PATH, cmdline=words) as vm:
        vm.wait_console("bench: off", BOOT_S)
        vm.wait_end(BOOT_S)
    console = vm.console.text()
    os.unlink(disk)
    result = told(console)
    if peer.own and "up" in result:
        result["work"] = result["busy"] - result["own"]
    result["off"] = int((stamp(console, "reboot: Power down") - stamp(console, "bench: off")) * 1e6)
    return result


# Of PID 1, and of all that supervises, two seconds after the last daemon was up.
MEMORY = ("private_1_kib", "private_kib", "pss_kib")


def spread(values):
    return {"median_ms": round(statistics.median(values) / 1000), "min_ms": round(min(values) / 1000),
            "max_ms": round(max(values) / 1000)}


def summary(results):
    """Of one peer's rounds; what did not come in any of them is missing."""
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
            results[peer.name].append(boot(peer, work))
            print(f"{peer.name}: {results[peer.name][-1]}", file=sys.stderr, flush=True)

figures = {name: summary(rounds) for name, rounds in results.items()}
print_table(figures)
late = {name: {what[7:-1]: us // 1000 for what, us in sorted(rounds[0].items(), key=lambda item: item[1]) if what.startswith("daemon ")}
        for name, rounds in results.items()}
print(json.dumps({"bench": "boot", "rounds": ROUNDS, "daemons": len(boot_peers.UP.splitlines()), "inits": figures,
                  "daemons_ms": late}))
