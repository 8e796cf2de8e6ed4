#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""svcctl doctor finds each defect and gives the command to type; svcctl doctor --security deducts
no points for a setting that follows its advice."""

import re
import shlex

from deadline import wait_for
from sandbox import Sandbox

SERVICES = {"a": "[Service]\nExec=/usr/local/bin/daemon infinity\n", "b": "[Service]\nExec=/bin/sleep infinity\n"}
BUS_FILE = "[D-BUS Service]\nName=org.example.Odd\nExec=/bin/false\nSystemdService=odd.service\nUser=root\n"
# The findings about the sandbox itself.
usual = set()


def findings(box):
    answer = box.svcctl_json("doctor", check=False)
    data = answer["data"]
    bad = [one for one in data if one["level"] in ("warning", "error")]
    assert all(one["next"] for one in bad) and answer["exit"] == (3 if bad else 0), answer
    return {one["check"]: one for one in data if one["level"] != "ok" and one["finding"] not in usual}


def expect(box, check, words, what_to_type):
    found = findings(box)
    assert check in found and words in found[check]["finding"], (check, found)
    assert what_to_type in (found[check]["next"] or ""), found[check]


with Sandbox(SERVICES) as box:
    box.run("cp /bin/sleep /usr/local/bin/daemon")
    box.svcctl("restart", "a")
    box.wait_states({"a": "ready", "b": "ready"})
    usual = {one["finding"] for one in box.svcctl_json("doctor", check=False)["data"] if one["check"] in ("init", "bus-files", "units")}
    assert not findings(box), findings(box)

    box.run("mkdir -p /run/systemd/system")
    expect(box, "systemd", "/run/systemd/system exists", "rmdir /run/systemd/system")
    box.run("rmdir /run/systemd/system")

    box.run("chmod g+w /etc/svcd/services.d")
    expect(box, "permissions", "may write to /etc/svcd/services.d", "chmod go-w /etc/svcd/services.d")
    box.run(*shlex.split(findings(box)["permissions"]["next"]))
    box.run("chown 7 /etc/svcd/policy.d")
    expect(box, "permissions", "belongs to uid 7", "chown root:root /etc/svcd/policy.d")
    box.run(*shlex.split(findings(box)["permissions"]["next"]))

    box.run("mkdir -p /etc/default")
    box.write("/etc/default/a", "# START_DAEMON=no\nSTART_DAEMON=yes\n")
    assert "switches" not in findings(box)
    box.write("/etc/default/a", "OPTIONS=-x\nSTART_DAEMON=\"no\"\n")
    expect(box, "switches", 'START_DAEMON="no"', "svcctl set a never")
    box.remove("/etc/default/a")

    box.run("mkdir /etc/svcd/services.d/gone.svc.d")
    expect(box, "leftovers", "gone.svc.d is about a service that is not installed", "rm -r /etc/svcd/services.d/gone.svc.d")
    box.run(*shlex.split(findings(box)["leftovers"]["next"]))

    box.run("cp /bin/sleep /usr/local/bin/new && mv /usr/local/bin/new /usr/local/bin/daemon")
    expect(box, "replaced", "a (pid ", "svcctl restart a")
    box.svcctl("restart", "a")
    assert "replaced" not in findings(box)

    box.run("mkdir -p /usr/share/dbus-1/system-services")
    box.write("/usr/share/dbus-1/system-services/org.example.Odd.service", BUS_FILE)
    expect(box, "bus-files", "nothing can start org.example.Odd", "svcctl import /lib/systemd/system/odd.service")
    box.remove("/usr/share/dbus-1/system-services/org.example.Odd.service")

    box.write("/etc/svcd/services.d/bad.svc", "[Service]\nExec=/bin/x\nRestrat=no\n")
    box.svcctl("reload-files", check=False)
    wait_for(lambda: "manager" in findings(box), what="the new file is read")
    expect(box, "manager", "reports 1 problem in", "svcctl check")
    box.remove("/etc/svcd/services.d/bad.svc")
    box.svcctl("reload-files")
    wait_for(lambda: not findings(box), what="all is well again")

    box.run("cp /usr/sbin/svcd /usr/sbin/svcd.new && mv /usr/sbin/svcd.new /usr/sbin/svcd")
    expect(box, "versions", "replaced on disk", "svcctl reexec")
    shown = box.svcctl("doctor", check=False)
    assert shown.returncode == 3 and "svcctl reexec" in shown.stdout and "\x1b" not in shown.stdout, shown

    # Any user can run doctor. It lists the checks that only root can make.
    done = box.run("setpriv", "--reuid=65534", "--clear-groups", "--", "/usr/bin/svcctl", "doctor", check=False)
    assert done.returncode in (0, 3) and "only root" in done.stdout, done

    # Each command of the audit works, and restores the deducted points.
    first = box.svcctl_json("doctor", "--security", "b")[0]
    assert first["points"] > 10 and len(first["findings"]) >= 11, first
    assert box.svcctl_json("doctor", "--security")[0]["points"] >= first["points"]
    for one in first["findings"]:
        if one["check"] in ("user", "program"):
            continue
        box.run("/bin/sh", "-c", one["next"])
        left = box.svcctl_json("doctor", "--security", "b")[0]
        assert one["check"] not in {rest["check"] for rest in left["findings"]}, (one, left)
    assert {one["check"] for one in box.svcctl_json("doctor", "--security", "b")[0]["findings"]} == {"user"}
    assert box.svcctl("check", check=False).returncode == 0
    box.run("chmod o+w /usr/local/bin/daemon")
    program = [one for one in box.svcctl_json("doctor", "--security", "a")[0]["findings"] if one["check"] == "program"]
    assert program and re.search(r"chmod go-w /usr/local/bin/daemon", program[0]["next"]), program
    box.run(*shlex.split(program[0]["next"]))
    assert "program" not in {one["check"] for one in box.svcctl_json("doctor", "--security", "a")[0]["findings"]}
    text = box.svcctl("doctor", "--security", "a").stdout
    assert "All settings at once" in text and "svcctl edit a " in text, text
    assert box.svcctl("doctor", "--security", "--root", "/", "a").returncode == 0
    assert box.svcctl("doctor", "--security", "nosuch", check=False).returncode == 4
