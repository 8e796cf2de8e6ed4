#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
reexec with a program that cannot take over: PID 1 reports it, continues with its own program, and
loses nothing.

The report goes to the console and to the caller. Tables of another version, and damaged tables, are
not used; nothing runs twice, and the machine continues.
"""

import os

from deadline import wait_for
from sandbox import Sandbox

SAYS = "/sbin/svcd cannot take over"
PROGRAM = "/usr/sbin/svcd"

# e_machine of an ELF header: IBM S/390, a foreign architecture.
OTHER_MACHINE = f"printf '\\000\\026' | dd of={PROGRAM} bs=1 seek=18 conv=notrunc status=none"
BY_SCRIPT = f"cat >{PROGRAM} <<'END'\n#!/bin/sh\n{{}}\nEND\nchmod 755 {PROGRAM}"
# This program gets the kept tables, changes a copy of them, and passes that to the real program.
CHANGED = """
n=${{1#--*=}}
cat /proc/self/fd/$n >/run/tables
{change}
exec 3<>/run/tables
exec /root/svcd "${{1%=*}}=3"
"""
# The second field of the table is its version. This writes an unknown version, like that of a
# newer or an older program.
VERSION = "printf '\\{:03o}' | dd of=/run/tables bs=1 seek=4 conv=notrunc status=none"

# The changes to the program, and the messages for each.
BROKEN = {
    "no program": (f"rm {PROGRAM}", "it cannot be executed"),
    "not executable": (f"cp /root/svcd {PROGRAM}; chmod 644 {PROGRAM}", "it cannot be executed"),
    "a file of text": (f"echo garbage >{PROGRAM}; chmod 755 {PROGRAM}", "it cannot be executed"),
    "another machine's": (f"cp -p /root/svcd {PROGRAM}; {OTHER_MACHINE}", "it cannot be executed"),
    "a stump": (f"head -c 20000 /root/svcd >{PROGRAM}; chmod 755 {PROGRAM}", ""),
    "an empty file": (f": >{PROGRAM}; chmod 755 {PROGRAM}", "it cannot be executed"),
    "another program": (f"rm -f {PROGRAM}; cp /bin/true {PROGRAM}", "exit status 0"),
    "a script that exits": (BY_SCRIPT.format("exit 3"), "exit status 3"),
    "one that dies": (BY_SCRIPT.format("kill -SEGV $$"), "killed by signal SEGV"),
    "one that hangs": (BY_SCRIPT.format("exec sleep 1000"), "it did not answer in time"),
    "one that knows older tables": (BY_SCRIPT.format(CHANGED.format(change=VERSION.format(0))), "it cannot read the tables of the running program"),
    "one that knows newer tables": (BY_SCRIPT.format(CHANGED.format(change=VERSION.format(2))), "it cannot read the tables of the running program"),
}

SERVICES = {
    "a": "[Service]\nExec=/bin/sleep infinity\n",
    "t": "[Service]\nType=task\nExec=/bin/sh -c \"echo >>/run/ran\"\n",
    "g": "[Service]\nExec=/usr/local/bin/busy stay g\n",
}
FILES = {"/usr/local/bin/busy": {"copy": os.environ["SVCD_BUILD"] + "/tests/lib/busy", "mode": 0o755}}


def reexec(box):
    """Return the answer, once another manager is running."""
    old = box.manager_pid()
    done = box.svcctl("reexec", check=False)
    wait_for(lambda: box.manager_pid() not in (0, old), what="another manager")
    return done


def check_kept(box, what, pids):
    assert {name: box.pid(name) for name in pids} == pids, what
    assert box.state("t") == "done" and box.read("/run/ran") == "\n", what
    assert not box.exists("/run/busy.doubles"), what


def check_broken(box, pids):
    for number, (what, (command, says)) in enumerate(BROKEN.items()):
        box.run("/bin/sh", "-c", f"rm -f {PROGRAM}; {command}" if not command.startswith("rm") else command)
        done = reexec(box)
        assert done.returncode == 1 and "could not take over" in done.stderr and says in done.stderr, (what, done)
        wait_for(lambda n_said=number + 1: box.console().count(SAYS) == n_said, what=f"the console reports it, too: {what}")
        check_kept(box, what, pids)
    assert "could not take over" in box.svcctl("status").stdout
    assert any("could not take over" in one for one in box.overview()["tainted"])

    box.run(f"rm {PROGRAM}; cp -p /root/svcd {PROGRAM}")
    done = reexec(box)
    assert done.returncode == 0, done
    assert box.console().count(SAYS) == len(BROKEN), box.console()
    check_kept(box, "mended", pids)
    assert not box.overview()["tainted"] or "take over" not in str(box.overview()["tainted"])


# Messages, and the offsets of the damaged bytes: the magic number, and a boolean of the keeper. The
# header contains the second offset.
DAMAGES = {"they are not used": "0", "its tables are not used": "$(od -An -tu4 -j16 -N4 /run/tables | tr -d ' ')"}


def check_damaged(box, says, offset):
    """The new program accepted the tables, but gets damaged ones: it starts without tables, and
    ends unknown processes before it starts services."""
    change = f"[ \"${{1%=*}}\" = --try-tables ] || printf x | dd of=/run/tables bs=1 seek={offset} conv=notrunc status=none"
    box.run("/bin/sh", "-c", f"rm {PROGRAM}; " + BY_SCRIPT.format(CHANGED.format(change=change)))
    box.svcctl("reexec", check=False)
    box.wait_console(says)
    box.wait_up()
    box.wait_states({"a": "ready", "g": "ready", "t": "done"})
    box.wait_at_rest()
    assert not box.exists("/run/busy.doubles"), "a service runs twice"
    running = [row for row in box.processes().values() if row[2] == "sleep"]
    assert len(running) == 1, running
    held = [os.readlink(f"/proc/{box.pid1}/fd/{fd}") for fd in os.listdir(f"/proc/{box.pid1}/fd")]
    assert len([path for path in held if "svcd-memory" in path]) == 1, held


with Sandbox(SERVICES, files=FILES) as box:
    box.wait_states({"a": "ready", "g": "ready", "t": "done"})
    before = {name: box.pid(name) for name in ("a", "g")}
    box.run("cp -p /usr/sbin/svcd /root/svcd")
    check_broken(box, before)
    for says, offset in DAMAGES.items():
        check_damaged(box, says, offset)
        box.run("/bin/sh", "-c", f"rm {PROGRAM}; cp -p /root/svcd {PROGRAM}")
        assert reexec(box).returncode == 0, "the next one can take over again"
