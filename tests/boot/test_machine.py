#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# limit: 1500
"""
A Debian disk boots with svcd as PID 1: everything that is wanted comes up, fstab is carried out, the manager may die, and
a power-off leaves clean file systems.
"""

import os
import subprocess

import vm_image
from deadline import wait_for
from vm import Machine

STAGE = os.environ["SVCD_STAGE"]
UP = ("ready", "done")

# What must be up for somebody to call this a machine.
EXPECTED = """checkroot udev udev-trigger kmod-static-nodes tmpfiles-dev tmpfiles kmod procps hostname hwclock urandom loopback
    utmp machine-id dbus rsyslog cron elogind ssh ssh-host-keys nginx networking network-manager getty@ttyS0 getty@tty1
    mount-srv-my--data mount-mnt-part mount-mnt-scratch swap-label-svcd--swap""".split()


def check_login(vm):
    """Somebody logs in on the serial console, looks around and leaves; the next login prompt comes."""
    vm.wait_console("svcd-vm login:")
    vm.type_console("root\n")
    vm.wait_console("Password:", 60)
    vm.type_console("root\n")
    vm.wait_console(r"root@svcd-vm:~# ", 60)
    vm.type_console("echo \"I am $(whoami) on $(tty)\"\n")
    vm.wait_console("I am root on /dev/ttyS0", 60)
    assert "ttyS0" in vm.sh("who"), "who does not list the login"
    begin = len(vm.console.data)
    vm.type_console("exit\n")
    vm.wait_console("svcd-vm login:", 60, begin)
    assert "root" not in vm.sh("who"), "who lists a ghost"


def check_services(vm):
    """At rest, everything that is wanted and can be is up."""
    wait_for(lambda: vm.svcctl_json("overview")["boot_finished"], 200, "the boot is over")
    rows = vm.services()
    not_up = {name: rows.get(name, {}).get("state") for name in EXPECTED if rows.get(name, {}).get("state") not in UP}
    assert not not_up, f"not up: {not_up}"
    n_up = sum(row["state"] in UP for row in rows.values())
    assert n_up >= 20, f"only {n_up} services are up"
    assert not [name for name, row in rows.items() if row["state"] == "failed"], vm.sh("svcctl explain", check=False)
    assert rows["mount-mnt-absent"]["state"] == "waiting", "a volume that is not there is waited for"
    assert rows["mount-mnt-byhand"]["state"] == "idle", "noauto is by hand"


def check_early_boot(vm):
    assert vm.sh("cat /proc/1/comm").strip() == "svcd"
    status, found = vm.sh("ls -d /run/systemd/system; cat /proc/[0-9]*/comm | grep -x 'systemd\\|systemd-journal\\|init'", check=False)
    assert "systemd/system:" in found or "cannot access" in found, found
    assert not set(found.split()) & {"systemd", "systemd-journal", "init"}, found
    assert vm.sh("hostname").strip() == "svcd-vm"
    assert vm.sh("cat /proc/sys/kernel/threads-max").strip() == "12345", "sysctl.d was not applied"
    vm.sh("test -d /sys/module/dummy")
    vm.sh("touch /root/writable; grep -q ' / ext4 rw' /proc/mounts")
    vm.sh("grep -qxE '[0-9a-f]{32}' /etc/machine-id; cmp /etc/machine-id /var/lib/dbus/machine-id")
    assert "system boot" in vm.sh("who -b")
    vm.sh("test -s /var/lib/urandom/random-seed && test -d /run/lock && test -c /dev/loop-control")


def check_volumes(vm):
    """Every line of fstab."""
    vm.sh("findmnt -n /srv/my-data | grep -q ext4")
    vm.sh("findmnt -n /mnt/scratch | grep -q size=4096k; touch /srv/my-data/part/here; test -e /mnt/part/here")
    assert "/dev/vd" in vm.sh("swapon --show --noheadings")
    vm.sh("! mountpoint -q /mnt/byhand; svcctl start --wait mount-mnt-byhand; mountpoint -q /mnt/byhand")
    vm.sh("svcctl stop mount-mnt-byhand; ! mountpoint -q /mnt/byhand")


def check_hotplug(vm, directory):
    """A nofail volume is mounted when its disk comes."""
    path = f"{directory}/absent"
    vm_image.make_volume(path, "absent")
    vm.plug(path, "late")
    wait_for(lambda: vm.sh("mountpoint -q /mnt/absent", check=False)[0] == 0, 60, "the late volume is mounted")


def check_daemons(vm):
    vm.sh("ip -4 addr show eth0 | grep -q 10.0.2.15")
    ask = "perl -MIO::Socket::INET -e '$s = IO::Socket::INET->new(\"127.0.0.1:%d\") or die; print $s \"%s\"; print scalar <$s>'"
    assert "HTTP/1.1 200" in vm.sh(ask % (80, "HEAD / HTTP/1.0\\r\\n\\r\\n"))
    assert "SSH-2.0" in vm.sh(ask % (22, ""))
    vm.sh("dbus-send --system --print-reply --dest=org.freedesktop.NetworkManager / org.freedesktop.DBus.Peer.Ping")
    vm.sh("logger -t boot-test 'a line for syslog'")
    wait_for(lambda: vm.sh("grep -q 'a line for syslog' /var/log/syslog", check=False)[0] == 0, 30, "rsyslog writes")


def check_manager_killed(vm):
    pids = "svcctl list --json | tr , '\\n' | grep '\"pid\"'"
    before = vm.sh(pids)
    old = vm.sh("pidof svcd-manager").strip()
    vm.sh(f"kill -SEGV {old}")

    def is_back():
        status, pid = vm.sh("pidof svcd-manager", check=False)
        return status == 0 and pid.strip() not in ("", old) and vm.sh("svcctl version", check=False)[0] == 0
    wait_for(is_back, 60, "a new manager")
    assert vm.sh(pids) == before, "a service has another pid"


def check_explain(vm):
    """All is as wanted, what is not installed apart."""
    status, output = vm.sh("svcctl explain", check=False)
    assert status == 0 and "waiting" not in output and "failed" not in output, output


def run_tool(*argv):
    """(exit status, output) of a tool that reads a disk."""
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return done.returncode, done.stdout


def check_disk(path, *files):
    """The file system was unmounted, or the root made read-only, and is whole."""
    status, output = run_tool("dumpe2fs", "-h", path)
    assert status == 0 and "needs_recovery" not in output, f"{path} needs recovery:\n{output}"
    assert any(line.split() == ["Filesystem", "state:", "clean"] for line in output.splitlines()), output
    status, output = run_tool("e2fsck", "-fn", path)
    assert status == 0, f"e2fsck {path}: {status}\n{output}"
    for name in files:
        status, output = run_tool("debugfs", "-R", f"stat {name}", path)
        assert "Inode:" in output, f"{name} is not on the disk: {output}"


def main():
    with vm_image.work_directory() as directory:
        disks = vm_image.make_test_disks(directory, STAGE)
        with Machine(disks, *vm_image.boot_files(), screen=True) as vm:
            vm.wait_console("svcd-vm login:")
            vm.wait_shell()
            check_services(vm)
            check_early_boot(vm)
            check_volumes(vm)
            check_daemons(vm)
            check_login(vm)
            check_manager_killed(vm)
            check_hotplug(vm, directory)
            check_explain(vm)
            vm.sh_detached("svcctl poweroff")
            assert vm.wait_end() == "guest-shutdown", "the machine was not switched off"
        check_disk(disks[0], "/root/writable", "/var/lib/urandom/random-seed")
        check_disk(disks[1], "/part/here")
        check_disk(f"{directory}/absent")


main()
