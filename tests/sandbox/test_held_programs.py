#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
No service starts between the unpacking and the configuration of its package, or runs during its
removal.

Uses real dpkg on small packages, with Debian's habit that an installed service runs.
"""

import os
import subprocess

from deadline import holds_for, wait_for
from sandbox import Sandbox

STATE = "/var/lib/svcd/held-programs"
DAEMON = "#!/bin/sh\nexec sleep infinity\n"
HABITS = "[defaults]\nNewServices=boot\nRcLinks=yes\n"


def service(program, *conditions):
    return f"[Service]\nExec={program}\nRestart=on-failure\n[Conditions]\n" + "\n".join(conditions) + "\n"


def installed(program):
    return service(program, f"When=path:exec:{program}")


SERVICES = {
    "plain": installed("/usr/sbin/plain"),
    "scripted": installed("/usr/sbin/scripted"),
    "united": installed("/usr/sbin/united"),
    # The program of Exec= belongs to another package than the daemon.
    "parted": service("/usr/sbin/parted-wrapper", "When=path:exec:/usr/sbin/parted-wrapper", "When=path:exec:/usr/sbin/parted-daemon"),
    "old": service("/usr/sbin/old", "When=flag:old"),
    "local": installed("/usr/local/sbin/local"),
    # Like libvirtd of Debian 12: its unit belongs to another package, with a script that creates
    # its user.
    "foreign": installed("/usr/sbin/foreign"),
    # A group with members from packages.
    "postgresql": "[Service]\nType=group\n[Conditions]\nWhen=path:exec:/usr/bin/pg_ctlcluster\n",
    "postgresql@": service("/bin/sleep infinity", "When=path:exec:/usr/bin/pg_ctlcluster"),
    # This service shows that svcd has seen the unpacked files.
    "witness": service("/bin/sleep infinity", "When=path:/usr/share/witness"),
}

UNIT_START = """
if [ "$1" = configure ]; then
	if [ -d /run/systemd/system ]; then
		systemctl --system daemon-reload >/dev/null || true
		if [ -n "$2" ]; then
			_dh_action=restart
		else
			_dh_action=start
		fi
		deb-systemd-invoke $_dh_action 'united.service' >/dev/null || true
	fi
fi
"""
# dh_installsystemd --no-restart-on-upgrade
UNIT_START_ONLY = UNIT_START.replace("_dh_action=restart", "_dh_action=start")

INIT_SCRIPT = """#!/bin/sh
### BEGIN INIT INFO
# Provides: scripted
# Required-Start:
# Required-Stop:
# Default-Start: 2 3 4 5
# Default-Stop:
# Short-Description: never run here
### END INIT INFO
exit 1
"""


# A script with a daemon.
LONE_SCRIPT = """#!/bin/sh
### BEGIN INIT INFO
# Provides: lone
# Required-Start:
# Required-Stop:
# Default-Start: 2 3 4 5
# Default-Stop:
# Short-Description: a script whose package does not stop it
### END INIT INFO
PIDFILE=/run/lone.pid
case "$1" in
start) sleep infinity & echo $! >$PIDFILE ;;
stop) kill $(cat $PIDFILE); rm $PIDFILE ;;
esac
"""


def build(box, name, version, files, architecture="amd64", **scripts):
    """Build a .deb of that name inside the sandbox; returns its path."""
    tree = f"/root/{name}-{version}"
    for path, text in files.items():
        box.write(tree + path, text, 0o755)
    for script, text in scripts.items():
        box.write(f"{tree}/DEBIAN/{script}", f"#!/bin/sh\nset -e\n{text}\n", 0o755)
    box.write(f"{tree}/DEBIAN/control", f"Package: {name}\nVersion: {version}\nArchitecture: {architecture}\n"
                                        "Maintainer: nobody <root@localhost>\nDescription: a daemon\n")
    box.run(f"dpkg-deb --build -Znone --root-owner-group {tree} {tree}.deb")
    return f"{tree}.deb"


def dpkg(box, *argv, check=True):
    return box.run("env", "DEBIAN_FRONTEND=noninteractive", "dpkg", "--force-unsafe-io", *argv, check=check, timeout=120)


def witness_is_up(box, package):
    """Wait until svcd has reacted to the files that @package unpacked."""
    box.wait_state("witness", "ready")
    assert box.run("dpkg-query", "-W", "-f=${db:Status-Status}", package).stdout == "unpacked"


def is_held(box, name, reason):
    holds_for(lambda: box.state(name) == "waiting", 0.5, f"{name} waits")
    assert reason in box.svcctl("explain", name, check=False).stdout, box.svcctl("explain", name, check=False).stdout


def check_window(box):
    package = build(box, "plain", 1, {"/usr/sbin/plain": DAEMON, "/usr/share/witness": ""}, postinst="true")
    dpkg(box, "--unpack", package)
    witness_is_up(box, "plain")
    is_held(box, "plain", "package plain is not configured yet")

    # The next manager, new service files and another run of dpkg do not start the service either.
    box.kill_manager()
    is_held(box, "plain", "package plain is not configured yet")
    box.svcctl("reload-files")
    dpkg(box, "--install", build(box, "unrelated", 1, {"/usr/share/unrelated": ""}))
    is_held(box, "plain", "package plain is not configured yet")

    dpkg(box, "--configure", "plain")
    box.wait_state("plain", "ready")
    assert not box.exists(STATE), box.read(STATE)


def check_upgrade(box):
    pid = box.pid("plain")
    package = build(box, "plain", 2, {"/usr/sbin/plain": DAEMON, "/usr/share/witness": ""}, postinst="true")
    dpkg(box, "--unpack", package)
    box.wait_at_rest()
    assert box.pid("plain") == pid
    box.svcctl("restart", "plain")
    assert box.pid("plain") != pid, "a service that was configured before is not held"
    dpkg(box, "--configure", "plain")
    assert box.state("plain") == "ready"


def check_removal(box):
    prerm = "pgrep -x sleep >/dev/null"
    dpkg(box, "--install", build(box, "plain", 3, {"/usr/sbin/plain": DAEMON}, prerm=prerm))
    pid = box.pid("plain")
    dpkg(box, "--remove", "plain")
    wait_for(lambda: not box.is_alive(pid), what="it is stopped")
    box.wait_state("plain", "waiting")
    dpkg(box, "--purge", "plain")
    box.wait_state("plain", "waiting")


def check_removed_in_part(box):
    """Like apache2: the package with the Exec= program is removed, but the package with the daemon
    stays."""
    dpkg(box, "--install", build(box, "parted-bin", 1, {"/usr/sbin/parted-daemon": DAEMON}))
    wrapper = build(box, "parted", 1, {"/usr/sbin/parted-wrapper": DAEMON}, prerm="invoke-rc.d parted stop\nsvcctl clear parted",
                    postrm="[ \"$1\" != remove ] || svcctl list --no-header -o state,restarts parted >/root/parted-state")
    dpkg(box, "--install", wrapper)
    box.wait_state("parted", "ready")

    dpkg(box, "--remove", "parted")

    assert box.read("/root/parted-state").split()[-2:] == ["waiting", "0"], box.read("/root/parted-state")
    holds_for(lambda: box.state("parted") == "waiting", 0.5, "it stays down")
    dpkg(box, "--install", wrapper)
    box.wait_state("parted", "ready")
    dpkg(box, "--purge", "parted", "parted-bin")


def check_unit_of_another_package(box):
    unit = {"/lib/systemd/system/foreign.service": "[Service]\nExecStart=-/usr/sbin/foreign --timeout 120\n"}
    dpkg(box, "--unpack", build(box, "foreign-daemon", 1, {"/usr/sbin/foreign": DAEMON, "/usr/share/witness": ""}),
         build(box, "foreign-system", 1, unit))
    dpkg(box, "--configure", "foreign-daemon")
    is_held(box, "foreign", "package foreign-system is not configured yet")
    dpkg(box, "--configure", "foreign-system")
    box.wait_state("foreign", "ready")
    dpkg(box, "--purge", "foreign-system", "foreign-daemon")


def check_postinst_start(box):
    """The package's script starts the service before the package was ever configured."""
    ask = "svcctl list --no-header -o state scripted >/root/scripted-state"
    package = build(box, "scripted", 1, {"/usr/sbin/scripted": DAEMON, "/etc/init.d/scripted": INIT_SCRIPT},
                    postinst=f"svcctl reload-files\n{ask}-before\ninvoke-rc.d scripted start\n{ask}",
                    prerm="invoke-rc.d scripted stop")
    dpkg(box, "--install", package)
    assert "waiting" in box.read("/root/scripted-state-before") and "ready" in box.read("/root/scripted-state")
    assert box.state("scripted") == "ready"
    dpkg(box, "--remove", "scripted")
    assert box.state("scripted") in ("idle", "waiting") and not box.pid("scripted")
    box.wait_at_rest()
    assert not box.pid("scripted")
    dpkg(box, "--purge", "scripted")


def check_script_without_prerm(box):
    """No script of the package stops the daemon on removal, and then the init script is no longer a
    service (nghttp2-proxy). The daemon is stopped nevertheless."""
    package = build(box, "lone", 1, {"/usr/sbin/lone": DAEMON, "/etc/init.d/lone": LONE_SCRIPT, "/DEBIAN/conffiles": "/etc/init.d/lone\n"},
                    postinst="update-rc.d lone defaults\ninvoke-rc.d lone start",
                    postrm='[ "$1" != remove ] || chmod -x /etc/init.d/lone')
    dpkg(box, "--install", package)
    box.wait_state("lone", "ready")
    process = int(box.read("/run/lone.pid"))
    dpkg(box, "--remove", "lone")
    wait_for(lambda: not box.is_alive(process), what="its daemon is stopped")
    dpkg(box, "--purge", "lone")


def check_group(box):
    """The package creates a database cluster, and starts the group that then includes the
    cluster."""
    dpkg(box, "--install", build(box, "pg-common", 1, {"/usr/bin/pg_ctlcluster": DAEMON}))
    box.wait_state("postgresql", "ready")
    cluster = "/etc/postgresql/15/main"
    ask = "svcctl list --no-header -o state postgresql@15-main >/root/cluster-state"
    dpkg(box, "--install", build(box, "pg-15", 1, {"/usr/lib/postgresql/15/bin/postgres": DAEMON, "/etc/init.d/postgresql": INIT_SCRIPT},
                                 architecture="all", postinst=f"mkdir -p {cluster}\n: >{cluster}/postgresql.conf\ninvoke-rc.d postgresql start 15\n{ask}"))
    assert "ready" in box.read("/root/cluster-state"), box.read("/root/cluster-state")
    # A cluster that is created without a call of svcd has a service when the package is configured.
    cluster = "/etc/postgresql/16/main"
    dpkg(box, "--install", build(box, "pg-16", 1, {"/usr/lib/postgresql/16/bin/postgres": DAEMON},
                                 postinst=f"mkdir -p {cluster}\n: >{cluster}/postgresql.conf"))
    box.wait_state("postgresql@16-main", "ready")


def check_other_starts(box):
    """Services configured earlier, and services without a package, start while dpkg works."""
    dpkg(box, "--install", build(box, "old", 1, {"/usr/sbin/old": DAEMON}))
    box.run("mkfifo", "/root/fifo")
    slow = build(box, "slow", 1, {"/usr/share/slow": ""}, postinst="read -r line </root/fifo")
    with subprocess.Popen(box.command(["dpkg", "--install", slow]), stdin=subprocess.DEVNULL) as process:
        wait_for(lambda: box.exists("/var/lib/dpkg/info/slow.postinst"), what="it is being configured")
        box.svcctl("flag", "set", "old")
        box.wait_state("old", "ready")
        box.write("/usr/local/sbin/local.new", DAEMON, 0o755)
        box.run("mv", "/usr/local/sbin/local.new", "/usr/local/sbin/local")
        box.wait_state("local", "ready")
        box.run("echo go >/root/fifo")
        assert process.wait() == 0
    dpkg(box, "--purge", "slow")
    assert box.state("old") == box.state("local") == "ready"


def check_killed_dpkg(box):
    """Packages left unpacked are held; all else continues."""
    package = build(box, "plain", 4, {"/usr/sbin/plain": DAEMON}, postinst="read -r line </root/fifo")
    with subprocess.Popen(box.command(["dpkg", "--install", package]), stdin=subprocess.DEVNULL) as process:
        wait_for(lambda: "half-configured" in box.run("dpkg-query", "-W", "-f=${db:Status-Status}", "plain", check=False).stdout,
                 what="it is being configured")
        box.run("pkill", "-KILL", "-x", "dpkg")
        process.wait()
    wait_for(lambda: "changing" not in box.read(STATE), what="the end of dpkg is seen")
    is_held(box, "plain", "package plain is not configured yet")
    box.run("pkill", "-KILL", "-f", "plain.postinst")
    dpkg(box, "--purge", "plain")
    assert not box.exists(STATE), box.read(STATE)


def check_unit_only(box):
    """The package's scripts use only systemd's commands, like those of avahi-daemon."""
    daemon = {"/usr/sbin/united": DAEMON}
    dpkg(box, "--install", build(box, "united", 1, daemon, postinst=UNIT_START))
    box.wait_state("united", "ready")
    pid = box.pid("united")
    wait_for(lambda: float(box.run("ps", "-o", "etimes=", "-p", str(pid)).stdout) > 1, what="it is older than the next unpacking")

    # Version 2 is installed only after the triggers of two other packages.
    for name in ("first", "second"):
        dpkg(box, "--install", build(box, f"listener-{name}", 1, {"/DEBIAN/triggers": f"interest {name}-trigger\n"}, postinst="true"))
    triggers = {"/DEBIAN/triggers": "activate first-trigger\nactivate second-trigger\n"}
    dpkg(box, "--install", build(box, "united", 2, {**daemon, **triggers}, postinst=UNIT_START))
    wait_for(lambda: box.pid("united") not in (0, None, pid), what="the new version runs")
    box.wait_state("united", "ready")
    pid = box.pid("united")
    dpkg(box, "--install", build(box, "united", 3, daemon, postinst=UNIT_START_ONLY))
    box.wait_at_rest()
    assert box.pid("united") == pid, "the package deliberately does not restart it"
    wait_for(lambda: float(box.run("ps", "-o", "etimes=", "-p", str(pid)).stdout) > 1, what="it is older than the next unpacking")
    dpkg(box, "--unpack", build(box, "united", 4, daemon, postinst=UNIT_START))
    dpkg(box, "--configure", "united")
    wait_for(lambda: box.pid("united") not in (0, None, pid), what="the new version runs, which another dpkg unpacked")
    box.wait_state("united", "ready")
    dpkg(box, "--install", build(box, "united", 5, {"/usr/sbin/united": "#!/bin/sh\nexit 1\n"}))
    box.svcctl("restart", "united", check=False)
    box.wait_state("united", "failed")
    dpkg(box, "--install", build(box, "united", 6, daemon))
    box.wait_state("united", "ready")
    pid = box.pid("united")
    before = box.console().count("united: stopping: restart")

    dpkg(box, "--purge", "united")
    wait_for(lambda: not box.is_alive(pid), what="it is stopped")
    assert box.console().count("united: stopping: restart") == before


def database(box):
    """For Sandbox(files=...): dpkg's database of packages, and their programs."""
    paths = ["/var/lib/dpkg/status", STATE]
    for name in ("plain", "old"):
        paths += [f"/var/lib/dpkg/info/{name}.list", f"/var/lib/dpkg/info/{name}.postinst", f"/usr/sbin/{name}"]
    found = {}
    for path in paths:
        if box.exists(path):
            found[path] = {"text": box.read(path), "mode": 0o755 if "sbin" in path or "postinst" in path else 0o644}
    return found


def cut_power(box):
    """The files of @box are as after a power failure during dpkg: "plain" is new and unpacked,
    "old" is an upgrade."""
    dpkg(box, "--unpack", build(box, "plain", 5, {"/usr/sbin/plain": DAEMON}, postinst="true"),
         build(box, "old", 2, {"/usr/sbin/old": DAEMON}, postinst="true"))
    box.write(STATE, "changing\nfree /usr/local/\nfree /usr/sbin/old\nfree /bin/sleep\nfree /bin/sh\nfree /usr/sbin/nothing\n")
    return database(box)


def shipped(name):
    with open(f"{os.environ['SVCD_STAGE']}/usr/lib/svcd/services.d/{name}", encoding="utf-8") as file:
        return file.read()


def check_next_boot(files):
    services = dict(SERVICES, **{"packages-recover": shipped("packages-recover.svc")})
    services["old"] = installed("/usr/sbin/old")
    with Sandbox(services, policy=HABITS, root="debian", files=files, mounts=("sys",)) as box:
        box.wait_state("old", "ready")
        box.wait_state("packages-recover", "done")
        wait_for(lambda: box.exists(STATE) and "changing" not in box.read(STATE), what="the state is right again")
        is_held(box, "plain", "package plain is not configured yet")
        box.run("/usr/lib/svcd/sysv/take-over")
        dpkg(box, "--configure", "--pending")
        box.wait_state("plain", "ready")


CLUSTERS = {"/usr/lib/svcd/services.d/postgresql.generate": {"text": shipped("postgresql.generate"), "mode": 0o755}}

with Sandbox(SERVICES, policy=HABITS, root="debian", files=CLUSTERS, mounts=("sys",)) as machine:
    machine.wait_up()
    machine.run("/usr/lib/svcd/sysv/take-over")
    check_window(machine)
    check_upgrade(machine)
    check_removal(machine)
    check_removed_in_part(machine)
    check_unit_of_another_package(machine)
    check_postinst_start(machine)
    check_script_without_prerm(machine)
    check_group(machine)
    check_other_starts(machine)
    check_killed_dpkg(machine)
    check_unit_only(machine)
    left = cut_power(machine)
check_next_boot(left)
