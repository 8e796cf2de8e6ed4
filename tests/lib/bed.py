# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Bed: a plain Debian under svcd. apt installs packages in the running system, and the disk survives
reboots.

    with Bed("bookworm", ["postgresql"]) as bed:
        bed.apt("install", "postgresql")
        bed.reboot()

The root is tests/lib/root --plain: no daemon except udev, no init. svcd provides Debian's commands,
and the shipped policy 60-debian-habits is active. The packages come from a repository in the bed,
so apt needs no network. repository() fills it once from the archive of the root's own sources.
"""

import fcntl
import hashlib
import os
import re
import shutil
import subprocess

import namespaces as ns
from deadline import wait_for
from sandbox import HERE, Failure, Sandbox, cache_directory

APT_LIMIT_S = 600
DISK_SIZE = "6g"

TAKE_OVER = "/usr/lib/svcd/sysv/take-over"

FILES = {
    "/etc/apt/sources.list": "deb [trusted=yes] file:/debs ./\n",
    # No DNS server answers there, so names are looked up only in files.
    "/etc/hosts": "127.0.0.1 localhost\n127.0.1.1 svcd-box.example svcd-box\n::1 localhost ip6-localhost ip6-loopback\n",
    "/etc/resolv.conf": "",
    "/etc/nsswitch.conf": "passwd: files\ngroup: files\nshadow: files\nhosts: files\nservices: files\nprotocols: files\nrpc: files\n",
}

# Sockets of the init and of udev, client sockets of Samba and Dovecot, and sockets of
# NetworkManager while it looks for a router.
IGNORED_SOCKETS = re.compile(r"raw \*:58$|unix (/run/svcd/|/run/initctl|/run/udev/|/run/systemd/|/run/samba/ncalrpc/|/run/dovecot/srv\.|@)")
# Texts that differ from boot to boot, and their replacements: a second name of a directory, dynamic
# ports, addresses, numbers and names.
VARIABLE = ((r"unix /var/run/", "unix /run/"), (r":(3[2-9]|[4-6]\d)\d{3}$", ":chosen"), (r"udp 127.0.0.1:[6-9]\d\d$", "udp 127.0.0.1:chosen"),
            (r"\[fe80::[^]]*\]", "[fe80::]"), (r"%\w+", ""), (r"\.\d+\.tmp$", ""), (r"/\d+$", "/pid"), (r"/[0-9a-f]{12}\.sock$", "/id.sock"),
            (r"/irqbalance\d+\.sock$", "/irqbalance.sock"), (r"\.sock\.\d+$", ".sock.pid"))

# svcd's workers are short-lived; dpkg's triggers and apt may not have ended yet.
PASSING = ("svc-worker", "svc-generate", "svcd-close", "svcd-console", "svc-syslog", "svcctl", "nsenter")


def plain_root(release, kind="--plain"):
    done = subprocess.run([f"{HERE}/root", kind, release], check=True, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
    return done.stdout.strip()


# --- the repository ---

class Archive:
    """The machine's apt-get, with the root's sources, keys and list of installed packages."""

    def __init__(self, root):
        self.root = root
        self.cache = f"{cache_directory()}/apt-{os.path.basename(root)}"

    def __enter__(self):
        for part in ("lists/partial", "archives/partial", "empty/partial"):
            os.makedirs(f"{self.cache}/{part}", exist_ok=True)
        self.lock = open(f"{self.cache}/lock", "w", encoding="ascii")  # pylint: disable=consider-using-with
        fcntl.flock(self.lock, fcntl.LOCK_EX)
        return self

    def __exit__(self, kind, value, trace):
        self.lock.close()

    def get(self, *argv, archives="archives"):
        command = ["apt-get", "-qq", "-y", "--no-install-recommends", "-o", f"Dir::Etc={self.root}/etc/apt",
                   "-o", f"Dir::Etc::trustedparts={self.root}/etc/apt/trusted.gpg.d", "-o", f"Dir::State={self.cache}",
                   "-o", f"Dir::State::status={self.root}/var/lib/dpkg/status", "-o", f"Dir::Cache={self.cache}",
                   "-o", f"Dir::Cache::archives={self.cache}/{archives}", "-o", "Debug::NoLocking=1", "-o", "APT::Sandbox::User=root", *argv]
        return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)

    def fetch(self, words):
        """Download the files that "apt-get install" would install with these arguments."""
        for attempt in ("as it is known", "renewed"):
            if attempt == "renewed":
                self.get("update")
            listed = self.get("--print-uris", "install", "--reinstall", *words, archives="empty")
            done = self.get("--download-only", "install", "--reinstall", *words)
            if listed.returncode == done.returncode == 0:
                return [f"{self.cache}/archives/{line.split()[1]}" for line in listed.stdout.splitlines() if line.startswith("'")]
        raise Failure(f"cannot download {' '.join(words)}:\n{listed.stderr}{done.stderr}")


def describe(path):
    """A paragraph of a repository's "Packages" file."""
    control = subprocess.run(["dpkg-deb", "--field", path], check=True, stdout=subprocess.PIPE, text=True).stdout
    with open(path, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return f"{control}Filename: ./{os.path.basename(path)}\nSize: {os.path.getsize(path)}\nSHA256: {digest}\n"


def repository(root, words):
    """A tree with /debs, a repository of all packages that "apt-get install" with these arguments
    needs in that root; made once, read-only."""
    key = hashlib.sha256(" ".join(sorted(words)).encode()).hexdigest()[:12]
    with Archive(root) as archive:
        tree = f"{archive.cache}/tree-{key}"
        if not os.path.isdir(tree):
            shutil.rmtree(f"{tree}.new", ignore_errors=True)
            os.makedirs(f"{tree}.new/debs")
            files = archive.fetch(words)
            with open(f"{tree}.new/debs/Packages", "w", encoding="utf-8") as index:
                index.write("\n".join(describe(path) for path in files))
            for path in files:
                os.link(path, f"{tree}.new/debs/{os.path.basename(path)}")
            os.rename(f"{tree}.new", tree)
    return tree


# --- the bed ---

def make_disk():
    """A directory on a tmpfs of this process; it vanishes with the process."""
    place = f"{cache_directory()}/bed"
    os.makedirs(place, exist_ok=True)
    ns.unshare(ns.CLONE_NEWNS)
    ns.mount(None, "/", None, ns.MS_REC | ns.MS_PRIVATE)
    ns.mount("tmpfs", place, "tmpfs", 0, f"mode=755,size={DISK_SIZE}")
    return place


class Bed(Sandbox):
    """A bed with the packages for apt; at most one per process. @files: as for Sandbox; @policy:
    the admin's own."""

    root_kind = "--plain"

    def __init__(self, release, words, files=None, policy="", **options):
        root = plain_root(release, self.root_kind)
        super().__init__(root=root, vendor=True, files={**FILES, **(files or {})}, policy=policy, mounts=("sys",),
                         layers=[repository(root, words)], disk=make_disk(), network=True, **options)

    def __enter__(self):
        self.start()
        try:
            self.prepare()
        except BaseException:
            self.tear_down()
            raise
        return self

    def prepare(self):
        self.wait_up()
        self.run(TAKE_OVER)
        self.svcctl("policy", "presets", "60-debian-habits")
        self.apt("update")

    def apt(self, *argv, check=True):
        """The output of apt-get. It asks no questions, keeps the admin's files, and installs no
        recommended packages."""
        done = self.run("env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q", "-y", "--no-install-recommends", "-o",
                        "Dpkg::Options::=--force-confold", *argv, check=False, timeout=APT_LIMIT_S)
        if check and done.returncode:
            raise Failure(f"apt-get {' '.join(argv)}: exit {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def reboot(self):
        self.shut_down("reboot")
        self.wait_end()
        self.boot_again()
        self.wait_up()

    def living(self):
        """(name, cgroup) of each process, except transient ones."""
        found = set()
        for outer, _parent, name, state in self.processes().values():
            try:
                with open(f"/proc/{outer}/cgroup", encoding="utf-8") as file:
                    cgroup = re.search(r"^0::(?:.*/svcd-test-[^/]*)?(.*)$", file.read(), re.MULTILINE).group(1)
            except OSError:
                continue
            if state != "Z" and name not in PASSING:
                found.add((name, cgroup))
        return found

    def sockets(self):
        """The listening or bound sockets: "tcp 127.0.0.1:53", "unix /run/x"."""
        found = set()
        for line in self.run("ss", "-Hlntuxw").stdout.splitlines():
            kind, _state, _received, _sent, address = line.split()[:5]
            socket = f"{'unix' if kind.startswith('u_') else kind} {address}"
            for pattern, text in VARIABLE:
                socket = re.sub(pattern, text, socket)
            if not IGNORED_SOCKETS.match(socket):
                found.add(socket)
        return found - {"unix *"}

    def wait_up_again(self, service, but_not):
        """Wait until a process other than @but_not is ready; returns its pid."""
        return wait_for(lambda: self.state(service) == "ready" and self.pid(service) not in (0, but_not) and self.pid(service),
                        what=f"{service} is up again")


class SystemdBed(Bed):
    """The same Debian under its own init, for comparisons."""

    root_kind = "--systemd"

    def __init__(self, release, words, files=None):
        empty = f"{cache_directory()}/empty"
        os.makedirs(empty, exist_ok=True)
        # systemd keeps a container's own /dev, and mounts missing file systems.
        super().__init__(release, words, files, stage=empty, init=("/lib/systemd/systemd", "--show-status=no", "--log-target=null"),
                         environment={"TERM": "linux", "HOME": "/", "container": "bed"})

    def prepare(self):
        wait_for(lambda: self.run("systemctl", "is-system-running", check=False).stdout.strip() in ("running", "degraded"),
                 what="systemd has booted")
        self.apt("update")
