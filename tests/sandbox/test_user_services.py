#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A user's own services: svcd --user runs them with the same engine, files and svcctl, on the bus
of the session."""


import os
import re
import signal
import subprocess

from deadline import wait_for
from own_session import BUS, CONFIG, RUNTIME, UID, OwnSession, user_files
from sandbox import Sandbox

SLEEP = "[Service]\nExec=/bin/sleep infinity\n"
SERVICES = {
    "says": "[Service]\nType=task\nExec=/bin/sh -c 'echo at home in $HOME, bus $DBUS_SESSION_BUS_ADDRESS; id -u'\n",
    "waits": SLEEP + "[Conditions]\nWhile=dbus:org.example.A\n",
    "once": SLEEP + "[Conditions]\nWhen=dbus:org.example.A\n",
    "speaks": "[Service]\nExec=/bin/sh -c 'printf READY=1 | socat - unix-sendto:$NOTIFY_SOCKET; exec sleep infinity'\n",
    # The processes leave their session, in two ways. One of them ignores TERM.
    "leaves": "[Service]\nExec=/bin/sh -c '(setsid sleep 4711 &); (setsid sh -c \"trap : TERM; sleep 4712; sleep 4713\" &);"
              " exec sleep 4714'\nStopTimeout=1s\n",
    "forks": "[Service]\nExec=/bin/sh -c 'setsid sleep 4720 & exit 0'\nReady=fork\n",
    "listens": "[Service]\nExec=/bin/sh -c 'until test -e /tmp/go; do sleep 0.1; done; : >$XDG_RUNTIME_DIR/mine; exec sleep infinity'\n"
               "Ready=path:%t/mine\n[Conditions]\nWhen=path:%t/bus\n",
    "roots": "[Service]\nExec=/bin/sleep 1\nUser=root\n",
    "off": SLEEP,
}
POLICY = "[runlevel 2]\nActivate=says waits once leaves forks roots\n"
VENDOR = {"/usr/lib/svcd/user-services.d/vendors.svc": SLEEP,
          "/etc/svcd/user-services.d/admins.svc": SLEEP,
          "/etc/svcd/user-policy.d/all.policy": "[runlevel 2]\nActivate=admins\n"}


OWNER = """import dbus.bus, os, sys
bus = dbus.bus.BusConnection(os.environ["DBUS_SESSION_BUS_ADDRESS"])
bus.request_name("org.example.A")
sys.stdin.read()
"""


def take_name(session):
    """A program of the session that owns org.example.A until its input ends."""
    return subprocess.Popen(session.command("python3", "-c", OWNER), stdin=subprocess.PIPE)


def sleeps(session):
    return sorted(line.split()[-1] for line in session.processes().values() if line.startswith("sleep 47"))


def own_files_count(session):
    session.wait_state("admins", "ready")
    assert session.state("vendors") == "idle", session.services()["vendors"]
    assert session.box.svcctl("status", "admins", check=False).returncode == 4, "it is not a service of the machine"
    words = session.svcctl("policy", "says").stdout
    assert f"{CONFIG}/policy.d/test.policy:2" in words, words
    session.wait_state("says", "done")
    wait_for(lambda: [line.split(" ", 1)[1] for line in session.svcctl("log", "says").stdout.splitlines()] ==
             [f"at home in /home/user, bus unix:path={BUS}", str(UID)], what="its output is in the log")
    why = session.svcctl("explain", "roots").stdout
    assert "svcctl --user check" in why, why
    assert "User=root needs root: a user's services run as that user" in why and f"{CONFIG}/services.d/roots.svc:3" in why, why


def a_file_is_checked_as_a_users(session):
    refused = session.svcctl("check", f"{CONFIG}/services.d/roots.svc", check=False)
    assert refused.returncode != 0 and "roots.svc:3: User=root needs root" in refused.stdout + refused.stderr, refused


def paths_below_the_runtime_directory(session):
    session.svcctl("start", "--no-wait", "listens")
    session.wait_state("listens", "starting")
    assert f"path:{RUNTIME}/bus is true" in session.svcctl("status", "listens", check=False).stdout
    session.box.write("/tmp/go", "")
    session.wait_state("listens", "ready")
    session.svcctl("stop", "listens")


def all_verbs_work(session):
    session.svcctl("start", "off")
    assert session.state("off") == "ready"
    session.svcctl("restart", "off")
    session.svcctl("stop", "off")
    assert session.state("off") == "idle"
    session.svcctl("clear", "off")
    session.svcctl("enable", "off")
    session.wait_state("off", "ready")
    assert "[service off]" in session.box.read(f"{CONFIG}/policy.d/90-svcctl.policy")
    session.svcctl("edit", "off", "Nice=5")
    session.svcctl("restart", "off")
    assert session.run("ps", "-o", "ni=", "-p", str(session.pid("off"))).stdout.strip() == "5"
    session.svcctl("undo", "off")
    session.wait_state("off", "idle")
    assert not session.box.exists(f"{CONFIG}/services.d/off.svc.d/90-svcctl.conf")
    session.svcctl("set", "off", "never", "--until-reboot")
    refused = session.svcctl("start", "off", check=False)
    assert refused.returncode == 8 and f"{RUNTIME}/svcd/policy.d/90-svcctl.policy" in refused.stderr, refused
    assert refused.stderr.endswith("\n  svcctl --user explain off\n"), refused
    for argv in (("doctor",), ("reboot",), ("policy", "log"), ("check", "--root", "/")):
        refused = session.svcctl(*argv, check=False)
        assert refused.returncode == 2 and "does not work with --user" in refused.stderr, refused
    refused = session.svcctl("undo", check=False)
    assert refused.returncode == 2 and "your own files have no history" in refused.stderr, refused
    assert not session.box.exists("/etc/svcd/policy.d/90-svcctl.policy")


def conditions_are_about_the_session_bus(session):
    assert "has no owner on the session bus" in session.svcctl("explain", "waits").stdout
    owner = take_name(session)
    session.wait_state("waits", "ready")
    session.wait_state("once", "ready")
    pid = session.pid("once")
    owner.communicate()
    session.wait_state("waits", "waiting")
    assert session.pid("once") == pid
    asked = session.run("dbus-send", "--session", "--print-reply", "--dest=org.svcd1", "/org/svcd1/service/vendors",
                        "org.svcd1.Service.Request", "string:start", "array:string:")
    assert "method return" in asked.stdout, "on its own bus the user may do everything"
    session.wait_state("vendors", "ready")


def what_leaves_its_service_is_found(session):
    session.wait_state("forks", "ready")
    assert sleeps(session) == ["4711", "4712", "4714", "4720"], session.processes()
    session.svcctl("stop", "leaves")
    assert sleeps(session) == ["4720"], session.processes()
    session.svcctl("stop", "forks")
    assert sleeps(session) == [], session.processes()
    session.svcctl("start", "leaves")
    session.svcctl("start", "forks")


def who_is_just_being_executed_is_found(session):
    """During execve(2) a process has no environment for a moment, and its parent and session are
    gone. svcd finds the process all the same."""
    for _ in range(60):
        session.svcctl("restart", "--wait", "forks")
        session.wait_state("forks", "ready")
    wait_for(lambda: sleeps(session).count("4720") == 1, what="only the process of the last start is left")


def managers_come_and_go(session):
    before = session.services()
    for _ in range(5):
        manager = [pid for pid, line in session.processes().items() if "svcd-manager" in line]
        session.box.run("kill", "-KILL", str(manager[0]))
        wait_for(lambda: str(manager[0]) not in map(str, session.processes()), what="it is gone")
        session.wait_up()
    session.svcctl("reexec")
    session.wait_up()
    after = session.services()
    assert {n: (r["state"], r.get("pid")) for n, r in before.items()} == {n: (r["state"], r.get("pid")) for n, r in after.items()}
    session.svcctl("stop", "leaves")
    assert "4712" not in sleeps(session), "the next manager knows the service's processes, too"
    session.svcctl("start", "leaves")


def there_is_one_of_each_user(session):
    second = session.run("/sbin/svcd", "--user")
    assert second.stderr == f"svcd: another svcd --user runs already, process {session.keeper_pid()}; see svcctl --user\n", second
    session.environment.pop("XDG_RUNTIME_DIR")
    lost = session.run("/sbin/svcd", "--user", check=False)
    assert lost.returncode == 1 and "XDG_RUNTIME_DIR is not set to a directory" in lost.stderr, lost
    session.environment["XDG_RUNTIME_DIR"] = RUNTIME


def who_is_somebody_else_is_told(session):
    """svcctl --user refuses the XDG_RUNTIME_DIR of another user. Otherwise "sudo -E" would leave
    files of root in the user's home."""
    for who in ((), ("setpriv", "--reuid=1001", "--regid=1001", "--clear-groups")):
        other = session.box.run(*who, "env", f"XDG_RUNTIME_DIR={RUNTIME}", "HOME=/home/user", "svcctl", "--user", "disable", "vendors",
                                check=False)
        assert other.returncode == 2, other
        assert f"XDG_RUNTIME_DIR is {RUNTIME}, which belongs to uid {UID}" in other.stderr, other
    lost = session.box.run("env", "-u", "XDG_RUNTIME_DIR", "svcctl", "--user", "status", check=False)
    assert lost.returncode == 9 and "XDG_RUNTIME_DIR is not set" in lost.stderr and "process 1" not in lost.stderr, lost


def nothing_is_left(session):
    status = session.end(signal.SIGHUP)
    assert status == 0, session.said()
    assert [line for line in session.processes().values() if not line.startswith("dbus-daemon")] == [], session.processes()
    assert "every service has stopped" in session.said()
    stopped = session.svcctl("status", check=False)
    assert stopped.returncode == 9 and "svcd --user is not running" in stopped.stderr, stopped


def the_example_of_the_docs_works(session):
    with open(f"{os.environ['SVCD_SOURCE']}/docs/user-services.md", encoding="utf-8") as page:
        examples = re.findall(r"```ini\n# ~(\S+)\n(.*?)```", page.read(), re.S)
    assert len(examples) == 2, examples
    for path, text in examples:
        session.box.write(f"/home/user{path}", text)
        session.svcctl("check", f"/home/user{path}")
    session.svcctl("reload-files", check=False)  # root's file has an error
    session.wait_state("notes", "ready")
    session.svcctl("disable", "notes")
    session.wait_state("notes", "idle")


with Sandbox(files={**user_files(SERVICES, POLICY), **VENDOR}) as box, OwnSession(box) as session:
    own_files_count(session)
    a_file_is_checked_as_a_users(session)
    paths_below_the_runtime_directory(session)
    all_verbs_work(session)
    conditions_are_about_the_session_bus(session)
    what_leaves_its_service_is_found(session)
    who_is_just_being_executed_is_found(session)
    managers_come_and_go(session)
    there_is_one_of_each_user(session)
    who_is_somebody_else_is_told(session)
    the_example_of_the_docs_works(session)
    nothing_is_left(session)
