#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
A mistake in a policy file does not stop any service: the last valid version of the file is used.

This holds when the files are read again, after another change of policy, for a new manager, and at
the next boot. A corrected file is used at once, and a removed file is forgotten.
"""

from deadline import wait_for
from sandbox import Sandbox

SLEEP = "[Service]\nExec=/bin/sleep infinity\n"
SERVICES = {"ssh": SLEEP, "nginx": SLEEP, "cups": SLEEP}
LOCAL = "/etc/svcd/policy.d/local.policy"
COPY = "/var/lib/svcd/last-good/policy.d/local.policy"
GOOD = "[runlevel 2]\nActivate=ssh nginx\n"
BROKEN = GOOD + "Activaton=cups\n"
SAYS = "the last version of this file without errors is used"


def complaints(box):
    return [row["text"] for row in box.svcctl_json("explain")["diagnostics"]]


def check_both_run(box, pids, what):
    assert {name: box.pid(name) for name in pids} == pids, what


with Sandbox(SERVICES, policy="", files={LOCAL: GOOD}) as box:
    box.wait_states({"ssh": "ready", "nginx": "ready", "cups": "idle"})
    pids = {name: box.pid(name) for name in ("ssh", "nginx")}
    # The first reading may keep no copy, because the root may still be read-only then. So the files
    # are read again.
    box.svcctl("reload-files")
    wait_for(lambda: box.exists(COPY), what="there is a copy")

    box.write(LOCAL, BROKEN)
    assert box.svcctl("reload-files", check=False).returncode == 10
    check_both_run(box, pids, "after reload-files")
    said = complaints(box)
    assert any(SAYS in text for text in said) and any("Activaton" in text for text in said), said
    why = box.svcctl("explain", "ssh", "--width", "0").stdout
    assert f"  File       {LOCAL}:3: " in why and "Activaton" in why, why
    overview = box.svcctl("status").stdout
    assert LOCAL in overview.splitlines()[0], overview

    box.svcctl("set", "cups", "never")
    check_both_run(box, pids, "after another change")
    box.kill_manager()
    check_both_run(box, pids, "after the manager was killed")
    box.svcctl("reload-files", check=False)
    check_both_run(box, pids, "after the files were read once more")
    assert "Activaton" not in box.read(COPY)

    # The corrected file is used at once, and becomes the next copy.
    box.write(LOCAL, "[runlevel 2]\nActivate=ssh\n")
    box.svcctl("reload-files")
    box.wait_state("nginx", "idle")
    assert box.pid("ssh") == pids["ssh"]
    assert LOCAL not in box.svcctl("status").stdout
    wait_for(lambda: box.read(COPY) == "[runlevel 2]\nActivate=ssh\n", what="the copy is the new version")

    box.remove(LOCAL)
    box.svcctl("reload-files")
    box.wait_state("ssh", "idle")
    wait_for(lambda: not box.exists(COPY), what="the copy is gone with its file")

# An error in a policy file does not hold back the new version of the service file.
with Sandbox(SERVICES, policy="", files={LOCAL: GOOD}) as box:
    box.wait_states({"ssh": "ready", "nginx": "ready", "cups": "idle"})
    box.svcctl("reload-files")
    box.write(LOCAL, GOOD + "[service ssh]\nWhile=service:absent\n")
    box.write("/etc/svcd/services.d/ssh.svc", SLEEP + "[Conditions]\nWhile=flag:on\n")
    foretold = box.svcctl_json("reload-files", "--dry-run", check=False)["data"]
    assert foretold["stops"] == ["ssh"], foretold
    assert box.svcctl("reload-files", check=False).returncode == 10
    box.wait_state("ssh", "waiting")
    box.svcctl("reload-files", check=False)
    assert box.state("ssh") == "waiting" and box.state("nginx") == "ready"

# The next boot.
with Sandbox(SERVICES, policy="", files={LOCAL: BROKEN, COPY: GOOD}) as box:
    box.wait_states({"ssh": "ready", "nginx": "ready", "cups": "idle"})
    box.wait_console(SAYS)

# At boot /var may be mounted after svcd has read the files. Then a service makes the copies.
with Sandbox({"ssh": SLEEP}, policy="[runlevel 2]\nActivate=ssh\n", root="debian", vendor=True,
             files={LOCAL: "[service ssh]\nReason=mine\n"}) as box:
    box.wait_state("policy-save", "done")
    box.remove(COPY)
    box.svcctl("restart", "policy-save")
    assert box.read(COPY) == "[service ssh]\nReason=mine\n"
