#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""stop of a needed service is refused with the names of its dependents; --with-dependents stops
them, and lists them."""

from sandbox import Sandbox

SLEEP = "[Service]\nExec=/bin/sleep infinity\n"
SERVICES = {"base": SLEEP, "user": SLEEP + "[Conditions]\nWhile=service:base\n", "last": SLEEP + "[Conditions]\nWhile=service:user\n"}

with Sandbox(SERVICES) as box:
    box.wait_states({"base": "ready", "user": "ready", "last": "ready"})

    refused = box.svcctl("stop", "base", check=False)
    assert refused.returncode == 8, refused
    assert "user" in refused.stderr and "--with-dependents" in refused.stderr, refused.stderr
    assert box.state("base") == "ready"

    told = box.svcctl("stop", "base", "--with-dependents").stdout
    assert told.startswith("base: the services that need it stop, too: user, last\n") and told.endswith("base stopped\n"), told
    box.wait_states({"base": "idle", "user": "waiting", "last": "waiting"})
