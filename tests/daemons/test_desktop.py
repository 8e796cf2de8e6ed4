#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Desktop services on the bus: each is ready when it owns its name, and leaves nothing."""

from life import Daemon, bus, try_all, unix

NO_HARDWARE = "virtual:container"
MODEMS = (NO_HARDWARE + ' "udev:SUBSYSTEM=wwan" "udev:SUBSYSTEM=usbmisc ID_MM_CANDIDATE=1" "udev:SUBSYSTEM=usb-serial"'
          ' "udev:SUBSYSTEM=usb DRIVER=cdc_acm"')

try_all(
    Daemon("accounts-daemon", probe=bus("org.freedesktop.Accounts")),
    Daemon("avahi-daemon", probe=bus("org.freedesktop.Avahi")),
    Daemon("bluetooth", waits_for="udev:SUBSYSTEM=bluetooth", why="no adapter, and without one it ends"),
    Daemon("cups", probe=unix("/run/cups/cups.sock", "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "HTTP/1.1 "),
           broken=("/etc/cups/cups-files.conf", "FatalErrors all\nUser nonsense\n")),
    Daemon("colord", probe=bus("org.freedesktop.ColorManager")),
    Daemon("power-profiles-daemon", probe=bus("net.hadess.PowerProfiles"), ignore=NO_HARDWARE),
    Daemon("switcheroo-control", probe=bus("net.hadess.SwitcherooControl"), ignore=NO_HARDWARE),
    Daemon("modemmanager", probe=bus("org.freedesktop.ModemManager1"), ignore=MODEMS),
    Daemon("network-manager", probe="nmcli -t general status", ignore=NO_HARDWARE),
    Daemon("nm-dispatcher", probe=bus("org.freedesktop.nm_dispatcher")),
    Daemon("nm-priv-helper", probe=bus("org.freedesktop.nm_priv_helper")),
    Daemon("packagekit", probe=bus("org.freedesktop.PackageKit")),
    Daemon("polkit", probe=bus("org.freedesktop.PolicyKit1")),
    Daemon("rtkit-daemon", probe=bus("org.freedesktop.RealtimeKit1"), ignore=NO_HARDWARE),
    Daemon("udisks2", probe=bus("org.freedesktop.UDisks2"), ignore=NO_HARDWARE),
    Daemon("wpa_supplicant", probe=bus("fi.w1.wpa_supplicant1"), ignore=NO_HARDWARE),
    Daemon("upower", probe=bus("org.freedesktop.UPower")),
    # fwupd does not look for firmware, because there is no hardware. It is tested after polkit and
    # udisks2, because it watches their names, and GLib 2.74 aborted once when these names changed
    # owners.
    Daemon("fwupd", probe=bus("org.freedesktop.fwupd"), ignore=NO_HARDWARE),
)
