#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
The links of a SysV init become policy on a whole Debian root.

The boot and svcctl offer the import. It is done and undone on a tree that is not running. After a
boot the services of the links run.
"""

import os

from sandbox import Sandbox

TREE = "/mnt"  # the Debian of the sandbox as another tree: its /run is not in use
OFFER = "svcctl import --sysv --none"
IMPORTED = "/etc/svcd/policy.d/50-sysv-import.policy"

# An admin's changes: no cron in 2, a local script, a dangling link, and names that are not links.
CHANGE_LINKS = """cd /etc
mv rc2.d/S01cron rc2.d/K01cron
ln -s ../init.d/home-made rc2.d/S05home-made
ln -s ../init.d/x 'rc3.d/S01two
lines'
touch rc2.d/README rc2.d/Ssh rc2.d/S99
"""


def snapshot(box, *trees):
    """Each file with its mode, owner and text."""
    found = " ".join(trees)
    return box.run(f"find {found} -printf '%p %y %m %U:%G %l\\n' 2>/dev/null | sort; "
                   f"find {found} -type f 2>/dev/null | sort | xargs -r cat").stdout


def tree_of(box, *directories):
    """path -> text and mode, for another sandbox."""
    paths = box.run("find", *directories, "-type", "f").stdout.split()
    return {path: {"text": box.read(path), "mode": os.stat(box.path(path)).st_mode & 0o777} for path in paths}


def wanted_by_links(box, runlevel):
    """The services that the links in the directory start; "hwclock.sh" is given by the name of its
    service."""
    names = box.run(f"ls /etc/rc{runlevel}.d | sed -n 's/^S[0-9][0-9]//p'").stdout.split()
    return {name.removesuffix(".sh") for name in names} & set(box.services())


def ask(box, *argv):
    return box.svcctl_json(*argv, "--root", TREE)


def check_offer(box):
    assert box.console().count(OFFER) == 1, "it is offered at boot, once"
    box.svcctl("reload-files")
    box.wait_at_rest()
    assert box.console().count(OFFER) == 1, "files were read again: that is not a boot"
    assert OFFER in box.svcctl("policy").stdout and OFFER in box.svcctl("status").stdout
    assert OFFER not in box.svcctl("policy", "--quiet").stdout
    assert box.svcctl_json("policy")["sysv_import_offered"] is True
    assert ask(box, "policy")["sysv_import_offered"] is True


def check_refusal_is_remembered(box):
    for words in (("log", "--none"), ("import", "--none"), ("cron", "--sysv")):
        assert box.svcctl("policy", *words, check=False).returncode == 2, words
    running = {name: row["pid"] for name, row in box.services().items() if row.get("pid")}
    box.svcctl("import", "--sysv", "--none")
    assert OFFER not in box.svcctl("policy").stdout and OFFER not in box.svcctl("status").stdout
    assert box.svcctl_json("policy")["sysv_import_offered"] is False
    assert {name: row["pid"] for name, row in box.services().items() if row.get("pid")} == running
    box.svcctl("undo")
    assert OFFER in box.svcctl("policy").stdout
    box.run("rm -rf /etc/svcd /var/lib/svcd/policy-history")


def check_import_of_a_tree(box):
    """Run svcctl with --root; returns the written files."""
    box.run("mkdir -p /etc/svcd/policy.d")
    before = snapshot(box, "/etc")
    dry = ask(box, "import", "--sysv", "--dry-run")
    assert {"nginx", "ssh"} <= set(dry["starts"]) and not dry["written"], dry
    assert snapshot(box, "/etc") == before

    told = box.svcctl("import", "--sysv", "--root", TREE).stdout
    assert '"home-made"' in told and "step 1" in told, told
    assert not box.svcctl_json("import", "--sysv", "--root", TREE)["written"], "a second time is not a change"
    text = box.read(IMPORTED)
    sections = dict(part.split("]\n", 1) for part in text.split("\n[runlevel ")[1:])
    assert "Activate=hwclock\n" in sections["S"], text
    assert "Activate=-cron\n" in sections["2"] and "Activate=cron\n" in sections["3"], text
    assert "#   home-made\n" in text and "#   two\\nlines\n" in text, text
    assert box.svcctl("check", "--root", TREE, check=False).returncode == 0
    assert ask(box, "policy")["sysv_import_offered"] is False
    assert "rc2.d" not in box.console(), "what is done below --root is not done to the machine"

    assert [row["command"] for row in ask(box, "policy", "log")] == [f"svcctl import --sysv --root {TREE}"]
    ask(box, "undo")
    assert snapshot(box, "/etc") == before, "undo restores exactly"
    ask(box, "undo", "2")
    assert box.read(IMPORTED) == text, "and an undo can be undone"
    return tree_of(box, "/etc/svcd", "/var/lib/svcd")


def check_boot(files):
    with Sandbox(root="debian", vendor=True, files=files) as box:
        box.wait_state("nginx", "ready")
        box.wait_at_rest()
        links = wanted_by_links(box, "2") - {"cron"} | wanted_by_links(box, "S")
        assert {"nginx", "ssh", "dbus", "elogind", "hwclock", "udev"} <= links, links
        services = box.services()
        assert all(services[name]["wanted"] and services[name]["policy"] == "boot" for name in links), services
        assert not any(services[name]["state"] == "failed" for name in links), services
        assert services["cron"]["state"] == "idle" and not services["cron"]["wanted"], services["cron"]
        others = {name for name, row in services.items() if row["wanted"] and row["policy"] == "boot"} - links
        assert all("/usr/lib/svcd/" in services[name]["policy_origin"] for name in others), others
        assert OFFER not in box.console() + box.svcctl("policy").stdout

        nginx, dbus = box.pid("nginx"), box.pid("dbus")
        told = box.svcctl_json("undo")
        assert "cron" in told["starts"] and "nginx" in told["stops"], told
        box.wait_state("cron", "ready")
        box.wait_state("nginx", "idle")
        assert not box.is_alive(nginx) and box.pid("dbus") == dbus and not box.exists(IMPORTED)
        assert [row["step"] for row in box.svcctl_json("policy", "log")] == [4, 3, 2, 1]


with Sandbox(root="debian", vendor=True) as machine:
    machine.wait_up()
    machine.wait_at_rest()
    machine.run("mount", "--bind", "/", TREE)
    check_offer(machine)
    check_refusal_is_remembered(machine)
    machine.run("/bin/sh", "-c", CHANGE_LINKS)
    policy = check_import_of_a_tree(machine)
check_boot(policy)
