#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""list --processes finds the processes of services."""

from sandbox import Sandbox

FAMILY = "[Service]\nExec=/bin/sh -c 'sleep 1000 & exec sleep 2000'\nUser=nobody\n"

with Sandbox({"family": FAMILY}) as box:
    box.wait_state("family", "ready")
    rows = box.svcctl_json("list", "--processes", "family")
    assert sorted(row["command"] for row in rows) == ["sleep 1000", "sleep 2000"], rows
    assert {row["user"] for row in rows} == {"nobody"} and all(row["rss_bytes"] > 0 for row in rows), rows
    assert box.svcctl_json("list", "--processes", "family", "-o", "pss_bytes")[0]["pss_bytes"] > 0
    assert "sleep 2000" in box.svcctl("list", "--processes", "f*").stdout
