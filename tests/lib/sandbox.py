# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Sandbox: boots a build of svcd as PID 1 in its own namespaces, and queries it.

    with Sandbox(services={"a": "[Service]\nExec=/bin/sleep infinity\n"}) as box:
        box.wait_state("a", "ready")
        box.kill_manager(signal.SEGV)

The machine is not affected: mounts (an overlay on a tmpfs), pids, network, host name, IPC and
cgroups are separate; see sandbox_boot.py. At the end of the "with", or when the test dies, the PID
namespace is killed, with everything in it. Then the console is searched for reports of sanitizers,
and the deaths of managers are compared with the kills of the test. A crash that svcd survives is
still a failure.
"""

import json
import os
import re
import select
import signal
import socket
import subprocess
import sys
import threading
import time

import loops
from cgroups import Leaf, cgroup2_mount
from deadline import DEFAULT_S, wait_for

HERE = os.path.dirname(os.path.abspath(__file__))

SANITIZER_WORDS = re.compile(r"(AddressSanitizer|LeakSanitizer|runtime error:|UndefinedBehaviorSanitizer)")

# A report that the test's own signal caused is not a finding; see kill_manager().
SANITIZER_SIGNAL = re.compile(r"AddressSanitizer(:DEADLYSIGNAL|: (SEGV|BUS|FPE|ILL|ABRT|TRAP)\b| can not provide)")

# LeakSanitizer cannot check a manager during the tear-down or under ptrace. This is not a finding
# either.
SANITIZER_TORN_DOWN = re.compile(r"LeakSanitizer has encountered a fatal error|LeakSanitizer does not work under ptrace")

# The keeper's message about an unexpected end of a manager.
MANAGER_DEATH = re.compile(r"svcd: the manager (was killed by signal|exited with status|does not answer|did not send HELLO)")

ENVIRONMENT = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "LANG": "C.UTF-8",
    "TERM": "dumb",
    "HOME": "/root",
}


# The shipped udev service excludes containers. This one gets the machine's block device events, but
# cannot use the devices.
UDEVD = "[Service]\nExec=/lib/systemd/systemd-udevd\nReady=path:/run/udev/control\n"


class Failure(AssertionError):
    """svcd did not do what the test asked of it."""


class Gone(RuntimeError):
    """PID 1 has ended. This is not an AssertionError, because further waiting is useless."""


def cache_directory():
    return os.environ.get("SVCD_CACHE", "/var/cache/svcd-tests")


def default_stage():
    """The installed tree to boot: $SVCD_STAGE, which tests/run sets."""
    stage = os.environ.get("SVCD_STAGE")
    if not stage:
        raise SystemExit("SVCD_STAGE is not set: use tests/run --only NAME, or make it with tests/lib/setup stage")
    return stage


def debian_root(*packages):
    """An unpacked Debian, made once by tests/lib/root; @packages are added to it."""
    if os.environ.get("SVCD_ROOT") and not packages:
        return os.environ["SVCD_ROOT"]
    command = [f"{HERE}/root", "--with", " ".join(packages)] if packages else [f"{HERE}/root"]
    out = subprocess.run(command, check=True, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
    return out.stdout.strip().splitlines()[-1]


def memory_of(outer_pid):
    """The memory of a process in KiB: proportional and private."""
    with open(f"/proc/{outer_pid}/smaps_rollup", encoding="utf-8") as rollup:
        fields = dict(line.split(":", 1) for line in rollup if ":" in line.split()[0])
    kib = {name: int(text.split()[0]) for name, text in fields.items() if text.strip().endswith("kB")}
    return {"pss": kib["Pss"], "private": kib["Private_Clean"] + kib["Private_Dirty"]}


class Sandbox:
    """
    One boot of svcd. @services: name -> text; @policy: None activates every service except
    templates.

    @root: "minimal" is the machine's own /usr, "debian" an unpacked Debian, otherwise a directory
    with a Debian.
    @udev: with a real udevd (service "udevd") and loop devices, in a Debian root.
    @missing: "proc" or "cgroup": not mounted at the start of svcd. @may_mount: False removes
    CAP_SYS_ADMIN from all processes.
    @read_only: directories, perhaps "/", that are read-only at the start of svcd. @layers: more
    trees between svcd's and the root's.
    @disk: a directory that keeps all writes, for boot_again(). @network: with eth0, an address and
    a default route.
    """

    def __init__(self, services=None, policy=None, root="minimal", vendor=False, files=None, stage=None, cmdline="",
                 mounts=("sys", "run"), init=("/sbin/svcd",), environment=None, expect_crash=False, udev=False,
                 missing=(), may_mount=True, read_only=(), layers=(), disk=None, network=False):
        self.stage = stage or default_stage()
        self.udev = udev
        self.loops = []
        if udev:
            root = "debian"
            services = dict(services or {}, udevd=UDEVD)
        self.root = {"minimal": None, "debian": ""}.get(root, root)
        if self.root == "":
            self.root = debian_root()
        self.files = dict(files or {})
        for name, text in (services or {}).items():
            self.files[f"/etc/svcd/services.d/{name}.svc"] = text
        if policy is None and not vendor:
            wanted = [name for name in services or {} if not name.endswith("@")]
            policy = "[runlevel 2]\n" + "".join(f"Activate={name}\n" for name in wanted)
        if policy:
            self.files["/etc/svcd/policy.d/test.policy"] = policy
        self.removed = [] if vendor else ["usr/lib/svcd/services.d", "usr/lib/svcd/policy.d"]
        self.cmdline = cmdline
        self.mounts = list(mounts)
        self.missing = list(missing)
        self.may_mount = may_mount
        self.read_only = list(read_only)
        self.layers = list(layers)
        self.disk = disk
        self.network = network
        self.init = list(init)
        self.environment = environment or {"TERM": "linux", "HOME": "/"}
        self.expect_crash = expect_crash
        self.killed_managers = 0
        self.pid1 = None
        self.status = None
        self._console = bytearray()
        self._console_lock = threading.Lock()
        self._control_text = b""
        self.on_console = None
        self.at_end = []  # called before the namespace is killed

    # --- life ---

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, kind, value, trace):
        failed = kind is not None
        try:
            if failed and os.environ.get("SVCD_TEST_SHELL"):
                self.shell()
        finally:
            self.tear_down()
        if failed:
            sys.stderr.write(f"--- console of the sandbox ---\n{self.console()}\n--- end of console ---\n")
        else:
            self.check_console()
        return False

    def start(self):
        self._leaf = Leaf(cgroup2_mount()).__enter__()
        if self.udev:
            loops.release_left_behind()
        self.base = f"{cache_directory()}/box"
        os.makedirs(self.base, exist_ok=True)
        spec = {
            "base": self.base, "stage": self.stage, "root": self.root, "cgroup": self._leaf.path, "hostname": "svcd-box",
            "cmdline": self.cmdline, "mounts": self.mounts, "removed": self.removed, "files": self.files,
            "init": self.init, "environment": self.environment, "udev": self.udev,
            "coverage": os.environ.get("SVCD_COVERAGE"),
            "missing": self.missing, "may_mount": self.may_mount, "read_only": self.read_only,
            "layers": self.layers, "disk": self.disk, "network": self.network,
        }
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._control = ours
        self._boot = subprocess.Popen(
            ["/usr/bin/python3", f"{HERE}/sandbox_boot.py", str(theirs.fileno())],
            stdin=subprocess.PIPE, pass_fds=[theirs.fileno()], env=ENVIRONMENT)
        theirs.close()
        self._boot.stdin.write(json.dumps(spec).encode())
        self._boot.stdin.close()
        self._await_boot()
        self.booted_at = time.monotonic()

    def _await_boot(self):
        """The helper sends the pid of PID 1 and the console's master, in either order."""
        master = None
        until = time.monotonic() + DEFAULT_S
        while self.pid1 is None or master is None:
            if not select.select([self._control], [], [], max(0, until - time.monotonic()))[0]:
                self.tear_down()
                raise Failure("the sandbox was not ready in time")
            data, fds, _flags, _from = socket.recv_fds(self._control, 256, 2)
            if data.startswith(b"pid "):
                self.pid1 = int(data.split()[1])
            elif fds:
                master, self._kept = fds[0], fds[1:]
            else:
                self.tear_down()
                raise Failure("the sandbox could not be made; the reason is above")
        self.console_fd = master
        self._reader = threading.Thread(target=self._read_console, daemon=True)
        self._reader.start()

    def _read_console(self):
        while True:
            try:
                data = os.read(self.console_fd, 65536)
            except OSError:
                # EIO: no process has the terminal open at the moment.
                if self._boot.poll() is not None:
                    return
                time.sleep(0.01)
                continue
            if not data:
                return
            with self._console_lock:
                self._console += data
            if self.on_console:
                self.on_console(data)

    def tear_down(self):
        """Kill the namespace and remove its cgroups. Safe to call twice."""
        while self.at_end:
            self.at_end.pop()()
        if self._boot.poll() is None:
            try:
                if self.pid1:
                    os.kill(self.pid1, signal.SIGKILL)
                else:
                    self._boot.kill()
            except ProcessLookupError:
                pass
        self._boot.wait()
        self._read_status()
        while self.loops:
            loops.release(self.loops.pop())
        if getattr(self, "_reader", None):
            self._reader.join(5)
            if not self._reader.is_alive() and self.console_fd >= 0:
                os.close(self.console_fd)
                self.console_fd = -1
        self._leaf.remove()

    def boot_again(self):
        """Boot again from the same disk, after PID 1 has ended."""
        self.tear_down()
        self.check_console()
        self.files, self.removed = {}, []
        self.pid1 = self.status = None
        self._console.clear()
        self.start()

    def _read_status(self):
        if self.status is not None:
            return self.status
        self._control.setblocking(False)
        try:
            while True:
                data = self._control.recv(256)
                if not data:
                    break
                if data.startswith(b"status "):
                    self.status = int(data.split()[1])
        except BlockingIOError:
            pass
        return self.status

    def wait_end(self, seconds=DEFAULT_S):
        """Wait until PID 1 is gone; returns its wait status. reboot(2) shows as a death by SIGHUP
        or SIGINT."""
        wait_for(lambda: self._boot.poll() is not None, seconds, "PID 1 has ended")
        return self._read_status()

    # --- console ---

    def console(self):
        with self._console_lock:
            return self._console.decode("utf-8", "replace").replace("\r\n", "\n")

    def wait_console(self, text, seconds=DEFAULT_S):
        return wait_for(lambda: text in self.console(), seconds, f"the console shows {text!r}")

    def check_console(self):
        text = self.console()
        found = [line for line in text.splitlines()
                 if SANITIZER_WORDS.search(line) and not SANITIZER_TORN_DOWN.search(line)]
        if self.killed_managers or self.expect_crash:
            found = [line for line in found if not SANITIZER_SIGNAL.search(line)]
        if found:
            raise Failure("a sanitizer found something:\n" + text)
        deaths = [line for line in text.splitlines() if MANAGER_DEATH.search(line) and "being traced" not in line]
        if len(deaths) > self.killed_managers and not self.expect_crash:
            raise Failure(f"{len(deaths)} managers died, {self.killed_managers} were killed by the test:\n{text}")

    # --- inside ---

    def path(self, inner):
        """A path of the sandbox as this process can open it."""
        return f"/proc/{self.pid1}/root{inner}"

    def read(self, inner):
        with open(self.path(inner), encoding="utf-8", errors="replace") as file:
            return file.read()

    def exists(self, inner):
        """Links are not followed: an absolute link would lead out of the sandbox."""
        return os.path.lexists(self.path(inner))

    def write(self, inner, text, mode=None):
        full = self.path(inner)
        parts = inner.strip("/").split("/")
        for n in range(1, len(parts) + 1):
            step = self.path("/" + "/".join(parts[:n]))
            # Seen from outside, the link would lead to a file of the machine.
            if os.path.islink(step) and os.readlink(step).startswith("/"):
                raise Failure(f"{inner}: {parts[n - 1]} is a link that leads out of the sandbox")
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as file:
            file.write(text)
        if mode is not None:
            os.chmod(full, mode)

    def remove(self, inner):
        os.unlink(self.path(inner))

    def command(self, argv):
        return ["nsenter", f"--target={self.pid1}", "--mount", "--uts", "--ipc", "--net", "--pid", "--cgroup",
                "--root", "--wdns=/", "--", *argv]

    def run(self, *argv, check=True, timeout=DEFAULT_S, stdin=None):
        """Run a command inside, a list or a line for the shell; its output is text."""
        if len(argv) == 1 and " " in argv[0]:
            argv = ("/bin/sh", "-c", argv[0])
        done = subprocess.run(self.command(argv), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              errors="replace", timeout=timeout, env=self.run_environment(), check=False,
                              input=stdin, stdin=None if stdin is not None else subprocess.DEVNULL)
        if SANITIZER_WORDS.search(done.stderr):
            raise Failure(f"{' '.join(argv)}: {done.stderr}")
        if check and done.returncode:
            raise Failure(f"{' '.join(argv)}: exit {done.returncode}\n{done.stdout}{done.stderr}")
        return done

    def run_environment(self):
        # LeakSanitizer stops the process with ptrace, which is slower than svcctl itself.
        return dict(ENVIRONMENT, ASAN_OPTIONS="detect_leaks=0")

    def shell(self):
        subprocess.run(self.command(["/bin/sh"]), env=dict(ENVIRONMENT, TERM=os.environ.get("TERM", "dumb")), check=False)

    def make_mount(self, line, name):
        """
        Add the service @name that a machine would generate for @line of its fstab; in a container
        no such service is generated.

        Policy wants it, with "Ignore=virtual:container".
        """
        self.write("/run/machine/etc/fstab", f"{line}\n")
        self.run("/usr/lib/svcd/svc-generate", "--root=/run/machine", "--output=/run/machine/made")
        self.run("cp", f"/run/machine/made/{name}.svc", "/etc/svcd/services.d")
        self.svcctl("reload-files")

    # --- volumes, with udev=True ---

    def volume(self, label, *options):
        """A file with an ext4 file system; returns its path. Use a label that no other test has."""
        image = f"/run/{loops.name_of_file()}"
        self.run("truncate", "-s", "1M", image)
        self.run("mkfs.ext4", "-q", "-L", label, *options, image)
        return image

    def attach(self, image):
        """Return the loop device, "/dev/loop0"; it is released with the sandbox."""
        device = self.run("losetup", "--find", "--show", image).stdout.strip()
        self.loops.append(int(device.removeprefix("/dev/loop")))
        return device

    def detach(self, device):
        self.run("losetup", "--detach", device)
        self.loops.remove(int(device.removeprefix("/dev/loop")))

    def wait_udev_known(self, name):
        """Wait until the manager has listed the devices. The service @name must wait for a label
        that does not exist, and its explanation then reports this."""
        wait_for(lambda: "no volume with that label" in self.svcctl("explain", name).stdout,
                 what="the manager has listed the devices")

    def send_events(self, count, action, devpath, *properties, pause_s=0):
        """Send udevd's events of a device that need not exist; see fake_udev.py. That program runs
        outside the sandbox, but in its network."""
        subprocess.run(["nsenter", f"--target={self.pid1}", "--net", "--", "/usr/bin/python3", f"{HERE}/fake_udev.py",
                        str(count), str(pause_s), action, devpath, *properties], check=True, timeout=DEFAULT_S)

    # --- svcctl ---

    def svcctl(self, *argv, check=True, timeout=DEFAULT_S, stdin=None):
        return self.run("/usr/bin/svcctl", *argv, check=check, timeout=timeout, stdin=stdin)

    def svcctl_json(self, *argv, check=True):
        """The "data" of the JSON answer; with check=False the complete answer."""
        done = self.svcctl(*argv, "--json", check=check)
        answer = json.loads(done.stdout)
        return answer["data"] if check else answer

    def query(self, *argv):
        """
        The "data" of svcctl's JSON answer; KeyError if there is no such service.

        The tests query states most often, so this uses the svcctl that is built without sanitizers,
        in a third of the time. The sandbox gets that svcctl as a descriptor, because it does not
        contain the file.
        """
        try:
            fd = os.open(f"{os.environ['SVCD_BUILDS']}/stage-bare/usr/bin/svcctl", os.O_RDONLY | os.O_CLOEXEC)
        except (KeyError, FileNotFoundError):
            fd = -1
        try:
            program = f"/proc/self/fd/{fd}" if fd >= 0 and self.exists("/proc/version") else "/usr/bin/svcctl"
            done = subprocess.run(self.command([program, *argv, "--json"]), capture_output=True, text=True, timeout=DEFAULT_S,
                                  env=self.run_environment(), check=False, stdin=subprocess.DEVNULL,
                                  pass_fds=[fd] if fd >= 0 else [])
        finally:
            if fd >= 0:
                os.close(fd)
        answer = json.loads(done.stdout) if done.stdout else {"data": None}
        if answer.get("error", {}).get("code") == "NoSuchService":
            raise KeyError(argv[-1])
        if not answer.get("data"):
            raise Failure(f"svcctl {' '.join(argv)}: exit {done.returncode}\n{done.stdout}{done.stderr}")
        return answer["data"]

    def services(self):
        """name -> row of "svcctl list"."""
        return {row["name"]: row for row in self.query("list", "--all")}

    def service(self, name):
        """The row of "svcctl status NAME"; KeyError if there is no such service."""
        return self.query("status", name)[0]

    def state(self, name):
        return self.service(name)["state"]

    def pid(self, name):
        """The main process as seen inside, or 0."""
        return self.service(name).get("pid", 0) or 0

    def wait_up(self, seconds=DEFAULT_S):
        """Wait until svcctl gets answers."""
        return wait_for(lambda: self.svcctl("--version", check=False).returncode == 0 or self._must_live(), seconds,
                        "svcctl is answered")

    def _must_live(self):
        if self._boot.poll() is not None:
            raise Gone(f"PID 1 is gone, status {self._read_status()}\n{self.console()}")
        return False

    def wait_state(self, name, *states, seconds=DEFAULT_S):
        """Wait until the service is in one of @states; returns its row."""
        def look():
            self._must_live()
            try:
                row = self.service(name)
            except (Failure, KeyError):
                return False
            look.last = row["state"]
            return row if look.last in states else False
        look.last = None
        try:
            return wait_for(look, seconds, f"{name} is {' or '.join(states)}")
        except AssertionError as problem:
            explained = self.svcctl("explain", name, check=False)
            raise Failure(f"{problem}; it is {look.last}\n{explained.stdout}{explained.stderr}") from None

    def wait_states(self, states, seconds=DEFAULT_S):
        """Wait until all services are in these states at once. @states: name -> state."""
        def look():
            self._must_live()
            rows = self.services()
            return all(rows[name]["state"] == state for name, state in states.items())
        return wait_for(look, seconds, f"services reach {states}")

    def shut_down(self, verb):
        """poweroff, reboot or halt. svcctl may itself get a signal meanwhile."""
        done = self.svcctl(verb, check=False)
        if done.returncode not in (0, -signal.SIGTERM, -signal.SIGKILL):
            raise Failure(f"svcctl {verb}: {done}")

    def overview(self):
        return self.svcctl_json("status")

    def boot_at_us(self):
        """CLOCK_MONOTONIC at the start of PID 1."""
        return self.overview()["boot_started_at_us"]

    def is_running(self):
        return self._boot.poll() is None

    def wait_at_rest(self, seconds=DEFAULT_S):
        """Wait until no service is starting or stopping."""
        return wait_for(lambda: self._must_live() or self.overview()["at_rest"], seconds, "no service is starting or stopping")

    # --- processes ---

    def processes(self):
        """Each process of the sandbox: pid inside -> (pid outside, parent's pid inside, name,
        state)."""
        namespace = os.readlink(f"/proc/{self.pid1}/ns/pid")
        found = {}
        outer_to_inner = {}
        for entry in os.listdir("/proc"):
            if not entry.isdigit():
                continue
            try:
                if os.readlink(f"/proc/{entry}/ns/pid") != namespace:
                    continue
                with open(f"/proc/{entry}/status", encoding="utf-8", errors="replace") as file:
                    status = dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
            except OSError:
                continue
            inner = int(status["NSpid"].split()[-1])
            outer_to_inner[int(entry)] = inner
            found[inner] = (int(entry), int(status["PPid"]), status["Name"], status["State"][0])
        return {inner: (outer, outer_to_inner.get(parent, 0), name, state)
                for inner, (outer, parent, name, state) in found.items()}

    def outer_pid(self, inner):
        return self.processes()[inner][0]

    def is_alive(self, inner):
        found = self.processes().get(inner)
        return found is not None and found[3] != "Z"

    def manager_pid(self):
        """The manager's pid outside the sandbox, or 0 if there is none."""
        for outer, parent, name, state in self.processes().values():
            if parent == 1 and name.startswith("svcd-manager") and state != "Z":
                return outer
        return 0

    def kill_manager(self, number=signal.SIGKILL, wait=True):
        """Kill the manager and wait for an answer from its successor; returns the seconds."""
        old = wait_for(self.manager_pid, what="there is a manager")
        self.killed_managers += 1
        began = time.monotonic()
        os.kill(old, number)
        if not wait:
            return 0.0
        wait_for(lambda: self.manager_pid() not in (0, old), what="another manager was started")
        self.wait_up()
        return time.monotonic() - began

    def kill(self, inner, number=signal.SIGKILL):
        os.kill(self.outer_pid(inner), number)

    def cgroup_of(self, inner):
        """The cgroup2 path of a process, as seen inside."""
        for line in self.run("cat", f"/proc/{inner}/cgroup").stdout.splitlines():
            if line.startswith("0::"):
                return line[3:]
        return ""
