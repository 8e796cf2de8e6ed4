#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Ready=dbus:NAME: the service is ready when the daemon owns the name. Later changes do not matter,
and a missing name is reported."""

import signal

import open_bus
from sandbox import Sandbox

DBUS = "[Service]\nExec=/usr/bin/dbus-daemon --config-file=/etc/bus.conf --nofork --nopidfile --nosyslog\n" \
       "Ready=path:/run/dbus/system_bus_socket\nRuntimeDirectory=dbus\n"

# The daemon takes its name on request, and releases it when the request is withdrawn.
DAEMON = """import os
import time
import dbus.bus

def wait(is_there):
    while os.path.exists("/run/go") != is_there:
        time.sleep(0.02)

wait(True)
bus = dbus.bus.BusConnection("unix:path=/run/dbus/system_bus_socket")
bus.set_exit_on_disconnect(False)
bus.request_name("org.example.A")
wait(False)
bus.release_name("org.example.A")
open("/run/left", "w").close()
time.sleep(100000)
"""

SERVICES = {
    "dbus": DBUS,
    "a": "[Service]\nExec=/usr/bin/python3 /etc/daemon\nReady=dbus:org.example.A\n",
    "after-a": "[Service]\nExec=/bin/sleep infinity\n[Conditions]\nWhile=service:a\n",
    "never": "[Service]\nExec=/bin/sleep infinity\nReady=dbus:org.example.Never\nStartTimeout=1s\nRestart=no\n",
}

with Sandbox(SERVICES, files={"/etc/bus.conf": open_bus.CONFIGURATION, "/etc/daemon": DAEMON}) as box:
    box.wait_state("a", "starting")
    box.wait_state("never", "failed")
    explained = box.svcctl("explain", "never").stdout
    assert "not ready after 1.0 s: dbus:org.example.Never: has no owner on the system bus" in explained, explained

    # A new manager that starts meanwhile checks the name, too.
    box.kill_manager(signal.SIGKILL)
    box.wait_up()
    box.wait_state("a", "starting")
    box.write("/run/go", "")
    pid = box.wait_state("a", "ready")["pid"]
    box.wait_state("after-a", "ready")

    box.remove("/run/go")
    box.run("while [ ! -e /run/left ]; do sleep 0.02; done")
    box.wait_at_rest()
    assert box.state("a") == "ready" and box.pid("a") == pid

    # After a restart, the name of the previous run does not make the service ready.
    box.svcctl("restart", "--no-wait", "a")
    box.wait_state("a", "starting")
    box.write("/run/go", "")
    box.wait_state("a", "ready")
