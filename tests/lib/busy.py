# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Busy: two hundred services that start, stop, send their readiness, exit and log, with requests from
clients.

Whatever happens to svcd meanwhile, nothing runs twice, and no exit status, line or answered request
is lost.

    with BusySandbox() as busy:
        busy.box.kill_manager()
        busy.finish()

Clients send their requests on the private socket, and connect again after the death of a manager.
See busy.c.
"""

import fcntl
import os
import random
import re
import signal
import struct
import threading
import time

import dbus.connection
from dbus.exceptions import DBusException

from deadline import DEFAULT_S, wait_for
from sandbox import Sandbox

MANAGER = "/usr/lib/svcd/svcd-manager"
PROGRAM = "/usr/local/bin/busy"
# A fault while the sanitizer starts would hang in the sanitizer's own handler. The kernel's default
# action is enough here.
WRAPPER = f"""#!/bin/sh
ASAN_OPTIONS=handle_segv=0:handle_sigbus=0:handle_abort=0:handle_sigfpe=0:handle_sigill=0:detect_leaks=0
export ASAN_OPTIONS
exec {MANAGER}.real "$@"
"""


def names(kind, count):
    return [f"{kind}{number}" for number in range(count)]


STAY, LOG, CRASH, MOVE = names("stay", 100), names("log", 20), names("crash", 20), names("move", 20)
TELL, AFTER, END, TASK = names("tell", 10), names("after", 10), names("end", 10), names("task", 10)
KEPT = STAY + LOG


def service(role, name, more=""):
    return f"[Service]\nExec={PROGRAM} {role} {name}\n{more}"


def all_services():
    found = {name: service("stay", name) for name in STAY + MOVE}
    found |= {name: service("log", name) for name in LOG}
    found |= {name: service("crash", name, "Restart=always\nRestartDelay=50ms\nRestartDelayMax=50ms\nRestartLimit=1000/1s\n")
              for name in CRASH}
    found |= {name: service("tell", name, "Ready=notify\nStartTimeout=1h\n") for name in TELL}
    found |= {name: service("stay", name, f"[Conditions]\nWhile=service:{tell}\n") for name, tell in zip(AFTER, TELL)}
    found |= {name: service("end", name, "Restart=no\n") for name in END}
    found |= {name: service("task", name, "Type=task\n") for name in TASK}
    return found


POLICY = "[runlevel 2]\n" + "".join(f"Activate={name}\n" for name in KEPT + CRASH + AFTER)


class Client:
    """A client with one connection at a time. It repeats a request until it gets an answer, like a
    user of svcctl."""

    def __init__(self, path):
        self.path = path
        self.connection = None
        self.n_answered = 0
        self.n_lost = 0
        self.slowest_s = 0.0

    def call_once(self, interface, method, signature, *args, object_path="/org/svcd1"):
        if not self.connection:
            self.connection = dbus.connection.Connection(f"unix:path={self.path}")
        return self.connection.call_blocking(None, object_path, interface, method, signature, args, timeout=DEFAULT_S)

    def close(self):
        if self.connection:
            self.connection.close()
        self.connection = None

    def call(self, *args, **kinds):
        """Return the answer, and the number of earlier tries without one. Silence is a failure."""
        n_lost = 0
        while True:
            began = time.monotonic()
            try:
                answer = self.call_once(*args, **kinds)
                self.slowest_s = max(self.slowest_s, time.monotonic() - began)
                self.n_answered += 1
                return answer, n_lost
            except DBusException as problem:
                if (problem.get_dbus_name() or "").startswith("org.svcd1.Error."):
                    raise AssertionError(f"{args}: {problem}") from None
                assert time.monotonic() - began < DEFAULT_S, f"{args}: neither answer nor error: {problem}"
                self.close()
                n_lost += 1
                self.n_lost += 1
                assert n_lost < 2000, f"{args}: {problem}"
                time.sleep(0.005)

    def manager(self, method, signature, *args):
        return self.call("org.svcd1.Manager", method, signature, *args)

    def property(self, name):
        return self.call("org.freedesktop.DBus.Properties", "Get", "ss", "org.svcd1.Manager", name)[0]

    def property_of(self, service_name, name):
        path, _lost = self.manager("GetService", "s", service_name)
        return self.call("org.freedesktop.DBus.Properties", "Get", "ss", "org.svcd1.Service", name, object_path=path)[0]


class Worker(threading.Thread):
    """Sends requests for its services, one after the other, and checks that each answered request
    was carried out."""

    def __init__(self, busy, seed):
        super().__init__(daemon=True)
        self.busy = busy
        self.client = Client(busy.socket)
        self.chance = random.Random(seed)
        self.problem = None
        self.n_rounds = 0
        self.over = False

    def run(self):
        try:
            while not self.over:
                self.round()
                self.n_rounds += 1
        except BaseException as problem:  # pylint: disable=broad-except
            self.problem = problem
        finally:
            self.client.close()

    def pause(self):
        """Sleep for the lifetime of a service; this is not a wait for a condition."""
        time.sleep(self.chance.random() * 0.15)


class Mover(Worker):
    def __init__(self, busy, seed, services):
        super().__init__(busy, seed)
        self.services = services

    def round(self):
        name = self.chance.choice(self.services)
        self.client.manager("Start", "s", name)
        self.busy.wait_runs(name, True)
        self.pause()
        self.client.manager("Stop", "sb", name, True)
        self.busy.wait_runs(name, False)


class Teller(Worker):
    """Starts a service and expects its partner to start, then stops it and expects both to end."""

    def round(self):
        number = self.chance.randrange(len(TELL))
        self.client.manager("Start", "s", TELL[number])
        self.busy.wait_runs(AFTER[number], True)
        self.pause()
        self.client.manager("Stop", "sb", TELL[number], True)
        self.busy.wait_runs(AFTER[number], False)
        self.busy.wait_runs(TELL[number], False)


class Ender(Worker):
    """Requests starts of a service that exits by itself with a known status, and must run once for
    each request."""

    def round(self):
        name = self.chance.choice(END + TASK)
        before = self.busy.runs(name)
        if name in TASK:
            self.client.manager("Stop", "sb", name, True)
        lost = self.client.manager("Start", "s", name)[1]
        wait_for(lambda: self.busy.runs(name) > before, what=f"{name} runs after a request that was answered")
        state = "done" if name in TASK else "failed"
        wait_for(lambda: self.client.property_of(name, "State") == state, what=f"{name} is {state}")
        runs = self.busy.runs(name)
        assert before < runs <= before + 1 + lost, f"{name} ran {runs - before} times for {1 + lost} requests"
        if name in END:
            result = str(self.client.property_of(name, "Result"))
            assert f"status {runs % 250 + 1}" in result, f"{name}: {result}, not status {runs % 250 + 1}"


class BusySandbox:
    def __init__(self, seed=1, **more):
        stage = os.environ["SVCD_STAGE"]
        self.seed = seed
        self.files = {
            PROGRAM: {"copy": os.environ["SVCD_BUILD"] + "/tests/lib/busy", "mode": 0o755},
            MANAGER: {"text": WRAPPER, "mode": 0o755},
            f"{MANAGER}.real": {"copy": stage + MANAGER, "mode": 0o755},
        }
        self.box = Sandbox(all_services(), policy=POLICY, files=self.files, **more)
        self.workers = []
        self.pids = {}

    def __enter__(self):
        self.box.__enter__()
        try:
            self.begin()
        except BaseException as problem:
            self.box.__exit__(type(problem), problem, None)
            raise
        return self

    def __exit__(self, kind, value, trace):
        for worker in self.workers:
            worker.over = True
        return self.box.__exit__(kind, value, trace)

    def begin(self):
        box = self.box
        self.socket = box.path("/run/svcd/private")
        self.client = Client(self.socket)
        box.wait_states({name: "ready" for name in KEPT})
        self.pids = {name: row["pid"] for name, row in box.services().items() if name in KEPT}
        for name in TELL:
            self.client.manager("Stop", "sb", name, True)  # a waiting service made it start
        self.manager_procs = f"{box._leaf.path}/svcd/.manager/cgroup.procs"
        self.workers = [Mover(self, self.seed, MOVE[:10]), Mover(self, self.seed + 1, MOVE[10:]),
                        Teller(self, self.seed + 2), Ender(self, self.seed + 3)]
        for worker in self.workers:
            worker.start()

    # --- running services ---

    def runs_now(self, name):
        """Whether the service holds its lock."""
        try:
            with open(self.box.path(f"/run/busy/{name}"), "r+b") as file:
                found = fcntl.fcntl(file, fcntl.F_GETLK, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0))
        except FileNotFoundError:
            return False
        return struct.unpack("hhqqi4x", found)[0] != fcntl.F_UNLCK

    def wait_runs(self, name, runs):
        wait_for(lambda: self.runs_now(name) == runs, what=f"{name} {'runs' if runs else 'is gone'}")

    def runs(self, name):
        """The number of the service's completed runs."""
        try:
            return os.stat(self.box.path(f"/run/busy/{name}.runs")).st_size
        except FileNotFoundError:
            return 0

    # --- the manager ---

    def manager(self):
        """The pid of the manager outside the sandbox, or 0. This is faster than
        Sandbox.manager_pid()."""
        with open(self.manager_procs, encoding="ascii") as file:
            return int((file.read().split() or ["0"])[-1])

    def wait_other_manager(self, old):
        return wait_for(lambda: self.manager() not in (0, old) and self.manager(), what="there is another manager", every=0.005)

    def kill_manager(self, number=signal.SIGKILL):
        """Kill the present manager at any stage; returns its pid."""
        while True:
            old = wait_for(self.manager, what="there is a manager", every=0.005)
            try:
                os.kill(old, number)
            except ProcessLookupError:
                continue
            self.box.killed_managers += 1
            return old

    def wait_answer(self):
        """Wait until a manager answers a new request; returns its pid inside the sandbox."""
        client = Client(self.socket)
        pid = client.property("ManagerPid")
        client.close()
        return int(pid)

    def forgive(self):
        """Let a manager exit by itself, because PID 1 permits only thirty deaths a minute, and a
        voluntary exit resets that count."""
        old = wait_for(self.manager, what="there is a manager")

        def is_asked():
            try:
                self.client.call_once("org.svcd1.Manager", "Reexec", "")
                return True
            except DBusException:  # the connection leads to a killed manager
                self.client.close()
                return self.manager() != old
        wait_for(is_asked, what="a request to replace the manager is answered")
        wait_for(lambda: self.manager() != old, what="it leaves", every=0.005)
        self.wait_answer()

    # --- the end ---

    def check_workers(self):
        for worker in self.workers:
            if worker.problem:
                raise worker.problem

    def finish(self):
        """Let the clients finish; crashing services may stay. Then check everything."""
        for worker in self.workers:
            worker.over = True
        for worker in self.workers:
            worker.join(2 * DEFAULT_S)
            assert worker.problem or not worker.is_alive(), f"{worker} waits for ever"
        self.check_workers()
        self.box.write("/run/busy.calm", "")
        for name in CRASH:
            wait_for(lambda path=f"/run/busy/{name}.calm": self.box.exists(path), what=f"{name} is calm")
        self.box.wait_at_rest(120)
        wait_for(self.is_calm, what="no service is starting or stopping")
        self.check()

    def is_calm(self):
        rows = self.box.services()
        assert not [row for row in rows.values() if row["state"] in ("starting", "stopping", "backoff")]
        return True

    def check(self):
        box = self.box
        rows = box.services()
        assert not box.exists("/run/busy.doubles"), box.read("/run/busy.doubles")
        now = {name: rows[name].get("pid") for name in KEPT}
        assert now == self.pids, {name: (pid, now[name]) for name, pid in self.pids.items() if now[name] != pid}
        expected = {name: "ready" for name in KEPT + CRASH}
        expected |= {name: "idle" for name in MOVE + TELL} | {name: "waiting" for name in AFTER}
        wrong = {name: rows[name]["state"] for name in expected if rows[name]["state"] != expected[name]}
        assert not wrong, wrong
        for name in CRASH:
            assert rows[name]["restarts"] == self.runs(name), \
                f"{name} was restarted {rows[name]['restarts']} times, and ended {self.runs(name)} times"
        running = [pid for pid, row in box.processes().items() if row[2] == "busy"]
        assert len(running) == len(KEPT + CRASH), f"{len(running)} processes run"
        for name in LOG:
            self.check_log(name)

    def check_log(self, name):
        lines = [int(n) for n in re.findall(r"line (\d+)$", self.box.read(f"/run/svcd/log/{name}.log"), re.MULTILINE)]
        assert lines, f"{name} has written nothing"
        assert lines == list(range(lines[0], lines[-1] + 1)), f"lines of {name} are missing or duplicated"
        assert lines[0] == 1 or self.box.exists(f"/run/svcd/log/{name}.log.1"), f"{name}: its log begins with line {lines[0]}"

    def summary(self):
        total = {"rounds": sum(worker.n_rounds for worker in self.workers),
                 "answered": sum(worker.client.n_answered for worker in self.workers),
                 "lost": sum(worker.client.n_lost for worker in self.workers)}
        return (f"{total['rounds']} rounds of clients, {total['answered']} requests answered, {total['lost']} cut off with an error, "
                f"slowest answer {max(worker.client.slowest_s for worker in self.workers):.2f} s; "
                f"{sum(self.runs(name) for name in CRASH)} crashes of services")
