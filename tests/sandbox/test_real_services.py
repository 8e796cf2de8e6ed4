#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The shipped set boots a real Debian: dbus, rsyslog, cron, nginx and ssh answer; then it powers off."""

import os
import signal

from deadline import wait_for
from sandbox import Sandbox

POLICY = "[runlevel 2]\nActivate=dbus rsyslog cron nginx ssh\n"

with Sandbox(root="debian", vendor=True, policy=POLICY, mounts=("sys",)) as box:
    # ssh needs a machine with a network: a route is enough.
    box.run("ip link add name out0 type veth peer name out1 && ip address add 192.0.2.2/24 dev out0 && "
            "ip link set out0 up && ip link set out1 up && ip route add default via 192.0.2.1")
    for name in ("dbus", "rsyslog", "cron", "nginx", "ssh"):
        box.wait_state(name, "ready")

    box.run("dbus-send", "--system", "--dest=org.freedesktop.DBus", "--print-reply", "/org/freedesktop/DBus",
            "org.freedesktop.DBus.ListNames")
    box.run("logger", "-t", "sandbox", "a line for syslog")
    wait_for(lambda: "a line for syslog" in box.read("/var/log/syslog"), what="rsyslog wrote the line")
    greeting = box.run("perl", "-MIO::Socket::INET", "-e",
                       "my $s = IO::Socket::INET->new('127.0.0.1:80') or die; print $s \"HEAD / HTTP/1.0\\r\\n\\r\\n\"; "
                       "print scalar <$s>; $s = IO::Socket::INET->new('127.0.0.1:22') or die; print scalar <$s>").stdout
    assert "HTTP/1.1 200" in greeting and "SSH-2.0" in greeting, greeting
    assert box.processes()[box.pid("cron")][2] == "cron"

    pids = {name: row["pid"] for name, row in box.services().items() if row.get("pid")}
    box.kill_manager(signal.SIGSEGV)
    box.wait_at_rest()
    assert {name: row["pid"] for name, row in box.services().items() if row.get("pid")} == pids

    assert "nginx" in box.svcctl("explain", "nginx").stdout
    box.shut_down("poweroff")
    status = box.wait_end()
    assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGINT, f"wait status {status:#x}"
