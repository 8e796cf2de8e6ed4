#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""svcctl monitor shows changes as they happen, misses none when the manager is replaced, and ends
cleanly."""

import json
import os
import signal
import subprocess

from deadline import wait_for
from sandbox import Sandbox

SLEEP = "[Service]\nExec=/bin/sleep infinity\n"
SERVICES = {
    "off": SLEEP,
    "held": SLEEP + "[Conditions]\nWhile=flag:go\n",
    "other": SLEEP,
}


class Monitor:
    """A running "svcctl monitor"; its lines are read at once."""

    def __init__(self, box, *words):
        # The first line is the pid inside the sandbox, because the started process is nsenter,
        # which waits for it.
        argv = ["/bin/sh", "-c", 'echo $$; exec /usr/bin/svcctl monitor "$@"', "sh", *words]
        self.box = box
        self.process = subprocess.Popen(box.command(argv), stdout=subprocess.PIPE, env=box.run_environment())
        os.set_blocking(self.process.stdout.fileno(), False)
        self.text = ""

    def read(self):
        try:
            self.text += os.read(self.process.stdout.fileno(), 65536).decode()
        except BlockingIOError:
            pass
        return self.text

    def wait(self, text):
        wait_for(lambda: text in self.read(), what=f"the monitor shows {text!r}, not only\n{self.text}")

    def objects(self):
        return [json.loads(line) for line in self.read().splitlines() if line.endswith("}")]

    def wait_object(self, **wanted):
        def look():
            found = [one for one in self.objects() if all(one.get(key) == value for key, value in wanted.items())]
            return found[-1] if found else None
        return wait_for(look, what=f"the monitor shows {wanted}")

    def end(self, number):
        self.box.kill(int(self.text.splitlines()[0]), number)
        return self.process.wait(30)


with Sandbox(SERVICES, policy="[runlevel 2]\nActivate=held\nActivate=other\n") as box:
    box.wait_states({"held": "waiting", "other": "ready"})
    text = Monitor(box)
    lines = Monitor(box, "--json")
    one = Monitor(box, "--json", "path:/run/token")
    text.wait("manager: ready: watching 3 services and ")
    for monitor in (lines, one):
        monitor.wait_object(kind="manager", now="ready")

    box.svcctl("flag", "set", "go")
    text.wait("flag:go: false -> true: set by uid 0")
    text.wait("-> ready: it is ready")
    change = lines.wait_object(kind="service", name="held", now="ready")
    assert change["at_us"] > 0 and change["why"], change
    lines.wait_object(kind="condition", name="flag:go", before="false", now="true")

    told = [change["name"] for change in lines.objects()]
    assert told.index("flag:go") < told.index("held"), "the cause is shown before its effects"

    # The manager is replaced. Events meanwhile and afterwards are shown.
    box.kill_manager()
    for monitor in (lines, one):
        monitor.wait_object(kind="manager", now="back")
    text.wait("manager: back")
    assert "off: " not in text.read(), "a service that was never started has not changed"
    box.svcctl("flag", "clear", "go")
    text.wait("flag:go: true -> false")
    lines.wait_object(kind="service", name="held", now="waiting")
    box.svcctl("runlevel", "3")
    lines.wait_object(kind="runlevel", before="2", now="3")

    # The output has only the named condition, though no service uses it.
    box.write("/run/token", "")
    one.wait_object(kind="condition", name="path:/run/token", before="false", now="true")
    assert {change["kind"] for change in one.objects()} == {"manager", "condition"}, one.objects()
    assert {change["name"] for change in one.objects() if change["kind"] == "condition"} == {"path:/run/token"}

    # svcctl monitor ends at SIGINT, at SIGTERM, and when its reader closes the pipe while nothing
    # happens.
    assert text.end(signal.SIGINT) == 0
    assert lines.end(signal.SIGTERM) == 0
    one.process.stdout.close()
    assert one.process.wait(30) == 0
