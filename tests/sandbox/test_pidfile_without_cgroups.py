#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Without cgroups a user's PID file that names another child of PID 1 is not trusted (CVE-2018-16888).

The file does not make the service ready, and the process survives each stop of the service, also by
the next manager.
"""

from deadline import wait_for
from sandbox import Sandbox

DAEMON = ("[Service]\nUser=nobody\nReady=fork\nPidFile=/run/{name}/pid\nRuntimeDirectory={name}\nRestart=no\nStartTimeout=3s\n"
          "Exec=/bin/sh -c \"sleep infinity & {daemon}\"\n")
SERVICES = {
    "honest": DAEMON.format(name="honest", daemon="echo $! >/run/honest/pid"),
    # The environment, which identifies a service's processes here, can be removed.
    "bare": DAEMON.format(name="bare", daemon="env -i sleep infinity & echo $! >/run/bare/pid"),
    **{name: DAEMON.format(name=name, daemon=f"cat /run/named-by-{name} >/run/{name}/pid")
       for name in ("names-root", "names-user", "names-service")},
    "victim": "[Service]\nUser=nobody\nExec=/bin/sleep infinity\n",
}


def orphan(box, *user):
    """A process with a dead parent. It is a child of PID 1, like the main process of a service."""
    pid = int(box.run(*user, "/bin/sh", "-c", "sleep infinity </dev/null >/dev/null 2>&1 & echo $!").stdout)
    wait_for(lambda: box.processes()[pid][1] == 1, what="it is a child of PID 1")
    return pid


with Sandbox(SERVICES, missing=("cgroup",), may_mount=False, policy="[runlevel 2]\nActivate=victim\n") as box:
    victim = box.wait_state("victim", "ready")["pid"]
    named = {"names-root": orphan(box), "names-user": orphan(box, "setpriv", "--reuid=daemon", "--clear-groups"), "names-service": victim}
    for name, pid in named.items():
        box.write(f"/run/named-by-{name}", f"{pid}\n")

    for name in ("honest", "bare"):
        box.svcctl("start", name)
        assert box.wait_state(name, "ready")["pid"] == int(box.read(f"/run/{name}/pid")), name

    for name, pid in named.items():
        assert box.svcctl("start", name, check=False).returncode != 0, name
        assert box.wait_state(name, "failed").get("pid") != pid, name
        reason = f"process {pid} " + ("belongs to another service" if name == "names-service" else "belongs to another user")
        assert reason in box.svcctl("explain", name).stdout, box.svcctl("explain", name).stdout

    box.kill_manager()
    for name in SERVICES:
        if name != "victim":
            box.svcctl("stop", name)
    for pid in named.values():
        assert box.is_alive(pid), pid
