# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Machine: a whole machine in QEMU, its console, and a shell in it.

    with Machine(disk, init="/sbin/svcd") as vm:
        vm.wait_console("login:")
        vm.sh("svcctl list")
        vm.sh_detached("svcctl poweroff")
        vm.wait_end()

The shell is a service of the image (vm_image.FILES) on the second serial port, undisturbed by the
console. Emulation is the default (SVCD_VM_ACCEL=kvm if permitted), so a boot takes half a minute.
"""

import glob
import hashlib
import json
import lzma
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

from deadline import wait_for

BOOT_S = 900       # until a login prompt, on emulated processors of a busy machine
COMMAND_S = 300
KERNEL_S = 300     # until the kernel has started a program; emulated multiprocessors sometimes hang before that
KERNEL_ATTEMPTS = 3
KERNEL_UP = re.compile(r"Run \S+ as init process|Loading, please wait|Begin: ")
KERNEL_LINE = re.compile(r"\[ +[01]\.\d+\]") # kernel messages before it has found its disks
PREFIX = "svcd-vm-"
CACHE = os.environ.get("SVCD_CACHE", "/var/cache/svcd-tests")
XZ = b"\xfd7zXZ\0"
KERNEL_PANIC = "Kernel panic - not syncing"

# A line of the kernel's log, which may interrupt another line on the console.
OF_KERNEL = re.compile(r"\[ *\d+\.\d{6}\] [^\n]*\n")


class Port(threading.Thread):
    """A serial port as a socket; all its output is kept."""

    def __init__(self, path):
        super().__init__(daemon=True)
        self.socket = _connect(path)
        self.changed = threading.Condition()
        self.data = bytearray()
        self.start()

    def run(self):
        while True:
            try:
                chunk = self.socket.recv(65536)
            except OSError:
                chunk = b""
            with self.changed:
                self.data += chunk
                self.changed.notify_all()
            if not chunk:
                return

    def text(self, begin=0):
        with self.changed:
            return self.data[begin:].decode("utf-8", "replace").replace("\r\n", "\n")

    def send(self, text):
        self.socket.sendall(text.encode())


class Pulse(threading.Thread):
    """
    Runs QEMU's main loop once a second.

    With -icount, an idle processor may miss its next timer. It then sleeps until the main loop runs
    again, perhaps for ever.
    """

    def __init__(self, path):
        super().__init__(daemon=True)
        self.socket = _connect(path)
        self.start()

    def run(self):
        command = "qmp_capabilities"
        try:
            while True:
                self.socket.sendall(json.dumps({"execute": command}).encode())
                if not self.socket.recv(65536):
                    return
                command = "query-status"
                time.sleep(1)
        except OSError:
            return  # the machine has ended


def _connect(path, seconds=20):
    def attempt():
        sock = socket.socket(socket.AF_UNIX)
        try:
            sock.connect(path)
            return sock
        except OSError:
            sock.close()
            return None
    return wait_for(attempt, seconds, f"QEMU listens on {path}")


def remove_stale():
    """Remove leftovers of killed tests: the name has the pid."""
    for path in glob.glob(f"{tempfile.gettempdir()}/{PREFIX}*-*"):
        if not os.path.exists(f"/proc/{path.split('-')[-2]}"):
            shutil.rmtree(path, ignore_errors=True)


def unpacked(kernel):
    """
    The path of an uncompressed kernel, because an emulated processor needs five seconds to unpack
    it.

    QEMU starts such a kernel by its PVH entry. A kernel that is not packed with xz is used as it
    is.
    """
    with open(kernel, "rb") as file:
        packed = file.read()
    begin = packed.find(XZ)
    if begin < 0:
        return kernel
    path = f"{CACHE}/vmlinux-{hashlib.sha256(packed).hexdigest()[:12]}"
    if not os.path.exists(path):
        with open(f"{path}.{os.getpid()}", "wb") as file:
            file.write(lzma.LZMADecompressor().decompress(packed[begin:]))
        os.rename(file.name, path)
    return path


class Machine:
    """
    One boot. @disks: paths of raw images, the root first; they are written to. @cmdline: further
    arguments.

    @watchdog: a device that resets the machine (Intel's 6300ESB), with a driver module.

    @n_processors: one processor needs less of the host, because a second one waits for the locks of
    the first.

    @kernel: None boots from the first disk, with its own boot loader.
    """

    def __init__(self, disks, kernel, initrd, init="/sbin/svcd", cmdline="", root_label="svcd-root", memory_mib=1024,
                 screen=False, reboot_ends=True, watchdog=False, n_processors=1):
        self.disks = list(disks)
        # With the PVH entry the kernel gets no information about a screen.
        self.kernel, self.initrd = kernel if screen or not kernel else unpacked(kernel), initrd
        # An emulated processor leaks no secrets, and the protection against leaks costs a flush of
        # its page tables per system call.
        self.words = [f"root=LABEL={root_label}", "ro", "panic=5", "net.ifnames=0", "mitigations=off"]
        self.words += ["console=tty0"] if screen else []
        self.words += ["console=ttyS0,115200", f"init={init}", *cmdline.split()]
        self.memory_mib = memory_mib
        self.screen = screen
        self.reboot_ends = reboot_ends
        self.watchdog = watchdog
        self.n_processors = n_processors
        self.events = []
        self.n_commands = 0
        self.process = None
        self.directory = None

    # --- life ---

    def __enter__(self):
        for attempt in range(KERNEL_ATTEMPTS):
            self._start()
            try:
                wait_for(self._kernel_is_up, KERNEL_S, "the kernel starts a program")
                return self
            except AssertionError:
                if attempt == KERNEL_ATTEMPTS - 1:
                    self._tear_down(True)
                    raise
                self._tear_down(False)
        raise AssertionError("not reached")

    def __exit__(self, kind, value, trace):
        self._tear_down(kind is not None)
        return False

    def _start(self):
        remove_stale()
        self.directory = tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-") # a short path
        self.process = subprocess.Popen(self._command(), stdin=subprocess.DEVNULL)
        self.console = Port(f"{self.directory}/console")
        self.shell = Port(f"{self.directory}/shell")
        self.monitor = _connect(f"{self.directory}/monitor")
        self.monitor_lines = self.monitor.makefile("r", encoding="utf-8")
        self.monitor_lines.readline() # the greeting
        self.qmp("qmp_capabilities")
        self.qmp("cont")
        Pulse(f"{self.directory}/pulse")
        self.began = time.monotonic()

    def _command(self):
        argv = self._hardware()
        argv += ["-nodefaults", "-display", "none", "-S"]
        for name in ("monitor", "pulse"):
            argv += ["-qmp", f"unix:{self.directory}/{name},server=on,wait=off"]
        for name in ("console", "shell"):
            argv += ["-chardev", f"socket,id={name},path={self.directory}/{name},server=on,wait=off",
                     "-serial", f"chardev:{name}"]
        return argv

    def command_on_terminal(self):
        """The command line for a person: the console is the terminal of QEMU."""
        return self._hardware() + ["-nographic"]

    def _accelerator(self):
        """
        With one processor QEMU counts instructions, and the machine's clock advances by 2 ns for each.
        So a busy host makes the machine slow, but its time limits do not run out. While the machine
        sleeps, its clock is the host's. Two processors would hang at the start of the kernel.
        """
        chosen = os.environ.get("SVCD_VM_ACCEL")
        if chosen:
            return ["-accel", chosen]
        if self.n_processors > 1:
            return ["-accel", "tcg,thread=multi"]
        return ["-accel", "tcg,thread=single", "-icount", "shift=1,sleep=on"]

    def _hardware(self):
        argv = ["qemu-system-x86_64", "-name", "svcd-vm", "-machine", "pc", "-m", str(self.memory_mib), "-smp", str(self.n_processors),
                *self._accelerator(), "-cpu", os.environ.get("SVCD_VM_CPU", "Nehalem"), "-vga", "none", "-rtc", "base=utc",
                "-device", "virtio-rng-pci", "-nic", "user,id=net0,model=virtio-net-pci"]
        if self.kernel:
            argv += ["-kernel", self.kernel, "-initrd", self.initrd, "-append", " ".join(self.words)]
        for number, path in enumerate(self.disks):
            argv += ["-drive", f"file={path},format=raw,if=none,id=disk{number},cache=unsafe",
                     "-device", f"virtio-blk-pci,drive=disk{number}"]
        if self.screen:
            # A small screen, because the processor draws each pixel.
            argv += ["-device", "VGA,xres=800,yres=600"]
        if self.watchdog:
            argv += ["-device", "i6300esb", "-action", "watchdog=reset"]
        return argv + (["-no-reboot"] if self.reboot_ends else [])

    def _tear_down(self, failed):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        shutil.rmtree(self.directory, ignore_errors=True)
        if failed:
            shown = [line for line in self.console.text().splitlines() if not KERNEL_LINE.match(line)]
            sys.stderr.write("--- console of the machine, without the kernel's early messages ---\n" + "\n".join(shown) +
                             "\n--- end of console ---\n")

    def _kernel_is_up(self):
        return KERNEL_UP.search(self.console.text())

    def qmp(self, command, **arguments):
        """Send a command to QEMU itself; drops events."""
        self.monitor.sendall(json.dumps({"execute": command, "arguments": arguments}).encode() + b"\n")
        for line in self.monitor_lines:
            answer = json.loads(line)
            if "return" in answer:
                return answer["return"]
            assert "error" not in answer, f"QEMU: {command}: {answer['error']['desc']}"
        raise AssertionError(f"QEMU ended before it answered {command}")

    def press(self, *keys):
        self.qmp("send-key", keys=[{"type": "qcode", "data": key} for key in keys])

    def move_mouse(self, right, down):
        """A mouse of QEMU reports relative moves."""
        self.qmp("input-send-event", events=[{"type": "rel", "data": {"axis": axis, "value": value}}
                                             for axis, value in (("x", right), ("y", down))])

    def mouse_button(self, is_down):
        self.qmp("input-send-event", events=[{"type": "btn", "data": {"button": "left", "down": is_down}}])

    def picture(self):
        """The picture on the screen: (width, height, its pixels of three bytes)."""
        path = f"{self.directory}/screen"
        self.qmp("screendump", filename=path)
        with open(path, "rb") as file:
            _kind, size, _most, pixels = file.read().split(b"\n", 3) # ppm(5), binary
        width, height = map(int, size.split())
        return width, height, pixels

    def n_colours(self):
        """The number of colours, from every seventh pixel."""
        _width, _height, pixels = self.picture()
        return len({pixels[at:at + 3] for at in range(0, len(pixels), 21)})

    def plug(self, path, name):
        """Plug in a further disk while the machine runs."""
        self.qmp("blockdev-add", **{"driver": "raw", "node-name": name, "file": {"driver": "file", "filename": path}})
        self.qmp("device_add", driver="virtio-blk-pci", drive=name, id=name)

    def unplug(self, name, seconds=COMMAND_S):
        """Remove a plugged disk, and wait until the machine has released it, so that it can be
        plugged again."""
        def is_released():
            try:
                self.qmp("blockdev-del", **{"node-name": name})
                return True
            except AssertionError:
                return False
        self.qmp("device_del", id=name)
        wait_for(is_released, seconds, f"the disk {name} is released")

    def link(self, is_up):
        """Connect or disconnect the cable of eth0."""
        self.qmp("set_link", name="net0", up=is_up)

    def must_live(self):
        assert KERNEL_PANIC not in self.console.text(), "the kernel panicked: PID 1 has ended"
        assert self.process.poll() is None, "the machine has gone down"

    def wait_end(self, seconds=COMMAND_S):
        """Wait until the machine is down. Returns QEMU's reason: "guest-shutdown" or "guest-reset".
        """
        wait_for(lambda: self.process.poll() is not None, seconds, "the machine is off")
        assert KERNEL_PANIC not in self.console.text(), "the kernel panicked: PID 1 has ended"
        self.events = [json.loads(line) for line in self.monitor_lines]
        return next((event["data"]["reason"] for event in self.events if event.get("event") == "SHUTDOWN"), None)

    # --- the console ---

    def wait_console(self, pattern, seconds=BOOT_S, begin=0):
        """Wait until the console shows @pattern after its first @begin bytes; returns the match."""
        def look():
            text = self.console.text(begin)
            found = re.search(pattern, text) or re.search(pattern, OF_KERNEL.sub("", text))
            if not found:
                try:
                    self.must_live()
                except AssertionError as problem:
                    raise SystemExit(f"waiting for {pattern!r} on the console: {problem}") from None
            return found
        return wait_for(look, seconds, f"{pattern!r} on the console")

    def type_console(self, text):
        self.console.send(text)

    # --- the shell ---

    def sh(self, command, seconds=COMMAND_S, check=True):
        """Runs a line of sh as root; returns (status, output), or with @check the output alone."""
        self.n_commands += 1
        mark = f"@@{self.n_commands}"
        begin = len(self.shell.data)
        # The shell assembles the marks, so that an echo of the command does not contain them. It
        # executes no other program for a command, because the processor is slow.
        self.shell.send(f"echo '@''{mark[1:]}:begin'; (eval {shlex.quote(command)}) </dev/null 2>&1; echo \"@\"\"{mark[1:]}:$?\"\n")
        pattern = re.compile(rf"{mark}:begin\n(.*?)(?:\n?){mark}:(\d+)\n", re.S)
        found = wait_for(lambda: pattern.search(self.shell.text(begin)), seconds, f"{command!r} ends")
        status, output = int(found.group(2)), found.group(1)
        if not check:
            return status, output
        assert status == 0, f"{command!r}: exit status {status}: {output}"
        return output

    def sh_detached(self, command):
        """Run a line without waiting for its end, such as a poweroff."""
        self.shell.send(f"{command}\n")

    def wait_shell(self, seconds=BOOT_S):
        """Wait until the tests' shell answers. Input before its start is read later or lost, so
        repeat it."""
        until = time.monotonic() + seconds
        while True:
            try:
                return self.sh("true", seconds=5)
            except AssertionError:
                self.must_live()
                if time.monotonic() > until:
                    raise

    def svcctl_json(self, *words):
        return json.loads(self.sh("svcctl --json " + " ".join(words)))["data"]

    def service(self, name):
        """The state of one service, at a third of the cost of services()."""
        status, output = self.sh(f"svcctl --json status {name}", check=False)
        assert status in (0, 3), output # 3: it is not up
        return json.loads(output)["data"][0]

    def wait_boot_finished(self, seconds=BOOT_S):
        """Wait for the end of the boot. Some services may have failed in it."""
        self.sh(f"svcctl --quiet --timeout {seconds} boot --wait || test $? = 1", seconds)

    def services(self):
        return {row["name"]: row for row in json.loads(self.sh("svcctl list --all --json"))["data"]}
