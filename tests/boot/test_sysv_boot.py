#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# limit: 3600
"""
A Debian with sysvinit, its boot scripts and thirty daemons boots under svcd with only its init
scripts.

The same daemons run as under sysvinit, each script of the runlevels runs and begins and ends in
insserv's order, and a power-off runs the stop scripts in order and leaves clean file systems.

With $SVCD_TEST_SYSVINIT=1 (long_sysv_boot.py) the machine boots twice more. The first boot is under
sysvinit, which must run the same scripts and daemons in the same order. The last boot is under svcd
with its own service files: the same daemons run, each once. The times are printed, not compared,
because the load of the machine changes them; the boot benchmark compares them.
"""

import dataclasses
import os
import re
import subprocess

import script_times
import vm_image
from deadline import wait_for
from vm import BOOT_S, Machine

STAGE = os.environ["SVCD_STAGE"]
IS_LONG = "SVCD_TEST_SYSVINIT" in os.environ
REST_S = 120 # until no more programs start or end
OFF_S = 400
HABITS = "60-debian-habits.policy"

# Programs that are not daemons of the machine: the init itself, the observers, logins, and
# short-lived programs.
NO_DAEMONS = re.compile(r"/usr/lib/svcd/.*|/usr/s?bin/(svcd|init|dash|bash|agetty|getty|ls|bootlogd|sleep|anacron)")

# sysvinit runs its runlevels with rc and rcS. The other scripts do the last steps of a shutdown,
# which svcd does itself.
NOT_WRAPPED = {"rc", "rcS", "sendsigs", "umountnfs.sh", "umountfs", "umountroot", "halt"}

# The bus starts the daemon of this script before the script runs. The script leaves no process, so
# its service is idle, and is not stopped.
LEAVES_NOTHING = {"elogind"}

# Two programs read all processes, because an emulated processor needs seconds to start two programs
# for each process.
LIST_PROCESSES = "ls -l /proc/[0-9]*/exe; grep ^PPid: /proc/[0-9]*/status"

# svcd's service file starts this daemon only for an NFS volume or the server, like its unit under
# systemd.
ON_DEMAND = ("/usr/sbin/rpc.statd",)


# The daemons of the machine under sysvinit: program path -> number of its processes, except
# children of the same program.
DAEMONS = dict.fromkeys("""
    /usr/bin/dbus-daemon /usr/bin/memcached /usr/bin/monit /usr/bin/redis-check-rdb
    /usr/bin/tinyproxy /usr/bin/udevadm /usr/lib/elogind/elogind /usr/sbin/acpid /usr/sbin/atd
    /usr/sbin/avahi-daemon /usr/sbin/cron /usr/sbin/cupsd /usr/sbin/dhclient /usr/sbin/dnsmasq
    /usr/sbin/exim4 /usr/sbin/haproxy /usr/sbin/haveged /usr/sbin/lldpd /usr/sbin/nginx
    /usr/sbin/nscd /usr/sbin/ntpd /usr/sbin/rpc.idmapd /usr/sbin/rpc.statd /usr/sbin/rpcbind
    /usr/sbin/rsyslogd /usr/sbin/snmpd /usr/sbin/sshd /usr/sbin/uuidd /usr/sbin/vnstatd
    /usr/sbin/vsftpd
    """.split(), 1)


@dataclasses.dataclass
class Boot:
    """The results of one boot."""
    starts: list
    stops: list
    daemons: dict # in the form of DAEMONS
    cpu_s: float  # CPU time of the emulated boot, independent of the host's load
    off_s: float  # from the command to power off

    def login_s(self):
        return next(run.begin for run in self.starts if run.path.endswith("getty"))

    def rest_s(self):
        return max(run.end or 0 for name, all_runs in script_times.scripts(self.starts).items() if name not in ("rc", "rcS")
                   for run in all_runs)


def programs(vm):
    """The running programs, in the form of DAEMONS."""
    shown = vm.sh(LIST_PROCESSES, check=False)[1]  # some processes end meanwhile
    parents = dict(re.findall(r"^/proc/(\d+)/status:PPid:\t(\d+)$", shown, re.M))
    exes = re.findall(r" /proc/(\d+)/exe -> (.+?)(?: \(deleted\))?$", shown, re.M)
    processes = {pid: (exe, parents[pid]) for pid, exe in exes if pid in parents}
    result = {}
    for exe, parent in processes.values():
        if not NO_DAEMONS.fullmatch(exe) and processes.get(parent, ("", ""))[0] != exe:
            result[exe] = result.get(exe, 0) + 1
    return result


def daemons(vm):
    """The programs that keep running. Short-lived helpers of daemons are left out."""
    seen = [programs(vm)]

    def is_settled():
        seen.append(programs(vm))
        return seen[-1] == seen[-2]
    wait_for(is_settled, REST_S, "the same programs run all the time")
    return seen[-1]


def cpu_s(vm):
    with open(f"/proc/{vm.process.pid}/stat", encoding="utf-8") as file:
        user, system = file.read().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def make_disks(directory, services):
    """The machine's root and data disks; with @services, svcd's own service files are included."""
    disks = [f"{directory}/root", f"{directory}/data"]
    vm_image.copy_disk(vm_image.disk_image(STAGE, vm_image.SYSV), disks[0])
    vm_image.make_volume(disks[1], "data")
    with open(f"{STAGE}/usr/lib/svcd/policy-examples/{HABITS}", encoding="utf-8") as file:
        vm_image.put_file(disks[0], f"/etc/svcd/policy.d/{HABITS}", file.read())
    if not services:
        vm_image.remove_files(disks[0], "/usr/lib/svcd/services.d", ".svc")
    return disks


def machine(disks, init):
    return Machine(disks, *vm_image.boot_files(vm_image.SYSV), init=init, cmdline=script_times.KERNEL_WORDS)


def power_off(vm):
    """Power off with the command of the sysvinit package, under any init. Returns (executed
    scripts, seconds until the end)."""
    script_times.follow(vm)
    vm.sh("echo power-off begins >/dev/kmsg")
    vm.sh_detached("poweroff")
    assert vm.wait_end(OFF_S) == "guest-shutdown", "the machine was not switched off"
    console = vm.console.text()
    began, ended = (float(re.search(rf"\[ *([0-9.]+)\] {what}", console)[1])
                    for what in ("power-off begins", "reboot: Power down"))
    return script_times.told(console), ended - began


def check_clean(disks):
    for path in disks:
        shown = subprocess.run(["dumpe2fs", "-h", path], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True, check=True).stdout
        assert "needs_recovery" not in shown, f"{path} needs recovery:\n{shown}"
        assert re.search(r"^Filesystem state: +clean$", shown, re.M), shown
        subprocess.run(["e2fsck", "-fn", path], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, check=True)


def linked(letter, *levels):
    """The scripts that these runlevels start (S) or stop (K)."""
    tree = vm_image.debian_tree(vm_image.SYSV)
    names = {name[3:] for level in levels for name in os.listdir(f"{tree}/etc/rc{level}.d") if name.startswith(letter)}
    return names - NOT_WRAPPED


def depends(kind):
    """insserv's file: "boot", "start" or "stop"."""
    with open(f"{vm_image.debian_tree(vm_image.SYSV)}/etc/init.d/.depend.{kind}", encoding="utf-8") as file:
        return file.read()


def boot_sysvinit(directory):
    disks = make_disks(directory, services=True)
    with machine(disks, "/sbin/init") as vm:
        vm.wait_console("svcd-vm login:")
        vm.wait_shell()
        used_s = cpu_s(vm)
        starts = script_times.recorded(vm)
        running = daemons(vm)
        stops, off_s = power_off(vm)
    check_clean(disks)
    return Boot(starts, stops, running, used_s, off_s)


def boot_svcd(directory, services, expected):
    """@expected: the programs that must run in the end."""
    disks = make_disks(directory, services)
    with machine(disks, "/sbin/svcd") as vm:
        vm.wait_console("svcd-vm login:")
        vm.wait_shell()
        vm.wait_boot_finished()
        used_s = cpu_s(vm)
        starts = script_times.recorded(vm)
        try:
            wait_for(lambda: not difference(expected, programs(vm)), REST_S, "the same daemons as under sysvinit")
        except AssertionError:
            raise AssertionError(f"{difference(expected, programs(vm))}\n{vm.sh('svcctl explain', check=False)[1]}") from None
        failed = [name for name, row in vm.services().items() if row["state"] == "failed"]
        assert not failed, f"failed: {failed}"
        natives = vm.sh("ls /usr/lib/svcd/services.d").split()
        both = [name for name in script_times.scripts(starts) if f"{name.removesuffix('.sh')}.svc" in natives]
        assert not both, f"scripts that ran in addition to svcd's service: {both}"
        stops, off_s = power_off(vm)
    check_clean(disks)
    return Boot(starts, stops, expected, used_s, off_s)


def difference(expected, running):
    """The differing entries as a text; empty: none."""
    differs = [f"{exe}: {running.get(exe, 0)} instead of {expected.get(exe, 0)}"
               for exe in sorted(expected.keys() | running.keys()) if expected.get(exe) != running.get(exe)]
    return "; ".join(differs)


def check_order(what, all_runs, pairs):
    """In each pair of scripts that both ran, the first ended before the second began. Returns the
    number of pairs."""
    ran = script_times.scripts(all_runs)
    held = [(first, second) for first, second in script_times.closure(pairs) if first in ran and second in ran]
    wrong = []
    for first, second in held:
        end, begin = ran[first][0].end, ran[second][0].begin
        if end is None or end > begin:
            wrong.append(f"{first} ended at {end}, {second} began at {begin}")
    assert not wrong, f"{what}: {len(wrong)} of {len(held)} pairs out of order:\n" + "\n".join(wrong)
    return len(held)


def check_alone(what, all_runs, interactive):
    """A script that asks on the console has the console alone."""
    ran = script_times.scripts(all_runs)
    turns = sorted((ran[name][0].begin, ran[name][0].end, name) for name in interactive if name in ran)
    assert turns, f"{what}: no interactive script has run"
    for (_, end, name), (begin, _, other) in zip(turns, turns[1:]):
        assert end <= begin, f"{what}: {name} and {other} had the console at the same time"


def check_scripts(what, boot):
    """The scripts of the runlevels ran, and no others. Each script that started was stopped."""
    started, stopped = ({name for name in script_times.scripts(all_runs) if name not in NOT_WRAPPED}
                        for all_runs in (boot.starts, boot.stops))
    wanted = linked("S", "S", 2)
    assert started == wanted, f"{what}: started or linked only: {sorted(started ^ wanted)}"
    missing = (linked("K", 0) & started) - stopped - LEAVES_NOTHING
    assert not missing, f"{what}: not stopped: {sorted(missing)}"
    assert stopped <= started, f"{what}: stopped, but never started: {sorted(stopped - started)}"


def check_orders(what, boot):
    """Check each pair of insserv if both scripts ran. Returns the number of pairs."""
    n_pairs = 0
    for kind, all_runs in (("boot", boot.starts), ("start", boot.starts), ("stop", boot.stops)):
        pairs, interactive = script_times.dependencies(depends(kind))
        n_pairs += check_order(f"{what}, {kind}", all_runs, pairs)
        if kind == "boot":
            check_alone(what, all_runs, interactive)
    return n_pairs


def print_figures(name, boot):
    print(f"{name}: login after {boot.login_s():.1f} s, last script after {boot.rest_s():.1f} s, "
          f"{boot.cpu_s:.0f} s of CPU; off within {boot.off_s:.1f} s", flush=True)


def main():
    with vm_image.work_directory() as directory:
        if IS_LONG:
            before = boot_sysvinit(directory)
            check_scripts("sysvinit", before)
            check_orders("sysvinit", before)
            assert before.daemons == DAEMONS, difference(DAEMONS, before.daemons)
            print_figures("sysvinit", before)

        after = boot_svcd(directory, False, DAEMONS)
        check_scripts("svcd", after)
        n_pairs = check_orders("svcd", after)
        print_figures("svcd, scripts only", after)
        print(f"{len(script_times.scripts(after.starts))} scripts, {len(DAEMONS)} daemons, {n_pairs} pairs in order")

        if IS_LONG:
            expected = {exe: number for exe, number in DAEMONS.items() if exe not in ON_DEMAND}
            print_figures("svcd", boot_svcd(directory, True, expected))


main()
