#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A package opens no port; a port in use is reported; a service that accepts no client fails; new
files open and close sockets."""

import listener
from deadline import wait_for
from sandbox import Sandbox

HOLDER = ("import socket, time\n"
          "s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)\n"
          "s.bind(('127.0.0.1', 8090)); s.listen()\n"
          "open('/run/held', 'w').close(); time.sleep(1000)\n")

SERVICES = {
    "new": listener.service(socket_section="ListenStream=/run/new.sock\nListenStream=8081\nListenDatagram=8082"),
    "held": listener.service(socket_section="ListenStream=/run/held.sock\nListenStream=127.0.0.1:8090"),
    "holder": "[Service]\nExec=/usr/bin/python3 /opt/holder.py\nReady=path:/run/held\n",
    "deaf": listener.service("deaf", socket_section="ListenStream=/run/deaf.sock\nTriggerLimit=3/1min"),
    "crash": listener.service("crash", socket_section="ListenStream=/run/crash.sock\nRemoveOnStop=yes"),
    "waits": listener.service(socket_section="ListenStream=/run/waits.sock", more="[Conditions]\nWhile=flag:go\n"),
}
POLICY = "[runlevel 2]\nActivate=holder\n" + "".join(f"[service {name}]\nActivation=on-demand\n"
                                                     for name in ("deaf", "crash", "waits"))


def entries(box, name):
    return box.svcctl_json("status", name, check=False)["data"][0]["listens"]


def ports(box):
    """The bound ports in the sandbox's network namespace."""
    text = box.run("cat /proc/net/tcp /proc/net/tcp6 /proc/net/udp /proc/net/udp6", check=False).stdout
    return {int(line.split()[1].rsplit(":", 1)[1], 16) for line in text.splitlines() if "local_address" not in line}


def refused(box, path):
    try:
        listener.ask(box.path(path))
    except (ConnectionRefusedError, FileNotFoundError):
        return True
    return False


with Sandbox(SERVICES, policy=POLICY, files={**listener.FILES, "/opt/holder.py": HOLDER}) as box:
    box.run("ip", "link", "set", "lo", "up", check=False)
    box.wait_state("holder", "ready")

    # If policy does not name the service, a path is opened, but a port is not, even after a start
    # by a client.
    assert [entry["open"] for entry in entries(box, "new")] == [True, False, False]
    assert listener.ask(box.path("/run/new.sock"))["names"] == ["new.socket"]
    assert not ports(box) & {8081, 8082}, ports(box)
    box.svcctl("stop", "new")
    box.wait_state("new", "idle")
    box.write("/etc/svcd/policy.d/named.policy", "[service new]\nActivation=on-demand\n[service held]\nActivation=on-demand\n")
    box.svcctl("reload-files")
    assert not ports(box) & {8081, 8082}, "an admin stopped it"
    box.svcctl("clear", "new")
    wait_for(lambda: {8081, 8082} <= ports(box), what="the ports of a service that policy names are open")

    # A port in use is reported as a problem and as the reason for a failed start; when it is free,
    # the service starts.
    problem = wait_for(lambda: entries(box, "held")[1].get("problem"), what="the port is in use")
    assert problem == "cannot listen on 127.0.0.1:8090: the address is in use; `ss -lnptux` shows by which program", problem
    assert problem in box.svcctl("start", "held", check=False).stderr
    box.wait_state("held", "failed")
    assert problem in box.svcctl("explain", "held", check=False).stdout
    box.svcctl("stop", "holder")
    box.wait_state("holder", "idle")
    box.svcctl("start", "held")
    box.wait_state("held", "ready")
    assert listener.ask(box.path("/run/held.sock"))["names"] == ["held.socket", "held.socket"]

    # A service that accepts no client is not started endlessly; in the end its clients are refused.
    assert listener.connects(box.path("/run/deaf.sock"))
    box.wait_state("deaf", "failed")
    assert "did not accept them (TriggerLimit=)" in box.svcctl("explain", "deaf", check=False).stdout
    wait_for(lambda: refused(box, "/run/deaf.sock"), what="its socket is closed")

    # A crash loses no client, even with Restart=no: the next client starts it, until RestartLimit=.
    for _ in range(2):
        assert listener.ask(box.path("/run/crash.sock"))
    box.wait_state("crash", "failed")
    box.svcctl("stop", "crash")
    wait_for(lambda: not box.exists("/run/crash.sock"), what="RemoveOnStop=")

    # The socket is closed until the terms are true; when they become false, clients wait.
    assert not box.exists("/run/waits.sock")
    box.svcctl("flag", "set", "go")
    wait_for(lambda: box.exists("/run/waits.sock"), what="the socket exists")
    box.svcctl("flag", "clear", "go")
    client = listener.connects(box.path("/run/waits.sock"))
    box.wait_state("waits", "waiting")
    assert "flag:go" in box.svcctl("explain", "waits", check=False).stdout
    box.svcctl("flag", "set", "go")
    assert listener.answer(client)

    # A new definition: unchanged sockets stay, others are opened and closed. A new manager has the
    # same definitions.
    box.svcctl("stop", "new")
    box.wait_state("new", "idle")
    box.svcctl("clear", "new")
    wait_for(lambda: {8081, 8082} <= ports(box), what="the ports are open")
    box.write("/etc/svcd/services.d/new.svc",
              listener.service(socket_section="ListenStream=/run/newer.sock\nListenStream=8083\nListenDatagram=8082"))
    box.svcctl("reload-files")
    wait_for(lambda: {8082, 8083} <= ports(box) and 8081 not in ports(box), what="the ports have changed")
    assert box.exists("/run/newer.sock") and not box.exists("/run/new.sock")
    box.write("/etc/svcd/services.d/new.svc", listener.service(socket_section="ListenStream=/run/newest.sock"))
    box.remove("/etc/svcd/services.d/waits.svc")
    box.kill_manager()
    assert {8082, 8083} <= ports(box) and box.exists("/run/newer.sock") and not box.exists("/run/newest.sock")
    box.svcctl("reload-files")
    wait_for(lambda: not {8082, 8083} & ports(box) and box.exists("/run/newest.sock"), what="the sockets were replaced")
    assert not box.exists("/run/newer.sock")
    assert listener.ask(box.path("/run/newest.sock"))

    # If the mode changes, a new socket is made, and its clients are served.
    box.svcctl("stop", "new")
    box.wait_state("new", "idle")
    box.svcctl("clear", "new")
    box.write("/etc/svcd/services.d/new.svc", listener.service(socket_section="ListenStream=/run/newest.sock\nSocketMode=0600"))
    box.svcctl("reload-files")
    wait_for(lambda: box.run("stat -c %a /run/newest.sock", check=False).stdout == "600\n", what="the socket has its new mode")
    assert listener.ask(box.path("/run/newest.sock"))
