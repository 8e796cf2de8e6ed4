#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# limit: 2400
"""
Real NetworkManager and a real bus: sshd is active only while the network is up.

NetworkManager is killed, and the bus is killed $SVCD_TEST_KILLS times. No other service is lost,
and each condition becomes correct again. An NFS volume, which the machine itself serves, is mounted
and locked with versions 4 and 3, and mounted with a Kerberos ticket.
"""

import json
import os

import vm_image
from deadline import wait_for
from desktop import ON_DEMAND
from vm import BOOT_S, COMMAND_S, Machine

STAGE = os.environ["SVCD_STAGE"]
KILLS = int(os.environ.get("SVCD_TEST_KILLS", "1"))
BUS = "org.freedesktop.NetworkManager"
FSTAB = f"""LABEL={vm_image.ROOT_LABEL} / ext4 errors=remount-ro 0 1
localhost:/srv/share /srv/v3 nfs vers=3,noauto,_netdev 0 0
localhost:/srv/share /srv/v4 nfs4 noauto 0 0
"""
KERBEROS = """[libdefaults]
default_realm = SVCD.TEST
dns_lookup_kdc = false
[realms]
SVCD.TEST = {
    kdc = 127.0.0.1
}
[domain_realm]
localhost = SVCD.TEST
"""
SECONDS = BOOT_S


def conditions(vm):
    return {row["condition"]: row["level"] for row in vm.svcctl_json("list", "--conditions")}


def wait_level(vm, key, level, seconds=SECONDS):
    vm.sh(f"svcctl --quiet --timeout {seconds} wait '{'' if level == 'true' else '!'}{key}'", seconds + COMMAND_S)


def wait_state(vm, name, *states, seconds=SECONDS):
    return wait_for(lambda: (row := vm.service(name))["state"] in states and row, seconds, f"{name} is {states}")


def explain(vm, name):
    return vm.sh(f"svcctl explain {name}", check=False)[1]


def listens(vm):
    ask = "perl -MIO::Socket::INET -e 'exit !IO::Socket::INET->new(\"127.0.0.1:22\")'"
    return vm.sh(ask, check=False)[0] == 0


def check_networking(vm):
    """nmcli networking off and on: sshd stops and starts."""
    vm.sh("nmcli networking off")
    wait_level(vm, "network:up", "false")
    wait_state(vm, "ssh", "waiting")
    assert not listens(vm), "sshd listens without a network"
    assert "network" in explain(vm, "ssh"), explain(vm, "ssh")

    vm.sh("nmcli networking on")
    wait_level(vm, "network:up", "true")
    wait_state(vm, "ssh", "ready")
    assert listens(vm)


def check_cable(vm):
    """The cable is pulled and put back."""
    vm.link(False)
    wait_level(vm, "network:interface:eth0", "false")
    wait_state(vm, "needs-cable", "waiting")
    wait_state(vm, "ssh", "waiting")

    vm.link(True)
    wait_state(vm, "needs-cable", "ready")
    wait_state(vm, "ssh", "ready")


def check_network_manager_killed(vm):
    """The addresses stay when NetworkManager dies, so sshd stays."""
    before = wait_state(vm, "ssh", "ready")["pid"]
    old = vm.service("network-manager")["pid"]
    vm.sh(f"kill -KILL {old}")
    wait_for(lambda: (row := vm.service("network-manager"))["state"] == "ready" and row["pid"] != old, SECONDS,
             "a new NetworkManager")
    wait_level(vm, f"dbus:{BUS}", "true")
    vm.sh("nm-online -q -t 60")
    wait_level(vm, "network:up", "true")
    assert vm.service("ssh")["pid"] == before, "sshd was restarted"


def steady_services(vm):
    return {name: row for name, row in vm.services().items() if name not in ON_DEMAND}


def check_bus_killed(vm):
    """Dependants of the bus return with it; no other service is touched."""
    before = steady_services(vm)
    levels = conditions(vm)
    on_bus = set(vm.sh("grep -l '^While=.*dbus' /usr/lib/svcd/services.d/*.svc /etc/svcd/services.d/*.svc | "
                       "sed 's,.*/,,; s,[.]svc$,,'").split()) | {"dbus"}
    for _ in range(KILLS):
        old = vm.service("dbus")["pid"]
        vm.sh(f"kill -KILL {old}")
        wait_for(lambda old=old: (row := vm.service("dbus"))["state"] == "ready" and row["pid"] != old, SECONDS,
                 "a new bus")
        wait_for(lambda: conditions(vm) == levels, SECONDS, "every condition is as it was")
    wait_for(lambda: {name: row["state"] for name, row in steady_services(vm).items()} ==
             {name: row["state"] for name, row in before.items()}, SECONDS, "every service is as it was")
    after = steady_services(vm)
    changed = {name for name, row in before.items() if row["pid"] != after[name]["pid"]}
    assert changed <= on_bus, f"touched without need: {changed - on_bus}"
    assert not [name for name, row in after.items() if row["state"] == "failed"], explain(vm, "")


def check_nfs(vm):
    """fstab has a volume for each version. rpc.statd keeps the locks of version 3, and the server
    those of version 4."""
    wait_state(vm, "nfs-kernel-server", "done")
    for name in ("rpcbind", "rpc-statd", "nfs-mountd", "nfs-idmapd", "nfsdcld"):
        wait_state(vm, name, "ready")
    for version in ("3", "4"):
        volume = f"mount-srv-v{version}"
        vm.sh(f"svcctl start --wait {volume}")
        assert f"vers={version}" in vm.sh(f"findmnt -n -o OPTIONS --mountpoint /srv/v{version}")
        vm.sh(f"flock -n /srv/v{version}/lock -c 'echo version {version} >/srv/v{version}/text'")
        assert vm.sh("cat /srv/share/text") == f"version {version}"
    # When the servers restart, the volumes stay mounted, and requests wait for the next servers.
    vm.sh("svcctl restart --wait nfs-kernel-server nfs-mountd rpcbind", seconds=300)
    wait_state(vm, "nfs-kernel-server", "done")
    vm.sh("flock /srv/v3/lock -c 'echo again >/srv/v3/text'; flock /srv/v4/lock true; grep -qx again /srv/v4/text", seconds=300)
    for version in ("3", "4"):
        vm.sh(f"svcctl stop mount-srv-v{version}", seconds=200)
        assert vm.sh(f"findmnt --mountpoint /srv/v{version}", check=False)[0] == 1


def check_kerberos(vm):
    """The Kerberos daemons of NFS start when their key exists. Client and server authenticate each
    other by Kerberos."""
    vm.sh("kdb5_util create -s -P secret && kadmin.local -q 'addprinc -randkey nfs/localhost' && service krb5-kdc start", seconds=300)
    for name in ("rpc-gssd", "rpc-svcgssd"):
        wait_state(vm, name, "waiting")
    vm.sh("kadmin.local -q 'ktadd nfs/localhost'")
    for name in ("rpc-gssd", "rpc-svcgssd"):
        wait_state(vm, name, "ready")

    if vm_image.PLAIN_SUITE != "bookworm":
        return # Debian 13 refuses the mount with EPERM in this machine
    vm.sh("mount -t nfs4 -o sec=krb5 localhost:/srv/share /srv/v4", seconds=200)

    assert "sec=krb5" in vm.sh("grep /srv/v4 /proc/mounts")
    assert vm.sh("ls /srv/v4/here") == "/srv/v4/here"
    vm.sh("umount /srv/v4", seconds=200)


def main():
    with vm_image.work_directory() as directory:
        disks = vm_image.make_test_disks(directory, STAGE)
        # NetworkManager manages the whole network.
        vm_image.put_file(disks[0], "/etc/network/interfaces", "auto lo\niface lo inet loopback\n")
        vm_image.put_file(disks[0], "/etc/svcd/services.d/needs-cable.svc",
                          "[Service]\nExec=/bin/sleep infinity\n[Conditions]\nWhile=network:interface:eth0\n")
        vm_image.put_file(disks[0], "/etc/svcd/services.d/needs-name.svc",
                          f"[Service]\nExec=/bin/sleep infinity\n[Conditions]\nWhile=dbus:{BUS}\n"
                          f"While=dbus-property:{BUS} /org/freedesktop/NetworkManager {BUS}.NetworkingEnabled = true\n")
        vm_image.put_file(disks[0], "/etc/svcd/policy.d/test.policy",
                          "[runlevel 2]\nActivate=needs-cable needs-name rpcbind nfs-kernel-server\n")
        vm_image.put_file(disks[0], "/etc/exports", "/srv/share 127.0.0.1(rw,no_subtree_check,no_root_squash,insecure,sec=sys:krb5)\n")
        vm_image.put_file(disks[0], "/etc/krb5.conf", KERBEROS)
        vm_image.put_file(disks[0], "/srv/share/here", "")
        vm_image.put_file(disks[0], "/etc/fstab", FSTAB)
        with Machine(disks, *vm_image.boot_files()) as vm:
            vm.wait_console("svcd-vm login:")
            vm.wait_shell()
            for name in ("ssh", "network-manager", "needs-cable", "needs-name"):
                wait_state(vm, name, "ready")
            assert json.loads(vm.sh("svcctl --json explain ssh"))["data"]
            check_networking(vm)
            check_cable(vm)
            check_network_manager_killed(vm)
            check_bus_killed(vm)
            check_nfs(vm)
            check_kerberos(vm)


main()
