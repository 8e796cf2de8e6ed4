#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
After an error in an admin's service file or drop-in, its last valid version is used.

That version is used for a restart, by a new manager, and at the next boot. This also applies to an
error in a policy file, such as a condition on a missing service. A corrected file is used at once,
and a removed file loses its copy.
"""

from deadline import wait_for
from sandbox import Sandbox

FILE = "/etc/svcd/services.d/ssh.svc"
DROP_IN = "/etc/svcd/services.d/cups.svc.d/local.conf"
LOCAL = "/etc/svcd/policy.d/local.policy"
COPIES = "/var/lib/svcd/last-good/services.d"
SSH = "[Service]\nExec=/bin/sleep 1000001\n"
CUPS = "[Service]\nExec=/bin/sleep 1000002\n"
POLICY = "[runlevel 2]\nActivate=ssh cups\n"
GOOD = "[service cups]\nWhile=service:ssh\n"
TYPO = "[service cups]\nWhile=service:shs\n"
FILES = {LOCAL: GOOD, "/usr/lib/svcd/services.d/cups.svc": CUPS}
INVALID = 10


def command_of(box, name):
    return box.run("cat", f"/proc/{box.pid(name)}/cmdline").stdout.split("\0")[1]


with Sandbox({"ssh": SSH}, policy=POLICY, files=FILES) as box:
    box.wait_states({"ssh": "ready", "cups": "ready"})
    # The first reading may keep no copies, because the root may still be read-only then. So the
    # files are read again.
    box.svcctl("reload-files")
    wait_for(lambda: box.exists(f"{COPIES}/complete"), what="there are copies")

    box.write(FILE, SSH + "Restrat=no\n")
    box.write(DROP_IN, "nonsense\n")
    box.write(LOCAL, TYPO)
    pids = box.pid("ssh"), box.pid("cups")
    assert box.svcctl("reload-files", check=False).returncode == INVALID
    box.kill_manager()
    assert (box.pid("ssh"), box.pid("cups")) == pids
    assert box.svcctl("restart", "ssh", "cups", check=False).returncode == INVALID
    assert (command_of(box, "ssh"), command_of(box, "cups")) == ("1000001", "1000002")
    assert "Restrat" in box.svcctl("explain", "ssh").stdout
    copies = {path: box.read(path) for path in box.run("find", "/var/lib/svcd/last-good", "-type", "f").stdout.split()}

    box.remove(LOCAL)
    box.write(FILE, SSH.replace("1000001", "1000003"))
    box.svcctl("reload-files", check=False)
    box.svcctl("restart", "ssh")
    assert command_of(box, "ssh") == "1000003"
    wait_for(lambda: "1000003" in box.read(f"{COPIES}/ssh.svc"), what="the copy is the new version")
    box.remove(FILE)
    box.remove(DROP_IN)
    box.svcctl("reload-files")
    wait_for(lambda: not box.exists(f"{COPIES}/ssh.svc"), what="the copy is gone with its file")

# The next boot.
BROKEN = {FILE: SSH + "Restrat=no\n", DROP_IN: "nonsense\n", LOCAL: TYPO}
with Sandbox(policy=POLICY, files={**FILES, **BROKEN, **copies}) as box:
    box.wait_states({"ssh": "ready", "cups": "ready"})
    box.wait_console("unknown key Restrat=")
