#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""conditions lists each condition with its level, reason and waiting services; a new manager prints
the same."""

from sandbox import Sandbox

SLEEP = "[Service]\nExec=/bin/sleep infinity\n"
SERVICES = {
    "base": SLEEP,
    "held": SLEEP + "[Conditions]\nWhen=flag:go\nWhile=service:base\n",
    "also": SLEEP + "[Conditions]\nWhen=flag:go | path:/\n",
    "blocked": SLEEP + "[Conditions]\nWhen=path:/etc/not-there\n",
}


def rows(box, *words):
    return {row["condition"]: row for row in box.svcctl_json("list", "--conditions", *words)}


with Sandbox(SERVICES) as box:
    box.wait_states({"base": "ready", "also": "ready", "held": "waiting", "blocked": "waiting"})

    seen = rows(box)
    assert seen["flag:go"]["level"] == "false" and seen["flag:go"]["why"], seen["flag:go"]
    assert seen["flag:go"]["waiting"] == ["held"] and seen["flag:go"]["others"] == ["also"], seen["flag:go"]
    assert seen["service:base"]["level"] == "true" and seen["service:base"]["waiting"] == [], seen["service:base"]
    assert seen["path:/etc/not-there"]["waiting"] == ["blocked"], seen
    assert 0 < seen["flag:go"]["since_us"] < seen["flag:go"]["since_us"] + 1

    assert set(rows(box, "--level", "false")) == {"flag:go", "path:/etc/not-there"}
    assert set(rows(box, "flag:*", "service:*")) == {"flag:go", "service:base"}
    text = box.svcctl("list", "--conditions", "-o", "condition,level,waiting", "--no-header", "flag:go").stdout
    assert text.split() == ["flag:go", "false", "held"], text

    box.svcctl("flag", "set", "go")
    box.wait_state("held", "ready")
    row = rows(box)["flag:go"]
    assert (row["level"], row["waiting"], row["others"]) == ("true", [], ["also", "held"]), row

    before = {name: (row["level"], row["waiting"], row["others"]) for name, row in rows(box).items()}
    box.kill_manager()
    box.wait_at_rest()
    after = {name: (row["level"], row["waiting"], row["others"]) for name, row in rows(box).items()}
    assert before == after, (before, after)
