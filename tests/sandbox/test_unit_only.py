#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A package with only a systemd unit runs: links, drop-ins, masks, instances, aliases, sockets and
scripts of the same name. A unit that svcd cannot run is named, with the line."""

import socket

from deadline import wait_for
from sandbox import Sandbox

VENDOR = "/usr/lib/systemd/system"
ADMIN = "/etc/systemd/system"
SYSV = "/usr/lib/svcd/sysv"
PROGRAM = {"copy": "/bin/sleep", "mode": 0o755}


def unit(program="/bin/sleep", more="", install="[Install]\nWantedBy=multi-user.target\n"):
    return f"[Unit]\nDescription=Unit\n[Service]\nExecStart={program} infinity\n{more}\n{install}"


def script(program="/bin/sleep"):
    return {"text": "#!/bin/sh\n### BEGIN INIT INFO\n# Provides: x\n# Default-Start: 2\n# Default-Stop: 0\n### END INIT INFO\n"
                    f"DAEMON={program}\ncase $1 in start) touch /run/script-${{0##*/}} ;; stop) ;; esac\n", "mode": 0o755}


def wanted(name, target="multi-user.target"):
    return {f"{ADMIN}/{target}.wants/{name}": {"link": f"{VENDOR}/{name}"}}


FILES = {
    "/usr/local/bin/webd": PROGRAM,
    "/usr/local/bin/superd": PROGRAM,
    f"{VENDOR}/webd.service": unit("/usr/local/bin/webd"),
    **wanted("webd.service"),
    f"{ADMIN}/webd.service.d/mine.conf": "[Service]\nEnvironment=FROM=drop-in\n",
    f"{VENDOR}/httpd.service": {"link": "webd.service"},
    f"{VENDOR}/disabled.service": unit(),
    f"{VENDOR}/static.service": unit(install=""),
    f"{VENDOR}/masked.service": unit(),
    f"{ADMIN}/masked.service": {"link": "/dev/null"},
    **wanted("masked.service"),
    f"{VENDOR}/foo@.service": unit("/bin/sleep").replace("infinity", "%i"),
    f"{ADMIN}/multi-user.target.wants/foo@10000.service": {"link": f"{VENDOR}/foo@.service"},
    f"{VENDOR}/door.service": unit(install=""),
    f"{VENDOR}/door.socket": "[Socket]\nListenStream=/run/door\n[Install]\nWantedBy=sockets.target\n",
    **wanted("door.socket", "sockets.target"),
    f"{VENDOR}/refused.service": unit(more="DynamicUser=yes"),
    **wanted("refused.service"),
    f"{VENDOR}/own.service": unit("/usr/local/bin/webd"),
    f"{VENDOR}/both.service": unit(),
    **wanted("both.service"),
    "/etc/init.d/both": script(),
    f"{VENDOR}/dynamic.service": unit(more="DynamicUser=yes"),
    **wanted("dynamic.service"),
    "/etc/init.d/dynamic": script(),
    f"{VENDOR}/super.service": unit("/usr/local/bin/superd"),
    "/etc/init.d/openbsd-super": script("/usr/local/bin/superd"),
    "/etc/rc2.d/S01openbsd-super": {"link": "../init.d/openbsd-super"},
    f"{VENDOR}/protected.service": unit(more="PrivateUsers=yes"),
    f"{VENDOR}/job.timer": "[Timer]\nOnCalendar=daily\n",
    **wanted("job.timer", "timers.target"),
    f"{VENDOR}/systemd-logind.service": unit(),
    **wanted("systemd-logind.service"),
}
SERVICES = {"own": "[Service]\nExec=/bin/sleep infinity\n"}
POLICY = "[runlevel 2]\nActivate=own\n[runlevel 3]\nInclude=2\n[defaults]\nRcLinks=yes\nNewServices=boot\n"


def complaint(box, *words, code):
    done = box.run(*words, check=False)
    assert done.returncode == code, done
    return done.stdout + done.stderr


def units_of_doctor(box):
    return [one["finding"] for one in box.svcctl_json("doctor", check=False)["data"] if one["check"] == "units"]


def check_boot(box):
    for name in ("webd", "foo@10000", "own", "both", "super"):
        box.wait_state(name, "ready")
    box.wait_state("dynamic", "idle", "done", "ready")
    for name in ("disabled", "static", "door"):
        assert box.state(name) == "idle", (name, box.service(name))
    assert "FROM=drop-in" in box.read(f"/proc/{box.pid('webd')}/environ")
    assert box.run("svcctl", "status", "httpd").stdout.split()[1] == "webd"
    assert f"Its unit is masked: {ADMIN}/masked.service" in complaint(box, "svcctl", "start", "masked", code=4)
    assert "/etc/svcd/services.d/own.svc" in box.svcctl("status", "own").stdout


def check_scripts(box):
    assert f"made from {VENDOR}/both.service" in box.svcctl("status", "both").stdout
    assert not box.exists("/run/script-both") and box.exists("/run/script-dynamic")
    assert "made from /etc/init.d/dynamic" in box.svcctl("status", "dynamic").stdout
    assert box.run("svcctl", "status", "openbsd-super").stdout.split()[1] == "super"
    assert "openbsd-super" not in box.services() and not box.exists("/run/script-openbsd-super")


def check_socket(box):
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(box.path("/run/door"))
        box.wait_state("door", "ready")


def check_source(box):
    path = f"{VENDOR}/webd.service"
    assert f"made from {path}" in box.svcctl("cat", "webd").stdout
    assert f"Made from  {path}" in box.svcctl("explain", "webd").stdout
    assert f"{ADMIN}/multi-user.target.wants/webd.service" in box.svcctl("policy", "webd").stdout


def check_refused(box):
    where = f"{VENDOR}/refused.service:5: DynamicUser=yes"
    for verb in ("explain", "enable", "status", "start", "cat"):
        for name in ("refused", "refused.service"):
            said = complaint(box, "svcctl", verb, name, code=4)
            assert where in said and f"svcctl import {VENDOR}/refused.service" in said, said
    said = complaint(box, f"{SYSV}/service", "refused", "start", code=1)
    assert "svcctl explain refused" in said, said
    assert "unit" not in complaint(box, f"{SYSV}/service", "nonsense", "start", code=1)
    said = complaint(box, "svcctl", "status", "systemd-logind", code=4)
    assert "elogind" in said, said
    said = complaint(box, "svcctl", "status", "job.timer", code=4)
    assert "no timers" in said, said


def check_doctor(box):
    found = units_of_doctor(box)
    assert any(text.startswith("nothing starts refused") and f"{VENDOR}/refused.service:5" in text for text in found), found
    assert any(text.startswith("dynamic: its unit is not used") for text in found), found
    assert any(text.startswith(f"protected lacks protection: {VENDOR}/protected.service:5: PrivateUsers=yes") for text in found), found
    assert any("timers.target.wants/job.timer" in text for text in found), found


def check_reload(box):
    box.write(f"{VENDOR}/new.service", unit("/usr/local/bin/webd"))
    box.svcctl("reload-files")
    assert box.state("new") == "idle"
    box.run("ln", "-s", f"{VENDOR}/new.service", f"{ADMIN}/multi-user.target.wants/new.service")
    box.svcctl("reload-files")
    box.wait_state("new", "ready")
    box.run("rm", f"{ADMIN}/multi-user.target.wants/new.service", f"{VENDOR}/new.service")
    box.svcctl("reload-files")
    box.svcctl("stop", "new")
    wait_for(lambda: "new" not in box.services(), what="the service of a removed unit is gone")


with Sandbox(SERVICES, policy=POLICY, files=FILES) as box:
    check_boot(box)
    check_scripts(box)
    check_socket(box)
    check_source(box)
    check_refused(box)
    check_doctor(box)
    check_reload(box)
    for name in ("disabled", "static"):
        box.svcctl("start", name)
        box.wait_state(name, "ready")

with Sandbox(SERVICES, policy="[runlevel 2]\nActivate=own\n", files=FILES) as box:
    box.wait_state("own", "ready")
    assert box.state("webd") == "idle", "links count only with RcLinks=yes"
    box.svcctl("enable", "webd")
    box.wait_state("webd", "ready")
