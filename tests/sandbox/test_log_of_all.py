#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The log of several services: in the order of time, with a mark at each new start, and with
--since only from a given time."""

import json
import re

from deadline import wait_for
from sandbox import Sandbox

SERVICES = {
    "a": "[Service]\nExec=/bin/sh -c 'echo one; exec sleep infinity'\n",
    "b": "[Service]\nExec=/bin/sh -c 'echo two; exec sleep infinity'\n[Conditions]\nWhen=service:a\n",
}
STAMP = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"
OLD = "2020-02-02T02:02:02.222Z old\n"


def texts(box, *words):
    return [re.sub(f"^{STAMP} ", "", line) for line in box.svcctl("log", *words).stdout.splitlines()]


def wait_log(box, name, *expected):
    wait_for(lambda: [text for text in texts(box, name) if not text.startswith("--")] == list(expected), what=f"{expected} of {name}")


with Sandbox(SERVICES) as machine:
    machine.wait_state("b", "ready")
    wait_log(machine, "a", "one")
    wait_log(machine, "b", "two")
    assert texts(machine, "a") == ["one"], "no mark before the first run"
    stamps = [line[:24] for line in machine.svcctl("log").stdout.splitlines()]
    assert stamps == sorted(stamps) and sorted(texts(machine)) == ["a: one", "b: two"], texts(machine)
    assert texts(machine) == texts(machine, "b", "a") == texts(machine, "a", "b")

    machine.svcctl("restart", "a")
    wait_log(machine, "a", "one", "one")
    first, mark, second = texts(machine, "a")
    assert (first, second) == ("one", "one") and re.match(r"-- a starts: restart by uid 0 \(pid \d+\)", mark), mark
    assert texts(machine, "a", "-q") == ["one", "one"]
    assert texts(machine, "-n", "1")[-1] == "a: one"

    record = machine.svcctl_json("log", "a")
    assert len(record["lines"]) == 2 and all(re.match(f"{STAMP} one$", line) for line in record["lines"]), record
    assert [(one["name"], len(one["lines"])) for one in machine.svcctl_json("log", "a", "b")] == [("a", 2), ("b", 1)]

    # --since accepts an age, a date or a time of day.
    machine.write("/run/svcd/log/a.log", OLD + machine.read("/run/svcd/log/a.log"))
    assert texts(machine, "a", "-q") == ["old", "one", "one"]
    for since in ("1h", "yesterday", "2020-02-03", "2020-02-02 12:00"):
        assert texts(machine, "a", "-q", "--since", since) == ["one", "one"], since
    assert texts(machine, "a", "-q", "--since", "2020-02-01") == ["old", "one", "one"]
    assert texts(machine, "a", "-q", "--since", "0s") == []
    for since in ("soon", "25:00", "2020-13-01", "2020-02-01 x"):
        done = machine.svcctl("log", "a", "--since", since, check=False)
        assert done.returncode == 2 and "--since takes a time" in done.stderr, done
    done = machine.svcctl("log", "-f", check=False)
    assert done.returncode == 2 and "--follow needs one NAME" in done.stderr, done

    # Compares wall-clock times with the monotonic clock.
    status = json.loads(machine.svcctl("status", "a", "--json").stdout)["data"][0]
    assert status["since_us"] > 0 and re.fullmatch(STAMP, status["since"]), status["since"]
    assert all(re.fullmatch(STAMP, cause["at"]) for cause in status["causes"]), status["causes"]
    starting = next(cause["at"] for cause in status["causes"] if cause["to"] == "starting")
    assert starting <= record["lines"][1][:24], (starting, record)
    assert abs(float(machine.run("date", "+%s.%N", "-d", status["since"]).stdout) - float(machine.run("date", "+%s.%N").stdout)) < 300
