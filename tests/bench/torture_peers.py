# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Torture's peers: init systems that supervise the same few services, each in its own way, with their
own commands.

    init = INITS["s6"]()
    box = init.sandbox({"calm0": Kept(), "probe0": Kept(at_boot=False)})

A service is a program with its own name (a link), so that its processes can be identified. The
settings here make an ended service restart, and systemd discards output. Everything else has the
peer's defaults.
"""

import dataclasses
import os
import subprocess

from peers import NOTER, NOTES, layer, script
from sandbox import Sandbox

PROGRAMS = "/usr/local/bin"
PAUSER = f"{PROGRAMS}/pauser"
ENVIRONMENT = {"TERM": "linux", "HOME": "/", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "container": "svcd-bench"}

@dataclasses.dataclass
class Kept:
    """A service: its command, and whether it starts at boot.

    Without a command, the program only waits. If its name begins with "note", it first records the
    time of its exec.
    """
    command: str = None
    at_boot: bool = True
    again: bool = True


class Init:
    """The common part; each class below implements it for one init."""

    name = ""
    has_notify = False

    def __init__(self):
        self.layer = None if self.name == "svcd" else layer(self.name)

    def command(self, service, kept):
        return kept.command or f"{PROGRAMS}/{service}"

    def sandbox(self, services, more_files=None, before="", mounts=("sys", "run"), environment=None):
        """A sandbox that is not started yet. @before: a line of shell that the same process runs
        before it executes the init."""
        files, init = self.files(services)
        files[NOTER] = {"copy": os.environ["SVCD_BUILD"] + "/tests/bench/noter", "mode": 0o755}
        files[PAUSER] = {"copy": os.environ["SVCD_BUILD"] + "/tests/bench/pauser", "mode": 0o755}
        files[f"{PROGRAMS}/orphans"] = {"copy": os.environ["SVCD_BUILD"] + "/tests/bench/orphans", "mode": 0o755}
        for name, kept in services.items():
            if kept.command is None:
                files[f"{PROGRAMS}/{name}"] = {"link": NOTER if name.startswith("note") else PAUSER}
        if "run" in mounts:
            # The file gets its own page now, so that a note has space when /run is full.
            files[NOTES] = ""
        files.update(more_files or {})
        if before:
            init = ("/bin/sh", "-c", f"{before}; exec " + " ".join(init))
        environment = {name: value for name, value in dict(ENVIRONMENT, **(environment or {})).items() if value is not None}
        return Sandbox(policy="", files=files, init=init, environment=environment, stage=self.layer, mounts=mounts, expect_crash=True)

    def tell(self, box, *argv):
        """Start a command of the init itself. It may hang, and the caller ends it."""
        return subprocess.Popen(box.command(argv), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                env=box.run_environment(), text=True, errors="replace", start_new_session=True)

    def supervisors(self, box, names):
        """All processes of the init: pid inside the sandbox -> pid outside."""
        return {inner: outer for inner, (outer, _parent, comm, state) in box.processes().items()
                if state != "Z" and comm not in names and comm in self.programs}

    programs = ()
    reexec_argv = None
    own_path = None

    def listener(self, box, probe):
        """The pid, outside the sandbox, of the process that serves the admin's command."""
        return box.pid1


class Svcd(Init):
    name = "svcd"
    programs = ("svcd", "svcd-manager", "svc-logger")
    reexec_argv = ("svcctl", "reexec")
    own_path = "/usr/sbin/svcd"
    has_notify = True

    def files(self, services):
        files = {"/etc/svcd/policy.d/torture.policy": "[runlevel 2]\n" + "".join(
            f"Activate={name}\n" for name, kept in services.items() if kept.at_boot)}
        for name, kept in services.items():
            again = "Restart=always\n" if kept.again else ""
            files[f"/etc/svcd/services.d/{name}.svc"] = f"[Service]\nExec={self.command(name, kept)}\n{again}"
        return files, ("/sbin/svcd",)

    def start(self, box, name, _services):
        return self.tell(box, "svcctl", "start", name)

    def stop(self, box, name, _services):
        return self.tell(box, "svcctl", "stop", name)

    def poweroff(self, box):
        return self.tell(box, "svcctl", "poweroff")

    def listener(self, box, probe):
        return box.manager_pid()

    control = "/run/svcd/private"


class Systemd(Init):
    """PID 1 alone, without a journal. As in docs/performance.md, the units have no dependencies
    except those on the shutdown."""
    name = "systemd"
    programs = ("systemd", "systemd-journal")
    reexec_argv = ("systemctl", "daemon-reexec")
    own_path = "/lib/systemd/systemd"
    has_notify = True

    def files(self, services):
        files = {"/etc/systemd/system/torture.target": "[Unit]\nDefaultDependencies=no\nAllowIsolate=yes\nWants=" + " ".join(
            f"{name}.service" for name, kept in services.items() if kept.at_boot) + "\n",
            "/etc/machine-id": "0123456789abcdef0123456789abcdef\n"}
        for name, kept in services.items():
            files[f"/etc/systemd/system/{name}.service"] = self.unit(name, kept)
        return files, ("/lib/systemd/systemd", "--unit=torture.target", "--show-status=no", "--log-target=console")

    def unit(self, name, kept, more_unit="", more_service=""):
        again = "Restart=always\n" if kept.again else ""
        return (f"[Unit]\nDefaultDependencies=no\nConflicts=shutdown.target\nBefore=shutdown.target\n{more_unit}"
                f"[Service]\nType=exec\nExecStart={self.command(name, kept)}\n{again}{more_service}"
                "StandardOutput=null\nStandardError=null\n")

    def start(self, box, name, _services):
        return self.tell(box, "systemctl", "start", name)

    def stop(self, box, name, _services):
        return self.tell(box, "systemctl", "stop", name)

    def poweroff(self, box):
        return self.tell(box, "systemctl", "poweroff")

    control = "/run/systemd/private"


class Sysvinit(Init):
    """
    It supervises a process by a line in /etc/inittab. To start or stop a process, the line is added
    or removed, and telinit runs.

    The lines of the first three probes are there from the beginning, on demand ("telinit a"),
    because the file on a read-only root cannot change.
    """
    name = "sysvinit"
    programs = ("init", "telinit")
    reexec_argv = ("telinit", "u")
    own_path = "/sbin/init"

    @staticmethod
    def line_id(name):
        return name[0] + name[-3:] if len(name) > 4 else name

    def line(self, name, kept):
        return f"{self.line_id(name)}:2:{'respawn' if kept.again else 'once'}:{self.command(name, kept)}\n"

    on_demand = {}

    def files(self, services):
        lines = [self.line(name, kept) for name, kept in services.items() if kept.at_boot]
        self.on_demand = dict(zip([name for name, kept in services.items() if name.startswith("probe")], "abc"))
        lines += [f"{level}{level}:{level}:ondemand:{self.command(name, services[name])}\n" for name, level in self.on_demand.items()]
        return {"/etc/inittab": "id:2:initdefault:\nl0:0:wait:/sbin/halt -d -f -p\n" + "".join(lines)}, ("/sbin/init",)

    def start(self, box, name, services):
        if name in self.on_demand:
            return self.tell(box, "telinit", self.on_demand[name])
        line = self.line(name, services[name]).strip()
        return self.tell(box, "/bin/sh", "-c", f"echo '{line}' >>/etc/inittab; exec telinit q")

    def stop(self, box, name, _services):
        return self.tell(box, "/bin/sh", "-c", f"sed -i '/^{self.line_id(name)}:/d' /etc/inittab; exec telinit q")

    def poweroff(self, box):
        return self.tell(box, "telinit", "0")

    control = "/run/initctl"


class Finit(Init):
    name = "finit"
    programs = ("finit", "initctl")
    control = "/run/finit/socket"
    own_path = "/sbin/finit"

    def files(self, services):
        lines = ["runlevel 2\n"]
        for name, kept in services.items():
            manual = "" if kept.at_boot else "manual:yes "
            lines.append(f"service name:{name} {manual}[2] {self.command(name, kept)} -- {name}\n")
        return {"/etc/finit.conf": "".join(lines)}, ("/sbin/finit",)

    def start(self, box, name, _services):
        return self.tell(box, "/usr/lib/finit/initctl", "start", name)

    def stop(self, box, name, _services):
        return self.tell(box, "/usr/lib/finit/initctl", "stop", name)

    def poweroff(self, box):
        return self.tell(box, "/usr/lib/finit/initctl", "poweroff")


class S6(Init):
    """s6-svscan is PID 1, with a scan directory that is first copied into /run, as its
    documentation requires; it has no shutdown of its own."""
    name = "s6"
    programs = ("s6-svscan", "s6-supervise")

    def files(self, services):
        files = {}
        for name, kept in services.items():
            files[f"/etc/s6/{name}/run"] = script(f"#!/bin/sh\nexec {self.command(name, kept)}\n")
            if not kept.at_boot:
                files[f"/etc/s6/{name}/down"] = ""
            if not kept.again:
                files[f"/etc/s6/{name}/finish"] = script("#!/bin/sh\nexit 125\n")
        return files, ("/bin/sh", "-c", "'cp -a /etc/s6 /run/service && exec /bin/s6-svscan /run/service'")

    def sandbox(self, services, more_files=None, before="", mounts=("sys", "run"), environment=None):
        return super().sandbox(services, more_files, before or ":", mounts, environment)

    def start(self, box, name, _services):
        return self.tell(box, "s6-svc", "-u", f"/run/service/{name}")

    def stop(self, box, name, _services):
        return self.tell(box, "s6-svc", "-d", f"/run/service/{name}")

    def poweroff(self, box):
        return None

    def listener(self, box, probe):
        for outer, _parent, comm, _state in box.processes().values():
            if comm == "s6-supervise":
                with open(f"/proc/{outer}/cmdline", encoding="utf-8") as file:
                    if file.read().split("\0")[1:2] == [probe]:
                        return outer
        return None


INITS = {kind.name: kind for kind in (Svcd, Systemd, Sysvinit, S6, Finit)}
