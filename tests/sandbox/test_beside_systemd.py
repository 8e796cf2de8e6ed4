#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A machine with svcd beside systemd boots and shuts down with systemd as if svcd were not
installed."""

import os
import shutil
import tempfile

import peers
from deadline import wait_for

SERVICES = {"first": [], "second": ["first"]}


def merged(directory, *trees):
    """Make one /usr from the packages of all @trees."""
    for tree in trees:
        shutil.copytree(tree, directory, symlinks=True, dirs_exist_ok=True, copy_function=os.link)
    return directory


with tempfile.TemporaryDirectory(dir=os.path.dirname(os.environ["SVCD_STAGE"])) as both:
    peer = peers.Peer("systemd")
    peer.layer = merged(both, os.environ["SVCD_STAGE"], peer.layer)
    with peer.sandbox(SERVICES) as box:
        wait_for(lambda: os.path.getsize(box.path(peers.NOTES)) == 8 * len(SERVICES), what="systemd has started both services")
        assert box.read("/proc/1/comm").strip() == "systemd"
        assert box.exists("/usr/sbin/svcd") and box.exists("/usr/lib/svcd/svcd-manager")
        assert not [row for row in box.processes().values() if row[2].startswith("svc")], box.processes()
        said = box.svcctl("status", check=False)
        assert said.returncode != 0 and said.stderr, said
        box.run("systemctl", "poweroff", "--force", "--force", check=False)
        box.wait_end()
