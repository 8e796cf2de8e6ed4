#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
take-over replaces Debian's commands with svcd's and restores them, also on another tree.

sysvinit-core is installed before, in between or not at all. A change of another tree does not
touch the running system.
"""

import debs
from sandbox import Sandbox, debian_root

TAKE_OVER = "/usr/lib/svcd/sysv/take-over"
ESSENTIAL = ("/usr/sbin/service", "/usr/sbin/invoke-rc.d", "/usr/sbin/update-rc.d")
SYSVINIT = ("/sbin/telinit", "/sbin/runlevel", "/sbin/shutdown", "/sbin/halt", "/sbin/poweroff", "/sbin/reboot")
TREE = "/tree"


def target(box, path):
    return box.run("readlink", path, check=False).stdout.strip()


def taken(box, root=""):
    """Each command is svcd's, and can be run."""
    for path in ESSENTIAL + SYSVINIT:
        assert target(box, root + path) == f"/usr/lib/svcd/sysv/{path.rsplit('/', 1)[1]}", path
    assert target(box, f"{root}/usr/sbin/policy-rc.d") == "/etc/alternatives/policy-rc.d"
    assert target(box, f"{root}/etc/alternatives/policy-rc.d") == "/usr/lib/svcd/sysv/policy-rc.d"


def given_back(box, root="", has_sysvinit=False):
    for path in ESSENTIAL:
        assert box.exists(root + path) and not target(box, root + path), path
    for path in SYSVINIT:
        assert box.exists(root + path) == has_sysvinit and "svcd" not in target(box, root + path), path
    assert not box.exists(f"{root}/usr/sbin/policy-rc.d")
    assert "svcd" not in box.run("dpkg-divert", "--root", root or "/", "--list").stdout


def sums(box):
    return box.run("md5sum " + " ".join(ESSENTIAL)).stdout


def dpkg(box, *argv):
    box.run("env", "DEBIAN_FRONTEND=noninteractive", "dpkg", "--force-depends", *argv, timeout=120)


def another_tree(box):
    box.run(f"""
        mkdir -p {TREE}/usr/sbin {TREE}/usr/lib {TREE}/sbin {TREE}/etc/alternatives {TREE}/var/log
        mkdir -p {TREE}/var/lib/dpkg/info {TREE}/var/lib/dpkg/updates {TREE}/var/lib/dpkg/alternatives
        cp -a /usr/lib/svcd {TREE}/usr/lib
        cp -a /var/lib/dpkg/status {TREE}/var/lib/dpkg
        cp -a {' '.join(ESSENTIAL)} {TREE}/usr/sbin""")
    box.run(TAKE_OVER, "--root", TREE)
    box.run(TAKE_OVER, "--root", f"{TREE}/")
    taken(box, TREE)
    given_back(box)
    box.run(TAKE_OVER, "--back", "--root", TREE)
    given_back(box, TREE)


files = debs.files(debs.fetch(debian_root(), ["sysvinit-core"]), "/debs")
with Sandbox(root="debian", vendor=True, files=files, mounts=("sys",)) as machine:
    machine.wait_up()
    before = sums(machine)
    assert machine.run(TAKE_OVER, "--nonsense", check=False).returncode == 2
    another_tree(machine)

    machine.run(TAKE_OVER)
    machine.run(TAKE_OVER)
    taken(machine)
    machine.run("dpkg --unpack --force-depends /debs/sysvinit-core.deb /debs/all/*.deb", timeout=120)
    machine.run("dpkg --configure --force-depends -a", timeout=120)
    taken(machine)
    assert machine.run("runlevel").stdout == "N 2\n"
    machine.run(TAKE_OVER, "--back")
    given_back(machine, has_sysvinit=True)
    machine.run(TAKE_OVER, "--back")
    assert sums(machine) == before
    machine.run(TAKE_OVER)
    taken(machine)
    assert machine.is_running() and machine.state("dbus") == "ready"
    dpkg(machine, "--purge", "sysvinit-core")
    taken(machine)
    machine.run(TAKE_OVER, "--back")
    given_back(machine)
    assert sums(machine) == before
