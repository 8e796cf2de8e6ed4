#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The output of a service is kept, and none of it is lost when the logger or the manager is
killed."""

from deadline import wait_for
from sandbox import Sandbox

N_LINES = 3000
TALKER = f"""#!/bin/sh
i=0
while [ $i -lt {N_LINES} ]; do
	echo "line $i of many"
	i=$((i+1))
	[ $((i % 100)) -eq 0 ] && sleep 0.05
done
echo "to stderr" >&2
printf "no newline at the end"
"""

with Sandbox({"talker": "[Service]\nType=task\nExec=/usr/local/bin/talker\n"}, policy="[runlevel 2]\n",
             files={"/usr/local/bin/talker": {"text": TALKER, "mode": 0o755}}) as box:
    box.wait_up()
    box.svcctl("start", "talker")

    def logger():
        found = [inner for inner, row in box.processes().items() if row[2].startswith("svc-logger")]
        return found[0] if found else 0

    for _round in range(3):
        victim = wait_for(logger, what="there is a logger")
        box.kill(victim)
        wait_for(lambda: logger() not in (0, victim), what="another logger was started")
        box.kill_manager()
    box.wait_state("talker", "done")

    def all_there():
        text = box.svcctl("log", "talker", "-N", str(N_LINES * 2)).stdout
        missing = [number for number in range(N_LINES) if f"line {number} of many" not in text]
        assert not missing, f"missing: {missing[:20]}"
        assert "to stderr" in text and "no newline at the end" in text
        return True

    wait_for(all_there, what="every line is in the log")
