#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
One allocation of svcctl fails while it changes policy and drop-ins: each file is the old or the new
one, and no other file remains.

The message of svcctl is correct. SVCD_TEST_ALLOCATIONS=0 tests each allocation.
"""

import os
import signal

from no_memory import CONTROL, MANAGER_FILES, STAGE, Memory
from sandbox import Sandbox

MOST = int(os.environ.get("SVCD_TEST_ALLOCATIONS", "8"))
SLEEP = "[Service]\nExec=/bin/sleep infinity\n"

# The change, and its undo.
CHANGES = [
    (["enable", "a"], ["disable", "a"]),
    (["set", "a", "boot", "--runlevel", "3"], ["undo", "a"]),
    (["edit", "a", "RestartDelay=7s"], ["undo", "a"]),
]
# If a GIO thread has no memory in the second half of g_once_init_enter(), it waits for itself
# forever, and svcctl waits for the thread.
PRELOADED = ["/usr/bin/timeout", "-s", "KILL", "10", "/usr/bin/env", "LD_PRELOAD=/usr/local/lib/no-memory.so",
             f"NO_MEMORY_FILE={CONTROL}", "G_SLICE=always-malloc", "MALLOC_PERTURB_=90", "/usr/bin/svcctl", "--timeout", "5"]


def files(box):
    """Path -> text of all the admin's files; lock files have no text."""
    found = {}
    for top in ("/etc/svcd", "/var/lib/svcd"):
        for directory, _names, names in os.walk(box.path(top)):
            for name in names:
                with open(os.path.join(directory, name), "rb") as file:
                    found[os.path.join(directory, name)] = file.read()
    return {path: text for path, text in found.items() if "/policy-history/" not in path and "/last-good/" not in path}


def run(box, memory, number, words):
    memory.fail(number)
    done = box.run(*PRELOADED, *words, check=False)
    left = memory.left()
    memory.is_back()
    ends = (0, 128 + signal.SIGTRAP, 128 + signal.SIGKILL, -signal.SIGTRAP, -signal.SIGKILL)
    assert done.returncode in ends or done.stderr, (words, number, done)
    return done, left


def sweep(box, memory, change, back):
    box.svcctl(*change)
    box.svcctl(*back)
    old = files(box)
    done, left = run(box, memory, 1 << 40, change)
    assert done.returncode == 0, done
    new = files(box)
    total = (1 << 40) - left
    assert new != old, change
    box.svcctl(*back)
    old = files(box)
    n_done = 0
    numbers = range(1, total + 1, total // MOST + 1 if MOST else 1)
    for number in numbers:
        done, _left = run(box, memory, number, change)
        now = files(box)
        assert now in (old, new), (change, number, done, {path: now.get(path) for path in {*now, *old, *new} if not
                                                          now.get(path) == old.get(path) == new.get(path)})
        assert done.returncode != 0 or now == new, (change, number, done)
        n_done += now == new
        if now == new:
            box.svcctl(*back)
            assert files(box) == old, (change, number)
    print(f"{' '.join(change)}: {len(numbers)} of {total} allocations failed, and {n_done} times it was changed all the same")


with Sandbox({"a": SLEEP, "b": SLEEP}, policy="[runlevel 2]\nActivate=b\n", files=MANAGER_FILES, stage=STAGE) as sandbox:
    sandbox.wait_state("b", "ready")
    # The manager has mapped the old control file, so svcctl gets a new one.
    sandbox.remove(CONTROL)
    sandbox.write(CONTROL, "")
    control = Memory(sandbox.path(CONTROL))
    for there, and_back in CHANGES:
        sweep(sandbox, control, there, and_back)
    assert sandbox.svcctl("check", check=False).returncode in (0, 10)
