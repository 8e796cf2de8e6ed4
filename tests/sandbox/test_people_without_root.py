#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""svcctl run by users without root: operators need no password, others are asked for one, and a
refusal names the user and the rule."""

import fcntl
import os
import subprocess
import termios

from deadline import wait_for
from polkit import NOBODY, BusMachine, Polkit


def user(uid, *groups):
    return ("setpriv", f"--reuid={uid}", f"--regid={uid}",
            f"--groups={','.join(map(str, groups))}" if groups else "--clear-groups", "--")


BOB = user(1001, 2000)
EVE = user(1002)
DAN = user(1003, 2001)

SERVICES = {
    "web": "[Service]\nExec=/bin/sh -c 'echo hello from web; exec sleep infinity'\nReload=signal:HUP\n",
    "other": "[Service]\nExec=/bin/sh -c 'echo secret; exec sleep infinity'\n",
}
POLICY = "[runlevel 2]\nActivate=web other dbus\n[runlevel 3]\nActivate=web other dbus\n[service web]\nOperators=webmasters deputies\n"

# The agent closes the descriptor when it is registered, and lives until it is killed.
AGENT = """#!/bin/sh
echo "$PPID $*" >>/run/agents/started
trap 'echo $PPID >>/run/agents/ended; exit 0' TERM
exec 3>&-
while :; do sleep 0.05; done
"""


def svcctl(box, who, *words):
    return box.run(*who, "/usr/bin/svcctl", *words, check=False)


def read_until(master, text):
    """The output on a terminal; None: until no process has it open."""
    written = b""
    while text is None or text not in written:
        try:
            written += os.read(master, 65536)
        except OSError:
            break
    return written


def on_terminal(box, who, *words):
    """What svcctl wrote to a terminal, and its exit code."""
    master, slave = os.openpty()
    process = subprocess.Popen(box.command([*who, "/usr/bin/svcctl", *words]), stdin=slave, stdout=slave, stderr=slave,
                               env=box.run_environment())
    os.close(slave)
    written = read_until(master, None)
    os.close(master)
    return written.decode().replace("\r\n", "\n"), process.wait()


def operators_are_asked_for_nothing(box, polkit):
    n_asked = len(polkit.asked)
    for words in (["stop", "web"], ["start", "web"], ["restart", "web"], ["reload", "web"], ["clear", "web"], ["reload", "--signal", "HUP", "web"]):
        written, code = on_terminal(box, BOB, *words)
        assert code == 0, (words, written)
    assert len(polkit.asked) == n_asked and not box.exists("/run/agents/started")


def a_refusal_names_the_user_and_the_rule(box, polkit):
    polkit.says = "no"
    done = svcctl(box, EVE, "restart", "web")
    assert done.returncode == 7 and "user eve may not do this: polkit refuses org.svcd1.control" in done.stderr, done
    assert "(Operators= of web): webmasters, deputies" in done.stderr and "svcctl restart web" in done.stderr, done
    done = svcctl(box, EVE, "set", "web", "never", "--reason", "no more")
    assert done.returncode == 7 and "user eve may not do this: polkit refuses org.svcd1.set-policy" in done.stderr, done
    assert "svcctl set web never --reason 'no more'" in done.stderr, done


def without_a_terminal_nobody_types(box, polkit):
    """An agent of the session may still ask: svcctl repeats its request in a way that allows
    this."""
    polkit.says = "password"
    del polkit.asked[:]
    assert svcctl(box, EVE, "restart", "web").returncode == 0
    assert [asked[3] for asked in polkit.asked] == [0, 1], polkit.asked
    assert not box.exists("/run/agents/started")


def on_a_terminal_an_agent_asks(box, polkit):
    for words in (["restart", "other"], ["runlevel", "3"], ["runlevel", "2"], ["reload-files"], ["flag", "set", "f"], ["clear", "other"],
                  ["set", "other", "boot", "--runlevel", "2"]):
        box.run("rm", "-f", "/run/agents/started", "/run/agents/ended")
        del polkit.asked[:]
        written, code = on_terminal(box, EVE, *words)
        assert code == 0, (words, written)
        assert [asked[3] for asked in polkit.asked] == [0, 1], (words, polkit.asked)
        started = box.read("/run/agents/started")
        assert started.endswith(" --fallback --notify-fd 3\n") and started.count("\n") == 1, started
        wait_for(lambda: box.exists("/run/agents/ended"), what="the agent has ended")


def logs_are_for_operators_and_whom_polkit_allows(box, polkit):
    del polkit.asked[:]
    # The first group of Operators= may read the file. Members of the other groups need no password either.
    assert "hello from web" in svcctl(box, BOB, "log", "web").stdout
    assert "hello from web" in svcctl(box, DAN, "log", "web").stdout
    assert not polkit.asked

    polkit.says = "no"
    done = svcctl(box, EVE, "log", "web")
    assert (done.returncode, done.stdout) == (7, "") and "only root and the operators of web may read its log" in done.stderr, done
    assert "user eve may not do this: polkit refuses org.svcd1.read-log" in done.stderr, done
    assert polkit.asked[-1][1:3] == ("org.svcd1.read-log", {"method": "ReadLog", "argument": "web"}), polkit.asked
    done = svcctl(box, EVE, "log", "web", "-f")
    assert done.returncode == 7 and "may follow its log" in done.stderr, done
    done = svcctl(box, BOB, "log")
    assert "hello from web" in done.stdout and "secret" not in done.stdout and "permission denied" in done.stderr, done

    polkit.says = "password"
    box.run("rm", "-f", "/run/agents/started", "/run/agents/ended")
    written, code = on_terminal(box, EVE, "log", "other")
    assert code == 0 and "secret" in written and box.exists("/run/agents/started"), written
    polkit.says = "yes"
    done = svcctl(box, EVE, "log", "other", "web")
    assert " other: secret\n" in done.stdout and " web: hello from web\n" in done.stdout, done
    # If a log exceeds one reply, svcctl shows its end, in whole lines.
    box.run("i=0; while [ $i -lt 3000 ]; do echo 2026-11-28T05:00:00.000Z line $i of many, to make it long; i=$((i+1)); done >>/run/svcd/log/other.log")
    done = svcctl(box, EVE, "log", "other", "-n", "all", "-q")
    lines = done.stdout.splitlines()
    assert 500 < len(lines) < 3000 and all(line.startswith("2026-") for line in lines), (len(lines), lines[:2])
    assert any(line.endswith("line 2999 of many, to make it long") for line in lines), lines[-1]


def the_real_agent_asks_for_a_password(box):
    """polkitd, pkttyagent and PAM of the distribution."""
    pid = box.pid("a")
    master, slave = os.openpty()
    process = subprocess.Popen(box.command([*NOBODY, "/usr/bin/svcctl", "restart", "a"]),
                               stdin=slave, stdout=slave, stderr=slave, env=box.run_environment(), start_new_session=True,
                               preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
    os.close(slave)
    written = read_until(master, b"assword:")
    assert b"AUTHENTICATING FOR org.svcd1.control" in written, written
    # The agent discards input that comes before it turns the echo off.
    wait_for(lambda: not termios.tcgetattr(master)[3] & termios.ECHO, what="the agent reads a password")
    os.write(master, b"secret\n")
    read_until(master, None)
    os.close(master)
    assert process.wait(60) == 0
    assert box.pid("a") != pid


with BusMachine(has_polkit=False, services=SERVICES, policy=POLICY) as machine:
    machine.write("/etc/passwd", machine.read("/etc/passwd") + "bob:x:1001:1001::/:/bin/sh\neve:x:1002:1002::/:/bin/sh\n"
                  "dan:x:1003:1003::/:/bin/sh\n")
    machine.write("/etc/group", machine.read("/etc/group") + "webmasters:x:2000:bob\ndeputies:x:2001:dan\n")
    machine.write("/usr/bin/pkttyagent", AGENT, mode=0o755)
    machine.run("mkdir -m 777 /run/agents")
    machine.svcctl("reload-files")
    machine.wait_state("web", "ready")
    authority = Polkit(machine.address, "no")
    operators_are_asked_for_nothing(machine, authority)
    a_refusal_names_the_user_and_the_rule(machine, authority)
    without_a_terminal_nobody_types(machine, authority)
    on_a_terminal_an_agent_asks(machine, authority)
    logs_are_for_operators_and_whom_polkit_allows(machine, authority)
    authority.leave()

with BusMachine(has_polkit=True) as machine:
    machine.run("echo root:secret | chpasswd")
    the_real_agent_asks_for_a_password(machine)
