#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A root that is mounted read-only boots: svcd itself writes only below /run."""

from sandbox import Sandbox

# The first service makes the root read-only, before anything else runs.
SERVICES = {
    "freeze": "[Service]\nType=task\nExec=/bin/mount -o remount,ro /\n",
    "a": "[Service]\nExec=/bin/sh -c \"echo hello; exec sleep infinity\"\n[Conditions]\nWhen=service:freeze\n",
    "other": "[Service]\nExec=/bin/sleep infinity\n",
}
POLICY = "/etc/svcd/policy.d/test.policy"

with Sandbox(SERVICES, policy="[runlevel 2]\nActivate=freeze a\n") as box:
    box.wait_states({"freeze": "done", "a": "ready"})
    assert box.run("touch /anything", check=False).returncode != 0
    box.kill_manager()
    box.wait_states({"freeze": "done", "a": "ready"})
    box.svcctl("restart", "a")
    box.wait_state("a", "ready")

    # Policy cannot be changed permanently there, and scripts get an error. It can be changed until
    # the next boot.
    before = box.read(POLICY)
    for words in (("enable", "other"), ("disable", "a"), ("set", "a", "manual")):
        refused = box.svcctl(*words, check=False)
        assert refused.returncode == 4 and "Read-only file system; changes with --until-reboot" in refused.stderr, refused
    assert box.read(POLICY) == before and box.run("ls", "/etc/svcd/policy.d").stdout.split() == ["test.policy"]
    box.svcctl("enable", "other", "--until-reboot")
    box.wait_state("other", "ready")
