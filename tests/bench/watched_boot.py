# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Watched boots: a Debian in QEMU. Its kernel executes boot-watch.c in place of an init, until the
power-off.

QEMU counts instructions instead of time (-icount, one processor), so the load of this machine has
no effect, and a run repeats within about one percent.
"""

import os
import re
import statistics

import vm_image
from png import keep_picture
from vm import Machine

WATCH_PATH = "/usr/local/sbin/boot-watch"
BOOT_S = int(os.environ.get("SVCD_BENCH_BOOT_S", "1800"))


def told(console):
    """The output of boot-watch: name -> microseconds."""
    return {name: int(us) for name, us in re.findall(r"bench: (?!process )(.+) (-?\d+)\s", console)}


def stamp(console, what):
    """The kernel's time stamp of its line @what, in seconds."""
    return float(re.search(rf"\[ *([0-9.]+)\] {what}", console)[1])


def boot(peer, debian, directory, words="", **machine):
    """The output of one boot of @peer, and the duration of its power-off.

    The other arguments are kernel parameters, and arguments of vm.Machine."""
    disk = f"{directory}/{peer.name}"
    vm_image.copy_disk(vm_image.disk_image(os.environ["SVCD_STAGE"] if peer.with_svcd else vm_image.NOTHING, debian), disk)
    for folder, ending in peer.removed:
        vm_image.remove_files(disk, folder, ending)
    for path, text in peer.added.items():
        vm_image.put_file(disk, path, text)
    vm_image.put_program(disk, WATCH_PATH, os.environ["SVCD_BUILD"] + "/tests/bench/boot-watch")
    words += f" mitigations=auto loglevel=4 bench.init={peer.init} bench.off={peer.off.replace(' ', ',')}"
    words += f" bench.own={','.join(peer.own)}" if peer.own else ""
    words += f" bench.kin={','.join(peer.kin)}" if peer.kin else ""
    with Machine([disk], *vm_image.boot_files(debian), init=WATCH_PATH, cmdline=words, **machine) as vm:
        if vm.screen:
            vm.wait_console("bench: (drawn|off)", BOOT_S)
            keep_picture(peer.name, vm.picture())
        vm.wait_console("bench: off", BOOT_S)
        vm.wait_end(BOOT_S)
    console = vm.console.text()
    os.unlink(disk)
    result = told(console)
    result["processes"] = sorted(set(re.findall(r"bench: process (.+) \d+\s", console)))
    if peer.own and "up" in result:
        result["work"] = result["busy"] - result["own"]
    result["off"] = int((stamp(console, "reboot: Power down") - stamp(console, "bench: off")) * 1e6)
    return result


def spread(values):
    return {"median_ms": round(statistics.median(values) / 1000), "min_ms": round(min(values) / 1000),
            "max_ms": round(max(values) / 1000)}
