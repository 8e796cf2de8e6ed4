#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Ready=fork with PidFile=: the service is ready when the first process has exited, and the daemon
is the main process."""

from sandbox import Sandbox

FORKS = "/bin/sh -c \"sleep infinity & echo $! >/run/daemon.pid\""
LIES = "/bin/sh -c \"sleep infinity & echo 1 >/run/liar.pid\""
SERVICES = {
    "daemon": f"[Service]\nExec={FORKS}\nReady=fork\nPidFile=/run/daemon.pid\n",
    # A file that names a process outside the service's cgroup is not trusted.
    "liar": f"[Service]\nExec={LIES}\nReady=fork\nPidFile=/run/liar.pid\nStartTimeout=3s\nRestart=no\n",
    # The daemon ends before svcd finds it, so no process is left to become ready.
    "leaver": "[Service]\nExec=/bin/sh -c \"sh -c 'exit 1' & echo $! >/run/leaver.pid; wait\"\nReady=fork\nPidFile=/run/leaver.pid\n",
    "nobody": "[Service]\nExec=/bin/true\nReady=fork\nPidFile=/run/nobody.pid\n",
}

with Sandbox(SERVICES) as box:
    for name in ("leaver", "nobody"):
        box.wait_state(name, "failed")
        told = box.svcctl("explain", name, check=False).stdout
        assert "left none behind" in told, told
    box.wait_state("daemon", "ready")
    pid = int(box.read("/run/daemon.pid"))
    assert box.wait_state("daemon", "ready")["pid"] == pid
    assert box.processes()[pid][1] == 1

    box.kill_manager()
    assert box.wait_state("daemon", "ready")["pid"] == pid

    box.svcctl("stop", "daemon")
    box.wait_state("daemon", "idle")
    assert not box.is_alive(pid)
    assert box.service("liar").get("pid") != 1
    assert box.read("/proc/1/comm").strip() == "svcd"
