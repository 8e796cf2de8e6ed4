#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
A machine with svcd boots a plain shell (init=/bin/sh), continues when that shell executes svcd, and
survives faults of PID 1.

A fault stops no service, and PID 1 continues to feed the hardware watchdog. Then PID 1 runs into an
endless loop, and the watchdog resets the machine in time.
"""

import os
import time

import vm_image
from deadline import wait_for
from vm import COMMAND_S, Machine

STAGE = os.environ["SVCD_STAGE"]
WATCHDOG_S = 20 # a starved host may stop the machine for half of this time
SLACK_S = 400 # for a busy host, where the machine's seconds are longer

# Only the services that a login needs.
POLICY = ("[runlevel S]\nActivate=test-shell\n"
          "[runlevel 2]\nActivate=-networking -network-manager -dbus -elogind -rsyslog -cron\n")

# ptrace(2): writes "jmp ." (EB FE) where PID 1 continues after its present system call. rip is the
# 17th register.
SPIN = r"""
sub attempt { my ($what, $result) = @_; $result != -1 or die "$what: $!\n" }
my $regs = "\0" x 512;
attempt("attach", syscall(101, 16, 1, 0, 0));
waitpid(1, 0);
attempt("registers", syscall(101, 12, 1, 0, $regs));
my $rip = unpack("Q", substr($regs, 16 * 8, 8));
attempt("write", syscall(101, 4, 1, $rip, unpack("Q", "\xeb\xfe" . "\x90" x 6)));
attempt("detach", syscall(101, 17, 1, 0, 0));
"""


def pids(vm):
    """The pids of services that have been up since the boot."""
    rows = vm.services()
    return [rows[name]["pid"] for name in ("test-shell", "udev", "getty@ttyS0")]


def check_shell(vm):
    """The shell is PID 1; the root is as the kernel mounted it."""
    vm.wait_console(r"# $")
    vm.type_console("echo \"shell $((6 * 7)) is $$\"\n")
    vm.wait_console("shell 42 is 1", COMMAND_S)
    vm.type_console("exec /sbin/svcd\n")
    vm.wait_shell()
    assert vm.sh("cat /proc/1/comm") == "svcd"
    wait_for(lambda: 0 not in pids(vm), COMMAND_S, "some services are up")


def check_watchdog_opens(vm):
    """The watchdog's driver is loaded with the other modules, after the start of PID 1."""
    wait_for(lambda: vm.sh("cat /sys/class/watchdog/watchdog0/state", check=False)[1] == "active", COMMAND_S, "it is fed")
    assert vm.sh("cat /sys/class/watchdog/watchdog0/timeout") == str(WATCHDOG_S)
    assert vm.sh("readlink /proc/1/fd/* | grep -c '^/dev/watchdog$'") == "1"


def check_fault(vm):
    before = pids(vm)
    vm.sh("kill -SEGV 1")
    vm.wait_console("executing svcd again; services stay as they are", COMMAND_S)
    wait_for(lambda: vm.sh("svcctl --version", check=False)[0] == 0, COMMAND_S, "a manager")
    assert pids(vm) == before, "a service has another pid"
    assert vm.sh("readlink /proc/1/fd/* | grep -c '^/dev/watchdog$'") == "1"


def check_endless_loop(vm):
    vm.sh(f"cat >/run/spin <<'@end'\n{SPIN}\n@end\nperl /run/spin")
    began = time.monotonic()
    reason = vm.wait_end(WATCHDOG_S + SLACK_S)
    took_s = time.monotonic() - began
    events = [event["event"] for event in vm.events]
    assert "WATCHDOG" in events and reason == "guest-reset", (events, reason)
    print(f"PID 1 in an endless loop: the watchdog of {WATCHDOG_S} s reset the machine after {took_s:.1f} s")


def main():
    with vm_image.work_directory() as directory:
        disk = f"{directory}/root"
        vm_image.copy_disk(vm_image.disk_image(STAGE), disk)
        vm_image.put_file(disk, "/etc/fstab", f"LABEL={vm_image.ROOT_LABEL} / ext4 errors=remount-ro 0 1\n")
        vm_image.put_file(disk, "/etc/svcd/policy.d/local.policy", POLICY)
        with Machine([disk], *vm_image.boot_files(), init="/bin/sh", cmdline=f"svcd.watchdog={WATCHDOG_S}", watchdog=True) as vm:
            check_shell(vm)
            check_watchdog_opens(vm)
            check_fault(vm)
            check_endless_loop(vm)


main()
