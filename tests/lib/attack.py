# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Attack: calls with which users and services without rights attack PID 1, the manager and the
loggers, and checks of their effect on svcd.

    with Sandbox({**attack.WITNESSES, "bad": attack.service("bad", "hold-pipe", "1")}, files=attack.FILES) as box:
        attack.wait_held(box, "bad")                                        # as the Exec= of a service with User=nobody
        with Attack(box, "hold-directory", "/run", "writer") as held:       # as user nobody
            attack.check_responsive(box)

The attacker is the program tests/lib/attack.c. Outside a service it is user nobody without
capabilities, with no_new_privs. Commands:

    hold-directory PATH [writer]    getdents64(2) into a page that never comes. "writer": a process waits
                                    in mkdir(2), and uncached look-ups wait behind it
    hold-pipe FD|FIFO               half a line, then the mutex of the pipe (way "splice"; "fuse" cannot be killed)
    hold-socket FD                  the lock of an inet socket, or the readers' lock of others
    hold-network                    the kernel's lock on all network configuration. The machine
                                    shares it: hold it for a short time
    hold-terminal PATH              write(2) to a terminal, and TIOCSETD again and again
    hold-lease PATH                 a write lease on a file
    send-descriptor SOCKET          one byte with a descriptor whose last close waits, each second. "@NAME" is
                                    an abstract socket, "$NOTIFY_SOCKET" a variable
    output-descriptors [FD]         such descriptors in the service's output
    linger FD PORT                  turns a listening socket into a connection with SO_LINGER to
                                    another process, "sink PORT"
    sink PORT                       accepts and never reads
    listeners COUNT PORT            this number of listening sockets with SO_REUSEPORT
    maze PATH                       a link into a maze of links and deep directories; it comes and goes
    bus-flood SOCKET [CLIENTS]      GetManagedObjects without end
    be-ready $NOTIFY_SOCKET         no attack: a service that is ready
    note PATH                       no attack: a service that records the time of its exec, and its pid
    reap                            no attack: root measures how soon PID 1 reaps an orphan, at each line of input
    busy PERCENT                    no attack, but load

Ways to hold (option way=, or "-w WAY" in a service): "fuse" needs the right to make user namespaces
and open /dev/fuse. Without that right "punch" is used, which holds for about a tenth of a second
each time. State.way is the way in use. A FUSE attacker cannot be killed, and keeps the sandbox from
ending. A process outside the sandbox, the keeper of the attacks, has its own mount of fusectl. It
aborts the attacker's connection when the test ends or is killed.

While a directory is held, this process may also block on paths below box.path("...").
check_responsive() and ask() have deadlines, and abandon calls that do not end.
"""

import os
import re
import subprocess
import sys
import time

import namespaces as ns
from deadline import DEFAULT_S, wait_for

PROGRAM = "/attack"
MARKS = "/run/attack"
NOBODY = 65534

# The limit of a hang: an attacker holds its object until the test ends it. A round trip takes some
# milliseconds.
LIMIT_S = DEFAULT_S / 2


def program():
    return os.environ["SVCD_BUILD"] + "/tests/lib/attack"


# For Sandbox(files=...).
FILES = {
    PROGRAM: {"copy": program(), "mode": 0o755},
    MARKS: {"directory": True, "mode": 0o1777},
    "/dev/fuse": {"device": (10, 229), "mode": 0o666},
}

# For Sandbox(services=...): the services that check_responsive() uses.
WITNESSES = {
    "victim": f"[Service]\nExec={PROGRAM} be-ready $NOTIFY_SOCKET\nReady=notify\nRestart=always\nRestartDelay=10ms\nRestartDelayMax=10ms\nRestartLimit=1000/1s\n",
    "talker": "[Service]\nExec=/bin/sh -c \"while :; do read x </run/talk; echo said $x; done\"\nPrepare=/usr/bin/mkfifo /run/talk\n",
}


def mark_of(name):
    return f"{MARKS}/{name}.mark"


def arguments(mark, *words, way=None):
    return [PROGRAM, "-m", mark_of(mark), *(["-w", way] if way else []), *words]


def service(mark, *words, way=None, more="", sections=""):
    """The text of a service with the attacker as its program; @mark is its mark file.

    It has NoNewPrivileges= and no capabilities."""
    return (f"[Service]\nExec={' '.join(arguments(mark, *words, way=way))}\nUser=nobody\nNoNewPrivileges=yes\nCapabilityBoundingSet=\nStopTimeout=1s\n{more}\n{sections}")


class Failed(AssertionError):
    """The attack is impossible here; the message has the reason."""


class State:
    """The lines that an attacker has written so far."""

    def __init__(self, text):
        self.lines = text.splitlines()
        self.connections = [int(line.split()[1]) for line in self.lines if re.match(r"fuse \d+$", line)]
        held = [line.split()[1] for line in self.lines if line.startswith("held ")]
        self.way = held[-1] if held else None
        self.failures = [line for line in self.lines if line.startswith("failed ")]


def state(box, mark):
    """Return the State in the mark file. It is on a tmpfs that no attacker holds."""
    try:
        return State(box.read(mark_of(mark)))
    except FileNotFoundError:
        return State("")


def wait_held(box, mark, seconds=LIMIT_S):
    """Wait until the attacker holds its object; returns its State."""
    def look():
        seen = state(box, mark)
        if seen.way:
            return seen
        if seen.failures:
            raise RuntimeError(f"{mark}: {seen.failures[-1]}")
        return None
    keeper(box)
    return wait_for(look, seconds, f"the attack {mark} holds")


def wait_tried(box, mark, seconds=LIMIT_S):
    """Wait until the attacker holds its object or has failed, for attacks that may fail."""
    wait_for(lambda: state(box, mark).way or state(box, mark).failures, seconds, f"the attack {mark} is tried")


# --- the keeper of the attacks ---

class Keeper:
    """The process outside the sandbox that ends unkillable attackers."""

    def __init__(self, box):
        self.marks = os.open(box.path(MARKS), os.O_RDONLY | os.O_DIRECTORY)
        self.pid1 = os.pidfd_open(box.pid1)
        self.process = subprocess.Popen(
            ["/usr/bin/python3", os.path.abspath(__file__), str(self.marks), str(self.pid1)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, pass_fds=[self.marks, self.pid1], start_new_session=True)
        self.process.stdout.readline()

    def abort(self):
        """Abort all present connections."""
        self.process.stdin.write(b"abort\n")
        self.process.stdin.flush()
        self.process.stdout.readline()

    def end(self):
        """Also abort later connections, until PID 1 is gone."""
        self.process.stdin.close()
        os.close(self.marks)
        os.close(self.pid1)
        self.process.stdout.close()


def keeper(box):
    """The attack keeper of the box, created with the first attack."""
    if not hasattr(box, "attack_keeper"):
        box.attack_keeper = Keeper(box)
        box.at_end.append(box.attack_keeper.end)
    return box.attack_keeper


def abort_all(marks, control, done):
    """Abort each connection once and add it to @done.

    The kernel reuses the number of a closed connection, perhaps for another test."""
    for name in os.listdir(marks):
        if not name.endswith(".mark"):
            continue
        with open(name, encoding="utf-8", errors="replace", opener=lambda path, flags: os.open(path, flags, dir_fd=marks)) as file:
            connections = State(file.read()).connections
        for number, connection in enumerate(connections):
            if (name, number) in done:
                continue
            done.add((name, number))
            try:
                with open(f"{control}/{connection}/abort", "w", encoding="ascii") as abort:
                    abort.write("1")
            except FileNotFoundError:
                pass # it has ended


def keep(marks, pid1):
    """Run as a separate process. Its standard input ends with the test."""
    import select
    control = "/mnt"
    done = set()
    ns.unshare(ns.CLONE_NEWNS)
    ns.mount(None, "/", None, ns.MS_REC | ns.MS_PRIVATE)
    ns.mount("none", control, "fusectl")
    print("ready", flush=True)
    for _line in sys.stdin:
        abort_all(marks, control, done)
        print("done", flush=True)
    until = time.monotonic() + 60
    while time.monotonic() < until:
        abort_all(marks, control, done)
        if select.select([pid1], [], [], 0.1)[0]:
            return


# --- attacks ---

class Attack:
    """One attacker, as user nobody. If @expect_held is False, do not wait until the attacker holds
    its object."""

    number = 0

    def __init__(self, box, *words, way=None, uid=NOBODY, expect_held=True):
        Attack.number += 1
        self.box = box
        self.mark = f"{words[0]}-{Attack.number}"
        self.expect_held = expect_held
        self.argv = arguments(self.mark, *words, way=way)
        self.argv[1:1] = ["-u", str(uid)]
        self.process = None

    def __enter__(self):
        keeper(self.box)
        self.process = subprocess.Popen(self.box.command(self.argv), stdin=subprocess.DEVNULL, start_new_session=True)
        if self.expect_held:
            try:
                wait_held(self.box, self.mark)
            except BaseException:
                self.end()
                raise
        return self

    def __exit__(self, kind, value, trace):
        self.end()
        return False

    @property
    def state(self):
        return state(self.box, self.mark)

    @property
    def way(self):
        return self.state.way

    def end(self):
        """Kill the attackers of this process group, and abort their waits."""
        try:
            os.killpg(self.process.pid, 9)
        except ProcessLookupError:
            pass
        wait_for(self._is_gone, what=f"{self.mark} has ended")

    def _is_gone(self):
        """Abort again, because a connection may have been made after the last abort."""
        keeper(self.box).abort()
        if self.process.poll() is None:
            return False
        try:
            os.killpg(self.process.pid, 9)
        except ProcessLookupError:
            return True
        return False


# --- detection of hangs ---

class Hangs(AssertionError):
    """No answer within the limit."""


def path_of_call(outer):
    """The path argument of a process's present system call, or nothing."""
    with open(f"/proc/{outer}/syscall", encoding="utf-8") as file:
        arguments_of_call = [int(word, 16) for word in file.read().split()[1:4]]
    with open(f"/proc/{outer}/mem", "rb", buffering=0) as memory:
        for address in arguments_of_call:
            try:
                text = os.pread(memory.fileno(), 256, address).split(b"\0")[0]
            except (OSError, OverflowError):
                continue
            if re.match(rb"[\w./@:+-]{2,}$", text):
                return text.decode()
    return ""


def waiting(box):
    """The processes of the box in uninterruptible sleep, with their wait channel and path argument.
    """
    found = []
    for inner, (outer, _parent, name, status) in sorted(box.processes().items()):
        try:
            with open(f"/proc/{outer}/stack", encoding="utf-8") as stack:
                if status == "D":
                    found.append(f"{name} ({inner}): " + " < ".join(line.split()[-1].split("+")[0] for line in stack.read().splitlines()[:5]) +
                                 f" {path_of_call(outer)}")
        except (OSError, ValueError):
            pass
    return "\n".join(found)


def ask(box, *argv, limit=LIMIT_S):
    """Like box.run(), but abandons a command that does not end, because it may be unkillable.
    Returns (seconds, output)."""
    began = time.monotonic()
    process = subprocess.Popen(box.command(list(argv)), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               text=True, errors="replace", env=box.run_environment())
    try:
        process.wait(limit)
    except subprocess.TimeoutExpired:
        process.kill()
        raise Hangs(f"{' '.join(argv)}: no answer within {limit:g} s; in uninterruptible sleep:\n{waiting(box)}") from None
    took = time.monotonic() - began
    return took, process.stdout.read()


def check_answer(box, limit=LIMIT_S):
    """Check that the manager answers svcctl; returns the seconds."""
    took, text = ask(box, "/usr/bin/svcctl", "status", "victim", limit=limit)
    assert "victim" in text, text
    return took


def main_pid(box, name, limit=LIMIT_S):
    _took, text = ask(box, "/usr/bin/svcctl", "status", name, "--json", limit=limit)
    found = re.search(r'"pid"\s*:\s*(\d+)', text)
    return int(found.group(1)) if found else 0


def check_restart(box, limit=LIMIT_S):
    """Check that PID 1 reaps a killed service and the manager restarts it; returns the seconds."""
    before = wait_for(lambda: main_pid(box, "victim", limit), limit, "victim runs")
    began = time.monotonic()
    box.kill(before)
    wait_for(lambda: main_pid(box, "victim", limit) not in (0, before), limit, "a killed service was restarted")
    return time.monotonic() - began


def _open_fifo(path):
    """Return None if the fifo does not exist yet, or has no reader at the moment."""
    try:
        return os.open(path, os.O_WRONLY | os.O_NONBLOCK)
    except OSError:
        return None


def check_output(box, limit=LIMIT_S):
    """Check that the output of another service arrives in its log; returns the seconds."""
    word = f"{time.monotonic_ns()}"
    began = time.monotonic()
    fd = wait_for(lambda: _open_fifo(box.path("/run/talk")), limit, "the other service reads its line")
    try:
        os.write(fd, word.encode() + b"\n")
    finally:
        os.close(fd)
    wait_for(lambda: f"said {word}" in ask(box, "/usr/bin/svcctl", "log", "talker", "-N", "20", limit=limit)[1], limit,
             "a line of another service is in its log")
    return time.monotonic() - began


def check_responsive(box, limit=LIMIT_S):
    """Run all three checks, with WITNESSES; returns a dictionary of seconds."""
    return {"answer": check_answer(box, limit), "restart": check_restart(box, limit), "output": check_output(box, limit)}


if __name__ == "__main__":
    keep(int(sys.argv[1]), int(sys.argv[2]))
