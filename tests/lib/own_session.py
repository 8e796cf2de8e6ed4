# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Own session: a user's session in a sandbox: a session bus, and an unprivileged "svcd --user" on it.

    with Sandbox(files={**own_session.FILES, **user_services(a="[Service]\\n...")}) as box, OwnSession(box) as session:
        session.wait_state("a", "ready")
"""

import json
import signal
import subprocess

from deadline import DEFAULT_S, wait_for
from sandbox import SANITIZER_WORDS, Failure

UID = 1000
HOME = "/home/user"
RUNTIME = f"/run/user/{UID}"
BUS = f"{RUNTIME}/bus"
CONFIG = f"{HOME}/.config/svcd"

# These are needed because dbus-daemon looks up its own user.
FILES = {
    HOME: {"directory": True, "uid": UID},
    "/etc/passwd": "root:x:0:0:root:/root:/bin/sh\nmessagebus:x:100:100::/:/bin/sh\n"
                   f"user:x:{UID}:{UID}::{HOME}:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n",
    "/etc/group": f"root:x:0:\nadm:x:4:\nmessagebus:x:100:\nuser:x:{UID}:\nnogroup:x:65534:\n",
}

# The environment of a session, normally from elogind.
ENVIRONMENT = {
    "HOME": HOME, "USER": "user", "LOGNAME": "user", "SHELL": "/bin/sh", "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8",
    "XDG_RUNTIME_DIR": RUNTIME, "DBUS_SESSION_BUS_ADDRESS": f"unix:path={BUS}", "ASAN_OPTIONS": "detect_leaks=0",
}


def user_files(services=None, policy=None):
    """Files of the user for the sandbox. @services: name -> text; @policy: by default it wants
    all."""
    files = {f"{CONFIG}/services.d/{name}.svc": {"text": text, "uid": UID} for name, text in (services or {}).items()}
    if policy is None:
        policy = "[runlevel 2]\n" + "".join(f"Activate={name}\n" for name in services or {} if not name.endswith("@"))
    files[f"{CONFIG}/policy.d/test.policy"] = {"text": policy, "uid": UID}
    return {**FILES, **files}


class OwnSession:
    """@bus: "path", "abstract" or None: no bus runs, but the environment has its address."""

    def __init__(self, box, bus="path", environment=None, svcd=True):
        self.box = box
        self.environment = {**ENVIRONMENT, **(environment or {})}
        self.keeper = None
        self.bus = None
        self.bus_kind = bus
        self.with_svcd = svcd

    def __enter__(self):
        self.box.wait_up()
        self.box.run("sh", "-c", f"mkdir -p {RUNTIME} {HOME}; chmod 700 {RUNTIME}; chown {UID} {RUNTIME}; chown -R {UID} {HOME}")
        if self.bus_kind:
            self.start_bus()
        if self.with_svcd:
            self.start()
        return self

    def __exit__(self, kind, value, trace):
        for process in (self.keeper, self.bus):
            if process and process.poll() is None:
                process.terminate()
                process.wait(DEFAULT_S)
        if self.keeper:
            text = self.said()
            if SANITIZER_WORDS.search(text):
                raise Failure("a sanitizer found something:\n" + text)
        return False

    def command(self, *argv, ends_with_us=False):
        """@ends_with_us: the command gets TERM when its parent, nsenter(1), ends."""
        pairs = [f"{name}={value}" for name, value in self.environment.items()]
        return self.box.command(["setpriv", f"--reuid={UID}", f"--regid={UID}", "--clear-groups", "--inh-caps=-all",
                                 *(["--pdeathsig=TERM"] if ends_with_us else []), "env", "-i", *pairs, *argv])

    def start_bus(self):
        address = f"unix:path={BUS}" if self.bus_kind != "abstract" else "unix:abstract=/tmp/svcd-test-bus"
        self.environment["DBUS_SESSION_BUS_ADDRESS"] = address
        self.bus = subprocess.Popen(self.command("dbus-daemon", "--session", f"--address={address}", "--nofork", "--nopidfile",
                                                 "--nosyslog", ends_with_us=True),
                                    stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        if self.bus_kind == "path":
            wait_for(lambda: self.box.exists(BUS), what="the session bus listens")

    def stop_bus(self):
        self.bus.terminate()
        self.bus.wait(DEFAULT_S)

    def launch(self, *argv):
        """Start svcd --user. Its output goes to a file, as in a session of a display manager."""
        with open(self.box.path("/tmp/session-errors"), "ab") as errors:
            return subprocess.Popen(self.command(*argv), stdin=subprocess.DEVNULL, stdout=errors, stderr=errors)

    def start(self, *argv):
        self.keeper = self.launch(*(argv or ("/sbin/svcd", "--user")))
        self.wait_up()

    def said(self):
        return self.box.read("/tmp/session-errors") if self.box.exists("/tmp/session-errors") else ""

    def wait_up(self):
        wait_for(lambda: self.svcctl("--version", check=False).returncode == 0 or self.must_live(), what="svcctl --user is answered")

    def must_live(self):
        if self.keeper and self.keeper.poll() is not None:
            raise RuntimeError(f"svcd --user has ended with {self.keeper.returncode}:\n{self.said()}")
        return False

    def keeper_pid(self):
        """The pid inside the sandbox, because the started process is nsenter(1)."""
        return int(self.box.read(f"{RUNTIME}/svcd/lock"))

    def end(self, signo=signal.SIGTERM):
        """Wait for the end of svcd, and return its exit status."""
        self.box.run("kill", f"-{int(signo)}", str(self.keeper_pid()))
        return self.keeper.wait(DEFAULT_S)

    def processes(self):
        """pid -> command line of each process of the user, except zombies."""
        lines = self.box.run("ps", "-U", str(UID), "-o", "pid=,stat=,args=", check=False).stdout.splitlines()
        rows = [line.split(None, 2) for line in lines]
        return {int(row[0]): row[2] for row in rows if not row[1].startswith("Z")}

    def run(self, *argv, check=True, timeout=DEFAULT_S):
        done = subprocess.run(self.command(*argv), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
                              timeout=timeout, check=False, stdin=subprocess.DEVNULL)
        if SANITIZER_WORDS.search(done.stderr) or (check and done.returncode):
            raise Failure(f"{' '.join(argv)}: exit {done.returncode}\n{done.stdout}{done.stderr}")
        return done

    def svcctl(self, *argv, check=True, timeout=DEFAULT_S):
        return self.run("/usr/bin/svcctl", "--user", *argv, check=check, timeout=timeout)

    def svcctl_json(self, *argv):
        return json.loads(self.svcctl(*argv, "--json").stdout)["data"]

    def services(self):
        return {row["name"]: row for row in self.svcctl_json("list", "--all")}

    def state(self, name):
        return self.services()[name]["state"]

    def pid(self, name):
        return self.services()[name].get("pid", 0) or 0

    def wait_state(self, name, *states, seconds=DEFAULT_S):
        return wait_for(lambda: self.state(name) in states or self.must_live(), seconds, f"{name} is {' or '.join(states)}")
