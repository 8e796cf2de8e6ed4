# SPDX-License-Identifier: LGPL-2.1-or-later
"""Namespaces: the few system calls that the Python library of Debian 12 lacks."""

import ctypes
import os

CLONE_NEWNS = 0x00020000
CLONE_NEWCGROUP = 0x02000000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000

MS_RDONLY = 1
MS_NOSUID = 2
MS_NODEV = 4
MS_NOEXEC = 8
MS_REMOUNT = 32
MS_BIND = 4096
MS_REC = 16384
MS_PRIVATE = 1 << 18

MNT_DETACH = 2

PR_SET_PDEATHSIG = 1
PR_CAPBSET_DROP = 24

# The numbers of include/uapi/linux/capability.h.
CAP_SYS_MODULE = 16
CAP_SYS_RAWIO = 17
CAP_SYS_ADMIN = 21
CAP_SYS_TIME = 25
CAP_SYSLOG = 34
CAP_WAKE_ALARM = 35

SYS_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41, "riscv64": 41}

_libc = ctypes.CDLL(None, use_errno=True)


def _check(result, what):
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{what}: {os.strerror(error)}")
    return result


def _bytes(text):
    return None if text is None else os.fsencode(text)


def unshare(flags):
    _check(_libc.unshare(ctypes.c_int(flags)), "unshare")


def mount(source, target, fstype=None, flags=0, data=None):
    _check(_libc.mount(_bytes(source), _bytes(target), _bytes(fstype), ctypes.c_ulong(flags), _bytes(data)),
           f"mount {fstype or 'bind'} on {target}")


def umount(target, flags=0):
    _check(_libc.umount2(_bytes(target), ctypes.c_int(flags)), f"umount {target}")


def pivot_root(new_root, put_old):
    number = SYS_PIVOT_ROOT[os.uname().machine]
    _check(_libc.syscall(ctypes.c_long(number), _bytes(new_root), _bytes(put_old)), "pivot_root")


def socket_in(pid, make):
    """Call @make in the network namespace of that process, and return the result. A socket made
    there stays in that namespace."""
    with open("/proc/self/ns/net", "rb") as ours, open(f"/proc/{pid}/ns/net", "rb") as theirs:
        _check(_libc.setns(theirs.fileno(), CLONE_NEWNET), "setns")
        try:
            return make()
        finally:
            _check(_libc.setns(ours.fileno(), CLONE_NEWNET), "setns back")


def die_with_parent(signal_number):
    _check(_libc.prctl(PR_SET_PDEATHSIG, ctypes.c_ulong(signal_number), 0, 0, 0), "prctl")


def drop_capability(number):
    _check(_libc.prctl(PR_CAPBSET_DROP, ctypes.c_ulong(number), 0, 0, 0), "prctl")


def set_hostname(name):
    raw = os.fsencode(name)
    _check(_libc.sethostname(raw, ctypes.c_size_t(len(raw))), "sethostname")
