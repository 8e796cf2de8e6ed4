#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Users' svcctl works over the system bus: all queries work, also with a new manager, and polkit
decides about changes."""

from deadline import wait_for
from polkit import NOBODY, BusMachine

# All queries except endless ones, which are tested separately.
READ = (
    [], ["list"], ["list", "--all"], ["status", "a"], ["explain"], ["explain", "a"], ["cat", "a"], ["check"], ["tree", "--order"],
    ["policy"], ["policy", "a"], ["cat", "--diff"], ["policy", "presets"], ["flag"], ["list", "--conditions"], ["wait", "a"], ["runlevel"], ["--version"],
    ["doctor", "--security"], ["doctor", "--security", "a"], ["is", "up", "a"], ["status", "--properties", "a"], ["tree"], ["list", "--processes"], ["boot"], ["boot", "--wait"], ["boot", "blame"], ["boot", "chain"], ["boot", "dot"],
)
CHANGE = (["start", "a"], ["stop", "a"], ["restart", "a"], ["clear", "a"], ["flag", "set", "x"],
          ["runlevel", "3"], ["reload-files"], ["reexec"], ["poweroff"])
BOXED = ("setpriv", "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs", "--")


def svcctl(box, *words, who=NOBODY):
    return box.run(*who, "/usr/bin/svcctl", *words, check=False)


def users_look(box):
    for words in READ:
        done = svcctl(box, *words)
        assert done.returncode == 0, (words, done)
        # Times change, and the output of a service is not for all users.
        if words in (["list"], ["list", "--all"], ["cat", "a"], ["policy"], ["policy", "a"], ["tree", "--order"]):
            assert done.stdout == box.svcctl(*words).stdout, (words, done)


def a_change_needs_a_right(box):
    for words in CHANGE:
        done = svcctl(box, *words)
        assert done.returncode == 7 and "user nobody may not" in done.stderr and "svcctl " + words[0] in done.stderr, (words, done)
    # A condition that no service uses is refused, because it could reveal a file in a private
    # directory.
    done = svcctl(box, "wait", "path:/root/secret", "-t", "0")
    assert done.returncode == 7, done


def root_without_capabilities_has_none(box):
    """Polkit would permit everything to uid 0."""
    for method, args in (("Stop", ("string:a", "boolean:false")), ("Reexec", ()), ("Shutdown", ("string:poweroff",))):
        done = box.manager(method, *args, who=BOXED)
        assert done.returncode != 0 and "without the capabilities of root" in done.stderr, (method, done)
    assert box.manager("Stop", "string:b", "boolean:false").returncode == 0, "root has them"
    box.wait_state("b", "idle")
    box.svcctl("start", "b")


def a_watch_goes_on_over_a_new_manager(box):
    pid = box.run("setpriv --reuid=65534 --clear-groups svcctl monitor >/run/monitor 2>&1 & echo $!").stdout.strip()
    wait_for(lambda: box.svcctl("flag", "set", "go") and "go" in box.read("/run/monitor"), what="it says so")
    box.kill_manager()
    box.wait_named()
    box.svcctl("stop", "b")
    wait_for(lambda: "b: " in box.read("/run/monitor"), what="it follows the next one")
    box.svcctl("start", "b")
    box.run("kill", pid)
    done = svcctl(box, "wait", "flag:go", "-t", "20")
    assert done.returncode == 0, done


with BusMachine(has_polkit=False) as machine:
    users_look(machine)
    a_change_needs_a_right(machine)
    root_without_capabilities_has_none(machine)
    a_watch_goes_on_over_a_new_manager(machine)
    machine.kill_manager()
    assert svcctl(machine, "list").returncode == 0, "it waits for the next one"
    machine.svcctl("stop", "dbus")
    machine.wait_state("dbus", "idle")
    told = svcctl(machine, "list")
    assert told.returncode == 7 and "only root can use svcd now" in told.stderr, told
