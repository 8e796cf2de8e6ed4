#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""list --unmanaged shows the processes that a real bus started itself, with their names."""

from deadline import wait_for
from sandbox import Sandbox

POLKIT = "org.freedesktop.PolicyKit1"
SERVICES = {
    # svcd has no services for the bus names here.
    "dbus": "[Service]\nRuntimeDirectory=dbus\n"
            "Exec=/usr/bin/dbus-daemon --system --nofork --nopidfile\nReady=path:/run/dbus/system_bus_socket\n",
    "bystander": "[Service]\nExec=/bin/sleep infinity\n",
}
FILES = {
    "/etc/machine-id": "0123456789abcdef0123456789abcdef\n",
    # This program takes no name, and has a child that outlives it.
    "/usr/share/dbus-1/system-services/org.example.Silent.service":
        "[D-BUS Service]\nName=org.example.Silent\nUser=daemon\n"
        "Exec=/bin/sh -c \"(setsid sleep 1000 &) ; exec sleep 2000\"\n",
    "/etc/dbus-1/system.d/example.conf":
        "<busconfig><policy context=\"default\"><allow send_destination=\"*\" send_interface=\"org.example.Any\"/></policy>"
        "</busconfig>\n",
}


def unmanaged(box):
    return {row["command"]: row for row in box.svcctl_json("list", "--unmanaged")}


with Sandbox(SERVICES, root="debian", files=FILES, mounts=("sys",)) as box:
    box.wait_state("dbus", "ready")
    assert unmanaged(box) == {}
    assert "has started no service" in box.svcctl("list", "--unmanaged").stdout

    box.run("dbus-send", "--system", "--print-reply", f"--dest={POLKIT}", "/", "org.freedesktop.DBus.Peer.Ping")
    box.run("dbus-send", "--system", "--dest=org.example.Silent", "/", "org.example.Any.Call")
    wait_for(lambda: len(unmanaged(box)) >= 3, what="the three programs are seen")
    rows = unmanaged(box)

    polkit = [row for row in rows.values() if POLKIT in row["names"]]
    assert len(polkit) == 1 and "polkitd" in polkit[0]["command"], rows
    assert box.processes()[polkit[0]["pid"]][2] == "polkitd"
    for command in ("sleep 1000", "sleep 2000"):
        assert rows[command]["names"] == [] and rows[command]["user"] == "daemon", rows
        assert rows[command]["uid"] == 1, rows
    assert len(rows) == 3, rows

    text = box.svcctl("list", "--unmanaged", "-o", "names,command", "--no-header").stdout
    assert any(line.split()[0] == POLKIT for line in text.splitlines() if line.strip()), text

    # The names come from the bus: if the bus hangs, the processes are listed all the same.
    bus = box.pid("dbus")
    box.run("kill", "-STOP", str(bus))
    assert {row["command"] for row in box.svcctl_json("list", "--unmanaged")} == set(rows)
    assert all(row["names"] == [] for row in box.svcctl_json("list", "--unmanaged"))
    box.run("kill", "-CONT", str(bus))
