#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Changes that svcctl makes are numbered, and can be listed and undone, with their effects. Later
changes by others are not overwritten."""

from sandbox import Sandbox

SLEEP = "[Service]\nExec=/bin/sleep infinity\n"
OURS = "/etc/svcd/policy.d/90-svcctl.policy"
DROP_IN = "/etc/svcd/services.d/b.svc.d/90-svcctl.conf"

with Sandbox({"a": SLEEP, "b": SLEEP}, policy="[runlevel 2]\nActivate=a\n") as box:
    box.wait_state("a", "ready")
    assert box.svcctl_json("policy", "log") == []
    first = box.svcctl_json("enable", "b")["step"]
    box.wait_state("b", "ready")
    text = box.read(OURS)
    second = box.svcctl_json("set", "a", "never", "--reason", "two words")["step"]
    box.wait_state("a", "idle")
    assert second > first

    log = box.svcctl_json("policy", "log")
    assert [row["step"] for row in log] == [second, first], log
    assert log[0]["command"] == "svcctl set a never --reason 'two words' --json", log
    assert log[0]["uid"] == 0

    undone = box.svcctl_json("undo")
    assert undone["starts"] == ["a"] and undone["stops"] == [], undone
    box.wait_state("a", "ready")
    assert box.read(OURS) == text

    box.svcctl("undo", str(first))
    box.wait_state("b", "idle")
    assert not box.exists(OURS) or "b" not in box.read(OURS)

    third = box.svcctl_json("enable", "b")["step"]
    box.write(OURS, box.read(OURS) + "# mine\n")
    refused = box.svcctl("undo", str(third), check=False)
    assert refused.returncode != 0 and "90-svcctl.policy" in refused.stderr, refused
    assert box.read(OURS).endswith("# mine\n")
    assert box.svcctl("undo", "99999", check=False).returncode != 0
    box.svcctl("undo", "b")

    # As if the power had failed after "undo b" wrote one of its two files: undo restores that file.
    box.svcctl("set", "b", "never")
    box.svcctl("edit", "b", "Nice=5")
    policy, drop_in = box.read(OURS), box.read(DROP_IN)
    half = box.svcctl_json("undo", "b")["step"]
    box.write(DROP_IN, drop_in)
    box.svcctl("reload-files")
    assert box.svcctl_json("policy", "b")["activation"] == "on-demand"
    reported = box.svcctl("policy", "log").stdout
    assert f"step {half} is only partly in effect: {DROP_IN} is as before this step" in reported, reported
    box.svcctl("undo")
    assert box.read(OURS) == policy and box.read(DROP_IN) == drop_in
    assert box.svcctl_json("policy", "b")["activation"] == "never"
