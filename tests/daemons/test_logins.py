#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sessions, and display managers with a greeter on a display without hardware."""

from life import Daemon, bus, try_all

# Xvfb has only some of the arguments of a real X server.
X_SERVER = """#!/bin/sh
for word; do
    shift
    case $kept$word in
    :*) set -- "$@" "$word" ;;
    -displayfd | -auth) kept=next ;;
    next*) set -- "$@" "$last" "$word"; kept= ;;
    esac
    last=$word
done
exec Xvfb "$@"
"""
FILES = {
    "/usr/local/bin/x": {"text": X_SERVER, "mode": 0o755},
    "/etc/lightdm/lightdm.conf.d/x.conf": "[Seat:*]\nxserver-command=/usr/local/bin/x\n",
    "/etc/sddm.conf.d/x.conf": "[X11]\nServerPath=/usr/local/bin/x\n",
}
NO_HARDWARE = "virtual:container"
NO_DISPLAY = '"udev:SUBSYSTEM=drm TAG=master-of-seat"'
SEATS = bus("org.freedesktop.DisplayManager", "/org/freedesktop/DisplayManager",
            "org.freedesktop.DBus.Properties.GetAll string:org.freedesktop.DisplayManager")
ELOGIND = f"[service elogind]\nIgnore={NO_HARDWARE}\n"

try_all(Daemon("elogind", probe=bus("org.freedesktop.login1", "/org/freedesktop/login1"), ignore=NO_HARDWARE))
for name in ("lightdm", "sddm"):
    try_all(Daemon(name, probe=SEATS, files=FILES, ignore=NO_DISPLAY), policy=ELOGIND)
