#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Events: the delay from a device event or a bus signal to the exec of the waiting service, the cost
per event, and the cost of idling. limit: 900

The cost per event is the manager's, with many conditions. The cost of idling is that of the manager
and the keeper.
"""

import json
import os
import socket
import statistics
import time

import dbus.bus
import fake_udev
from deadline import wait_for
from namespaces import socket_in
from sandbox import Sandbox

LATENCY_ROUNDS = 200
REAL_ROUNDS = 20
EVENTS = 5000
CONDITIONS = (100, 1000, 10000)
FILE_EVENTS = 1000
PER_SERVICE = 50
IDLE_S = int(os.environ.get("SVCD_BENCH_IDLE_S", "60"))

DEVICE = "/devices/virtual/block/bench0"
WAITS = "[Service]\nExec=/bin/sleep infinity\n[Conditions]\nWhile=label:{}\n"

BUS = ("[Service]\nExec=/usr/bin/dbus-daemon --system --nofork --nopidfile --nosyslog\n"
       "Ready=path:/run/dbus/system_bus_socket\nRuntimeDirectory=dbus\n")
MAY_OWN = """<busconfig><policy user="root"><allow own_prefix="org.example"/></policy></busconfig>"""


class Events:
    """Sends udevd's events from within the sandbox's network."""

    def __init__(self, box):
        self.socket = socket_in(box.pid1, fake_udev.open_sender)
        self.sent = 0

    def send(self, action, *properties, subsystem="block"):
        self.sent += 1
        words = [f"SUBSYSTEM={subsystem}", "DEVNAME=/dev/bench0", *properties, f"SEQNUM={self.sent}"]
        fake_udev.send(self.socket, action, DEVICE, words)


def cpu_us(pid):
    with open(f"/proc/{pid}/schedstat", encoding="ascii") as file:
        return int(file.read().split()[0]) / 1000


def switches(pid):
    """Context switches, voluntary or not."""
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return sum(int(line.split()[1]) for line in file if "ctxt_switches" in line)


def figures_ms(values_us):
    return {"median": round(statistics.median(values_us) / 1000, 3), "worst": round(max(values_us) / 1000, 3)}


def latency_us(box, name, begin, end):
    """The time from just before @begin until the manager learnt of the successful exec, as it
    recorded it."""
    began_us = time.monotonic_ns() / 1000
    begin()
    took = box.wait_state(name, "ready")["since_us"] - began_us
    end()
    box.wait_state(name, "waiting")
    return took


def measure_latency():
    with Sandbox({"a": WAITS.format("bench")}, udev=True) as box:
        box.wait_udev_known("a")
        events = Events(box)
        event = [latency_us(box, "a", lambda: events.send("add", "ID_FS_LABEL_ENC=bench"), lambda: events.send("remove"))
                 for _round in range(LATENCY_ROUNDS)]
        image = box.volume("bench")
        device = []
        real = [latency_us(box, "a", lambda: device.append(box.attach(image)), lambda: box.detach(device.pop()))
                for _round in range(REAL_ROUNDS)]
    return {"udev_event_to_exec_ms": figures_ms(event), "losetup_to_exec_ms": figures_ms(real)}


def bus_connection(box):
    """Another client on the sandbox's system bus; None while it accepts no connections."""
    try:
        bus = dbus.bus.BusConnection(f"unix:path={box.path('/run/dbus/system_bus_socket')}")
    except dbus.exceptions.DBusException:
        return None
    bus.set_exit_on_disconnect(False)
    return bus


def measure_bus_latency():
    services = {"dbus": BUS, "a": "[Service]\nExec=/bin/sleep infinity\n[Conditions]\nWhile=dbus:org.example.A\n"}
    with Sandbox(services, root="debian", files={"/etc/dbus-1/system.d/bench.conf": MAY_OWN}) as box:
        wait_for(lambda: "has no owner" in box.svcctl("explain", "a").stdout, what="the manager is on the bus")
        bus = wait_for(lambda: bus_connection(box), what="the bus takes connections")
        took = [latency_us(box, "a", lambda: bus.request_name("org.example.A"), lambda: bus.release_name("org.example.A"))
                for _round in range(LATENCY_ROUNDS)]
        bus.close()
    return {"bus_name_to_exec_ms": figures_ms(took)}


def cost_of_event_us(box, send, n_events=EVENTS):
    """svcctl's answer arrives after all events were handled, because events have priority."""
    box.svcctl("--version")
    began = cpu_us(box.manager_pid())
    for number in range(n_events):
        send(number)
    box.svcctl("--version")
    return round((cpu_us(box.manager_pid()) - began) / n_events, 2)


def measure_cost(n):
    """The figures include svcctl's own cost, which is small compared with that of 5,000 events."""
    labels = [f"bench-{number}" for number in range(n)]
    services = {f"s{first}": "[Service]\nExec=/bin/sleep infinity\n[Conditions]\n" +
                "".join(f"When=label:{label}\n" for label in labels[first:first + PER_SERVICE])
                for first in range(0, n, PER_SERVICE)}
    with Sandbox(services, udev=True) as box:
        box.wait_state("udevd", "ready", seconds=120)
        box.wait_udev_known("s0")
        box.wait_at_rest()
        events = Events(box)
        figures = {
            "other_label": cost_of_event_us(box, lambda i: events.send("change", f"ID_FS_LABEL_ENC=other-{i}")),
            "same_again": cost_of_event_us(box, lambda i: events.send("change", "ID_FS_LABEL_ENC=other")),
            "two_conditions_change": cost_of_event_us(
                box, lambda i: events.send("change", f"ID_FS_LABEL_ENC=bench-{i % n}")),
        }
        wait_quiet([box.manager_pid()])
        before = switches(box.manager_pid())
        for number in range(EVENTS):
            events.send("change", subsystem="net")
        figures["switches_by_5000_events_of_other_subsystems"] = switches(box.manager_pid()) - before
    return figures


def toggle(path):
    """Create or remove a file."""
    if os.path.exists(path):
        os.unlink(path)
    else:
        with open(path, "wb"):
            pass


def measure_services(n):
    """As many services as conditions; each waits for a separate file, and for a condition that
    never becomes true."""
    services = {f"s{number}": f"[Service]\nExec=/bin/sleep infinity\n[Conditions]\nWhen=path:/srv/{number}\nWhen=flag:never\n"
                for number in range(n)}
    with Sandbox(services, files={"/srv/other": ""}) as box:
        box.wait_at_rest(120)
        wait_quiet([box.manager_pid()])
        files = [box.path(f"/srv/{number % n}") for number in range(FILE_EVENTS)]
        return {"file_of_one_of_n_services": cost_of_event_us(box, lambda i: toggle(files[i]), FILE_EVENTS)}


# External conditions from every provider. Nothing writes to the directories meanwhile.
SOURCES = """[Service]
Exec=/bin/sleep infinity
[Conditions]
When=label:bench-0 | device:/dev/bench | udev:SUBSYSTEM=net ID_BENCH=1
When=dbus:org.example.A | dbus-property:org.freedesktop.DBus /org/freedesktop/DBus org.freedesktop.DBus.Features = x
When=network:up | network:interface:bench0
When=path:/etc/bench/none | path:nonempty:/var/lib/bench | mounted:/mnt/bench
When=flag:bench
"""


# Five seconds after a message the keeper sends a ping, and later checks for its answer.
LAST_PING_S = 11


def wait_quiet(pids):
    """Wait until the work that follows the last answer to svcctl and the last event is done."""
    def is_quiet():
        before = [switches(pid) for pid in pids]
        time.sleep(LAST_PING_S)
        return [switches(pid) for pid in pids] == before
    wait_for(is_quiet, seconds=180, what="manager and keeper are quiet")


def listen_to_udev():
    """Receive the events that the manager receives. The kernel sends events of the machine's
    devices to every network namespace of the initial user namespace."""
    listener = fake_udev.open_sender()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
    listener.bind((0, fake_udev.GROUP_UDEV))
    listener.setblocking(False)
    return listener


def count_events(listener):
    """Count the received events. If there are any, the machine was not idle."""
    n = 0
    while True:
        try:
            listener.recv(1 << 16)
            n += 1
        except BlockingIOError:
            return n


def idle_figures(box):
    """The cost of the manager and of PID 1, the keeper, over the same time."""
    pids = {"manager": box.manager_pid(), "keeper": box.pid1}
    listener = socket_in(box.pid1, listen_to_udev)
    wait_quiet(pids.values())
    count_events(listener)
    began = {name: (cpu_us(pid), switches(pid)) for name, pid in pids.items()}
    time.sleep(IDLE_S)
    figures = {name: {"cpu_us": round(cpu_us(pid) - began[name][0], 1), "switches": switches(pid) - began[name][1]}
               for name, pid in pids.items()}
    figures["udev_events"] = count_events(listener)
    listener.close()
    return figures


def measure_idle_labels():
    services = {f"s{number}": WAITS.format(f"bench-{number}") for number in range(100)}
    with Sandbox(services, udev=True) as box:
        box.wait_udev_known("s0")
        box.wait_at_rest()
        return idle_figures(box)


def measure_idle_all():
    services = {"dbus": BUS, **{f"s{number}": SOURCES for number in range(20)}}
    with Sandbox(services, udev=True, files={"/etc/dbus-1/system.d/bench.conf": MAY_OWN, "/etc/bench/some": ""}) as box:
        box.wait_udev_known("s0")
        wait_for(lambda: "has no owner" in box.svcctl("explain", "s0").stdout, what="the manager is on the bus")
        box.wait_at_rest()
        return idle_figures(box)


def ratios(costs):
    """The cost relative to that with the fewest conditions: 1 if it does not depend on their
    number."""
    least = costs[str(CONDITIONS[0])]
    return {str(n): {name: round(costs[str(n)][name] / least[name], 2) for name in least if not name.startswith("switches")}
            for n in CONDITIONS[1:]}


def measure_all():
    latency = measure_latency() | measure_bus_latency()
    costs = {str(n): measure_cost(n) | measure_services(n) for n in CONDITIONS}
    idle = {"seconds": IDLE_S, "labels": measure_idle_labels(), "all": measure_idle_all()}
    return {"bench": "events", "load": round(os.getloadavg()[0], 2), "latency": latency, "cost_us": costs,
            "cost_ratio": ratios(costs), "idle": idle}


print(json.dumps(measure_all()))
