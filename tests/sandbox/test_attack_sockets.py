#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A service that misuses its listening sockets does not delay other services: lingering, a held
lock, thousands of listeners."""

import subprocess

import attack
import listener
from attack import Attack
from deadline import wait_for
from sandbox import Sandbox

RELAY = "/run/relay"

# The service passes its socket on, so a process outside the service holds the lock.
GIVE = f"""
import array, os, socket, time
if not os.path.exists("{RELAY}"):
    time.sleep(1000)
relay = socket.socket(socket.AF_UNIX)
relay.connect("{RELAY}")
relay.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [3]))])
time.sleep(1000)
"""

TAKE = f"""
import array, os, socket
relay = socket.socket(socket.AF_UNIX)
relay.bind("{RELAY}")
os.chmod("{RELAY}", 0o666)
relay.listen()
client = relay.accept()[0]
control = client.recvmsg(1, socket.CMSG_SPACE(4))[1]
fd = array.array("i", control[0][2])[0]
os.set_inheritable(fd, True)
os.execv("/attack", ["/attack", "-u", "65534", "-m", "{attack.mark_of('taken')}", "hold-socket", str(fd)])
"""

SERVICES = {
    **attack.WITNESSES,
    "sink": attack.service("sink", "sink", "7001"),
    "lingers": attack.service("lingers", "linger", "3", "7001", sections="[Socket]\nListenStream=127.0.0.1:7002"),
    "holds": attack.service("holds", "hold-socket", "3", sections="[Socket]\nListenStream=127.0.0.1:7003"),
    "gives": "[Service]\nExec=/usr/bin/python3 /opt/give.py\nUser=nobody\nNoNewPrivileges=yes\n[Socket]\nListenStream=127.0.0.1:7004\n",
    "late": listener.service(socket_section="ListenStream=127.0.0.1:7005\nListenStream=/run/late.sock"),
    "other": listener.service("idle", socket_section="ListenStream=/run/other.sock"),
}
POLICY = "[runlevel 2]\nActivate=victim talker\n[service other]\nActivation=on-demand\n"

FILES = {**attack.FILES, **listener.FILES, "/opt/give.py": GIVE, "/opt/take.py": TAKE,
         "/etc/passwd": "root:x:0:0::/root:/bin/sh\nnobody:x:65534:65534::/:/bin/false\n", "/etc/group": "root:x:0:\nnogroup:x:65534:\n"}


def check(box):
    attack.check_responsive(box)
    assert listener.ask(box.path("/run/other.sock")), "another service is not started by its client"


def svcctl(box, *words):
    return attack.ask(box, "/usr/bin/svcctl", *words)[1]


def problem_of(box, name, entry):
    return box.svcctl_json("status", name, check=False)["data"][0]["listens"][entry].get("problem") or ""


with Sandbox(SERVICES, policy=POLICY, files=FILES) as box:
    box.run("ip", "link", "set", "lo", "up")
    box.wait_state("victim", "ready")
    box.wait_at_rest()
    manager = box.manager_pid()

    # The listening socket has become a connection that lingers for an hour. Its last close waits
    # equally long.
    box.svcctl("start", "sink")
    attack.wait_held(box, "sink")
    box.svcctl("start", "lingers")
    attack.wait_held(box, "lingers")
    svcctl(box, "stop", "lingers")
    box.wait_state("lingers", "idle")
    check(box)
    svcctl(box, "stop", "sink")

    # The service holds the lock of its socket. The next manager, a reload and a stop do not touch
    # the socket.
    box.svcctl("start", "holds")
    attack.wait_held(box, "holds")
    assert box.manager_pid() == manager
    box.kill_manager()
    check(box)
    svcctl(box, "reload-files")
    check(box)
    svcctl(box, "stop", "holds", "--no-wait")
    check(box)
    attack.keeper(box).abort()
    box.wait_state("holds", "idle")

    # Another process holds the lock, and the service has ended. The next start cannot check the
    # socket, and fails.
    manager = box.manager_pid()
    with subprocess.Popen(box.command(["/usr/bin/python3", "/opt/take.py"]), stdin=subprocess.DEVNULL) as taker:
        wait_for(lambda: box.exists(RELAY), what="the relay exists")
        box.svcctl("start", "gives")
        attack.wait_held(box, "taken")
        svcctl(box, "restart", "gives", "--no-wait")
        check(box)
        box.wait_state("gives", "failed")
        assert "the helper that opens the socket does not answer" in problem_of(box, "gives", 0), problem_of(box, "gives", 0)
        check(box)
        assert box.manager_pid() == manager
        attack.keeper(box).abort()
        taker.kill()
    box.remove(RELAY)
    box.svcctl("start", "gives")
    box.wait_state("gives", "ready")

    # 3,000 sockets listen on the service's port. svcd does not search the list of sockets for them.
    with Attack(box, "listeners", "3000", "7005"):
        box.write("/etc/svcd/policy.d/late.policy", "[service late]\nActivation=on-demand\n")
        box.svcctl("reload-files")
        check(box)
        problem = wait_for(lambda: problem_of(box, "late", 0), what="the port is in use")
        assert problem.endswith(": the address is in use; `ss -lnptux` shows by which program"), problem
        assert "the address is in use" in svcctl(box, "start", "late")
        check(box)
    box.svcctl("start", "late")
    assert listener.ask(box.path("/run/late.sock"))["names"] == ["late.socket", "late.socket"]
    assert box.manager_pid() == manager
