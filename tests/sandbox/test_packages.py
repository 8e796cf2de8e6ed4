#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Real packages of Debian are installed, upgraded, restarted, removed and purged while svcd is PID 1.
limit: 1200

After each step one copy of the daemon runs, in its own cgroup, or none if policy does not want it.

The normal run uses at least one package of each kind. $SVCD_TEST_ALL_PACKAGES adds the others
(long_packages.py). The tests of kind "packages" check the rest of a package's life with apt.
"""

import os
import time

import debs
from deadline import wait_for
from sandbox import Sandbox, debian_root

HABITS = "/usr/lib/svcd/policy-examples/60-debian-habits.policy"
SYSV = "/usr/lib/svcd/sysv"

# Package, service, and the name of its process; "" if the script leaves no process.
PACKAGES = [
    # svcd's own services in place of the packages' scripts.
    ("cron", "cron", "cron"),
    ("uuid-runtime", "uuidd", "uuidd"),
    # Init scripts.
    ("haveged", "haveged", "haveged"),
    ("lighttpd", "lighttpd", "lighttpd"),
    ("openbsd-inetd", "openbsd-inetd", ""),
    ("sysstat", "sysstat", ""),
]
MORE_PACKAGES = [
    ("acpid", "acpid", "acpid"),
    ("at", "atd", "atd"),
    ("nscd", "nscd", "nscd"),
    ("rsync", "rsync", ""),
    ("ulogd2", "ulogd2", "ulogd"),
    ("openssh-server", "ssh", "sshd"),
    ("nginx", "nginx", "nginx"),
    ("apache2", "apache2", "apache2"),
    ("dnsmasq", "dnsmasq", "dnsmasq"),
    ("haproxy", "haproxy", "haproxy"),
    ("irqbalance", "irqbalance", "irqbalance"),
    ("lldpd", "lldpd", "lldpd"),
    ("beanstalkd", "beanstalkd", "beanstalkd"),
    ("bind9", "named", "named"),
    ("monit", "monit", "monit"),
    ("privoxy", "privoxy", "privoxy"),
    ("redis-server", "redis-server", "redis-server"),
    ("rpcbind", "rpcbind", "rpcbind"),
    ("snmpd", "snmpd", "snmpd"),
    ("tftpd-hpa", "tftpd-hpa", "in.tftpd"),
    ("tinyproxy", "tinyproxy", "tinyproxy"),
    ("vsftpd", "vsftpd", "vsftpd"),
]
if os.environ.get("SVCD_TEST_ALL_PACKAGES"):
    PACKAGES += MORE_PACKAGES
# With svcd's own default an installed service does not start.
OFF_AT_FIRST = (("at", "atd", "atd"), ("nscd", "nscd", "nscd"), ("nginx", "nginx", "nginx"))

# ssh waits for a network route; it needs no DNS there.
NETWORK = ("ip link add name out0 type veth peer name out1 && ip address add 192.0.2.2/24 dev out0 && "
           "ip link set out0 up && ip link set out1 up && ip route add default via 192.0.2.1")


# The files of these two services exclude containers.
HARDWARE = "[service acpid]\nIgnore=virtual:container\n[service irqbalance]\nIgnore=virtual:container\n"

FILES = {
    "/etc/svcd/policy.d/10-hardware.policy": HARDWARE,
    "/etc/hosts": "127.0.0.1 localhost svcd-box svcd-box.example\n",
    "/etc/nsswitch.conf": "passwd: files\ngroup: files\nshadow: files\nhosts: files\nservices: files\nprotocols: files\nrpc: files\n",
}


def dpkg(box, *argv):
    done = box.run("env", "DEBIAN_FRONTEND=noninteractive", "dpkg", "--force-confold", "--force-unsafe-io", "--force-depends",
                   *argv, check=False, timeout=300)
    assert done.returncode == 0, (argv, done.stdout, done.stderr)
    return done.stdout + done.stderr


def copies(box, process):
    """The pids, inside the sandbox, of the processes with that name, without workers (children of a
    process with the same name)."""
    rows = box.processes()
    return [pid for pid, (_outer, parent, comm, state) in rows.items()
            if comm == process[:15] and state != "Z" and rows.get(parent, (0, 0, "", ""))[2] != comm]


def in_its_cgroup(box, service, process):
    pids = copies(box, process)
    return len(pids) == 1 and box.cgroup_of(pids[0]).endswith(f"/{service}") and pids[0]


def one(box, service, process, what):
    """The only copy of the daemon. A task is done, and a daemon that its package disabled is
    idle."""
    if not process:
        wait_for(lambda: box.state(service) in ("done", "idle"), what=f"{what}: {service} has ended")
        return 0
    try:
        return wait_for(lambda: in_its_cgroup(box, service, process), what=f"{what}: one {process} runs, in {service}")
    except AssertionError as problem:
        rows = {pid: (row, box.cgroup_of(pid)) for pid, row in box.processes().items() if row[2] == process[:15]}
        raise AssertionError(f"{problem}\n{rows}\n{box.svcctl('status', service, check=False).stdout}") from None


def none(box, process, what):
    assert not process or not copies(box, process), (what, copies(box, process))


def restart_in_all_ways(box, service, process, pid):
    script = f"/etc/init.d/{service}"
    for line in (f"service {service} restart", f"invoke-rc.d {service} restart", f"{script} restart",
                 f"service {service} stop && {script} start"):
        box.run("/bin/sh", "-c", line, timeout=120)
        before, pid = pid, one(box, service, process, line)
        assert not process or pid != before, f"{line}: it is the same process"
    return pid


def gone(box, service, was_there):
    """After a purge svcd does not know the service, unless svcd itself ships a service of that
    name."""
    if was_there:
        return
    assert service not in box.services(), service
    left = box.run("find", "/run/svcd", "-name", f"{service}*", "-not", "-path", "*/log/*").stdout
    assert not left, left


def life(box, package, service, process):
    was_there = os.path.exists(box.path(f"/usr/lib/svcd/services.d/{service}.svc"))
    none(box, process, "before")

    dpkg(box, "--install", f"/debs/{package}.deb")
    pid = one(box, service, process, "installed")
    dpkg(box, "--install", f"/debs/newer/{package}.deb")
    assert box.run("dpkg-query", "-W", "-f=${Version}", package).stdout.endswith("+svcd1")
    pid = one(box, service, process, "upgraded")
    pid = restart_in_all_ways(box, service, process, pid)

    dpkg(box, "--remove", package)
    none(box, process, "removed")
    dpkg(box, "--purge", package)
    none(box, process, "purged")
    gone(box, service, was_there)


def life_by_hand(box, package, service, process):
    """After the installation the service is off; the admin starts it; then upgrades restart it. A
    service that is off stays off."""
    said = dpkg(box, "--install", f"/debs/{package}.deb")
    none(box, process, "installed")
    assert "its policy is on-demand" in said, said
    dpkg(box, "--install", f"/debs/newer/{package}.deb")
    none(box, process, "upgraded while it was off")

    box.run("service", service, "start")
    pid = one(box, service, process, "started by hand")
    dpkg(box, "--install", f"/debs/{package}.deb")
    assert one(box, service, process, "another version") != pid
    # Like a package that stops the services of the packages that it replaces.
    packages_script = ("env", f"DPKG_MAINTSCRIPT_PACKAGE={package}")
    box.run(*packages_script, "DPKG_MAINTSCRIPT_NAME=prerm", "invoke-rc.d", service, "stop")
    none(box, process, "stopped for an upgrade")
    box.run(*packages_script, "DPKG_MAINTSCRIPT_NAME=postinst", "invoke-rc.d", service, "start")
    one(box, service, process, "upgraded")

    # The admin's setting stays, and is not an error.
    box.svcctl("set", service, "manual")
    dpkg(box, "--purge", package)
    none(box, process, "purged")
    assert f"[service {service}]" in box.read("/etc/svcd/policy.d/90-svcctl.policy")
    assert service not in box.svcctl("check").stdout


def timed(life_of, row):
    began = time.monotonic()
    life_of(machine, *row)
    print(f"{row[0]}: {time.monotonic() - began:.1f} s", flush=True)


NAMES = {package for package, _service, _process in (*PACKAGES, *OFF_AT_FIRST)}
downloaded = debs.fetch(debian_root(), NAMES)
files = dict(FILES, **debs.files(downloaded, "/debs"))
with Sandbox(root="debian", vendor=True, files=files, mounts=("sys",)) as machine:
    machine.run(NETWORK)
    machine.wait_up()
    machine.run(f"{SYSV}/take-over")
    machine.svcctl("policy", "presets", "60-debian-habits")
    dpkg(machine, "--install", *(f"/debs/all/{name}" for name in os.listdir(f"{downloaded}/all")))
    for package in sorted(NAMES):
        if machine.run("dpkg-query", "-W", package, check=False).returncode == 0:
            dpkg(machine, "--purge", package)
    for one_of_them in PACKAGES:
        timed(life, one_of_them)

    machine.svcctl("undo")
    for one_of_them in OFF_AT_FIRST:
        timed(life_by_hand, one_of_them)
