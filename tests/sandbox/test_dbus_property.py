#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""While=dbus-property: follows a property of a (mock) NetworkManager, and a vanished bus stops
nothing."""

import open_bus
from deadline import wait_for
from sandbox import Sandbox

STATE = "org.freedesktop.NetworkManager /org/freedesktop/NetworkManager org.freedesktop.NetworkManager.State"
SERVICES = {
    "bus": "[Service]\nExec=/usr/bin/dbus-daemon --config-file=/etc/bus.conf --nofork --nopidfile --nosyslog\n"
           "RuntimeDirectory=dbus\nRestart=always\nReady=path:/run/dbus/system_bus_socket\n",
    "nm": "[Service]\nExec=/usr/bin/python3 -m dbusmock --system --template networkmanager\nRestart=always\n"
          "Ready=dbus:org.freedesktop.NetworkManager\nRestartDelay=10ms\n"
          "Environment=DBUS_SYSTEM_BUS_ADDRESS=unix:path=/run/dbus/system_bus_socket\n[Conditions]\nWhile=service:bus\n",
    "online": f"[Service]\nExec=/bin/sleep infinity\n[Conditions]\nWhile=dbus-property:{STATE} >= 70\n",
    "offline": f"[Service]\nExec=/bin/sleep infinity\n[Conditions]\nWhile=dbus-property:{STATE} <= 20\n",
    "wrong": "[Service]\nExec=/bin/sleep infinity\n[Conditions]\nWhile=dbus-property:org.freedesktop.NetworkManager "
             "/no/such/object org.freedesktop.NetworkManager.State = 70\n",
}


def say_state(box, state):
    box.run("/usr/bin/dbus-send", "--bus=unix:path=/run/dbus/system_bus_socket", "--print-reply",
            "--dest=org.freedesktop.NetworkManager", "/org/freedesktop/NetworkManager",
            "org.freedesktop.DBus.Mock.SetGlobalConnectionState", f"uint32:{state}")


with Sandbox(SERVICES, policy="[runlevel 2]\nActivate=bus online offline wrong\n[service nm]\nActivation=manual\n",
             files={"/etc/bus.conf": open_bus.CONFIGURATION}) as box:
    box.wait_state("online", "waiting")
    wait_for(lambda: "NetworkManager has no owner" in box.svcctl("explain", "online").stdout,
             what="explain reports that the name has no owner")

    box.svcctl("start", "nm")
    pid = box.wait_state("online", "ready")["pid"]
    wait_for(lambda: "/no/such/object" in box.svcctl("explain", "wrong").stdout, what="explain names the object")

    say_state(box, 20)
    box.wait_states({"online": "waiting", "offline": "ready"})
    assert "State is 20" in box.svcctl("explain", "online").stdout
    say_state(box, 70)
    box.wait_states({"online": "ready", "offline": "waiting"})

    # NetworkManager disappears with its bus and returns, connected.
    pid = box.pid("online")
    for _ in range(3):
        before = box.pid("bus")
        box.kill(before)
        wait_for(lambda: box.pid("bus") not in (0, before), what="the bus is there again")
        wait_for(lambda: "State is 70" in box.svcctl("list", "--conditions", f"dbus-property:{STATE} >= 70").stdout,
                 what="the level is right again")
        assert box.pid("online") == pid
