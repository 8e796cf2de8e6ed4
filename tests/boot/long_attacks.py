#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
The attacks of tests/lib/attack_set.py on the kernels of Debian 12, 13 and testing: svcd works while
all of them run. limit: 3000

svcctl gets answers, a killed service restarts, and another service's output arrives. Then the
machine powers off. $SVCD_TEST_RELEASES selects releases.
"""

import os
import re
import shlex
import sys
import time

import attack
import attack_set
import vm_image
from deadline import wait_for
from small_machine import NoKernel, small_machine
from vm import Machine

RELEASES = os.environ.get("SVCD_TEST_RELEASES", "bookworm trixie testing").split()
# There is no bus here. The other attacks would also hold the test's commands: static busybox reads
# /proc, and svcctl's loader looks up missing names in / and /etc, which a tmpfs never caches.
WITHOUT = ("bus", "directory-proc", "directory-", "directory-etc")
PLANS = [plan for plan in attack_set.PLANS if plan.name not in WITHOUT]
ROUNDS = 5
LIMIT_S = 60
SHUTDOWN_S = 180

FILES = {**attack_set.files_of(PLANS), "/etc/svcd/policy.d/test.policy": attack_set.policy_of(PLANS),
         **{f"/etc/svcd/services.d/{name}.svc": text for name, text in attack_set.services_of(PLANS).items()}}


def begin(vm):
    """Start the attacks by users. The attacks by services have started with the machine."""
    for number, plan in enumerate(PLANS):
        if plan.terminal:
            vm.sh("chown nobody /dev/console /dev/ttyS0")
        for words in plan.before + plan.users:
            mark = f"{plan.name}-{number}-{words[0]}"
            argv = attack.arguments(mark, *words, way=plan.way)
            argv[1:1] = ["-u", str(attack.NOBODY)]
            vm.sh(f"setsid {shlex.join(argv)} >/dev/null 2>&1 &")
    for plan in PLANS:
        for words in plan.admin:
            vm.sh(f"timeout 10 svcctl {shlex.join(words)}", check=False)


def check_round(vm, number):
    """Return the seconds of each check."""
    times = {}
    began = time.monotonic()
    assert "victim" in vm.sh("svcctl status victim", seconds=LIMIT_S)
    times["answer"] = time.monotonic() - began

    def pid():
        found = re.search(r'"pid": *(\d+)', vm.sh("svcctl status victim --json", seconds=LIMIT_S))
        return int(found.group(1)) if found else 0
    before = wait_for(pid, LIMIT_S, "victim runs")
    began = time.monotonic()
    vm.sh(f"kill -9 {before}")
    wait_for(lambda: pid() not in (0, before), LIMIT_S, "a killed service was restarted")
    times["restart"] = time.monotonic() - began

    began = time.monotonic()
    vm.sh(f"echo round-{number} >&9", seconds=LIMIT_S)
    wait_for(lambda: f"said round-{number}" in vm.sh("svcctl log talker -N 20", seconds=LIMIT_S), LIMIT_S, "a line is in its log")
    times["output"] = time.monotonic() - began
    return times


def check(release):
    with vm_image.work_directory() as work:
        version, kernel, initramfs = small_machine(work, release, os.environ["SVCD_STAGE"], FILES)
        with Machine([], kernel, initramfs, cmdline="rdinit=/init", memory_mib=1024, n_processors=2) as vm:
            vm.wait_shell()
            vm.sh_detached("exec 9<>/run/talk") # before the attacks, because O_CREAT takes the directory's lock
            vm.sh_detached("PATH=/usr/bin") # a missing name would be looked up in /usr/sbin, which is held
            print(f"{release}: {version}: up after {time.monotonic() - vm.began:.0f} s", flush=True)
            calm = check_round(vm, "calm")
            begin(vm)
            worst = {}
            for number in range(ROUNDS):
                for what, seconds in check_round(vm, number).items():
                    worst[what] = max(seconds, worst.get(what, 0))
            marks = vm.sh("cd /run/attack; grep -H . *.mark | sort -u", seconds=LIMIT_S)
            print(marks)
            print(f"{release}: calm {calm}, the longest under attack {worst}", flush=True)
            assert "held fuse" in marks, "no attack of this kind is possible here"
            began = time.monotonic()
            vm.sh_detached("svcctl poweroff")
            assert vm.wait_end(SHUTDOWN_S) == "guest-shutdown"
            print(f"{release}: powered off after {time.monotonic() - began:.0f} s", flush=True)


failures = []
for name in RELEASES:
    try:
        check(name)
    except (AssertionError, NoKernel, SystemExit) as problem:
        failures.append(f"{name}: {problem}")
        print(failures[-1], flush=True)
sys.exit("\n".join(failures) if failures else 0)
