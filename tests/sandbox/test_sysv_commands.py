#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""telinit, runlevel, shutdown, halt, reboot and /run/initctl work under svcd as under SysV init."""

import os
import signal
import struct

from deadline import wait_for
from sandbox import Sandbox

SYSV = "/usr/lib/svcd/sysv"
SERVICES = {
    "records": "[Service]\nType=task\nExec=/usr/lib/svcd/svc-utmp boot\n",
    "three": "[Service]\nExec=/bin/sleep infinity\n",
    "power-fail": "[Service]\nType=task\nExec=/bin/sh -c 'echo >>/run/power-failed; while [ -e /run/hold ]; do sleep 0.1; done'\n",
    # This service runs longer than PID 1 waits for a handler of ctrl-alt-del.
    "ctrl-alt-del": "[Service]\nType=task\nExec=/bin/sh -c 'sleep 7; touch /run/pressed'\n",
}
POLICY = "[runlevel S]\nActivate=records\n[runlevel 3]\nActivate=three\n"


def runlevel(box):
    return box.run(f"{SYSV}/runlevel").stdout.strip()


def write_record(box, command, letter=0, data=b""):
    with open(box.path("/run/initctl"), "wb", buffering=0) as fifo:
        fifo.write(struct.pack("<iiii368s", 0x03091969, command, letter, 5, data))


def telinit(box):
    wait_for(lambda: runlevel(box) == "N 2", what="the first runlevel")
    assert box.run(f"{SYSV}/telinit 3", check=False).returncode == 0
    box.wait_state("three", "ready")
    wait_for(lambda: runlevel(box) == "2 3", what="the runlevel in utmp")
    assert box.run("/usr/sbin/svcd 4").returncode == 0  # "init 4" where /sbin/init is svcd
    wait_for(lambda: runlevel(box) == "3 4", what="runlevel 4")
    wrong = box.run("/usr/sbin/svcd 23", check=False)
    assert wrong.returncode == 2 and "init: usage: " in wrong.stderr, wrong
    assert box.run(f"{SYSV}/telinit -t 5 5", check=False).returncode == 0
    wait_for(lambda: runlevel(box) == "4 5", what="runlevel 5")

    assert box.run(f"{SYSV}/telinit q", check=False).returncode == 0
    wrong = box.run(f"{SYSV}/telinit 22", check=False)
    assert wrong.returncode == 2 and "usage" in wrong.stderr, wrong
    assert box.run(f"{SYSV}/telinit a", check=False).returncode == 1


def nothing_is_lost_while_the_manager_is_away(box):
    box.kill_manager()
    write_record(box, 1, ord("3"))
    wait_for(lambda: runlevel(box) == "5 3", what="a runlevel that was requested while no manager listened")


def garbage(box):
    with open(box.path("/run/initctl"), "wb", buffering=0) as fifo:
        fifo.write(b"x" * 1000)
    wait_for(lambda: "not a record" in box.console(), what="a complaint")
    write_record(box, 1, ord("2"))
    wait_for(lambda: runlevel(box) == "3 2", what="a record after the garbage")


def power(box):
    said = "the power supply reports: power-fail"
    box.run("touch /run/hold")
    write_record(box, 2)
    box.wait_state("power-fail", "starting")
    write_record(box, 2)  # a UPS repeats it, and a running shutdown must not start anew
    wait_for(lambda: box.console().count(said) == 2, what="the second record")
    box.run("rm /run/hold")
    box.wait_state("power-fail", "done")
    assert len(box.read("/run/power-failed")) == 1, "a service that is starting is started again"
    write_record(box, 2)
    wait_for(lambda: len(box.read("/run/power-failed")) == 2, what="power-fail runs once more")


def shutdown(box):
    none = box.run(f"{SYSV}/shutdown -c", check=False)
    assert none.returncode == 1 and "no shutdown is pending" in none.stderr, none
    assert box.run(f"{SYSV}/shutdown -h", check=False).returncode == 2
    assert box.run(f"{SYSV}/shutdown -h 25:00", check=False).returncode == 2

    box.run(f"({SYSV}/shutdown -h +30 >/run/first 2>&1; echo $? >/run/first.status) >/dev/null 2>&1 & exit 0")
    wait_for(lambda: box.exists("/run/shutdown.pid") and box.read("/run/shutdown.pid").strip(), what="a waiting shutdown")
    second = box.run(f"{SYSV}/shutdown -r +40", check=False)
    assert second.returncode == 1 and "is pending already" in second.stderr, second
    assert not box.exists("/run/nologin"), "logins are refused half an hour before"
    assert box.run(f"{SYSV}/shutdown -c", check=False).returncode == 0
    wait_for(lambda: box.exists("/run/first.status") and box.read("/run/first.status") == "1\n", what="its end")

    box.run(f"({SYSV}/shutdown -r +4 new kernel >/run/second 2>&1; echo $? >/run/second.status) >/dev/null 2>&1 & exit 0")
    wait_for(lambda: box.exists("/run/nologin"), what="/run/nologin five minutes before")
    assert "going down to reboot" in box.read("/run/nologin"), box.read("/run/nologin")
    assert box.run(f"{SYSV}/shutdown -c", check=False).returncode == 0
    wait_for(lambda: box.exists("/run/second.status") and not box.exists("/run/nologin"), what="logins again")

    only_told = box.run(f"{SYSV}/shutdown -k -h now", check=False)
    assert only_told.returncode == 0, only_told
    assert not box.exists("/run/nologin")


def shutdown_and_wall(box):
    """Signals still end the children of shutdown. A cancellation is not lost while shutdown sends
    messages to users."""
    box.write("/usr/bin/wall", "#!/usr/bin/env -S grep -hs ^SigBlk /proc/self/status\n", mode=0o755)
    told = box.run(f"{SYSV}/shutdown -k now").stdout
    assert set(told.split()) == {"SigBlk:", "0" * 16}, told

    inode = box.run("stat -c %i /run/shutdown.pid").stdout
    box.write("/usr/bin/wall", f"#!/bin/sh\ncase $1 in *now*) {SYSV}/shutdown -c ;; esac\n", mode=0o755)
    late = box.run(f"{SYSV}/shutdown -r now", check=False)
    assert late.returncode == 1 and not box.exists("/run/nologin"), late
    # A process that opened the file earlier locks the same file as later processes.
    assert box.run("stat -c %i /run/shutdown.pid").stdout == inode, "two shutdowns could wait at once"
    assert "no shutdown is pending" in box.run(f"{SYSV}/shutdown -c", check=False).stderr


def records(box):
    box.run("touch /var/log/wtmp")
    size = int(box.run("stat -c %s /var/log/wtmp").stdout)
    assert box.run(f"{SYSV}/halt -w").returncode == 0
    assert int(box.run("stat -c %s /var/log/wtmp").stdout) > size, "halt -w writes no record"


def ctrl_alt_del(box):
    os.kill(box.pid1, signal.SIGINT)
    wait_for(lambda: box.exists("/run/pressed"), what="the service ctrl-alt-del")
    assert runlevel(box).endswith("2")


with Sandbox(SERVICES, policy=POLICY, root="debian") as box:
    telinit(box)
    nothing_is_lost_while_the_manager_is_away(box)
    garbage(box)
    power(box)
    shutdown(box)
    shutdown_and_wall(box)
    records(box)
    ctrl_alt_del(box)
    assert box.run(f"{SYSV}/reboot").returncode == 0
    status = box.wait_end()
    assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGHUP, f"reboot: wait status {status:#x}"
