#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The private resources of a sandboxed service last for one run; an unavailable key fails the
start."""

import glob
import signal

from deadline import wait_for
from sandbox import Sandbox

# All commands of a service share its /tmp.
SHARED = """[Service]
PrivateTmp=yes
RuntimeDirectory=own
StateDirectory=own
User=daemon
Prepare=/bin/sh -c 'echo from prepare >/tmp/word'
Exec=/bin/sh -c 'test "$(cat /tmp/word)" = "from prepare" && mkdir -p /tmp/a/b && touch /var/tmp/x /tmp/a/b/c /run/own/x /var/lib/own/x && exec sleep infinity'
Stop=/bin/sh -c 'cp /tmp/word /var/lib/own/word; kill $MAINPID'
"""

# This service exits at once on request, and is restarted.
KEPT = """[Service]
RuntimeDirectory=NAME
RuntimeDirectoryPreserve=HOW
Exec=/bin/sh -c 'echo run >>/run/NAME/runs; exec sleep infinity'
Restart=always
RestartDelay=10ms
"""

NEW_CALLS = "[Service]\nExec=/bin/sleep infinity\nSystemCallFilter=@system-service\n"

MISSING = "[Service]\nExec=/bin/sleep infinity\n"
REFUSED = {
    "no-path": (MISSING + "ReadOnlyPaths=/no/such/path\n", "ReadOnlyPaths=: cannot find /no/such/path: No such file or directory"),
    "no-source": (MISSING + "BindPaths=/no/such/path:/srv\n", "BindPaths=: cannot find /no/such/path: No such file or directory"),
    "no-input": (MISSING + "StandardInput=file:/no/such/file\n", "StandardInput=: cannot open /no/such/file: No such file or directory"),
    "no-place": (MISSING + "StateDirectory=file/x\n", "StateDirectory=: cannot make /var/lib/file/x: Not a directory"),
    "no-processor": (MISSING + "CPUAffinity=1000\n", "CPUAffinity=: cannot set the processors: Invalid argument"),
    "no-capability": (MISSING + "AmbientCapabilities=CAP_SYS_TIME\n",
                      "AmbientCapabilities=: svcd itself does not have all of them: Operation not permitted"),
    "no-program": ("[Service]\nExec=/no/such/program\nSystemCallFilter=@system-service\n",
                   "cannot execute /no/such/program: No such file or directory"),
}


def kept(name, how):
    return KEPT.replace("NAME", name).replace("HOW", how)


def private_directories(box):
    return [path for place in ("tmp", "var/tmp") for path in glob.glob(box.path(f"/{place}/svcd-shared-*"))]


def lasts_for_a_run(box):
    box.wait_state("shared", "ready")
    wait_for(lambda: box.exists("/var/lib/own/x"), what="it has begun")
    before = private_directories(box)
    assert len(before) == 2 and not box.exists("/tmp/word"), before
    assert box.run("stat", "-c", "%U %a", *[path.split("/root", 1)[1] for path in before]).stdout == "root 700\n" * 2

    box.kill_manager(signal.SIGKILL)
    box.wait_up()
    assert box.state("shared") == "ready" and private_directories(box) == before

    box.svcctl("restart", "shared")
    box.wait_state("shared", "ready")
    after = private_directories(box)
    assert len(after) == 2 and not set(after) & set(before), (before, after)

    box.svcctl("stop", "shared")
    box.wait_state("shared", "idle", "waiting")
    assert not private_directories(box) and not box.exists("/run/own"), private_directories(box)
    assert box.read("/var/lib/own/word") == "from prepare\n", "the Stop= command has the same /tmp"
    assert box.run("stat", "-c", "%U", "/var/lib/own").stdout == "daemon\n"
    assert not box.exists("/run/svcd/private-tmp/shared")


def runs(box, name):
    return box.read(f"/run/{name}/runs").count("run") if box.exists(f"/run/{name}/runs") else 0


def is_kept_as_asked(box):
    for name, wanted in (("kept-no", 1), ("kept-restart", 2), ("kept-yes", 2)):
        wait_for(lambda name=name: runs(box, name) == 1, what=f"{name} runs")
        before = box.pid(name)
        box.run("kill", str(before))
        wait_for(lambda name=name, before=before: box.state(name) == "ready" and box.pid(name) != before, what=f"{name} runs again")
        wait_for(lambda name=name, wanted=wanted: runs(box, name) == wanted, what=f"{name} has {wanted} runs")
    for name, stays in (("kept-no", False), ("kept-restart", False), ("kept-yes", True)):
        box.svcctl("stop", name)
        box.wait_state(name, "idle", "waiting")
        assert box.exists(f"/run/{name}") == stays, name


def is_never_weaker(box):
    for name, (_text, why) in REFUSED.items():
        box.wait_state(name, "failed")
        assert why in box.svcctl("explain", name).stdout, box.svcctl("explain", name).stdout

    box.run("rm $(find /usr/lib -name 'libseccomp.so.2*')")
    box.svcctl("flag", "set", "filtered")
    box.wait_state("filtered", "failed")
    assert "SystemCallFilter=: needs libseccomp2: Package not installed" in box.svcctl("explain", "filtered").stdout


SERVICES = {name: text for name, (text, _why) in REFUSED.items()}
SERVICES.update({"shared": SHARED, "kept-no": kept("kept-no", "no"), "kept-restart": kept("kept-restart", "restart"),
                 "kept-yes": kept("kept-yes", "yes"), "filtered": NEW_CALLS + "[Conditions]\nWhen=flag:filtered\n"})
FILES = {"/var/tmp": {"directory": True, "mode": 0o1777}, "/var/lib/file": "", "/srv": {"directory": True}}

with Sandbox(SERVICES, files=FILES) as sandbox:
    is_never_weaker(sandbox)
    lasts_for_a_run(sandbox)
    is_kept_as_asked(sandbox)
