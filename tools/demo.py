# SPDX-License-Identifier: LGPL-2.1-or-later
"""
The part of tools/demo after the installation and the build: boot, show, try, power off.

The sandbox is that of the tests (tests/lib/sandbox.py); the root is a plain Debian that is unpacked once.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import time

from deadline import wait_for
from sandbox import ENVIRONMENT, Sandbox

SHOWN = ("dbus", "rsyslog", "cron", "nginx", "ssh")
POLICY = f"[runlevel 2]\nActivate={' '.join(SHOWN)}\n"
BOOT_LIMIT_S = 180
CHANGING = ("starting", "stopping", "backoff")
SYMBOLS = {"ready": "●", "done": "●", "failed": "✗", "waiting": "○", "idle": "○"}

# A client of each service: name, command, expected part of its output.
HTTP = ("my $s = IO::Socket::INET->new('127.0.0.1:80') or die; print $s \"HEAD / HTTP/1.0\\r\\n\\r\\n\"; print scalar <$s>;")
SSH = "my $s = IO::Socket::INET->new('127.0.0.1:22') or die; print scalar <$s>;"
QUESTIONS = (
    ("dbus", ["dbus-send", "--system", "--dest=org.freedesktop.DBus", "--print-reply", "/org/freedesktop/DBus",
              "org.freedesktop.DBus.GetId"], "string"),
    ("nginx", ["perl", "-MIO::Socket::INET", "-e", HTTP], "HTTP/1.1 200"),
    ("ssh", ["perl", "-MIO::Socket::INET", "-e", SSH], "SSH-2.0"),
)


def is_over(rows):
    """The boot is over when no service changes its state, and each shown one is up or has failed."""
    return all(rows.get(name, {}).get("state") in ("ready", "done", "failed") for name in SHOWN) and \
        not any(row["state"] in CHANGING for row in rows.values())


class BootDisplay:
    """One line for each service that comes up or fails, with the time since the start of PID 1."""

    def __init__(self, out, in_place):
        self.out = out
        self.in_place = in_place
        self.seen = {}

    def update(self, rows, boot_at_us):
        changed = [row for row in rows.values() if self.seen.get(row["name"]) != row["state"]]
        for row in sorted(changed, key=lambda row: row.get("since_us") or 0):
            self.seen[row["name"]] = row["state"]
            if row["state"] in ("ready", "done", "failed"):
                self._line(row, ((row.get("since_us") or boot_at_us) - boot_at_us) / 1e6)
        if self.in_place:
            moving = [row["name"] for row in rows.values() if row["state"] in CHANGING]
            self.out.write(f"\r\x1b[K  … {', '.join(moving)[:70]}" if moving else "\r\x1b[K")
        self.out.flush()

    def _line(self, row, seconds):
        clear = "\r\x1b[K" if self.in_place else ""
        self.out.write(f"{clear}{seconds:8.3f} s  {SYMBOLS[row['state']]} {row['name']:<22} {row['state']}\n")


def give_network(box):
    """ssh waits for a network; a default route is enough."""
    box.run("ip link add name out0 type veth peer name out1 && ip address add 192.0.2.2/24 dev out0 && "
            "ip link set out0 up && ip link set out1 up && ip route add default via 192.0.2.1")


def boot(box, display):
    """Returns the seconds from the start of PID 1 until the boot was over."""
    give_network(box)

    def look():
        done = box.svcctl("list", "--all", "--json", check=False)
        if done.returncode:
            return box._must_live()
        rows = {row["name"]: row for row in json.loads(done.stdout)["data"]}
        display.update(rows, box.boot_at_us())
        return is_over(rows)
    wait_for(look, BOOT_LIMIT_S, "the boot is over")
    since = max((row["since_us"] or 0) for name, row in box.services().items() if name in SHOWN)
    return (since - box.boot_at_us()) / 1e6


def questions(box):
    """Returns: name -> whether the service has answered."""
    answers = {}
    for name, argv, word in QUESTIONS:
        answers[name] = word in box.run(*argv, check=False).stdout
    box.run("logger", "-t", "demo", "a line from the demo", check=False)
    try:
        wait_for(lambda: box.exists("/var/log/syslog") and "a line from the demo" in box.read("/var/log/syslog"), 20)
        answers["rsyslog"] = True
    except AssertionError:
        answers["rsyslog"] = False
    return answers


def kill_manager(box):
    before = {name: row["pid"] for name, row in box.services().items() if row.get("pid")}
    seconds = box.kill_manager(signal.SIGSEGV)
    after = {name: row["pid"] for name, row in box.services().items() if row.get("pid")}
    return {"signal": "SEGV", "back_after_ms": round(seconds * 1000), "services": len(before), "same_pids": before == after}


def power_off(box):
    box.shut_down("poweroff")
    began = time.monotonic()
    status = box.wait_end(120)
    return {"ms": round((time.monotonic() - began) * 1000), "wait_status": status,
            "powered_off": os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGINT}


def summary_of(row):
    summary = {key: row[key] for key in ("name", "state", "pid") if row.get(key) is not None}
    if row["state"] == "waiting":
        summary["waits_for"] = [term["text"] for term in row["false_terms"]]
    return summary


def check():
    """Runs all steps once, without a terminal; returns the summary."""
    summary = {"schema": "svcd-demo/1", "ok": False, "problems": []}
    problems = summary["problems"]
    try:
        with new_sandbox() as box:
            summary["boot_ms"] = round(boot(box, BootDisplay(sys.stderr, False)) * 1000)
            rows = box.services()
            summary["services"] = [summary_of(row) for row in rows.values() if row["state"] != "idle"]
            problems += [f"{name} is {rows.get(name, {}).get('state', 'not known')}" for name in SHOWN
                         if rows.get(name, {}).get("state") != "ready"]
            problems += [f"{row['name']} failed" for row in rows.values() if row["state"] == "failed"]
            summary["answers"] = questions(box)
            problems += [f"{name} does not answer" for name, answered in summary["answers"].items() if not answered]
            summary["manager_kill"] = kill_manager(box)
            if not summary["manager_kill"]["same_pids"]:
                problems.append("services changed their pids when the manager was killed")
            summary["shutdown"] = power_off(box)
            if not summary["shutdown"]["powered_off"]:
                problems.append("PID 1 did not end with a power-off")
    except Exception as problem:  # any error must be visible in the summary
        problems.append(f"{type(problem).__name__}: {problem}")
    summary["ok"] = not problems
    return summary


def new_sandbox(**options):
    return Sandbox(root="debian", vendor=True, policy=POLICY, mounts=("sys",), **options)


def shell(box):
    """A shell on a terminal in the sandbox, so that job control works."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    environment = dict(ENVIRONMENT, TERM=os.environ.get("TERM", "linux"), PS1="svcd-demo:\\w# ")
    subprocess.run(box.command(["/usr/bin/script", "-qec", "/bin/bash --norc", "/dev/null"]), check=False, env=environment)


def show():
    on_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    # The user of the shell may kill any process in the sandbox.
    with new_sandbox(expect_crash=True) as box:
        print("demo: svcd boots as PID 1 of a namespace of its own\n")
        seconds = boot(box, BootDisplay(sys.stdout, on_terminal))
        print(f"\ndemo: booted in {seconds:.2f} s\n\n# svcctl", flush=True)
        sys.stdout.write(box.svcctl(check=False).stdout)
        sys.stdout.flush()
        if on_terminal:
            print("\ndemo: a shell inside; try: svcctl list, svcctl explain, svcctl status ssh, kill -SEGV $(pidof svcd-manager)\n"
                  "demo: leaving it powers the sandbox off\n", flush=True)
            shell(box)
        if box.is_running():
            print("demo: powering off", flush=True)
            power_off(box)
        print("demo: the sandbox is gone")
    return 0


def main():
    parser = argparse.ArgumentParser(prog="tools/demo")
    parser.add_argument("--check", action="store_true")
    if not parser.parse_args().check:
        return show()
    summary = check()
    print(json.dumps(summary, indent=2))
    return 0 if summary["ok"] else 1


sys.exit(main())
