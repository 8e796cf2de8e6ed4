#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
"single" on the kernel command line gives an admin's shell without daemons, even during the search
for a missing volume.

Leaving it continues the boot; "svcctl reboot" reboots.
"""

import os

import vm_image
from deadline import wait_for
from vm import BOOT_S, Machine

STAGE = os.environ["SVCD_STAGE"]


def check_rescue(vm):
    vm.wait_console("password for maintenance")
    vm.type_console("root\n")
    vm.wait_console(r"root@[^ ]+:.*# ", 180)
    vm.type_console("echo \"rescue $((6 * 7))\"\n")
    vm.wait_console("rescue 42", 60)

    vm.wait_shell()
    rows = vm.services()
    assert rows["rescue"]["state"] == "ready", rows["rescue"]
    for name in ("dbus", "rsyslog", "nginx", "ssh", "networking"):
        assert rows[name]["state"] == "idle", f"{name} is {rows[name]['state']} in runlevel 1"
    assert rows["mount-mnt-scratch"]["state"] == "done", "volumes are mounted in runlevel 1"


def check_late_volume(vm, path):
    """Services after $local_fs wait during the search for the volume; when it appears, all
    continue."""
    begin = len(vm.console.data)
    vm.type_console("exit\n")
    wait_for(lambda: vm.svcctl_json("runlevel")["runlevel"] == "2", 60, "the usual runlevel")
    rows = vm.services()
    # A very slow machine has given up the volume after 90 s, and continued.
    if rows["mount-srv-my--data"]["state"] == "waiting":
        assert rows["dbus"]["state"] == "waiting", f"dbus is {rows['dbus']['state']} before the volume is there"
    else:
        assert rows["mount-srv-my--data"]["state"] == "failed", rows["mount-srv-my--data"]

    vm.plug(path, "data")
    wait_for(lambda: vm.services()["mount-mnt-part"]["state"] == "done", 60, "the late volume, and what lies on it")
    vm.wait_console("svcd-vm login:", begin=begin)


def check_going_on(vm):
    wait_for(lambda: vm.services()["nginx"]["state"] == "ready", BOOT_S, "nginx is up")
    rows = vm.services()
    assert rows["rescue"]["state"] == "idle", rows["rescue"]
    assert vm.svcctl_json("runlevel")["runlevel"] == "2"


def main():
    with vm_image.work_directory() as directory:
        root, data, swap = vm_image.make_test_disks(directory, STAGE)
        with Machine([root, swap], *vm_image.boot_files(), cmdline="single") as vm:
            check_rescue(vm)
            check_late_volume(vm, data)
            check_going_on(vm)
            vm.sh_detached("svcctl reboot")
            assert vm.wait_end() == "guest-reset", "the machine did not reboot"


main()
