#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""--root DIR: every verb on a Debian that does not run, and nothing of the machine that does is touched."""

from sandbox import Sandbox

SLEEP = "[Service]\nExec=/bin/sleep infinity\n"
ROOT = "/srv/other"
OURS = f"{ROOT}/etc/svcd/policy.d/90-svcctl.policy"


def make_root(box):
    """What the Debian of the sandbox has, as a tree of its own."""
    box.run(f"mkdir -p {ROOT}/usr/lib/svcd {ROOT}/var/lib && cp -a /usr/lib/svcd/services.d /usr/lib/svcd/policy.d "
            f"/usr/lib/svcd/policy-examples {ROOT}/usr/lib/svcd/ && ln -s usr/lib {ROOT}/lib")
    box.run(f"mkdir -p {ROOT}/usr/sbin {ROOT}/usr/bin && cd {ROOT}/usr && touch sbin/sshd sbin/cron bin/ssh-keygen && "
            "chmod 755 sbin/sshd sbin/cron bin/ssh-keygen")


def ask(box, *argv):
    return box.svcctl_json(*argv, "--root", ROOT)


with Sandbox({"mine": SLEEP}, policy="[runlevel 2]\nActivate=mine\n", root="debian", vendor=True) as box:
    box.wait_state("mine", "ready")
    make_root(box)
    pid = box.pid("mine")

    assert ask(box, "policy", "ssh")["activation"] == "on-demand"
    dry = ask(box, "enable", "ssh", "--dry-run")
    assert not dry["written"] and not dry["svcd_running"] and "ssh" in dry["starts"], dry
    assert not box.exists(OURS)

    told = ask(box, "enable", "ssh", "--reason", "for the office")
    assert told["written"] and told["step"] == 1, told
    assert told["services"][0]["to"] == "boot in 2 3 4 5", told
    policy = ask(box, "policy", "ssh")
    assert policy["activation"] == "boot" and policy["in_runlevel"], policy
    assert any(row["key"] == "Activation" and row["decides"] for row in policy["statements"]), policy
    assert not box.exists("/etc/svcd/policy.d/90-svcctl.policy")

    dry = ask(box, "set", "cron", "boot", "--runlevel", "1", "--runlevel", "5", "--dry-run")
    assert dry["services"][0]["to"] == "boot in 1 5", dry

    ask(box, "override", "ssh", "Environment=A=1")
    assert box.exists(f"{ROOT}/etc/svcd/services.d/ssh.svc.d/90-svcctl.conf")
    rows = ask(box, "diff")
    assert {row["key"] for row in rows if row["service"] == "ssh"} >= {"Activation", "Environment"}, rows

    refused = box.svcctl("override", "ssh", "While=service:nobody", "--root", ROOT, check=False)
    assert refused.returncode == 10, refused

    presets = {row["name"]: row for row in ask(box, "presets")}
    assert "ssh-always" in presets and not presets["ssh-always"]["installed"], presets
    ask(box, "presets", "ssh-always")
    assert box.exists(f"{ROOT}/etc/svcd/policy.d/ssh-always.policy")

    steps = [row["step"] for row in ask(box, "policy", "log")]
    assert steps == [3, 2, 1], steps
    for _ in steps:
        ask(box, "policy", "undo")
    assert ask(box, "policy", "ssh")["activation"] == "on-demand"
    assert not box.exists(f"{ROOT}/etc/svcd/policy.d/ssh-always.policy")

    runlevel = ask(box, "runlevel", "1", "--dry-run")
    assert runlevel["stops"] == ["cron"] and "rescue" in runlevel["waits"], runlevel
    assert box.pid("mine") == pid and box.state("mine") == "ready"
    assert "mine" not in box.svcctl("policy", "--root", ROOT, "--all").stdout
