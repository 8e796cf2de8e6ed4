#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Each verb refuses invalid names with an error message, and nothing happens."""

from sandbox import Sandbox

NAMES = ("../x", "a/b", ".hidden", "-rf", "x" * 300, "new\nline", "%s%n", "a b", "", "\x1b[31m", "caf\u00e9")
VERBS = (["start"], ["stop"], ["status"], ["explain"], ["cat"], ["log"], ["flag", "set"], ["runlevel"])
# Arguments before and after the name. All verbs check names in the same way, so each gets some of
# them.
OTHER_VERBS = ((["restart"], []), (["reload"], []), (["clear"], []), (["reload", "--signal", "HUP"], []), (["enable"], []), (["disable"], []),
               (["set"], ["boot"]), (["edit"], ["Nice=5"]), (["undo"], []))
CALLS = [(verb, name, []) for verb in VERBS for name in NAMES]
CALLS += [(verb, name, behind) for number, (verb, behind) in enumerate(OTHER_VERBS) for name in NAMES[number % 3 :: 3]]
FILES = "find /etc/svcd /run/svcd/services.d /run/svcd/policy.d /etc/passwd /x* -type f 2>/dev/null | sort | xargs md5sum"

with Sandbox({"a": "[Service]\nExec=/bin/sleep infinity\n"}) as box:
    pid = box.wait_state("a", "ready")["pid"]
    manager = box.manager_pid()
    files = box.run("/bin/sh", "-c", FILES).stdout
    for verb, name, behind in CALLS:
        done = box.svcctl(*verb, "--", name, *behind, check=False)
        assert done.returncode in (2, 4), (verb, name, done)
        assert done.stderr.startswith("svcctl: ") and "\x1b" not in done.stderr, (verb, name, done)
    assert box.run("/bin/sh", "-c", FILES).stdout == files
    assert box.manager_pid() == manager
    assert box.pid("a") == pid
