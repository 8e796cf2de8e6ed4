# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Small machine: svcd as PID 1 of a whole machine without a disk, with the kernel of another Debian
release.

The root is the initramfs: busybox, a build of svcd, its libraries from this machine, and the test's
additions. The kernel of that release is downloaded once, from apt's archive. Nothing is installed.
"""

import fcntl
import glob
import lzma
import os
import re
import shutil
import subprocess

from sandbox_boot import MINIMAL_FILES, write_file

CACHE = os.environ.get("SVCD_CACHE", "/var/cache/svcd-tests")
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
IMAGE = "linux-image-amd64"
BUSYBOX = "/bin/busybox"
MODULES = ("fuse",)

# svcd leaves existing mounts as they are.
INIT = """#!/bin/sh
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
mount -t tmpfs -o mode=755,nosuid,nodev tmpfs /run
mkdir -p /dev/shm /dev/pts
mount -t tmpfs -o mode=1777 tmpfs /dev/shm
mount -t tmpfs -o mode=700 tmpfs /root
for module in /modules/*.ko; do [ ! -e $module ] || insmod $module; done
cp -a /run.files/. /run/
chmod 666 /dev/fuse
ip link set lo up
exec /sbin/svcd
"""

SHELL = {
    "/etc/svcd/services.d/test-shell.svc":
        "[Service]\nDescription=The tests' way in\n"
        "Exec=/bin/sh -c \"stty raw -echo; exec sh 2>/run/test-shell.errors\"\n"
        "TTYPath=/dev/ttyS1\nStop=signal:HUP\nStopTimeout=2s\n",
    "/etc/svcd/policy.d/shell.policy": "[runlevel S]\nActivate=test-shell\n",
}


class NoKernel(RuntimeError):
    """The download failed; the text is apt-get's message."""


def _apt(directory, program, *words):
    done = subprocess.run(
        [program, "-q", "-o", f"Dir::Etc::sourcelist={directory}/sources.list", "-o", "Dir::Etc::sourceparts=/dev/null",
         "-o", f"Dir::State::lists={directory}/lists", "-o", f"Dir::Cache={directory}/cache", "-o", "Acquire::Languages=none",
         "-o", "APT::Sandbox::User=root", *words],
        cwd=directory, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        raise NoKernel(f"{program} {' '.join(words)}: {done.stdout}")
    return done.stdout


def _archive():
    """The archive of this machine's own release."""
    with open("/etc/os-release", encoding="utf-8") as file:
        codename = next(line.split("=")[1].strip() for line in file if line.startswith("VERSION_CODENAME="))
    listed = subprocess.run(["apt-get", "indextargets", "--format", "$(REPO_URI) $(CODENAME) $(COMPONENT)", "Created-By: Packages"],
                            check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True).stdout
    found = [line.split()[0] for line in listed.splitlines() if line.split()[1:] == [codename, "main"]]
    if not found:
        raise NoKernel(f"apt-get has no archive of {codename}")
    return found[0]


def _depends(directory, package):
    listed = _apt(directory, "apt-cache", "depends", "--important", package)
    return [line.split(":", 1)[1].strip() for line in listed.splitlines() if "Depends:" in line]


def _download(release, directory):
    for name in ("lists/partial", "cache/archives/partial", "tree"):
        os.makedirs(f"{directory}/{name}")
    with open(f"{directory}/sources.list", "w", encoding="ascii") as file:
        file.write(f"deb [signed-by={KEYRING}] {_archive()} {release} main\n")
    _apt(directory, "apt-get", "update")
    names = [name for name in _depends(directory, IMAGE) if name.startswith("linux-image-")]
    # In newer releases the kernel and its modules are separate packages.
    names += [name for name in _depends(directory, names[0]) if name.startswith(("linux-binary-", "linux-modules-"))]
    _apt(directory, "apt-get", "download", *names)
    for package in glob.glob(f"{directory}/*.deb"):
        subprocess.run(["dpkg-deb", "-x", package, f"{directory}/tree"], check=True)
        os.unlink(package)
    # modprobe(8) looks below /lib.
    if os.path.isdir(f"{directory}/tree/usr/lib/modules") and not os.path.isdir(f"{directory}/tree/lib/modules"):
        os.makedirs(f"{directory}/tree/lib", exist_ok=True)
        os.symlink("../usr/lib/modules", f"{directory}/tree/lib/modules")
    for name in ("lists", "cache"):
        shutil.rmtree(f"{directory}/{name}")


def kernel_tree(release):
    """The unpacked packages; raises NoKernel."""
    tree = f"{CACHE}/kernel-{release}"
    os.makedirs(CACHE, exist_ok=True)
    with open(f"{CACHE}/kernel.lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not os.path.isdir(tree):
            shutil.rmtree(f"{tree}.new", ignore_errors=True)
            _download(release, f"{tree}.new")
            os.rename(f"{tree}.new", tree)
    return f"{tree}/tree"


def _read_module(path):
    with (lzma.open(path) if path.endswith(".xz") else open(path, "rb")) as file:
        return file.read()


def _modules(tree, version, name):
    """(file name, contents) of a module and its dependencies, in loading order."""
    paths = glob.glob(f"{tree}/lib/modules/{version}/kernel/**/{name}.ko*", recursive=True)
    if not paths:
        return [] # built in
    module = _read_module(paths[0])
    depends = re.search(rb"\0depends=([^\0]*)\0", module)
    found = []
    for other in depends.group(1).decode().split(",") if depends else []:
        found += _modules(tree, version, other) if other else []
    return found + [(f"{name}.ko", module)]


def _libraries(programs):
    found = set()
    for program in programs:
        listed = subprocess.run(["ldd", program], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False).stdout
        found.update(word for line in listed.splitlines() for word in line.split() if word.startswith("/") and os.path.isfile(word))
    return found


def _make_root(root, stage, tree, version, files):
    for name in ("proc", "sys", "dev", "run", "tmp", "var/log", "var/lib", "root", "usr/bin", "usr/sbin", "usr/lib", "usr/lib64", "modules"):
        os.makedirs(f"{root}/{name}")
    os.chmod(f"{root}/tmp", 0o1777)
    for name in ("bin", "sbin", "lib", "lib64"):
        os.symlink(f"usr/{name}", f"{root}/{name}")
    shutil.copy(BUSYBOX, f"{root}/usr/bin/busybox")
    for name in subprocess.run([BUSYBOX, "--list"], check=True, stdout=subprocess.PIPE, text=True).stdout.split():
        if name not in ("busybox", "init", "poweroff", "reboot", "halt"):
            os.symlink("busybox", f"{root}/usr/bin/{name}")
    subprocess.run(["cp", "-a", f"{stage}/.", root], check=True)
    for name in ("services.d", "policy.d"):
        shutil.rmtree(f"{root}/usr/lib/svcd/{name}")
    programs = [path for path in glob.glob(f"{stage}/usr/**", recursive=True) if os.path.isfile(path) and os.access(path, os.X_OK)]
    for path in _libraries(programs):
        target = f"{root}/usr{path.removeprefix('/usr')}"
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copy(path, target)
    for number, (name, module) in enumerate(found for name in MODULES for found in _modules(tree, version, name)):
        with open(f"{root}/modules/{number:02}-{name}", "wb") as file:
            file.write(module)
    for path, content in {**{f"/{name}": text for name, text in MINIMAL_FILES.items()}, **SHELL, **files}.items():
        if path.startswith("/dev/"):
            continue # provided by the kernel
        write_file(root, f"/run.files{path[4:]}" if path.startswith("/run/") else path, content)
    write_file(root, "/init", {"text": INIT, "mode": 0o755})
    os.makedirs(f"{root}/run.files", exist_ok=True)


def small_machine(directory, release, stage, files):
    """Kernel and initramfs for vm.Machine(cmdline="rdinit=/init"); the initramfs is made in
    @directory."""
    tree = kernel_tree(release)
    [modules] = glob.glob(f"{tree}/lib/modules/*")
    version = os.path.basename(modules)
    # Since Debian 14 the package contains the kernel beside the modules, and its installation
    # copies it.
    [kernel] = glob.glob(f"{tree}/boot/vmlinuz-*") or glob.glob(f"{modules}/vmlinuz")
    root, initramfs = f"{directory}/root", f"{directory}/initramfs"
    os.makedirs(root)
    _make_root(root, stage, tree, version, files)
    subprocess.run(["sh", "-c", 'cd "$1" && find . | cpio --quiet -o -H newc --owner=+0:+0 >"$2"', "sh", root, initramfs], check=True)
    shutil.rmtree(root)
    return version, kernel, initramfs
