#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The check of the root file system: a request by shutdown -f or -F is used once, and svcd does not
write to a root that fsck has changed."""

from sandbox import Sandbox

ROOT_FS = "/usr/lib/svcd/boot/root-fs"
FSTAB = "# / is: what a comment says does not count\n# / x 0 0 0\nLABEL=root / ext4 errors=remount-ro 0 1\n"
# The disk of this machine must not be checked. Each fake records its arguments; the root becomes
# writable by default.
FAKES = {
    "fsck": 'echo "fsck $*" >>/run/asked; exit "$(cat /run/fsck.status)"',
    "mount": 'echo "mount $*" >>/run/asked; [ -e /run/stays-read-only ] || exec /usr/bin/mount -o remount,rw none /',
    "svcctl": 'echo "svcctl $*" >>/run/asked',
}


def check(box, status=0, ends=0, is_writable=False):
    """The commands that root-fs runs if fsck exits with @status. root-fs itself exits with
    @ends."""
    box.write("/run/asked", "")
    box.write("/run/fsck.status", f"{status}\n")
    box.run(f"mount -o remount,{'rw' if is_writable else 'ro'} none /")
    done = box.run("env", "PATH=/fakes:/usr/sbin:/usr/bin:/sbin:/bin", ROOT_FS, check=False)
    box.run("test -e /run/stays-read-only || mount -o remount,rw none /")
    assert done.returncode == ends, done
    return box.read("/run/asked").splitlines()


def flags_count_once(box):
    box.write("/forcefsck", "")
    assert check(box) == ["fsck -T -a -f /", "mount -o remount /"]
    assert not box.exists("/forcefsck") and box.exists("/run/svcd/forcefsck"), "the other volumes are checked later"
    assert check(box) == ["fsck -T -a /", "mount -o remount /"]

    box.write("/fastboot", "")
    assert check(box) == ["mount -o remount /"]
    assert not box.exists("/fastboot") and box.exists("/run/svcd/fastboot")


def what_fsck_says(box):
    assert check(box, status=1) == ["fsck -T -a /", "mount -o remount /"]
    assert check(box, status=4, ends=1) == ["fsck -T -a /"]
    # fsck(8), 2: the kernel's view of the file system no longer matches the disk.
    assert check(box, status=3, ends=1) == ["fsck -T -a /", "svcctl reboot"], "a root that fsck has changed becomes writable"


def what_fstab_says(box):
    assert check(box, is_writable=True) == ["mount -o remount /"], "a check of a writable root does harm"
    box.write("/etc/fstab", FSTAB.replace("0 1", "0 0"))
    assert check(box) == ["mount -o remount /"]
    box.write("/etc/fstab", "# / x 0 0 1\n")
    assert check(box) == ["mount -o remount,rw /"]
    box.run("rm /etc/fstab")
    assert check(box) == ["mount -o remount,rw /"]
    box.write("/etc/fstab", FSTAB)


def a_root_that_stays_read_only(box):
    box.write("/fastboot", "")
    box.write("/run/stays-read-only", "")
    assert check(box) == ["mount -o remount /"]
    assert box.exists("/fastboot")


with Sandbox({"a": "[Service]\nExec=/bin/sleep infinity\n"}, root="debian") as machine:
    for name, text in FAKES.items():
        machine.write(f"/fakes/{name}", f"#!/bin/sh\n{text}\n", 0o755)
    machine.write("/etc/fstab", FSTAB)
    machine.wait_state("a", "ready")  # so that /run/svcd exists
    flags_count_once(machine)
    what_fsck_says(machine)
    what_fstab_says(machine)
    a_root_that_stays_read_only(machine)
