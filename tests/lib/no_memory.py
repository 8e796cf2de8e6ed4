# SPDX-License-Identifier: LGPL-2.1-or-later
"""
No memory: svcd's programs with one failing allocation, see tests/lib/no-memory.c. They are from the
bare build, because AddressSanitizer puts its own allocator into each program, and no library can be
loaded before it.

    with Sandbox(SERVICES, stage=STAGE, files=MANAGER_FILES, expect_crash=True) as box:
        sweep = Sweep(box, ["a"], 20)
        sweep.run(act)
        sweep.end()
"""

import mmap
import os
import re
import struct

from deadline import wait_for
from patience import ask

BARE = os.environ.get("SVCD_BUILDS", os.path.dirname(os.environ["SVCD_BUILD"])) + "/bare"
STAGE = os.environ.get("SVCD_BUILDS", os.path.dirname(os.environ["SVCD_BUILD"])) + "/stage-bare"
LIBRARY = f"{BARE}/tests/lib/no-memory.so"
MANAGER = "/usr/lib/svcd/svcd-manager"
CONTROL = "/etc/no-memory"

# struct NoMemoryControl
LEFT, FAILED, LASTS = 0, 8, 16
SIZE = 32

# PID 1 starts the manager with a clean environment. A slice allocator would hide most allocations.
WRAPPER = f"""#!/bin/sh
[ -e {CONTROL} ] && export LD_PRELOAD=/usr/local/lib/no-memory.so NO_MEMORY_FILE={CONTROL}
export G_SLICE=always-malloc MALLOC_PERTURB_=90
exec {MANAGER}.real "$@"
"""
MANAGER_FILES = {
    CONTROL: {"text": "\0" * SIZE},
    "/usr/local/lib/no-memory.so": {"copy": LIBRARY, "mode": 0o755},
    MANAGER: {"text": WRAPPER, "mode": 0o755},
    f"{MANAGER}.real": {"copy": STAGE + MANAGER, "mode": 0o755},
}


def preload(control=None):
    """The environment for a program. The program itself or the file @control selects the failing
    allocation."""
    environment = dict(os.environ, LD_PRELOAD=LIBRARY, G_SLICE="always-malloc", MALLOC_PERTURB_="90")
    if control:
        environment["NO_MEMORY_FILE"] = control
    return environment


class Memory:
    """Controls the failures in all programs that have mapped the file @path."""

    def __init__(self, path):
        # The file must not be shorter even for a moment, because a program that has mapped it would
        # get SIGBUS.
        with open(os.open(path, os.O_RDWR | os.O_CREAT, 0o644), "r+b") as file:
            os.ftruncate(file.fileno(), SIZE)
            self.mapped = mmap.mmap(file.fileno(), SIZE)
        self.mapped[:] = bytes(SIZE)

    def _set(self, at, value):
        self.mapped[at:at + 8] = struct.pack("=Q", value)

    def _get(self, at):
        return struct.unpack("=Q", self.mapped[at:at + 8])[0]

    def fail(self, number, lasts=False):
        """Make the @number-th allocation from now on fail, and all later ones if it @lasts."""
        self._set(FAILED, 0)
        self._set(LASTS, int(lasts))
        self._set(LEFT, number)

    def is_back(self):
        """Stop all failures."""
        self._set(LEFT, 0)
        self._set(LASTS, 0)

    def left(self):
        return self._get(LEFT)

    def failed(self):
        return self._get(FAILED)


def next_manager(box):
    """An action: the complete start of the next manager, after its predecessor exited by itself."""
    ask(box, "reexec")
    box.wait_up()


class Sweep:
    """Repeats actions in one machine. Each time another allocation of the manager fails."""

    # PID 1 permits thirty deaths a minute, and a voluntary exit resets that count.
    BATCH = 20

    def __init__(self, box, stay, most):
        """@stay: services that must keep running. @most: limit of failing allocations per action,
        0: all."""
        self.box = box
        self.memory = Memory(box.path(CONTROL))
        self.most = most
        self.pids = {name: box.wait_state(name, "ready")["pid"] for name in stay}
        self.manager = box.manager_pid()
        self.rounds = self.failed = self.deaths = 0

    def _fail(self, act, number):
        self.memory.fail(number)
        act(self.box)
        self.memory.is_back()
        self.rounds += 1
        self.failed += self.memory.failed() > 0
        manager = wait_for(self.box.manager_pid, what="there is a manager")
        self.deaths += manager != self.manager
        self.manager = manager

    def _check(self, act, number):
        rows = wait_for(self.box.services, what="the services are listed")
        pids = {name: rows[name].get("pid") for name in self.pids}
        assert pids == self.pids, (act.__name__, number, pids, self.pids, {name: rows[name] for name in self.pids})

    def _numbers(self, act):
        self.memory.fail(1 << 40)
        act(self.box)
        total = (1 << 40) - self.memory.left()
        self.memory.is_back()
        numbers = range(1, total + 1, total // self.most + 1 if self.most else 1)
        print(f"{act.__name__}: {total} allocations, {len(numbers)} of them fail", flush=True)
        return numbers

    def run(self, act):
        """Run @act, a function of the sandbox, which must repeat its requests until there is an
        answer."""
        for turn, number in enumerate(self._numbers(act)):
            self._fail(act, number)
            self._check(act, number)
            if turn % self.BATCH == self.BATCH - 1:
                self._renew()
        self._renew()

    def _renew(self):
        next_manager(self.box)
        self.manager = self.box.manager_pid()

    def end(self):
        """Report the causes of the deaths, and check that each manager got its notes."""
        console = self.box.console()
        print(f"{self.failed} of {self.rounds} allocations failed, {self.deaths} managers died")
        assert self.deaths > 0 and self.failed >= self.rounds * 0.8
        assert not re.search(r"the manager was killed by signal (?!5\b|6\b)\d+", console), console
        assert "without its notes" not in console, console
