#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""svcctl wait ends when its condition is true, for conditions of all providers, and even if the
manager is replaced. If the condition stays false, the command reports that at its time limit."""

import subprocess

from deadline import wait_for
from sandbox import Sandbox

SLEEP = "[Service]\nExec=/bin/sleep infinity\n"
SERVICES = {"held": SLEEP + "[Conditions]\nWhen=flag:go\n"}


def begin(box, *words):
    return subprocess.Popen(box.command(["/usr/bin/svcctl", "wait", "-t", "60", *words]), stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, env=box.run_environment())


def is_watched(box, key, *processes):
    """Does svcd watch the condition? A path that no service names has a provider only during a
    wait."""
    assert all(process.poll() is None for process in processes), [process.communicate() for process in processes]
    return box.svcctl("wait", key, "-t", "0", check=False).returncode == 3


def end(process):
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, (process.returncode, out, err)
    return out


with Sandbox(SERVICES) as box:
    box.wait_state("held", "waiting")

    # A path that no service names appears and disappears.
    waiting = begin(box, "path:/run/token")
    wait_for(lambda: is_watched(box, "path:/run/token", waiting), what="the path is known not to be there")
    box.write("/run/token", "")
    assert end(waiting) == "path:/run/token is true\n"
    gone = begin(box, "!path:/run/token")
    box.remove("/run/token")
    end(gone)

    # Several waits run at once, and the manager is replaced meanwhile.
    many = [begin(box, name) for name in ("held", "service:held", "flag:go", "path:exec:/run/token", "settled:held")]
    end(many.pop())
    box.kill_manager()
    for process in many:
        assert process.poll() is None, process.communicate()
    box.svcctl("flag", "set", "go")
    box.write("/run/token", "#!/bin/sh\n", 0o755)
    for process in many:
        end(process)

    # Some conditions become true in time, others do not.
    for words, code, sentence in (
            (["held", "-t", "0"], 0, "service:held is true"),
            (["!held", "-t", "0"], 3, "service:held is true (held is ready)"),
            (["path:/run/never", "-t", "1"], 6, "path:/run/never is still false"),
            (["flag:never", "-t", "0"], 3, "flag:never is false"),
            (["nosuch"], 4, "there is no such service"),
            (["paht:/run"], 2, "did you mean")):
        done = box.svcctl("wait", *words, check=False)
        assert done.returncode == code and sentence in done.stdout + done.stderr, (words, done)
    answer = box.svcctl_json("wait", "path:/run/never", "-t", "1", check=False)
    assert answer["exit"] == 6 and answer["data"]["level"] == "false" and answer["error"]["code"] == "TimedOut", answer
