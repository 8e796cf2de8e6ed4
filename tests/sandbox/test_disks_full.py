#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Full disks: a full log disk delays no service, and lost lines are counted; a change of policy fails
without an effect.

Without space for the history the change succeeds, with a warning.
"""

from deadline import wait_for
from sandbox import Sandbox

LOGS = "/run/svcd/log"
POLICY_FILE = "/etc/svcd/policy.d/90-svcctl.policy"
LINES = 20000 # many times the size of a pipe
# The service reports the end of its output. This report never comes if the service waits for the
# disk.
TALKS = f"""[Service]
Exec=/bin/sh -c "yes 'a line that is lost' | head -n {LINES}; touch /run/said; read x </run/go; echo after; exec sleep infinity"
Restart=no
"""
SERVICES = {"talks": TALKS, **{name: "[Service]\nExec=/bin/sleep infinity\n" for name in ("a", "kept", "new")}}


def mount_small(box, directory, what="64k"):
    """A separate file system with the previous content, and only a few KiB of free space."""
    box.run(f"mkdir -p {directory} /small && mount -t tmpfs -o size={what} small /small && cp -a {directory}/. /small && "
            f"mount --move /small {directory}")


def fill(box, directory):
    box.run(f"dd if=/dev/zero of={directory}/filler bs=1k 2>/dev/null; test -s {directory}/filler")


def logger_pid(box):
    return box.run("pgrep", "-x", "svc-logger", check=False).stdout.strip()


def check_logs(box):
    mount_small(box, LOGS)
    old = logger_pid(box)
    if old:
        box.run("kill", "-KILL", old) # the logger has the old directory open
        wait_for(lambda: logger_pid(box) not in ("", old), what="another logger")
    fill(box, LOGS)
    box.run("mkfifo", "/run/go")
    box.svcctl("start", "talks", "a")
    box.wait_states({"talks": "ready", "a": "ready"})
    wait_for(lambda: box.exists("/run/said"), what="the service has written all")
    box.svcctl("restart", "a")
    box.wait_state("a", "ready")

    box.remove(f"{LOGS}/filler")
    box.run("echo >/run/go")
    said = wait_for(lambda: "after" in box.svcctl("log", "talks").stdout and box.svcctl("log", "talks").stdout,
                    what="output when there is space again")
    assert "lines were lost here: No space left on device" in said, said
    box.svcctl("stop", "talks", "a")


def listing(box):
    return box.run("cd /etc/svcd && find . -type f ! -name filler -exec sha256sum {} + | sort").stdout


def check_policy(box):
    box.svcctl("enable", "kept")
    box.wait_state("kept", "ready")
    mount_small(box, "/etc/svcd")
    fill(box, "/etc/svcd")
    before = listing(box)
    assert POLICY_FILE.rsplit("/", 1)[1] in before
    for words in (("enable", "new"), ("disable", "kept"), ("set", "kept", "never")):
        refused = box.svcctl(*words, check=False)
        assert refused.returncode == 4 and "No space left on device" in refused.stderr, refused
        assert listing(box) == before, "something was left of it"
    box.kill_manager()
    box.wait_states({"kept": "ready", "new": "idle"})

    box.remove("/etc/svcd/filler")
    box.svcctl("enable", "new")
    box.wait_state("new", "ready")


def check_history(box):
    mount_small(box, "/var/lib/svcd")
    fill(box, "/var/lib/svcd")
    told = box.svcctl("disable", "new")
    assert "cannot be undone" in told.stdout + told.stderr, told
    box.wait_state("new", "idle")


with Sandbox(SERVICES, policy="[runlevel 2]\n") as box:
    box.wait_up()
    check_logs(box)
    check_policy(box)
    check_history(box)
