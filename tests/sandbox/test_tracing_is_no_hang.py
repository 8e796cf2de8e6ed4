#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A manager that a debugger has stopped does not count as hanging. When released, it answers
again."""

import subprocess

from deadline import holds_for, wait_for
from sandbox import ENVIRONMENT, Sandbox

PING_MS = 500
LONGER_THAN_A_HANG_S = 5

# The tracer runs inside the sandbox, because in another PID namespace it would not be visible
# there.
TRACER = """#!/usr/bin/python3
import ctypes, sys
libc = ctypes.CDLL(None)
pid = ctypes.c_long(int(sys.argv[1]))
assert libc.ptrace(ctypes.c_long(16), pid, None, None) == 0  # PTRACE_ATTACH
libc.waitpid(pid, None, 0x40000000)  # __WALL
print("attached", flush=True)
sys.stdin.read()
assert libc.ptrace(ctypes.c_long(17), pid, None, None) == 0  # PTRACE_DETACH
"""

with Sandbox({"a": "[Service]\nExec=/bin/sleep infinity\n"}, init=("/sbin/svcd", f"--ping-ms={PING_MS}"),
             files={"/usr/local/bin/tracer": {"text": TRACER, "mode": 0o755}}) as box:
    service = box.wait_state("a", "ready")["pid"]
    manager = box.manager_pid()
    inner = [pid for pid, row in box.processes().items() if row[0] == manager][0]

    with subprocess.Popen(box.command(["/usr/local/bin/tracer", str(inner)]), stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, env=ENVIRONMENT) as tracer:
        assert tracer.stdout.readline() == b"attached\n"
        box.run("/bin/kill", "-KILL", str(service)) # causes a message, and so a ping
        holds_for(lambda: box.manager_pid() == manager, LONGER_THAN_A_HANG_S, "the traced manager is left alone")
    wait_for(lambda: "being traced" in box.console(), what="PID 1 reports why it waits")

    box.wait_up()
    assert box.manager_pid() == manager
