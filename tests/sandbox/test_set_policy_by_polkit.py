#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
ChangePolicy: polkit's org.svcd1.set-policy decides, a helper writes, and the change is in force
when the answer arrives.

Here a script takes the place of svcctl, which has its own tests.
"""


import subprocess

from deadline import wait_for
from polkit import NOBODY, BusMachine, Polkit, refused

HELPER = r"""#!/bin/sh
case "$1" in
--as-helper=*) ;;
*) exec /usr/bin/svcctl.real "$@" ;;
esac
echo "$*" >>/run/asked
case "$2 $3 $4" in
"set b never") printf '[service b]\nActivation=never\n' >/etc/svcd/policy.d/90-svcctl.policy; echo "b is never started." ;;
"set b silly") echo "silly is nothing that b can be" >&2; exit 1 ;;
"set b long") head -c 100000 /dev/zero | tr '\0' x ;;
"set b slow") mkfifo /run/go; read x </run/go; printf '[service a]\nActivation=never\n' >/etc/svcd/policy.d/91.policy ;;
"set b hung") echo $$ >/run/hung; kill -STOP $$ ;;
"set b dead") kill -KILL $$ ;;
*) exit 2 ;;
esac
"""


def words(*all_words):
    return "array:string:" + ",".join(all_words)


def change(box, *all_words, who=()):
    return box.manager("ChangePolicy", words(*all_words), who=who)


def answer(done):
    """Exit code and output."""
    assert done.returncode == 0, done
    first, _, rest = done.stdout.split("\n", 1)[1].strip().partition("\n")
    return int(first.split()[1]), rest.strip().removeprefix("string ").strip('"')


def polkit_is_asked_for_set_policy(box, polkit):
    polkit.says = "no"
    refused(change(box, "set", "b", "never", who=NOBODY), "org.svcd1.Error.NotAuthorized",
            "uid 65534 may not do this: polkit refuses org.svcd1.set-policy")
    assert polkit.asked[-1][1:3] == ("org.svcd1.set-policy", {"method": "ChangePolicy", "argument": "set b never"})
    assert not box.exists("/run/asked")
    assert box.state("b") == "ready"

    polkit.says = "yes"
    assert answer(change(box, "set", "b", "never", who=NOBODY)) == (0, "b is never started.\n")
    assert box.read("/run/asked") == "--as-helper=65534 set b never\n"
    # When the answer arrives, the change is in force: the service is stopping, and cannot be
    # started.
    refused(box.manager("Start", "string:b"), "org.svcd1.Error.PolicyDenied", "its policy is never")
    box.wait_state("b", "idle")


def pids_of_others_stay(box, pid):
    assert box.pid("a") == pid


def what_the_helper_says_is_passed_on(box):
    assert answer(change(box, "set", "b", "silly")) == (1, "silly is nothing that b can be\n")
    code, text = answer(change(box, "set", "b", "long"))
    assert len(text) <= 16 * 1024 and set(text) <= {"x"}, (code, len(text))
    refused(change(box, "set", "b", "dead"), "org.svcd1.Error.Failed", "was killed by signal 9")


def nothing_else_is_run(box):
    n_asked = box.read("/run/asked").count("\n")
    for bad in (("start", "b"), ("policy", "presets"), ("--root", "/tmp"), ("policy",)):
        refused(change(box, *bad), "org.svcd1.Error.InvalidArgument", f'"{bad[0]}" is not a change of policy')
    for option in ("--root", "--root=/tmp", "--as-helper=0"):
        refused(change(box, "set", "b", "never", option), "org.svcd1.Error.InvalidArgument",
                f"{option} cannot be used for changes over the bus")
    refused(change(box, "set", "b", "x" * 5000), "org.svcd1.Error.InvalidArgument", "at most 4096 bytes")
    assert box.read("/run/asked").count("\n") == n_asked


def begin(box, *all_words):
    return subprocess.Popen(box.command(["dbus-send", "--system", "--print-reply", "--reply-timeout=90000", "--dest=org.svcd1",
                                         "/org/svcd1", "org.svcd1.Manager.ChangePolicy", words(*all_words)]),
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def end(caller):
    out, err = caller.communicate(timeout=60)
    return subprocess.CompletedProcess([], caller.returncode, out, err)


def they_are_made_one_after_the_other(box):
    box.remove("/run/asked")
    slow = begin(box, "set", "b", "slow")
    wait_for(lambda: box.exists("/run/go"), what="the first is being made")
    waiting = [begin(box, "set", "b", "silly") for _ in range(20)]
    full = wait_for(lambda: [one for one in waiting if one.poll() is not None], what="more than 16 do not wait")
    wait_for(lambda: sum(one.poll() is not None for one in waiting) == 4, what="four are refused")
    assert box.read("/run/asked").count("\n") == 1
    assert box.manager("Restart", "string:a").returncode == 0, "everything else continues"
    assert "org.svcd1.Error.LimitReached" in end(full[0]).stderr
    waiting.remove(full[0])

    box.run("echo >/run/go")
    assert answer(end(slow)) == (0, "")
    done = [end(one) for one in waiting]
    assert sum(one.returncode == 0 for one in done) == 16, done
    assert box.read("/run/asked").count("\n") == 17
    box.wait_state("a", "idle")
    box.remove("/run/go")
    box.remove("/etc/svcd/policy.d/91.policy")
    box.svcctl("reload-files")
    box.wait_state("a", "ready")


def a_change_outlives_its_manager(box):
    caller = begin(box, "set", "b", "slow")
    wait_for(lambda: box.exists("/run/go"), what="it is being made")
    box.kill_manager()
    box.wait_up()
    assert end(caller).returncode != 0, "the connection ended without an answer"
    assert box.state("a") == "ready"
    box.run("echo >/run/go")
    box.wait_state("a", "idle")
    # The next request waited for the earlier changes.
    wait_for(lambda: box.manager("ListServices").returncode == 0, what="svcd is back on the bus")
    assert answer(change(box, "set", "b", "silly"))[0] == 1


def a_change_that_hangs_ends_for_the_next_manager_too(box):
    caller = begin(box, "set", "b", "hung")
    hung = wait_for(lambda: box.exists("/run/hung") and box.read("/run/hung").strip(), what="it hangs")
    box.kill_manager()
    box.wait_up()
    assert end(caller).returncode != 0, "the connection ended without an answer"
    wait_for(lambda: box.manager("ListServices").returncode == 0, what="svcd is back on the bus")
    waiting = begin(box, "set", "b", "silly")
    assert box.exists(f"/proc/{hung}") and waiting.poll() is None, "the next one waits"
    # The time limit of a change (LIMIT_CHANGE_US, 60 s) continues under the next manager.
    out, err = waiting.communicate(timeout=90)
    assert answer(subprocess.CompletedProcess([], waiting.returncode, out, err))[0] == 1, err
    assert not box.exists(f"/proc/{hung}")
    assert answer(change(box, "set", "b", "silly"))[0] == 1, "and the queue continues"


def svcctl_itself_makes_the_change(box, polkit):
    polkit.says = "yes"
    code, text = answer(change(box, "set", "b", "never", "--reason", "rule 12", who=NOBODY))
    assert code == 0, text
    box.wait_state("b", "idle")
    assert "rule 12" in box.read("/etc/svcd/policy.d/90-svcctl.policy")
    newest = box.svcctl_json("policy", "log")[0]
    assert newest["uid"] == 65534 and newest["command"].endswith("set b never --reason 'rule 12'"), newest
    code, text = answer(change(box, "set", "b", "silly", who=NOBODY))
    assert code != 0 and "silly" in text, (code, text)
    for editor in (("edit", "b"), ("edit", "--policy"), ("edit", "b", "Nice=1", "--policy")):
        code, text = answer(change(box, *editor, who=NOBODY))
        assert code == 7 and "only root may run svcctl edit" in text, (editor, code, text)

    code, text = answer(change(box, "undo", who=NOBODY))
    assert code == 0, text
    box.wait_state("b", "ready")


with BusMachine(has_polkit=False) as machine:
    authority = Polkit(machine.address, "yes")
    svcctl_itself_makes_the_change(machine, authority)
    authority.leave()
    machine.run("mv /usr/bin/svcctl /usr/bin/svcctl.real")
    machine.write("/usr/bin/svcctl", HELPER, mode=0o755)
    authority = Polkit(machine.address, "no")
    pid_of_a = machine.pid("a")
    polkit_is_asked_for_set_policy(machine, authority)
    pids_of_others_stay(machine, pid_of_a)
    what_the_helper_says_is_passed_on(machine)
    nothing_else_is_run(machine)
    they_are_made_one_after_the_other(machine)
    a_change_outlives_its_manager(machine)
    a_change_that_hangs_ends_for_the_next_manager_too(machine)
    authority.leave()
