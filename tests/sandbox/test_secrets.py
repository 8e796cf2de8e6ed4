#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
A user can read neither a service file that only root may read, nor the output of a health command.

Neither is in Diagnostics, in the properties of the service or in svcctl's output.
"""

import os

from deadline import wait_for
from polkit import BusMachine

NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
SECRET = "hunter2"
FILE = "/etc/svcd/services.d/leaky.svc"
SERVICES = {
    "a": "[Service]\nExec=/bin/sleep infinity\n",
    "b": "[Service]\nExec=/bin/sleep infinity\n",
    "waits": "[Service]\nExec=/bin/sleep infinity\nHealthCommand=/bin/sh -c \"cat /root/secret; exit 1\"\nHealthInterval=100ms\nHealthAction=none\n",
}


def answers(box, who):
    """The answers that a user gets about the file and the health command."""
    path = box.send("org.svcd1.Manager.GetService", "string:waits").stdout.split('"')[1]
    properties = box.run(*who, "dbus-send", "--system", "--print-reply", "--dest=org.svcd1", path,
                         "org.freedesktop.DBus.Properties.GetAll", "string:org.svcd1.Service", check=False)
    diagnostics = box.manager("Diagnostics", who=who)
    assert properties.returncode == 0 and diagnostics.returncode == 0, (properties, diagnostics)
    screens = [box.run(*who, "/usr/bin/svcctl", *words, check=False)
               for words in (("status", "waits"), ("explain", "waits"), ("status", "waits", "--json"), ("check",), ("doctor",), ("log", "waits"))]
    return properties.stdout, diagnostics.stdout, "".join(done.stdout + done.stderr for done in screens)


with BusMachine(has_polkit=False, services=SERVICES) as box:
    box.write("/root/secret", f"{SECRET}-health\n", 0o600)
    box.write(FILE, f"[Service]\nExec=/bin/sleep infinity\nPassword={SECRET}-file\nUMask={SECRET}-value\n")
    os.chmod(box.path(FILE), 0o600)
    box.svcctl("reload-files", check=False)
    wait_for(lambda: f"{SECRET}-health" in box.svcctl("log", "waits").stdout, what="the health command has written its line")
    wait_for(lambda: "unhealthy" in box.run(*NOBODY, "/usr/bin/svcctl", "status", "waits").stdout.lower(), what="the service is unhealthy")

    of_root = answers(box, ())
    assert f"{SECRET}-value" in of_root[2] and f"{SECRET}-health" in of_root[2], of_root

    of_user = answers(box, NOBODY)
    assert not any(SECRET in answer for answer in of_user), of_user
    assert FILE in of_user[1], of_user[1] # the existence of an error is no secret
