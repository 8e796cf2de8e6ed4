#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# limit: 1200
"""
A desktop without systemd boots to the login screen: GDM and its greeter are really there, end when they are told to, and
come back. What the screen shows is looked at.
"""

import os

import vm_image
from deadline import wait_for
from vm import Machine

STAGE = os.environ["SVCD_STAGE"]

GREETER_S = 400
# The console has two or three; the greeter's letters alone have hundreds of greys.
N_COLOURS_DRAWN = 100

# Besides the machine itself; what of these has no hardware here waits for it.
EXPECTED = """accounts-daemon acpid atd avahi-daemon chrony cron cups dbus elogind gdm3 irqbalance network-manager polkit rsyslog
    rtkit-daemon ssh udisks2 upower uuidd""".split()
WAITING = "bluetooth modemmanager smartmontools".split()


def wait_greeter(vm, other_than="none"):
    """Until the greeter has a session, and not that one; returns its name. The machine looks itself: each question costs it time."""
    line = vm.sh(f"until loginctl list-sessions --no-legend | grep Debian-gdm | grep -vw {other_than}; do sleep 2; done", GREETER_S)
    session = line.split()[0]
    assert vm.sh(f"loginctl show-session {session} -p Class -p VTNr").split() == ["VTNr=1", "Class=greeter"]
    return session


def processes(vm, name):
    return set(vm.sh(f"cat /sys/fs/cgroup/svcd/{name}/cgroup.procs 2>/dev/null", check=False)[1].split())


def state(vm, name):
    return vm.services()[name]["state"]


def check_services(vm):
    wait_for(lambda: vm.svcctl_json("overview")["boot_finished"], GREETER_S, "the boot is over", 2)
    rows = vm.services()
    states = {name: rows[name]["state"] for name in EXPECTED + WAITING}
    assert {states[name] for name in EXPECTED} == {"ready"} and {states[name] for name in WAITING} == {"waiting"}, states
    assert not [name for name, row in rows.items() if row["state"] == "failed"], vm.sh("svcctl explain", check=False)
    status, found = vm.sh("pgrep -af 'agetty.* tty1 '", check=False)
    assert status == 1, f"a getty has the terminal of the greeter: {found}"


def check_restart(vm, session):
    """The greeter of the new one is another; nothing of the old one is left."""
    old = processes(vm, "gdm3")
    vm.sh("svcctl restart gdm3")
    assert wait_greeter(vm, session) != session
    assert old and not old & processes(vm, "gdm3")


def check_stop(vm):
    vm.sh("svcctl stop gdm3")
    wait_for(lambda: state(vm, "gdm3") == "idle", GREETER_S, "gdm has stopped", 2)
    vm.sh("while loginctl list-sessions --no-legend | grep -q Debian-gdm; do sleep 2; done", GREETER_S)
    assert not processes(vm, "gdm3")
    assert not vm.sh("pgrep -u Debian-gdm", check=False)[1], vm.sh("ps -u Debian-gdm", check=False)[1]


def check_bluetooth(vm):
    """An adapter of the kernel's own driver for tests (hci_vhci): it is there as long as somebody holds the device open."""
    vm.sh("modprobe hci_vhci; printf '\\377\\000' >/run/adapter; "
          "sh -c 'exec 3<>/dev/vhci; cat /run/adapter >&3; exec sleep infinity' >/dev/null 2>&1 & echo $! >/run/adapter.pid")
    wait_for(lambda: state(vm, "bluetooth") == "ready", GREETER_S, "bluetoothd has come with the adapter", 1)
    assert "org.bluez" in vm.sh("dbus-send --system --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus.ListNames")
    first = processes(vm, "bluetooth")
    vm.sh("svcctl restart bluetooth")
    assert state(vm, "bluetooth") == "ready" and first and not first & processes(vm, "bluetooth")
    vm.sh("kill $(cat /run/adapter.pid)")
    wait_for(lambda: state(vm, "bluetooth") == "waiting", GREETER_S, "bluetoothd has gone with the adapter", 1)
    assert not processes(vm, "bluetooth")


with vm_image.work_directory() as work:
    root = f"{work}/root"
    vm_image.copy_disk(vm_image.disk_image(STAGE, vm_image.DESKTOP), root)
    with Machine([root], *vm_image.boot_files(vm_image.DESKTOP), screen=True, memory_mib=2048) as vm:
        vm.wait_shell()
        session = wait_greeter(vm)
        wait_for(lambda: vm.n_colours() >= N_COLOURS_DRAWN, GREETER_S, "the greeter is drawn", 3)
        check_services(vm)
        check_restart(vm, session)
        check_stop(vm)
        check_bluetooth(vm)
        vm.sh("/usr/lib/svcd/sysv/take-over") # elogind executes /sbin/poweroff, which this machine does not have yet
        vm.sh_detached("loginctl poweroff")
        assert vm.wait_end(200) == "guest-shutdown"
