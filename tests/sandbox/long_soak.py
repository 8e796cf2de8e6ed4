#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Ten minutes of load, without growth of memory or descriptors in PID 1, the manager and the logger.
limit: 1800

The load is crash loops and floods of calls, notifications, lines and devices ($SVCD_TEST_SECONDS).
Other services keep running.
"""

import os
import subprocess
import sys
import threading
import time

from no_memory import STAGE
from private_bus import SOCKET, Client
from sandbox import HERE, Sandbox, memory_of

SECONDS = int(os.environ.get("SVCD_TEST_SECONDS", "600"))
SAMPLES = 20
# The number of samples until each table and pool has its final size.
WARM = 5

# The Debian root with udevd has no Python.
NOTIFIER = """#!/usr/bin/perl
use Socket;
my $notify;
socket($notify, AF_UNIX, SOCK_DGRAM, 0) && connect($notify, sockaddr_un($ENV{NOTIFY_SOCKET})) || die;
send($notify, "READY=1", 0);
for (my $number = 1; ; $number++) { send($notify, "STATUS=for the ${number}th time\\nWATCHDOG=1", 0); }
"""
TALKER = "#!/bin/sh\nn=0\nwhile :; do n=$((n + 1)); echo \"line $n of a service that has much to say\"; done\n"

CALM = [f"calm{number}" for number in range(5)]
LOOPS = [f"loop{number}" for number in range(10)]
SERVICES = {name: "[Service]\nExec=/bin/sleep infinity\n" for name in CALM}
SERVICES |= {name: "[Service]\nExec=/bin/sh -c \"echo I end; exit 1\"\nRestart=always\nRestartDelay=100ms\nRestartDelayMax=200ms\nRestartLimit=60/1s\n"
             for name in LOOPS}
SERVICES |= {
    "notifier": "[Service]\nExec=/usr/local/bin/notifier\nReady=notify\n",
    "talker": "[Service]\nExec=/usr/local/bin/talker\n",
    "device": "[Service]\nExec=/bin/sleep infinity\n[Conditions]\nWhile=udev:SUBSYSTEM=block ID_SOAK=7\n",
}
FILES = {
    "/usr/local/bin/notifier": {"text": NOTIFIER, "mode": 0o755},
    "/usr/local/bin/talker": {"text": TALKER, "mode": 0o755},
}


class Traffic:
    """Threads with one action each, repeated until the end. Each limits its use of a processor."""

    def __init__(self, box):
        self.box = box
        self.is_over = threading.Event()
        self.calls = self.cut = self.events = self.asked = 0
        self.threads = [threading.Thread(target=self._repeat, args=[work], daemon=True)
                        for work in (self.flood, self.do_not_read, self.storm, self.ask)]

    def _repeat(self, work):
        while not self.is_over.is_set():
            try:
                work()
            except (OSError, subprocess.SubprocessError) as problem:
                if not self.is_over.is_set():
                    self.cut += 1
                    print(f"{work.__name__}: {problem}", file=sys.stderr)
            self.is_over.wait(0.05)

    def flood(self):
        """A client that calls as fast as it gets answers."""
        client = Client(self.box.path(SOCKET))
        for _number in range(2000):
            client.call("/org/svcd1", "org.freedesktop.DBus.Peer", "Ping")
            self.calls += 1
            client.read_away()
        client.close()

    def do_not_read(self):
        """A client that never reads: svcd stops reading from it."""
        client = Client(self.box.path(SOCKET))
        try:
            while True:
                client.call("/org/svcd1", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")
                self.calls += 1
        except OSError:
            client.close()

    def storm(self):
        """Devices appear, a hundred at once, with new names each time, and disappear."""
        base = self.events
        for action in ("add", "remove"):
            subprocess.run(["nsenter", f"--target={self.box.pid1}", "--net", "--", "/usr/bin/python3", f"{HERE}/fake_udev.py", "100",
                            "0", action, f"/devices/virtual/block/soak{base}-{{}}", "SUBSYSTEM=block", "DEVNAME=/dev/soak{}",
                            "ID_SOAK={}", "ID_FS_LABEL_ENC=soak{}"], check=True, timeout=60)
            self.events += 100

    def ask(self):
        """A client that works at the pace of a person."""
        for words in (["list", "--all"], ["explain", "loop0"], ["log", "talker"], ["restart", "calm0"], ["reload-files"],
                      ["flag", "set", "soak"], ["flag", "clear", "soak"]):
            self.asked += self.box.svcctl(*words, check=False, timeout=120).returncode == 0
        self.is_over.wait(1)

    def begin(self):
        for thread in self.threads:
            thread.start()

    def end(self):
        self.is_over.set()
        for thread in self.threads:
            thread.join(120)


def measure(box):
    """Name -> (private KiB, descriptors)."""
    found = {}
    for outer, parent, name, _state in box.processes().values():
        if name.startswith(("svcd", "svc-logger")) and parent in (0, 1):
            try:
                found[name] = (memory_of(outer)["private"], len(os.listdir(f"/proc/{outer}/fd")))
            except (OSError, KeyError):
                continue  # it has just ended
    return found


def check_flat(samples):
    """Compare the middle of the run with its end: a leak would have grown in between."""
    assert samples[-1].keys() >= {"svcd", "svcd-manager", "svc-logger"}, samples[-1]
    for name in samples[-1]:
        kib = [sample[name][0] for sample in samples[WARM:] if name in sample]
        fds = [sample[name][1] for sample in samples[WARM:] if name in sample]
        half = len(kib) // 2
        assert half > 0, f"{name} was sampled too rarely"
        assert min(kib[half:]) <= max(kib[:half]) * 1.1 + 512, (name, kib)
        assert min(fds[half:]) <= max(fds[:half]) + 4, (name, fds)


with Sandbox(SERVICES, files=FILES, stage=STAGE, udev=True) as box:
    box.wait_states({name: "ready" for name in CALM + ["notifier", "talker", "udevd"]})
    pids = {name: box.pid(name) for name in CALM[1:]}
    manager = box.manager_pid()
    traffic = Traffic(box)
    traffic.begin()
    samples = []
    for number in range(SAMPLES):
        time.sleep(SECONDS / SAMPLES)
        samples.append(measure(box))
        print(f"{(number + 1) * SECONDS / SAMPLES:5.0f} s  " + "  ".join(f"{name} {kib} KiB, {fds} fds" for name, (kib, fds)
                                                                      in sorted(samples[-1].items())), flush=True)
    traffic.end()
    print(f"{traffic.calls} calls, {traffic.events} events of devices, {traffic.asked} answers for svcctl; "
          f"loop0 was started {box.service('loop0')['invocation']} times")
    check_flat(samples)
    assert box.manager_pid() == manager, "the manager has been replaced"
    assert {name: box.pid(name) for name in pids} == pids
