#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""network:up follows NetworkManager where it runs and the kernel elsewhere, and switches between
them without a gap."""

import open_bus
from deadline import holds_for, wait_for
from sandbox import Sandbox

SERVICES = {
    "bus": "[Service]\nExec=/usr/bin/dbus-daemon --config-file=/etc/bus.conf --nofork --nopidfile\n"
           "RuntimeDirectory=dbus\nReady=path:/run/dbus/system_bus_socket\n",
    "nm": "[Service]\nExec=/usr/bin/python3 -m dbusmock --system --template networkmanager\nRestart=always\n"
          "Environment=DBUS_SYSTEM_BUS_ADDRESS=unix:path=/run/dbus/system_bus_socket\n"
          "[Conditions]\nWhile=service:bus\n",
    "net": "[Service]\nExec=/bin/sleep infinity\n[Conditions]\nWhile=network:up\n",
    "link": "[Service]\nExec=/bin/sleep infinity\n[Conditions]\nWhile=network:interface:va\n",
}
POLICY = "[runlevel 2]\nActivate=bus net link\n[service nm]\nActivation=manual\n"


def say_state(box, state):
    box.run("/usr/bin/dbus-send", "--bus=unix:path=/run/dbus/system_bus_socket", "--print-reply",
            "--dest=org.freedesktop.NetworkManager", "/org/freedesktop/NetworkManager",
            "org.freedesktop.DBus.Mock.SetGlobalConnectionState", f"uint32:{state}")


def wait_reason(box, text):
    """Wait until svcd gives this as the reason for the level of network:up."""
    wait_for(lambda: text in box.svcctl("list", "--conditions", "network:up").stdout, what=f"network:up has the reason {text!r}")


with Sandbox(SERVICES, policy=POLICY, files={"/etc/bus.conf": open_bus.CONFIGURATION}) as box:
    # First without NetworkManager.
    box.wait_state("net", "waiting")
    wait_reason(box, "no default route")
    box.run("ip link add va type veth peer vb && ip addr add 10.9.0.1/24 dev va && ip link set va up && ip link set vb up")
    box.wait_state("link", "ready")
    box.run("ip route add default via 10.9.0.2")
    pid = box.wait_state("net", "ready")["pid"]

    # NetworkManager takes over a working network, and knows what the kernel does not see.
    box.svcctl("start", "nm")
    wait_reason(box, "NetworkManager: connected-global (70)")
    box.run("ip route del default")
    holds_for(lambda: box.pid("net") == pid, 1, "NetworkManager's state decides")
    say_state(box, 20)
    box.wait_state("net", "waiting")
    assert "NetworkManager: disconnected (20)" in box.svcctl("explain", "net").stdout

    # A network that NetworkManager does not manage is up, too.
    box.run("ip route add default via 10.9.0.2")
    pid = box.wait_state("net", "ready")["pid"]
    say_state(box, 70)
    wait_reason(box, "NetworkManager: connected-global (70)")
    say_state(box, 20)
    wait_reason(box, "default route through va")
    assert box.pid("net") == pid
    say_state(box, 70)
    wait_reason(box, "NetworkManager: connected-global (70)")

    # NetworkManager ends, and the bus ends: no service is stopped.
    for _ in range(3):
        box.svcctl("restart", "bus")
        box.wait_state("bus", "ready")
        box.wait_state("nm", "ready")
        wait_reason(box, "NetworkManager: connected-global (70)")
    box.svcctl("stop", "nm")
    wait_reason(box, "default route through va")
    assert box.pid("net") == pid

    # If the kernel has no route, a restart of NetworkManager changes no level ...
    box.svcctl("start", "nm")
    wait_reason(box, "NetworkManager: connected-global (70)")
    box.run("ip route del default")
    holds_for(lambda: box.pid("net") == pid, 1, "NetworkManager's state decides")
    box.svcctl("restart", "nm")
    wait_reason(box, "NetworkManager: connected-global (70)")
    assert box.pid("net") == pid

    # ... but if NetworkManager does not return, the level changes.
    box.svcctl("stop", "nm")
    wait_reason(box, "NetworkManager is not running; it last reported true; the kernel: no default route")
    assert box.pid("net") == pid
    box.wait_state("net", "waiting")
    wait_reason(box, "no default route")

    # The carrier of one interface comes from the kernel alone.
    box.run("ip link set vb down")
    box.wait_state("link", "waiting")
    assert "no carrier" in box.svcctl("explain", "link").stdout
