#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Fifty clients flood svcd with D-Bus calls, and bus daemons stop or die again and again.

The clients use the system bus, with thousands of match rules, and the private socket, and read the
answers or not. Other clients get answers, a client that does not read is disconnected, and memory
and descriptors are released. Then svcd survives the bus daemons. The latency of other clients is
printed.
"""


import json
import os
import signal
import subprocess
import time

from gi.repository import GLib

from deadline import wait_for
from polkit import SOCKET, BusMachine
from raw_bus import BUS, MANAGER, OBJECTS, PEER, Gone, Latency, RawBus
from sandbox import HERE

# The latency limits hold only without sanitizers, which make svcd several times slower.
STAGE = os.environ["SVCD_BUILDS"] + "/stage-bare"
SECONDS = int(os.environ.get("SVCD_FLOOD_SECONDS", "1"))
KILLS = 20

PRIVATE = "/run/svcd/private"
SLEEP = "[Service]\nExec=/bin/sleep infinity\n"
SERVICES = {"a": SLEEP, "waits": SLEEP + "[Conditions]\nWhile=flag:go\n"}
SERVICES.update({f"more-{number}": SLEEP for number in range(40)})


def resident_kib(pid):
    with open(f"/proc/{pid}/status", encoding="utf-8") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


def descriptors(box):
    return len(os.listdir(f"/proc/{box.manager_pid()}/fd"))


def flood(box, kind, path, uid, count):
    """Return the result of the flooders, and the latency of the other clients."""
    private, bus = RawBus(box.path(PRIVATE)), RawBus(box.path(SOCKET), hello=True)
    waits = {
        "Ping on the private socket": lambda: private.ask(PEER, "Ping"),
        "ListServices there": lambda: private.ask(MANAGER, "ListServices"),
        "svcctl is": lambda: box.svcctl("is", "up", "a"),
        "GetId of the bus itself": lambda: bus.ask(BUS, "GetId"),
        "Ping on the bus": lambda: bus.ask(PEER, "Ping"),
    }
    if path != SOCKET:
        del waits["GetId of the bus itself"]
    latencies = {what: Latency(what) for what in waits}
    with subprocess.Popen(["/usr/bin/python3", f"{HERE}/raw_bus.py", kind, box.path(path), str(uid), str(count), str(SECONDS)],
                          stdout=subprocess.PIPE, text=True) as flooder:
        assert flooder.stdout.readline() == "connected\n"
        until = time.monotonic() + SECONDS
        while time.monotonic() < until:
            for what, ask in waits.items():
                latencies[what].measure(ask)
            time.sleep(0.01)
        result = json.loads(flooder.communicate(timeout=60)[0])
    private.close()
    bus.close()
    print(f"{count} of uid {uid}, {kind}, {path}: {result}")
    for latency in latencies.values():
        print(f"    {latency}")
    return result, latencies


def nobody_waits_for_floods(box):
    before = resident_kib(box.manager_pid())
    n_fds = descriptors(box)
    for kind, path, uid, count in (("ping", SOCKET, 65534, 50), ("list", SOCKET, 65534, 50), ("deaf", SOCKET, 65534, 50),
                                   ("objects", SOCKET, 65534, 32), ("objects", PRIVATE, 0, 50), ("deaf", PRIVATE, 0, 50)):
        _result, latencies = flood(box, kind, path, uid, count)
        if path != PRIVATE: # there root itself floods, with fifty of its 64 clients
            assert latencies["Ping on the private socket"].worst() < 1, kind
    wait_for(lambda: descriptors(box) <= n_fds, what="all their descriptors are closed")
    wait_for(lambda: resident_kib(box.manager_pid()) < before + 4096, what="memory comes back")
    print(f"memory of the manager: {before} KiB before, {resident_kib(box.manager_pid())} KiB after")


def who_does_not_read_is_disconnected(box):
    """Above 256 KiB of unread answers svcd stops reading from the client. When up to 1 MiB of
    further messages has gathered, svcd disconnects the client."""
    root, deaf = RawBus(box.path(PRIVATE)), RawBus(box.path(PRIVATE))
    deaf.ask(MANAGER, "Subscribe")
    for _ in range(40):
        deaf.call(OBJECTS, "GetManagedObjects")
    changes = 0
    while "it does not read its messages" not in box.console():
        assert changes < 20000, "it is still connected"
        for _ in range(100):
            root.ask(MANAGER, "SetFlag", GLib.Variant("(sb)", ("go", changes % 2 == 0)))
            changes += 1
    print(f"    a client that does not read is disconnected after {changes} changes")
    assert deaf.is_gone(60)
    deaf.close()
    root.close()


def match_rules_are_the_buss_matter(box):
    """The bus daemon stores and compares the match rules; svcd sends each signal once."""
    clients = [RawBus(box.path(SOCKET), uid=65534, hello=True) for _ in range(50)]
    for number, client in enumerate(clients):
        n_rules = 1000 if number == 0 else 50
        serials = {client.call(BUS, "AddMatch", GLib.Variant("(s)", (f"type='signal',sender='org.svcd1',arg0='{rule}'",)))
                   for rule in range(n_rules)}
        while serials:
            answer = client.receive()
            serials.discard(answer.get_reply_serial())
    change = Latency("svcctl flag, with all their match rules")
    for number in range(10):
        change.measure(lambda verb="set" if number % 2 == 0 else "clear": box.svcctl("flag", verb, "go"))
    print(f"    {change}")
    for client in clients:
        client.close()


def a_stopped_bus_holds_nobody_up(box):
    private = RawBus(box.path(PRIVATE))
    before = resident_kib(box.manager_pid())
    daemon = box.outer_pid(box.pid("dbus"))
    ping = Latency("Ping on the private socket, the bus daemon stopped")
    os.kill(daemon, signal.SIGSTOP)
    try:
        for number in range(200):
            private.ask(MANAGER, "SetFlag", GLib.Variant("(sb)", ("go", number % 2 == 0)))
            ping.measure(lambda: private.ask(PEER, "Ping"))
    finally:
        os.kill(daemon, signal.SIGCONT)
    grown = resident_kib(box.manager_pid()) - before
    print(f"    {ping}; 200 changes that the bus did not take: {grown} KiB")
    assert ping.worst() < 1 and grown < 4096, (ping, grown)
    private.close()
    wait_for(lambda: box.manager("ListServices").returncode == 0, what="the bus continues")


def a_killed_bus_comes_back(box):
    pid = box.pid("a")
    back = Latency("from the start of the next bus daemon to an answer on it")
    for _ in range(KILLS):
        daemon = box.pid("dbus")
        box.kill(daemon)
        wait_for(lambda old=daemon: box.pid("dbus") != old, what="it is gone")
        box.svcctl("clear", "dbus") # otherwise each retry would be later than the last
        box.svcctl("start", "dbus")
        back.measure(lambda: wait_for(lambda: box.manager("ListServices").returncode == 0, what="svcd is on the bus", every=0.02))
    print(f"    {back}")
    assert back.worst() < 5 and box.pid("a") == pid, back


with BusMachine(has_polkit=False, services=SERVICES, policy="[runlevel 2]\nActivate=a waits\n", stage=STAGE) as machine:
    manager = machine.manager_pid()
    nobody_waits_for_floods(machine)
    who_does_not_read_is_disconnected(machine)
    match_rules_are_the_buss_matter(machine)
    a_stopped_bus_holds_nobody_up(machine)
    a_killed_bus_comes_back(machine)
    assert machine.manager_pid() == manager, "the manager is still the first one"
