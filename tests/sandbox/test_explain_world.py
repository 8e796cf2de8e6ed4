#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""explain names the missing external condition, its alternatives, and the service that would
provide it."""

from deadline import wait_for
from sandbox import Sandbox

SLEEP = "[Service]\nExec=/bin/sleep infinity\n[Conditions]\n"
SERVICES = {
    "dbus": "[Service]\nRuntimeDirectory=dbus\nExec=/usr/bin/dbus-daemon --system --nofork --nopidfile\n"
            "Ready=path:/run/dbus/system_bus_socket\n[Conditions]\nWhen=flag:bus\n",
    "bluetooth": "[Service]\nExec=/bin/sleep infinity\nReady=dbus:org.bluez\n",
    "headset": SLEEP + "While=dbus:org.bluez\n",
    "lonely": SLEEP + "While=dbus:org.example.Nobody\n",
    "typed": SLEEP + "When=dbus-property:org.freedesktop.DBus /org/freedesktop/DBus org.freedesktop.DBus.Features = x\n",
    "server": SLEEP + "While=network:up\n",
    "cable": SLEEP + "When=network:interface:eth7\n",
    "backup": SLEEP + "When=label:DATA\n",
}
POLICY = "[runlevel 2]\nActivate=dbus headset lonely typed server cable backup\n"

# Service -> sentence.
SENTENCES = {
    "headset": ("waiting for the bus name org.bluez: ", "no owner", "bluetooth is not running", "svcctl start bluetooth"),
    "lonely": ("waiting for the bus name org.example.Nobody: ", "no service has Ready=dbus:org.example.Nobody"),
    "typed": ("waiting for org.freedesktop.DBus.Features = x at /org/freedesktop/DBus of org.freedesktop.DBus: ",
              "gdbus call --system --dest org.freedesktop.DBus"),
    "server": ("waiting for the network to be up: no default route; interfaces: lo (", "ip route"),
    "cable": ("waiting for a carrier on the interface eth7: ", "interfaces: lo (", "ip link show eth7"),
    "backup": ("waiting for a volume labelled DATA, which is not known", "udev is not running", "svcctl start udev"),
}


def explained(box, name):
    return box.svcctl("--width", "0", "explain", name).stdout


with Sandbox(SERVICES, root="debian", policy=POLICY, files={"/etc/machine-id": "0123456789abcdef0123456789abcdef\n"},
             mounts=("sys", "run")) as box:
    # While the dbus service waits, there is no bus, and the owners of bus names are unknown.
    wait_for(lambda: "waiting for the bus name org.bluez, which is not known" in explained(box, "headset"), what="it is not known")
    text = explained(box, "headset")
    assert "dbus is waiting for 1 condition" in text and "svcctl flag set bus" in text, text

    box.svcctl("flag", "set", "bus")
    box.wait_state("dbus", "ready")
    for name, sentences in SENTENCES.items():
        wait_for(lambda name=name, sentences=sentences: all(one in explained(box, name) for one in sentences), 30,
                 f"{name} is explained by {sentences}, not\n{explained(box, name)}")
