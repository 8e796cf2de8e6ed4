#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Daemons with a [Socket]: the first client starts each, a restart refuses no client, and a daemon
that exited when idle starts again."""

import re

from deadline import wait_for
from life import FILES, NETWORK, PACKAGES, POLICY, Daemon, debian_root, python, try_all, unix
from sandbox import Sandbox

NO_HARDWARE = "virtual:container"
CUPS = unix("/run/cups/cups.sock", "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "HTTP/1.1 ")
# The header of each request to dmeventd, as in libdevmapper-event(3): command 8, the length, sender
# and number.
HELLO = python("""
import os, select, struct
to = os.open("/run/dmeventd-client", os.O_WRONLY | os.O_NONBLOCK)
answers = os.open("/run/dmeventd-server", os.O_RDWR | os.O_NONBLOCK)
text = b"%d:0 - - 0 0\\0" % os.getpid()
os.write(to, struct.pack("!II", 8, len(text)) + text)
said = b""
while b"HELLO" not in said:
    assert select.select([answers], [], [], 20)[0], "no answer: %r" % said
    said += os.read(answers, 4096)
""")
DOCKER = {"/etc/docker/daemon.json": '{"iptables": false, "bridge": "none"}\n'}

try_all(
    Daemon("avahi-daemon", probe=unix("/run/avahi-daemon/socket", "HELP\n", "Available commands"), client=True),
    Daemon("dm-event", probe=HELLO, ignore=NO_HARDWARE, client=True),
    Daemon("docker", probe="docker version --format '{{.Server.Version}}'", files=DOCKER, client=True),
    Daemon("lvm2-lvmpolld", probe="lvmpolld --dump", ignore=NO_HARDWARE, client=True),
    Daemon("uuidd", probe="uuidd -t", client=True),
    Daemon("virtlogd", probe="virt-admin -c virtlogd:///system server-list | grep -q virtlogd", client=True),
)
# Each of these calls one of the daemons above.
try_all(
    Daemon("cups", probe=CUPS, client=True, broken=("/etc/cups/cups-files.conf", "FatalErrors all\nUser nonsense\n")),
    Daemon("libvirtd", probe="virsh -c qemu:///system list", client=True),
)


# --- wanted by policy, but not always running ---

ROOT = debian_root(*PACKAGES.split())
ENDED = "it ended by itself: exit status 0"
WANTED = "".join(f"[service {name}]\nActivation=boot\nRunlevels=2\n" for name in ("cups", "libvirtd"))


def own_file(path, *changes):
    with open(ROOT + path, encoding="utf-8") as file:
        text = file.read()
    for old, new in changes:
        assert old in text, f"{path}: no {old!r}"
        text = text.replace(old, new)
    return text


files = dict(FILES, **{
    "/etc/cups/cupsd.conf": own_file("/etc/cups/cupsd.conf", ("WebInterface Yes", "WebInterface No"),
                                     ("IdleExitTimeout 60", "IdleExitTimeout 1")),
    "/etc/default/libvirtd": 'LIBVIRTD_ARGS="--timeout 1"\n',
})
with Sandbox(root=ROOT, vendor=True, policy=POLICY + WANTED, files=files, mounts=("sys",)) as box:
    box.run(NETWORK)
    for name, client in (("cups", CUPS), ("libvirtd", "virsh -c qemu:///system list")):
        told = wait_for(lambda: re.search(f".*{ENDED}.*", box.svcctl("status", name, check=False).stdout), what=f"{name} has ended")
        row = box.service(name)
        assert row["state"] == "idle" and row["want_reason"] == "wanted in the runlevel", f"{row} {told}"
        box.run("/bin/sh", "-c", client)
    # No client has connected to these.
    for name in ("docker", "avahi-daemon", "uuidd"):
        assert box.state(name) == "idle", box.service(name)
