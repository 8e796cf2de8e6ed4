#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
dpkg replaces svcd's own files and is killed in the middle, again and again: services continue, and
reexec completes the upgrade.

svcctl doctor reports an outdated svcd, and after the upgrade svcctl reexec replaces it. No service
is touched.
"""

import random
import subprocess
import time

from deadline import wait_for
from sandbox import Sandbox

ROUNDS = 8
NAMES = [f"s{number}" for number in range(5)]
SERVICES = {name: "[Service]\nExec=/bin/sleep infinity\n" for name in NAMES}

# The package has svcd's programs, and some ballast so that dpkg does not finish at once.
BUILD = """
tree=/root/svcd-{n}; mkdir -p $tree/DEBIAN $tree/usr/share/svcd-ballast
for file in /usr/sbin/svcd /usr/bin/svcctl /usr/lib/svcd/svcd-manager /usr/lib/svcd/svc-exec /usr/lib/svcd/svc-logger; do
    cp -a --parents $file $tree
done
for i in $(seq 300); do echo "{n} $i" >$tree/usr/share/svcd-ballast/$i; done
printf 'Package: svcd-test\\nVersion: {n}\\nArchitecture: all\\nMaintainer: nobody <root@localhost>\\nDescription: svcd\\n' >$tree/DEBIAN/control
dpkg-deb --build -Znone --root-owner-group $tree $tree.deb
"""


def pids(box):
    return {name: box.pid(name) for name in NAMES}


def versions(box):
    """The findings of doctor about the files, each with a command."""
    data = box.svcctl_json("doctor", check=False)["data"]
    return [one for one in data if one["check"] == "versions" and one["level"] != "ok"]


chance = random.Random(1)
with Sandbox(SERVICES, root="debian", mounts=("sys",)) as box:
    box.wait_states({name: "ready" for name in NAMES})
    before = pids(box)
    for number in (1, 2):
        box.run("/bin/sh", "-c", BUILD.format(n=number))
    n_killed = 0
    for number in range(ROUNDS):
        package = f"/root/svcd-{number % 2 + 1}.deb"
        dpkg = subprocess.Popen(box.command(["dpkg", "--force-unsafe-io", "--install", package]), stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(chance.random() * 0.4)
        box.run("pkill", "-KILL", "-x", "dpkg", check=False)
        n_killed += dpkg.wait() != 0
        # svcctl itself always exists, in one version or the other, because dpkg renames files.
        assert box.svcctl("list").returncode == 0
        assert pids(box) == before, number
    box.run("dpkg", "--force-unsafe-io", "--install", "/root/svcd-2.deb", timeout=120)
    found = versions(box)
    assert found and "svcctl reexec" in str(found), found
    assert "svcd was replaced on disk" in box.svcctl("status").stdout
    old = box.manager_pid()
    box.svcctl("reexec")
    wait_for(lambda: box.manager_pid() not in (0, old), what="there is another manager")
    assert pids(box) == before and not versions(box) and "replaced on disk" not in box.svcctl("status").stdout
    print(f"dpkg was killed in {n_killed} of {ROUNDS} upgrades")
