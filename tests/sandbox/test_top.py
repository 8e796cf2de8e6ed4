#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""ps and top find the processes of services; top runs until q, and restores the terminal in each
case."""

import signal
import termios

from sandbox import Sandbox
from typing_shell import Typing

BUSY = "[Service]\nExec=/bin/sh -c 'while :; do :; done'\n"
FAMILY = "[Service]\nExec=/bin/sh -c 'sleep 1000 & exec sleep 2000'\nUser=nobody\n"
PAGE, BACK = b"\x1b[?1049h", b"\x1b[?1049l"


def processes_are_found(box):
    rows = box.svcctl_json("list", "--processes", "family")
    assert sorted(row["command"] for row in rows) == ["sleep 1000", "sleep 2000"], rows
    assert {row["user"] for row in rows} == {"nobody"} and all(row["rss_bytes"] > 0 for row in rows), rows
    assert box.svcctl_json("list", "--processes", "family", "-o", "pss_bytes")[0]["pss_bytes"] > 0
    assert "sleep 2000" in box.svcctl("list", "--processes", "f*").stdout

    rows = box.svcctl_json("top", "--interval", "200ms")
    # The busiest one comes first.
    assert rows[0]["name"] == "busy" and rows[0]["cpu_percent"] > 5, rows
    assert {row["name"] for row in rows} >= {"busy", "family"}, rows
    assert "\x1b" not in box.svcctl("top", "--interval", "100ms").stdout


def top(box):
    return Typing(box.command(["/usr/bin/svcctl", "top", "--interval", "200ms"]),
                  dict(box.run_environment(), TERM="xterm", LANG="C.UTF-8"))


def is_given_back(shell):
    assert shell.raw.count(PAGE) == 1 and shell.raw.count(BACK) == 1, shell.raw
    assert shell.raw.rindex(BACK) > shell.raw.rindex(PAGE) and b"\x1b[?25h" in shell.raw, shell.raw
    now = termios.tcgetattr(shell.slave)
    assert now[3] == shell.settings[3], "the terminal's modes are not as they were"


def keys_are_heeded(box):
    with top(box) as shell:
        shell.wait_text("busy")
        at = shell.type("p")
        shell.wait_text(r"while :; do :; done", at)
        at = shell.type("n")
        shell.wait_text(r"busy.*family", at)
        shell.type("q")
        assert shell.wait_end() == 0
        is_given_back(shell)


def each_end_gives_it_back(box):
    for signo in (signal.SIGINT, signal.SIGTERM, signal.SIGSEGV):
        with top(box) as shell:
            shell.wait_text("busy")
            pid = next(int(line.split()[0]) for line in box.run("pgrep -a -x svcctl").stdout.splitlines() if " top" in line)
            box.run("kill", f"-{int(signo)}", str(pid))
            assert shell.wait_end() != 0
            is_given_back(shell)


with Sandbox({"busy": BUSY, "family": FAMILY}) as box:
    box.wait_states({"busy": "ready", "family": "ready"})
    processes_are_found(box)
    keys_are_heeded(box)
    each_end_gives_it_back(box)
