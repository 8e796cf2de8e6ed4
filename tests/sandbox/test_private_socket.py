#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
The private socket is for root with root's capabilities; users cannot connect.

uid 0 without capabilities cannot connect either, or is disconnected before anything is read. Root
does not need a bus, and root's own connections, however many, do not lock root out.
"""

from deadline import wait_for
from sandbox import Sandbox

# Holds as many connections as possible, and sends nothing.
FLOOD = r"""#!/usr/bin/perl
use Socket;
$SIG{PIPE} = 'IGNORE'; # a refused client may be disconnected before it has written
my ($path, $mark) = @ARGV;
my @open;
for (1 .. 200) {
	socket(my $s, AF_UNIX, SOCK_STREAM, 0) or last;
	connect($s, sockaddr_un($path)) or last;
	syswrite($s, "\0" . ("x" x 4000));
	push @open, $s;
}
open(my $f, ">", $mark); close($f);
sleep 1000;
"""
# Connects, sends a descriptor if the kernel permits it, and prints the result.
KNOCK = r"""#!/usr/bin/python3
import os, socket, sys
s = socket.socket(socket.AF_UNIX)
s.settimeout(20)
greeting = b"\0AUTH EXTERNAL 30\r\n"
try:
    s.connect("/run/svcd/private")
except PermissionError:
    sys.exit("denied")
try:
    try:
        socket.send_fds(s, [greeting], [os.pipe()[0]])
    except PermissionError: # SO_PASSRIGHTS is off
        s.send(greeting)
    sys.exit(s.recv(100)[:2].decode() or "closed")
except (BrokenPipeError, ConnectionResetError):
    sys.exit("closed")
"""
SLEEP = "[Service]\nExec=/bin/sleep infinity\n"
SERVICES = {
    "a": SLEEP,
    "flood": "[Service]\nExec=/usr/local/bin/flood /run/svcd/private /run/flooding\nReady=path:/run/flooding\n",
}
NOBODY = ("setpriv", "--reuid=65534", "--clear-groups", "--")
BOXED = ("setpriv", "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs", "--")
NO_ADMIN = ("setpriv", "--bounding-set=-sys_admin", "--inh-caps=-all", "--")

with Sandbox(SERVICES, policy="[runlevel 2]\nActivate=a\n[defaults]\nNewServices=manual\n",
             files={"/usr/local/bin/flood": {"text": FLOOD, "mode": 0o755},
                    "/usr/local/bin/knock": {"text": KNOCK, "mode": 0o755}}) as box:
    box.wait_state("a", "ready")
    pid = box.pid("a")

    assert not box.exists("/run/dbus/system_bus_socket"), "the machine must not have a bus"
    assert not box.exists("/run/svcd/public")
    for who, answer in (((), "OK"), (NOBODY, "denied"), (BOXED, "denied"), (NO_ADMIN, "closed")):
        done = box.run(*who, "/usr/local/bin/knock", check=False)
        assert done.stderr == f"{answer}\n", (who, done)
    box.wait_console("may not use the private socket: the process does not have the capabilities of root")

    for words in (["list"], ["status", "a"], ["explain", "a"], ["stop", "a"], ["monitor"]):
        done = box.run(*NOBODY, "/usr/bin/svcctl", *words, check=False)
        assert done.returncode == 7 and "only root can use svcd now" in done.stderr and f"svcctl {' '.join(words)}" in done.stderr, (words, done)
        for who in (BOXED, NO_ADMIN):
            done = box.run(*who, "/usr/bin/svcctl", *words, check=False)
            assert done.returncode == 7 and "CAP_SYS_ADMIN" in done.stderr, (words, done)
    done = box.run(*NOBODY, "/usr/bin/env", "SVCD_PRIVATE=/run/svcd/./private", "/usr/bin/svcctl", "list", check=False)
    assert done.returncode == 7 and "only root may" in done.stderr, done

    # The socket survives a replacement of the manager.
    box.kill_manager()
    assert box.svcctl("list").returncode == 0
    assert box.pid("a") == pid

    # Root's own connections are an obstacle only until their time limit for authentication.
    box.svcctl("start", "flood")
    box.svcctl("stop", "flood")
    assert box.pid("a") == pid

# In a container without CAP_SYS_ADMIN all capabilities of PID 1 are required.
with Sandbox(SERVICES, policy="[runlevel 2]\nActivate=a\n[defaults]\nNewServices=manual\n", may_mount=False,
             files={"/usr/local/bin/knock": {"text": KNOCK, "mode": 0o755}}) as box:
    box.wait_state("a", "ready")
    for who, answer in (((), "OK"), (BOXED, "denied"), (("setpriv", "--bounding-set=-chown", "--inh-caps=-all", "--"), "closed")):
        done = box.run(*who, "/usr/local/bin/knock", check=False)
        assert done.stderr == f"{answer}\n", (who, done)
