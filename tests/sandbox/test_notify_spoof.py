#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""On a notify socket svcd accepts messages only from the service's own processes, and a MAINPID=
only if it is the pid of one of them."""

from deadline import holds_for, wait_for
from sandbox import Sandbox

SENDER = r"""#!/usr/bin/perl
use Socket;
socket(my $s, AF_UNIX, SOCK_DGRAM, 0) or die;
send($s, $ARGV[1], 0, sockaddr_un($ARGV[0] =~ s/^@/\0/r));
"""
VICTIM = "[Service]\nExec=/bin/sh -c \"echo $NOTIFY_SOCKET >/run/socket; exec sleep infinity\"\nReady=notify\n"
# The sender stays alive, because its cgroup is known only while it lives.
CLAIMER = SENDER.replace('$ARGV[1]', '"MAINPID=1"') + """
send($s, "READY=1", 0, sockaddr_un($ARGV[0] =~ s/^@/\\0/r));
sleep 1000;
"""
FOREIGN_MAIN = "[Service]\nExec=/bin/sh -c \"exec claim $NOTIFY_SOCKET\"\nReady=notify\n"

with Sandbox({"victim": VICTIM, "foreign": FOREIGN_MAIN},
             files={"/usr/local/bin/send": {"text": SENDER, "mode": 0o755},
                    "/usr/local/bin/claim": {"text": CLAIMER, "mode": 0o755}}) as box:
    wait_for(lambda: box.exists("/run/socket") and box.read("/run/socket").strip(), what="the socket is known")

    box.run("/usr/local/bin/send", box.read("/run/socket").strip(), "READY=1", check=False)

    holds_for(lambda: box.state("victim") == "starting", 0.5, "a stranger's READY=1 is not believed")
    assert box.wait_state("foreign", "ready")["pid"] != 1
