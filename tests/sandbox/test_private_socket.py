#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The private socket is root's: another user is turned away, and a client that floods it costs the others nothing."""

from sandbox import Sandbox

FLOOD = r"""#!/usr/bin/perl
use Socket;
my @open;
for (1 .. 200) {
	socket(my $s, AF_UNIX, SOCK_STREAM, 0) or last;
	connect($s, sockaddr_un("/run/svcd/private")) or last;
	syswrite($s, "\0" . ("x" x 4000));
	push @open, $s;
}
open(my $f, ">", "/run/flooding"); close($f);
sleep 1000;
"""

with Sandbox({"a": "[Service]\nExec=/bin/sleep infinity\n", "flood": "[Service]\nExec=/usr/local/bin/flood\nReady=path:/run/flooding\n"},
             policy="[runlevel 2]\nActivate=a\n", files={"/usr/local/bin/flood": {"text": FLOOD, "mode": 0o755}}) as box:
    box.wait_state("a", "ready")

    done = box.run("setpriv", "--reuid=65534", "--clear-groups", "/usr/bin/svcctl", "list", check=False)
    assert done.returncode in (7, 9), done

    pid = box.pid("a")
    box.svcctl("start", "flood")
    box.wait_state("flood", "ready")
    box.svcctl("stop", "flood")
    box.wait_state("flood", "idle")
    assert box.pid("a") == pid
