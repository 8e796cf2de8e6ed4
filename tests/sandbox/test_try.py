#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
svcctl try selects a trial boot in GRUB, reports its result, makes svcd permanent, and reverts all
of it. Where GRUB cannot clear the selection, it changes nothing.

GRUB's programs are scripts. The trial boot itself is in test_trial_boot and boot/long_try.
"""

import json

from sandbox import Sandbox

MENU = """if [ "${next_entry}" ] ; then
   set default="${next_entry}"
   set next_entry=
   save_env next_entry
   set boot_once=true
fi
### BEGIN /etc/grub.d/10_linux ###
menuentry 'Debian GNU/Linux' --class debian --class gnu-linux $menuentry_id_option 'gnulinux-simple-1234' {
\tload_video
\tif [ x$grub_platform = xxen ]; then insmod xzio; fi
\tset root='hd0,msdos1'
\techo\t'Loading Linux 6.1.0-1-amd64 ...'
\tlinux\t/boot/vmlinuz-6.1.0-1-amd64 root=UUID=1234 ro  quiet
\tinitrd\t/boot/initrd.img-6.1.0-1-amd64
}
submenu 'Advanced options for Debian GNU/Linux' $menuentry_id_option 'gnulinux-advanced-1234' {
\tmenuentry 'Debian GNU/Linux, with Linux 6.1.0-1-amd64 (recovery mode)' {
\t\tlinux\t/boot/vmlinuz-6.1.0-1-amd64 root=UUID=1234 ro single
\t}
}
### BEGIN /etc/grub.d/41_custom ###
if [ -f  ${config_directory}/custom.cfg ]; then
  source ${config_directory}/custom.cfg
fi
"""
ENTRY = """menuentry 'Trial of svcd' --class debian --unrestricted --id svcd-trial {
\tload_video
\tif [ x$grub_platform = xxen ]; then insmod xzio; fi
\tset root='hd0,msdos1'
\techo\t'Loading Linux 6.1.0-1-amd64 ...'
\tlinux\t/boot/vmlinuz-6.1.0-1-amd64 root=UUID=1234 ro  quiet init=/usr/lib/svcd/svc-trial-init panic=30
\tinitrd\t/boot/initrd.img-6.1.0-1-amd64
}
"""
OWN_ENTRY = "menuentry 'Another system' {\n\tchainloader /other\n}\n"
EDITENV = """#!/bin/sh
file=/boot/grub/grubenv
case $2 in
list) cat $file ;;
set) sed -i "/^${3%%=*}=/d" $file; echo "$3" >>$file ;;
unset) sed -i "/^$3=/d" $file ;;
esac
"""
GRUB = {
    "/usr/local/sbin/grub-probe": "#!/bin/sh\ncat /boot/probe/${1#--target=}\n",
    "/usr/local/sbin/grub-editenv": EDITENV,
    "/usr/local/sbin/grub-reboot": "#!/bin/sh\n[ ! -e /boot/probe/broken ] && exec grub-editenv - set next_entry=\"$1\"\n",
    "/usr/local/sbin/update-grub": "#!/bin/sh\necho Generating >&2\ncat /etc/default/grub.d/*.cfg >/boot/grub/cmdlines\n[ ! -e /boot/probe/broken ]\n",
}
PERMANENT = "/etc/default/grub.d/svcd.cfg"
UNITS = "/etc/systemd/system"
FILES = {
    **{path: {"text": text, "mode": 0o755} for path, text in GRUB.items()},
    "/boot/probe/fs": "ext2\n", "/boot/probe/abstraction": "",
    "/boot/grub/grubenv": "saved_entry=0\n", "/boot/grub/custom.cfg": OWN_ENTRY,
    "/etc/default/grub.d/other.cfg": "GRUB_TIMEOUT=1\n",
    # What the other init starts.
    f"{UNITS}/multi-user.target.wants/web.service": {"link": "/lib/systemd/system/web.service"},
    f"{UNITS}/multi-user.target.wants/masked.service": {"link": "/lib/systemd/system/masked.service"},
    f"{UNITS}/masked.service": {"link": "/dev/null"},
    f"{UNITS}/multi-user.target.wants/off.service": {"link": "/lib/systemd/system/off.service"},
    f"{UNITS}/multi-user.target.wants/alone.service": {"link": f"{UNITS}/alone.service"},
    f"{UNITS}/alone.service": "[Service]\nExecStart=/bin/alone\n[Install]\nWantedBy=multi-user.target\n",
    f"{UNITS}/multi-user.target.wants/remote-fs.target": {"link": "/lib/systemd/system/remote-fs.target"},
    f"{UNITS}/sockets.target.wants/web.socket": {"link": "/lib/systemd/system/web.socket"},
    f"{UNITS}/sysinit.target.wants/systemd-timesyncd.service": {"link": "/lib/systemd/system/systemd-timesyncd.service"},
    f"{UNITS}/timers.target.wants/daily.timer": {"link": "/lib/systemd/system/daily.timer"},
    "/etc/rc2.d/S01script": {"link": "../init.d/script"},
    "/etc/rc2.d/S01masked": {"link": "../init.d/masked"},
    "/etc/rcS.d/S01off.sh": {"link": "../init.d/off.sh"},
}
PLAN = {
    "alone.service": (None, False, f"svcctl import {UNITS}/alone.service"),
    "daily.timer": (None, False, "svcd has no timers; use cron"),
    "off": ("off", False, "policy does not start it: svcctl enable off"),
    "off.service": ("off", False, "policy does not start it: svcctl enable off"),
    "script": (None, False, "svcd has no service for it"),
    "systemd-timesyncd.service": (None, False, "part of systemd"),
    "web.service": ("web", True, None),
    "web.socket": ("web", True, None),
}


class Machine:
    def __init__(self, box):
        self.box = box

    def attempt(self, *argv):
        """Run svcctl try as if another init were running."""
        return self.box.run("unshare", "-m", "sh", "-c", 'mount -t tmpfs none /run/svcd && exec svcctl try "$@"', "sh", *argv, check=False)

    def done(self, *argv):
        result = self.attempt(*argv)
        assert result.returncode == 0 and not result.stderr, result
        return result.stdout

    def refused(self, text, *argv, code=1):
        before = self.files()
        result = self.attempt(*argv)
        assert result.returncode == code and text in result.stderr, result
        assert self.files() == before, argv

    def report(self, text, code=3):
        result = self.attempt("--report")
        assert result.returncode == code and text in result.stdout, result

    def files(self):
        """Everything that try may change."""
        return self.box.run("find /etc /boot /var/lib/svcd/trial -ls -type f -exec sha256sum {} +", check=False).stdout


def check_refusals(machine):
    box = machine.box
    machine.refused("there is no /boot/grub/grub.cfg")
    box.write("/boot/grub/grub.cfg", MENU.replace("save_env next_entry", ""))
    machine.refused("does not support an entry for one boot")
    box.write("/boot/grub/grub.cfg", MENU.replace("/custom.cfg", ""))
    machine.refused("does not include custom.cfg")
    box.write("/boot/grub/grub.cfg", MENU.replace("\tlinux\t", "\tmultiboot\t"))
    machine.refused("does not boot Linux")
    box.write("/boot/grub/grub.cfg", MENU)
    for layer in ("lvm", "diskfilter mdraid1x", "cryptodisk luks"):
        box.write("/boot/probe/abstraction", f"{layer}\n")
        machine.refused(f"GRUB cannot write to ({layer})")
    box.write("/boot/probe/abstraction", "")
    box.write("/boot/probe/fs", "btrfs\n")
    machine.refused("GRUB cannot write to (btrfs)")
    box.write("/boot/probe/fs", "ext2\n")
    box.write("/boot/probe/broken", "")
    assert "grub-reboot cannot select the entry" in machine.attempt().stderr
    assert box.read("/boot/grub/custom.cfg") == OWN_ENTRY
    box.remove("/boot/probe/broken")
    machine.refused("no trial has passed", "--keep")
    machine.refused("only one of", "--keep", "--back", code=2)
    assert "svcd is the running init" in box.svcctl("try", check=False).stderr
    assert "only root" in box.run("setpriv", "--reuid=65534", "--clear-groups", "--", "svcctl", "try", check=False).stderr


def check_trial(machine):
    box = machine.box
    before = machine.files()
    machine.report("there was no trial")
    assert ENTRY.expandtabs(4) in machine.done("--dry-run") and machine.files() == before
    assert "nothing to undo" in machine.done("--back")
    assert "6 enabled units will not run under svcd" in machine.done()
    machine.done() # again: there is still one entry
    custom = box.read("/boot/grub/custom.cfg")
    assert custom.startswith(OWN_ENTRY) and custom.count(ENTRY) == 1, custom
    assert box.read("/boot/grub/grubenv") == "saved_entry=0\nnext_entry=svcd-trial\n"
    machine.report("begins with the next reboot")
    machine.refused("no trial has passed", "--keep")
    assert "would remove" in machine.done("--back", "--dry-run")
    machine.done("--back")
    assert box.read("/boot/grub/custom.cfg") == OWN_ENTRY and box.read("/boot/grub/grubenv") == "saved_entry=0\n"


def check_reports(machine):
    box = machine.box
    machine.done()
    box.write("/boot/grub/grubenv", "saved_entry=0\n") # as GRUB does
    machine.report("ended without a result")
    box.write("/var/lib/svcd/trial", "failed\nat noon\nssh does not answer\n")
    machine.report("the trial has failed: at noon\nssh does not answer")
    box.write("/var/lib/svcd/trial", "passed\nat noon\n")
    machine.report("the trial has passed: at noon", code=0)


def check_keep(machine):
    box = machine.box
    before = box.run("find /etc -ls").stdout
    plan = machine.done("--keep", "--dry-run")
    assert f"would write {PERMANENT}" in plan and "no package changes" in plan, plan
    assert box.run("find /etc -ls").stdout == before
    machine.done("--keep")
    assert 'GRUB_CMDLINE_LINUX_DEFAULT="$GRUB_CMDLINE_LINUX_DEFAULT init=/sbin/svcd"' in box.read("/boot/grub/cmdlines")
    assert box.read("/boot/grub/custom.cfg") == OWN_ENTRY
    machine.refused("svcd is the init at every boot")
    assert f"would remove {PERMANENT}" in machine.done("--back", "--dry-run")
    machine.done("--back")
    assert "init=" not in box.read("/boot/grub/cmdlines") and not box.exists(PERMANENT) and not box.exists("/var/lib/svcd/trial")
    box.write("/var/lib/svcd/trial", "passed\nat noon\n")
    box.write("/boot/probe/broken", "")
    assert "update-grub failed" in machine.attempt("--keep").stderr and not box.exists(PERMANENT)


def check_plan(machine):
    data = json.loads(machine.done("--keep", "--dry-run", "--json"))["data"]
    assert {row["name"]: (row["service"], row["runs"], row["why"]) for row in data} == PLAN, data


SERVICES = {name: "[Service]\nExec=/bin/sleep infinity\n" for name in ("web", "off")}
with Sandbox(SERVICES, policy="[defaults]\nNewServices=manual\n[runlevel 2]\nActivate=web\n", files=FILES) as sandbox:
    sandbox.wait_state("web", "ready")
    debian = Machine(sandbox)
    check_plan(debian)
    check_refusals(debian)
    check_trial(debian)
    check_reports(debian)
    check_keep(debian)
