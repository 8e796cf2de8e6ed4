#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
The console shows the progress of a boot, as the bus does, until another program takes the console.

It also shows what a shutdown waits for. plymouth gets the same data, and a plymouth that refuses,
hangs or vanishes does no harm. All this continues when a manager dies.
"""

import os
import re

from deadline import wait_for
from sandbox import Sandbox
from terminal import screen_lines

SOURCE = os.environ["SVCD_SOURCE"]
WAITS = "[Service]\nType=task\nExec=/bin/sh -c 'until test -e /run/go-{0}; do sleep 0.1; done'\nStartTimeout=50min\n"
STUBBORN = "[Service]\nExec=/bin/sh -c 'trap \"\" TERM; while :; do sleep 1; done'\nStopTimeout=9s\n"
# Only PID 1 stops the processes that this service leaves. A process can have any name.
LEAVES = "[Service]\nExec=/bin/sh -c '(printf \"x\\\\033[2J\\\\302\\\\2332J\" >/proc/self/comm; trap \"\" TERM; while :; do sleep 1; done) & exec sleep infinity'\nKillMode=process\n"
ASKS = "[Service]\nType=task\nExec=/bin/sh -c 'printf \"who? \"; read answer; echo \"it is $answer\"'\n" \
       "TTYPath=/dev/console\nStartLock=console\n[Conditions]\nWhen=path:/run/ask\n"
STATUS = re.compile(r"svcd: boot (\d+) % \[(#*)(-*)\]")


# Takes the console, like a program that opens a free terminal.
TAKE = """
import fcntl, os, termios
if os.fork() == 0:
    os.setsid()
    fcntl.ioctl(os.open("/dev/console", os.O_RDWR | os.O_NOCTTY), termios.TIOCSCTTY, 0)
    os._exit(0)
raise SystemExit(os.wait()[1] != 0)
"""


def vendor(name):
    """A shipped file without its exclusion of containers, because a sandbox is a container."""
    with open(f"{SOURCE}/services.d/core/{name}.svc", encoding="utf-8") as file:
        return file.read().replace("When=!virtual:container\n", "")


DISK = "[Service]\nType=task\nExec=/bin/true\n[Conditions]\nWhen=path:/run/disk\nWaitTimeout=50min\n"
# The behaviour of the fake plymouthd is in /run/manner, so a restart can change it.
SPLASH = "[Service]\nExec=/bin/sh -c 'exec /usr/bin/python3 /root/plymouthd.py /run/plymouth $(cat /run/manner || echo {})'\n" \
         "Restart=always\n"


def boot(manner, term="linux", more=None):
    with open(f"{SOURCE}/tests/lib/plymouthd.py", encoding="utf-8") as file:
        files = {"/root/plymouthd.py": file.read()}
    services = {
        "boot-progress": vendor("boot-progress").replace("TERM=linux", f"TERM={term}"),
        "shutdown-progress": vendor("shutdown-progress").replace("TERM=linux", f"TERM={term}"),
        "broken": "[Service]\nType=task\nExec=/bin/false\nRestart=no\n",
        "slow": WAITS.format("slow"), "quick": WAITS.format("quick"), "asks": ASKS, "disk": DISK, "stubborn": STUBBORN, "splash": SPLASH.format(manner), **(more or {}),
    }
    policy = f"[runlevel 2]\nActivate=boot-progress broken slow quick asks disk stubborn splash {' '.join(more or {})}\n" + \
             "".join(f"[runlevel {n}]\nActivate=shutdown-progress splash\n" for n in "06")
    return Sandbox(services, policy=policy, files=files)


def seen(box):
    return screen_lines(box.console())


def last_status(box):
    return next((line for line in reversed(seen(box)) if STATUS.search(line)), "")


def wait_seen(box, pattern):
    return wait_for(lambda: [line for line in seen(box) if re.search(pattern, line)], what=f"the console shows {pattern}")


def told(box):
    return box.read("/run/plymouth").splitlines() if box.exists("/run/plymouth") else []


def check_like_the_bus(box):
    """Check that the line on the console lies between two readings from the bus."""
    def matches():
        before = box.svcctl_json("boot")
        line = last_status(box)
        found = STATUS.search(line)
        shown = int(found[1])
        # The line is at most a second old, and the bar may have moved on since.
        return shown <= int(before["progress"] * 100) + 1 and len(found[2]) == shown * 10 // 100 and \
            len(found[2] + found[3]) == 10 and f"{len(before['failed'])} failed" in line
    wait_for(matches, what="the line agrees with the bus")


def check_boot(box):
    wait_seen(box, r"svcd: boot \d+ % \[#*-*\] 1 failed starting (quick|slow) \(\d+ s( of 50 min)?\), (quick|slow)")
    check_like_the_bus(box)
    wait_seen(box, r"starting (slow|quick) \(\d+ s of 50 min\), (slow|quick) \(")
    box.kill_manager()
    begin = len(box.console())
    wait_for(lambda: STATUS.search(box.console()[begin:]), what="it continues with the next manager")
    wait_for(lambda: box.run("/usr/bin/python3", "-c", TAKE, check=False).returncode == 0, what="another program can take the console")
    box.write("/run/go-quick", "")
    wait_seen(box, r"% \[#*-*\] 1 failed starting slow \(\d+ s")
    wait_for(lambda: "quick" not in last_status(box), what="it names only the starting service")


def check_question(box):
    """A service with a question has the console alone."""
    box.write("/run/ask", "")
    box.wait_console("who? ")
    begin = len(box.console())
    generation = told(box)
    wait_for(lambda: len(told(box)) > len(generation), what="it has checked again")
    assert not STATUS.search(box.console()[begin:]), box.console()[begin:]
    os.write(box.console_fd, b"me\n")
    box.wait_console("it is me")
    wait_for(lambda: STATUS.search(box.console()[begin:]), what="it comes back")


def told_since(box, n_told):
    """The requests to plymouthd on connections after its first @n_told lines."""
    lines = told(box)[n_told:]
    return [line for line in lines[lines.index("connected"):] if line != "connected"] if "connected" in lines else []


def check_bad_plymouths(box):
    """A new plymouthd gets everything; a plymouthd that refuses or vanishes affects only itself."""
    pid = box.service("boot-progress")["pid"]
    for manner in ("nak", "brief"):
        box.write("/run/manner", manner)
        n_told = len(told(box))
        box.svcctl("restart", "splash")
        wait_for(lambda: len(told_since(box, n_told)) > 1, what=f"plymouthd that does {manner} is told")
        assert told_since(box, n_told)[0].startswith("U svcd:"), told(box)[n_told:]
    box.write("/run/manner", "flood")
    n_told = len(told(box))
    box.svcctl("restart", "splash")
    wait_for(lambda: "connected" in told(box)[n_told:], what="it is connected to one that answers without an end")
    begin = len(box.console())
    wait_for(lambda: STATUS.search(box.console()[begin:]), what="the console is updated all the same")
    box.write("/run/manner", "ack")
    box.svcctl("restart", "splash")
    assert box.service("boot-progress")["pid"] == pid, "a plymouthd has killed it"


def check_end(box):
    box.write("/run/go-slow", "")
    wait_seen(box, r"% \[#*-\] 1 failed waiting disk for path:/run/disk \(\d+ s")
    box.write("/run/disk", "")
    wait_seen(box, r"^svcd: the boot took \d+ s: 7 of 8 services are up, 1 failed: broken; why: svcctl explain$")
    wait_for(lambda: box.state("boot-progress") == "idle", what="it has ended")
    assert not [line for line in seen(box)[-1:] if line], "the cursor is on a new line"


def check_shutdown(box):
    n_told = len(told(box))
    box.svcctl("poweroff")
    wait_seen(box, r"svcd: stopping stubborn \([2-8] s, killed in \d s\)")
    said = wait_for(lambda: [line for line in told(box)[n_told:] if line.startswith("M stubborn has been stopping")] and told(box),
                    what="plymouth is informed what the shutdown waits for")
    assert "C shutdown" in said and said[said.index("C shutdown") + 1] == "$", said[n_told:]
    box.wait_end()


def check_plymouth(box):
    said = told(box)
    percents = [int(line[7:]) for line in said if line.startswith("U svcd:")]
    assert percents and percents == sorted(percents), said
    slow = r"M (slow|quick) has been starting for \d+ s \(limit 50 min\)$|M disk has been waiting for "
    assert any(re.match(slow, line) for line in said), said
    shown = None
    for line in said:
        if line.startswith("m "):
            assert shown == line[2:], said
            shown = None
        elif line.startswith("M "):
            assert shown is None, said
            shown = line[2:]


def check_lines(box):
    """A plain console gets few lines, and a hanging plymouthd delays nothing."""
    box.wait_state("stubborn", "ready")
    wait_for(lambda: told(box) == ["connected"], what="plymouthd is there, and hangs")
    box.write("/run/go-slow", "")
    box.write("/run/go-quick", "")
    box.write("/run/disk", "")
    wait_seen(box, r"^svcd: the boot took \d+ s: 7 of 9 services are up, 1 failed: broken; why: svcctl explain$")
    box.svcctl("poweroff")
    box.wait_end()
    lines = [line for line in seen(box) if re.search("has been|boot \\d+ %", line)]
    assert len(lines) == 1 and re.match(r"svcd: stubborn has been stopping for [5-7] s; it is killed in [2-4] s$", lines[0]), lines
    # PID 1 shows the rest.
    wait_seen(box, r"^svcd: \d process(es have| has) not ended yet: .*x\?\[2J\?+2J \(\d+\).*; killed in [78] s$")
    assert "\033" not in box.console() and "\x9b" not in box.console(), "no escape sequences"


def check_quiet(box):
    """With "quiet" on the kernel command line nothing is drawn until something is slow, and nothing
    remains."""
    first = wait_seen(box, r"svcd: boot \d+ %")[0]
    assert re.search(r"starting slow \([56] s of 50 min\)$", first), first
    box.write("/run/go-slow", "")
    wait_for(lambda: box.state("boot-progress") == "idle", what="it has ended")
    assert "the boot took" not in box.console(), box.console()


with boot("ack") as box:
    check_boot(box)
    check_question(box)
    check_plymouth(box)
    check_bad_plymouths(box)
    check_end(box)
    check_shutdown(box)

with boot("deaf", term="dumb", more={"leaves": LEAVES}) as box:
    check_lines(box)

QUIET = {"boot-progress": vendor("boot-progress"), "slow": WAITS.format("slow")}

with Sandbox(QUIET, cmdline="ro quiet splash") as box:
    check_quiet(box)
