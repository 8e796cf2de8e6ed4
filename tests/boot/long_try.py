#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Trial boots of a Debian with systemd and GRUB: a trial passes, svcd becomes permanent, and systemd
returns. limit: 9000

Four trials fail: ssh does not answer, no console has a login, the manager hangs, process 1 hangs.
After each of them systemd boots by itself, and the file system is clean.
"""

import os
import re

import vm_image
from deadline import wait_for
from vm import BOOT_S, Machine

STAGE = os.environ["SVCD_STAGE"]
POLICY = "/etc/svcd/policy.d/zz-trial.policy"
HANG = "/etc/svcd/services.d/hang.svc"
FAILURE_S = 60
# On an emulated processor of a busy machine a boot takes minutes.
SUCCESS_S = 900

NO_SSH = f"printf '[service ssh]\\nActivation=never\\n' >{POLICY}"
NO_LOGIN = f"printf '[service getty@ttyS0]\\nActivation=never\\n' >{POLICY}; systemctl disable ssh"
HUNG = NO_SSH + f"; printf '[runlevel S]\\nActivate=hang\\n' >>{POLICY}; cat >{HANG}"
HUNG_MANAGER = "[Service]\nExec=/bin/sh -c \"while pkill -STOP svcd-manager || true; do sleep 0.1; done\"\n"
# A traced process stops until its tracer ends (ptrace(2): PTRACE_ATTACH is 16).
HUNG_PID1 = "[Service]\nExec=/usr/bin/python3 -c \"import ctypes, time; ctypes.CDLL(None).ptrace(16, 1, 0, 0); time.sleep(9999)\"\n"

CASES = (
    (NO_SSH, "ssh does not answer"),
    (NO_LOGIN, "no console has a login"),
    (f"{HUNG} <<'END'\n{HUNG_MANAGER}END", "svcd does not answer"),
    (f"{HUNG} <<'END'\n{HUNG_PID1}END", "ssh does not answer"),
)


class Debian:
    """The machine. The console shows the end of each boot."""

    def __init__(self, vm):
        self.vm = vm

    def wait_boot(self, init, begin, after=""):
        """
        Wait for a boot with @init as process 1, after the text @after on the console since @begin.

        The boot that ends answers for a while, so the end of the new one is awaited first. The
        shell reads its input by then. The file system must not need a repair.
        """
        self.vm.wait_console(rf"(?s){after}.*(login:|Reached target[^\n]*multi-user.target)", 2 * BOOT_S, begin)
        self.vm.wait_shell()
        found = self.vm.sh("cat /proc/1/comm").strip()
        assert found == init, found
        faults = self.vm.sh("dmesg | grep -i 'recovery complete'; grep -is recovering /run/initramfs/fsck.log", check=False)[1]
        assert not faults.strip(), faults
        print(f"{init} has booted", flush=True)

    def reboot(self, init, command="reboot", after=""):
        begin = len(self.vm.console.data)
        self.vm.sh_detached(command)
        self.wait_boot(init, begin, after)

    def begin_trial(self, seconds):
        print(self.vm.sh("svcctl try"), flush=True)
        self.vm.sh(f"sed -i 's/panic=30/& SVCD_TRIAL_SECONDS={seconds}/' /boot/grub/custom.cfg; sync")

    def report(self):
        code, text = self.vm.sh("svcctl try --report", check=False)
        print(text, flush=True)
        return code, text


def install_grub(disk):
    """The first boot is without a boot loader."""
    with Machine([disk], *vm_image.boot_files(vm_image.SYSTEMD), init="/sbin/init") as vm:
        vm.wait_shell()
        print(vm.sh("grub-install /dev/vda && update-grub"), flush=True)
        vm.sh_detached("systemctl poweroff")
        vm.wait_end()


def check_success(debian):
    before = debian.vm.sh("find /etc -path /etc/svcd -prune -o -type f -exec sha256sum {} + | sort -k 2")
    print(debian.vm.sh("svcctl try --keep --dry-run"), flush=True)
    debian.begin_trial(SUCCESS_S)
    debian.reboot("svcd")
    wait_for(lambda: debian.report()[0] == 0, SUCCESS_S, "the trial passes", 5)
    debian.reboot("systemd", "svcctl reboot")
    assert debian.report()[0] == 0
    print(debian.vm.sh("svcctl try --keep"), flush=True)
    debian.reboot("svcd")
    print(debian.vm.sh("svcctl try --back"), flush=True)
    debian.reboot("systemd", "svcctl reboot")
    after = debian.vm.sh("find /etc -path /etc/svcd -prune -o -type f -exec sha256sum {} + | sort -k 2")
    changed = {line.split()[1] for line in set(before.splitlines()) ^ set(after.splitlines())}
    assert not changed - {"/etc/resolv.conf"}, changed


def check_failure(debian, prepare, reason):
    debian.vm.sh(prepare)
    debian.begin_trial(FAILURE_S)
    debian.reboot("systemd", after="the trial of svcd has failed")
    code, text = debian.report()
    assert code == 3 and re.search(reason, text), text
    assert "next_entry" not in debian.vm.sh("grub-editenv list")
    debian.vm.sh(f"svcctl try --back; rm -f {POLICY} {HANG}; systemctl enable ssh")


with vm_image.work_directory() as directory:
    root = f"{directory}/root"
    vm_image.make_partition(vm_image.disk_image(STAGE, vm_image.SYSTEMD), root)
    install_grub(root)
    with Machine([root], None, None, reboot_ends=False) as machine:
        server = Debian(machine)
        server.wait_boot("systemd", 0)
        check_success(server)
        for case in CASES:
            check_failure(server, *case)
