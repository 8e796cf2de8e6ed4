#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""svcctl new writes a working service file, or none if there is a mistake. svcctl check warns of
missing users and programs, and of misplaced files."""

from deadline import wait_for
from sandbox import Sandbox

FILE = """[Service]
Description=a web server
Exec=/bin/sh -c 'id -un; echo "$0"; exec sleep infinity' 'two words'
User=www-data
Restart=always

[Conditions]
When=flag:go
While=path:/run/on
While=path:/run/too
"""
COMMAND = ("--", "sh", "-c", 'id -un; echo "$0"; exec sleep infinity', "two words")


def a_new_service_runs(box):
    words = ("new", "web", "--run-as", "www-data", "--restart", "always", "--description", "a web server", "--when", "flag:go",
             "--while", "path:/run/on", "--while", "path:/run/too")
    told = box.svcctl(*words, "--dry-run", *COMMAND).stdout
    assert "Dry run: nothing was written" in told and not box.exists("/etc/svcd/services.d/web.svc"), told
    told = box.svcctl(*words, *COMMAND).stdout
    assert told.startswith("web: /etc/svcd/services.d/web.svc\n  [Service]\n") and "svcctl start web" in told, told
    assert box.read("/etc/svcd/services.d/web.svc").replace("Exec=/usr/bin/sh", "Exec=/bin/sh") == FILE
    box.run("touch", "/run/on", "/run/too")
    box.svcctl("flag", "set", "go")
    box.svcctl("start", "web")
    wait_for(lambda: "two words" in box.svcctl("log", "web").stdout and "www-data" in box.svcctl("log", "web").stdout, what="it runs")
    box.run("rm", "/run/too")
    box.wait_state("web", "waiting")


def mistakes_are_refused(box):
    for words, code, sentence in ((("web", "--", "sh"), 2, "there is a service web already"),
                                  (("x", "--", "nosuchprogram"), 2, "there is no program nosuchprogram"),
                                  (("x", "--run-as", "nobodyhere", "--", "sh"), 2, "there is no user nobodyhere"),
                                  (("x", "--while", "netwrok:up", "--", "sh"), 10, "netwrok"),
                                  (("x", "--restart", "maybe", "--", "sh"), 10, "maybe"),
                                  (("../x", "--", "sh"), 2, ""),
                                  (("x", "--", "sh", "a\nb"), 2, "line break"),
                                  (("x",), 2, "new")):
        done = box.svcctl("new", *words, check=False)
        assert done.returncode == code and sentence in done.stderr, (words, done)
    assert not box.exists("/etc/svcd/services.d/x.svc")


def it_can_be_undone(box):
    box.svcctl("new", "short", "--", "/bin/sleep", "infinity")
    assert box.state("short") == "idle"
    box.svcctl("undo")
    assert not box.exists("/etc/svcd/services.d/short.svc")


def check_warns_of_what_is_not_there(box):
    assert "0 warnings" in box.svcctl("check").stdout, box.svcctl("check").stdout
    box.write("/etc/svcd/services.d/bad.svc", "[Service]\nUser=ghost\nExec=/usr/bin/ghost --now\n")
    box.write("/etc/svcd/services.d/waits.svc", "[Service]\nUser=7\nExec=/usr/bin/other\n[Conditions]\nWhen=path:exec:/usr/bin/other\n")
    box.write("/etc/svcd/services.d/lost.policy", "[service bad]\nActivation=boot\n")
    box.write("/etc/svcd/policy.d/lost.svc", "[Service]\nExec=/bin/true\n")
    done = box.svcctl("check")
    for line in ("/etc/svcd/services.d/bad.svc:2: warning: User=ghost: there is no such user",
                 "/etc/svcd/services.d/bad.svc:3: warning: Exec=/usr/bin/ghost: there is no such program",
                 "/etc/svcd/services.d/lost.policy: warning: this file is not read here: a file NAME.policy belongs in /etc/svcd/policy.d",
                 "/etc/svcd/policy.d/lost.svc: warning: this file is not read here: a file NAME.svc belongs in /etc/svcd/services.d"):
        assert line.replace(" warning:", "") in done.stdout.replace(" warning:", ""), (line, done.stdout)
    assert "waits.svc" not in done.stdout and "4 warnings" in done.stdout, done.stdout
    done = box.svcctl("check", "/etc/svcd/services.d/bad.svc")
    assert "ghost: there is no such program" in done.stdout, done


with Sandbox({}, policy="[runlevel 2]\n") as machine:
    machine.wait_up()
    a_new_service_runs(machine)
    mistakes_are_refused(machine)
    it_can_be_undone(machine)
    check_warns_of_what_is_not_there(machine)
