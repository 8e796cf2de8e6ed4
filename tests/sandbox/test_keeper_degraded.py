#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
PID 1 without clone3(2) (as in Docker and Podman), without devices, without a cgroup for the
manager, or without its old tables.

The machine boots, and its services start and stop as usual.
"""

import contextlib
import os
import re
import signal
import subprocess

from deadline import wait_for
from sandbox import Sandbox

SERVICES = {
    "a": "[Service]\nExec=/bin/sleep infinity\n",
    "bad": "[Service]\nExec=/no/such/program\nRestart=no\n",
}
POLICY = "[runlevel 2]\nActivate=a\n"
# The sanitizers need /proc.
STAGE_BARE = os.environ["SVCD_BUILDS"] + "/stage-bare"


def strace(*options):
    return ("/usr/bin/strace", "-D", "-qq", "-o", "/trace", *options, "/sbin/svcd")


@contextlib.contextmanager
def tracing(box, *faults, path=None):
    """strace(1) attached to PID 1 makes these calls fail, or only those about @path."""
    options = [word for fault in faults for word in ("-e", f"inject={fault}")] + (["-P", path] if path else [])
    calls = ",".join(fault.partition(":")[0] for fault in faults)
    with subprocess.Popen(["strace", "-qq", "-o", "/dev/null", "-p", str(box.pid1), "-e", f"trace={calls}", *options],
                          stdin=subprocess.DEVNULL) as process:
        try:
            wait_for(lambda: tracer_of(box.pid1) == process.pid, what="strace is attached to PID 1")
            yield
        finally:
            process.terminate()


def tracer_of(pid):
    with open(f"/proc/{pid}/status", encoding="utf-8") as status:
        return int(re.search(r"^TracerPid:\s+(\d+)", status.read(), re.MULTILINE)[1])


def cgroup_of(box, inner):
    return box.run("cat", f"/proc/{inner}/cgroup").stdout.strip().rpartition("0::")[2]


def works(box):
    """Services start, stop, fail with their reason, and continue when the manager dies."""
    box.wait_up()
    pid = box.wait_state("a", "ready")["pid"]
    box.svcctl("start", "bad", check=False)
    wait_for(lambda: "/no/such/program" in box.svcctl("explain", "bad").stdout, what="the failure is known")
    box.kill_manager()
    box.wait_up()
    assert box.pid("a") == pid
    box.svcctl("stop", "a")
    box.wait_state("a", "idle")
    box.svcctl("start", "a")
    return box.wait_state("a", "ready")["pid"]


def without_clone3():
    fault = strace("-e", "trace=clone3", "-e", "inject=clone3:error=ENOSYS")
    with Sandbox(SERVICES, policy=POLICY, init=fault, expect_crash=True) as box:
        pid = works(box)
        assert cgroup_of(box, pid).endswith("/svcd/a"), cgroup_of(box, pid)
        with open(f"/proc/{box.manager_pid()}/cgroup", encoding="utf-8") as cgroup:
            assert cgroup.read().strip().endswith("/svcd/.manager")
        assert "ENOSYS" in box.read("/trace")


def without_devices():
    """PID 1 opens a directory as descriptors 0, 1 and 2, so the link to the manager cannot become
    standard output. The overlong path of the manager is ignored."""
    faults = ("-e", "trace=openat", "-P", "/dev/null", "-P", "/dev/console", "-e", "inject=openat:error=ENOENT")
    init = strace(*faults) + ("--manager=/" + "x" * 600,)
    with Sandbox(SERVICES, policy=POLICY, init=("/bin/sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", *init), expect_crash=True) as box:
        works(box)
        for fd in range(3):
            assert os.readlink(f"/proc/{box.pid1}/fd/{fd}") == os.readlink(f"/proc/{box.pid1}/root"), fd


def without_the_managers_cgroup():
    with Sandbox(SERVICES, policy=POLICY) as box:
        box.wait_state("a", "ready")
        directory = "/sys/fs/cgroup" + cgroup_of(box, "self").rpartition("/svcd/")[0] + "/svcd/.manager"
        os.kill(box.pid1, signal.SIGSTOP)
        box.kill_manager(wait=False)
        wait_for(lambda: box.run("rmdir", directory, check=False).returncode == 0, what="the cgroup is gone")
        os.kill(box.pid1, signal.SIGCONT)
        box.wait_console("starting it in the cgroup of svcd")
        works(box)


def without_tables():
    """PID 1 executed itself after a fault, and its tables are damaged. It closes the stored
    descriptors, and uses the same cgroups as before."""
    root = "/sys/fs/cgroup$(sed -n s/^0:://p /proc/self/cgroup)"
    enter = f"mkdir -p {root}/svcd/.keeper; echo 0 >{root}/svcd/.keeper/cgroup.procs; exec /sbin/svcd --reexec=9 9</etc/passwd 8</etc/passwd"
    with Sandbox(SERVICES, policy=POLICY, init=("/bin/sh", "-c", enter)) as box:
        pid = works(box)
        assert "cannot read the tables of the old image" in box.console()
        assert cgroup_of(box, pid).count("svcd/") == 1, cgroup_of(box, pid)
        held = [os.readlink(f"/proc/{box.pid1}/fd/{fd}") for fd in os.listdir(f"/proc/{box.pid1}/fd")]
        assert not [path for path in held if path.endswith("/etc/passwd")], held


def too_deep():
    """PID 1 starts in a cgroup with an overlong path: it reports the path, and uses no cgroups."""
    root = "/sys/fs/cgroup$(sed -n s/^0:://p /proc/self/cgroup)"
    deep = f"{root}/" + "d" * 200
    enter = f"mkdir -p {deep}; echo 0 >{deep}/cgroup.procs; exec /sbin/svcd"
    with Sandbox(SERVICES, policy=POLICY, init=("/bin/sh", "-c", enter)) as box:
        box.wait_state("a", "ready")
        assert "the path of the cgroup of svcd is longer than" in box.console()


def impatient(box):
    """Repeated ctrl-alt-del: the keeper shuts down the machine alone."""
    def press():
        try:
            os.kill(box.pid1, signal.SIGINT)
        except ProcessLookupError:
            return True
        return not os.path.exists(f"/proc/{box.pid1}/exe")
    wait_for(press, what="the machine has ended")
    return box.wait_end()


def without_proc():
    """/proc is an empty directory. Processes still get their signals to end."""
    says = "[Service]\nExec=/bin/sh -c \"trap 'echo heard TERM >/dev/console; exit 0' TERM; while :; do sleep 0.1; done\"\n"
    with Sandbox({"a": says}, stage=STAGE_BARE, missing=("proc",), may_mount=False, expect_crash=True) as box:
        box.wait_state("a", "ready")
        os.kill(box.manager_pid(), signal.SIGSTOP)
        impatient(box)
        assert "heard TERM" in box.console()


def without_a_way_to_itself():
    """PID 1 cannot execute itself, or the installed image never answers: it continues as it is."""
    with Sandbox(SERVICES, policy=POLICY, expect_crash=True) as box:
        pid = box.wait_state("a", "ready")["pid"]
        with tracing(box, "execve:error=ENOMEM"):
            box.svcctl("reexec", check=False)
            box.wait_console("cannot execute svcd again: ")
            box.wait_up()
        box.run("rm /usr/sbin/svcd; printf '#!/bin/sh\\nexec sleep 100\\n' >/usr/sbin/svcd; chmod 755 /usr/sbin/svcd")
        box.svcctl("reexec", check=False)
        box.wait_console("cannot take over")
        box.wait_up()
        assert box.pid("a") == pid


def without_a_memfd():
    """Everything works except the next reexec."""
    with Sandbox(SERVICES, policy=POLICY, init=strace("-e", "inject=memfd_create:error=ENOSYS"), expect_crash=True) as box:
        pid = works(box)
        box.svcctl("reexec", check=False)
        box.wait_console("svcd cannot execute itself again")
        box.wait_up()
        assert box.pid("a") == pid


def without_memory_for_a_moment():
    """The new image cannot map the tables at first."""
    with Sandbox(SERVICES, policy=POLICY, expect_crash=True) as box:
        pid = box.wait_state("a", "ready")["pid"]
        with tracing(box, "mmap:error=ENOMEM:when=1..3", path="/memfd:svcd-memory"):
            box.svcctl("reexec", check=False)
            box.wait_console("no memory to map the tables")
            box.wait_up()
        assert box.pid("a") == pid
        assert "damaged" not in box.console()


def without_a_right_to_reboot():
    """If PID 1 can neither reboot nor start svc-finale, it ends by its own exit."""
    with Sandbox(SERVICES, policy=POLICY, expect_crash=True) as box:
        box.wait_state("a", "ready")
        with tracing(box, "reboot:error=EPERM", "clone3:error=EAGAIN"):
            assert impatient(box) == 0
        assert "cannot start svc-finale" in box.console()


for case in (without_proc, without_a_way_to_itself, without_a_memfd, without_memory_for_a_moment, without_a_right_to_reboot, without_clone3, without_devices,
             without_the_managers_cgroup, without_tables, too_deep):
    print(case.__name__, flush=True)
    case()
