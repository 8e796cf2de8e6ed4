# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Traces: the processes of a package with their users, and the files after its purge, under svcd and
under systemd.

tests/data/NAME/RELEASE has a line for each trace of a package under systemd. A package without
traces has the line "PACKAGE none".
"""

import contextlib
import fcntl
import os
import re

from bed import PASSING

DATA = f"{os.path.dirname(os.path.dirname(os.path.abspath(__file__)))}/data"
NONE = "none"
# The user of a unit with DynamicUser=. A script must name another user.
DYNAMIC = "dynamic"

# Options of apt-get remove, to remove all packages that were installed with the package.
REMOVE_ALL = ("--auto-remove", "-o", "APT::AutoRemove::RecommendsImportant=no", "-o", "APT::AutoRemove::SuggestsImportant=no")

# Files of the init, dpkg and apt, and files that a program creates again at any time.
NOT_LOOKED_AT = ("/proc", "/sys", "/dev", "/run", "/tmp", "/var/tmp", "/debs", "/var/lib/dpkg", "/var/lib/apt", "/var/cache/apt", "/var/log/apt",
                 "/var/lib/svcd", "/etc/svcd", "/usr/local/share/dbus-1", "/var/lib/systemd", "/etc/systemd", "/etc/dpkg", "/var/log/journal",
                 "/var/log/dpkg.log", "/usr/share/man")
AT_ANY_TIME = re.compile(r"/__pycache__|^/etc/(passwd|group|shadow|gshadow|subuid|subgid)-$|^/var/cache/(ldconfig|debconf|man)/|/\.pwd\.lock$|"
                         r"\.(1|0)(\.gz)?$|^/etc/alternatives/.*\.gz$|"
                         # Files that are named after a version or a time, or after the bed.
                         r"^/var/backups/slapd-|/nfcapd\.|^/etc/mailname$|"
                         # Files of the sysvinit packages.
                         r"^/etc/(rc[0-9S]\.d/|init\.d/\.depend\.|inittab$)|^/var/log/(dmesg$|fsck/)")

# Made by systemd-tmpfiles, which the script of any package may call.
OF_TMPFILES = {"/etc/default/locale", "/etc/mtab", "/etc/vconsole.conf", "/root/.ssh", "/var/cache/private", "/var/lib/private", "/var/log/README",
               "/var/log/private"}

# Ignored processes: those of systemd itself, of each login, and of packages that only one of the
# two inits needs; the logger of a script; inetd, because its script starts it only if it has a
# service; htcacheclean, because under systemd its unit is disabled, but apache2's postinst starts
# it.
OF_OTHERS = re.compile(r":(systemd|\(|agetty|login$|bash$|sh$|cron$|dbus-daemon$|elogind|logger$|inetd$|htcacheclean$)")
# A worker's number or pid in the process name.
NUMBER = re.compile(r"\(\d+\)$")
# The name of the host in the process name.
HOST = re.compile(r"\[(VM|SVCD-BOX)\]$")
BUS_SOCKET = "unix /run/dbus/system_bus_socket"


def _users(bed):
    rows = [line.split(":") for line in bed.read("/etc/passwd").splitlines()]
    return {int(row[2]): row[0] for row in rows if len(row) > 2}


def processes_of(bed):
    """USER:NAME of each process, except short-lived ones."""
    names = _users(bed)
    found = set()
    for outer, _parent, name, state in bed.processes().values():
        try:
            with open(f"/proc/{outer}/status", encoding="utf-8") as file:
                user = int(re.search(r"^Uid:\s+\d+\s+(\d+)", file.read(), re.MULTILINE).group(1))
        except OSError:
            continue
        if state != "Z" and name not in PASSING:
            found.add(f"{names.get(user, DYNAMIC)}:{HOST.sub('[HOST]', NUMBER.sub('(N)', name.split()[0] if name.strip() else name))}")
    return {one for one in found if not OF_OTHERS.search(one)}


def without_dynamic(processes, expected):
    """@processes without those that under systemd have the user of DynamicUser=."""
    names = {one.removeprefix(f"{DYNAMIC}:") for one in expected if one.startswith(f"{DYNAMIC}:")}
    return {one for one in processes if one.split(":", 1)[1] not in names}


def files_of(bed):
    """Each file and directory that a purge can cover."""
    pruned = " -o ".join(f"-path {path}" for path in NOT_LOOKED_AT)
    listed = bed.run("/bin/sh", "-c", f"find / \\( {pruned} \\) -prune -o -print").stdout.splitlines()
    return {path for path in listed if not AT_ANY_TIME.search(path)} - OF_TMPFILES


def left_files(bed, before):
    """The additional files, without those of packages that apt keeps. If a directory remains, its
    files are not listed."""
    found = files_of(bed) - before
    kept = bed.run("/bin/sh", "-c", "xargs -rd '\\n' dpkg-query --search -- 2>/dev/null", check=False, stdin="\n".join(sorted(found))).stdout
    left = found - {line.split(": ", 1)[1] for line in kept.splitlines() if ": " in line}
    return {path for path in left if os.path.dirname(path) not in left}


def purge(bed, package):
    """Purge the packages of the row first. apt alone might purge a package with common directories
    before the packages that use them."""
    for words in (package.upgraded.split(), ["?config-files"]):
        if words:
            bed.apt("purge", *words)


def on_all_addresses(sockets):
    """A socket for both versions of IP counts as one for each of them."""
    found = set()
    for socket in sockets:
        kind, address = socket.split(" ", 1)
        found |= {f"{kind} {host}{address[1:]}" for host in ("0.0.0.0", "[::]")} if address.startswith("*:") else {socket}
    return found


# --- measured data ---

def _read(kind, release):
    try:
        with open(f"{DATA}/{kind}/{release}", encoding="utf-8") as file:
            return [line.rstrip("\n").split(" ", 1) for line in file]
    except FileNotFoundError:
        return []


def known(kind, name, release):
    """None: not measured."""
    traces = {trace for package, trace in _read(kind, release) if package == name}
    return traces - {NONE} if traces else None


@contextlib.contextmanager
def locked():
    """Parallel tests write here one after the other."""
    directory = os.open(DATA, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(directory, fcntl.LOCK_EX)
        yield
    finally:
        os.close(directory)


def write(kind, name, release, traces):
    os.makedirs(f"{DATA}/{kind}", exist_ok=True)
    rows = [row for row in _read(kind, release) if row[0] != name] + [[name, trace] for trace in traces or (NONE,)]
    with open(f"{DATA}/{kind}/{release}", "w", encoding="utf-8") as file:
        file.writelines(f"{package} {trace}\n" for package, trace in sorted(rows))
