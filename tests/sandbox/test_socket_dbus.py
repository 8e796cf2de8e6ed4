#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Debian's own dbus-daemon gets its socket from svcd, starts with the first client, and loses no
client at a restart."""

from sandbox import Sandbox

CONF = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path=/run/unused</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow user="*"/><allow own="*"/>
    <allow send_type="method_call"/><allow send_type="signal"/>
    <allow send_requested_reply="true" send_type="method_return"/><allow send_requested_reply="true" send_type="error"/>
    <allow receive_type="method_call"/><allow receive_type="signal"/>
    <allow receive_type="method_return"/><allow receive_type="error"/>
  </policy>
</busconfig>
"""

BUS = """[Service]
Exec=/usr/bin/dbus-daemon --config-file=/opt/bus.conf --nofork --nopidfile --address=systemd:

[Socket]
ListenStream=/run/test-bus
"""

CALL = ("/usr/bin/dbus-send", "--bus=unix:path=/run/test-bus", "--print-reply", "--dest=org.freedesktop.DBus", "/",
        "org.freedesktop.DBus.ListNames")

with Sandbox({"bus": BUS}, policy="[service bus]\nActivation=on-demand\n",
             files={"/opt/bus.conf": CONF, "/etc/passwd": "root:x:0:0::/root:/bin/sh\n"}) as box:
    box.wait_at_rest()
    assert box.state("bus") == "idle"
    assert "org.freedesktop.DBus" in box.run(*CALL).stdout
    first = box.pid("bus")
    assert first

    box.kill_manager(wait=False)
    assert "org.freedesktop.DBus" in box.run(*CALL).stdout
    box.wait_up()
    box.svcctl("restart", "bus")
    assert "org.freedesktop.DBus" in box.run(*CALL).stdout
    assert box.pid("bus") != first
