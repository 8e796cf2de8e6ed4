#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A service waits until a program that is being written in place is complete and closed. Starts
before that are not counted as failures."""

import os

from deadline import wait_for
from sandbox import Sandbox

PROGRAM = "/usr/local/bin/bigd"
SERVICE = f"[Service]\nExec={PROGRAM} infinity\nRestart=no\n"

SERVICES = {
    "waits": SERVICE + f"[Conditions]\nWhen=path:exec:{PROGRAM}\n",
    "started": SERVICE,
    "shapeless": "[Service]\nExec=/usr/local/bin/shapeless\nRestart=no\n[Conditions]\nWhen=path:exec:/usr/local/bin/shapeless\n",
}
POLICY = "[runlevel 2]\nActivate=waits\nActivate=shapeless\n"


def reason(box, name):
    return box.svcctl("explain", name).stdout


def slow_copy(box):
    """A cp that has written half of sleep(1), and keeps the file open until it writes the other
    half."""
    with open("/bin/sleep", "rb") as program:
        content = program.read()
    box.run("mkfifo", "-m", "755", "/run/content")
    box.run("sh", "-c", f"cp /run/content {PROGRAM} >/dev/null 2>&1 &")
    pipe = open(box.path("/run/content"), "wb", buffering=0)
    pipe.write(content[:len(content) // 2])
    wait_for(lambda: box.exists(PROGRAM) and os.stat(box.path(PROGRAM)).st_size > 0, what="half of the program")
    return pipe, content[len(content) // 2:]


with Sandbox(SERVICES, policy=POLICY) as box:
    box.wait_state("waits", "waiting")

    # The program is empty, and then a slow cp writes it in place.
    box.write(PROGRAM, "", 0o755)
    wait_for(lambda: "it is empty" in reason(box, "waits"), what="an empty file is not a program")
    box.remove(PROGRAM)
    pipe, rest = slow_copy(box)
    wait_for(lambda: "it is being written" in reason(box, "waits"), what="a file that is open for writing is not a program")
    assert box.state("waits") == "waiting"

    # A service without a term on the file is retried, although it has Restart=no.
    box.svcctl("start", "--no-wait", "started", check=False) # one failure may come first
    box.wait_state("started", "backoff")
    assert "Text file busy" in reason(box, "started"), reason(box, "started")

    pipe.write(rest)
    pipe.close()
    box.wait_states({"waits": "ready", "started": "ready"})
    assert box.service("waits")["restarts"] == 0, box.service("waits")

    # An interrupted copy: the file is closed, and the kernel would execute it.
    box.svcctl("stop", "waits", "started")
    box.remove(PROGRAM)
    box.svcctl("start", "--no-wait", "waits")
    box.run("sh", "-c", f"head -c 20000 /bin/sleep >/run/half && chmod 755 /run/half && mv /run/half {PROGRAM}")
    wait_for(lambda: "it is not complete" in reason(box, "waits"), what="half a program is not accepted")
    box.run("sh", "-c", f"tail -c +20001 /bin/sleep >>{PROGRAM}")
    box.wait_state("waits", "ready")

    # A script without an interpreter is complete, but it is not a program.
    box.write("/usr/local/bin/shapeless", "echo not a program\n", 0o755)
    box.wait_state("shapeless", "failed")
    assert "cannot execute /usr/local/bin/shapeless: Exec format error" in reason(box, "shapeless"), reason(box, "shapeless")
