#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""User, groups, umask, directory, environment, rlimits, nice and OOM score are exactly those of the
file."""

import json

from deadline import wait_for
from sandbox import Sandbox

REPORT = r"""#!/bin/sh
{
	id -u; id -g; id -G; umask; pwd; ulimit -Sn; ulimit -Hn; ulimit -c
	cut -d' ' -f19 /proc/self/stat; cat /proc/self/oom_score_adj
} >"$1.new"
env >"$1.env"
ls /proc/self/fd | tr '\n' ' ' >"$1.fds"
mv "$1.new" "$1"
exec sleep infinity
"""
FULL = """[Service]
Exec=/usr/local/bin/report /tmp/full
User=www-data
Group=daemon
SupplementaryGroups=adm nogroup
UMask=027
WorkingDirectory=/tmp
Environment=ONE=1 "TWO=two words"
Environment=THREE=3
EnvironmentFile=/etc/extra.env
EnvironmentFile=-/etc/not-there.env
LimitNOFILE=23:456
LimitCORE=0
Nice=7
OOMScoreAdjust=321
"""
PLAIN = "[Service]\nExec=/usr/local/bin/report /tmp/plain\n"


def lines(box, name):
    wait_for(lambda: box.exists(f"/tmp/{name}"), what=f"{name} has reported")
    return box.read(f"/tmp/{name}").split("\n")[:-1]


def environment(box, name):
    return dict(line.split("=", 1) for line in box.read(f"/tmp/{name}.env").splitlines())


with Sandbox({"full": FULL, "plain": PLAIN},
             files={"/usr/local/bin/report": {"text": REPORT, "mode": 0o755},
                    "/etc/extra.env": "# comment\nFROM_FILE=yes\nTHREE=from the file\n"},
             environment={"TERM": "linux", "HOME": "/", "KERNEL_WORD": "leaks"}) as box:
    uid, gid, groups, umask, directory, soft, hard, core, nice, oom = lines(box, "full")
    assert (uid, gid) == ("33", "1"), (uid, gid)
    assert sorted(groups.split()) == sorted(["1", "4", "65534"]), groups
    assert (umask, directory) == ("0027", "/tmp"), (umask, directory)
    assert (soft, hard, core, nice, oom) == ("23", "456", "0", "7", "321"), (soft, hard, core, nice, oom)
    variables = environment(box, "full")
    assert (variables["ONE"], variables["TWO"], variables["FROM_FILE"]) == ("1", "two words", "yes"), json.dumps(variables)

    uid, gid, groups, umask, directory, _soft, _hard, _core, nice, oom = lines(box, "plain")
    assert (uid, gid, groups, umask, directory, nice, oom) == ("0", "0", "0", "0022", "/", "0", "0")
    variables = environment(box, "plain")
    assert "KERNEL_WORD" not in variables, "a service got a variable of the kernel command line"
    assert not [name for name in variables if name.startswith(("G_", "DBUS_", "LD_", "NOTIFY"))], json.dumps(variables)
    # 3 is the directory that ls itself reads.
    assert box.read("/tmp/plain.fds").split() == ["0", "1", "2", "3"], box.read("/tmp/plain.fds")
