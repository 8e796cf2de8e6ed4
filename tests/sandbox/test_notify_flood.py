#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Floods of notify messages, from a service and from strangers on the socket of another service.

Other services feed their watchdogs meanwhile, svcctl gets answers within a second, and the flooder
can be stopped. Then a stranger sends READY=1 as another user, MAINPID=, an empty message, an
overlong one, and descriptors.
"""

import os
import time

from deadline import wait_for
from raw_bus import PEER, Latency, RawBus
from sandbox import Sandbox

# The time limits hold only without sanitizers, which make svcd several times slower.
STAGE = os.environ["SVCD_BUILDS"] + "/stage-bare"
SECONDS = 6

FEEDER = """import os, socket, time
notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
notify.connect(os.environ["NOTIFY_SOCKET"])
notify.send(b"READY=1")
while True:
    notify.send(b"WATCHDOG=1")
    time.sleep(0.2)
"""

FLOODER = """import os, socket, sys
notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
notify.connect(sys.argv[1] if len(sys.argv) > 1 else os.environ["NOTIFY_SOCKET"])
notify.send(b"READY=1")
if len(sys.argv) > 1: # the pending messages of one process do not fill the socket's queue
    os.fork()
    os.fork()
    notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    notify.connect(sys.argv[1])
n = 0
while True:
    n += 1
    notify.send(b"WATCHDOG=1\\nSTATUS=number %d" % n)
"""

# Sends messages from outside of the service. The process stays alive until all are read, so that
# its cgroup can be checked.
STRANGER = """import array, os, socket, sys, time
notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
notify.connect(sys.argv[1])
fds = [os.open("/dev/null", os.O_RDONLY) for _ in range(253)]
def with_fds(data):
    notify.sendmsg([data], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))])
for data in (b"READY=1", b"", b"READY=1\\n" * 600, b"READY=1\\0", b"MAINPID=1", b"MAINPID=%d" % os.getpid(), b"STOPPING=1",
             b"WATCHDOG=trigger", b"READY=1\\nSTATUS=of a stranger"):
    for _ in range(4):
        with_fds(data)
open(sys.argv[2], "w").close()
time.sleep(1000)
"""

FED = "[Service]\nExec=/usr/bin/python3 /etc/feeder.py\nReady=notify\nWatchdogTimeout=1s\nLimitCORE=0\n"
SERVICES = {
    "fed": FED,
    "attacked": FED,
    "flood": "[Service]\nExec=/usr/bin/python3 /etc/flooder.py\nReady=notify\n",
    "stranger": "[Service]\nExec=/usr/bin/python3 /etc/flooder.py /run/svcd/notify/attacked\nUser=65534\n",
    "victim": "[Service]\nExec=/bin/sleep infinity\nReady=notify\nStartTimeout=1h\n",
    "liar": "[Service]\nExec=/usr/bin/python3 /etc/stranger.py /run/svcd/notify/victim /run/lied\n",
    "liar-user": "[Service]\nExec=/usr/bin/python3 /etc/stranger.py /run/svcd/notify/victim /tmp/lied\nUser=65534\n",
}
FILES = {"/etc/feeder.py": FEEDER, "/etc/flooder.py": FLOODER, "/etc/stranger.py": STRANGER}


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def while_it_floods(box, flooder, pids):
    ping, svcctl = Latency("Ping on the private socket"), Latency("svcctl is")
    client = RawBus(box.path("/run/svcd/private"))
    box.svcctl("start", flooder)
    box.wait_state(flooder, "ready")
    began, used = time.monotonic(), cpu_seconds(box.manager_pid())
    while time.monotonic() < began + SECONDS:
        ping.measure(lambda: client.ask(PEER, "Ping"))
        svcctl.measure(lambda: box.svcctl("is", "up", "fed"))
        time.sleep(0.02)
    share = (cpu_seconds(box.manager_pid()) - used) / (time.monotonic() - began)
    print(f"{flooder} floods: {ping}; {svcctl}; the manager has {share * 100:.0f} % of a processor")
    for name, pid in pids.items():
        assert box.pid(name) == pid, f"the watchdog of {name} was missed: {box.service(name)}"
    assert ping.worst() < 1, ping

    began = time.monotonic()
    box.svcctl("stop", flooder)
    box.wait_state(flooder, "idle")
    print(f"{flooder} is stopped in {(time.monotonic() - began) * 1000:.0f} ms")
    client.close()


def nothing_of_a_stranger_is_believed(box):
    box.svcctl("start", "victim", "--no-wait")
    pid = wait_for(lambda: box.pid("victim"), what="it runs")
    n_fds = len(os.listdir(f"/proc/{box.manager_pid()}/fd"))
    for name, mark in (("liar", "/run/lied"), ("liar-user", "/tmp/lied")):
        box.svcctl("start", name, "--no-wait")
        wait_for(lambda path=mark: box.exists(path), what=f"{name} has sent all")
        box.svcctl("stop", name)
    row = box.service("victim")
    assert row["state"] == "starting" and box.pid("victim") == pid, row
    assert "of a stranger" not in box.svcctl("status", "victim", check=False).stdout
    wait_for(lambda: len(os.listdir(f"/proc/{box.manager_pid()}/fd")) <= n_fds, what="their descriptors are closed")


with Sandbox(SERVICES, policy="[runlevel 2]\n", files=FILES, stage=STAGE) as machine:
    machine.wait_up()
    # The value that PID 1 sets on a whole machine; it applies to sockets that are opened later.
    machine.run("mount -o remount,rw /proc/sys 2>/dev/null; echo 512 >/proc/sys/net/unix/max_dgram_qlen")
    machine.svcctl("start", "fed", "attacked")
    machine.wait_states({"fed": "ready", "attacked": "ready"})
    before = {name: machine.pid(name) for name in ("fed", "attacked")}
    while_it_floods(machine, "flood", before)
    while_it_floods(machine, "stranger", before)
    nothing_of_a_stranger_is_believed(machine)
