#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""svcd --user starts and ends with its session, however the session ends. If there are two
sessions, the second takes over."""


import shlex
import signal

from deadline import DEFAULT_S, wait_for
from own_session import OwnSession, user_files
from sandbox import Sandbox

SERVICES = {
    "slow": "[Service]\nExec=/bin/sh -c 'trap \"echo goodbye >>/tmp/goodbye; exit\" TERM; while :; do sleep 0.1; done'\n",
    "bus": "[Service]\nExec=/bin/sleep infinity\n[Conditions]\nWhile=dbus:org.freedesktop.DBus\n",
}


def session_processes(session):
    return [line for line in session.processes().values() if not line.startswith("dbus-daemon")]


def goodbyes(box):
    return box.read("/tmp/goodbye").count("goodbye") if box.exists("/tmp/goodbye") else 0


def a_parent_that_dies_is_the_end(box, session):
    """Kill the parent of svcd --user, the shell of the session."""
    session.wait_state("slow", "ready")
    session.keeper.kill()
    session.keeper.wait(DEFAULT_S)
    wait_for(lambda: session_processes(session) == [], what="all is gone with the session")
    assert goodbyes(box) == 1, "it was asked to end"


def a_bus_that_comes_later_is_waited_for(session):
    session.start()
    assert "there is no session bus" in session.svcctl("explain", "bus").stdout
    session.start_bus()
    session.wait_state("bus", "ready")


def a_bus_that_is_started_again_is_no_end(session):
    pid = session.pid("bus")
    session.stop_bus()
    wait_for(lambda: "there is no session bus" in session.svcctl("list", "--conditions", "dbus:org.freedesktop.DBus").stdout,
             what="the level is unknown")
    assert session.pid("bus") == pid
    session.start_bus()
    wait_for(lambda: "unknown" not in session.svcctl("list", "--conditions", "dbus:org.freedesktop.DBus").stdout, what="the bus is back")
    assert session.pid("bus") == pid


def a_second_session_takes_over(box, session):
    second = session.launch("/sbin/svcd", "--user", "--wait")
    assert session.state("slow") == "ready"
    assert session.end(signal.SIGTERM) == 0, session.said()
    session.keeper = second
    session.wait_up()
    session.wait_state("slow", "ready")


def a_bus_that_stays_away_is_the_end(box, session):
    count = goodbyes(box)
    session.wait_state("bus", "ready")
    session.stop_bus()
    assert session.keeper.wait(DEFAULT_S) == 0
    assert session_processes(session) == [] and goodbyes(box) == count + 1, session.processes()


def an_abstract_address_does_as_well(session):
    session.bus_kind = "abstract"
    session.start_bus()
    session.start()
    session.wait_state("bus", "ready")
    owner = session.run("dbus-send", "--session", "--print-reply", "--dest=org.freedesktop.DBus", "/",
                        "org.freedesktop.DBus.NameHasOwner", "string:org.svcd1")
    assert "boolean true" in owner.stdout, owner


def a_keeper_that_is_killed_takes_its_services_with_it(box, session):
    box.run("kill", "-KILL", str(session.keeper_pid()))
    wait_for(lambda: session_processes(session) == [], what="nothing is left over")


def start_as_a_desktop_does(box, session):
    """GNOME's session manager and others split Exec= like a shell, and remain the parent of
    svcd."""
    lines = box.read("/etc/xdg/autostart/svcd-user.desktop").splitlines()
    line = [line.removeprefix("Exec=") for line in lines if line.startswith("Exec=")][0]
    session.start(*shlex.split(line))


with Sandbox(files=user_files(SERVICES)) as box, OwnSession(box, bus=None, svcd=False) as session:
    start_as_a_desktop_does(box, session)
    a_parent_that_dies_is_the_end(box, session)
    session.bus_kind = "path"
    a_bus_that_comes_later_is_waited_for(session)
    a_bus_that_is_started_again_is_no_end(session)
    a_second_session_takes_over(box, session)
    a_bus_that_stays_away_is_the_end(box, session)
    an_abstract_address_does_as_well(session)
    a_keeper_that_is_killed_takes_its_services_with_it(box, session)
