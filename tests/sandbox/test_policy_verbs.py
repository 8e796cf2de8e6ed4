#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""svcctl enable, disable, set, override, revert, diff, presets and edit on a machine that runs: written, and of effect."""

from sandbox import Sandbox

SLEEP = "[Service]\nExec=/bin/sleep infinity\n"
SERVICES = {
    "keep": SLEEP,
    "web": SLEEP,
    "needer": SLEEP + "[Conditions]\nWhile=service:base\n",
    "base": SLEEP,
    "loop-a": SLEEP + "[Conditions]\nWhen=service:loop-b\n",
    "loop-b": SLEEP,
    "rival": SLEEP + "[Conditions]\nConflicts=keep\n",
}
POLICY = """[runlevel 2]
Activate=keep needer
[runlevel 3]
Include=2
"""
OURS = "/etc/svcd/policy.d/90-svcctl.policy"


def check_enable_and_disable(box):
    pid = box.pid("keep")
    told = box.svcctl_json("enable", "web")
    assert told["written"] and told["starts"] == ["web"] and told["stops"] == [], told
    box.wait_state("web", "ready")

    said = box.svcctl("disable", "web").stdout
    assert "web: boot in 2 3 -> on-demand" in said and "Stops      web" in said, said
    box.wait_state("web", "idle")
    assert box.svcctl_json("disable", "web")["changed"] is False
    assert box.pid("keep") == pid


def check_what_still_starts_it(box):
    box.svcctl("enable", "base")
    told = box.svcctl_json("disable", "base")
    assert told["stops"] == [], told
    assert told["services"][0]["still_started_by"] == ["needer (While=service:base)"], told
    box.wait_state("base", "ready")

    box.svcctl("set", "base", "never", "--reason", "no such thing here")
    box.wait_state("base", "idle")
    box.wait_state("needer", "waiting", "idle")
    refused = box.svcctl("start", "base", check=False)
    assert refused.returncode == 8, refused
    assert "no such thing here" in box.svcctl("policy", "base").stdout
    box.svcctl("revert", "base")
    box.wait_state("needer", "ready")


def check_dry_run_writes_nothing(box):
    before = box.read(OURS) if box.exists(OURS) else None
    said = box.svcctl("set", "keep", "manual", "--dry-run").stdout
    assert "Stops      keep" in said and "Nothing was written" in said, said
    assert (box.read(OURS) if box.exists(OURS) else None) == before
    assert box.state("keep") == "ready"


def check_mistakes_are_refused(box):
    before = box.read(OURS) if box.exists(OURS) else None
    missing = box.svcctl("enable", "webs", check=False)
    assert missing.returncode == 4 and "did you mean: web" in missing.stderr, missing
    loop = box.svcctl("override", "loop-b", "When=service:loop-a", check=False)
    assert loop.returncode == 10 and "loop-a" in loop.stderr, loop
    unknown = box.svcctl("override", "web", "When=service:nobody", check=False)
    assert unknown.returncode == 10 and "nobody" in unknown.stderr, unknown
    together = box.svcctl("enable", "rival", check=False)
    assert together.returncode == 10 and "keep" in together.stderr, together
    assert box.svcctl("set", "web", "sometimes", check=False).returncode == 2
    assert box.svcctl("set", "web", "boot", "--runlevel", "9", check=False).returncode == 2
    assert (box.read(OURS) if box.exists(OURS) else None) == before
    assert not box.exists("/etc/svcd/services.d/loop-b.svc.d")


def check_override(box):
    pid = box.pid("keep")
    box.svcctl("override", "keep", "Description=kept for ever")
    assert "kept for ever" in box.svcctl("status", "keep").stdout
    assert box.pid("keep") == pid
    rows = box.svcctl_json("diff", "keep")
    assert [(row["key"], row["value"]) for row in rows if row["key"] == "Description"] == [("Description", "kept for ever")]
    box.svcctl("revert", "keep")
    assert "kept for ever" not in box.svcctl("status", "keep", check=False).stdout


def check_runlevels(box):
    box.svcctl("set", "web", "boot", "--runlevel", "3")
    assert box.state("web") == "idle"
    told = box.svcctl_json("runlevel", "3", "--dry-run")
    assert told["starts"] == ["web"] and told["stops"] == [], told
    assert box.svcctl("runlevel").stdout.strip() == "N 2"
    box.svcctl("runlevel", "3")
    box.wait_state("web", "ready")
    box.svcctl("runlevel", "2")
    box.wait_state("web", "idle")


def check_until_reboot(box):
    box.svcctl("set", "web", "boot", "--runlevel", "2", "--until-reboot")
    box.wait_state("web", "ready")
    assert box.exists("/run/svcd/policy.d/90-svcctl.policy")
    machine = {row["name"]: row for row in box.svcctl_json("policy")["services"]}
    assert machine["web"]["wanted"] and machine["keep"]["wanted"], machine
    box.svcctl("set", "web", "never", "--until-reboot")
    box.wait_state("web", "idle")
    said = box.svcctl("enable", "web").stdout
    assert "/run/svcd/policy.d/90-svcctl.policy" in said and "has no effect yet" in said, said
    assert box.state("web") == "idle"
    box.svcctl("revert", "web", "--until-reboot")
    box.wait_state("web", "idle")


def check_edit(box):
    box.write("/tmp/good", "#!/bin/sh\necho '[Service]\nDescription=edited' > \"$1\"\n", 0o755)
    box.write("/tmp/bad", "#!/bin/sh\necho '[Service]\nDescripton=edited' > \"$1\"\n", 0o755)
    bad = box.run("EDITOR=/tmp/bad svcctl edit web", check=False)
    assert bad.returncode == 10 and "Descripton" in bad.stderr, bad
    box.run("EDITOR=/tmp/good svcctl edit web")
    assert "edited" in box.svcctl("cat", "web").stdout
    box.svcctl("revert", "web")


with Sandbox(SERVICES, policy=POLICY) as box:
    box.wait_states({"keep": "ready", "needer": "ready", "base": "ready", "web": "idle"})
    check_enable_and_disable(box)
    check_what_still_starts_it(box)
    check_dry_run_writes_nothing(box)
    check_mistakes_are_refused(box)
    check_override(box)
    check_runlevels(box)
    check_until_reboot(box)
    check_edit(box)
