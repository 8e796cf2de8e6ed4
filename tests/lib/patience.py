# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Patience: requests while the manager may die at any moment, and a service that sends its readiness
only once.
"""

from deadline import wait_for

# It sends its readiness once. A lost message is not repeated.
TELLER = """#!/usr/bin/python3
import os, signal, socket
signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify:
    notify.connect(os.environ["NOTIFY_SOCKET"])
    notify.send(b"READY=1\\nSTATUS=It is all there.")
while True:
    signal.pause()
"""


def ask(box, *words):
    """Repeat a request until it succeeds."""
    def done():
        done.last = box.svcctl(*words, check=False)
        return done.last.returncode == 0
    try:
        return wait_for(done, what=" ".join(words)) and done.last
    except AssertionError:
        raise AssertionError(f"{words}: {done.last}\n{box.svcctl('explain', words[-1], check=False).stdout}") from None


def run_until_failed(box, name):
    """Start the service, and wait until it fails. A lost result leads to another request, and
    perhaps another run."""
    before = wait_for(box.services, what="the services are listed")[name]["invocation"]

    def has_failed():
        row = box.services()[name]
        if row["state"] == "failed" and row["invocation"] != before:
            return True
        if row["state"] in ("idle", "failed"):
            box.svcctl("start", name, check=False)
        return False
    wait_for(has_failed, what=f"{name} has failed")
