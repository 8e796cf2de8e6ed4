#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""list --processes and top find the processes of services. On a terminal, top updates its output
until SIGINT and shows only the services that fit."""

import termios

from sandbox import Sandbox
from terminal import set_size
from typing_shell import Typing

BUSY = "[Service]\nExec=/bin/sh -c 'while :; do :; done'\n"
FAMILY = "[Service]\nExec=/bin/sh -c 'sleep 1000 & exec sleep 2000'\nUser=nobody\n"


def processes_are_found(box):
    rows = box.svcctl_json("list", "--processes", "family")
    assert sorted(row["command"] for row in rows) == ["sleep 1000", "sleep 2000"], rows
    assert {row["user"] for row in rows} == {"nobody"} and all(row["rss_bytes"] > 0 for row in rows), rows
    assert box.svcctl_json("list", "--processes", "family", "-o", "pss_bytes")[0]["pss_bytes"] > 0
    assert "sleep 2000" in box.svcctl("list", "--processes", "f*").stdout

    rows = box.svcctl_json("top", "--interval", "200ms")
    # The busiest service is the first row.
    assert rows[0]["name"] == "busy" and rows[0]["cpu_percent"] > 5, rows
    assert {row["name"]: row["n_processes"] for row in rows}.items() >= {"busy": 1, "family": 2}.items(), rows
    assert box.svcctl_json("top", "--interval", "100ms", "--sort", "name", "family", "busy")[1]["name"] == "family"
    assert "\x1b" not in box.svcctl("top", "--interval", "100ms").stdout


def top(box):
    return Typing(box.command(["/usr/bin/svcctl", "top", "--interval", "200ms"]),
                  dict(box.run_environment(), TERM="xterm", LANG="C.UTF-8"))


def it_is_repeated_until_interrupted(box):
    with top(box) as shell:
        shell.wait_text(r"SERVICE.*busy.*family.*SERVICE.*busy.*family")
        set_size(shell.slave, 100, rows=3)
        at = len(shell.text())
        shell.wait_text(r"SERVICE.*SERVICE.*SERVICE.*SERVICE", at)
        page = shell.text()[at:].split("SERVICE")[3]
        assert "busy" in page and "family" not in page, page
        shell.type("\x03")
        assert shell.wait_end() != 0
        assert termios.tcgetattr(shell.slave) == shell.settings


with Sandbox({"busy": BUSY, "family": FAMILY}) as box:
    box.wait_states({"busy": "ready", "family": "ready"})
    processes_are_found(box)
    it_is_repeated_until_interrupted(box)
