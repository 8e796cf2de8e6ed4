#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Services that are not installed, or cannot run here, are counted separately and shown only with
--all.

This holds for the overview, lists, completion, boot blame and forecasts. list gives the reason for
each service that is not up.
"""

from sandbox import Sandbox
from terminal import on_terminal

SLEEP = "[Service]\nExec=/bin/sleep infinity\n"
SERVICES = {
    "absent": SLEEP + "[Conditions]\nWhen=path:exec:/usr/local/bin/absent\nWhile=service:base\n",
    "foreign": SLEEP + "[Conditions]\nWhen=!virtual:container\nWhile=service:base\n",
    "held": SLEEP + "[Conditions]\nWhen=flag:go\n",
    "base": SLEEP,
    "broken": "[Service]\nType=task\nExec=/bin/sh -c 'exit 3'\nRestart=no\n",
    "off": SLEEP,
}
VENDOR = "[runlevel 2]\nActivate=absent foreign held base broken\n[runlevel 3]\nActivate=base\n"


def names(lines):
    return {line.split()[0] for line in lines.splitlines()} & set(SERVICES)


with Sandbox(SERVICES, policy="", files={"/usr/lib/svcd/policy.d/vendor.policy": VENDOR}, cmdline="svcd.runlevel=3") as box:
    box.wait_states({"base": "ready", "foreign": "idle", "held": "idle"})

    foretold = box.svcctl("runlevel", "2", "--dry-run").stdout
    assert "  Starts     broken\n" in foretold and "  Will wait  held\n" in foretold, foretold
    assert "  Left out   2 services, because they are not installed or cannot run on this machine\n" in foretold, foretold
    said = box.svcctl("disable", "base", "--dry-run").stdout
    assert "absent" not in said and "foreign" not in said, said

with Sandbox(SERVICES, policy="", files={"/usr/lib/svcd/policy.d/vendor.policy": VENDOR}) as box:
    box.wait_states({"base": "ready", "broken": "failed", "absent": "waiting", "foreign": "waiting", "held": "waiting"})
    box.wait_at_rest()

    counts = box.overview()["services"]
    assert (counts["waiting"], counts["off"], counts["not_installed"], counts["not_applicable"]) == (1, 1, 1, 1), counts
    assert "1 not installed" in box.svcctl().stdout and "1 not for this machine" in box.svcctl().stdout

    listed = box.svcctl("list").stdout
    assert names(listed) == {"held", "base", "broken"}, listed
    assert "Not shown: 1 off · 1 not installed · 1 not for this machine (svcctl list --all)" in listed, listed
    assert names(box.svcctl("list", "--all").stdout) == set(SERVICES)
    shown, _, _ = on_terminal(box, 80, "list", environment={"NO_COLOR": "1"})
    rows = {line.split()[0]: line for line in shown.splitlines()}
    assert rows["NAME"].rstrip() == "NAME   STATE     POLICY PID WHY", shown
    assert rows["held"].endswith("flag:go is false: the flag is not set") and "◇ waiting" in rows["held"], shown
    assert rows["broken"].endswith("exit status 3") and "Not" in rows, shown
    why = {row["name"]: row["why"] for row in box.svcctl_json("list", "--all")}
    assert why["base"] is None and why["off"] is None and "virtual:container" in why["foreign"], why

    assert names(box.svcctl("complete", "--", "explain", "").stdout) == {"held", "base", "broken", "off"}
    assert names(box.svcctl("complete", "--", "explain", "ab").stdout) == {"absent"}

    assert names(box.svcctl("boot", "blame", "--no-header", "-o", "name").stdout) == {"held", "base", "broken"}
    assert {"absent", "foreign"} < names(box.svcctl("boot", "blame", "--all", "--no-header", "-o", "name").stdout)
