#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""explain, enable, service and doctor report that a package has only a systemd unit, and show the
commands that make it a service."""

from sandbox import Sandbox

UNIT = """[Unit]
Description=Web server
[Service]
ExecStart=/usr/local/bin/webd infinity
{more}
[Install]
WantedBy=multi-user.target
"""
DIRECTORY = "/usr/lib/systemd/system"
PATH = "/lib/systemd/system/webd.service"
SYSV = "/usr/lib/svcd/sysv"

FILES = {
    "/usr/local/bin/webd": {"copy": "/bin/sleep", "mode": 0o755},
    f"{DIRECTORY}/webd.service": UNIT.format(more=""),
    # Cases: a service of another name that executes the same program, a masked unit, a missing
    # program, a template.
    "/usr/local/bin/managed": {"copy": "/bin/sleep", "mode": 0o755},
    f"{DIRECTORY}/ManagedDaemon.service": UNIT.format(more="").replace("webd", "managed"),
    f"{DIRECTORY}/absent.service": UNIT.format(more="").replace("webd", "absent"),
    f"{DIRECTORY}/webd@.service": UNIT.format(more=""),
}
SERVICES = {
    "managed-daemon": "[Service]\nExec=/usr/local/bin/managed infinity\n",
    "on-demand": "[Service]\nExec=/bin/sleep infinity\n",
}


def complaint(box, *words, code):
    done = box.run(*words, check=False)
    assert done.returncode == code, done
    return done.stdout + done.stderr


def units_of_doctor(box):
    return {one["finding"]: one["next"] for one in box.svcctl_json("doctor", check=False)["data"] if one["check"] == "units"}


def named(box, name):
    return [(finding, advice) for finding, advice in units_of_doctor(box).items() if name in finding]


with Sandbox(SERVICES, policy="[runlevel 2]\nActivate=managed-daemon\n", files=FILES) as box:
    box.wait_state("managed-daemon", "ready")
    commands = ["svcctl import " + PATH + " --output /etc/svcd/services.d", "svcctl reload-files", "svcctl enable webd"]

    for verb in ("explain", "enable", "status", "start"):
        for name in ("webd", "webd.service"):
            said = complaint(box, "svcctl", verb, name, code=4)
            assert f"only a systemd unit, {PATH}" in said, said
            assert all(command in said for command in commands), said
    said = complaint(box, f"{SYSV}/service", "webd", "start", code=1)
    assert "unrecognized service" in said and PATH in said and "svcctl explain webd" in said, said
    assert "unit" not in complaint(box, f"{SYSV}/service", "nonsense", "start", code=1)

    for name in ("ManagedDaemon", "ManagedDaemon.service", "managed-daemon.service"):
        assert "did you mean: managed-daemon" in complaint(box, "svcctl", "explain", name, code=4), name

    ((_finding, advice),) = named(box, "/webd.service")
    assert advice == "; ".join(commands), advice
    assert not named(box, "ManagedDaemon") and not named(box, "absent") and not named(box, "webd@") and not named(box, "systemd-")

    # The advice works.
    box.run("sh", "-c", advice)
    box.wait_state("webd", "ready")
    assert not named(box, "/webd.service"), units_of_doctor(box)

    said = box.run(f"{SYSV}/invoke-rc.d", "on-demand", "start").stderr
    assert 'start skipped: its policy is on-demand; "svcctl enable on-demand" changes that' in said, said
    box.run("svcctl", "enable", "on-demand")
    box.wait_state("on-demand", "ready")
