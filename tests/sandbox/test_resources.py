#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Resource limits are in the service's cgroup before it runs; without a controller the service
starts, with a warning."""

from sandbox import Sandbox

LIMITED = "[Service]\nExec=/bin/sleep infinity\nMemoryMax=64M\nTasksMax=20\n"

with Sandbox({"limited": LIMITED, "other": LIMITED, "free": "[Service]\nExec=/bin/sleep infinity\n"}) as box:
    box.wait_states({"limited": "ready", "other": "ready", "free": "ready"})
    told = {name: box.svcctl_json("status", name)[0]["resource_problem"] or "" for name in ("limited", "other", "free")}

    assert told["free"] == "", told
    if "controller of cgroup v2 here" in told["limited"]:
        lack = "MemoryMax= has no effect: there is no memory controller of cgroup v2 here"
        assert lack in told["limited"] and lack in told["other"], told
        assert lack in box.svcctl("status", "limited").stdout
        explained = box.svcctl_json("explain", "limited")[0]["reasons"]
        assert [row["text"] for row in explained if row["kind"] == "limits"] == [told["limited"] + "."], explained
        assert not [row for row in box.svcctl_json("explain", "free")[0]["reasons"] if row["kind"] == "limits"]
        assert box.console().count("has no effect: ") == 2, "it is reported once, for both limits"
    else:
        assert told["limited"] == "", told
        group = box.svcctl_json("status", "limited")[0]["cgroup"]
        assert box.read(group + "/memory.max").strip() == str(64 << 20)
        assert box.read(group + "/pids.max").strip() == "20"

    # Another manager also knows the problem.
    box.kill_manager()
    box.wait_at_rest()
    assert (box.svcctl_json("status", "limited")[0]["resource_problem"] or "") == told["limited"]
