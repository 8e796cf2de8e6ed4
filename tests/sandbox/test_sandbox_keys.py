#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Each key that protects the machine from a service: forbidden actions fail, allowed actions work,
for root and others."""

from deadline import wait_for
from sandbox import Sandbox

# Prints "yes" for each command line that worked, and "no" for the others.
TRY = """#!/bin/sh
for line; do
	if eval "$line" >/dev/null 2>&1; then printf 'yes '; else printf 'no '; fi
done
echo
"""

# System calls by name, through libc: prints "ok" or the name of the errno for each.
CALLS = """
import ctypes, errno, os, socket, sys, time
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
def errno_of(number):
    return errno.errorcode.get(number, str(number))
def call(*args):
    ctypes.set_errno(0)
    return "ok" if libc.syscall(*args) >= 0 else errno_of(ctypes.get_errno())
def python(function, *args):
    try:
        function(*args)
        return "ok"
    except OSError as error:
        return errno_of(error.errno)
def old(number, *args):
    "A call of a 32-bit program, made by int 0x80."
    import mmap
    code = b"\\x53\\x89\\xf8\\x89\\xf3\\x89\\xd1\\x31\\xd2\\xcd\\x80\\x5b\\xc3"  # push rbx; eax=edi; ebx=esi; ecx=edx; edx=0; int 80
    page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(code)
    function = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_int)(
        ctypes.addressof(ctypes.c_char.from_buffer(page)))
    result = function(number, *(list(args) + [0, 0])[:2])
    return "ok" if result >= 0 else errno_of(-result)
print(*[eval(word) for word in sys.argv[1:]])
"""

OF_SESSION = "test ! -e /proc/self/autogroup || grep -q 'nice {}$' /proc/self/autogroup" # some kernels have no autogroups
SAME_NETWORK = 'test "$(readlink /proc/self/ns/net)" = "$(readlink /proc/1/ns/net)"'

# name: keys, expected results in order
SHELL = {
    "nothing": ("", {"touch /usr/x": 1, "rm /usr/x": 1, "touch /etc/x": 1, "touch /tmp/nothing": 1, "ls /home/u/mine": 1}),
    "system-yes": ("ProtectSystem=yes", {"touch /usr/y": 0, "touch /etc/y": 1, "touch /srv/y": 1}),
    "system-full": ("ProtectSystem=full", {"touch /usr/y": 0, "touch /etc/y": 0, "touch /srv/y": 1}),
    "system-strict": ("ProtectSystem=strict\nReadWritePaths=/srv/rw -/srv/none\nStateDirectory=strict", {
        "touch /srv/y": 0, "touch /srv/rw/y": 1, "touch /usr/y": 0, "touch /run/y": 0, "touch /tmp/y": 0,
        "touch $STATE_DIRECTORY/y": 1, "echo >/dev/null": 1, "touch /dev/shm/y": 1, "touch /home/u/y": 1, "touch /root/y": 1}),
    "system-and-home": ("ProtectSystem=strict\nProtectHome=yes", {"ls /home/u": 0, "touch /home/y": 0, "touch /root/y": 0}),
    "system-and-home-read-only": ("ProtectSystem=strict\nProtectHome=read-only", {"ls /home/u/mine": 1, "touch /home/u/y": 0}),
    "system-and-all": ("ProtectSystem=strict\nReadOnlyPaths=/", {"ls /home/u/mine": 1, "touch /home/u/y": 0}),
    "home-yes": ("ProtectHome=yes", {"ls /home/u": 0, "touch /home/x": 0, "test -z \"$(ls -A /home)\"": 1}),
    "home-read-only": ("ProtectHome=read-only", {"ls /home/u/mine": 1, "touch /home/u/x": 0}),
    "home-tmpfs": ("ProtectHome=tmpfs\nBindPaths=/home/u/mine", {
        "ls /home/u/mine": 1, "touch /home/u/mine/x": 1, "ls /home/u/other": 0, "touch /home/x": 0}),
    "paths": ("ReadOnlyPaths=/srv\nReadWritePaths=/srv/rw\nInaccessiblePaths=/srv/rw/secret /srv/file -/srv/none", {
        "touch /srv/x": 0, "touch /srv/rw/x": 1, "ls /srv/rw/secret/x": 0, "grep secret /srv/file": 0}),
    "binds": ("BindPaths=/srv/rw:/opt/new/rw\nBindReadOnlyPaths=/srv/rw:/opt/ro /srv/file:/opt/file", {
        "touch /opt/new/rw/x": 1, "touch /opt/ro/x": 0, "grep secret /opt/file": 1}),
    "tmpfs": ("TemporaryFileSystem=/srv:ro,mode=0700 /opt/t\nBindReadOnlyPaths=/srv/rw:/srv/in", {
        "ls /srv/file": 0, "ls /srv/in/secret": 1, "touch /srv/x": 0, "touch /opt/t/x": 1}),
    "tmpfs-options": ("TemporaryFileSystem=/opt/a:size=1M,gid=5,ro /opt/b:ro,noexec,rw,exec /opt/c:exec,nr_inodes=9,rw,noexec,ro", {
        "touch /opt/a/x": 0, "touch /opt/b/x": 1, "touch /opt/c/x": 0, "test $(stat -c %g /opt/a) = 5": 1,
        "grep -q ' /opt/b .*noexec' /proc/self/mountinfo": 0, "grep -q ' /opt/c .*noexec' /proc/self/mountinfo": 1}),
    "tmp": ("PrivateTmp=yes", {"ls /tmp/outside": 0, "touch /tmp/private": 1, "touch /var/tmp/private": 1}),
    "devices": ("PrivateDevices=yes", {
        "echo >/dev/null": 1, "head -c1 /dev/urandom": 1, "head -c0 /dev/kvmlike": 0, "touch /dev/x": 0,
        "mknod /opt/node c 1 3": 0, "touch /dev/shm/x": 1}),
    "no-devices-key": ("", {"head -c0 /dev/kvmlike": 1, "mknod /opt/node c 1 3": 1}),
    "tunables": ("ProtectKernelTunables=yes", {"echo 1 >/proc/sys/net/ipv4/ip_forward": 0, "cat /proc/sys/net/ipv4/ip_forward": 1}),
    "modules": ("ProtectKernelModules=yes", {"ls /usr/lib/modules/x": 0}),
    "logs": ("ProtectKernelLogs=yes", {"head -c1 /dev/kmsg": 0}),
    "groups": ("ProtectControlGroups=yes", {"mkdir /sys/fs/cgroup/x": 0}),
    "no-groups-key": ("ProtectSystem=strict\nProtectKernelTunables=yes", {"mkdir /sys/fs/cgroup/x": 1, "rmdir /sys/fs/cgroup/x": 1}),
    "hostname": ("ProtectHostname=yes", {"hostname other": 0, "hostname": 1}),
    "proc": ("User=daemon\nProtectProc=invisible", {"ls /proc/1": 0, "ls /proc/self/fd": 1, "ls /proc/meminfo": 1}),
    "subset": ("ProcSubset=pid", {"ls /proc/1": 1, "ls /proc/meminfo": 0}),
    "mask-of-proc": ("ProtectProc=ptraceable", {"echo h >/proc/sysrq-trigger": 0, "ls /proc/sys": 1}),
    "network": ("PrivateNetwork=yes", {SAME_NETWORK: 0, "ip link show lo | grep -q ,UP": 1}),
    "no-network-key": ("", {SAME_NETWORK: 1}),
    "bounded": ("CapabilityBoundingSet=~CAP_CHOWN CAP_DAC_OVERRIDE", {"chown daemon /opt/owned": 0, "kill -0 1": 1}),
    "bounded-to-none": ("CapabilityBoundingSet=", {"chown daemon /opt/owned": 0, "echo >/dev/null": 1}),
    "not-bounded": ("", {"chown root /opt/owned": 1}),
    "ambient": ("User=daemon\nAmbientCapabilities=CAP_CHOWN", {"chown daemon /opt/owned": 1, "chown root /opt/owned": 1}),
    "not-ambient": ("User=daemon", {"chown daemon /opt/owned": 0}),
    "privileges": ("User=daemon\nNoNewPrivileges=yes", {"test \"$(/opt/id-of-root -u)\" = 1": 1}),
    "no-privileges-key": ("User=daemon", {"test \"$(/opt/id-of-root -u)\" = 0": 1}),
    "affinity": ("CPUAffinity=0", {"test \"$(nproc)\" = 1": 1}),
    "policy": ("CPUSchedulingPolicy=batch\nIOSchedulingClass=idle", {"chrt -p $$ | grep -q SCHED_BATCH": 1, "ionice | grep -q idle": 1}),
    # The kernel first shares the processors among sessions, so svcd must set the session, too.
    "idle": ("CPUSchedulingPolicy=idle", {"chrt -p $$ | grep -q SCHED_IDLE": 1, OF_SESSION.format(19): 1}),
    "nice": ("Nice=7", {"test \"$(nice)\" = 7": 1, OF_SESSION.format(7): 1}),
    "input": ("StandardInput=file:/srv/file", {"grep -q secret": 1}),
    "input-null": ("", {"grep -q secret": 0}),
}

# The expected result of each call.
FILTERS = {
    "allowed": ("SystemCallFilter=@system-service\nSystemCallErrorNumber=EPERM", {
        "python(os.mkdir, '/tmp/allowed-%d' % os.getpid())": "ok", "call(165, 0, 0, 0, 0, 0)": "EPERM", "python(os.chroot, '/')": "EPERM"}),
    "allowed-less": ("SystemCallFilter=@system-service\nSystemCallFilter=~mkdir mkdirat:EACCES rmdir\nSystemCallErrorNumber=EPERM", {
        "call(83, b'/tmp/x', 0o700)": "EPERM", "call(258, -100, b'/tmp/x', 0o700)": "EACCES"}),
    "forbidden": ("SystemCallFilter=~@mount chroot:EACCES\nSystemCallErrorNumber=EPERM", {
        "call(165, 0, 0, 0, 0, 0)": "EPERM", "python(os.chroot, '/')": "EACCES", "call(39)": "ok", "old(21)": "EPERM", "old(20)": "ok"}),
    "forbidden-late": ("SystemCallFilter=~cachestat statmount\nSystemCallErrorNumber=EDOM", {
        "call(451, -1, 0, 0, 0)": "EDOM", "call(457, 0, 0, 0, 0)": "EDOM", "old(451)": "EDOM"}),
    "families": ("RestrictAddressFamilies=AF_UNIX AF_NETLINK", {
        "python(socket.socket, socket.AF_UNIX)": "ok", "python(socket.socket, socket.AF_NETLINK, socket.SOCK_RAW)": "ok",
        "python(socket.socket, socket.AF_INET)": "EAFNOSUPPORT", "call(41, 1 << 32 | 2, 2, 0)": "EAFNOSUPPORT",
        "old(359, 2, 2)": "EAFNOSUPPORT", "old(359, 1, 2)": "ok", "old(102, 1, 0)": "EAFNOSUPPORT", "call(425, 1, 0)": "ENOSYS"}),
    "families-but": ("RestrictAddressFamilies=~AF_INET", {
        "python(socket.socket, socket.AF_UNIX)": "ok", "python(socket.socket, socket.AF_INET)": "EAFNOSUPPORT",
        "call(41, 1 << 32 | 2, 2, 0)": "EAFNOSUPPORT"}),
    "families-none": ("RestrictAddressFamilies=none", {"python(socket.socket, socket.AF_UNIX)": "EAFNOSUPPORT"}),
    "namespaces": ("RestrictNamespaces=yes", {
        "call(272, 0x20000)": "EPERM", "call(272, 0x10000000)": "EPERM", "call(272, 0x400)": "ok", "call(435, 0, 0)": "ENOSYS",
        "call(308, -1, 0)": "EPERM", "old(310, 0x20000)": "EPERM", "python(os.waitpid, os.fork() or os._exit(0), 0)": "ok"}),
    "namespaces-some": ("RestrictNamespaces=uts", {"call(272, 0x20000)": "EPERM", "call(308, -1, 0x04000000)": "EBADF"}),
    "realtime": ("RestrictRealtime=yes", {
        "python(os.sched_setscheduler, 0, os.SCHED_FIFO, os.sched_param(1))": "EPERM",
        "python(os.sched_setscheduler, 0, os.SCHED_RR | os.SCHED_RESET_ON_FORK, os.sched_param(1))": "EPERM",
        "python(os.sched_setscheduler, 0, os.SCHED_BATCH, os.sched_param(0))": "ok"}),
    "suid": ("RestrictSUIDSGID=yes", {
        "python(os.close, os.open('/tmp/suid-%d' % os.getpid(), os.O_CREAT, 0o644))": "ok",
        "python(os.chmod, '/tmp/suid-%d' % os.getpid(), 0o600)": "ok", "python(os.chmod, '/tmp/suid-%d' % os.getpid(), 0o4600)": "EPERM",
        "python(os.chmod, '/tmp/suid-%d' % os.getpid(), 0o2600)": "EPERM", "python(os.open, '/tmp/suid2', os.O_CREAT, 0o4644)": "EPERM",
        "call(2, b'/etc/passwd', 0, 0o4777)": "ok", "call(452, -100, b'/tmp/suid', 0o4600, 0)": "ENOSYS", "old(15, 0, 0o4600)": "EPERM"}),
    "personality": ("LockPersonality=yes", {"call(135, 8)": "EPERM", "call(135, 0)": "ok"}),
    "write-execute": ("MemoryDenyWriteExecute=yes", {
        "call(9, 0, 4096, 7, 0x22, -1, 0)": "EPERM", "call(9, 0, 4096, 3, 0x22, -1, 0)": "ok", "call(9, 0, 4096, 5, 0x22, -1, 0)": "ok",
        "call(10, 0, 0, 4)": "EPERM", "call(10, 0, 0, 1)": "ok"}),
    "hostname-call": ("ProtectHostname=yes", {"python(socket.sethostname, 'other')": "EPERM"}),
    "syslog-call": ("ProtectKernelLogs=yes", {"call(103, 10, 0, 0)": "EPERM"}),
    "no-filter": ("", {"call(165, 0, 0, 0, 0, 0)": ("EFAULT", "EPERM"), "python(socket.socket, socket.AF_INET)": "ok",
                       "call(9, 0, 4096, 7, 0x22, -1, 0)": "ok", "old(20)": "ok", "call(135, 8)": "ok"}),
}


def service(keys, *argv):
    words = " ".join("'" + word.replace("'", "'\"'\"'") + "'" for word in argv)
    return f"[Service]\nType=task\nExec={words}\n{keys}\n"


def services():
    made = {}
    for name, (keys, tries) in SHELL.items():
        made[name] = service(keys, "/opt/try", *tries)
    for name, (keys, calls) in FILTERS.items():
        made[name] = service(keys, "/usr/bin/python3", "/opt/calls", *calls)
        made[f"user-{name}"] = service(f"{keys}\nUser=daemon", "/usr/bin/python3", "/opt/calls", *calls)
    made["foreign"] = service("SystemCallArchitectures=native", "/usr/bin/python3", "/opt/calls", "old(20)")
    made["killed"] = service("SystemCallFilter=~mkdir", "/bin/mkdir", "/tmp/killed")
    return made


def said(box, name):
    """The tokens of the last line of the service's log."""
    lines = box.read(f"/run/svcd/log/{name}.log").splitlines() if box.exists(f"/run/svcd/log/{name}.log") else []
    return lines[-1].split()[1:] if lines else []


def differences(box, name, tries):
    """Returns the unexpected results. The log may be written a little after the service has
    ended."""
    wait_for(lambda: len(said(box, name)) == len(tries), what=f"{name} has reported its results")
    return [f"{name}: {what}: {word}" for (what, wanted), word in zip(tries.items(), said(box, name)) if word not in wanted]


def check(box):
    wrong = []
    for name, (_keys, tries) in SHELL.items():
        wrong += differences(box, name, {what: ("yes",) if works else ("no",) for what, works in tries.items()})
    for name, (_keys, calls) in FILTERS.items():
        wanted = {call: words if isinstance(words, tuple) else (words,) for call, words in calls.items()}
        wrong += differences(box, name, wanted) + differences(box, f"user-{name}", wanted)
    assert not wrong, "\n".join(wrong)


FILES = {
    "/opt/try": {"text": TRY, "mode": 0o755},
    "/opt/calls": CALLS,
    "/opt/id-of-root": {"copy": "/usr/bin/id", "mode": 0o4755},
    "/opt/owned": "",
    "/srv/file": "secret\n",
    "/srv/rw/secret/x": "",
    "/home/u/mine/x": "",
    "/home/u/other": "",
    "/tmp/outside": "",
    "/usr/lib/modules/x": "",
}

# This service has no sandbox, and prepares the directories and devices.
PREPARED = "[Service]\nType=task\nExec=/bin/sh -c 'mkdir -p /var/tmp && chmod 1777 /var/tmp && mknod /dev/kvmlike c 1 3'\n"


def main():
    made = {name: text + "[Conditions]\nWhen=service:prepared\n" for name, text in services().items()}
    with Sandbox(dict(made, prepared=PREPARED), files=FILES) as box:
        box.wait_at_rest()
        check(box)
        for name in ("foreign", "killed"):
            box.wait_state(name, "failed")
            assert "killed by signal SYS" in box.svcctl("explain", name).stdout, box.svcctl("explain", name).stdout
        assert box.run("hostname").stdout.strip() == "svcd-box"
        assert box.run("ls /tmp /var/tmp").stdout.count("svcd-") == 2, "PrivateTmp= of a task that is done stays until it is stopped"


main()
