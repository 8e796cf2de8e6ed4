#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""svcctl names each file on the disk that svcd has not read, and the command that reads it."""

from sandbox import Sandbox

SLEEP = "[Service]\nExec=/bin/sleep infinity\n"
DIRECTORY = "/etc/svcd/services.d"
SCRIPT = "#!/bin/sh\n### BEGIN INIT INFO\n# Provides: old\n### END INIT INFO\nexit 0\n"


def refusal(box, verb, name):
    done = box.svcctl(verb, name, check=False)
    assert done.returncode == 4, done
    return done.stderr


with Sandbox({"web": SLEEP}) as box:
    box.wait_state("web", "ready")
    assert "reload-files" not in refusal(box, "start", "new")

    # New files.
    box.write(f"{DIRECTORY}/new.svc", SLEEP)
    box.write(f"{DIRECTORY}/many@.svc", SLEEP)
    box.write("/etc/init.d/old", SCRIPT, 0o755)
    for verb in ("start", "status", "explain", "restart"):
        said = refusal(box, verb, "new")
        hint = "exists and has not been read yet: svcctl reload-files"
        assert f"{DIRECTORY}/new.svc {hint}" in said, said
    assert f"{DIRECTORY}/many@.svc exists" in refusal(box, "start", "many@1")
    assert "/etc/init.d/old exists" in refusal(box, "start", "old")

    # A changed file, and a drop-in.
    changed = f"{DIRECTORY}/web.svc has changed since svcd read it"
    assert "has changed since" not in box.svcctl("restart", "web").stdout + box.svcctl("status", "web").stdout
    box.write(f"{DIRECTORY}/web.svc", SLEEP + "# a remark\n")
    assert f"{changed}: svcctl reload-files" in box.svcctl("restart", "web").stdout
    assert changed in " ".join(box.svcctl("status", "web").stdout.split())
    box.svcctl("reload-files")
    assert "has changed since" not in box.svcctl("restart", "web").stdout + box.svcctl("status", "web").stdout
    box.write(f"{DIRECTORY}/web.svc.d/more.conf", "[Service]\nDescription=more\n")
    assert f"{DIRECTORY}/web.svc.d has changed since" in box.svcctl("restart", "web").stdout

    box.svcctl("reload-files")
    box.svcctl("start", "new", "many@1", "old")
