#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Debian 13 with systemd's packages, its logind and svc-systemd1: a login on the console. limit: 2400

The sandbox test has Debian 12. logind 257 passes the process of a session as a descriptor, and a
machine has cgroup controllers. $SVCD_TEST_RELEASE selects another release.
"""

import os
import re

import vm_image
from deadline import wait_for
from vm import BOOT_S, COMMAND_S, Machine

DEBIAN = vm_image.LOGIND[os.environ.get("SVCD_TEST_RELEASE", "trixie")]
SLICE = "/sys/fs/cgroup/user.slice/user-1000.slice"


def log_in(vm):
    """On the serial console; returns the number of the session."""
    begin = len(vm.console.data)
    vm.type_console("\n")
    vm.wait_console("login: $", begin=begin)
    vm.type_console("alice\n")
    vm.wait_console("[Pp]assword: ", begin=begin)
    vm.type_console("alice\n")
    vm.type_console("echo on=$(tail -n 1 /proc/self/cgroup) bus=$DBUS_SESSION_BUS_ADDRESS\n")
    found = vm.wait_console(r"on=0::/user.slice/user-1000.slice/session-(\w+).scope bus=unix:path=/run/user/1000/bus", begin=begin)
    return found.group(1)


def kill(vm, service, program):
    old = vm.service(service)["pid"]
    vm.sh(f"kill -KILL {old}")
    wait_for(lambda: vm.service(service).get("pid") not in (None, 0, old) and vm.service(service)["state"] == "ready", COMMAND_S,
             f"{program} runs again", 1)


def sessions(vm):
    return re.findall(r"^ *(\w+) +1000 alice", vm.sh("loginctl -M .host --no-legend list-sessions"), re.MULTILINE)


def main():
    with vm_image.work_directory() as directory:
        disk = f"{directory}/disk"
        vm_image.copy_disk(vm_image.disk_image(os.environ["SVCD_STAGE"], DEBIAN), disk)
        with Machine([disk], *vm_image.boot_files(DEBIAN)) as vm:
            vm.wait_shell()
            wait_for(lambda: vm.service("systemd-logind")["state"] == "ready", BOOT_S, "logind is ready", 2)

            number = log_in(vm)
            assert number in sessions(vm), sessions(vm)
            assert vm.sh(f"cat {SLICE}/user@1000.service/cgroup.controllers").split() == ["cpu", "memory", "pids"]
            assert "1000" in vm.sh("ls /run/user") and vm.sh("test ! -e /run/systemd/system && echo none") == "none"

            kill(vm, "systemd1", "svc-systemd1")
            assert number in sessions(vm), sessions(vm)

            vm.type_console("exit\n")
            wait_for(lambda: vm.sh(f"test -e {SLICE} || test -e /run/user/1000 || pgrep -u alice || echo nothing") == "nothing", COMMAND_S,
                     "nothing of the user is left", 2)

            assert log_in(vm) in sessions(vm), "no second login"
            vm.sh_detached("loginctl -M .host poweroff")
            assert vm.wait_end() == "guest-shutdown"


main()
