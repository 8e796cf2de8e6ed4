# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Debs: Debian packages for a root of tests/lib/root, each also with a higher version.

They are downloaded once from apt's archive, with their missing dependencies. Nothing is
installed outside of sandboxes.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess

CACHE = os.path.join(os.environ.get("SVCD_CACHE", "/var/cache/svcd-tests"), "debs")
QUIET = {"check": True, "stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}


def name_of(path):
    """The package's name; that of redis-server_5%3a7.0.15-1_amd64.deb is redis-server."""
    return os.path.basename(path).split("_")[0]


def _download(root, names, directory):
    command = ["apt-get", "-qq", "-y", "--no-install-recommends", "--download-only", "-o", "Debug::NoLocking=1",
               "-o", f"Dir::State::status={root}/var/lib/dpkg/status", "-o", f"Dir::Cache::archives={directory}",
               "install", "--reinstall", *names]
    environment = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
    if subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment,
                      check=False).returncode:
        subprocess.run(["apt-get", "-qq", "update"], **QUIET)
        subprocess.run(command, env=environment, **QUIET)


def _renew(path, directory):
    """The same package, with a higher version."""
    tree = f"{directory}/tree"
    subprocess.run(["dpkg-deb", "--raw-extract", path, tree], **QUIET)
    with open(f"{tree}/DEBIAN/control", encoding="utf-8") as file:
        lines = [line.rstrip("\n") + "+svcd1\n" if line.startswith("Version: ") else line for line in file]
    with open(f"{tree}/DEBIAN/control", "w", encoding="utf-8") as file:
        file.writelines(lines)
    subprocess.run(["dpkg-deb", "--build", "-Znone", tree, f"{directory}/{name_of(path)}.deb"], **QUIET)
    shutil.rmtree(tree)


def _fill(root, names, directory):
    for part in ("all/partial", "newer"):
        os.makedirs(f"{directory}/{part}")
    _download(root, names, f"{directory}/all")
    shutil.rmtree(f"{directory}/all/partial")
    for name in sorted(os.listdir(f"{directory}/all")):
        if not name.endswith(".deb"):
            os.unlink(f"{directory}/all/{name}")
        elif name_of(name) in names:
            _renew(f"{directory}/all/{name}", f"{directory}/newer")
            os.rename(f"{directory}/all/{name}", f"{directory}/{name_of(name)}.deb")


def fetch(root, names):
    """
    A directory with NAME.deb and newer/NAME.deb for each of @names, and their dependencies in all/.
    Shared, read-only.
    """
    key = hashlib.sha256(" ".join([os.path.basename(root), *sorted(names)]).encode()).hexdigest()[:12]
    directory = f"{CACHE}/{key}"
    os.makedirs(CACHE, exist_ok=True)
    with open(f"{CACHE}/lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not os.path.isdir(directory):
            shutil.rmtree(f"{directory}.new", ignore_errors=True)
            _fill(root, set(names), f"{directory}.new")
            os.rename(f"{directory}.new", directory)
    return directory


def files(directory, inside):
    """For Sandbox(files=...): the packages below @inside."""
    found = {}
    for path, _names, names in os.walk(directory):
        for name in names:
            full = f"{path}/{name}"
            found[f"{inside}/{os.path.relpath(full, directory)}"] = {"copy": full}
    return found
