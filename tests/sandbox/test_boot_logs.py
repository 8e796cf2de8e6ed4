#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The output of services and the causes of their changes are kept for later boots, after a shutdown
and after a crash. A copy of a log has the same readers as the log."""

import json
import os
import re
import signal

import jsonschema

from bed import make_disk
from boots import SOURCE, vendor, wait_recorded
from deadline import wait_for
from sandbox import Sandbox

RECORDERS = ("boot-record", "shutdown-record")
SERVICES = {
    "kernel-log": "[Service]\nType=task\nExec=/bin/sh -c ': >/dev/kmsg'\n",
    "database": "[Service]\nExec=/bin/sh -c 'echo open; exec sleep infinity'\n"
                "Stop=/bin/sh -c 'sleep 1.2; echo flushed; kill $MAINPID'\n",
    "web": "[Service]\nExec=/bin/sh -c 'echo key=secret; exec sleep infinity'\n"
           "Stop=/bin/sh -c 'sleep 1.1; echo last words; kill $MAINPID'\n[Conditions]\nWhen=service:database\n",
}
POLICY = f"[service web]\nOperators=adm\n[runlevel 2]\nActivate={' '.join([*SERVICES, 'boot-record'])}\n" \
         "[runlevel 0]\nActivate=shutdown-record\n[runlevel 6]\nActivate=shutdown-record\n"
SAVER = "[Service]\nExec=/bin/sh -c 'while" + vendor("boot-record").partition("&& while")[2].partition("\n")[0] + "\n"
BOOTS = "/var/lib/svcd/boots"


def log(box, *words, check=True):
    return box.svcctl("log", *words, check=check).stdout


def as_user(box, group, *words):
    return box.run("setpriv", "--reuid=4242", f"--regid={group}", "--clear-groups", "svcctl", *words, check=False)


def check_schema(box, *words):
    with open(f"{SOURCE}/docs/svcctl.schema.json", encoding="utf-8") as file:
        jsonschema.Draft7Validator(json.load(file)).validate(json.loads(box.svcctl(*words, "--json").stdout))


def check_rights(box):
    """Only root and the operators of the service can read the copy, as they can read the log."""
    directory = f"{BOOTS}/1.logs"
    group = int(box.run("getent", "group", "adm").stdout.split(":")[2])
    kept = os.stat(box.path(f"{directory}/web.log"))
    assert (kept.st_mode & 0o7777, kept.st_uid, kept.st_gid) == (0o640, 0, group), kept
    kept = os.stat(box.path(f"{directory}/database.log"))
    assert (kept.st_mode & 0o7777, kept.st_gid) == (0o640, 0), kept
    assert os.stat(box.path(directory)).st_mode & 0o7777 == 0o711
    assert "key=secret" in as_user(box, "adm", "log", "--boot", "1", "web").stdout
    for name in ("database", "web"):
        done = as_user(box, "65534", "log", "--boot", "1", name)
        assert done.returncode != 0 and not done.stdout and "only root and the operators" in done.stderr, done
    done = as_user(box, "65534", "log", "--boot", "1", "-n", "all")
    assert "secret" not in done.stdout and "web: starting -> ready: " in done.stdout, done
    assert "permission denied for the logs of" in done.stderr, done


def seconds_after(text, shown):
    """The duration that is shown after @text."""
    found = re.search(rf"{text} (\d+(?:\.\d+)?) s\b", shown)
    assert found, (text, shown)
    return float(found.group(1))


def check_shutdown(box):
    """The record has the requester of the shutdown of boot 1, and the stops that delayed it."""
    kept = log(box, "--boot", "-1", "web")
    assert kept == log(box, "--boot", "1", "web"), kept
    lines = [line[25:] for line in kept.splitlines()]
    places = [next(i for i, line in enumerate(lines) if text in line) for text in (
        "-- web: starting -> ready: ", "key=secret", "-- web: ready -> stopping: runlevel 6, requested by uid 0", "last words")]
    assert places[1] < places[2] < places[3], kept
    assert "Boot 1 ended by runlevel 6, requested by uid 0" in kept and seconds_after("slow: web", kept) >= 1.1, kept
    assert " flushed" in log(box, "--boot", "1", "database", "-q")
    assert "--" not in log(box, "--boot", "1", "database", "-q"), "marks are left out"
    stops = {one["name"]: one for one in box.svcctl_json("boot", "blame", "--shutdown")}
    assert stops["web"]["stop_us"] >= 1000000 and stops["database"]["stop_us"] >= 1100000, stops
    assert stops["database"]["waited_for_service"] == "web" and stops["database"]["stopped"], stops
    assert stops["database"]["at_us"] >= stops["web"]["at_us"] + stops["web"]["stop_us"], stops
    blame = box.svcctl("boot", "blame", "--shutdown").stdout
    print(blame, kept, sep="\n", flush=True)
    assert seconds_after("The services of boot 1 stopped in", blame) >= 2.3 and "requested by uid 0" in blame, blame
    assert "waited for: web > database." in blame, blame
    assert box.svcctl("boot", "list", "--shutdown", check=False).returncode == 2


def check_json(box):
    record = box.svcctl_json("log", "--boot", "1", "web")
    assert any(line.endswith(" key=secret") for line in record["lines"]), record
    assert record["changes"][-1]["from"] == "stopping" and "runlevel 6" in record["changes"][-1]["cause"] or \
        record["changes"][-2]["to"] == "stopping", record
    for words in (["log", "--boot", "1"], ["log", "--boot", "1", "web"], ["boot", "blame", "--shutdown"], ["boot", "show", "1"]):
        check_schema(box, *words)


def check_ideal(box):
    """The kernel's log, here a file that one of the services makes, has the result of the boot."""
    record = box.svcctl_json("boot", "show")
    assert 0 < record["ideal_us"] <= record["svcd_us"], record
    line = box.read("/dev/kmsg")
    assert re.fullmatch(r"<29>svcd: the boot took \S+ m?s, \d+\.\d\d times the ideal \S+ m?s\n", line), line


def check_refusals(box):
    for words, code, text in ((["--boot", "7"], 4, "no record of boot 7"), (["--boot", "-7"], 4, "no record of boot -7"),
                              (["--boot", "x"], 2, "--boot takes the number"), (["--boot", "1", "wbe"], 4, "no service"),
                              (["--boot", "1", "-f", "web"], 2, "does not work with --boot")):
        done = box.svcctl("log", *words, check=False)
        assert done.returncode == code and text in done.stderr, (words, done)


def crash(box, number):
    """Kill the machine without warning after a save of the logs. The service "saver" repeats the
    saves. The recorder would start them only when the disks are quiet, which a busy machine delays.
    """
    box.svcctl("start", "saver")
    box.run("/bin/sh", "-c", "echo '2026-11-28T00:00:00.000Z before the crash' >>/run/svcd/log/web.log")
    wait_for(lambda: "before the crash" in box.read(f"{BOOTS}/{number}.logs/web.log"), what="the log is saved")
    os.kill(box.pid1, signal.SIGKILL)
    box.wait_end()
    box.boot_again()


with Sandbox({**SERVICES, "saver": SAVER, **{name: vendor(name) for name in RECORDERS}}, policy=POLICY, disk=make_disk()) as machine:
    wait_recorded(machine, 1)
    wait_for(lambda: machine.exists(f"{BOOTS}/1.logs/web.log"), what="the logs are saved")
    machine.shut_down("reboot")
    machine.wait_end()
    machine.boot_again()
    wait_recorded(machine, 2)
    check_shutdown(machine)
    check_rights(machine)
    check_json(machine)
    check_refusals(machine)
    check_ideal(machine)
    assert log(machine, "--boot", "0", "web", "-q") == log(machine, "web", "-q") == log(machine, "--boot", "2", "web", "-q")

    crash(machine, 2)
    wait_recorded(machine, 3)
    kept = log(machine, "--boot", "-1", "web")
    assert "before the crash" in kept and "Boot 2 ended without a shutdown" in kept, kept
    assert "key=secret" in log(machine, "--boot", "-2", "web")
    assert "The services of boot 1 " in machine.svcctl("boot", "blame", "--shutdown").stdout
    assert machine.svcctl("boot", "blame", "--shutdown", "2", check=False).returncode == 4
