#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""bash, zsh and fish complete svcctl's verbs, options and the services that fit the verb; also
without svcd."""

import os

from sandbox import Sandbox
from typing_shell import Typing

SLEEP = "[Service]\nExec=/bin/sleep infinity\n"
SERVICES = {"running-one": SLEEP, "running-two": SLEEP, "resting-one": SLEEP, "seat@": SLEEP,
            "waits": SLEEP + "[Conditions]\nWhen=flag:go\nWhen=path:/run/nothing\n"}
POLICY = "[runlevel 2]\nActivate=running-one running-two seat@tty1 waits\n[service waits]\nReason=x\n"
NO_SVCD = {"SVCD_PRIVATE": "/run/nowhere"}


def candidates(box, *words, environment=""):
    out = box.run("sh", "-c", f'{environment} exec svcctl complete --shell bash -- "$@"', "sh", *words).stdout
    return out.splitlines()


def the_engine_knows_what_makes_sense(box):
    assert "status" in candidates(box, "") and "help" in candidates(box, "")
    assert candidates(box, "sta") == ["status", "start"], candidates(box, "sta")
    assert candidates(box, "stop", "r") == ["running-one", "running-two"]
    assert candidates(box, "stop", "running-one", "") == ["running-two", "seat@tty1"]
    assert candidates(box, "start", "r") == ["resting-one"]
    assert candidates(box, "status", "seat@") == ["seat@tty1"]
    assert candidates(box, "reload", "--signal", "HU") == ["HUP"]
    assert candidates(box, "reload", "--signal", "HUP", "re") == []
    assert candidates(box, "is", "blo") == ["blocked"] and candidates(box, "is", "blocked", "wa") == ["waits"]
    assert candidates(box, "set", "waits", "ne") == ["never"]
    assert candidates(box, "set", "waits", "--run") == ["--runlevel"]
    assert "6" in candidates(box, "set", "waits", "boot", "--runlevel", "")
    assert candidates(box, "list", "--state", "fa") == ["failed"]
    assert candidates(box, "list", "--state=fa") == ["--state=failed"]
    assert candidates(box, "--json", "-t", "5", "rel") == ["reload", "reload-files"]
    assert candidates(box, "log", "--boot", "") == ["-1"]
    assert candidates(box, "boot", "blame", "--sh") == ["--shutdown"]
    assert candidates(box, "flag", "set", "") == ["go"]
    assert candidates(box, "wait", "path:") == ["path:/run/nothing"]
    assert candidates(box, "edit", "waits", "StopT") == ["StopTimeout="]
    assert candidates(box, "status", "--properties", "waits", "-p", "MainP") == ["MainPid"]
    assert candidates(box, "status", "--properties", "-p", "BootFi") == ["BootFinished", "BootFinishedAt"]
    assert candidates(box, "status", "--properties", "--property=State,MainP") == ["--property=State,MainPid"]
    assert candidates(box, "status", "--properties", "-p", "MainPid,MainP") == []
    assert candidates(box, "status", "--properties", "-p", "MainP", environment="SVCD_PRIVATE=/run/nowhere") == ["MainPid"]
    assert candidates(box, "check", "/etc/svcd/services.d/wa") == ["/etc/svcd/services.d/waits.svc"]
    assert candidates(box, "check", "/etc/svcd/serv") == ["/etc/svcd/services.d/"]
    assert candidates(box, "no-such-verb", "x") == candidates(box, "no-such-verb", "x")
    # Without svcd, the names come from the files, but the running services are not known.
    off = candidates(box, "stop", "r", environment="SVCD_PRIVATE=/run/nowhere")
    assert sorted(off) == ["resting-one", "running-one", "running-two"], off
    # As a user without rights.
    out = box.run("setpriv", "--reuid=65534", "--clear-groups", "svcctl", "complete", "--", "stop", "r").stdout
    assert "running-one" in out, out


def environment_of(box, **more):
    return dict(box.run_environment(), TERM="vt100", PS1="> ", HOME="/root", **more)


def bash_completes(box):
    argv = box.command(["/bin/bash", "--norc", "--noprofile", "-i"])
    with Typing(argv, environment_of(box)) as shell:
        shell.type(". /usr/share/bash-completion/completions/svcctl; echo lo''aded\n")
        shell.wait_text(r"loaded\n")
        at = shell.type("svcctl sto\t")
        shell.wait_text(r"svcctl stop ", at)
        at = shell.type("running-\t\t")
        listed = shell.wait_text(r"running-one +running-two", at)
        assert "resting" not in listed.group(0)
        # readline splits tokens at "@" and ":".
        at = shell.type("\x15svcctl status seat@\t")
        shell.wait_text(r"status seat@tty1 ", at)
        at = shell.type("\x15svcctl wait path:/run/no\t")
        shell.wait_text(r"wait path:/run/nothing ", at)
        at = shell.type("\x15svcctl edit waits StopT\t")
        shell.wait_text(r"waits StopTimeout=", at)
        at = shell.type("5\x15svcctl status --properties waits -p State,FalseT\t")
        shell.wait_text(r"-p State,FalseTerms ", at)
        at = shell.type("\x15echo do''ne\n")
        shell.wait_text(r"done\n", at)


def zsh_completes(box):
    with Typing(box.command(["/bin/zsh", "-f", "-i"]), environment_of(box)) as shell:
        shell.type("autoload -Uz compinit && compinit -u -D && setopt no_list_beep && echo lo''aded\n")
        shell.wait_text(r"loaded\n")
        at = shell.type("svcctl sto\t")
        shell.wait_text(r"svcctl stop ", at)
        at = shell.type("running-\t")
        listed = shell.wait_text(r"running-one.*running-two[^\n]*ready", at)
        assert "resting" not in listed.group(0)
        at = shell.type("\x15svcctl status seat@\t")
        shell.wait_text(r"seat@tty1", at)
        at = shell.type("\x15svcctl wait path:/run/no\t")
        shell.wait_text(r"path:/run/nothing", at)
        at = shell.type("\x15svcctl status --properties waits -p State,FalseT\t")
        shell.wait_text(r"State,FalseTerms", at)


def fish(box, line):
    done = box.run("fish", "--no-config", "-c",
                   f"source /usr/share/fish/vendor_completions.d/svcctl.fish; complete -C {line!r}")
    return dict((row.split("\t") + [""])[:2] for row in done.stdout.splitlines())


def fish_completes(box):
    assert fish(box, "svcctl sto") == {"stop": "stop services"}
    running = fish(box, "svcctl stop ")
    assert set(running) == {"running-one", "running-two", "seat@tty1"}, running
    assert running["running-one"].startswith("ready: "), running
    assert set(fish(box, "svcctl wait path:")) == {"path:/run/nothing"}
    assert set(fish(box, "svcctl status --properties waits -p State,FalseT")) == {"State,FalseTerms"}
    assert "StopTimeout=" in fish(box, "svcctl edit waits StopT")


def one_call_each(box):
    """The test runs completions and checks that each sends one method call to svcd."""
    for words in (["stop", ""], ["wait", "path:"], ["set", "x", "--runlevel", ""], ["flag", "clear", ""], ["flag", "set", ""]):
        out = box.run("strace", "-f", "-e", "trace=connect", "svcctl", "complete", "--", *words)
        assert out.stderr.count("sun_path=\"/run/svcd/private\"") == 1, out.stderr


os.environ.setdefault("LANG", "C.UTF-8")
with Sandbox(SERVICES, policy=POLICY) as box:
    box.wait_states({"running-one": "ready", "running-two": "ready", "seat@tty1": "ready", "waits": "waiting"})
    the_engine_knows_what_makes_sense(box)
    one_call_each(box)
    bash_completes(box)
    zsh_completes(box)
    fish_completes(box)
