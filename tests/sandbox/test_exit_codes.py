#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The exit codes of svcctl(1), without --json."""

from sandbox import Sandbox

SLEEP = "[Service]\nExec=/bin/sleep infinity\n"
SERVICES = {"a": SLEEP, "never": SLEEP, "bad": "[Service]\nExec=relative\n",
            "fails": "[Service]\nType=task\nExec=/bin/false\nRestart=no\n"}
POLICY = "[runlevel 2]\nActivate=a\n[service never]\nActivation=never\n"
CALLS = (
    (0, ["list"]), (0, ["--version"]), (0, ["status", "a"]), (0, ["--help"]),
    (2, ["no-such-verb"]), (2, ["list", "--no-such-option"]),
    (4, ["status", "nosuch"]), (4, ["stop", "nosuch"]), (4, ["log", "nosuch"]),
    (8, ["start", "never"]),
    (10, ["check"]), (10, ["start", "bad"]),
    (1, ["start", "fails", "--wait"]),
)

with Sandbox(SERVICES, policy=POLICY) as box:
    box.wait_state("a", "ready")
    for code, words in CALLS:
        done = box.svcctl(*words, check=False)
        assert done.returncode == code, f"svcctl {' '.join(words)}: {done}"
        # The diagnostics of "svcctl check" are its normal output, so they are on standard output.
        if code and words != ["check"]:
            assert done.stderr.startswith("svcctl: "), done
    # No svcd answers.
    done = box.run("unshare --mount sh -c 'mount -t tmpfs x /run; svcctl list'", check=False)
    assert done.returncode == 9, done
    # Lost output is an error, also after an earlier flush: "list" prints a remark after its table.
    for words in ("list", "policy", "cat a"):
        done = box.run(f"svcctl {words} > /dev/full", check=False)
        assert done.returncode == 1 and "could be written" in done.stderr, done
