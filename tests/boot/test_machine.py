#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
A Debian disk boots with svcd as PID 1: all wanted services come up, fstab is mounted, and a
power-off is clean.

The limits and sandboxes of services work on Debian's kernel, and a kill of the manager stops no
service.
"""

import os
import re
import subprocess
import time

import vm_image
from deadline import wait_for
from vm import BOOT_S, COMMAND_S, Machine

STAGE = os.environ["SVCD_STAGE"]
UP = ("ready", "done")

# A working machine runs at least these services.
EXPECTED = """checkroot udev udev-trigger kmod-static-nodes tmpfiles-dev tmpfiles kmod procps hostname hwclock urandom loopback
    utmp machine-id policy-save dbus rsyslog cron elogind ssh ssh-host-keys nginx networking network-manager getty@ttyS0
    getty@tty1 mount-srv-my--data mount-mnt-part mount-mnt-scratch swap-label-svcd--swap""".split()

# Each limit of a service, and the resulting content of the kernel's files.
LIMITS = {
    "MemoryMax=64M": ("memory.max", str(64 << 20)),
    "MemoryHigh=60M": ("memory.high", str(60 << 20)),
    "MemoryLow=8M": ("memory.low", str(8 << 20)),
    "MemoryMin=4M": ("memory.min", str(4 << 20)),
    "MemorySwapMax=16M": ("memory.swap.max", str(16 << 20)),
    "MemoryOOMGroup=yes": ("memory.oom.group", "1"),
    "CPUWeight=50": ("cpu.weight", "50"),
    "CPUQuota=150%": ("cpu.max", "150000 100000"),
    "AllowedCPUs=1": ("cpuset.cpus", "1"),
    "IOWeight=200": ("io.weight", "default 200"),
    "TasksMax=20": ("pids.max", "20"),
}
CONTROLLERS = {"memory", "cpu", "cpuset", "io", "pids"}

EAT = "perl /run/eat"
SMALL = "MemoryMax=32M\nMemorySwapMax=0\n"
# Each of these services uses more memory, or more tasks, than its limit allows.
GREEDY = {
    "greedy-main": f"Exec=/bin/sh -c 'exec {EAT}'\n{SMALL}",
    "greedy-child": f"Exec=/bin/sh -c '{EAT}; exec sleep infinity'\n{SMALL}",
    "greedy-child-told": f"Exec=/bin/sh -c '{EAT}; exit 3'\n{SMALL}",
    "greedy-family": f"Exec=/bin/sh -c '{EAT}; exec sleep infinity'\n{SMALL}MemoryOOMGroup=yes\n",
    "greedy-forks": "Exec=/bin/sh -c 'for i in 1 2 3 4 5 6; do sleep infinity & done; wait'\nTasksMax=4\n",
}
OWN_LIMIT = "out of memory: its own limit was reached (MemoryMax=)"

# A service with all protections. TRIES: its attempts, and whether each is permitted.
STRICT = """Exec=/bin/sh /run/tries
StateDirectory=strict
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
ProtectKernelTunables=yes
ProtectKernelModules=yes
ProtectKernelLogs=yes
ProtectControlGroups=yes
ProtectClock=yes
ProtectHostname=yes
ProtectProc=invisible
CapabilityBoundingSet=CAP_NET_BIND_SERVICE
NoNewPrivileges=yes
SystemCallFilter=@system-service
SystemCallErrorNumber=EPERM
SystemCallArchitectures=native
RestrictAddressFamilies=AF_UNIX
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
MemoryDenyWriteExecute=yes
KeyringMode=private
"""
TRIES = {
    "touch /usr/x": False, "touch /etc/x": False, "touch /run/x": False, "touch /var/lib/x": False,
    "touch /var/lib/strict/x": True, "touch /tmp/x /var/tmp/x": True, "test -e /tmp/outside": False,
    "ls /root/writable": False, "head -c1 /dev/urandom": True, "head -c0 /dev/vda": False, "head -c0 /dev/ttyS1": False,
    "mknod /tmp/node c 1 3": False, "chown daemon /var/lib/strict": False, "chmod u+s /var/lib/strict/x": False,
    "mount -t tmpfs none /tmp": False, "chroot / true": False, "unshare -u true": False, "hostname other": False,
    "date -s 2000-01-01": False, "echo 99 >/proc/sys/kernel/threads-max": False, "dmesg": False,
    "mkdir /sys/fs/cgroup/x": False, "chrt -f 1 true": False, "test -d /proc/1": True, "ls /usr/lib/modules/*": False,
    "perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0) or die'": True,
    "perl -MSocket -e 'socket(S, AF_INET, SOCK_STREAM, 0) or die'": False,
    "grep -qx 'NoNewPrivs:\t1' /proc/self/status": True, "grep -qx 'Seccomp:\t2' /proc/self/status": True,
    "grep -qx 'CapBnd:\t0000000000000400' /proc/self/status": True,
}


# The machine's sysctl.d sets kernel.threads-max to this number, and a service without TasksMax=
# gets a share of it.
THREADS_MAX = 12345
TASKS_MAX = THREADS_MAX * 15 // 100

# The fork bomb has no limit of its own. It uses little CPU time, because the processors are
# emulated, but never stops.
BOMB_TASKS = 300
BOMB = "1 while defined(fork); sleep 1 while 1;\n"

# A service that feeds its watchdog each second.
ALIVE = """use IO::Socket::UNIX; my $s = IO::Socket::UNIX->new(Type => SOCK_DGRAM(), Peer => $ENV{NOTIFY_SOCKET}) or die;
$s->send("READY=1"); while (1) { $s->send("WATCHDOG=1"); select(undef, undef, undef, 1); }
"""
WATCHDOG_S = 15
TEN_YEARS_S = 10 * 365 * 86400
SLEEP_S = 3600

# Allocates all memory, and more.
HOG = "my @all; push @all, 'x' x (8 << 20) while 1;\n"

# These services are started by hand, and do not restart after a failure. They are on the disk from
# the beginning, because the machine needs seconds to read all its files again.
SERVICES = {
    "limited": "Exec=/bin/sleep infinity\n" + "".join(f"{key}\n" for key in LIMITS),
    **GREEDY,
    "strict": STRICT,
    "bomb": "Exec=/usr/bin/perl /run/bomb\nStopTimeout=2s\n",
    "hog": "Exec=/usr/bin/perl /run/hog\n",
    "alive": f"Exec=/usr/bin/perl /run/alive\nReady=notify\nWatchdogTimeout={WATCHDOG_S}s\n",
    "power-fail": "Type=task\nExec=/bin/touch /run/power-failed\n",
    "stubborn": "Exec=/bin/sh -c 'trap \"\" TERM; while :; do sleep 1; done'\nStopTimeout=20s\n",
}


def check_login(vm):
    """A user logs in on the serial console, looks around and leaves; the next login prompt appears.
    """
    vm.wait_console("svcd-vm login:")
    vm.type_console("root\n")
    vm.wait_console("Password:", COMMAND_S)
    vm.type_console("root\n")
    vm.wait_console(r"root@svcd-vm:~# ", COMMAND_S)
    vm.type_console("echo \"I am $(whoami) on $(tty)\"\n")
    vm.wait_console("I am root on /dev/ttyS0", COMMAND_S)
    assert "ttyS0" in vm.sh("who"), "who does not list the login"
    begin = len(vm.console.data)
    vm.type_console("exit\n")
    vm.wait_console("svcd-vm login:", COMMAND_S, begin)
    assert "root" not in vm.sh("who"), "who still lists the login"


def check_services(vm):
    """At rest, all wanted services are up, and none has failed."""
    vm.wait_boot_finished()
    rows = vm.services()
    not_up = {name: rows.get(name, {}).get("state") for name in EXPECTED if rows.get(name, {}).get("state") not in UP}
    assert not not_up, f"not up: {not_up}"
    n_up = sum(row["state"] in UP for row in rows.values())
    assert n_up >= 20, f"only {n_up} services are up"
    assert not [name for name, row in rows.items() if row["state"] == "failed"], vm.sh("svcctl explain", check=False)
    assert rows["mount-mnt-absent"]["state"] == "waiting", "a volume that is not there is waited for"
    assert rows["mount-mnt-byhand"]["state"] == "idle", "a noauto volume is mounted by hand"


def check_memory(vm):
    """Debian's kernel may use huge pages; PID 1's tables are large and mostly unused."""
    assert "[always]" in vm.sh("cat /sys/kernel/mm/transparent_hugepage/enabled"), "this kernel does not use huge pages"
    for pid in ("1", "$(pgrep -o svcd-manager)"):
        rollup = vm.sh(f"cat /proc/{pid}/smaps_rollup")
        assert re.search(r"AnonHugePages: +0 kB", rollup), rollup


def check_early_boot(vm):
    assert vm.sh("cat /proc/1/comm").strip() == "svcd"
    status, found = vm.sh("ls -d /run/systemd/system; cat /proc/[0-9]*/comm | grep -x 'systemd\\|systemd-journal\\|init'", check=False)
    assert "systemd/system:" in found or "cannot access" in found, found
    assert not set(found.split()) & {"systemd", "systemd-journal", "init"}, found
    assert vm.sh("hostname").strip() == "svcd-vm"
    assert vm.sh("cat /proc/sys/kernel/threads-max").strip() == "12345", "sysctl.d was not applied"
    vm.sh("test -d /sys/module/dummy")
    vm.sh("touch /root/writable; grep -q ' / ext4 rw' /proc/mounts")
    vm.sh("grep -qxE '[0-9a-f]{32}' /etc/machine-id; cmp /etc/machine-id /var/lib/dbus/machine-id")
    assert "system boot" in vm.sh("who -b")
    check_memory(vm)
    vm.sh("test -d /run/lock && test -c /dev/loop-control")
    # When the machine is idle, deferred tasks run. They give the terminals to their group, and
    # write a new random seed.
    wait_for(lambda: vm.sh("stat -c %G /dev/tty9; test -s /var/lib/urandom/random-seed", check=False) == (0, "tty"), BOOT_S,
             "the rest of the devices has been announced")
    for name in ("udev-trigger-rest", "urandom-renew"):
        wait_for(lambda: vm.service(name)["state"] == "idle", BOOT_S, f"{name} has ended")


def check_volumes(vm):
    """Each line of fstab is in effect."""
    vm.sh("findmnt -n /srv/my-data | grep -q ext4")
    vm.sh("findmnt -n /mnt/scratch | grep -q size=4096k; touch /srv/my-data/part/here; test -e /mnt/part/here")
    assert "/dev/vd" in vm.sh("swapon --show --noheadings")
    vm.sh("! mountpoint -q /mnt/byhand; svcctl start --wait mount-mnt-byhand; mountpoint -q /mnt/byhand")
    vm.sh("svcctl stop mount-mnt-byhand; ! mountpoint -q /mnt/byhand")


def check_hotplug(vm, directory):
    """A nofail volume is mounted when its disk appears."""
    path = f"{directory}/absent"
    vm_image.make_volume(path, "absent")
    vm.plug(path, "late")
    wait_for(lambda: vm.sh("mountpoint -q /mnt/absent", check=False)[0] == 0, COMMAND_S, "the late volume is mounted")


def check_daemons(vm):
    vm.sh("ip -4 addr show eth0 | grep -q 10.0.2.15")
    ask = "perl -MIO::Socket::INET -e '$s = IO::Socket::INET->new(\"127.0.0.1:%d\") or die; print $s \"%s\"; print scalar <$s>'"
    assert "HTTP/1.1 200" in vm.sh(ask % (80, "HEAD / HTTP/1.0\\r\\n\\r\\n"))
    assert "SSH-2.0" in vm.sh(ask % (22, ""))
    vm.sh("dbus-send --system --print-reply --dest=org.freedesktop.NetworkManager / org.freedesktop.DBus.Peer.Ping")
    vm.sh("logger -t boot-test 'a line for syslog'")
    wait_for(lambda: vm.sh("grep -q 'a line for syslog' /var/log/syslog", check=False)[0] == 0, COMMAND_S, "rsyslog writes")


def check_manager_killed(vm):
    pids = "svcctl list --json | tr , '\\n' | grep '\"pid\"'"
    before = vm.sh(pids)
    old = vm.sh("pidof svcd-manager").strip()
    vm.sh(f"kill -SEGV {old}")

    def is_back():
        status, pid = vm.sh("pidof svcd-manager", check=False)
        return status == 0 and pid.strip() not in ("", old) and vm.sh("svcctl --version", check=False)[0] == 0
    wait_for(is_back, COMMAND_S, "a new manager")
    assert vm.sh(pids) == before, "a service has another pid"


def check_explain(vm):
    """explain names no service, because all wanted and installed services are up."""
    status, output = vm.sh("svcctl explain", check=False)
    assert status == 0 and "waiting" not in output and "failed" not in output, output


def put(vm, path, text):
    vm.sh(f"cat >{path} <<'@end'\n{text}@end\n")


def put_away(vm, names):
    """Stop these services, and clear their failures."""
    vm.sh(f"svcctl stop {' '.join(names)}; svcctl clear {' '.join(names)}")


def wait_failed(vm, name):
    """Start the service, and return the texts of explain and status after its failure."""
    vm.sh(f"svcctl start {name}", check=False)
    wait_for(lambda: vm.service(name)["state"] == "failed", COMMAND_S, f"{name} fails")
    return vm.sh(f"svcctl explain {name}"), vm.sh(f"svcctl status {name}", check=False)[1]


def check_limits(vm):
    """The limits are set in the service's cgroup, and the controllers are enabled in each cgroup
    above."""
    status = vm.svcctl_json("status", "limited")[0]
    group = status["cgroup"]
    assert not status["resource_problem"], status["resource_problem"]
    found = {key: vm.sh(f"cat {group}/{file}").splitlines()[0] for key, (file, _value) in LIMITS.items()}
    assert found == {key: value for key, (_file, value) in LIMITS.items()}, found
    above = os.path.dirname(group)
    while above != "/sys/fs":
        enabled = vm.sh(f"cat {above}/cgroup.subtree_control").split()
        assert CONTROLLERS <= set(enabled), f"{above}: {enabled}"
        above = os.path.dirname(above)
    assert vm.sh(f"grep Cpus_allowed_list /proc/{status['pid']}/status").split()[1] == "1"


def check_greed(vm):
    """Usage above a limit is reported to the service and to the admin."""
    for name in ("greedy-main", "greedy-family"):
        for said in wait_failed(vm, name):
            assert f"killed by signal KILL: {OWN_LIMIT}" in said, said
    for said in wait_failed(vm, "greedy-child-told"):
        assert "exit status 3" in said and OWN_LIMIT in said, said
    for said in wait_failed(vm, "greedy-forks"):
        assert "exit status 2, after it was refused further processes or threads: its limit was reached (TasksMax=)" in said, said
    assert "Cannot fork" in vm.sh("svcctl log greedy-forks")
    check_child(vm)


def check_child(vm):
    """The main process continues, and the kill of the service's other process is reported."""
    vm.sh("svcctl restart --wait greedy-child")
    group = vm.svcctl_json("status", "greedy-child")[0]["cgroup"]
    wait_for(lambda: vm.sh(f"grep -qx 'oom_kill 1' {group}/memory.events", check=False)[0] == 0, COMMAND_S, "a child is killed")
    for said in (vm.sh("svcctl status greedy-child"), vm.sh("svcctl explain greedy-child")):
        assert "1 of its processes was killed, because its memory limit was reached (MemoryMax=)" in said, said


def check_strict(vm):
    """Forbidden actions of a service also fail on a real kernel."""
    lines = [f"({command}) >/dev/null 2>&1 && echo yes || echo no" for command in TRIES]
    put(vm, "/run/tries", "exec 3>/var/lib/strict/tried\n{\n" + "\n".join(lines) + "\n} >&3\nexec sleep infinity\n")
    vm.sh("touch /tmp/outside")
    vm.sh("svcctl start --wait strict")
    wait_for(lambda: vm.sh("wc -l </var/lib/strict/tried").strip() == str(len(TRIES)), COMMAND_S, "it has tried all")
    done = dict(zip(TRIES, (word == "yes" for word in vm.sh("cat /var/lib/strict/tried").split())))
    wrong = {command: may for command, may in done.items() if may != TRIES[command]}
    assert not wrong, f"permitted or refused against expectation: {wrong}"
    put_away(vm, ["strict"])


def check_controllers(vm):
    """Where no service needs another controller, only "pids" is enabled."""
    for group in ("/sys/fs/cgroup", "/sys/fs/cgroup/svcd"):
        assert vm.sh(f"cat {group}/cgroup.subtree_control").split() == ["pids"]
    # Without TasksMax= a service has the default share of the processes.
    assert vm.sh("cat /sys/fs/cgroup/svcd/cron/pids.max").strip() == str(TASKS_MAX)


def check_group_of_the_keeper(vm):
    """PID 1 stays in the root cgroup; where controllers need an empty parent, it moves to a leaf.
    """
    assert vm.sh("cat /proc/1/cgroup").strip().endswith("0::/"), vm.sh("cat /proc/1/cgroup")
    vm.sh("mkdir -p /sys/fs/cgroup/given /run/given")
    put(vm, "/run/given/start", "echo 0 >/sys/fs/cgroup/given/cgroup.procs\n"
        "exec env XDG_RUNTIME_DIR=/run/given setsid /usr/sbin/svcd --user </dev/null >/run/given/log 2>&1\n")
    vm.sh("sh /run/given/start & echo")
    made = "/sys/fs/cgroup/given/svcd/.keeper/cgroup.procs"
    wait_for(lambda: vm.sh(f"grep . {made}", check=False)[0] == 0, COMMAND_S, "the keeper has moved")
    assert vm.sh("cat /sys/fs/cgroup/given/cgroup.procs").strip() == ""
    vm.sh(f"kill $(cat {made})")
    wait_for(lambda: vm.sh(f"grep . {made}", check=False)[0] != 0, COMMAND_S, "it has ended")


def steady(vm):
    """The state that no event of the machine may change."""
    return {name: (row["state"], row.get("pid")) for name, row in vm.services().items() if row["state"] in UP}


def expect_steady(vm, before, what):
    after = steady(vm)
    changed = {name: (was, after.get(name)) for name, was in before.items() if after.get(name) != was}
    assert not changed, f"{what}, and these changed: {changed}"


def check_fork_bomb(vm):
    """A service without a limit of its own has the default limit of processes, so all other
    services continue, and a login works."""
    put(vm, "/run/bomb", BOMB)
    put(vm, "/etc/svcd/policy.d/bomb.policy", f"[defaults]\nTasksMax={BOMB_TASKS}\n")
    vm.sh("svcctl reload-files")
    before = steady(vm)
    vm.sh("svcctl start --wait bomb")
    group = vm.svcctl_json("status", "bomb")[0]["cgroup"]
    wait_for(lambda: vm.sh(f"grep -q 'max [1-9]' {group}/pids.events", check=False)[0] == 0, COMMAND_S, "the bomb has gone off")

    assert int(vm.sh(f"cat {group}/pids.current")) <= BOMB_TASKS
    expect_steady(vm, before, "a bomb went off")
    check_login(vm)
    assert f"it has reached its limit of {BOMB_TASKS} processes and threads" in vm.sh("svcctl explain bomb")
    assert f"tasks of {BOMB_TASKS}" in vm.sh("svcctl status bomb")
    assert "fork rejected by pids controller in /svcd/bomb" in vm.sh("dmesg")
    vm.sh("svcctl stop bomb")
    assert vm.sh(f"cat {group}/cgroup.procs 2>/dev/null", check=False)[1].strip() == ""
    vm.sh("rm /etc/svcd/policy.d/bomb.policy; svcctl reload-files")


def check_memory_is_gone(vm):
    """The machine has no free memory: the service that took it is killed, and the reason is
    reported; the manager and all others continue."""
    put(vm, "/run/hog", HOG)
    assert vm.sh("cat /proc/$(pidof svcd-manager)/oom_score_adj /proc/$(pidof cron)/oom_score_adj").split() == ["-900", "0"]
    before, manager = steady(vm), vm.sh("pidof svcd-manager")
    vm.sh("swapoff -a")
    for said in wait_failed(vm, "hog"):
        assert "killed by signal KILL: out of memory: the machine had none left" in said, said
    vm.sh("swapon -a")
    assert vm.sh("pidof svcd-manager") == manager
    expect_steady(vm, before, "there was no memory")
    put_away(vm, ["hog"])


def check_clock_and_sleep(vm):
    """The clock jumps by years, the machine sleeps: no limit expires because of that, and displayed
    times stay right."""
    put(vm, "/run/alive", ALIVE)
    vm.sh("svcctl start --wait alive")
    before = steady(vm)
    for jump_s in (TEN_YEARS_S, -2 * TEN_YEARS_S, TEN_YEARS_S):
        vm.sh(f"date -s @$(($(date +%s) + {jump_s}))")
        assert "years" not in vm.sh("svcctl status alive")
    vm.sh_detached("echo mem >/sys/power/state")
    wait_for(lambda: vm.qmp("query-status")["status"] == "suspended", COMMAND_S, "the machine sleeps")
    time.sleep(WATCHDOG_S) # a shorter sleep would test nothing
    vm.qmp("system_wakeup")
    vm.wait_shell()
    vm.sh(f"date -s @$(($(date +%s) + {SLEEP_S})); sleep 2; svcctl --version")
    expect_steady(vm, before, "the clock was set, and the machine slept")
    vm.sh(f"date -s @$(($(date +%s) - {SLEEP_S}))") # so that no file has a time in the future
    put_away(vm, ["alive"])


def check_limits_and_sandbox(vm):
    """Limits on a kernel with controllers of cgroup v2, before and after the death of the manager.
    """
    check_controllers(vm)
    put(vm, "/run/eat", "$x = 'x' x (200 << 20);\n")
    vm.sh("svcctl start --wait limited")
    check_limits(vm)
    check_greed(vm)
    check_strict(vm)
    check_manager_killed(vm)
    check_limits(vm)
    check_child(vm)
    put_away(vm, ["limited", *GREEDY])


def check_power_supply(vm):
    """SIGPWR to PID 1 of a machine reports a change of the power supply, and a file has the new
    state. It does not request a power-off."""
    vm.sh("echo F >/run/powerstatus; kill -PWR 1")
    wait_for(lambda: vm.sh("test -e /run/power-failed -a ! -e /run/powerstatus", check=False)[0] == 0, COMMAND_S, "power-fail")


def check_power_off(vm):
    """The console names the services that the machine waits for; before that, nothing was drawn
    around the login prompt."""
    shown = vm.console.text()
    assert not re.search(r"svcd: boot \d+ %|(?<!\] )svcd: the boot took", shown[shown.index("login:"):]), shown
    vm.sh("svcctl start --wait stubborn")
    vm.sh_detached("/usr/lib/svcd/sysv/shutdown -P -F now")
    vm.wait_console(r"svcd: stubborn has been stopping for \d+ s; it is killed in \d+ s\s", COMMAND_S)
    assert vm.wait_end() == "guest-shutdown", "the machine was not switched off"


def run_tool(*argv):
    """(exit status, output) of a tool that reads a disk."""
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return done.returncode, done.stdout


def check_disk(path, *files):
    """The file system was unmounted, or the root made read-only, and is consistent."""
    status, output = run_tool("dumpe2fs", "-h", path)
    assert status == 0 and "needs_recovery" not in output, f"{path} needs recovery:\n{output}"
    assert any(line.split() == ["Filesystem", "state:", "clean"] for line in output.splitlines()), output
    status, output = run_tool("e2fsck", "-fn", path)
    assert status == 0, f"e2fsck {path}: {status}\n{output}"
    for name in files:
        status, output = run_tool("debugfs", "-R", f"stat {name}", path)
        assert "Inode:" in output, f"{name} is not on the disk: {output}"


def main():
    with vm_image.work_directory() as directory:
        disks = vm_image.make_test_disks(directory, STAGE)
        for name, keys in SERVICES.items():
            vm_image.put_file(disks[0], f"/etc/svcd/services.d/{name}.svc", f"[Service]\nRestart=no\n{keys}")
        with Machine(disks, *vm_image.boot_files(), screen=True, n_processors=2) as vm:
            vm.wait_console("svcd-vm login:")
            vm.wait_shell()
            check_services(vm)
            check_early_boot(vm)
            check_volumes(vm)
            check_daemons(vm)
            check_group_of_the_keeper(vm)
            check_fork_bomb(vm)
            check_memory_is_gone(vm)
            check_limits_and_sandbox(vm)
            check_hotplug(vm, directory)
            check_explain(vm)
            check_power_supply(vm)
            check_clock_and_sleep(vm)
            check_power_off(vm)
        check_disk(disks[0], "/root/writable", "/var/lib/urandom/random-seed", "/forcefsck")
        check_disk(disks[1], "/part/here")
        check_disk(f"{directory}/absent")


main()
