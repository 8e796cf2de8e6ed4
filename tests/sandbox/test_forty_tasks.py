#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Forty tasks of an admin, each with the command that comes to mind first, on a terminal of 80
columns, as root, as an operator and as a user without rights. The expected screens are in
tests/data/screens/tasks. After SVCD_TEST_WRITE_SCREENS=1 has written them, read the difference.
limit: 600

Times, sizes, process numbers, the space beside them and lines of progress may differ. No line of a
table is wider than the terminal. Two tasks have their own tests: 37, a container, is
test_container_recipe, and 38, a service that blocks the boot, is test_boot_that_hangs.
"""

import os
import pty
import re
import subprocess
import sys

from deadline import wait_for
from polkit import BusMachine
from terminal import screen_lines, set_size

COLUMNS = 80
SCREENS = os.path.join(os.environ["SVCD_SOURCE"], "tests/data/screens/tasks")
RUN_AS = ["env", "HOME=/home/bob", "setpriv"]
WHO = {
    "bob$ ": [*RUN_AS, "--reuid=1001", "--regid=1001", "--clear-groups"],
    "operator$ ": [*RUN_AS, "--reuid=1002", "--regid=1002", "--groups=2000"],
}

SLEEP = "[Service]\nExec=/bin/sleep infinity\n"
SERVICES = {
    "web": "[Service]\nDescription=Web server\n"
           "Exec=/bin/sh -c 'echo listening; exec sleep infinity'\nReload=signal:HUP\n"
           "[Conditions]\nWhile=service:base\n",
    "base": "[Service]\nDescription=What the web server needs\nExec=/bin/sleep infinity\n",
    "cron": "[Service]\nDescription=Regular jobs\nExec=/bin/sleep infinity\n",
    "apache2": "[Service]\nDescription=Another web server\nExec=/usr/sbin/apache2 -D\n"
               "[Conditions]\nWhen=path:exec:/usr/sbin/apache2\n",
    "netted": SLEEP + "[Conditions]\nWhile=network:up\n",
    "crash": "[Service]\nExec=/bin/sh -c 'echo no port is free; exit 3'\nRestart=on-failure\n"
             "RestartLimit=3/10s\nRestartDelay=10ms\n",
    "checked": SLEEP + "CheckCommand=/bin/sh -c 'echo line 3: no such option; exit 1'\n"
                       "Reload=signal:HUP\n",
    "sock": SLEEP + "[Socket]\nListenStream=/run/sock\n",
}
POLICY = """\
[runlevel 2]
Activate=web base cron netted crash checked dbus
[runlevel 3]
Activate=web base
[service sock]
Activation=on-demand
[service web]
Operators=webmasters
"""
UNIT = """\
[Unit]
Description=Hello
[Service]
ExecStart=/bin/sleep infinity
[Install]
WantedBy=multi-user.target
"""
SCRIPT = """\
#!/bin/sh
### BEGIN INIT INFO
# Provides: old
# Required-Start:
# Required-Stop:
# Default-Start: 2 3
# Default-Stop: 0 1 6
# Short-Description: An old daemon
### END INIT INFO
exit 0
"""
FILES = {
    "/usr/lib/systemd/system/hello-unit.service": UNIT,
    "/etc/init.d/old": {"text": SCRIPT, "mode": 0o755},
}
ACCOUNTS = {
    "/etc/passwd": "bob:x:1001:1001::/home/bob:/bin/sh\nolga:x:1002:1002::/home/olga:/bin/sh\n",
    "/etc/group": "webmasters:x:2000:olga\n",
}
TYPO = SLEEP + "Restrat=no\n"
TIMER = SLEEP + "[Timer]\nOnCalendar=daily\n"


def write(path, text):
    return lambda box: box.write(path, text)


def again(box):
    """Restore the original files."""
    for path in ("web", "shop", "daily"):
        if path not in SERVICES and box.exists(f"/etc/svcd/services.d/{path}.svc"):
            box.remove(f"/etc/svcd/services.d/{path}.svc")
    box.write("/etc/svcd/services.d/web.svc", SERVICES["web"])
    box.svcctl("reload-files")


# Number, name and steps: command lines, and functions that change the machine. The prompt of a user
# other than root is part of the line.
TASKS = [
    (1, "what-runs", ["svcctl", "svcctl list"]),
    (2, "what-failed", ["svcctl list --state failed"]),
    (3, "why-not-running", ["svcctl explain netted"]),
    (4, "start-stop", ["svcctl stop base", "svcctl stop web", "svcctl start web"]),
    (5, "broken-configuration", ["svcctl restart checked", "svcctl reload checked"]),
    (6, "not-installed", ["svcctl start apache2"]),
    (7, "enable-disable", ["svcctl stop cron", "svcctl enable cron", "svcctl start cron",
                           "svcctl disable cron"]),
    (8, "own-program", ["svcctl new shop --run-as bob -- /bin/sleep 1000", "svcctl start shop",
                        "svcctl status shop"]),
    (9, "socket", ["svcctl status sock"]),
    (10, "waits-for-network", ["svcctl start netted", "svcctl status netted"]),
    (11, "log", ["svcctl log web"]),
    (12, "log-since", ["svcctl log web cron --since today"]),
    (13, "setting", ["svcctl edit cron Nice=5", "svcctl cat cron"]),
    (14, "mask", ["svcctl mask cron", "svcctl set cron never --reason 'rule 12'",
                  "svcctl explain cron", "svcctl undo cron"]),
    (15, "tree", ["svcctl tree web", "svcctl tree --reverse base"]),
    (16, "dry-run", ["svcctl stop base --dry-run", "svcctl stop web --dry-run"]),
    (17, "undo", ["svcctl set base never", "svcctl undo"]),
    (18, "boot-times", ["svcctl boot", "svcctl boot blame"]),
    (19, "boot-chart", ["svcctl boot plot"]),
    (20, "rescue", ["svcctl runlevel single --dry-run"]),
    (21, "check", [write("/etc/svcd/services.d/web.svc", TYPO),
                   "svcctl check /etc/svcd/services.d/web.svc"]),
    (22, "typo", [write("/etc/svcd/services.d/web.svc", TYPO), "svcctl reload-files",
                  "svcctl restart web", again]),
    (23, "crash-loop", ["svcctl status crash"]),
    (24, "limits", ["svcctl edit cron MemoryMax=64M CPUWeight=50", "svcctl restart cron",
                    "svcctl undo cron"]),
    (25, "timer", [write("/etc/svcd/services.d/daily.svc", TIMER), "svcctl check", again]),
    (26, "init-script", ["svcctl start old", "svcctl status old"]),
    (27, "unit-of-a-package", ["svcctl start hello-unit",
                               "svcctl import /lib/systemd/system/hello-unit.service"
                               " --output /etc/svcd/services.d >/dev/null",
                               "svcctl reload-files", "svcctl enable hello-unit"]),
    (28, "shutdown-later", ["svcctl reboot --at +10", "svcctl", "svcctl reboot --cancel"]),
    (29, "user-services", ["bob$ svcctl --user list"]),
    (30, "user-looks", ["bob$ svcctl status web", "bob$ svcctl log web",
                        "operator$ svcctl log web"]),
    (31, "user-starts", ["operator$ svcctl restart web", "bob$ svcctl restart web"]),
    (32, "completion", ["svcctl complete -- svcctl sta"]),
    (33, "json", ["svcctl restart nothing --json"]),
    (34, "monitor", ["svcctl monitor --help"]),
    (35, "convert-unit", ["svcctl import /usr/lib/systemd/system/hello-unit.service"]),
    (36, "convert-script", ["svcctl import /etc/init.d/old"]),
    (39, "pipe", ["svcctl policy | head -n 3", "NO_COLOR=1 svcctl list web"]),
    (40, "help", ["svcctl staus web", "svcctl status wbe", "svcctl status web.service",
                  "svcctl --help"]),
]

# Texts that may differ from run to run.
VARIABLE = [
    (r"\n {13}|\n    (?=[a-z(-])", " "),  # a wrapped line, perhaps wrapped at another place
    (r"just now", "1 s ago"),
    (r"\033\[[0-9;]*m", ""),
    (r"\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun)\b", "DAY"),
    (r"\d{4}-\d\d-\d\dT[\d:.]+Z", "STAMP"),
    (r"\d\d:\d\d(:\d\d)?|\d{4}-\d\d-\d\d", "TIME"),
    (r"\b\d+([.,]\d+)? ?(ms|s|min|h|us|days?|B|KiB|MiB|GiB|%)(?![a-z])", "N"),
    (r"N( N)+", "N"),
    (r"\bpid \d+|cpu [\d.]+ ms", "pid N"),
    (r"(● ready +\S+ +)\d+", r"\1PID"),
    (r"\n +(Group|Chain) .*", ""),
    (r"svcd? \d+\.\d[\w.~+-]*", "svcd VERSION"),
    (r"\b[\d.]+ (?=N\b)", ""),
    (r"[ \t]+", " "),
]


def typed(box, line):
    """The screen after a command line, and its exit code."""
    prompt = next((prompt for prompt in WHO if line.startswith(prompt)), "")
    master, slave = pty.openpty()
    set_size(slave, COLUMNS)
    words = [*WHO.get(prompt, []), "/bin/sh", "-c", line.removeprefix(prompt)]
    process = subprocess.Popen(box.command(words), stdin=slave, stdout=slave, stderr=slave,
                               env={**box.run_environment(), "TERM": "xterm", "NO_COLOR": "1"})
    os.close(slave)
    written = b""
    while True:
        try:
            written += os.read(master, 65536)
        except OSError:
            break
    os.close(master)
    lines = screen_lines(written.decode().replace("\r\n", "\n"))
    text = "\n".join(line for line in lines if not line.startswith("◐"))
    return text.rstrip("\n"), process.wait()


def is_table(text):
    """A sentence may be wrapped by the terminal, but a wrapped table would be unreadable."""
    return bool(re.search(r"\S {3,}\S", text.strip()))


def session(box, steps):
    shown = []
    for step in steps:
        if callable(step):
            step(box)
            continue
        text, code = typed(box, step)
        is_file = " cat " in step or "|" in step
        wide = [] if is_file else [line for line in text.splitlines()
                                   if len(line) > COLUMNS and is_table(line)]
        assert not wide, (step, wide)
        shown.append((step if "$ " in step else f"# {step}") + "\n" +
                     (text + "\n" if text else "") + (f"[exit {code}]\n" if code else ""))
        box.wait_at_rest()
    return "\n".join(shown)


def same(text):
    """The lines are sorted, because services that took equally long have no order."""
    for pattern, instead in VARIABLE:
        text = re.sub(pattern, instead, text)
    return sorted(line.strip() for line in text.splitlines())


def check(number, name, shown):
    path = f"{SCREENS}/{number:02}-{name}.txt"
    if os.environ.get("SVCD_TEST_WRITE_SCREENS"):
        os.makedirs(SCREENS, exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(shown)
        return True
    with open(path, encoding="utf-8") as file:
        expected = file.read()
    if same(expected) == same(shown):
        return True
    print(f"task {number}, {name}, expected:\n{expected}\nnow:\n{shown}", file=sys.stderr)
    return False


def prepare(box):
    for path, text in FILES.items():
        box.write(path, text["text"] if isinstance(text, dict) else text)
        os.chmod(box.path(path), text["mode"] if isinstance(text, dict) else 0o644)
    for path, text in ACCOUNTS.items():
        box.write(path, box.read(path) + text)
    box.svcctl("reload-files")


with BusMachine(False, SERVICES, policy=POLICY) as machine:
    prepare(machine)
    machine.wait_states({"web": "ready", "crash": "failed", "cron": "ready"})
    machine.wait_at_rest()
    wait_for(lambda: "listening" in machine.svcctl("log", "web").stdout,
             what="the log has the line")
    wrong = [name for number, name, steps in TASKS
             if not check(number, name, session(machine, steps))]
    assert not wrong, wrong
