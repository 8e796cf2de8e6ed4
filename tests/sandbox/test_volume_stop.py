#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Services with a mounted: term on a volume stop before its unmount, however long they need, at a
stop, a restart and a shutdown.

A stop that leaves the volume mounted has failed, and names the processes that use it; the
dependents start again.
"""

from sandbox import Failure, Sandbox

POLICY = """[runlevel 2]
Activate=user loose mount-srv-data
[service mount-srv-data]
Ignore=virtual:container
"""
MOUNT = "mount-srv-data"

# This service needs 4 s to stop, longer than the retries of an unmount, and then reports whether
# the volume is still there.
SLOW = """[Service]
Exec=/bin/sh -c "cd /srv/data; trap 'sleep 4; mountpoint /srv/data >/dev/console; exit 0' TERM; while :; do sleep 0.05; done"
StopTimeout=60s
[Conditions]
"""
SERVICES = {
    "user": SLOW + "While=mounted:/srv/data\nSettle=60s\n",
    "loose": SLOW + "When=mounted:/srv/data\n",
    "guest": "[Service]\nExec=/bin/sleep infinity\nWorkingDirectory=/srv/data\n",
}


def is_mounted(box):
    return box.run("mountpoint", "-q", "/srv/data", check=False).returncode == 0


def times_mounted(box):
    return box.console().count("/srv/data is a mountpoint"), box.console().count("/srv/data is not a mountpoint")


def wait_up(box):
    box.wait_states({MOUNT: "done", "user": "ready", "loose": "ready"})
    if not is_mounted(box):
        raise Failure("/srv/data is not mounted")


with Sandbox(SERVICES, policy=POLICY) as box:
    box.make_mount("tmpfs /srv/data tmpfs nofail 0 0", MOUNT)
    wait_up(box)
    box.svcctl("stop", "loose")
    assert times_mounted(box) == (1, 0), times_mounted(box)

    refused = box.svcctl("stop", MOUNT, check=False)
    assert refused.returncode == 8 and "needs it: user" in refused.stderr, refused
    assert box.state("user") == "ready"

    told = box.svcctl("stop", MOUNT, "--with-dependents").stdout
    assert told.startswith(f"{MOUNT}: the services that need it stop, too: user\n") and told.endswith(f"{MOUNT} stopped\n"), told
    assert not is_mounted(box) and times_mounted(box) == (2, 0), times_mounted(box)
    assert box.wait_state("user", "waiting")["invocation"] == 1, "it was started on a volume that was gone"
    assert "Waiting for it: user." in box.svcctl("explain", MOUNT).stdout, box.svcctl("explain", MOUNT).stdout

    box.svcctl("start", MOUNT)
    box.wait_state("user", "ready")
    pid = box.pid("user")

    box.svcctl("restart", MOUNT)
    assert times_mounted(box) == (3, 0), times_mounted(box)
    assert box.wait_state("user", "ready")["pid"] != pid and is_mounted(box)

    # The volume is used by a service without a term on it, and by a mount on it.
    box.svcctl("start", "guest")
    box.run("mkdir", "/srv/data/on")
    box.run("mount", "-t", "tmpfs", "none", "/srv/data/on")
    for verb in (("stop", MOUNT, "--with-dependents"), ("restart", MOUNT)):
        failed = box.svcctl(*verb, check=False)
        assert failed.returncode == 1, failed
        assert f"{MOUNT}: its stop failed, and it is up as before: exit status 1: " in failed.stderr, failed
        assert f"In use by: sleep ({box.pid('guest')}, service guest); the mount /srv/data/on" in failed.stderr, failed
        box.wait_states({MOUNT: "done", "user": "ready"})
        assert is_mounted(box)
        why = box.svcctl("explain", MOUNT).stdout
        assert "Its stop failed, so it is up as before" in why and "service guest" in why, why
        assert "service guest" in box.svcctl("status", MOUNT).stdout

    # The next manager does not retry on its own.
    pid = box.pid("user")
    box.kill_manager()
    box.wait_at_rest()
    assert box.state(MOUNT) == "done" and box.pid("user") == pid

    box.svcctl("stop", "guest")
    box.run("umount", "/srv/data/on")
    box.svcctl("stop", MOUNT, "--with-dependents")
    assert not is_mounted(box)

    box.svcctl("start", MOUNT, "user", "loose")
    wait_up(box)
    before = times_mounted(box)
    box.shut_down("poweroff")
    box.wait_end()
    assert times_mounted(box) == (before[0] + 2, 0), box.console()
