#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Users hold the directories of path: conditions, or replace a condition's path by a maze of links.

The conditions are then unknown or false. The manager continues and can be replaced, and it sees
other conditions at once.
"""

import time

import attack
from attack import Attack, Hangs
from deadline import wait_for
from sandbox import Failure, Sandbox

# Any user may list these. Each has a tmpfs, because the overlay of the root cannot be held this
# way.
HELD = {"in-run": "/run", "in-etc": "/etc/held"}


def waits_for(path):
    return f"[Service]\nExec=/bin/sleep infinity\n[Conditions]\nWhile=path:{path}\n"


SERVICES = {
    **attack.WITNESSES,
    **{name: waits_for(f"{directory}/awaited") for name, directory in HELD.items()},
    "runs": waits_for("/run/there"),
    "elsewhere": waits_for("/srv/place/awaited"),
    "maze": waits_for("/run/attack/maze"),
    "no-disk": "[Service]\nExec=/bin/sleep infinity\n[Conditions]\nWhile=label:no-such-disk\n",
}


def subscribe(box, path):
    """A new subscriber causes a new check."""
    attack.ask(box, "/usr/bin/svcctl", "wait", f"path:{path}", "--timeout", "0")


def explained(box, name, text, path=None):
    seen = None

    def look():
        nonlocal seen
        try:
            if path:
                subscribe(box, path)
            seen = attack.ask(box, "/usr/bin/svcctl", "explain", name)[1]
        except Hangs as problem:
            seen = problem
            return False
        return text in seen
    try:
        wait_for(look, what=f"explain {name} says: {text}")
    except AssertionError as problem:
        raise Failure(f"{problem}: {seen}") from None


def follows(box, name, path):
    """Make the condition of @name true, and false again."""
    began = time.monotonic()
    box.write(path, "")
    wait_for(lambda: attack.main_pid(box, name), what=f"{name} runs")
    box.remove(path)
    wait_for(lambda: not attack.main_pid(box, name), what=f"{name} ends")
    return time.monotonic() - began


def check_held(box, name, directory):
    runs = attack.main_pid(box, "runs")
    with Attack(box, "hold-directory", directory, "writer"):
        subscribe(box, f"{directory}/awaited")
        explained(box, name, "does not answer")
        # The directories that doctor reads later may be held, too.
        box.run("sh", "-c", "timeout 10 svcctl doctor >/srv/place/doctor 2>&1 & exit 0")
        wait_for(lambda: "a process of svc-worker hangs at" in box.read("/srv/place/doctor"), what="svcctl doctor shows the hang")
        took = attack.check_responsive(box)
        took["condition"] = follows(box, "elsewhere", "/srv/place/awaited")
        box.kill_manager()
        attack.check_responsive(box)
        print(directory, {key: round(value, 3) for key, value in took.items()})
    if attack.main_pid(box, "runs") != runs:
        raise Failure("a service was stopped because its condition is unknown")
    explained(box, name, "it does not exist")
    follows(box, name, f"{directory}/awaited")


FILES = {**attack.FILES, "/etc/held": {"directory": True}, "/srv/place": {"directory": True, "mode": 0o700}}

with Sandbox(SERVICES, files=FILES) as box:
    box.run("mount", "-t", "tmpfs", "-o", "mode=755", "none", "/etc/held")
    box.write("/run/there", "")
    box.wait_states({"victim": "ready", "runs": "ready", "elsewhere": "waiting", "maze": "waiting"})
    for name, directory in HELD.items():
        check_held(box, name, directory)

    with Attack(box, "maze", "/run/attack/maze"):
        explained(box, "maze", "there are too many links or directories on the way to it", "/run/attack/maze")
        attack.check_responsive(box)
        follows(box, "elsewhere", "/srv/place/awaited")
        box.kill_manager()
        explained(box, "maze", "there are too many links or directories on the way to it", "/run/attack/maze")
        attack.check_responsive(box)
        follows(box, "in-run", "/run/awaited")
