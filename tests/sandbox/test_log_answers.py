#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""svcctl log reports that a user may not read a log. For a service that uses syslog(3) it names the
file of the system log. It reports "has written nothing" only if that is true."""

from deadline import wait_for
from sandbox import Sandbox

USER = ("setpriv", "--reuid=1000", "--regid=1000", "--clear-groups", "/usr/bin/svcctl")
SERVICES = {"talks": "[Service]\nExec=/bin/sh -c 'echo hello; exec sleep infinity'\n", "silent": "[Service]\nExec=/bin/sleep infinity\n"}
AUTH = "2026-11-28T05:00:01 box sshd[7]: Server listening\n"

with Sandbox(SERVICES, files={"/var/log/auth.log": AUTH, "/var/log/syslog": AUTH.replace("sshd", "CRON")}) as box:
    box.wait_states({"talks": "ready", "silent": "ready"})

    wait_for(lambda: box.svcctl("log", "talks").stdout.endswith(" hello\n"), what="its line has arrived")
    assert box.svcctl("log", "silent").stdout == "silent has written nothing\n"

    done = box.run(*USER, "log", "talks", check=False)
    assert done.returncode == 7 and done.stdout == "", done
    assert done.stderr.startswith("svcctl: permission denied: only root and the operators of talks may read its log; "), done

    # svcctl cannot know about lines in the system log if the user may not read it.
    box.run("chmod 640 /var/log/syslog")
    done = box.run(*USER, "log", "silent")
    assert done.stdout == ("silent has written nothing to svcd; only root and the group adm may read "
                           "the system log\n"), done

    box.write("/var/log/syslog", AUTH.replace("sshd", "sleep"))
    assert box.svcctl("log", "silent").stdout == "silent writes to the system log: grep 'sleep\\[' /var/log/syslog\n"
