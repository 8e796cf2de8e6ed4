#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The policy "never" prevents each kind of start: a need, bus activation, a start by root. Each
refusal is counted, with its caller."""


import json

from deadline import wait_for
from polkit import BusMachine

SERVICES = {
    "victim": "[Service]\nExec=/bin/sleep infinity\nReady=dbus:org.example.Victim\n",
    "needs": "[Service]\nExec=/bin/sleep infinity\n[Conditions]\nWhile=service:victim\n",
    "wants": "[Service]\nExec=/bin/sleep infinity\n[Conditions]\nWants=victim\n",
    "other": "[Service]\nExec=/bin/sleep infinity\n",
}
NEVER = "[service victim]\nActivation=never\nReason=no victims here\n"


def refused(box, verb):
    done = box.svcctl(verb, "victim", check=False)
    assert done.returncode != 0 and "its policy is never" in done.stderr + done.stdout, done


def the_doors_are_closed(box):
    box.wait_state("other", "ready")
    box.wait_state("wants", "ready")
    refused(box, "start")
    refused(box, "restart")
    for _ in range(30):
        done = box.manager("Activate", "string:org.example.Victim", "string:")
        assert "org.svcd1.Error.PolicyDenied" in done.stderr, done
    assert box.state("victim") == "idle" and box.pid("victim") == 0
    assert box.state("needs") == "waiting"


def they_are_told(box):
    status = json.loads(box.svcctl("--json", "status", "victim", check=False).stdout)
    row = (status.get("data") or status)[0] if isinstance(status, dict) else status[0]
    doors = {one["door"]: one for one in row["refusals"]}
    assert doors["bus activation"]["count"] == 30, row["refusals"]
    assert "org.example.Victim" in doors["bus activation"]["who"], doors
    assert "by uid 0 (pid " in doors["request"]["who"], doors
    needers = {one["who"] for one in row["refusals"] if one["door"] == "dependency"}
    assert needers == {"needed by needs", "needed by wants"}, row["refusals"]
    assert row["refused"] == 34, row["refused"]
    assert len(row["causes"]) <= 2, row["causes"]
    assert "Refused 34 requests since the boot: " in box.svcctl("explain", "victim", check=False).stdout
    assert "34 requests since the boot" in box.svcctl("status", "victim", check=False).stdout


def a_new_manager_knows_how_many(box):
    box.kill_manager()
    box.wait_up()
    out = box.svcctl("explain", "victim", check=False).stdout
    assert "Refused 34 requests since the boot: " in out and "32 by unknown requesters" in out, out


def what_runs_is_stopped_when_it_becomes_never(box):
    pids = {name: box.pid(name) for name in ("other", "wants")}
    box.remove("/etc/svcd/policy.d/never.policy")
    box.svcctl("reload-files")
    box.run("true")
    wait_for(lambda: box.state("victim") == "starting", what="it is allowed again, and needed")
    box.write("/etc/svcd/policy.d/never.policy", NEVER)
    box.svcctl("reload-files")
    box.wait_state("victim", "idle")
    assert {name: box.pid(name) for name in pids} == pids


with BusMachine(has_polkit=False, services=SERVICES,
                policy=NEVER.replace("[service", "[runlevel 2]\nActivate=needs wants other\n[service", 1)) as machine:
    the_doors_are_closed(machine)
    they_are_told(machine)
    a_new_manager_knows_how_many(machine)
    machine.write("/etc/svcd/policy.d/never.policy", NEVER)
    machine.write("/etc/svcd/policy.d/test.policy", "[runlevel 2]\nActivate=needs wants other\n")
    what_runs_is_stopped_when_it_becomes_never(machine)
