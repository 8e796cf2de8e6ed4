#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Stop order is the reverse of start order, at shutdown too; Stop= of a completed task runs in its
turn."""

from sandbox import Sandbox


def daemon(name, *conditions):
    script = f"trap 'echo {name} stops >/dev/console; exit 0' TERM; echo >/run/up-{name}; while :; do sleep 0.05; done"
    return f"[Service]\nExec=/bin/sh -c \"{script}\"\nReady=path:/run/up-{name}\n[Conditions]\n" + "\n".join(conditions) + "\n"


SERVICES = {
    "mount": "[Service]\nType=task\nExec=/bin/true\nStop=/bin/sh -c \"echo mount stops >/dev/console\"\n",
    "base": daemon("base", "While=service:mount"),
    "middle": daemon("middle", "While=service:base"),
    "top": daemon("top", "After=middle"),
    "last": daemon("last", "StopAfter=base"),
}

with Sandbox(SERVICES) as box:
    box.wait_states({"mount": "done", "base": "ready", "middle": "ready", "top": "ready", "last": "ready"})
    box.shut_down("poweroff")
    box.wait_end()
    order = [line.split()[0] for line in box.console().splitlines() if line.endswith(" stops")]
    assert sorted(order) == sorted(SERVICES), order
    assert order.index("top") < order.index("middle") < order.index("base") < order.index("mount"), order
    assert order.index("base") < order.index("last"), order
