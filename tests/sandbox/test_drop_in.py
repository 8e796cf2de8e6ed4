#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Drop-ins change single keys: /etc over /usr, an empty value clears a list, cat shows the origin
of each."""

from deadline import wait_for
from sandbox import Sandbox

FILES = {
    "/usr/lib/svcd/services.d/a.svc": "[Service]\nExec=/bin/sh -c \"env >/run/env; exec sleep infinity\"\n"
                                      "Environment=FROM=vendor\nEnvironment=OTHER=vendor\nNice=3\n",
    "/etc/svcd/services.d/a.svc.d/10-first.conf": "[Service]\nEnvironment=\nEnvironment=FROM=first\nNice=4\n",
    "/etc/svcd/services.d/a.svc.d/20-second.conf": "[Service]\nNice=5\n",
}

with Sandbox(files=FILES, policy="[runlevel 2]\nActivate=a\n") as box:
    pid = box.wait_state("a", "ready")["pid"]
    wait_for(lambda: box.exists("/run/env") and "FROM=" in box.read("/run/env"), what="the service ran")

    assert "FROM=first" in box.read("/run/env") and "OTHER=" not in box.read("/run/env")
    assert box.read(f"/proc/{pid}/stat").rsplit(")", 1)[1].split()[16] == "5"
    shown = box.svcctl("cat", "a").stdout
    assert "20-second.conf" in shown and "10-first.conf" in shown and "services.d/a.svc" in shown, shown
