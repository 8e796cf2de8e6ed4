#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""enable starts a service that an admin stopped. disable stops a service that an admin started. The
output of both reports this."""

from sandbox import Sandbox

SLEEP = "[Service]\nExec=/bin/sleep infinity\n"

with Sandbox({"web": SLEEP, "other": SLEEP}, policy="[defaults]\nNewServices=on-demand\n") as box:
    box.wait_at_rest()

    # The service is already disabled, but also stopped by the admin.
    box.svcctl("stop", "web")
    said = box.svcctl("enable", "web", "--dry-run").stdout
    assert "An admin's earlier stop no longer applies" in said and "Starts     web" in said, said
    assert box.service("web")["admin"] == "stop"
    said = box.svcctl("enable", "web").stdout
    assert "Starts     web" in said and "Written as step 1" in said, said
    box.wait_state("web", "ready")

    box.svcctl("start", "web")
    said = box.svcctl("disable", "web").stdout
    assert "An admin's earlier start no longer applies" in said and "Stops      web" in said, said
    box.wait_state("web", "idle")

    # The file does not change, and the service stops.
    box.svcctl("start", "web")
    said = box.svcctl("disable", "web").stdout
    assert "Stops      web" in said and "Nothing to write" in said and "step" not in said, said
    box.wait_state("web", "idle")
    assert "Nothing to change" in box.svcctl("disable", "web").stdout

    # An admin's start does not prevent "enable", not even for a manual service.
    box.svcctl("start", "web", "other")
    pids = box.pid("web"), box.pid("other")
    box.svcctl("enable", "web")
    box.svcctl("set", "other", "manual")
    assert (box.pid("web"), box.pid("other")) == pids
