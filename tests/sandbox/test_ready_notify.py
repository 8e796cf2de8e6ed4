#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Ready=notify: the service is ready at READY=1 on the notify socket, which keeps messages while
there is no manager."""

import os
import signal

from deadline import wait_for
from sandbox import Sandbox

SENDER = r"""#!/usr/bin/perl
use Socket;
my $path = $ENV{NOTIFY_SOCKET} or die "no NOTIFY_SOCKET\n";
socket(my $s, AF_UNIX, SOCK_DGRAM, 0) or die;
my $to = sockaddr_un($path =~ s/^@/\0/r);
send($s, "STATUS=getting up", 0, $to) or die "send: $!\n";
select(undef, undef, undef, 0.05) while !-e "/run/go";
send($s, "READY=1\nSTATUS=at your service", 0, $to) or die "send: $!\n";
open(my $f, ">", "/run/sent"); close($f);
sleep 1000;
"""
TEXT = "[Service]\nExec=/usr/local/bin/notifier\nReady=notify\n"

with Sandbox({"a": TEXT}, files={"/usr/local/bin/notifier": {"text": SENDER, "mode": 0o755}}) as box:
    wait_for(lambda: "getting up" in box.svcctl("status", "a", check=False).stdout, what="its status text is shown")
    assert box.state("a") == "starting"

    # Without the manager the datagram waits in the socket.
    os.kill(box.manager_pid(), signal.SIGSTOP)
    box.write("/run/go", "")
    wait_for(lambda: box.exists("/run/sent"), what="READY=1 was sent")
    box.kill_manager(signal.SIGKILL)

    box.wait_state("a", "ready")
    assert "at your service" in box.svcctl("status", "a").stdout
