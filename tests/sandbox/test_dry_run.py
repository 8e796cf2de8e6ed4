#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""--dry-run of verbs with an effect: the services that would stop and start, logged-in users, and
the refusal of the real request."""

import os
import re
import struct
import subprocess

from deadline import wait_for
from sandbox import Sandbox

SLEEP = "[Service]\nExec=/bin/sleep infinity\n"
SERVICES = {
    "base": SLEEP,
    "leans": SLEEP + "[Conditions]\nWhile=service:base\n",
    "off": SLEEP + "[Conditions]\nWhile=service:helper\n",
    "helper": SLEEP,
    "rival": SLEEP + "[Conditions]\nConflicts=base\n",
    "barred": SLEEP,
    "desk@": SLEEP,
}
POLICY = "[runlevel 2]\nActivate=base leans\n[service barred]\nActivation=never\n"
NOTHING = "  Dry run: nothing was changed\n"


def forecast(box, *words):
    data = box.svcctl_json(*words, "--dry-run")
    return data["stops"], data["starts"], data["restarts"], data["waits"]


def requests_are_forecast(box):
    assert forecast(box, "start", "off") == ([], ["helper", "off"], [], [])
    assert forecast(box, "start", "rival") == (["leans", "base"], ["rival"], [], []), "the conflicting service is named"
    assert forecast(box, "stop", "leans") == (["leans"], [], [], [])
    assert forecast(box, "stop", "base", "--with-dependents") == (["leans", "base"], [], [], [])
    assert forecast(box, "restart", "base")[2] == ["leans", "base"]
    assert forecast(box, "clear", "base") == ([], [], [], [])
    assert forecast(box, "start", "desk@1") == ([], ["desk@1"], [], [])
    text = box.svcctl("stop", "leans", "--dry-run").stdout
    assert text.startswith("stop\n  Stops      leans\n") and text.endswith(NOTHING), text
    assert box.svcctl("reload", "--signal", "HUP", "base", "--dry-run").stdout == "HUP would be sent to the main process of base\n"


def errors_of_files_are_named(box):
    box.write("/etc/svcd/policy.d/typo.policy", "[service base]\nActivation=nevr\n")
    tried = box.svcctl("reload-files", "--dry-run", check=False)
    real = box.svcctl("reload-files", check=False)
    box.run("rm /etc/svcd/policy.d/typo.policy")
    assert tried.returncode == real.returncode == 10, (tried, real)
    assert "typo.policy:2" in tried.stdout and "nevr" in tried.stdout and "Effect     nothing" in tried.stdout, tried


def refusals_are_the_same(box):
    for words, code, sentence in ((("stop", "base"), 8, "a running service needs it: leans"),
                                  (("start", "barred"), 8, "its policy is never"),
                                  (("start", "nosuch"), 4, 'there is no service "nosuch"')):
        done = box.svcctl(*words, "--dry-run", check=False)
        assert done.returncode == code and sentence in done.stderr, done
        assert box.svcctl(*words, check=False).returncode == code, words


def the_end_names_who_is_logged_in(box):
    for verb, runlevel in (("poweroff", "0"), ("poweroff --halt", "0"), ("reboot", "6")):
        data = box.svcctl_json(*verb.split(), "--dry-run")
        assert data["stops"] == ["leans", "base"] and data["runlevel"] == runlevel, data
        assert [(login["user"], login["line"]) for login in data["logged_in"]] == [("bob", "tty2")], data
    text = box.svcctl("poweroff", "--dry-run").stdout
    assert "  Logged in  bob on tty2 since " in text and "  Stops      leans base\n" in text, text


def on_terminal(box, answer, *words):
    master, slave = os.openpty()
    process = subprocess.Popen(box.command(["/usr/bin/svcctl", *words]), stdin=slave, stdout=slave, stderr=slave,
                               env=box.run_environment())
    os.close(slave)
    written = b""
    while b"[y/N]" not in written:
        written += os.read(master, 65536)
    os.write(master, answer)
    code = process.wait(60)
    os.close(master)
    return written.decode(), code


def a_person_is_asked_before_others_are_thrown_out(box):
    written, code = on_terminal(box, b"n\n", "poweroff")
    assert code == 1 and "bob on tty2 since " in written, written
    assert box.state("base") == "ready"
    written, code = on_terminal(box, b"y\n", "reboot")
    assert code == 0, written


def write_login(box):
    """A record of utmp(5) for a living process."""
    pid = box.pid("base")
    box.run("test -e /var/run || ln -s /run /var/run")
    record = struct.pack("<hxxi32s4s32s256shhiii4i20x", 7, pid, b"tty2", b"2", b"bob", b"", 0, 0, 0, 1764306000, 0, 0, 0, 0, 0)
    assert len(record) == 384, len(record)
    with open(box.path("/run/utmp"), "wb") as file:
        file.write(record)


def a_time_can_be_set_and_taken_back(box):
    done = box.svcctl("poweroff", "--cancel", check=False)
    assert done.returncode == 3 and "no shutdown is pending" in done.stderr, done
    for bad in ("soon", "25:61"):
        done = box.svcctl("poweroff", "--at", bad, check=False)
        assert done.returncode == 2 and "--at takes HH:MM or +MINUTES" in done.stderr, done
    said = box.svcctl("reboot", "--at", "+10").stdout
    assert re.fullmatch(r"The system is going down to reboot at \w+ \d\d:\d\d\n  To cancel it: svcctl reboot --cancel\n", said), said
    sentence = said.splitlines()[0]
    assert box.svcctl_json("status")["pending_shutdown"] == sentence
    assert f"  {sentence}: svcctl poweroff --cancel cancels it\n" in box.svcctl("status", "--width", "0").stdout
    done = box.svcctl("poweroff", "--at", "+5", check=False)
    assert done.returncode == 8 and f"a shutdown is pending already: {sentence}" in done.stderr, done
    assert box.svcctl("poweroff", "--cancel").stdout == "the shutdown is cancelled\n"
    wait_for(lambda: box.svcctl("reboot", "--cancel", check=False).returncode == 3, what="no shutdown is pending")


with Sandbox(SERVICES, policy=POLICY) as machine:
    machine.wait_state("leans", "ready")
    pids = machine.pid("base"), machine.pid("leans")
    requests_are_forecast(machine)
    refusals_are_the_same(machine)
    errors_of_files_are_named(machine)
    write_login(machine)
    the_end_names_who_is_logged_in(machine)
    assert (machine.pid("base"), machine.pid("leans")) == pids and machine.state("helper") == "idle", "nothing was touched"
    a_time_can_be_set_and_taken_back(machine)
    a_person_is_asked_before_others_are_thrown_out(machine)
    wait_for(lambda: machine.wait_end() is not None, what="a yes shuts down the machine")
