#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The program of docs/providers.md, exactly as printed, provides a condition on the bus."""

import os
import re
import signal

from deadline import wait_for
from sandbox import Sandbox

HERE = os.path.dirname(os.path.abspath(__file__))

BUS_CONFIGURATION = """<busconfig>
  <type>system</type>
  <listen>unix:path=/run/dbus/system_bus_socket</listen>
  <policy context="default">
    <allow user="*"/>
    <deny own="*"/>
    <deny send_type="method_call"/>
    <allow send_type="signal"/>
    <allow send_requested_reply="true" send_type="method_return"/>
    <allow send_requested_reply="true" send_type="error"/>
    <allow receive_type="method_call"/>
    <allow receive_type="method_return"/>
    <allow receive_type="error"/>
    <allow receive_type="signal"/>
    <allow send_destination="org.freedesktop.DBus"/>
  </policy>
  <includedir>/usr/share/dbus-1/system.d</includedir>
  <includedir>/etc/dbus-1/system.d</includedir>
</busconfig>
"""

FLAG = "org.example.Weather/rain"


def blocks_of_the_page():
    """The blocks of docs/providers.md, by their language."""
    with open(f"{HERE}/../../docs/providers.md", encoding="utf-8") as page:
        return dict(re.findall(r"^```(\w+)\n(.*?)^```$", page.read(), re.MULTILINE | re.DOTALL))


PAGE = blocks_of_the_page()
SERVICES = {
    "dbus": "[Service]\nExec=/usr/bin/dbus-daemon --config-file=/etc/bus.conf --nofork --nopidfile --nosyslog\n"
            "RuntimeDirectory=dbus\nReady=path:/run/dbus/system_bus_socket\nRestart=always\nRestartLimit=100/10s\n",
    "weather": PAGE["ini"],
    "umbrella": f"[Service]\nExec=/bin/sleep infinity\n[Conditions]\nWhile=flag:{FLAG}\n",
}
FILES = {
    "/etc/bus.conf": BUS_CONFIGURATION,
    "/etc/dbus-1/system.d/org.example.Weather.conf": PAGE["xml"],
    "/run/weather": "sun\n",
    "/usr/local/sbin/weather": {"text": PAGE["python"], "mode": 0o755},
}


def set_by_somebody(box, *prefix):
    """The bus's answer to SetFlag from a client that is not the owner."""
    return box.run(*prefix, "dbus-send", "--bus=unix:path=/run/dbus/system_bus_socket", "--print-reply", "--dest=org.svcd1",
                   "/org/svcd1", "org.svcd1.Manager.SetFlag", f"string:{FLAG}", "boolean:true", check=False).stderr


def invocation(box):
    return box.service("umbrella")["invocation"]


with Sandbox(SERVICES, files=FILES) as box:
    box.wait_state("weather", "ready")
    box.wait_state("umbrella", "waiting")

    box.write("/run/weather", "rain\n")
    umbrella = box.wait_state("umbrella", "ready")
    assert FLAG in box.svcctl("flag").stdout
    conditions = box.svcctl("list", "--conditions", f"flag:{FLAG}").stdout
    assert "set by uid 1" in conditions, conditions

    # A new manager asks the bus for the owner of the name, and nothing changes.
    box.kill_manager(signal.SIGKILL)
    wait_for(lambda: "true" in box.svcctl("list", "--conditions", f"flag:{FLAG}").stdout, what="the flag is known again")
    assert box.service("umbrella")["pid"] == umbrella["pid"]

    # No other client can set the flag. Root can clear it with svcctl.
    for prefix in ((), ("setpriv", "--reuid=65534", "--clear-groups")):
        answer = set_by_somebody(box, *prefix)
        assert "org.svcd1.Error.NotAuthorized: this flag belongs to the owner of org.example.Weather" in answer, answer
    done = box.svcctl("flag", "set", FLAG, check=False)
    assert done.returncode and "only the program that owns org.example.Weather" in done.stderr, done
    box.svcctl("flag", "clear", FLAG)
    box.wait_state("umbrella", "waiting")
    box.svcctl("restart", "weather")
    box.wait_state("umbrella", "ready")

    # The program dies, and its flag is cleared. The program starts again, and sets the flag again.
    before = invocation(box)
    box.kill(box.pid("weather"))
    wait_for(lambda: invocation(box) > before, what="umbrella was stopped and started again")
    box.wait_state("umbrella", "ready")

    # After the owner has left the bus, the next manager does not get its flag.
    box.svcctl("stop", "weather")
    box.wait_state("umbrella", "waiting")
    box.kill_manager(signal.SIGKILL)
    assert FLAG not in box.svcctl("flag").stdout
    assert box.state("umbrella") == "waiting"
    box.svcctl("start", "weather")
    box.wait_state("umbrella", "ready")

    # The bus disappears and returns.
    before = invocation(box)
    box.kill(box.pid("dbus"))
    wait_for(lambda: invocation(box) > before, what="umbrella followed the new bus")
    box.wait_state("umbrella", "ready")
    assert FLAG in box.svcctl("flag").stdout
