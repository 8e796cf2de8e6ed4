#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A forecast includes running services without a file. It also includes earlier edits of files by
hand, because svcd reads them with the change of policy."""

from sandbox import Sandbox

SLEEP = "[Service]\nExec=/bin/sleep infinity\n"
LOCAL = "/etc/svcd/policy.d/local.policy"

with Sandbox({"ssh": SLEEP, "nginx": SLEEP, "cups": SLEEP}, policy="", files={LOCAL: "[runlevel 2]\nActivate=ssh nginx\n"}) as box:
    box.wait_states({"ssh": "ready", "nginx": "ready"})

    box.write(LOCAL, "[runlevel 2]\nActivate=ssh new\n")
    box.write("/etc/svcd/services.d/new.svc", SLEEP)
    foretold = box.svcctl_json("set", "cups", "never", "--dry-run")
    assert (foretold["stops"], foretold["starts"]) == (["nginx"], ["new"]), foretold
    box.svcctl("set", "cups", "never")
    box.wait_states({"ssh": "ready", "nginx": "idle", "new": "ready"})

# A change that writes nothing makes svcd read nothing.
with Sandbox({"cups": SLEEP}, policy="", files={LOCAL: "[service cups]\nActivation=on-demand\n"}) as box:
    box.wait_up()
    box.svcctl("start", "cups")

    box.write(LOCAL, "[runlevel 2]\nActivate=new\n[service cups]\nActivation=on-demand\n")
    box.write("/etc/svcd/services.d/new.svc", SLEEP)
    foretold = box.svcctl_json("disable", "cups", "--dry-run")
    assert (foretold["stops"], foretold["starts"]) == (["cups"], []), foretold
    assert "new" not in box.svcctl("disable", "cups").stdout
    box.wait_state("cups", "idle")
    assert "new" not in box.services()

# A service whose file is gone keeps what it needs.
with Sandbox({"base": SLEEP, "upper": SLEEP + "[Conditions]\nWhile=service:base\n", "cups": SLEEP},
             policy="[runlevel 2]\nActivate=upper\n") as box:
    box.wait_state("upper", "ready")

    box.remove("/etc/svcd/services.d/upper.svc")
    box.svcctl("reload-files")
    foretold = box.svcctl_json("set", "cups", "boot", "--dry-run")
    assert (foretold["stops"], foretold["starts"]) == ([], ["cups"]), foretold
    foretold = box.svcctl_json("stop", "upper", "--dry-run")
    assert foretold["stops"] == ["upper", "base"], foretold
    box.svcctl("stop", "upper")
    box.wait_state("base", "idle")
