# SPDX-License-Identifier: LGPL-2.1-or-later
"""
The part of tools/demo that follows the installation and the build: the boot, the steps of STEPS, a
shell, and the power-off.

It uses the tests' sandbox (tests/lib/sandbox.py), with a plain Debian root that is unpacked once. A
step is one sentence and some commands, as an admin types them. Each command has checks. On a
terminal a failed check is shown; with --check it is an entry in the summary.
"""

import argparse
import collections
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import termios
import textwrap
import threading
import time

import loops
from deadline import wait_for
from sandbox import ENVIRONMENT, Sandbox
from terminal import screen_lines, set_size

SHOWN = ("dbus", "rsyslog", "cron", "nginx", "ssh")
BOOT_LIMIT_S = 180
CHECK_LIMIT_S = 60
READING_S = 1
CHANGING = ("starting", "stopping", "backoff")
SYMBOLS = {"ready": "●", "done": "●", "failed": "✗"}

NM = "org.freedesktop.NetworkManager"
WIFI_IS_ON = f"dbus-property:{NM} /org/freedesktop/NetworkManager {NM}.WirelessEnabled = true"
# Unique, because all demos that run on a machine share its loop devices.
LABEL = f"BACKUP-{os.getpid()}"
# Services that run only while a condition is true.
WHILE = {"applet": f"dbus:{NM}", "hotspot": WIFI_IS_ON, "mirror": "network:up", "backup": f"label:{LABEL}"}
# udevd is a service of the sandbox, because svcd's own udev service excludes containers.
POLICY = f"""[runlevel 2]
Activate=-networking -network-manager udevd {' '.join(SHOWN)}
Activate={' '.join(WHILE)}
[service network-manager]
Ignore=virtual:container
"""
FILES = {
    "/etc/svcd/policy.d/local.policy": POLICY,
    "/etc/NetworkManager/conf.d/demo.conf": "[keyfile]\nunmanaged-devices=*\n",
}
IMAGE = "/root/stick.img"

# A client of each service: a command and an expected part of its output.
PERL = ("perl -MIO::Socket::INET -e 'my $s = IO::Socket::INET->new(\"127.0.0.1:%d\") or die; %s "
        "print scalar <$s>;'")
CLIENTS = {
    "dbus": ("dbus-send --system --dest=org.freedesktop.DBus --print-reply /org/freedesktop/DBus "
             "org.freedesktop.DBus.GetId", "string"),
    "nginx": (PERL % (80, 'print $s "HEAD / HTTP/1.0\\r\\n\\r\\n";'), "HTTP/1.1 200"),
    "ssh": (PERL % (22, ""), "SSH-2.0"),
    "rsyslog": ("logger -t demo a line; cat /var/log/syslog", "demo: a line"),
}


# --- checks: each is called after its command and raises AssertionError ---

def prints(*texts):
    def check(story):
        for text in texts:
            assert text in story.output, f"the output does not contain {text!r}"
    return check


def becomes(**states):
    """The monitor shows that the services reach these states after the command."""
    def check(story):
        for name, state in states.items():
            story.wait_monitor(rf"^\S+ {name}: .*-> {state}: ", f"svcctl monitor shows that {name} is {state}")
    return check


def monitor_shows(pattern):
    return lambda story: story.wait_monitor(pattern, f"svcctl monitor shows {pattern!r}")


def answers(*names):
    """Clients of these services get an answer."""
    def check(story):
        for name in names:
            line, text = CLIENTS[name]
            wait_for(lambda: text in story.box.run("/bin/sh", "-c", line, check=False).stdout, CHECK_LIMIT_S,
                     f"{name} answers")
    return check


def all_are_up(story):
    rows = story.box.services()
    states = {name: rows[name]["state"] for name in (*SHOWN, *WHILE)}
    expected = {**dict.fromkeys(SHOWN, "ready"), **dict.fromkeys(WHILE, "waiting"), "mirror": "ready"}
    assert states == expected, f"the states are {states}"
    failed = [name for name, row in rows.items() if row["state"] == "failed"]
    assert not failed, f"failed: {failed}"


def same_processes(story):
    """No service has lost or replaced its main process since the step began."""
    assert pids(story.box) == story.pids, f"the processes before: {story.pids}; now: {pids(story.box)}"


# --- the story ---

Command = collections.namedtuple("Command", "line checks status")


class Step:
    def __init__(self, name, sentence, *commands):
        self.name = name
        self.sentence = sentence
        self.commands = commands


def command(line, *checks, status=0):
    return Command(line, checks, status)


def condition(name):
    """A command that shows the condition of a service."""
    return command(f"tail -n 1 /etc/svcd/services.d/{name}.svc", prints(f"While={WHILE[name]}"))


STEPS = (
    Step("boot",
         "The boot is over: the services have started in parallel. Three more are wanted, but each "
         "waits for a condition.",
         command("svcctl", all_are_up, answers(*CLIENTS)),
         command("svcctl list --state waiting -o name,state,why", prints("applet", "hotspot", "backup"))),
    Step("explain",
         "Why does the service hotspot not run? \"explain\" shows the missing condition, the line that "
         "requires it, and the next command.",
         command("svcctl explain hotspot",
                 prints("waiting for 1 condition", "hotspot.svc:4", "svcctl start network-manager"))),
    Step("bus-name",
         "The service applet runs only while NetworkManager has its name on D-Bus. The monitor shows "
         "each change and its cause, here and in the next steps.",
         condition("applet"),
         command("svcctl monitor applet hotspot mirror backup cron &", monitor_shows("manager: ready")),
         command("svcctl start network-manager", becomes(applet="ready", hotspot="ready")),
         command("svcctl stop network-manager", becomes(applet="waiting", hotspot="waiting"))),
    Step("bus-property",
         "The service hotspot runs only while Wi-Fi is on. That is a property of NetworkManager on "
         "D-Bus.",
         condition("hotspot"),
         command("svcctl start network-manager", becomes(hotspot="ready")),
         command("nmcli radio wifi off", becomes(hotspot="waiting")),
         command("nmcli radio wifi on", becomes(hotspot="ready"))),
    Step("network",
         "The service mirror runs only while there is a network. Without a default route there is none.",
         condition("mirror"),
         command("ip route del default", becomes(mirror="waiting")),
         command("ip route add default via 192.0.2.1", becomes(mirror="ready"))),
    Step("volume",
         "The service backup runs only while a disk with its label is present. Here the disk is a file "
         "behind a loop device.",
         condition("backup"),
         command(f"losetup --find --show {IMAGE}", becomes(backup="ready")),
         command(f"losetup --detach $(losetup -n -O NAME -j {IMAGE})", becomes(backup="waiting"))),
    Step("policy",
         "Policy is the admin's list of the services that this machine wants. A dry run shows the "
         "effect of a change, and \"undo\" reverts it.",
         command("svcctl disable cron --dry-run", prints("Stops      cron", "nothing was written"), same_processes),
         command("svcctl disable cron", becomes(cron="idle")),
         command("svcctl undo", becomes(cron="ready"))),
    Step("nginx",
         "The configuration of nginx gets a typing error. svcd checks it before a restart and refuses "
         "the restart, so nginx continues.",
         command("echo 'lisen 8080;' >/etc/nginx/conf.d/new.conf"),
         command("svcctl restart nginx", prints("CheckCommand= failed"), answers("nginx"), same_processes, status=8),
         command("svcctl log -n 2 nginx", prints("lisen")),
         command("rm /etc/nginx/conf.d/new.conf")),
    Step("manager",
         "PID 1 only keeps the processes, and the manager decides about them. When the manager "
         "crashes, PID 1 starts another, and no service is affected.",
         command("svcctl list -o name,state,pid nginx ssh hotspot"),
         command("kill -SEGV $(pidof svcd-manager)", monitor_shows("manager: back")),
         command("svcctl list -o name,state,pid nginx ssh hotspot", answers(*CLIENTS), same_processes)),
    Step("timing",
         "svcd has measured the boot: its longest chain of services, and the time of each service.",
         command("svcctl boot", prints("The boot took", "Chain")),
         command("svcctl boot blame", prints("OWN TIME", *SHOWN))),
)


def pids(box):
    return {name: row["pid"] for name, row in box.services().items() if row.get("pid")}


class Screen:
    """The visitor's terminal. With --check there is none, and the output is only kept."""

    def __init__(self, out):
        self.out = out
        self.on_terminal = bool(out) and sys.stdin.isatty() and out.isatty()
        self.columns = shutil.get_terminal_size().columns if self.on_terminal else 80
        self.lock = threading.Lock()

    def write(self, text):
        if self.out:
            with self.lock:
                self.out.write(text)
                self.out.flush()

    def wrap(self, text, indent=""):
        self.write(textwrap.fill(text, min(self.columns, 100) - 1, subsequent_indent=indent, break_long_words=False,
                                 break_on_hyphens=False) + "\n")

    def bold(self, text):
        return f"\033[1m{text}\033[0m" if self.on_terminal else text

    def keys(self, are_echoed):
        """Sets whether the terminal echoes keys, sends whole lines, and turns Ctrl-C into a signal,
        which would also end the sandbox."""
        if not self.on_terminal:
            return
        flags = termios.ICANON | termios.ECHO | termios.ISIG
        settings = termios.tcgetattr(sys.stdin)
        settings[3] = settings[3] | flags if are_echoed else settings[3] & ~flags
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, settings)

    def give_time(self):
        """Gives a visitor time to read the result of a command before the next one."""
        if self.on_terminal:
            time.sleep(READING_S)

    def pause(self):
        """Returns "" for the next step, "s" for the shell, "q" to quit."""
        if not self.on_terminal:
            return ""
        self.write("\n[Enter: next step   s: shell   q: quit] ")
        key = b""
        while key not in (b"\n", b" ", b"s", b"q", b"\x03", b"\x04"):
            key = os.read(sys.stdin.fileno(), 1) or b"q"
        self.write("\r\033[K")
        return {b"\n": "", b" ": "", b"s": "s"}.get(key, "q")


class Story:
    """Runs the steps in a booted sandbox. @results: an entry for each step, as in the summary."""

    def __init__(self, box, screen):
        self.box = box
        self.screen = screen
        self.results = []
        self.code = None
        self.output = ""
        self.pids = {}
        self.monitor = ""
        self.monitor_from = 0

    def run(self, step):
        began = time.monotonic()
        commands, shown = [], len(self.monitor)
        result = {"name": step.name, "sentence": step.sentence, "ok": False, "commands": commands}
        self.results.append(result)
        self.screen.wrap(self.screen.bold(f"{len(self.results)}/{len(STEPS)}  {step.sentence}"), "      ")
        self.screen.write("\n")
        self.pids = pids(self.box)
        try:
            for line, checks, status in step.commands:
                self.command(line)
                commands.append({"command": line, "exit": self.code, "output": self.output.splitlines()})
                assert self.code == status, f"exit status {self.code}, expected {status}"
                for one in checks:
                    one(self)
                self.screen.give_time()
            result["ok"] = True
        except AssertionError as problem:
            result["problem"] = f"{line}: {problem}"
            self.screen.wrap(f"demo: FAILED: {result['problem']}")
        result["monitor"] = self.monitor[shown:].splitlines()
        result["seconds"] = round(time.monotonic() - began, 1)

    def command(self, line):
        """Runs the command on a terminal of the visitor's width. Its output is shown when it has
        ended, because the monitor may write a line at any time."""
        self.screen.write(self.screen.bold(f"# {line}") + "\n")
        self.monitor_from = len(self.monitor)
        master, slave = os.openpty()
        set_size(slave, self.screen.columns)
        environment = self.box.run_environment()
        if self.screen.on_terminal:
            environment["TERM"] = os.environ.get("TERM", "linux")
        process = subprocess.Popen(self.box.command(["/bin/sh", "-c", line.removesuffix(" &")]),
                                   stdin=subprocess.DEVNULL, stdout=slave, stderr=slave, env=environment)
        os.close(slave)
        if line.endswith(" &"):
            self.code, self.output = 0, ""
            threading.Thread(target=self.follow, args=(master,), daemon=True).start()
            return
        written = b"".join(pieces(master))
        os.close(master)
        self.code = process.wait()
        text = written.decode("utf-8", "replace")
        self.output = "\n".join(screen_lines(re.sub(r"\033\[[0-9;]*m", "", text)))
        self.screen.write(text.replace("\r\n", "\n") if self.screen.on_terminal else self.output)
        if line.startswith("losetup --find"):
            self.box.loops += [int(number) for number in re.findall(r"/dev/loop(\d+)", self.output)]

    def follow(self, master):
        """Shows the lines of the monitor as they come."""
        rest = ""
        for piece in pieces(master):
            *lines, rest = (rest + piece.decode("utf-8", "replace").replace("\r\n", "\n")).split("\n")
            for line in lines:
                self.screen.wrap(line, " " * 13)
            self.monitor += "".join(f"{line}\n" for line in lines)

    def wait_monitor(self, pattern, what):
        wait_for(lambda: re.search(pattern, self.monitor[self.monitor_from:], re.MULTILINE), CHECK_LIMIT_S, what)


def pieces(fd):
    """Yields the bytes written to a terminal until the last process closes it, which makes a read
    fail."""
    try:
        while piece := os.read(fd, 65536):
            yield piece
    except OSError:
        return


# --- boot and power off ---

class BootDisplay:
    """One line for each service that comes up or fails, with the time since the start of PID 1."""

    def __init__(self, screen):
        self.screen = screen
        self.seen = {}

    def update(self, rows, boot_at_us):
        clear = "\r\033[K" if self.screen.on_terminal else ""
        changed = [row for row in rows.values() if self.seen.get(row["name"]) != row["state"]]
        for row in sorted(changed, key=lambda row: row.get("since_us") or 0):
            self.seen[row["name"]] = row["state"]
            if row["state"] in ("ready", "done", "failed"):
                seconds = ((row.get("since_us") or boot_at_us) - boot_at_us) / 1e6
                self.screen.write(f"{clear}{seconds:8.3f} s  {SYMBOLS[row['state']]} {row['name']:<22} "
                                  f"{row['state']}\n")
        if clear:
            changing = [row["name"] for row in rows.values() if row["state"] in CHANGING]
            self.screen.write(f"{clear}  … {', '.join(changing)[:70]}" if changing else clear)


def boot(box, screen):
    """Waits for the end of the boot. Returns the seconds from the start of PID 1 to the last change
    of a service in SHOWN."""
    display = BootDisplay(screen)

    def look():
        done = box.svcctl("list", "--all", "--json", check=False)
        if done.returncode:
            return box._must_live()
        rows = {row["name"]: row for row in json.loads(done.stdout)["data"]}
        display.update(rows, box.boot_at_us())
        return all(rows.get(name, {}).get("state") in ("ready", "done", "failed") for name in SHOWN) and \
            not any(row["state"] in CHANGING for row in rows.values())
    wait_for(look, BOOT_LIMIT_S, "the boot is over")
    since = max((row["since_us"] or 0) for name, row in box.services().items() if name in SHOWN)
    return (since - box.boot_at_us()) / 1e6


def prepare(box):
    """Makes the volume's file. If this process is killed, a later sandbox releases the loop device
    of a file with this name."""
    image = f"/root/{loops.name_of_file()}"
    box.run(f"truncate -s 8M {image} && mkfs.ext4 -q -L {LABEL} {image} && ln -s {image} {IMAGE}")
    box.wait_udev_known("backup")


def power_off(box):
    box.shut_down("poweroff")
    began = time.monotonic()
    status = box.wait_end(120)
    return {"ms": round((time.monotonic() - began) * 1000), "wait_status": status,
            "powered_off": os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGINT}


def new_sandbox():
    services = {name: f"[Service]\nExec=/bin/sleep infinity\n[Conditions]\nWhile={term}\n"
                for name, term in WHILE.items()}
    # A step of the demo kills the manager, and so may the user of the shell.
    return Sandbox(services, root="debian", vendor=True, files=FILES, mounts=("sys",), udev=True, network=True,
                   expect_crash=True)


def check():
    """Runs all steps without a terminal; returns the summary."""
    began = time.monotonic()
    summary = {"schema": "svcd-demo/2", "ok": False, "problems": [], "steps": []}
    problems = summary["problems"]
    try:
        with new_sandbox() as box:
            screen = Screen(None)
            summary["boot_ms"] = round(boot(box, screen) * 1000)
            prepare(box)
            story = Story(box, screen)
            summary["steps"] = story.results
            for step in STEPS:
                story.run(step)
            problems += [f"{result['name']}: {result['problem']}" for result in story.results if not result["ok"]]
            summary["shutdown"] = power_off(box)
            if not summary["shutdown"]["powered_off"]:
                problems.append("PID 1 did not end with a power-off")
    except Exception as problem:  # the summary must contain every problem
        problems.append(f"{type(problem).__name__}: {problem}")
    summary["ok"] = not problems
    summary["seconds"] = round(time.monotonic() - began, 1)
    return summary


def shell(box):
    """A shell on a terminal in the sandbox, so that job control works."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    environment = dict(ENVIRONMENT, TERM=os.environ.get("TERM", "linux"), PS1="svcd-demo:\\w# ")
    subprocess.run(box.command(["/usr/bin/script", "-qec", "/bin/bash --norc", "/dev/null"]), check=False,
                   env=environment)


def show(screen):
    print("demo: svcd boots as PID 1 of a sandbox, with real daemons. This machine is not changed.\n"
          "demo: The services applet, hotspot, mirror and backup are examples that only sleep.\n", flush=True)
    screen.keys(False)
    with new_sandbox() as box:
        screen.write(f"\ndemo: booted in {boot(box, screen):.2f} s\n")
        prepare(box)
        story = Story(box, screen)
        key = screen.pause()
        for step in STEPS:
            if key == "":
                story.run(step)
                key = screen.pause()
        # Ends the monitor, which runs in the sandbox.
        box.run("pkill", "-x", "svcctl", check=False)
        screen.keys(True)
        if screen.on_terminal and key != "q":
            print("demo: a shell in the sandbox. Try: svcctl list, svcctl explain ssh, svcctl stop dbus,\n"
                  "demo: kill -9 $(pidof nginx). The end of the shell powers the sandbox off.\n", flush=True)
            shell(box)
        if box.is_running():
            print("demo: powering off", flush=True)
            power_off(box)
        print("demo: the sandbox is gone")
    return 0 if all(result["ok"] for result in story.results) else 1


def main():
    parser = argparse.ArgumentParser(prog="tools/demo")
    parser.add_argument("--check", action="store_true")
    if parser.parse_args().check:
        summary = check()
        print(json.dumps(summary, indent=2, ensure_ascii=False))
        return 0 if summary["ok"] else 1
    screen = Screen(sys.stdout)
    try:
        return show(screen)
    finally:
        screen.keys(True)


sys.exit(main())
