#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""svcctl run by a user without root: polkit decides, the change is made as root, and the history
has the user's name."""

import json

from polkit import NOBODY, BusMachine, Polkit

OURS = "/etc/svcd/policy.d/90-svcctl.policy"


def as_nobody(box, *argv):
    return box.run(*NOBODY, "/usr/bin/svcctl", *argv, check=False)


with BusMachine(has_polkit=False) as box:
    authority = Polkit(box.address, "no")
    pid = box.pid("a")
    refused = as_nobody(box, "set", "b", "never", "--reason", "two words")
    assert refused.returncode == 7, refused
    assert "set-policy" in refused.stderr and "svcctl set b never --reason 'two words'" in refused.stderr, refused
    assert not box.exists(OURS)

    authority.says = "yes"
    done = as_nobody(box, "--json", "set", "b", "never", "--reason", "two words")
    assert done.returncode == 0, done
    answer = json.loads(done.stdout)
    assert answer["exit"] == 0 and answer["data"]["stops"] == ["b"], answer
    box.wait_state("b", "idle")
    assert box.pid("a") == pid
    step = box.svcctl_json("policy", "log")[0]
    assert step["uid"] == 65534 and step["command"].startswith("svcctl set"), step

    log = as_nobody(box, "policy", "log")
    assert log.returncode == 7 and log.stdout == "", log
    assert log.stderr == ("svcctl: only root may read /var/lib/svcd/policy-history\n"
                          "  sudo svcctl policy log\n"), log
    assert box.run("stat -c %a /var/lib/svcd/policy-history").stdout == "700\n"

    wrong = as_nobody(box, "enable", "nobodys")
    assert wrong.returncode == 4 and "no file describes a service named nobodys" in wrong.stderr, wrong
    undone = as_nobody(box, "undo")
    assert undone.returncode == 0, undone
    box.wait_state("b", "ready")

    # Not permitted: an editor that runs as root, other files that root would write, another user's
    # name in the history.
    for argv in (("edit", "b"), ("policy", "presets", "ssh-always"), ("import", "--sysv")):
        assert as_nobody(box, *argv).returncode == 7, argv
    assert as_nobody(box, "--as-helper=0", "set", "b", "never").returncode == 7
    assert as_nobody(box, "set", "b", "never", "--as-helper=0").returncode == 7
    assert as_nobody(box, "policy", "b").returncode == 0
    assert box.state("b") == "ready"
    authority.leave()
