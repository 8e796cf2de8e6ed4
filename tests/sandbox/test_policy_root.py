#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""--root DIR: each verb works on a whole Debian that is not running, and does not touch the running
machine."""

from sandbox import Sandbox

SLEEP = "[Service]\nExec=/bin/sleep infinity\n"
ROOT = "/mnt"  # the whole Debian as another tree: see make_root()
OURS = "/etc/svcd/policy.d/90-svcctl.policy"


def make_root(box):
    """A Debian root with svcd, and with its own /etc/svcd and /var, so that those of the machine
    are not written."""
    box.run(f"""mount --bind / {ROOT} && mkdir -p {ROOT}/etc/svcd {ROOT}/var/lib/svcd
        mount -t tmpfs -o mode=0755 other {ROOT}/etc/svcd && mount -t tmpfs -o mode=0755 other {ROOT}/var/lib/svcd""")


def ask(box, *argv):
    return box.svcctl_json(*argv, "--root", ROOT)


def check_other_verbs(box):
    """Make changes with the other verbs, and undo them all."""
    def files():
        return box.run(f"cd {ROOT}/etc/svcd && find . -type f -printf '%P %m\\n' | sort && find . -type f | sort | xargs -r cat").stdout

    before = files()
    told = ask(box, "disable", "dbus")
    assert "elogind (While=service:dbus)" in told["services"][0]["still_started_by"], told
    told = ask(box, "set", "dbus", "never", "--dry-run")
    assert {"dbus", "elogind"} <= set(told["stops"]), told
    ask(box, "set", "dbus", "never", "--reason", "no bus")
    cat = box.svcctl("cat", "dbus", "--root", ROOT).stdout
    assert "Reason=no bus" in cat and "Activation=never" in cat and "InRunlevel" not in cat, cat
    ask(box, "set", "ssh", "boot", "--runlevel", "3", "--runlevel", "5")
    assert not ask(box, "policy", "ssh")["in_runlevel"] and ask(box, "policy", "ssh", "--runlevel", "5")["in_runlevel"]
    box.run("env", "EDITOR=sed -i '$a[Service]\\nNice=7'", "svcctl", "edit", "cron", "--root", ROOT)
    assert "Nice=7" in box.svcctl("cat", "cron", "--root", ROOT).stdout
    assert {"dbus", "ssh", "cron"} <= {row["service"] for row in ask(box, "cat", "--diff")}
    ask(box, "import", "--sysv")
    assert "hwclock" in box.read(f"{ROOT}/etc/svcd/policy.d/50-sysv-import.policy")
    ask(box, "undo", "dbus")
    assert ask(box, "policy", "dbus")["activation"] == "boot"
    assert box.svcctl("check", "--root", ROOT).returncode == 0
    while files() != before:
        ask(box, "undo")


with Sandbox({"mine": SLEEP}, policy="[runlevel 2]\nActivate=mine\n", root="debian", vendor=True) as box:
    box.wait_state("mine", "ready")
    make_root(box)
    pid = box.pid("mine")

    assert ask(box, "policy", "ssh")["activation"] == "on-demand"
    dry = ask(box, "enable", "ssh", "--dry-run")
    assert not dry["written"] and not dry["svcd_running"] and "ssh" in dry["starts"], dry
    assert not box.exists(ROOT + OURS)

    told = ask(box, "enable", "ssh", "--reason", "for the office")
    assert told["written"] and told["step"] == 1, told
    assert told["services"][0]["to"] == "boot in runlevels 2 3 4 5", told
    policy = ask(box, "policy", "ssh")
    assert policy["activation"] == "boot" and policy["in_runlevel"], policy
    assert any(row["key"] == "Activation" and row["decides"] for row in policy["statements"]), policy
    assert not box.exists("/etc/svcd/policy.d/90-svcctl.policy")

    dry = ask(box, "set", "cron", "boot", "--runlevel", "1", "--runlevel", "5", "--dry-run")
    assert dry["services"][0]["to"] == "boot in runlevels 1 5", dry

    ask(box, "edit", "ssh", "Environment=A=1")
    assert box.exists(f"{ROOT}/etc/svcd/services.d/ssh.svc.d/90-svcctl.conf")
    rows = ask(box, "cat", "--diff")
    assert {row["key"] for row in rows if row["service"] == "ssh"} >= {"Activation", "Environment"}, rows

    refused = box.svcctl("edit", "ssh", "While=service:nobody", "--root", ROOT, check=False)
    assert refused.returncode == 10, refused

    presets = {row["name"]: row for row in ask(box, "policy", "presets")}
    assert "ssh-always" in presets and not presets["ssh-always"]["installed"], presets
    ask(box, "policy", "presets", "ssh-always")
    assert box.exists(f"{ROOT}/etc/svcd/policy.d/ssh-always.policy")

    steps = [row["step"] for row in ask(box, "policy", "log")]
    assert steps == [3, 2, 1], steps
    for _ in steps:
        ask(box, "undo")
    assert ask(box, "policy", "ssh")["activation"] == "on-demand"
    assert not box.exists(f"{ROOT}/etc/svcd/policy.d/ssh-always.policy")

    runlevel = ask(box, "runlevel", "1", "--dry-run")
    assert {"cron", "dbus", "elogind"} <= set(runlevel["stops"]) and runlevel["starts"] == ["rescue"], runlevel
    assert not {"udev", "hwclock", "kmod"} & set(runlevel["stops"]), "services that a boot needs stay"
    check_other_verbs(box)
    assert box.pid("mine") == pid and box.state("mine") == "ready"
    assert "mine" not in box.svcctl("policy", "--root", ROOT, "--all").stdout
