#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Real udev and real disks: a volume is mounted while its label exists, even one that is labelled
"/usr" but is not the system's /usr.

When the volume is relabelled or pulled, it is unmounted and its dependents stop. When it is back,
they start again. If a device never appears, only its mount fails, and no other service is delayed.
A storm of events and a new udevd change nothing.
"""

import os

import vm_image
from deadline import wait_for
from vm import BOOT_S, Machine

STAGE = os.environ["SVCD_STAGE"]
SECONDS = BOOT_S

FSTAB = f"""LABEL={vm_image.ROOT_LABEL} / ext4 errors=remount-ro 0 1
LABEL=/usr /mnt/usr ext4 nofail 0 2
LABEL=DATA /srv/data ext4 nofail 0 2
LABEL=MISSING /mnt/missing ext4 x-systemd.device-timeout=5s 0 2
LABEL=late-swap none swap nofail 0 0
"""

FILES = {
    "/etc/fstab": FSTAB,
    "/etc/svcd/services.d/indexer.svc":
        "[Service]\nExec=/bin/sleep infinity\n[Conditions]\nWhile=label:DATA\n",
    "/etc/svcd/services.d/reader.svc":
        "[Service]\nExec=/bin/sleep infinity\nWorkingDirectory=/srv/data\n[Conditions]\nWhile=service:mount-srv-data\n",
    "/etc/svcd/policy.d/volumes.policy": "[runlevel 2]\nActivate=indexer reader\n",
}

MOUNT = "mount-srv-data"
ON_IT = ("indexer", "reader")


def wait_state(vm, name, *states, seconds=SECONDS):
    return wait_for(lambda: (row := vm.service(name))["state"] in states and row, seconds, f"{name} is {states}")


def is_mounted(vm, place):
    return vm.sh(f"findmnt --mountpoint {place}", check=False)[0] == 0


def wait_all_up(vm):
    wait_state(vm, MOUNT, "done")
    for name in ON_IT:
        wait_state(vm, name, "ready")
    assert is_mounted(vm, "/srv/data")


def wait_all_down(vm):
    for name in (*ON_IT, MOUNT):
        wait_state(vm, name, "waiting")
    wait_for(lambda: not is_mounted(vm, "/srv/data"), SECONDS, "/srv/data is not a mount point")


def explain(vm, name):
    return vm.sh(f"svcctl explain {name}", check=False)[1]


def log_of(vm, name):
    return vm.sh(f"svcctl log {name}", check=False)[1]


def check_boot(vm):
    """The label "/usr" is an ordinary label; a missing volume has failed, with the reason, and
    delayed nothing."""
    vm.wait_boot_finished()
    vm.sh("test -e /mnt/usr/marker; test -x /usr/bin/env; ! findmnt --mountpoint /usr")
    wait_state(vm, "mount-mnt-usr", "done")

    rows = vm.services()
    assert rows["mount-mnt-missing"]["state"] == "failed", rows["mount-mnt-missing"]
    assert "label:MISSING did not become true within 5.0 s" in explain(vm, "mount-mnt-missing"), explain(vm, "mount-mnt-missing")
    assert rows["getty@ttyS0"]["state"] == "ready" and rows["cron"]["state"] == "ready"
    assert not [name for name in rows if name.startswith("device-")]

    for name in (MOUNT, "swap-label-late--swap", *ON_IT):
        assert rows[name]["state"] == "waiting", f"{name} is {rows[name]['state']}"
    assert "a volume labelled DATA" in explain(vm, "indexer"), explain(vm, "indexer")


def check_plugged(vm, directory):
    vm.plug(f"{directory}/data", "data")
    wait_all_up(vm)
    vm.sh("echo hello >/srv/data/here")

    vm.plug(f"{directory}/swap", "swap")
    wait_state(vm, "swap-label-late--swap", "done")
    assert "/dev/vd" in vm.sh("swapon --show --noheadings")


def check_missing_comes_late(vm, directory):
    """A mount that failed without its device is retried when the device appears."""
    vm.plug(f"{directory}/missing", "missing")
    wait_state(vm, "mount-mnt-missing", "done")
    assert is_mounted(vm, "/mnt/missing")


def check_relabelled(vm):
    device = vm.sh("findfs LABEL=DATA").strip()
    # e2label asks the kernel to write the label of a mounted volume, and udev gets no event
    # (FS_IOC_SETFSLABEL).
    announce = f"udevadm trigger --action=change {device}"
    vm.sh(f"e2label {device} OTHER; {announce}")
    wait_all_down(vm)
    vm.sh(f"e2label {device} DATA")
    wait_all_up(vm)
    vm.sh("grep -qx hello /srv/data/here")


def identity(vm):
    """The ids that change when a service is restarted or a volume is mounted again."""
    rows = vm.services()
    names = ("indexer", "reader", "test-shell", "cron")
    return [rows[name]["pid"] for name in names] + [vm.sh("findmnt -n -o ID --mountpoint /srv/data").strip()]


def check_storm(vm):
    """All devices are announced while udevd is killed and restarted: nothing is unmounted or
    stopped. sandbox/test_udev_restart has longer storms."""
    before = identity(vm)
    old = vm.sh("pidof systemd-udevd").split()[-1]
    vm.sh("udevadm trigger --type=devices --action=change")
    vm.sh(f"kill -KILL {old}")
    vm.sh("udevadm trigger --type=devices --action=change")
    wait_state(vm, "udev", "ready")
    vm.sh("svcctl restart --wait udev && udevadm trigger --type=devices --action=add", seconds=300)
    vm.sh("udevadm settle --timeout=100")
    wait_state(vm, "udev", "ready")
    assert identity(vm) == before, f"{identity(vm)}, before {before}"
    wait_all_up(vm)


def check_pulled(vm, directory):
    """A volume that is pulled while in use is detached, and this is reported. When it is put back,
    all is restored."""
    vm.sh_detached("cd /srv/data; sleep 100000 & cd /")
    wait_for(lambda: "/srv/data" in vm.sh("readlink /proc/[0-9]*/cwd", check=False)[1].split(), SECONDS, "a process uses it")
    vm.unplug("data")
    wait_all_down(vm)
    assert "the device of /srv/data is gone; the mount is detached. Still in use by: sleep (" in log_of(vm, MOUNT), log_of(vm, MOUNT)

    vm.plug(f"{directory}/data", "data")
    wait_all_up(vm)
    vm.sh("grep -qx hello /srv/data/here; touch /srv/data/again")

    vm.unplug("data")
    wait_all_down(vm)
    vm.plug(f"{directory}/data", "data")
    wait_all_up(vm)


def check_swap_pulled(vm, directory):
    vm.unplug("swap")
    wait_state(vm, "swap-label-late--swap", "waiting")
    assert "is gone; the memory that was swapped out to it is lost" in log_of(vm, "swap-label-late--swap")
    vm.plug(f"{directory}/swap", "swap")
    wait_state(vm, "swap-label-late--swap", "done")


def check_by_hand(vm):
    """A volume that an admin unmounts stays unmounted, whatever udev reports, until a start. A
    start of a mounted volume does nothing."""
    vm.sh("svcctl stop reader && umount /srv/data && udevadm trigger --type=devices --action=change")
    vm.sh("udevadm settle --timeout=100")
    assert vm.service(MOUNT)["state"] == "done", vm.service(MOUNT)
    assert not is_mounted(vm, "/srv/data")
    vm.sh(f"svcctl start --wait {MOUNT}")
    assert is_mounted(vm, "/srv/data")
    before = identity_of_mount(vm)
    vm.sh(f"svcctl start --wait {MOUNT} && svcctl start --wait reader")
    assert identity_of_mount(vm) == before, "a start of a mounted volume mounted it again"


def identity_of_mount(vm):
    return vm.sh("findmnt -n -o ID --mountpoint /srv/data")


def make_disks(directory):
    disks = [f"{directory}/root", f"{directory}/usr"]
    vm_image.copy_disk(vm_image.disk_image(STAGE), disks[0])
    for path, text in FILES.items():
        vm_image.put_file(disks[0], path, text)
    vm_image.make_volume(disks[1], "/usr", directories=["marker"])
    vm_image.make_volume(f"{directory}/data", "DATA")
    vm_image.make_volume(f"{directory}/missing", "MISSING")
    vm_image.make_volume(f"{directory}/swap", "late-swap", "swap")
    return disks


def main():
    with vm_image.work_directory() as directory:
        with Machine(make_disks(directory), *vm_image.boot_files()) as vm:
            vm.wait_shell()
            check_boot(vm)
            check_plugged(vm, directory)
            check_missing_comes_late(vm, directory)
            check_relabelled(vm)
            check_storm(vm)
            check_pulled(vm, directory)
            check_swap_pulled(vm, directory)
            check_by_hand(vm)
            vm.sh_detached("svcctl reboot")
            assert vm.wait_end() == "guest-reset", "the machine did not reboot"


main()
