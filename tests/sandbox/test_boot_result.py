#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A boot has a result even if a service always fails, and even if services wait for udev, which
never starts."""

from sandbox import Sandbox

# The delays, 1 s, 2 s, 4 s ..., are too long for RestartLimit=5/10s ever to be reached.
FAILING = "[Service]\nExec=/bin/sh -c 'exit 7'\nReady=notify\nRestart=always\nRestartDelay=1s\n"
SLEEP = "[Service]\nExec=/bin/sleep infinity\n"

with Sandbox({"failing": FAILING, "later": SLEEP + "[Conditions]\nAfter=failing\n", "calm": SLEEP}) as box:
    done = box.svcctl("boot", "--wait", "-t", "25", check=False)
    assert done.returncode == 1 and "failing" in done.stderr, done
    box.wait_state("later", "ready")
    boot = box.svcctl_json("boot")
    assert boot["finished"] and boot["failed"] == ["failing"] and boot["ready"] == 2, boot
    times = {one["name"]: one for one in box.svcctl_json("boot", "blame")}
    assert times["failing"]["result"] == "failed" and times["later"]["result"] == "up", times

    # The failing service is retried, and reported meanwhile.
    assert box.state("failing") in ("backoff", "starting", "stopping"), box.state("failing")
    found = [one for one in box.svcctl_json("doctor", check=False)["data"] if one["check"] == "services"]
    assert [one["level"] for one in found] == ["warning"], found
    assert "failing has failed" in found[0]["finding"] and "times" in found[0]["finding"], found
    assert "exit status 7" in found[0]["finding"] and found[0]["next"] == "svcctl explain failing", found
    box.kill_manager()
    assert box.svcctl_json("boot")["finished"]

    box.write("/etc/svcd/services.d/failing.svc", SLEEP)
    box.svcctl("reload-files")
    box.svcctl("restart", "failing")
    box.wait_state("failing", "ready")

# A sandbox is a container, so udev does not run.
UDEV = {
    "udev": SLEEP + "[Conditions]\nWhen=!virtual:container\n",
    "bluetooth": SLEEP + "[Conditions]\nWhen=udev:SUBSYSTEM=bluetooth\n",
    "without": SLEEP + "[Conditions]\nWhen=!udev:SUBSYSTEM=bluetooth\n",
    "later": SLEEP + "[Conditions]\nAfter=bluetooth\n",
}
with Sandbox(UDEV) as box:
    done = box.svcctl("boot", "--wait", "-t", "25", check=False)
    assert done.returncode == 0, done
    box.wait_states({"udev": "waiting", "bluetooth": "waiting", "without": "ready", "later": "ready"})
    assert "counts as false" in box.svcctl("explain", "bluetooth").stdout
