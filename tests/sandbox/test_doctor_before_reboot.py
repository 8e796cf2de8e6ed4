#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""doctor predicts whether the present logins will exist after a reboot: remote, on the screen and
on the consoles."""

from sandbox import Sandbox

SLEEP = "[Service]\nExec=/bin/sleep infinity\n"
SERVICES = {
    "ssh": SLEEP,
    "gdm": SLEEP + "[Conditions]\nProvides=$x-display-manager\n",
    "getty@": SLEEP + "[Conditions]\nProvides=$text-login\n",
    "other": SLEEP,
}
POLICY = "[runlevel 2]\nActivate=ssh gdm getty@tty1\n[service other]\nActivation=on-demand\n"


def findings(box):
    return {(one["level"], one["finding"]): one["next"] for one in box.svcctl_json("doctor", check=False)["data"]
            if one["check"] == "reboot"}


def expect(box, level, finding, advice):
    found = findings(box)
    assert found.get((level, finding)) == advice, found


with Sandbox(SERVICES, policy=POLICY) as box:
    box.wait_states({"ssh": "ready", "gdm": "ready", "getty@tty1": "ready"})
    box.svcctl("start", "other")
    assert list(findings(box)) == [("ok", "a login will be possible after a reboot: gdm, getty@tty1, ssh")], findings(box)

    # An admin started these services only until the reboot.
    box.svcctl("disable", "ssh")
    box.svcctl("set", "ssh", "boot", "--until-reboot")
    box.wait_state("ssh", "ready")
    expect(box, "warning", "ssh (the remote login) runs, but nothing will start it at the next boot", "svcctl enable ssh")
    box.svcctl("start", "getty@tty2")
    expect(box, "warning", "getty@tty2 (the login on a console) runs, but nothing will start it at the next boot",
           "svcctl enable getty@tty2")

    # An error in a file: the last version without errors is used at the next boot.
    box.write("/etc/svcd/services.d/gdm.svc", SERVICES["gdm"] + "Whne=flag:x\n")
    assert not any("gdm (the login screen)" in finding for _, finding in findings(box)), findings(box)

    box.run("mv /etc/svcd/services.d/ssh.svc /root")
    expect(box, "error", "ssh (the remote login) runs, but no file that the next boot reads describes it", None)
    box.run("mv /root/ssh.svc /etc/svcd/services.d")
    box.write("/etc/svcd/services.d/gdm.svc", SERVICES["gdm"])
    box.svcctl("enable", "ssh", "getty@tty2")
    assert list(findings(box)) == [("ok", "a login will be possible after a reboot: gdm, getty@tty1, getty@tty2, ssh")], findings(box)
