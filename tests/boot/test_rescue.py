#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Without a manager PID 1 logs the reason on the console, offers a shell, and continues when there is
a manager again.

"single" on the kernel command line gives the admin a shell without daemons, even during the search
for a missing volume. When the admin leaves the shell, the boot continues. Ctrl-alt-del reboots.
"""

import os
import subprocess

import vm_image
from deadline import wait_for
from vm import BOOT_S, COMMAND_S, Machine

STAGE = os.environ["SVCD_STAGE"]
TYPED_S = 20


def change_disk(disk, *commands):
    """Run debugfs(8) commands on the disk image."""
    subprocess.run(["debugfs", "-w", "-f", "-", disk], input="\n".join(commands) + "\n", text=True, check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def hide_manager(disk):
    """Rename the manager's program, so that it cannot be started."""
    change_disk(disk, "ln /usr/lib/svcd/svcd-manager /usr/lib/svcd/hidden", "unlink /usr/lib/svcd/svcd-manager")


def lock_root(disk, directory):
    """Debian's installer locks the root account if it gets no password for it."""
    path = f"{directory}/shadow"
    change_disk(disk, f"dump /etc/shadow {path}")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace("root:", "root:!", 1))
    change_disk(disk, "cd /etc", "rm shadow", f"write {path} shadow", "sif shadow mode 0100640")


def open_shell(vm, begin, question="password for maintenance", answer="root"):
    """sulogin(8) discards input that arrives before it reads, so repeat the answer."""
    def prompt():
        vm.type_console(f"{answer}\n")
        return vm.wait_console(r"root@[^ ]+:.*# ", TYPED_S, begin)
    vm.wait_console(question, begin=begin)
    wait_for(prompt, COMMAND_S, "a shell of root")


def check_no_manager(vm):
    """
    PID 1 logs the reason on the console, and offers a shell, even if the root account is locked.
    When the shell ends, PID 1 continues.
    """
    vm.wait_console("svcd-manager")
    open_shell(vm, 0, "Press Enter for maintenance", "")
    vm.type_console("cat /proc/1/comm; echo \"rescue $((6 * 7))\"\n")
    vm.wait_console("svcd\\s+rescue 42", COMMAND_S)
    vm.type_console("mount -o remount,rw /; sed -i 's/^root:!/root:/' /etc/shadow; "
                    "cp -p /usr/lib/svcd/hidden /usr/lib/svcd/svcd-manager; mount -o remount,ro /; exit\n")


def check_rescue(vm, begin):
    open_shell(vm, begin)
    vm.type_console("echo \"rescue $((6 * 9))\"\n")
    vm.wait_console("rescue 54", COMMAND_S)

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
    wait_for(lambda: vm.svcctl_json("runlevel")["runlevel"] == "2", COMMAND_S, "the usual runlevel")
    rows = vm.services()
    # On a very slow machine the wait for the volume may already have ended, after 90 s.
    if rows["mount-srv-my--data"]["state"] == "waiting":
        assert rows["dbus"]["state"] == "waiting", f"dbus is {rows['dbus']['state']} before the volume is there"
    else:
        assert rows["mount-srv-my--data"]["state"] == "failed", rows["mount-srv-my--data"]

    vm.plug(path, "data")
    wait_for(lambda: vm.service("mount-mnt-part")["state"] == "done", COMMAND_S, "the late volume, and the mount of a directory on it")
    vm.wait_console("svcd-vm login:", begin=begin)


def check_going_on(vm):
    wait_for(lambda: vm.service("nginx")["state"] == "ready", BOOT_S, "nginx is up")
    rows = vm.services()
    assert rows["rescue"]["state"] == "idle", rows["rescue"]
    assert vm.svcctl_json("runlevel")["runlevel"] == "2"


def main():
    with vm_image.work_directory() as directory:
        root, data, swap = vm_image.make_test_disks(directory, STAGE)
        hide_manager(root)
        lock_root(root, directory)
        with Machine([root, swap], *vm_image.boot_files(), cmdline="single") as vm:
            check_no_manager(vm)
            check_rescue(vm, len(vm.console.data))
            check_late_volume(vm, data)
            check_going_on(vm)
            vm.press("ctrl", "alt", "delete")
            assert vm.wait_end() == "guest-reset", "ctrl-alt-del did not reboot the machine"


main()
