#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""log reports if a user may not read it, and where a service with syslog(3) writes; "has written
nothing" is true."""

from deadline import wait_for
from sandbox import Sandbox

USER = ("setpriv", "--reuid=1000", "--regid=1000", "--clear-groups", "/usr/bin/svcctl")
SERVICES = {"talks": "[Service]\nExec=/bin/sh -c 'echo hello; exec sleep infinity'\n", "silent": "[Service]\nExec=/bin/sleep infinity\n"}
AUTH = "2026-11-28T05:00:01 box sshd[7]: Server listening\n"

with Sandbox(SERVICES, files={"/var/log/auth.log": AUTH, "/var/log/syslog": AUTH.replace("sshd", "CRON")}) as box:
    box.wait_states({"talks": "ready", "silent": "ready"})

    wait_for(lambda: box.svcctl("log", "talks").stdout.endswith(" hello\n"), what="its line is there")
    assert box.svcctl("log", "silent").stdout == "silent has written nothing\n"

    done = box.run(*USER, "log", "talks", check=False)
    assert done.returncode == 7 and done.stdout == "", done
    assert done.stderr.startswith("svcctl: permission denied: only root and the operators of talks may read its log; "), done

    box.write("/var/log/syslog", AUTH.replace("sshd", "sleep"))
    assert box.svcctl("log", "silent").stdout == "silent writes to the system log: grep 'sleep\\[' /var/log/syslog\n"
