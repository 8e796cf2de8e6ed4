# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Isolate: runs one command so that nothing of it is left on the machine: isolate.py COMMAND ARGUMENT...

Unit tests start real processes and make cgroups. In here they have a PID namespace of their own, which takes the processes
along when it ends, and the cgroup tree that they see is a leaf of the machine's, which is removed afterwards. So is $TMPDIR: a
test that fails does not get to its own tidying up.
"""

import os
import signal
import sys
import tempfile
import traceback

import namespaces as ns
from cgroups import Leaf, cgroup2_mount


def exit_like(status):
    """End as the child did; a signal as 128 and its number, as a shell would say it."""
    os._exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))


def be_init(argv, mount, leaf):
    """PID 1 of the namespace: starts the command, reaps whoever comes, and ends with it."""
    ns.die_with_parent(signal.SIGKILL)
    leaf.enter()
    ns.unshare(ns.CLONE_NEWNS | ns.CLONE_NEWCGROUP)
    ns.mount(None, "/", None, ns.MS_REC | ns.MS_PRIVATE)
    ns.mount("proc", "/proc", "proc", ns.MS_NOSUID | ns.MS_NODEV | ns.MS_NOEXEC)
    if mount:
        ns.umount(mount, ns.MNT_DETACH)  # one file system is not mounted twice in one place
        ns.mount("cgroup2", mount, "cgroup2")
    command = os.fork()
    if command == 0:
        os.execvp(argv[0], argv)
    while True:
        pid, status = os.wait()
        if pid == command:
            exit_like(status)


def main():
    mount = cgroup2_mount()
    with Leaf(mount) as leaf, tempfile.TemporaryDirectory(prefix="svcd-unit-", ignore_cleanup_errors=True) as scratch:
        os.chmod(scratch, 0o1777)  # as /tmp: some tests are somebody else
        os.environ["TMPDIR"] = scratch
        ns.unshare(ns.CLONE_NEWPID)
        init = os.fork()
        if init == 0:
            try:
                be_init(sys.argv[1:], mount, leaf)
            except BaseException:  # whatever it was, there may be only one that returns from here
                traceback.print_exc()
            os._exit(125)
        status = os.waitpid(init, 0)[1]
    exit_like(status)


main()
