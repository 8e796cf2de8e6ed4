#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Imports each systemd unit of the packages. Each line must be accounted for, and svcd must accept the
result.

Then some of the resulting services run beside the native ones.
"""

import concurrent.futures
import glob
import json
import os
import subprocess
import tempfile

from life import PACKAGES, Daemon, debian_root, tcp, try_all

SVCCTL = os.environ["SVCD_BUILD"] + "/svcctl"
UNITS = "usr/lib/systemd/system"
PACKAGES_AT_LEAST = 30

ROOT = debian_root(*PACKAGES.split())


def units_of_packages():
    """Unit files by package; a link is another name of one of them."""
    packages = {}
    for path in glob.glob(f"{ROOT}/var/lib/dpkg/info/*.list"):
        with open(path, encoding="utf-8") as file:
            names = [name for name in file.read().split("\n") if name.endswith((".service", ".target"))]
        files = [f"{ROOT}/{UNITS}/{os.path.basename(name)}" for name in names if "/systemd/system/" in name]
        package = os.path.basename(path).split(".list")[0].split(":")[0]
        packages[package] = [name for name in files if os.path.isfile(name) and not os.path.islink(name)]
    return {package: files for package, files in packages.items() if files}


def settings(path):
    """(line, text) of each setting, independent of the importer's parser."""
    found, begun, at = [], "", 0
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            line = line.strip()
            if not line or line[0] in "#;":
                continue
            at = at if begun else number
            begun += line.rstrip("\\")
            if line.endswith("\\"):
                continue
            if not begun.startswith("["):
                found.append((at, begun.split("=", 1)[0].strip()))
            begun = ""
    return found


def problem_of(path):
    with tempfile.TemporaryDirectory() as directory:
        done = subprocess.run([SVCCTL, "import", "--json", path], stdout=subprocess.PIPE, text=True, check=False)
        answer = json.loads(done.stdout)
        if done.returncode:
            return f"{path}: exit {done.returncode}: {answer['error']['message']}"
        data = answer["data"][0]
        told = {(line["line"], line["said"].split("=", 1)[0]) for line in data["lines"]}
        missing = [where for where in settings(path) if (f"{os.path.basename(path)}:{where[0]}", where[1]) not in told]
        if missing:
            return f"{path}: nothing is said of {missing}"
        unknown = [line["said"] for line in data["lines"] if line["note"] == "svcctl import does not know this key"]
        if unknown:
            return f"{path}: not known: {unknown}"
        mute = [line["said"] for line in data["lines"] if line["verdict"] == "lost" and not line["note"]]
        if mute:
            return f"{path}: lost without a reason: {mute}"
        # The importer has checked the service itself. Its needs may be missing in this directory.
        policy = f"{directory}/{data['name']}.policy"
        with open(policy, "w", encoding="utf-8") as file:
            file.write(data["policy"])
        done = subprocess.run([SVCCTL, "check", "--root", directory, policy], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, check=False)
        return f"{path}: {done.stdout}" if done.returncode else ""


packages = units_of_packages()
assert len(packages) >= PACKAGES_AT_LEAST, f"only {len(packages)} packages have units"
all_units = sorted(path for files in packages.values() for path in files)
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    problems = [text for text in pool.map(problem_of, all_units) if text]
assert not problems, "\n".join(problems)
print(f"{len(all_units)} units of {len(packages)} packages")


# --- imported services run ---

def imported(unit):
    done = subprocess.run([SVCCTL, "import", "--json", f"{ROOT}/{UNITS}/{unit}.service"], stdout=subprocess.PIPE,
                          text=True, check=True)
    data = json.loads(done.stdout)["data"][0]
    return {f"/usr/lib/svcd/services.d/{data['name']}.svc": data["service"]}


try_all(
    Daemon("memcached", probe=tcp(11211, "version\r\n", "VERSION"), files=imported("memcached")),
    Daemon("redis-server", probe=tcp(6379, "PING\r\n", "PONG"), files=imported("redis-server")),
    Daemon("ssh", probe=tcp(22, "", "SSH-2.0"), files=imported("ssh"), before="ssh-keygen -A"),
    Daemon("cron", files=imported("cron")),
)
