#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
A power failure between two files of one change ("revert web"): the boot completes the undo or the
change.

This happens before half a change starts any service that waits for file systems.
"""

from sandbox import Sandbox

OURS = "/etc/svcd/policy.d/90-svcctl.policy"
DROP_IN = "/etc/svcd/services.d/web.svc.d/90-svcctl.conf"
HISTORY = "/var/lib/svcd/policy-history"
WEB = ("[Service]\nExec=/bin/sh -c 'touch /run/web-was-started; exec sleep infinity'\n"
       "[Conditions]\nAfter=$local_fs\n")
POLICY = "[runlevel 2]\nActivate=web other\n"
OLD_POLICY = "[service web]\nActivation=never\nReason=old\n\n[service other]\nReason=mine\n"
NEW_POLICY = "[service other]\nReason=mine\n"
OLD_DROP_IN = "[Service]\nNice=5\n"


def record(*files):
    """svcctl's record in the history before it changes the first file: (path, before, after) of
    each."""
    def text(word, content):
        return f"{word} absent\n" if content is None else f"{word} {len(content)}\n{content}\n"

    command = "svcctl undo web"
    head = f"svcd policy history 1\nat 1763771281000000\nuid 0\nundoes 0\ncommand {len(command)}\n{command}\n"
    return head + "".join(f"file {len(path)}\n{path}\naccess 0600 0 0\n{text('before', before)}{text('after', after)}"
                          for path, before, after in files) + "end\n"


BEGUN = record((OURS, OLD_POLICY, NEW_POLICY), (DROP_IN, OLD_DROP_IN, None))


def boot(files, begun=BEGUN):
    return Sandbox({"web": WEB, "other": WEB.replace("web", "other")}, policy=POLICY, root="debian", vendor=True,
                   files={f"{HISTORY}/000007.begun": begun, **files})


def check_ended(box, name):
    box.wait_state("policy-recover", "done")
    box.wait_state("other", "ready")
    assert box.run("ls", HISTORY).stdout == name, box.run("ls", HISTORY).stdout
    # svcd has read its files again since, and has no warnings left.
    said = box.svcctl("explain").stdout
    assert "begun" not in said, said
    assert "no change of policy was cut off" in box.svcctl("policy", "recover").stdout


# The first file is new, the second one old. The change was never reported as done, so both become
# old.
with boot({OURS: NEW_POLICY, DROP_IN: OLD_DROP_IN}) as box:
    check_ended(box, "")
    assert box.read(OURS) == OLD_POLICY and box.read(DROP_IN) == OLD_DROP_IN
    assert box.state("web") == "idle" and box.svcctl_json("policy", "web")["activation"] == "never"
    assert not box.exists("/run/web-was-started"), "web was started by half a change"
    assert "step 7 (svcctl undo web) was cut off: its files are as they were before" in \
        box.svcctl("log", "policy-recover").stdout

# The same for a file that the change removed before it wrote the other one: its readers are the
# same as before.
with boot({OURS: OLD_POLICY}, record((DROP_IN, OLD_DROP_IN, None), (OURS, OLD_POLICY, NEW_POLICY))) as box:
    check_ended(box, "")
    assert box.read(OURS) == OLD_POLICY and box.read(DROP_IN) == OLD_DROP_IN
    assert box.run("stat", "--format=%a", DROP_IN).stdout == "600\n"
    assert not box.exists("/run/web-was-started")

# Both are new, only the step's final name was missing: it is complete, and can be undone.
with boot({OURS: NEW_POLICY}) as box:
    check_ended(box, "000007.step\n")
    box.wait_state("web", "ready")
    assert box.svcctl_json("policy", "log")[0]["step"] == 7
    box.svcctl("undo")
    box.wait_state("web", "idle")
    assert box.read(OURS) == OLD_POLICY

# A user changed a file since: nothing is overwritten.
with boot({OURS: NEW_POLICY, DROP_IN: "[Service]\nNice=7\n"}) as box:
    check_ended(box, "")
    assert box.read(OURS) == NEW_POLICY and box.read(DROP_IN) == "[Service]\nNice=7\n"
    box.wait_state("web", "ready")
