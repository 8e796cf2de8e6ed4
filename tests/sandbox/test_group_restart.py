#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A restart of a group ends when its members are up again. If a member fails, the restart fails."""

from sandbox import Sandbox

# Each member needs one second to stop and one to start.
SLOW = """[Service]
Exec=/bin/sh -c "trap 'sleep 1; exit 0' TERM; sleep 1; echo >/run/up-{name}; while :; do sleep 0.05; done"
Prepare=/bin/sh -c "rm -f /run/up-{name}; test ! -e /run/no-{name}"
Ready=path:/run/up-{name}
"""
SERVICES = {
    "one": SLOW.format(name="one"),
    "two": SLOW.format(name="two"),
    "all": "[Service]\nType=group\n[Conditions]\nWants=one two\nWhile=service:one\nWhile=service:two\n",
    "loose": "[Service]\nType=group\n[Conditions]\nWants=one two\n",
}


def identities(box):
    return {name: box.pid(name) for name in ("one", "two")}


with Sandbox(SERVICES) as box:
    box.wait_states({"one": "ready", "two": "ready", "all": "ready", "loose": "ready"})

    for group in ("all", "loose"):
        before = identities(box)
        told = box.svcctl("restart", group).stdout
        rows = box.services()
        assert all(rows[name]["state"] == "ready" for name in ("one", "two", group)), (told, rows)
        assert all(box.pid(name) != pid for name, pid in before.items())
        for name in ("one", "two", group):
            assert f"{name} restarted" in told, told

    box.run("touch", "/run/no-two")
    failed = box.svcctl("restart", "all", check=False)
    assert failed.returncode == 1 and "two did not start" in failed.stderr, failed
    assert box.state("one") == "ready" and box.state("two") == "failed"

    box.svcctl("restart", "all", "--no-wait")
