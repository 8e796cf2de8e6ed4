#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
svcd does not use files that other users may write to, or links through their directories, and
reports each with its reason.

This covers service files, drop-ins, policy and init scripts. Files of a service's user cannot make
root act elsewhere.
"""

from deadline import wait_for
from sandbox import Sandbox

WWW = 33
ETC = "/etc/svcd"
EVIL = "[Service]\nExec=/bin/sh -c \"echo >/run/evil; exec sleep infinity\"\n"
EVIL_POLICY = "[runlevel 2]\nActivate=never\n"
SCRIPT = "#!/bin/sh\n### BEGIN INIT INFO\n# Provides: {0}\n# Default-Start: 2\n# Default-Stop: 0\n### END INIT INFO\necho >/run/evil\n"

FILES = {
    f"{ETC}/services.d/owned.svc": {"text": EVIL, "uid": WWW},
    f"{ETC}/services.d/group.svc": {"text": EVIL, "mode": 0o664, "uid": 0, "gid": WWW},
    f"{ETC}/services.d/world.svc": {"text": EVIL, "mode": 0o666},
    f"{ETC}/services.d/linked.svc": {"link": "/srv/own/there.svc"},
    f"{ETC}/services.d/plain.svc.d/x.conf": {"text": "[Service]\nEnvironment=EVIL=1\n", "uid": WWW},
    f"{ETC}/policy.d/owned.policy": {"text": EVIL_POLICY, "uid": WWW},
    "/etc/init.d/owned-script": {"text": SCRIPT.format("owned-script"), "mode": 0o755, "uid": WWW},
    "/etc/init.d/group-script": {"text": SCRIPT.format("group-script"), "mode": 0o775, "uid": 0, "gid": WWW},
    "/etc/init.d/good-script": {"text": SCRIPT.format("good-script"), "mode": 0o755},
    "/srv/own": {"directory": True, "uid": WWW, "mode": 0o755},
    "/srv/own/there.svc": {"link": "/srv/evil.svc"},
    "/srv/evil.svc": EVIL,
    "/srv/own/env": {"link": "/root/secret"},
    "/root/secret": {"text": "SECRET=yes\n", "mode": 0o600},
    "/srv/own/sub": {"link": "/root"},
}
SERVICES = {
    "plain": "[Service]\nExec=/bin/sleep infinity\n",
    "never": EVIL,
    "reads": "[Service]\nUser=www-data\nEnvironmentFile=/srv/own/env\nExec=/bin/sleep infinity\nRestart=no\n",
    "stands": "[Service]\nUser=www-data\nStandardInput=file:/srv/own/env\nExec=/bin/sleep infinity\nRestart=no\n",
    "binds": "[Service]\nBindPaths=/srv:/srv/own/sub/new\nExec=/bin/sleep infinity\nRestart=no\n",
    "listens": "[Service]\nExec=/bin/sleep infinity\n[Socket]\nListenStream=/srv/own/sub/socket\n",
    "is-heard": "[Service]\nUser=www-data\nExec=/bin/sleep infinity\n[Socket]\nListenStream=/srv/own/below/socket\nSocketUser=root\n",
}
REASONS = {
    "owned.svc": "it belongs to user 33", "group.svc": "group 33 may write to it", "world.svc": "all users may write to it",
    "linked.svc": "a symbolic link in a directory that users other than root can write to", "x.conf": "it belongs to user 33",
    "owned.policy": "it belongs to user 33",
}

with Sandbox(SERVICES, policy="[runlevel 2]\nActivate=plain reads stands binds listens is-heard\n", files=FILES) as box:
    for name in ("reads", "stands", "binds"):
        box.wait_state(name, "failed")
    box.wait_state("is-heard", "ready")
    assert box.run("stat", "-c", "%F %U", "/srv/own/below", "/srv/own/below/socket").stdout == "directory www-data\nsocket root\n"
    said = box.svcctl("check", check=False)
    told = said.stdout + said.stderr
    for name, reason in REASONS.items():
        assert any(name in line and reason in line for line in told.splitlines()), (name, reason, told)
    wait_for(lambda: "cannot listen on /srv/own/sub/socket" in box.console() + box.svcctl("explain", "listens", check=False).stdout,
             what="the socket is refused")
    assert sorted(box.run("ls", "-A", "/root").stdout.split()) == ["secret"], "something was made in /root"
    names = box.services()
    assert "good-script" in names, names
    assert not {"owned-script", "group-script"} & set(names), names
    for name in ("owned", "group", "world", "linked", "never"):
        assert not names.get(name, {}).get("pid"), names[name]
    assert not box.exists("/run/evil")
