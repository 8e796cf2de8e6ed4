# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Isolate: runs one command so that it leaves nothing on the machine: isolate.py COMMAND ARGUMENT...

Unit tests start real processes and make cgroups. Here they have their own PID namespace. The end of
the namespace kills all processes in it. The cgroup tree of the tests is a leaf of the machine's
tree. That leaf and $TMPDIR are removed afterwards, because a failing test does not clean up.
"""

import os
import signal
import sys
import tempfile
import traceback

import namespaces as ns
from cgroups import Leaf, cgroup2_mount


def exit_like(status):
    """Exit like the child; a signal becomes 128 plus its number, as in a shell."""
    os._exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))


def be_init(argv, mount, leaf):
    """PID 1 of the namespace: starts the command, reaps all children, and ends with the command."""
    ns.die_with_parent(signal.SIGKILL)
    leaf.enter()
    ns.unshare(ns.CLONE_NEWNS | ns.CLONE_NEWCGROUP)
    ns.mount(None, "/", None, ns.MS_REC | ns.MS_PRIVATE)
    ns.mount("proc", "/proc", "proc", ns.MS_NOSUID | ns.MS_NODEV | ns.MS_NOEXEC)
    if mount:
        ns.umount(mount, ns.MNT_DETACH)  # the same file system cannot be mounted twice in one place
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
        os.chmod(scratch, 0o1777)  # with the mode of /tmp, for tests with another user
        os.environ["TMPDIR"] = scratch
        ns.unshare(ns.CLONE_NEWPID)
        init = os.fork()
        if init == 0:
            try:
                be_init(sys.argv[1:], mount, leaf)
            except BaseException:  # only one process may return from here
                traceback.print_exc()
            os._exit(125)
        status = os.waitpid(init, 0)[1]
    exit_like(status)


main()
