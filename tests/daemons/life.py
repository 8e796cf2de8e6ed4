# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Life: the tests that a Debian daemon must pass as a service of svcd.

    try_all(
        Daemon("apache2", probe=tcp(80, "HEAD / HTTP/1.0\\r\\n\\r\\n", "HTTP/1.1 200")),
    )

boots svcd in a sandbox on a Debian where the packages of all daemons are installed, but no daemon
was ever started. It takes each daemon through

    wake      if the probe is a client of its [Socket]: it starts the service, and a stop closes the sockets
    start     the probe succeeds at its first try once svcctl reports ready; its sandbox keys are in force
    restart   another process, ready, and the probe once more; with [Socket], no client is refused meanwhile
    reload    with Reload=: the same process, and soon the probe succeeds
    check     with CheckCommand=: a restart with a broken configuration is refused, with the same process
    crash     SIGKILL to the main process, so that its pid file and sockets remain: ready again, and the probe
    stop      no process and no populated cgroup is left

Daemons of one call run side by side in one sandbox, so they must not conflict. In the end two kinds
of processes remain: those from before the tests, and services that a request from a daemon started.
"""

import concurrent.futures
import contextlib
import dataclasses
import re
import socket
import subprocess
import threading
import time

import protection
from deadline import wait_for
from probes import bus, python, tcp, udp, unix  # noqa: F401 (tests import these from here)
from sandbox import Sandbox, debian_root

# One list for all tests, because each list makes a tree of 1.6 GB, in two minutes.
COMMON = "libpam-elogind python3"
PACKAGES = f"""{COMMON} accountsservice acpid anacron apache2 at autofs avahi-daemon bluez chrony colord cups-browsed
    cups-daemon docker.io dnsmasq dovecot-imapd exim4-daemon-light fail2ban fwupd haproxy irqbalance libvirt-daemon-system
    libvirt-daemon-system-sysv lightdm lightdm-gtk-greeter sddm xvfb lldpd console-setup wpasupplicant lvm2 mdadm cryptsetup
    mariadb-server memcached modemmanager monit bind9 nfs-common nfs-kernel-server openvpn packagekit polkitd postgresql
    power-profiles-daemon redis-server rpcbind rtkit samba winbind sane-utils smartmontools snmpd squid switcheroo-control
    tinyproxy tor udisks2 unattended-upgrades upower uuid-runtime vsftpd zabbix-agent"""
# Packages that conflict with exim4 and chrony, and a domain controller, which has no other Samba
# services.
ALTERNATIVES = f"{COMMON} postfix ntpsec samba-ad-dc samba-ad-provision"

SIDE_BY_SIDE = 4
START_S = 60
# The creation of a domain takes half a minute on an idle machine.
PREPARE_S = 300
# An exit code of svcctl.
CHECK_FAILED = 8
# Interval between clients of a restarting service.
CLIENT_EVERY_S = 0.01

# Makes a route, because some services wait for the network.
NETWORK = ("ip link add name out0 type veth peer name out1 && ip address add 192.0.2.2/24 dev out0 && "
           "ip link set out0 up && ip link set out1 up && ip route add default via 192.0.2.1")
# No DNS server answers in the sandbox, so names are looked up only in files.
FILES = {
    "/etc/hosts": "127.0.0.1 localhost svcd-box svcd-box.example\n",
    "/etc/nsswitch.conf": "passwd: files\ngroup: files\nshadow: files\nhosts: files\nservices: files\nprotocols: files\n",
    "/etc/resolv.conf": "",
}
# Policy wants none of the tested daemons, because each test starts its own.
POLICY = "[runlevel 2]\nActivate=-networking -network-manager -cron -elogind -rc.local dbus rsyslog\n\n"


@dataclasses.dataclass(frozen=True)
class Daemon:
    """
    @service: its name; @probe: a shell line, run inside, that fails unless the daemon works.

    @files: its configuration, as for Sandbox. @before: a shell line before the first start.
    @ignore: terms that cannot be true in a sandbox but are not necessary, as in the policy's
    Ignore=. @task: the service becomes done, not ready, and has no process.

    @client: the probe is a client of its [Socket], which starts it.

    @broken: one of its configuration files and an invalid text for it, for CheckCommand=.

    @waits_for: the daemon cannot run here, because of @why. The test only checks that it waits for
    this term.
    """
    service: str
    probe: str = ""
    files: dict = dataclasses.field(default_factory=dict)
    before: str = ""
    ignore: str = ""
    task: bool = False
    client: bool = False
    broken: tuple = ()
    waits_for: str = ""
    why: str = ""


# --- state ---

def cgroup_is_empty(box, cgroup):
    events = f"/sys/fs/cgroup{cgroup}/cgroup.events"
    return not box.exists(events) or "populated 0" in box.read(events)


def members(box, cgroup):
    """The pids, inside the sandbox, in a cgroup and in those below it."""
    listed = box.run(f"find /sys/fs/cgroup{cgroup} -name cgroup.procs -exec cat {{}} + ", check=False).stdout
    return {int(word) for word in listed.split()}


def living(box):
    return {pid: name for pid, (_outer, _parent, name, state) in box.processes().items() if state != "Z"}


class Clients:
    """A client that connects to a socket of the sandbox again and again. At the end of the "with"
    it checks that no connection was refused, and that some succeeded."""

    def __init__(self, path):
        self.path = path
        self.served = 0
        self.refused = None
        self.enough = threading.Event()
        self.thread = threading.Thread(target=self.connect)

    def connect(self):
        while not self.enough.is_set() and not self.refused:
            with socket.socket(socket.AF_UNIX) as client:
                try:
                    client.connect(self.path)
                    self.served += 1
                except OSError as problem:
                    self.refused = problem
            self.enough.wait(CLIENT_EVERY_S)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, kind, value, trace):
        self.enough.set()
        self.thread.join()
        if not kind:
            assert not self.refused, f"a client was refused: {self.refused}"
            assert self.served, "no client came"


# --- one life ---

class Life:
    """One daemon in a sandbox."""

    def __init__(self, box, daemon):
        self.box = box
        self.daemon = daemon
        self.name = daemon.service
        self.text = box.read(f"/usr/lib/svcd/services.d/{re.sub('@.*', '@', self.name)}.svc")

    def says(self, key):
        return any(line.startswith(f"{key}=") for line in self.text.splitlines())

    def pid(self):
        return self.box.pid(self.name)

    def check_up(self, what):
        """Check that the daemon is up and works at the first try."""
        row = self.box.service(self.name)
        wanted = "done" if self.daemon.task else "ready"
        assert row["state"] == wanted, f"{what}: it is {row['state']}, not {wanted}"
        self.check_probe(what)
        if not self.daemon.task:
            self.check_protection(what)

    @contextlib.contextmanager
    def kept_busy(self):
        """The probe runs again and again, so that a daemon that exits when it is idle stays."""
        mark = f"/run/enough-{self.name}"
        loop = f"until [ -e {mark} ]; do {self.daemon.probe}; sleep 0.1; done"
        process = subprocess.Popen(self.box.command(["/bin/sh", "-c", loop]), env=self.box.run_environment(),
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            yield
        finally:
            self.box.write(mark, "")
            process.wait()
            self.box.remove(mark)

    def check_protection(self, what):
        def look():
            try:
                return [protection.missing(self.box, self.text, self.pid())]
            except FileNotFoundError:  # the daemon was idle, and exited
                return []

        with contextlib.ExitStack() as stack:
            bare = look()
            if not bare:
                stack.enter_context(self.kept_busy())
                bare = wait_for(look, what=f"{what}: its process is looked at")
        assert not bare[0], f"{what}: not in force: {', '.join(bare[0])}"

    def check_probe(self, what):
        if self.daemon.probe:
            done = self.box.run("/bin/sh", "-c", self.daemon.probe, check=False)
            assert done.returncode == 0, f"{what}: the probe failed: {done.stdout}{done.stderr}"

    def listens(self):
        return self.box.svcctl_json("status", self.name, check=False)["data"][0].get("listens", [])

    def svcctl(self, verb):
        waiting = ["--wait"] if verb in ("start", "restart") else []
        done = self.box.svcctl(verb, *waiting, self.name, check=False, timeout=START_S * 2)
        assert done.returncode == 0, f"{verb}: exit {done.returncode}: {done.stdout}{done.stderr}"

    def wait(self):
        """Check a daemon that cannot run here."""
        self.box.svcctl("start", "--no-wait", self.name)
        self.box.wait_state(self.name, "waiting")
        terms = self.box.svcctl("status", self.name, check=False).stdout
        term = re.escape(self.daemon.waits_for) + ".* is (false|unknown)"
        assert re.search(term, terms), f"it was to wait for {self.daemon.waits_for}:\n{terms}"
        self.svcctl("stop")

    def wake(self):
        """The daemon starts only because the probe connects to one of its sockets."""
        wait_for(lambda: all(row["open"] for row in self.listens()), what="its sockets are open")
        self.check_probe("wake")
        self.box.wait_state(self.name, "ready")
        row = self.box.svcctl_json("status", self.name)[0]
        assert row["want_reason"] == "requested by a connection", f"wake: it is {row['want_reason']}"
        self.stop()
        assert not any(row["open"] for row in self.listens()), f"wake: it still listens: {self.listens()}"

    def start(self):
        self.svcctl("start")
        self.check_up("start")

    def restart(self):
        before = self.pid()
        paths = re.findall("^Listen(?:Stream|SequentialPacket)=(/.*)$", self.text, re.MULTILINE)
        with Clients(self.box.path(paths[0])) if paths else contextlib.nullcontext():
            self.svcctl("restart")
        self.check_up("restart")
        assert self.daemon.task or self.pid() != before, "restart: it is the same process"

    def reload(self):
        before = self.pid()
        self.svcctl("reload")
        # A signal is asynchronous: sshd executes itself, and listens again a moment later.
        wait_for(lambda: self.check_up("reload") is None, what="it works after a reload")
        assert self.pid() == before, "reload: it is another process"

    def check(self):
        before = self.pid()
        path, mistake = self.daemon.broken
        right = self.box.read(path) if self.box.exists(path) else None
        self.box.write(path, mistake)
        done = self.box.svcctl("restart", self.name, check=False)
        assert done.returncode == CHECK_FAILED, f"check: exit {done.returncode}: {done.stdout}{done.stderr}"
        if right is None:
            self.box.remove(path)
        else:
            self.box.write(path, right)
        self.check_up("check")
        assert self.pid() == before, "check: it is another process"

    def kill(self):
        """Return the killed pid. If the service has exited, the probe starts it: return 0."""
        pid = self.pid()
        if not pid:
            self.check_probe("crash")
            return 0
        try:
            self.box.kill(pid)
        except KeyError:
            return 0
        return pid

    def crash(self):
        before = self.kill()
        if not before:  # it exited before it could be killed
            with self.kept_busy():
                before = wait_for(self.kill, what="crash: it is killed")
        if self.says("Restart"):
            wait_for(lambda: self.box.pid(self.name) not in (0, before) and self.box.state(self.name) == "ready", START_S,
                     "crash: it is back")
        else:
            self.box.wait_state(self.name, "failed", "idle")
            self.svcctl("start")
        self.check_up("crash")

    def stop(self):
        # elogind leaves its cgroup, so the main process is added.
        cgroup = f"/svcd/{self.name}"
        processes = members(self.box, cgroup) | {self.pid()}
        self.svcctl("stop")
        assert cgroup_is_empty(self.box, cgroup), f"stop: left in {cgroup}: {members(self.box, cgroup)}"
        left = {pid: name for pid, name in living(self.box).items() if pid in processes}
        assert not left, f"stop: left: {left}"

    def live(self):
        if self.daemon.waits_for:
            self.wait()
            return
        if self.daemon.before:
            self.box.run("/bin/sh", "-c", self.daemon.before, timeout=PREPARE_S)
        if self.daemon.client:
            self.wake()
        self.start()
        self.restart()
        if self.says("Reload"):
            self.reload()
        if self.says("CheckCommand"):
            self.check()
        if not self.daemon.task:
            self.crash()
        self.stop()


def problem_of(box, daemon):
    """Returns the text of a failure, or nothing on success."""
    began = time.monotonic()
    try:
        Life(box, daemon).live()
    except Exception as problem:  # the other daemons are tested, too
        told = box.svcctl("status", daemon.service, check=False).stdout
        box.svcctl("stop", daemon.service, check=False)
        return f"=== {daemon.service}: {problem}\n{told}"
    print(f"{daemon.service}: {time.monotonic() - began:.1f} s", flush=True)
    return ""


# --- all ---

# Short-lived programs of svcd: workers, and the children that close descriptors and write to the
# console.
OWN = ("svc-worker", "svcd-close", "svcd-console", "svc-syslog")


def strays(box, before, daemons):
    """The processes that are neither in @before nor svcd's own. Services that a request from a
    daemon has started are left out."""
    tried = {daemon.service for daemon in daemons}
    up = {f"/svcd/{name}" for name, row in box.services().items() if row["state"] == "ready" and name not in tried}
    return {pid: name for pid, name in living(box).items() if pid not in before and name not in OWN and box.cgroup_of(pid) not in up}


def policy_of(daemons):
    return POLICY + "".join(f"[service {daemon.service}]\nIgnore={daemon.ignore}\n" for daemon in daemons if daemon.ignore)


def files_of(daemons):
    files = dict(FILES)
    for daemon in daemons:
        files.update(daemon.files)
    return files


def try_all(*daemons, packages=PACKAGES, policy=""):
    """Test all daemons in a sandbox of the tree with @packages, and report all failures. @policy:
    additional policy."""
    tree = debian_root(*packages.split())
    with Sandbox(root=tree, vendor=True, policy=policy_of(daemons) + policy, files=files_of(daemons), mounts=("sys",)) as box:
        box.run(NETWORK)
        for name in ("dbus", "rsyslog"):
            box.wait_state(name, "ready")
        box.wait_at_rest()
        before = set(living(box))

        with concurrent.futures.ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
            problems = [text for text in pool.map(lambda daemon: problem_of(box, daemon), daemons) if text]

        assert not problems, "\n".join(problems)
        wait_for(lambda: not strays(box, before, daemons) or print(strays(box, before, daemons)), what="the processes that the daemons started are gone")
