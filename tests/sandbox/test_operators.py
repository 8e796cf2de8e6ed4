#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Operators=: members of a group operate one service and read its log, without polkit; they have no
other right."""


import subprocess

from deadline import wait_for
from polkit import BusMachine, refused


def user(uid, *groups):
    return ("setpriv", f"--reuid={uid}", f"--regid={uid}",
            f"--groups={','.join(map(str, groups))}" if groups else "--clear-groups")


MEMBER = user(1001, 2000)
BY_NUMBER = user(1002, 2001)
STRANGER = user(1003, 2002)
WEB_GROUP = 2000

SERVICES = {
    "web": "[Service]\nExec=/bin/sh -c 'echo hello from web; exec sleep infinity'\nReload=signal:HUP\n",
    "other": "[Service]\nExec=/bin/sh -c 'echo secret; exec sleep infinity'\n",
    "leans": "[Service]\nExec=/bin/sleep infinity\n[Conditions]\nWhile=service:web\n",
    "rival": "[Service]\nExec=/bin/sleep infinity\n[Conditions]\nConflicts=web\n",
    "cart": "[Service]\nExec=/bin/sleep infinity\n[Conditions]\nWhen=service:rival\n",
    "wagon": "[Service]\nExec=/bin/sleep infinity\n[Conditions]\nWhile=service:coal\n",
    "coal": "[Service]\nExec=/bin/sleep infinity\n",
    "alcohol": "[Service]\nExec=/bin/sleep infinity\n[Conditions]\nConflicts=coal\n",
    "puller": "[Service]\nExec=/bin/sleep infinity\n[Conditions]\nWhen=service:alcohol\n",
    "desk@": "[Service]\nExec=/bin/sleep infinity\n",
    "stall@": "[Service]\nExec=/bin/sleep infinity\n",
    "stand": "[Service]\nExec=/bin/sleep infinity\n[Conditions]\nProvides=stall@1\n",
    "checked": "[Service]\nExec=/bin/sleep infinity\nCheckCommand=/bin/sh -c 'echo x >>/run/checks; until [ -e /run/go ]; do sleep 0.02; done'\n",
    "late": "[Service]\nExec=/bin/sleep infinity\n[Conditions]\nWhile=service:checked\n",
    "seat@": "[Service]\nExec=/bin/sleep infinity\n[Conditions]\nConflicts=other\n",
}
WANTED = "[runlevel 2]\nActivate=web other\n"
OPERATORS = "[service web]\nOperators=nosuchgroup webmasters 2001\n"
MORE_OPERATORS = "".join(f"[service {name}]\nOperators=webmasters\n" for name in ("puller", "desk@", "seat@", "stand", "nosuch@", "checked"))
LIMIT_INSTANCES = 32
DENIED = "org.svcd1.Error.NotAuthorized"


def reload_policy(box, text):
    box.write("/etc/svcd/policy.d/test.policy", text)
    box.svcctl("reload-files")


def done(box, method, who):
    args = ["string:web"] + (["boolean:false"] if method == "Stop" else [])
    answer = box.manager(method, *args, who=who)
    assert answer.returncode == 0, answer


def members_operate_it(box):
    for who, uid in ((MEMBER, 1001), (BY_NUMBER, 1002)):
        done(box, "Stop", who)
        row = box.wait_state("web", "idle")
        assert f"uid {uid}" in row["cause"], row
        done(box, "Start", who)
        box.wait_state("web", "ready")
        pid = box.pid("web")
        done(box, "Restart", who)
        wait_for(lambda: box.pid("web") not in (0, pid), what="it is another process")  # pylint: disable=cell-var-from-loop
        box.wait_state("web", "ready")
        done(box, "Clear", who)


def nothing_else_is_theirs(box):
    for method, args in (("Stop", ("string:other", "boolean:false")), ("Start", ("string:rival",)),
                         ("Restart", ("string:other",)), ("Stop", ("string:other", "boolean:true")),
                         ("ReloadFiles", ()), ("Reexec", ()), ("Shutdown", ("string:poweroff",)),
                         ("SetRunlevel", ("string:3",)), ("SetFlag", ("string:f", "boolean:true")),
                         ("ChangePolicy", ("array:string:set,web,boot",)),
                         ("Activate", ("string:org.example.Web", "string:")),
                         ("WatchCondition", ("string:path:/root/x", "boolean:true"))):
        refused(box.manager(method, *args, who=MEMBER), DENIED, "uid 1001 may not")
    assert box.state("other") == "ready"


def strangers_may_nothing(box):
    for method, args in (("Stop", ("string:web", "boolean:false")), ("Start", ("string:web",)), ("Restart", ("string:web",)),
                         ("Reload", ("string:web",)), ("Clear", ("string:web",))):
        refused(box.manager(method, *args, who=STRANGER), DENIED, "uid 1003 may not")
    assert box.state("web") == "ready"


def what_goes_down_with_it_must_be_theirs_too(box):
    box.svcctl("start", "leans")
    box.wait_state("leans", "ready")
    refused(box.manager("Stop", "string:web", "boolean:false", who=MEMBER), "org.svcd1.Error.Busy", "leans")
    refused(box.manager("Stop", "string:web", "boolean:true", who=MEMBER), DENIED, "uid 1001 may not")
    refused(box.manager("Restart", "string:web", who=MEMBER), DENIED, "uid 1001 may not")
    assert (box.state("web"), box.state("leans")) == ("ready", "ready")
    reload_policy(box, WANTED + OPERATORS + "[service leans]\nOperators=webmasters\n")
    wait_for(lambda: box.manager("Stop", "string:web", "boolean:true", who=MEMBER).returncode == 0,
             what="both are theirs, and stop together")
    box.wait_state("web", "idle")
    box.svcctl("stop", "leans")

    # A start would stop a conflicting service.
    box.svcctl("start", "rival")
    box.wait_state("rival", "ready")
    refused(box.manager("Start", "string:web", who=MEMBER), DENIED, "the request may also stop rival,")
    assert box.state("rival") == "ready"
    box.svcctl("stop", "rival")
    done(box, "Start", MEMBER)
    box.wait_state("web", "ready")


def needs_end_nothing_that_is_not_theirs(box):
    box.svcctl("start", "wagon")
    box.wait_state("wagon", "ready")
    refused(box.manager("Start", "string:puller", who=MEMBER), DENIED, "the request may also stop coal,")
    assert (box.state("coal"), box.state("wagon"), box.state("alcohol")) == ("ready", "ready", "idle")
    box.svcctl("stop", "wagon")
    box.wait_state("coal", "idle")
    assert box.manager("Start", "string:puller", who=MEMBER).returncode == 0, "a need is started with it"
    box.wait_state("puller", "ready")
    box.wait_state("alcohol", "ready")


def what_is_started_while_a_check_runs_is_safe(box):
    """The rights are checked again when the request is carried out."""
    box.svcctl("start", "checked")
    box.wait_state("checked", "ready")
    for method, args in (("Restart", ()), ("Stop", ("boolean:true",))):
        box.run("rm", "-f", "/run/go", "/run/checks")
        call = subprocess.Popen(box.command([*MEMBER, "dbus-send", "--system", "--print-reply", "--reply-timeout=60000",
                                             "--dest=org.svcd1", "/org/svcd1", f"org.svcd1.Manager.{method}", "string:checked", *args]),
                                stderr=subprocess.PIPE, text=True)
        wait_for(lambda: box.exists("/run/checks"), what="the check runs")
        box.svcctl("start", "late")
        box.wait_state("late", "ready")
        pids = box.pid("checked"), box.pid("late")
        box.write("/run/go", "")
        told = call.communicate(timeout=60)[1]
        assert call.returncode != 0 and DENIED in told and "the request may also stop late," in told, told
        assert (box.pid("checked"), box.pid("late")) == pids
        box.svcctl("stop", "late")
        box.wait_state("late", "idle")
    assert box.manager("Restart", "string:checked", who=MEMBER).returncode == 0
    box.svcctl("stop", "checked", "--force")


def a_clear_that_ends_something_is_refused(box):
    box.svcctl("start", "leans")
    box.wait_state("leans", "ready")
    box.svcctl("stop", "--with-dependents", "web")
    box.wait_state("web", "idle")
    box.svcctl("clear", "rival")
    box.svcctl("start", "cart")
    box.wait_state("rival", "ready")
    refused(box.manager("Clear", "string:web", who=MEMBER), DENIED, "the request may also stop rival,")
    assert box.state("rival") == "ready"
    for name in ("cart", "leans"):
        box.svcctl("stop", name)
    box.wait_state("rival", "idle")
    done(box, "Clear", MEMBER)
    box.wait_state("web", "ready")


def instances_are_looked_at_before_they_start(box):
    refused(box.manager("Start", "string:seat@1", who=MEMBER), DENIED, "the request may also stop other,")
    assert box.state("other") == "ready"
    refused(box.manager("Start", "string:desk@1", who=STRANGER), DENIED, "uid 1003 may not")
    assert "desk@1" not in box.services(), "no other user makes svcd read files"
    box.svcctl("stop", "other")
    box.wait_state("other", "idle")
    assert box.manager("Start", "string:seat@1", who=MEMBER).returncode == 0
    box.wait_state("seat@1", "ready")
    assert box.manager("Stop", "string:seat@1", "boolean:false", who=MEMBER).returncode == 0
    box.wait_state("seat@1", "idle")
    box.svcctl("start", "other")
    box.wait_state("other", "ready")


def another_name_of_a_service_makes_no_instance(box):
    refused(box.manager("Start", "string:stall@2", who=MEMBER), DENIED, "uid 1001 may not")
    assert box.manager("Start", "string:stall@1", who=MEMBER).returncode == 0, "it is a name of stand, which is theirs"
    box.wait_state("stand", "ready")
    assert "stall@1" not in box.services()
    box.svcctl("stop", "stand")
    refused(box.manager("Start", "string:nosuch@1", who=MEMBER), "org.svcd1.Error.NoSuchService", "nosuch@1")


def nobody_has_instances_without_end(box):
    for number in range(LIMIT_INSTANCES):
        assert box.manager("Start", f"string:desk@{number}", who=MEMBER).returncode == 0, number
    box.wait_state(f"desk@{LIMIT_INSTANCES - 1}", "ready")
    enough = "org.svcd1.Error.LimitReached", f"uid 1001 has {LIMIT_INSTANCES} instances of templates already"
    refused(box.manager("Start", "string:desk@more", who=MEMBER), *enough)
    # The next manager knows the groups, too, and applies them at each reload.
    box.kill_manager()
    box.wait_up()
    box.wait_named()
    box.svcctl("reload-files")
    refused(box.manager("Start", "string:desk@more", who=MEMBER), *enough)
    assert box.manager("Restart", "string:desk@1", who=MEMBER).returncode == 0
    assert box.manager("Start", "string:desk@more").returncode == 0, "root has no limit"
    box.wait_state("desk@more", "ready")
    assert box.manager("Stop", "string:desk@0", "boolean:false", who=MEMBER).returncode == 0
    box.wait_state("desk@0", "idle")
    assert box.manager("Start", "string:desk@another", who=MEMBER).returncode == 0
    box.wait_state("desk@another", "ready")


def reads(box, name, who):
    return box.run(*who, "cat", f"/run/svcd/log/{name}.log", check=False)


def they_read_its_log_and_no_other(box):
    wait_for(lambda: "hello from web" in reads(box, "web", MEMBER).stdout, what="the log is the group's")
    assert "hello from web" in box.run(*MEMBER, "svcctl", "log", "web").stdout
    assert "secret" in reads(box, "other", ()).stdout
    for name, who in (("other", MEMBER), ("web", STRANGER), ("web", BY_NUMBER)):
        done_reading = reads(box, name, who)
        assert done_reading.returncode != 0 and "Permission denied" in done_reading.stderr, (name, who)
    assert box.run("stat", "-c", "%a %u %g", "/run/svcd/log/web.log").stdout == f"640 0 {WEB_GROUP}\n"
    assert box.run("stat", "-c", "%a %u %g", "/run/svcd/log/other.log").stdout == "640 0 0\n"


def what_policy_takes_back_is_gone(box):
    pid = box.pid("web")
    reload_policy(box, WANTED)
    wait_for(lambda: reads(box, "web", MEMBER).returncode != 0, what="the log is root's again")
    refused(box.manager("Restart", "string:web", who=MEMBER), DENIED, "uid 1001 may not")
    assert box.pid("web") == pid

    reload_policy(box, WANTED + OPERATORS)
    wait_for(lambda: reads(box, "web", MEMBER).returncode == 0, what="the log of a running service is the group's")
    assert box.pid("web") == pid
    reload_policy(box, WANTED.replace(" other", "") + OPERATORS + "Activation=never\n")
    box.wait_state("web", "idle")
    refused(box.manager("Start", "string:web", who=MEMBER), "org.svcd1.Error.PolicyDenied", "its policy is never")


with BusMachine(has_polkit=False, services=SERVICES, policy=WANTED + OPERATORS + MORE_OPERATORS) as machine:
    machine.write("/etc/passwd", machine.read("/etc/passwd") +
                  "".join(f"u{uid}:x:{uid}:{uid}::/:/bin/false\n" for uid in (1001, 1002, 1003)))
    machine.write("/etc/group", machine.read("/etc/group") + f"webmasters:x:{WEB_GROUP}:u1001\nnumbers:x:2001:\nothers:x:2002:\n")
    machine.svcctl("reload-files")
    machine.wait_state("web", "ready")
    members_operate_it(machine)
    nothing_else_is_theirs(machine)
    strangers_may_nothing(machine)
    what_is_started_while_a_check_runs_is_safe(machine)
    needs_end_nothing_that_is_not_theirs(machine)
    instances_are_looked_at_before_they_start(machine)
    another_name_of_a_service_makes_no_instance(machine)
    nobody_has_instances_without_end(machine)
    what_goes_down_with_it_must_be_theirs_too(machine)
    a_clear_that_ends_something_is_refused(machine)
    they_read_its_log_and_no_other(machine)
    what_policy_takes_back_is_gone(machine)
