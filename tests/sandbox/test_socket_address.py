#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A failed socket opens as soon as its address appears or its present owner ends; svcd does not
poll."""

import listener
from deadline import wait_for
from sandbox import Sandbox

HOLDER = "import socket, time; s = socket.socket(); s.bind(('127.0.0.1', 8090)); s.listen(); time.sleep(1000)"

SERVICES = {
    "early": listener.service(socket_section="ListenStream=/run/early.sock\nListenStream=192.0.2.7:8091"),
    "holder": f"[Service]\nExec=/usr/bin/python3 -c \"{HOLDER}\"\n",
    "held": listener.service(socket_section="ListenStream=127.0.0.1:8090"),
}
POLICY = "[runlevel 2]\nActivate=holder\n"


def problems(box, name):
    return [entry.get("problem") for entry in box.svcctl_json("status", name, check=False)["data"][0]["listens"] if not entry["open"]]


with Sandbox(SERVICES, policy=POLICY, files=listener.FILES) as box:
    # Before the first address exists, the kernel lets a process listen on any address.
    box.run("ip", "link", "set", "lo", "up")
    box.wait_at_rest()
    box.write("/etc/svcd/policy.d/early.policy", "[service early]\nActivation=on-demand\n")
    box.svcctl("reload-files")
    wait_for(lambda: any(problems(box, "early")), what="it cannot have the address")
    assert problems(box, "early") == ["cannot listen on 192.0.2.7:8091: Cannot assign requested address"], problems(box, "early")
    box.run("ip", "address", "add", "192.0.2.7/32", "dev", "lo")
    wait_for(lambda: not problems(box, "early"), what="it listens on the address that has come")

    # Another service has the port; when it ends, the port is free.
    box.wait_state("holder", "ready")
    wait_for(lambda: box.run("grep -q :1F9A /proc/net/tcp", check=False).returncode == 0, what="the port is taken")
    box.write("/etc/svcd/policy.d/held.policy", "[service held]\nActivation=on-demand\n")
    box.svcctl("reload-files")
    wait_for(lambda: any(problems(box, "held")), what="it cannot have the port")
    box.svcctl("stop", "holder")
    wait_for(lambda: not problems(box, "held"), what="it listens on the port that is free")
