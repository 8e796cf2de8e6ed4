#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Without a manager PID 1 logs the reason on the console, offers a shell with a working "reboot", and
obeys the keyboard.

It continues as soon as there is a manager again.
"""

import os
import subprocess

import vm_image
from vm import Machine

STAGE = os.environ["SVCD_STAGE"]


def hide_manager(disk):
    """Rename the program on the disk itself."""
    commands = ("ln /usr/lib/svcd/svcd-manager /usr/lib/svcd/hidden", "unlink /usr/lib/svcd/svcd-manager")
    for command in commands:
        subprocess.run(["debugfs", "-w", "-R", command, disk], check=True, stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def main():
    with vm_image.work_directory() as directory:
        disks = vm_image.make_test_disks(directory, STAGE)
        hide_manager(disks[0])
        with Machine(disks, *vm_image.boot_files(), cmdline="rw") as vm:
            vm.wait_console("svcd-manager")
            vm.wait_console("password for maintenance")
            vm.type_console("root\n")
            vm.wait_console(r"root@[^ ]+:.*# ", 60)
            vm.type_console("cat /proc/1/comm; echo \"rescue $((6 * 7))\"\n")
            vm.wait_console("svcd\\s+rescue 42", 60)

            vm.type_console("svcctl reboot\n")
            assert vm.wait_end() == "guest-reset", "the machine was not rebooted from the rescue shell"

        with Machine(disks, *vm_image.boot_files(), cmdline="rw") as vm:
            vm.wait_console("password for maintenance")
            vm.type_console("root\n")
            vm.wait_console(r"root@[^ ]+:.*# ", 60)
            vm.type_console("cp -p /usr/lib/svcd/hidden /usr/lib/svcd/svcd-manager; exit\n")
            vm.wait_console("svcd-vm login:")
            vm.wait_shell()
            vm.press("ctrl", "alt", "delete")
            assert vm.wait_end() == "guest-reset", "ctrl-alt-del did not reboot the machine"


main()
