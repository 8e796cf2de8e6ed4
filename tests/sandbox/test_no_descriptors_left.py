#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The manager has no descriptors left: clients are refused, nothing spins, and it recovers without
a restart."""

import resource

from deadline import wait_for
from sandbox import Sandbox

HOLDER = r"""#!/usr/bin/perl
use Socket;
my @open;
for (1 .. 60) {
	socket(my $s, AF_UNIX, SOCK_STREAM, 0) or last;
	connect($s, sockaddr_un("/run/svcd/private")) or last;
	push @open, $s;
}
open(my $f, ">", "/run/holding"); close($f);
sleep 1000;
"""


def cpu_ticks(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])


with Sandbox({"a": "[Service]\nExec=/bin/sleep infinity\n", "holder": "[Service]\nExec=/usr/local/bin/holder\n"},
             policy="[runlevel 2]\nActivate=a\n", files={"/usr/local/bin/holder": {"text": HOLDER, "mode": 0o755}}) as box:
    pid = box.wait_state("a", "ready")["pid"]
    manager = box.manager_pid()
    soft, hard = resource.prlimit(manager, resource.RLIMIT_NOFILE)
    box.svcctl("start", "holder")
    resource.prlimit(manager, resource.RLIMIT_NOFILE, (24, hard))
    wait_for(lambda: box.exists("/run/holding"), what="the clients are connected")

    before = cpu_ticks(manager)
    refused = box.svcctl("list", "--timeout", "2", check=False, timeout=30)
    assert refused.returncode in (0, 6, 9), refused
    assert cpu_ticks(manager) - before < 150, "the manager spins while it has no descriptors"
    assert box.manager_pid() == manager

    resource.prlimit(manager, resource.RLIMIT_NOFILE, (soft, hard))
    box.kill([inner for inner, row in box.processes().items() if row[2] == "holder"][0])
    box.wait_up()
    assert box.manager_pid() == manager
    assert box.pid("a") == pid
