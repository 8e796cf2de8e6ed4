#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Init scripts come, go and get new links while svcd runs: new ones are started, and the daemons of
removed ones are stopped."""

from deadline import wait_for
from sandbox import Sandbox

SCRIPT = """#!/bin/sh
### BEGIN INIT INFO
# Provides: {name}
# Required-Start:
# Required-Stop:
# Default-Start: 2
# Default-Stop: 0 1 6
# Short-Description: a test
### END INIT INFO
PIDFILE=/run/{name}.pid
case "$1" in
start)
	sleep 1000{number} &
	echo $! >$PIDFILE
	;;
stop)
	kill "$(cat $PIDFILE)"
	echo {name} >>/run/said
	;;
esac
"""


def script(name, number):
    return {"text": SCRIPT.format(name=name, number=number), "mode": 0o755}


def daemon(box, name):
    """The process of the script."""
    return wait_for(lambda: box.exists(f"/run/{name}.pid") and box.pid(name), what=f"{name} has a main process")


with Sandbox({}, policy="[defaults]\nRcLinks=yes\n",
             files={"/etc/init.d/keeps": script("keeps", 1), "/etc/init.d/goes": script("goes", 2)}) as box:
    # No script has a link, so the headers decide which scripts are wanted.
    box.wait_states({"keeps": "ready", "goes": "ready"})
    pid = daemon(box, "goes")

    # A package is removed with its script while its daemon runs. The service is not wanted any
    # more, so the daemon is stopped.
    box.remove("/etc/init.d/goes")
    box.svcctl("reload-files")
    wait_for(lambda: not box.is_alive(pid), what="the daemon of a script that is gone has stopped")
    assert not box.exists("/run/said"), "the script that is gone was run"
    wait_for(lambda: "goes" not in box.services(), what="the service of the removed script is forgotten")

    # A script is installed.
    box.write("/etc/init.d/comes", SCRIPT.format(name="comes", number=3), mode=0o755)
    box.svcctl("reload-files")
    box.wait_state("comes", "ready")
    pid = daemon(box, "comes")

    # The first link: from now on only links decide, and this link names another script.
    box.run("/bin/mkdir", "-p", "/etc/rc2.d")
    box.run("/bin/ln", "-s", "../init.d/keeps", "/etc/rc2.d/S01keeps")
    box.svcctl("reload-files")
    wait_for(lambda: not box.is_alive(pid), what="a script that no link names has stopped")
    assert box.read("/run/said") == "comes\n", box.read("/run/said")
    assert box.state("keeps") == "ready"
    assert "rc-links" in box.svcctl("policy", "keeps").stdout
