# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Faults: functions that cause them in a sandbox with any init as PID 1.

No fault affects a process outside the sandbox. Processes that multiply stay below a kernel limit.
"""

import contextlib
import ctypes
import os
import resource
import signal
import subprocess
import time

from deadline import wait_for

# Requests of ptrace(2), and registers of x86-64.
PTRACE_GETREGS, PTRACE_SETREGS, PTRACE_DETACH, PTRACE_SEIZE, PTRACE_INTERRUPT = 12, 13, 17, 0x4206, 0x4207
N_REGISTERS, ORIG_RAX, RIP = 27, 15, 16
WALL = 0x40000000

PIDS_TREE = "/sys/fs/cgroup/pids"

_libc = ctypes.CDLL(None, use_errno=True)
_libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
_libc.ptrace.restype = ctypes.c_long


def _ptrace(request, pid, data=None):
    if _libc.ptrace(request, pid, None, data) < 0:
        raise OSError(ctypes.get_errno(), f"ptrace {request:#x}")


def crash(outer):
    """Make this process continue at address 0. A signal would have no effect, because PID 1 ignores
    signals without a handler."""
    _ptrace(PTRACE_SEIZE, outer)
    _ptrace(PTRACE_INTERRUPT, outer)
    os.waitpid(outer, WALL)
    registers = (ctypes.c_ulonglong * N_REGISTERS)()
    _ptrace(PTRACE_GETREGS, outer, ctypes.addressof(registers))
    registers[ORIG_RAX] = 2**64 - 1  # no system call to restart
    registers[RIP] = 0
    _ptrace(PTRACE_SETREGS, outer, ctypes.addressof(registers))
    _ptrace(PTRACE_DETACH, outer)


def is_traced(pid):
    with open(f"/proc/{pid}/status", encoding="utf-8", errors="replace") as file:
        return "TracerPid:\t0\n" not in file.read()


@contextlib.contextmanager
def injected(pids, calls, error):
    """While the context lasts, all @calls of @pids fail with @error."""
    argv = ["strace", "-qq", "-o", "/dev/null", "-e", f"trace={calls}", "-e", f"inject={calls}:error={error}"]
    for pid in pids:
        argv += ["-p", str(pid)]
    with subprocess.Popen(argv, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as strace:
        try:
            wait_for(lambda: all(is_traced(pid) for pid in pids if os.path.exists(f"/proc/{pid}")), what="strace is attached")
            yield
        finally:
            strace.send_signal(signal.SIGINT)
            try:
                strace.wait(10)
            except subprocess.TimeoutExpired:
                strace.kill()


@contextlib.contextmanager
def no_descriptors(pids):
    """While the context lasts, no process of @pids can open a file."""
    before = {}
    for pid in pids:
        highest = max(int(fd) for fd in os.listdir(f"/proc/{pid}/fd"))
        soft, hard = resource.prlimit(pid, resource.RLIMIT_NOFILE)
        before[pid] = (soft, hard)
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (highest + 1, hard))
    try:
        yield
    finally:
        for pid, limits in before.items():
            with contextlib.suppress(ProcessLookupError):
                resource.prlimit(pid, resource.RLIMIT_NOFILE, limits)


def nanoseconds(pids):
    """The CPU time of these processes, except those that have ended."""
    total = 0
    for pid in pids:
        with contextlib.suppress(OSError), open(f"/proc/{pid}/schedstat", encoding="ascii") as file:
            total += int(file.read().split()[0])
    return total


def cpu_percent(pids, seconds):
    """The CPU time as a percentage of one processor."""
    began, before = time.monotonic(), nanoseconds(pids)
    time.sleep(seconds)
    return (nanoseconds(pids) - before) / (time.monotonic() - began) / 1e7


class PidsLimit:
    """Limit the number of processes that are started in the context, and of their children, to
    @limit. Zombies are included."""

    def __init__(self, limit):
        self.leaf = f"{PIDS_TREE}/svcd-torture-{os.getpid()}"
        self.limit = limit
        self.before = None

    def __enter__(self):
        os.mkdir(self.leaf)
        self._write(f"{self.leaf}/pids.max", self.limit)
        return self

    @contextlib.contextmanager
    def entered(self):
        with open("/proc/self/cgroup", encoding="ascii") as file:
            mine = [line.rstrip("\n").split(":", 2)[2] for line in file if ":pids:" in line][0]
        self._write(f"{self.leaf}/cgroup.procs", 0)
        try:
            yield
        finally:
            self._write(f"{PIDS_TREE}{mine}/cgroup.procs", 0)

    @staticmethod
    def _write(path, value):
        with open(path, "w", encoding="ascii") as file:
            file.write(str(value))

    def current(self):
        with open(f"{self.leaf}/pids.current", encoding="ascii") as file:
            return int(file.read())

    def __exit__(self, kind, value, trace):
        def removed():
            try:
                os.rmdir(self.leaf)
            except OSError:
                return False
            return True
        wait_for(removed, what="the processes of the storm are gone")
