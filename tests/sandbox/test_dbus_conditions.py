#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A While=dbus: term follows the owner of the name, and services outlive the bus: after ten kills
of the bus no service is lost."""


import signal

import dbus.bus

from deadline import wait_for
from sandbox import Sandbox

SLEEP = "[Service]\nExec=/bin/sleep infinity\n[Conditions]\n"
SERVICES = {
    "dbus": "[Service]\nExec=/usr/bin/dbus-daemon --system --nofork --nopidfile --nosyslog\n"
            "Ready=path:/run/dbus/system_bus_socket\nRuntimeDirectory=dbus\nRestart=always\nRestartLimit=100/10s\n"
            "RestartDelay=10ms\nRestartDelayMax=20ms\n",
    "waits": SLEEP + "While=dbus:org.example.A\n",
    "needs-bus": SLEEP + "While=dbus:org.freedesktop.DBus\n",
    "starts-once": SLEEP + "When=dbus:org.example.A\n",
    "else": SLEEP + "While=!dbus:org.example.A\n",
    "lists": SLEEP + "While=dbus-property:org.freedesktop.DBus /org/freedesktop/DBus org.freedesktop.DBus.Features = x\n",
}
OWN = """<busconfig><policy user="root"><allow own_prefix="org.example"/></policy></busconfig>"""


def take_name(box):
    """Another client, which owns org.example.A while its connection is open."""
    path = box.path("/run/dbus/system_bus_socket")

    def connect():
        try:
            return dbus.bus.BusConnection(f"unix:path={path}")
        except dbus.exceptions.DBusException:
            return None  # the bus has just started

    bus = wait_for(connect, what="the bus takes connections")
    bus.set_exit_on_disconnect(False)
    bus.request_name("org.example.A")
    return bus


def condition(box, key):
    return box.svcctl("list", "--conditions", key).stdout


with Sandbox(SERVICES, root="debian", files={"/etc/dbus-1/system.d/test.conf": OWN}, mounts=("sys",)) as box:
    box.wait_state("dbus", "ready")
    box.wait_states({"waits": "waiting", "starts-once": "waiting", "else": "ready", "needs-bus": "ready"})
    assert "has no owner on the system bus" in box.svcctl("explain", "waits").stdout
    wait_for(lambda: "Features is a list, which cannot be compared" in box.svcctl("explain", "lists").stdout,
             what="explain says why a list compares with nothing")

    owner = take_name(box)
    box.wait_states({"waits": "ready", "starts-once": "ready", "else": "waiting"})

    owner.close()
    box.wait_states({"waits": "waiting", "starts-once": "ready", "else": "ready"})

    owner = take_name(box)
    box.wait_states({"waits": "ready", "else": "waiting"})
    names = ("waits", "needs-bus", "starts-once")
    pids = {name: box.pid(name) for name in names}
    for _ in range(10):
        before = box.pid("dbus")
        box.kill(before, signal.SIGKILL)
        wait_for(lambda: box.pid("dbus") not in (0, before), what="the bus is there again")
        owner.close()
        owner = take_name(box)
        wait_for(lambda: "owned by" in condition(box, "dbus:org.example.A"), what="the level is right again")
    assert {name: box.pid(name) for name in names} == pids
    assert box.state("else") == "waiting"

    # A new manager queries the bus, and finds no change.
    box.kill_manager(signal.SIGKILL)
    wait_for(lambda: "owned by" in condition(box, "dbus:org.example.A"), what="the level is right again")
    box.wait_at_rest()
    assert {name: box.pid(name) for name in names} == pids

    # If the bus stays away, neither this manager nor one that never saw the bus stops a service.
    box.svcctl("stop", "else", "lists")  # they would wait half a minute for the bus
    box.svcctl("stop", "dbus")
    for _ in range(2):
        wait_for(lambda: "there is no system bus" in condition(box, "dbus:org.example.A"), what="the level is unknown")
        box.wait_at_rest()
        assert {name: box.pid(name) for name in names} == pids
        box.kill_manager(signal.SIGKILL)
        box.wait_up()
    owner.close()
