# SPDX-License-Identifier: LGPL-2.1-or-later
"""
LSB: trees of init scripts, as insserv(8) and svcd read them. The scripts never run.

The packages and insserv come from apt's archive, and stay in the tests' cache. Nothing is
installed.
"""

import contextlib
import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(os.path.dirname(HERE), "lsb")
CACHE = os.path.join(os.environ.get("SVCD_CACHE", "/var/cache/svcd-tests"), "lsb")
SVCCTL = os.path.join(os.environ.get("SVCD_BUILD", ""), "svcctl")

START_LEVELS = ("S", "1", "2", "3", "4", "5")
STOP_LEVELS = ("0", "1", "6")
LEVELS = ("0", "1", "2", "3", "4", "5", "6", "S")

# No scripts, or parts of the machinery that runs them.
NO_SCRIPTS = {"README", "rc", "rcS", "skeleton"}


def service_of(script):
    """The service's name: the file name without a final .sh."""
    return script.removesuffix(".sh")


def closure(pairs):
    """The transitive closure of @pairs."""
    after = {}
    for first, second in pairs:
        after.setdefault(first, set()).add(second)
    result = set()
    for start in after:
        seen, left = set(), [start]
        while left:
            for name in after.get(left.pop(), ()):
                if name not in seen:
                    seen.add(name)
                    left.append(name)
        result |= {(start, name) for name in seen}
    return result


# --- packages ---

@contextlib.contextmanager
def cache_lock():
    """Lock the cache, so that one test at a time fills it."""
    os.makedirs(CACHE, exist_ok=True)
    with open(f"{CACHE}/lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def fetch(list_file):
    """Unpack the packages of a list once; returns the tree, which is shared and read-only."""
    with open(list_file, encoding="ascii") as file:
        words = file.read()
    with open(f"{DATA}/fetch", encoding="utf-8") as file:
        words += file.read()
    with cache_lock():
        tree = f"{CACHE}/{os.path.basename(list_file)}-{hashlib.sha256(words.encode()).hexdigest()[:12]}"
        if not os.path.isdir(tree):
            shutil.rmtree(f"{tree}.new", ignore_errors=True)
            argv = [f"{DATA}/fetch", "-c", f"{CACHE}/packages", list_file, f"{tree}.new"]
            if subprocess.run(argv, stdin=subprocess.DEVNULL, check=False).returncode:
                # The lists of packages may be missing or out of date.
                subprocess.run(["apt-get", "-qq", "update"], stdin=subprocess.DEVNULL, check=True)
                subprocess.run(argv, stdin=subprocess.DEVNULL, check=True)
            os.rename(f"{tree}.new", tree)
    return tree


def insserv_program():
    """The unpacked insserv: it needs only libc."""
    fetch(f"{DATA}/packages")
    tree = f"{CACHE}/insserv"
    with cache_lock():
        if not os.path.isdir(tree):
            package = next(name for name in os.listdir(f"{CACHE}/packages") if name.startswith("insserv_"))
            subprocess.run(["dpkg-deb", "-x", f"{CACHE}/packages/{package}", f"{tree}.new"], check=True)
            os.rename(f"{tree}.new", tree)
    return f"{tree}/sbin/insserv"


def read_manifest(tree):
    """Package -> the paths of its files."""
    packages = {}
    with open(f"{tree}/manifest.tsv", encoding="utf-8") as file:
        for line in list(file)[1:]:
            package, _version, _sum, path = line.rstrip("\n").split("\t")
            packages.setdefault(package, []).append(path)
    return packages


# --- trees ---

class Tree:
    """A root directory with init scripts, in a temporary directory."""

    def __init__(self, origin=None, paths=None):
        """@origin: a tree to copy from; @paths: only these files of it."""
        self._directory = tempfile.TemporaryDirectory(prefix="svcd-lsb-")
        self.root = self._directory.name
        if origin and paths is None:
            shutil.copytree(origin, self.root, symlinks=True, dirs_exist_ok=True)
        for path in paths or ():
            os.makedirs(os.path.dirname(f"{self.root}/{path}"), exist_ok=True)
            shutil.copy2(f"{origin}/{path}", f"{self.root}/{path}", follow_symlinks=False)
        for directory in ("init.d", "insserv/overrides", "insserv.conf.d", *(f"rc{level}.d" for level in LEVELS)):
            os.makedirs(f"{self.root}/etc/{directory}", exist_ok=True)
        # Like the Debian-habits policy, but without svcd's own services.
        self.write("/etc/svcd/policy.d/test.policy", "[defaults]\nRcLinks=yes\n")

    def __enter__(self):
        return self

    def __exit__(self, *_details):
        self._directory.cleanup()

    def write(self, path, text, mode=0o644):
        full = self.root + path
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
        os.chmod(full, mode)

    def scripts(self):
        return [name for name in sorted(os.listdir(f"{self.root}/etc/init.d"))
                if name not in NO_SCRIPTS and not name.startswith(".")]

    def add(self, origin):
        """Add the files of another tree."""
        shutil.copytree(origin, self.root, symlinks=True, dirs_exist_ok=True)

    # --- links ---

    def link(self, script, start=(), stop=(), number="01"):
        """Make links like those of update-rc.d, without an order by number."""
        self.unlink(script)
        for letter, levels in (("S", start), ("K", stop)):
            for level in levels:
                os.symlink(f"../init.d/{script}", f"{self.root}/etc/rc{level}.d/{letter}{number}{script}")

    def unlink(self, script):
        for level in LEVELS:
            directory = f"{self.root}/etc/rc{level}.d"
            for name in os.listdir(directory):
                if name[3:] == script and name[0] in "SK":
                    os.unlink(f"{directory}/{name}")

    def linked(self, level, letter):
        """The scripts with a link of that letter in a runlevel."""
        directory = f"{self.root}/etc/rc{level}.d"
        return {os.path.basename(os.readlink(f"{directory}/{name}")) for name in os.listdir(directory)
                if name[0] == letter and os.path.islink(f"{directory}/{name}")}

    # --- insserv ---

    def insserv(self, *scripts):
        """Enable the scripts, with or without their dependencies; returns the output."""
        os.makedirs(f"{self.root}/lib/insserv", exist_ok=True)
        argv = [insserv_program(), "-f", "-d", "-p", f"{self.root}/etc/init.d/", "-o", f"{self.root}/etc/insserv/overrides",
                "-c", f"{self.root}/etc/insserv.conf", "-i", f"{self.root}/lib/insserv", *scripts]
        done = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        return done.stdout.decode("utf-8", "replace")

    def insserv_order(self, kind, scripts):
        """Pairs (A, B) among @scripts: A is done before B begins. @kind: boot, start or stop."""
        pairs = set()
        with open(f"{self.root}/lib/insserv/.depend.{kind}", encoding="utf-8") as file:
            for line in file:
                name, colon, words = line.partition(":")
                if not colon or name.split()[1:]:
                    continue
                pairs |= {(word, name) for word in words.split() if word in scripts and name in scripts}
        return closure(pairs)

    # --- svcd ---

    def svcctl(self, *argv, check=True):
        """Run svcctl without LeakSanitizer, which is slower than svcctl itself; the unit tests use
        LeakSanitizer."""
        environment = dict(os.environ, ASAN_OPTIONS="detect_leaks=0")
        done = subprocess.run([SVCCTL, *argv, "--root", self.root], env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace", check=False)
        if check and done.returncode:
            raise AssertionError(f"svcctl {' '.join(argv)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
        return done

    def wanted(self, level):
        """Names of the services that a runlevel wants, including those of S."""
        data = json.loads(self.svcctl("policy", "--all", "--runlevel", level, "--json").stdout)["data"]
        return {row["name"] for row in data["services"] if row["wanted"]}

    def services(self):
        data = json.loads(self.svcctl("policy", "--all", "--json").stdout)["data"]
        return {row["name"] for row in data["services"]}

    def order(self, level=None, stop=False):
        """The pairs (A, B) that follow from the output of "svcctl tree --order"."""
        words = ["tree", "--order", "--edges"] + (["--runlevel", level] if level else []) + (["--stop"] if stop else [])
        return closure({tuple(line.split()) for line in self.svcctl(*words).stdout.splitlines()})

    def cat(self, service):
        """Key -> its values in the service's file."""
        keys = {}
        for line in json.loads(self.svcctl("cat", service, "--json").stdout)["data"][0]["lines"]:
            keys.setdefault(line["key"], []).append(line["value"])
        return keys

    def complaints(self):
        """The diagnostics of "svcctl check" as rows with level and text, and file, line and service
        if known."""
        done = self.svcctl("check", "--json", check=False)
        return json.loads(done.stdout)["data"]
