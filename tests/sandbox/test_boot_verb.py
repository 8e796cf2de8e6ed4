#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""svcctl boot waits for the end of the boot and reports what the boot waited for, also with a
manager that started later."""

import json
import subprocess

from deadline import wait_for
from sandbox import Sandbox


def task(seconds, *conditions):
    lines = "".join(f"{line}\n" for line in conditions)
    return f"[Service]\nType=task\nExec=/bin/sleep {seconds}\n[Conditions]\n{lines}"


SERVICES = {
    "first": task(0.3),
    "second": task(0.2, "After=first"),
    "gate": "[Service]\nType=task\nExec=/bin/sh -c 'while ! [ -e /run/go ]; do sleep 0.02; done'\n[Conditions]\nAfter=second\n",
    "last": task(0.1, "While=service:gate"),
    "beside": task(0.05),
    "broken": "[Service]\nType=task\nRestart=no\nExec=/bin/false\n",
    "held": task(1, "When=path:/run/never"),
}


def times(box):
    """The processor time is left out, because it grows while a service runs."""
    rows = box.svcctl_json("boot", "blame")
    return {one["name"]: {key: value for key, value in one.items() if not key.startswith("cpu")} for one in rows}


def chain(box, *name):
    return [one["name"] for one in box.svcctl_json("boot", "chain", *name)]


with Sandbox(SERVICES) as box:
    # Before the boot ends, the command reports the services that are starting or stopping.
    early = subprocess.Popen(box.command(["/usr/bin/svcctl", "boot", "--wait"]), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             text=True, env=box.run_environment())
    done = box.svcctl("boot", "--wait", "-t", "1", check=False)
    assert done.returncode == 6 and "goes on" in done.stderr, done
    box.wait_state("gate", "starting")
    assert box.svcctl_json("boot")["finished"] is False
    assert times(box)["gate"]["result"] == "starting" and times(box)["last"]["result"] == "waiting"

    # If the manager dies during the boot, no record is lost.
    before = times(box)
    box.kill_manager()
    after = times(box)
    for name in ("first", "second", "beside"):
        assert after[name] == before[name], (before[name], after[name])
    assert after["gate"]["wanted_at_us"] == before["gate"]["wanted_at_us"]

    box.write("/run/go", "")
    out, err = early.communicate(timeout=60)
    assert early.returncode == 1 and "broken" in err, (early.returncode, out, err)
    assert out.count("boot  starting") == 1 and "\x1b" not in out, out
    done = box.svcctl("boot", "--wait", check=False)
    assert done.returncode == 1, done

    data = json.loads(box.svcctl("boot", "--json").stdout)["data"]
    assert data["finished"] and data["failed"] == ["broken"], data
    assert data["chain"] == ["first", "second", "gate", "last"], data
    assert data["kernel_us"] is None, "a container has no kernel of its own"

    assert chain(box) == ["first", "second", "gate", "last"]
    assert chain(box, "second") == ["first", "second"]
    assert chain(box, "beside") == ["beside"]
    of = times(box)
    assert of["second"]["waited_for"] == "settled:first" and of["second"]["waited_for_service"] == "first", of["second"]
    assert of["last"]["waited_for"] == "service:gate", of["last"]
    assert 250000 < of["first"]["own_us"] < of["gate"]["own_us"], of["first"]
    assert of["second"]["waited_us"] >= 300000 > of["second"]["own_us"] - 200000, of["second"]
    assert of["held"]["result"] == "waiting" and of["broken"]["result"] == "failed", of
    shown = box.svcctl("boot", "blame").stdout
    assert "do not add up" in shown and " gate " in shown.splitlines()[2] and " first " in shown.splitlines()[3], shown
    print(box.svcctl("boot").stdout, shown, box.svcctl("boot", "chain").stdout, sep="\n")

    # Neither later events nor another manager change the record.
    box.svcctl("restart", "first")
    box.kill_manager()
    wait_for(lambda: times(box) == of, what="the record of the boot is there again")

    done = box.svcctl("boot", "chain", "nosuch", check=False)
    assert done.returncode == 4, done
    dot = box.svcctl("boot", "dot").stdout
    drawn = subprocess.run(["dot", "-Tsvg"], input=dot, text=True, stdout=subprocess.PIPE, check=True).stdout
    assert "<svg" in drawn and ">gate<" in drawn, drawn
