#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The private socket is root's, by the public one everybody may look: without a bus, and a crowd there costs root nothing."""

from deadline import wait_for
from sandbox import Sandbox

# Holds as many connections as it gets, and says nothing.
FLOOD = r"""#!/usr/bin/perl
use Socket;
$SIG{PIPE} = 'IGNORE'; # whoever is turned away may be so before it has written
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
SLEEP = "[Service]\nExec=/bin/sleep infinity\n"
SERVICES = {
    "a": SLEEP,
    "flood": "[Service]\nExec=/usr/local/bin/flood /run/svcd/private /run/flooding\nReady=path:/run/flooding\n",
    "crowd": "[Service]\nExec=/usr/bin/setpriv --reuid=65533 --clear-groups /usr/local/bin/flood /run/svcd/public /tmp/crowding\nReady=path:/tmp/crowding\n",
}
NOBODY = ("setpriv", "--reuid=65534", "--clear-groups", "--")

# All that only looks. What follows goes on for ever, and is tried by itself.
READ = (
    [], ["list"], ["list", "--all"], ["status", "a"], ["explain"], ["explain", "a"], ["cat", "a"], ["check"], ["graph"],
    ["policy"], ["policy", "a"], ["diff"], ["presets"], ["flag"], ["conditions"], ["wait", "a"], ["runlevel"], ["version"],
    ["audit"], ["audit", "a"], ["is", "up", "a"], ["show", "a"], ["tree"], ["ps"], ["boot"], ["boot", "--wait"], ["boot", "blame"], ["boot", "chain"], ["boot", "dot"],
)
CHANGE = (["start", "a"], ["stop", "a"], ["restart", "a"], ["reload", "a"], ["clear", "a"], ["flag", "set", "x"],
          ["runlevel", "3"], ["reload-files"], ["reexec"], ["poweroff"])

with Sandbox(SERVICES, policy="[runlevel 2]\nActivate=a\n[defaults]\nNewServices=manual\n",
             files={"/usr/local/bin/flood": {"text": FLOOD, "mode": 0o755}}) as box:
    box.wait_state("a", "ready")
    pid = box.pid("a")

    assert not box.exists("/run/dbus/system_bus_socket"), "this is about a machine without a bus"
    for words in READ:
        done = box.run(*NOBODY, "/usr/bin/svcctl", *words, check=False)
        assert done.returncode == 0, (words, done)
        # Times go on, and what a service has written is not for everybody.
        if words[:1] in (["list"], ["cat"], ["policy"], ["graph"]):
            assert done.stdout == box.svcctl(*words).stdout, (words, done)
    for words in CHANGE:
        done = box.run(*NOBODY, "/usr/bin/svcctl", *words, check=False)
        assert done.returncode == 7 and "uid 65534 may not" in done.stderr and "sudo svcctl" in done.stderr, (words, done)
    # What no service looks at is nothing for him: it could be a file in a directory that he may not see.
    done = box.run(*NOBODY, "/usr/bin/svcctl", "wait", "path:/root/secret", "-t", "0", check=False)
    assert done.returncode == 7, done
    done = box.run(*NOBODY, "/usr/bin/env", "SVCD_PRIVATE=/run/svcd/private", "/usr/bin/svcctl", "list", check=False)
    assert done.returncode == 7, done

    # Both are kept over a manager.
    box.kill_manager()
    assert box.run(*NOBODY, "/usr/bin/svcctl", "list").returncode == 0
    assert box.pid("a") == pid

    # One user takes his share of the public socket, and the next one still gets in; nobody keeps root out.
    box.svcctl("start", "crowd")
    wait_for(lambda: box.run(*NOBODY, "/usr/bin/svcctl", "list", check=False).returncode == 0, what="another user is let in")
    box.svcctl("stop", "crowd")
    box.svcctl("start", "flood")
    box.svcctl("stop", "flood")
    assert box.pid("a") == pid
