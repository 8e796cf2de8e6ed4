#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The attacks of tests/lib/attack.py work on this kernel: root's process waits until the attack
ends, and no longer."""

import subprocess
import time

import attack
from attack import Attack
from deadline import wait_for
from sandbox import Sandbox

# Root's process. It opens the shared objects, and then prints a line that announces the call.
VICTIM = r"""
import os, pty, socket, subprocess, sys
def attacker(*words, fd):
    subprocess.Popen(["/attack", "-u", "65534", "-m", "/run/attack/" + words[0] + ".mark", *words], pass_fds=[fd])
def listener():
    found = socket.socket()
    found.bind(("127.0.0.1", 0))
    found.listen()
    return found
what, word = sys.argv[1], (sys.argv + [""])[2]
if what == "mkdir":
    act = lambda: os.mkdir(word)
elif what == "look-up":
    act = lambda: os.path.exists(word)
elif what == "close":
    fd = os.open(word, os.O_RDWR)
    act = lambda: os.close(fd)
elif what == "open":
    act = lambda: os.open(word, os.O_RDONLY)
elif what == "receive":
    server = socket.socket(socket.AF_UNIX)
    server.bind(word)
    os.chmod(word, 0o666)
    server.listen()
    act = lambda: server.accept()[0].recv(1)
elif what == "ask-socket":
    shared = listener()
    attacker("hold-socket", str(shared.fileno()), fd=shared.fileno())
    act = shared.getsockname
elif what == "close-socket":
    shared = listener()
    attacker("linger", str(shared.fileno()), "7777", fd=shared.fileno())
    act = shared.close
elif what == "terminal":
    _master, slave = pty.openpty()
    name = os.ttyname(slave)
    os.chown(name, 65534, -1)
    attacker("hold-terminal", name, fd=slave)
    os.set_blocking(slave, False)
    act = lambda: os.write(slave, b"x")
print(os.getpid(), flush=True)
sys.stdin.readline()
act()
"""


def state_of(process):
    with open(f"/proc/{process.outer}/stat", encoding="utf-8") as stat:
        return stat.read().rsplit(")", 1)[1].split()[0]


def victim(box, *words):
    """Root's process in the sandbox, before its call."""
    process = subprocess.Popen(box.command(["/usr/bin/python3", "/victim.py", *words]), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    process.outer = box.outer_pid(int(process.stdout.readline()))
    return process


def act(process):
    process.stdin.write(b"\n")
    process.stdin.flush()


def waits(process, what, states="D"):
    wait_for(lambda: state_of(process) in states, what=f"{what}: root's process waits")
    time.sleep(0.3)
    assert state_of(process) in states, f"{what}: {state_of(process)}"


def ends(process, what):
    wait_for(lambda: process.poll() is not None, what=f"{what}: root's process continues after the attack")


def hangs(box, what, words, attack_words, way=None, states="D"):
    """The victim's call waits while the attack lasts, and ends with it."""
    process = victim(box, *words)
    with Attack(box, *attack_words, way=way) as attacker:
        act(process)
        waits(process, what, states)
        print(f"{what}: holds by {attacker.way}")
    ends(process, what)


def hangs_for_the_heir(box, what, words, mark):
    """Like hangs(), but the attacker is a child that shares a descriptor with the victim."""
    process = victim(box, *words)
    seen = attack.wait_held(box, mark)
    act(process)
    waits(process, what, "DS")
    print(f"{what}: holds by {seen.way}")
    for inner, row in box.processes().items():
        if row[2] == "attack":
            box.kill(inner)
    attack.keeper(box).abort()
    ends(process, what)


FILES = {
    **attack.FILES,
    "/victim.py": VICTIM,
    "/run/held": {"directory": True, "mode": 0o755},
    "/run/held/here": "",
    "/run/held/pipe": {"fifo": True, "mode": 0o666},
}

with Sandbox(attack.WITNESSES, files=FILES) as box:
    box.wait_state("talker", "ready")
    box.run("ip", "link", "set", "lo", "up")
    print({what: f"{seconds:.3f} s" for what, seconds in attack.check_responsive(box).items()})

    hangs(box, "mkdir in a held directory", ("mkdir", "/run/held/new"), ("hold-directory", "/run/held"))
    assert box.exists("/run/held/new")
    hangs(box, "lookup behind a writer", ("look-up", "/run/held/missing"), ("hold-directory", "/run/held", "writer"))
    with Attack(box, "hold-directory", "/run/held", "writer"):
        assert attack.ask(box, "/bin/cat", "/run/held/here")[1] == "", "a name that is cached waits, too"

    hangs(box, "close of a held pipe", ("close", "/run/held/pipe"), ("hold-pipe", "/run/held/pipe"))
    hangs(box, "close of a pipe held by a fault", ("close", "/run/held/pipe"), ("hold-pipe", "/run/held/pipe"), way="fuse")
    hangs(box, "open of a file with a lease", ("open", "/tmp/leased"), ("hold-lease", "/tmp/leased"), states="SR")

    receiver = victim(box, "receive", "/run/held/socket")
    with Attack(box, "send-descriptor", "/run/held/socket"):
        act(receiver)
        waits(receiver, "a descriptor that was not requested")
        print("a descriptor that was not requested: holds by splice")
    ends(receiver, "a descriptor that was not requested")

    hangs_for_the_heir(box, "getsockname of a shared socket", ("ask-socket",), "hold-socket")
    hangs_for_the_heir(box, "write to a terminal without waiting", ("terminal",), "hold-terminal")
    with Attack(box, "sink", "7777"):
        process = victim(box, "close-socket")
        attack.wait_held(box, "linger")
        [inner] = [inner for inner, row in box.processes().items() if row[2] == "attack" and "linger" in box.read(f"/proc/{inner}/cmdline")]
        box.kill(inner)
        wait_for(lambda: not box.is_alive(inner), what="root's process has the last reference")
        act(process)
        waits(process, "close of a socket that lingers", "S")
        print("close of a socket that lingers: holds")
    ends(process, "close of a socket that lingers")

    with Attack(box, "listeners", "500", "5555"):
        assert box.run("ss -Hltn | grep -c :5555").stdout == "500\n"
    with Attack(box, "maze", "/tmp/maze"):
        assert len(box.run("readlink", "/tmp/maze").stdout) > 3000

    # An attack with way="punch" delays a call, but not forever.
    with Attack(box, "hold-directory", "/run/held", "writer", way="punch") as slow:
        took = sorted(attack.ask(box, "/bin/mkdir", f"/run/held/{number}")[0] for number in range(10))
        print(f"mkdir in a directory held by {slow.way}: {took[0]:.3f} s to {took[-1]:.3f} s")
    attack.check_responsive(box)
