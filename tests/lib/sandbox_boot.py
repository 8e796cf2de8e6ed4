# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Sandbox boot: the inside of a sandbox. Makes the namespaces and the root, then becomes PID 1 by
executing svcd.

sandbox.py starts it with a description in JSON on descriptor 0. All mounts are in its own mount
namespace, so the death of the PID namespace removes them. The machine's own file systems are only
the lower layers of an overlay. svcd's last action remounts all file systems read-only, so none of
them may share a superblock with the machine.
"""

import fcntl
import json
import os
import shutil
import signal
import socket
import stat
import struct
import subprocess
import sys
import termios
import traceback

import namespaces as ns

TIOCSPTLCK = 0x40045431
TIOCGPTN = 0x80045430

# Name, device number, mode. Made by mknod, because a bind mount would bring the machine's devtmpfs
# along.
DEVICE_NODES = (
    ("null", 1, 3, 0o666),
    ("zero", 1, 5, 0o666),
    ("full", 1, 7, 0o666),
    ("random", 1, 8, 0o666),
    ("urandom", 1, 9, 0o666),
    ("tty", 5, 0, 0o666),
)

# Enough for several tests at a time.
N_LOOPS = 64

DEVICE_LINKS = (
    ("fd", "/proc/self/fd"),
    ("stdin", "/proc/self/fd/0"),
    ("stdout", "/proc/self/fd/1"),
    ("stderr", "/proc/self/fd/2"),
    ("ptmx", "pts/ptmx"),
)

# The sandbox must not touch the machine's clock, modules, ports and kernel log.
DROPPED_CAPABILITIES = (ns.CAP_SYS_TIME, ns.CAP_SYS_MODULE, ns.CAP_SYS_RAWIO, ns.CAP_SYSLOG, ns.CAP_WAKE_ALARM)

MINIMAL_FILES = {
    "etc/passwd": "root:x:0:0:root:/root:/bin/sh\ndaemon:x:1:1::/:/bin/sh\nwww-data:x:33:33::/:/bin/sh\n"
                  "nobody:x:65534:65534::/:/bin/sh\n",
    "etc/group": "root:x:0:\ndaemon:x:1:\nadm:x:4:\nwww-data:x:33:\nnogroup:x:65534:\n",
    "etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
    "etc/hosts": "127.0.0.1 localhost\n",
}


def make_overlay(lowers, base, name, target):
    upper = f"{base}/{name}-upper"
    work = f"{base}/{name}-work"
    # A kept disk has both directories from the previous boot.
    os.makedirs(upper, exist_ok=True)
    os.makedirs(work, exist_ok=True)
    ns.mount("overlay", target, "overlay", 0, f"lowerdir={':'.join(lowers)},upperdir={upper},workdir={work}")


def make_root(spec):
    """Return the directory of the new root, an overlay. Its changes are on a tmpfs of this boot, or
    in a directory that survives boots."""
    base = spec["base"]
    ns.mount("tmpfs", base, "tmpfs", 0, "mode=755,size=2g")
    root = f"{base}/root"
    os.mkdir(root)
    if spec["root"]:
        make_overlay([spec["stage"], *spec["layers"], spec["root"]], spec["disk"] or base, "root", root)
    else:
        make_minimal_root(spec, base, root)
    for name in ("proc", "sys", "dev", "run", "tmp", "etc", "root", "var"):
        os.makedirs(f"{root}/{name}", exist_ok=True)
    os.chmod(f"{root}/tmp", 0o1777)
    return root


def make_minimal_root(spec, base, root):
    """A root with the machine's /usr below the stage's, and little else."""
    skeleton = f"{base}/skeleton"
    os.makedirs(f"{skeleton}/usr")
    for name in ("bin", "sbin", "lib", "lib64", "lib32", "libx32"):
        if os.path.isdir(f"/usr/{name}"):
            os.symlink(f"usr/{name}", f"{skeleton}/{name}")
    disk = spec["disk"] or base
    make_overlay([spec["stage"], skeleton], disk, "root", root)
    make_overlay([f"{spec['stage']}/usr", "/usr"], disk, "usr", f"{root}/usr")
    for path, text in MINIMAL_FILES.items():
        os.makedirs(os.path.dirname(f"{root}/{path}"), exist_ok=True)
        if not os.path.exists(f"{root}/{path}"):
            with open(f"{root}/{path}", "w", encoding="utf-8") as file:
                file.write(text)


def remove_tree(path):
    for directory, names, files in os.walk(path, topdown=False):
        for name in files:
            os.unlink(f"{directory}/{name}")
        for name in names:
            full = f"{directory}/{name}"
            if os.path.islink(full):
                os.unlink(full)
            else:
                os.rmdir(full)


def write_file(root, path, content):
    """@content: text, or a dictionary with "text", "bytes" (latin-1) or "copy", "link", "fifo",
    "directory", "device"; "mode", "uid"."""
    full = f"{root}/{path.lstrip('/')}"
    os.makedirs(os.path.dirname(full), exist_ok=True)
    if isinstance(content, str):
        content = {"text": content}
    if "link" in content:
        os.symlink(content["link"], full)
        return
    if content.get("fifo"):
        os.mkfifo(full)
    elif "device" in content:
        os.mknod(full, stat.S_IFCHR, os.makedev(*content["device"]))
    elif "copy" in content:
        shutil.copyfile(content["copy"], full)
    elif content.get("directory"):
        os.makedirs(full, exist_ok=True)
    else:
        data = content["bytes"].encode("latin-1") if "bytes" in content else content["text"].encode()
        with open(full, "wb") as file:
            file.write(data)
    if "mode" in content:
        os.chmod(full, content["mode"])
    if "uid" in content:
        os.chown(full, content["uid"], content.get("gid", content["uid"]))


def mount_proc(root, base, cmdline):
    proc = f"{root}/proc"
    ns.mount("proc", proc, "proc", ns.MS_NOSUID | ns.MS_NODEV | ns.MS_NOEXEC)
    for name in ("sys", "sysrq-trigger", "irq", "bus", "fs"):
        path = f"{proc}/{name}"
        if os.path.exists(path):
            ns.mount(path, path, None, ns.MS_BIND | ns.MS_REC)
            ns.mount(None, path, None, ns.MS_BIND | ns.MS_REMOUNT | ns.MS_RDONLY)
    # The network's sysctls belong to this namespace, so they may be changed.
    net = f"{proc}/sys/net"
    ns.mount(net, net, None, ns.MS_BIND)
    ns.mount(None, net, None, ns.MS_BIND | ns.MS_REMOUNT)
    cover(base, f"{proc}/swaps", "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n")
    cover(base, f"{proc}/cmdline", cmdline + "\n")
    return cover_kmsg(base, f"{proc}/kmsg") if os.path.exists(f"{proc}/kmsg") else None


def cover_kmsg(base, path):
    """Cover the file with an empty fifo. It cannot be a regular file, because rsyslogd would read
    the end of such a file again and again. Returns the fifo's writer, which must stay open."""
    source = f"{base}/cover-kmsg"
    os.mkfifo(source, 0o600)
    ns.mount(source, path, None, ns.MS_BIND)
    return os.open(source, os.O_RDWR | os.O_CLOEXEC)


def cover(base, path, text):
    source = f"{base}/cover-{os.path.basename(path)}"
    with open(source, "w", encoding="utf-8") as file:
        file.write(text)
    ns.mount(source, path, None, ns.MS_BIND)


def mount_dev(root):
    dev = f"{root}/dev"
    ns.mount("tmpfs", dev, "tmpfs", ns.MS_NOSUID, "mode=755,size=4m")
    os.umask(0)
    for name, major, minor, mode in DEVICE_NODES:
        os.mknod(f"{dev}/{name}", stat.S_IFCHR | mode, os.makedev(major, minor))
    os.mkdir(f"{dev}/pts")
    ns.mount("devpts", f"{dev}/pts", "devpts", ns.MS_NOSUID | ns.MS_NOEXEC,
             "newinstance,mode=620,gid=5,ptmxmode=666")
    for name, target in DEVICE_LINKS:
        os.symlink(target, f"{dev}/{name}")
    os.mkdir(f"{dev}/shm", 0o1777)
    ns.mount("tmpfs", f"{dev}/shm", "tmpfs", ns.MS_NOSUID | ns.MS_NODEV, "mode=1777,size=64m")
    os.umask(0o022)


def give_loops(root):
    """
    Provide the nodes of loop devices; the devices and their events belong to the machine.

    udevadm trigger writes below /sys, which is read-only except for devices without hardware.
    """
    os.mknod(f"{root}/dev/loop-control", stat.S_IFCHR | 0o600, os.makedev(10, 237))
    for number in range(N_LOOPS):
        os.mknod(f"{root}/dev/loop{number}", stat.S_IFBLK | 0o600, os.makedev(7, number))
    sys = f"{root}/sys"
    ns.mount(None, sys, None, ns.MS_REMOUNT | ns.MS_NOSUID | ns.MS_NODEV | ns.MS_NOEXEC)
    virtual = f"{sys}/devices/virtual/block"
    ns.mount(virtual, virtual, None, ns.MS_BIND)
    ns.mount(None, sys, None, ns.MS_BIND | ns.MS_REMOUNT | ns.MS_RDONLY | ns.MS_NOSUID | ns.MS_NODEV | ns.MS_NOEXEC)


def make_console(root):
    """Make a terminal of the sandbox's devpts its /dev/console; returns the master's descriptor."""
    master = os.open(f"{root}/dev/pts/ptmx", os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
    fcntl.ioctl(master, TIOCSPTLCK, struct.pack("i", 0))
    number = struct.unpack("I", fcntl.ioctl(master, TIOCGPTN, bytes(4)))[0]
    slave = f"{root}/dev/pts/{number}"
    with open(f"{root}/dev/console", "w", encoding="utf-8"):
        pass
    ns.mount(slave, f"{root}/dev/console", None, ns.MS_BIND)
    fd = os.open(slave, os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
    settings = termios.tcgetattr(fd)
    settings[3] &= ~termios.ECHO
    termios.tcsetattr(fd, termios.TCSANOW, settings)
    os.close(fd)
    return master


def mount_sys(root):
    ns.mount("sysfs", f"{root}/sys", "sysfs", ns.MS_NOSUID | ns.MS_NODEV | ns.MS_NOEXEC | ns.MS_RDONLY)


def mount_cgroup(root):
    ns.mount("cgroup2", f"{root}/sys/fs/cgroup", "cgroup2", ns.MS_NOSUID | ns.MS_NODEV | ns.MS_NOEXEC)


def give_coverage(spec, root):
    """Provide the directory in which PID 1 writes its gcov(1) counts, for tests/coverage."""
    place = spec["coverage"]
    os.makedirs(f"{root}{place}", exist_ok=True)
    ns.mount(place, f"{root}{place}", None, ns.MS_BIND)
    spec["environment"]["GCOV_PREFIX"] = place


def plug_network():
    """Make a network interface to nowhere, with an address and a default route, as in a container.
    """
    for line in ("link add name eth0 type veth peer name wire0", "link set lo up", "link set wire0 up", "link set eth0 up",
                 "address add 192.0.2.2/24 dev eth0", "route add default via 192.0.2.1"):
        subprocess.run(["ip", *line.split()], check=True)


def enter_root(root):
    os.chdir(root)
    ns.pivot_root(".", ".")
    ns.umount(".", ns.MNT_DETACH)
    os.chdir("/")


def become_pid1(spec, control):
    ns.die_with_parent(signal.SIGKILL)
    os.setsid()
    if spec["cgroup"]:
        with open(f"{spec['cgroup']}/cgroup.procs", "w", encoding="ascii") as procs:
            procs.write("0")
    ns.unshare(ns.CLONE_NEWNS | ns.CLONE_NEWNET | ns.CLONE_NEWUTS | ns.CLONE_NEWIPC | ns.CLONE_NEWCGROUP)
    ns.mount(None, "/", None, ns.MS_REC | ns.MS_PRIVATE)
    ns.set_hostname(spec["hostname"])
    if spec["network"]:
        plug_network()

    root = make_root(spec)
    mount_dev(root)
    kmsg = None
    if "proc" not in spec["missing"]:
        kmsg = mount_proc(root, spec["base"], spec["cmdline"])
    if "sys" in spec["mounts"]:
        mount_sys(root)
        if "cgroup" not in spec["missing"]:
            mount_cgroup(root)
    if spec["udev"]:
        give_loops(root)
    if "run" in spec["mounts"]:
        ns.mount("tmpfs", f"{root}/run", "tmpfs", ns.MS_NOSUID | ns.MS_NODEV, "mode=755,size=64m")
    if spec["coverage"]:
        give_coverage(spec, root)
    console = make_console(root)
    for path in spec["removed"]:
        remove_tree(f"{root}/{path}")
    for path, content in spec["files"].items():
        write_file(root, path, content)
    enter_root(root)
    for path in spec["read_only"]:
        ns.mount(path, path, None, ns.MS_BIND)
        ns.mount(None, path, None, ns.MS_BIND | ns.MS_REMOUNT | ns.MS_RDONLY)
    for capability in DROPPED_CAPABILITIES:
        ns.drop_capability(capability)
    if not spec["may_mount"]:
        ns.drop_capability(ns.CAP_SYS_ADMIN)

    socket.send_fds(control, [b"console"], [console] if kmsg is None else [console, kmsg])
    control.close()
    terminal = os.open("/dev/console", os.O_RDWR | os.O_NOCTTY)
    for fd in range(3):
        os.dup2(terminal, fd)
    os.closerange(3, 256)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    os.execve(spec["init"][0], spec["init"], spec["environment"])


def main():
    control = socket.socket(fileno=int(sys.argv[1]))
    with open(0, encoding="utf-8") as text:
        spec = json.load(text)
    ns.die_with_parent(signal.SIGKILL)
    ns.unshare(ns.CLONE_NEWPID)
    child = os.fork()
    if child == 0:
        try:
            become_pid1(spec, control)
        except BaseException:  # the parent must not continue as PID 1
            traceback.print_exc()
            sys.stderr.flush()
        os._exit(99)
    control.sendall(f"pid {child}\n".encode())
    status = os.waitpid(child, 0)[1]
    control.sendall(f"status {status}\n".encode())


if __name__ == "__main__":
    main()
