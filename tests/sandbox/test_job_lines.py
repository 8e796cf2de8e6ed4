#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Lines of running jobs: in place on a terminal of any width, one after the other elsewhere, and as
JSON on request."""

import json
import os
import re
import subprocess
import time

from sandbox import Sandbox
from terminal import on_terminal, set_size

# This service sends its status 100 times within about half a second; then it is ready.
BUSY = """#!/usr/bin/perl
use IO::Socket::UNIX;
my $s = IO::Socket::UNIX->new(Type => SOCK_DGRAM, Peer => $ENV{NOTIFY_SOCKET});
for my $i (1 .. 100) { $s->send("STATUS=step $i of 100, with words that a narrow terminal has no room for"); select(undef, undef, undef, 0.005); }
$s->send("READY=1");
sleep 1000;
"""
SERVICES = {
    "busy": "[Service]\nExec=/usr/local/bin/busy\nReady=notify\nStartTimeout=30\n",
    "slow": "[Service]\nType=task\nExec=/bin/sleep 0.4\n",
    "held": "[Service]\nExec=/bin/sleep infinity\n[Conditions]\nWhen=flag:go\n",
}


def frames(written):
    """The lines on the terminal after each redraw."""
    parts = re.split(r"\r(?:\x1b\[\d+A)?\x1b\[J", written)
    return [part.split("\n") for part in parts]


def stop(box, *names):
    box.svcctl("stop", *names)


with Sandbox(SERVICES, policy="[defaults]\nNewServices=manual\n", files={"/usr/local/bin/busy": {"text": BUSY, "mode": 0o755}}) as box:
    # Two jobs: two lines that are updated in place at most ten times a second, and none remains.
    written, seconds, code = on_terminal(box, 80, "start", "busy", "slow", "held")
    shown = frames(written)
    assert code == 1, written
    assert any(len(frame) == 2 and "busy  starting" in frame[0] and "slow  starting" in frame[1] for frame in shown), shown
    assert any("/ 30 s" in frame[0] and "step " in frame[0] for frame in shown), shown
    assert len(shown) <= seconds * 10 + 4, (len(shown), seconds)
    assert all(len(line) < 80 for frame in shown[1:-1] for line in frame), shown
    assert shown[-1][0] in ("busy started", "slow started"), shown
    assert "flag:go" in written

    # A narrow terminal: lines are cut at its edge. If it becomes narrower, they are still erased.
    stop(box, "busy", "slow")
    written, _, _ = on_terminal(box, 24, "start", "busy")
    drawn = [frame for frame in frames(written) if "busy" in frame[0] and "starting" in frame[0]]
    assert drawn and all(len(frame) == 1 and len(frame[0]) < 24 for frame in drawn), drawn
    assert all(frame[0].endswith("…") for frame in drawn if "s / " in frame[0]), drawn
    stop(box, "busy")
    written, _, _ = on_terminal(box, 78, "start", "busy", then=20)
    assert re.search(r"\r\x1b\[[1-9]A\x1b\[J", written), "a line that was broken is several rows high"

    # More jobs than rows.
    stop(box, "busy", "slow")
    written, _, _ = on_terminal(box, 80, "start", "busy", "slow", rows=2)
    assert any(frame[-1] == "  and 1 more" for frame in frames(written)), written

    # No escape sequences if they are disabled.
    for environment in ({"TERM": "dumb"}, {"NO_COLOR": "1"}):
        stop(box, "slow")
        written, _, _ = on_terminal(box, 80, "start", "slow", environment=environment)
        assert "\x1b" not in written and written.count("slow  starting") == 1, written
    stop(box, "busy", "slow")
    out = box.svcctl("start", "busy", "slow").stdout
    assert "\x1b" not in out and out.count("starting") == 2 and out.count("started") == 2, out
    stop(box, "slow")
    assert box.svcctl("-q", "start", "slow").stdout == ""

    # JSON: a line per change, and the answer at the end.
    stop(box, "busy")
    lines = [json.loads(line) for line in box.svcctl("start", "busy", "--json", "--progress").stdout.splitlines()]
    assert lines[-1]["data"][0]["state"] == "ready" and lines[-1]["exit"] == 0, lines[-1]
    told = [line["progress"] for line in lines[:-1]]
    assert told and all(one["name"] == "busy" and one["state"] == "starting" for one in told), told
    assert any("step " in (one["detail"] or "") for one in told), told
    stop(box, "slow")
    assert len(box.svcctl("start", "slow", "--json").stdout.splitlines()) == 1
    done = box.svcctl("start", "slow", "--progress", check=False)
    assert done.returncode == 2 and "--json" in done.stderr, done

    # Several failures: each is reported, and their common exit code is used.
    done = box.svcctl("start", "nosuch", "nothing", check=False)
    assert done.returncode == 4 and "nosuch" in done.stderr and "nothing" in done.stderr, done
    done = box.svcctl("start", "nosuch", "slow", check=False)
    assert done.returncode == 1, done
