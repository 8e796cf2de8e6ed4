# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Peers: other init systems with the same services, each as PID 1 of a sandbox like svcd.

They are unpacked from Debian's packages below the cache, and never installed.

    peer = Peer("runit")
    box = peer.sandbox(services)      services: name -> names that must be ready first

This file has the requirements of each peer: its files, the format of a service, and the request to
start all services. A service is one program that records the time of its exec, and then waits
(tests/bench/noter.c).
"""

import fcntl
import hashlib
import os
import shutil
import subprocess

from sandbox import Sandbox, cache_directory

NOTER = "/usr/local/bin/noter"
NOTES = "/run/bench/notes"

# The packages with all needed files; shared libraries that the machine has are taken from the
# machine.
PACKAGES = {
    "svcd": (),
    "runit": ("runit",),
    "s6": ("s6", "execline", "libs6-2.11", "libexecline2.9", "libskarnet2.13"),
    "finit": ("finit", "finit-plugins", "libite5", "libuev3"),
    "openrc": ("openrc", "libeinfo1", "librc1"),
    "sysvinit": ("sysvinit-core", "sysv-rc", "initscripts", "insserv", "startpar"),
    "systemd": ("systemd", "libsystemd-shared", "libcryptsetup12", "libkmod2", "libseccomp2", "libjson-c5", "libargon2-1",
                "libdevmapper1.02.1", "libp11-kit0", "libapparmor1", "libip4tc2", "libfdisk1", "libffi8"),
}

# Peers with dependencies in their service files.
HAS_DEPENDENCIES = ("svcd", "finit", "openrc", "sysvinit", "systemd")


def _run(argv, directory):
    subprocess.run(argv, cwd=directory, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                   stderr=subprocess.PIPE)


def _merge_usr(tree):
    """Move files into /usr, because the machine's /bin, /sbin and /lib are links, but a package may
    put files there."""
    for name in ("bin", "sbin", "lib", "lib64"):
        if os.path.isdir(f"{tree}/{name}"):
            shutil.copytree(f"{tree}/{name}", f"{tree}/usr/{name}", symlinks=True, dirs_exist_ok=True)
            shutil.rmtree(f"{tree}/{name}")


def layer(name):
    """A directory with the unpacked packages of a peer, made once."""
    packages = PACKAGES[name]
    tree = f"{cache_directory()}/peers/{name}-{hashlib.sha256(' '.join(packages).encode()).hexdigest()[:12]}"
    os.makedirs(os.path.dirname(tree), exist_ok=True)
    with open(f"{cache_directory()}/peers/lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if os.path.isdir(tree):
            return tree
        new = f"{tree}.new"
        shutil.rmtree(new, ignore_errors=True)
        os.makedirs(f"{new}/debs")
        _run(["apt-get", "-qq", "-o", "APT::Sandbox::User=root", "download", *packages], f"{new}/debs")
        for deb in sorted(os.listdir(f"{new}/debs")):
            _run(["dpkg-deb", "--extract", f"debs/{deb}", "tree"], new)
        _merge_usr(f"{new}/tree")
        os.rename(f"{new}/tree", tree)
        shutil.rmtree(new)
    return tree


def script(text):
    return {"text": text, "mode": 0o755}


# --- one function per peer: services -> its files, and the command of PID 1 ---

def _svcd(services):
    files = {}
    for name, needs in services.items():
        conditions = "[Conditions]\n" + "".join(f"When=service:{need}\n" for need in needs) if needs else ""
        files[f"/etc/svcd/services.d/{name}.svc"] = f"[Service]\nExec={NOTER}\n{conditions}"
    files["/etc/svcd/policy.d/bench.policy"] = "[runlevel 2]\n" + "".join(f"Activate={name}\n" for name in services)
    return files, ("/sbin/svcd",)


def _runit(services):
    files = {"/etc/runit/1": script("#!/bin/sh\n"), "/etc/runit/2": script("#!/bin/sh\nexec runsvdir -P /etc/bench\n"),
             "/etc/runit/3": script("#!/bin/sh\n")}
    for name in services:
        files[f"/etc/bench/{name}/run"] = script(f"#!/bin/sh\nexec {NOTER}\n")
    return files, ("/sbin/runit",)


def _s6(services):
    files = {f"/etc/s6/{name}/run": script(f"#!/bin/sh\nexec {NOTER}\n") for name in services}
    return files, ("/bin/s6-svscan", f"-c{len(services) + 8}", "/etc/s6")


def _finit(services):
    lines = ["runlevel 2\n"]
    for name, needs in services.items():
        wait = f"<{','.join(f'pid/noter:{need}' for need in needs)}> " if needs else ""
        lines.append(f"service :{name} pid:/run/{name}.pid [2] {wait}{NOTER} -- {name}\n")
    return {"/etc/finit.conf": "".join(lines)}, ("/sbin/finit",)


def _openrc(services):
    files = {"/etc/rc.conf": 'rc_parallel="YES"\nrc_logger="NO"\n',
             "/etc/inittab": "id:3:initdefault:\nl3:3:wait:/sbin/openrc default\n"}
    for name, needs in services.items():
        depend = f"depend() {{\n\tneed {' '.join(needs)}\n}}\n" if needs else ""
        files[f"/etc/init.d/{name}"] = script(f"#!/sbin/openrc-run\ncommand={NOTER}\ncommand_background=yes\n"
                                              f"pidfile=/run/{name}.pid\n{depend}")
        files[f"/etc/runlevels/default/{name}"] = {"link": f"/etc/init.d/{name}"}
    files["/etc/insserv.conf"] = ""
    return files, ("/sbin/openrc-init",)


def _sysvinit(services):
    order = {}
    for name, needs in services.items():
        order[name] = max((order[need] + 1 for need in needs), default=1)
    files = {"/etc/inittab": "id:2:initdefault:\nl2:2:wait:/etc/init.d/rc 2\n"}
    for name, needs in services.items():
        files[f"/etc/init.d/{name}"] = script(
            f"#!/bin/sh\n### BEGIN INIT INFO\n# Provides: {name}\n# Required-Start: {' '.join(needs)}\n# Required-Stop:\n"
            f"# Default-Start: 2\n# Default-Stop: 0 6\n### END INIT INFO\n"
            f"[ \"$1\" = start ] && start-stop-daemon --start --background --quiet --exec {NOTER}"
            f" --make-pidfile --pidfile /run/{name}.pid\n")
    for name in services:
        files[f"/etc/rc2.d/S{min(order[name], 99):02d}{name}"] = {"link": f"../init.d/{name}"}
    starts = " ".join(services)
    files["/etc/init.d/.depend.start"] = f"TARGETS = {starts}\nINTERACTIVE =\n" + "".join(
        f"{name}: {' '.join(needs)}\n" for name, needs in services.items() if needs)
    files["/etc/init.d/.depend.stop"] = f"TARGETS = {starts}\nINTERACTIVE =\n"
    files["/etc/init.d/.depend.boot"] = "TARGETS =\nINTERACTIVE =\n"
    return files, ("/sbin/init",)


def _systemd(services):
    files = {"/etc/systemd/system/bench.target": "[Unit]\nDefaultDependencies=no\nWants=" + " ".join(
        f"{name}.service" for name in services) + "\n", "/etc/machine-id": "0123456789abcdef0123456789abcdef\n"}
    for name, needs in services.items():
        units = " ".join(f"{need}.service" for need in needs)
        order = f"Requires={units}\nAfter={units}\n" if needs else ""
        files[f"/etc/systemd/system/{name}.service"] = (
            f"[Unit]\nDefaultDependencies=no\n{order}[Service]\nType=exec\nExecStart={NOTER}\n"
            "StandardOutput=null\nStandardError=null\n")
    return files, ("/lib/systemd/systemd", "--unit=bench.target", "--log-target=null", "--show-status=no")


FILES = {"svcd": _svcd, "runit": _runit, "s6": _s6, "finit": _finit, "openrc": _openrc, "sysvinit": _sysvinit,
         "systemd": _systemd}


class Peer:
    """One init system, with its own packages unless it is svcd."""

    def __init__(self, name):
        self.name = name
        self.layer = None if name == "svcd" else layer(name)

    def sandbox(self, services, more_files=None):
        """A sandbox, not started. PID 1 starts all of @services."""
        files, init = FILES[self.name](services)
        programs = os.environ["SVCD_BUILD"] + "/tests/bench"
        files[NOTER] = {"copy": f"{programs}/noter", "mode": 0o755}
        files["/usr/local/bin/spawn-floor"] = {"copy": f"{programs}/spawn-floor", "mode": 0o755}
        files[NOTES] = ""
        files.update(more_files or {})
        environment = {"TERM": "linux", "HOME": "/", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "container": "svcd-bench"}
        return Sandbox(policy="", files=files, init=init, environment=environment, stage=self.layer)
