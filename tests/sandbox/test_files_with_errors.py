#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""reload-files and restart succeed only if the files are in force; otherwise they show the error
and return exit code 10."""

from sandbox import Sandbox

SLEEP = "[Service]\nExec=/bin/sleep infinity\n"
WEB = "/etc/svcd/services.d/web.svc"
ERROR = f'{WEB}:3: unknown key Restrat= in [Service]; did you mean Restart=?'

with Sandbox({"web": SLEEP, "other": SLEEP}) as box:
    box.wait_states({"web": "ready", "other": "ready"})

    done = box.svcctl("reload-files")
    assert done.stdout == "2 services and the policy were read, no errors\n", done.stdout
    box.write("/etc/svcd/services.d/other.svc", "[Service]\nExec=/bin/sleep 12345\n")
    done = box.svcctl("reload-files")
    assert "To apply the changed files to running services: svcctl restart other\n" in done.stdout, done.stdout
    assert box.svcctl_json("reload-files")["changed"] == ["other"]

    pid = box.pid("web")
    box.write(WEB, SLEEP + "Restrat=always\n")
    done = box.svcctl("reload-files", check=False)
    assert done.returncode == 10 and ERROR in done.stdout and "1 error was found" in done.stderr, done
    assert "no errors" not in done.stdout and box.pid("web") == pid, done
    answer = box.svcctl_json("reload-files", check=False)
    assert answer["exit"] == 10 and answer["error"]["code"] == "InvalidConfiguration", answer
    assert [row["service"] for row in answer["data"]["diagnostics"]] == ["web"], answer

    done = box.svcctl("restart", "web", check=False)
    assert done.returncode == 10 and "web restarted" not in done.stdout, done
    assert "web was restarted with its earlier settings" in done.stderr and ERROR in done.stderr, done
    assert box.pid("web") not in (0, pid)

    box.write(WEB, SLEEP)
    box.svcctl("reload-files")
    assert box.svcctl("restart", "web").stdout.endswith("web restarted\n")
