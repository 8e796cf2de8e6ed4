#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Services that cannot run in the bed (tests/lib/bed.py), on Debian 12 and 13: LightDM, SDDM, GDM,
bluetoothd, ntpd. limit: 4500

Each display manager shows its greeter and gives the screen to the next one. GDM is tested on Debian
13 only. bluetoothd runs while there is an adapter. ntpd sets the clock. $SVCD_TEST_RELEASES selects
releases.
"""

import os

import vm_image
from deadline import wait_for
from desktop import BUS_CALL
from vm import Machine

STAGE = os.environ["SVCD_STAGE"]
RELEASES = os.environ.get("SVCD_TEST_RELEASES", " ".join(vm_image.SCREENS)).split()
# Long enough for an emulated machine.
SCREEN_S = 400
# The text console has two or three colours.
N_COLOURS_DRAWN = 50
# The user and the program of each greeter.
GREETERS = {"lightdm": ("lightdm", "lightdm-gtk-greeter"), "sddm": ("sddm", "sddm-greeter"), "gdm3": ("Debian-gdm", "gnome-shell")}
# The display managers of each release. Policy starts the first one.
SCREENS = {"bookworm": ("lightdm", "sddm"), "trixie": ("lightdm", "sddm", "gdm3")}


def wait_state(vm, name, *states):
    def is_so():
        return vm.services()[name]["state"] in states
    try:
        wait_for(is_so, SCREEN_S, f"{name} is {states}", 1)
    except AssertionError as problem:
        raise AssertionError(f"{problem}\n{vm.sh(f'svcctl explain {name}; svcctl log {name}', check=False)[1]}") from None


def greeter(vm, name):
    """The processes of the greeter of @name."""
    user, program = GREETERS[name]
    return set(vm.sh(f"pgrep -u {user} -f '(^|/){program}'", check=False)[1].split())


def is_drawn(vm):
    vm.press("shift")  # GNOME turns the screen off after five minutes
    return vm.n_colours() >= N_COLOURS_DRAWN


def wait_extension(vm):
    """
    When GNOME Shell has drawn the greeter, svcd's extension takes the name org.svcd1.LoginScreen.

    gnome-session disables all extensions permanently if its shell was not up within 90 seconds,
    which happens on a busy machine.
    """
    is_shown = f"{BUS_CALL}.GetConnectionUnixUser org.svcd1.LoginScreen | grep -w $(id -u Debian-gdm)"
    is_too_slow = "grep -ao disable-user-extensions ~Debian-gdm/.config/dconf/user"
    print("extension:", vm.sh(f"until {is_shown} || {is_too_slow}; do sleep 1; done 2>/dev/null", SCREEN_S), flush=True)


def wait_greeter(vm, name, old=frozenset()):
    """Wait until the greeter has a process other than @old, because its session may outlive a
    killed GDM."""
    def is_new():
        return greeter(vm, name) - old
    wait_state(vm, name, "ready")
    wait_for(is_new, SCREEN_S, f"the greeter of {name} runs", 1)
    wait_for(lambda: is_drawn(vm), SCREEN_S, f"the greeter of {name} is drawn", 2)
    if name == "gdm3":
        wait_extension(vm)


def check_screen(vm, name, others):
    """The greeter of @name returns after a restart and after a kill, and no greeter of @others
    runs."""
    wait_greeter(vm, name)
    for other in others:
        assert vm.services()[other]["state"] != "ready", f"{other} is up as well"
        wait_for(lambda other=other: not greeter(vm, other), SCREEN_S, f"the greeter of {other} has ended", 1)
    for line in ("svcctl restart {name}", "kill -KILL {pid}"):
        old, old_greeter = vm.services()[name]["pid"], greeter(vm, name)
        vm.sh(line.format(name=name, pid=old), SCREEN_S)
        wait_for(lambda old=old: vm.services()[name]["pid"] not in (0, None, old), SCREEN_S, f"another {name}", 1)
        wait_greeter(vm, name, old_greeter)


def check_screens(vm, names):
    """Each display manager takes the screen from the previous one, and in the end the first one
    takes the screen back."""
    for name in (*names, names[0]):
        vm.sh(f"svcctl start {name}", SCREEN_S)
        check_screen(vm, name, [other for other in names if other != name])


def check_bluetooth(vm):
    """An adapter from the kernel's test driver: it exists while a process holds the device open."""
    wait_state(vm, "bluetooth", "waiting")
    vm.sh("modprobe hci_vhci; printf '\\377\\000' >/run/adapter; "
          "sh -c 'exec 3<>/dev/vhci; cat /run/adapter >&3; exec sleep infinity' >/dev/null 2>&1 & echo $! >/run/adapter.pid")
    wait_state(vm, "bluetooth", "ready")
    assert "org.bluez" in vm.sh("dbus-send --system --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus.ListNames")
    vm.sh("kill $(cat /run/adapter.pid)")
    wait_state(vm, "bluetooth", "waiting")


def check_clock(vm):
    """ntpd answers a client. Whether it reaches a server on the network is not checked."""
    wait_state(vm, "ntpsec", "ready")
    assert "stratum" in vm.sh("ntpq -c rv 127.0.0.1")
    old = vm.services()["ntpsec"]["pid"]
    vm.sh("svcctl restart ntpsec")
    assert vm.services()["ntpsec"]["pid"] != old
    wait_state(vm, "ntpsec", "ready")


def check_release(release):
    debian = vm_image.SCREENS[release]
    with vm_image.work_directory() as work:
        root = f"{work}/root"
        vm_image.copy_disk(vm_image.disk_image(STAGE, debian), root)
        with Machine([root], *vm_image.boot_files(debian), screen=True, memory_mib=2048, n_processors=2) as vm:
            vm.wait_shell()
            wait_greeter(vm, SCREENS[release][0])
            check_bluetooth(vm)
            check_clock(vm)
            check_screens(vm, SCREENS[release])
            vm.sh_detached("svcctl poweroff")
            assert vm.wait_end(SCREEN_S) == "guest-shutdown"
    print(f"{release}: passed", flush=True)


for name in RELEASES:
    check_release(name)
