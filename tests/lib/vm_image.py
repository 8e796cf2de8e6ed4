# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Images: disks of a plain Debian with a build of svcd in it, for QEMU.

There are five Debians. PLAIN has no init except svcd. DESKTOP is like PLAIN, with GDM. SYSV has
sysvinit and its boot scripts. These three are Debian 12, except that PLAIN is $SVCD_TEST_SUITE.
SCREENS has other display managers, on any release. SYSTEMD has systemd and GRUB. The packages are
installed once into a tree in the cache. Each build of svcd is laid over it and becomes a disk
image, made without mounting a disk.
"""

import contextlib
import dataclasses
import fcntl
import glob
import hashlib
import os
import shutil
import struct
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
CACHE = os.environ.get("SVCD_CACHE", "/var/cache/svcd-tests")
SUITE = "bookworm"
PLAIN_SUITE = os.environ.get("SVCD_TEST_SUITE", SUITE)

# Added to the packages of the sandboxes (tests/lib/root).
KERNEL_PACKAGES = ["linux-image-amd64", "initramfs-tools"]

DISK_BYTES = 3 << 30
ROOT_LABEL = "svcd-root"
NOTHING = "nothing" # a disk without svcd

# An emulated processor searches half a minute for the primes of an RSA key, so that key stays.
FRESH_HOOK = "rm -f \"$1\"/etc/ssh/ssh_host_e* \"$1\"/var/lib/dbus/machine-id; : >\"$1\"/etc/machine-id"

# A small initramfs, because emulated processors unpack a large one for many seconds. It is written
# before the kernel is installed, so that the installation of the kernel makes no large initramfs.
INITRAMFS_HOOK = (
    "mkdir -p \"$1\"/etc/initramfs-tools/conf.d \"$1\"/usr/share/initramfs-tools/modules.d; "
    "echo MODULES=list >\"$1\"/etc/initramfs-tools/conf.d/svcd; "
    "printf '%s\\n' virtio_pci virtio_blk ext4 >\"$1\"/usr/share/initramfs-tools/modules.d/svcd")
HOOKS = ["echo root:root | chroot \"$1\" chpasswd"]

# The machine of the tests: volumes of each kind, a network, the usual daemons, and a shell for the
# tests on the second serial port.
PLAIN_FILES = {
    "/etc/hostname": "svcd-vm\n",
    "/etc/hosts": "127.0.0.1 localhost svcd-vm\n",
    "/etc/fstab":
        f"LABEL={ROOT_LABEL} / ext4 errors=remount-ro 0 1\n"
        "LABEL=my\\040data /srv/my-data ext4 defaults 0 2\n"
        "/srv/my-data/part /mnt/part none bind 0 0\n"
        "tmpfs /mnt/scratch tmpfs size=4m,mode=0700 0 0\n"
        "LABEL=absent /mnt/absent ext4 nofail 0 2\n"
        "tmpfs /mnt/byhand tmpfs noauto 0 0\n"
        "LABEL=svcd-swap none swap sw 0 0\n"
        "this line is wrong\n",
    "/etc/modules": "# the tests look for it\ndummy numdummies=1\n",
    "/etc/sysctl.d/50-svcd-vm.conf": "kernel.threads-max = 12345\nno.such.setting = 1\n",
    "/etc/network/interfaces": "auto lo\niface lo inet loopback\nauto eth0\niface eth0 inet dhcp\n",
    "/etc/svcd/policy.d/local.policy": "[runlevel 2]\nActivate=ssh nginx\n\n[runlevel S]\nActivate=test-shell\n",
    "/etc/svcd/services.d/test-shell.svc":
        "[Service]\nDescription=The tests' way in\n"
        "Exec=/bin/sh -c \"stty raw -echo; exec sh 2>/run/test-shell.errors\"\n"
        "TTYPath=/dev/ttyS1\nStop=signal:HUP\nStopTimeout=2s\n"
        "[Conditions]\nWhen=path:/dev/ttyS1\n",
}

# SysV's boot scripts; svcd's shared libraries; and other packages of a server with an init script
# and no daemon.
SYSV_PACKAGES = """sysvinit-core sysv-rc insserv startpar initscripts orphan-sysvinit-scripts bootlogd
    libglib2.0-0 libdbus-1-3 libudev1 libinih1 libsmartcols1 libjson-glib-1.0-0
    udev kmod procps ifupdown isc-dhcp-client console-setup kbd util-linux-extra e2fsprogs iproute2 mount login netbase
    logrotate systemd-standalone-tmpfiles systemd-standalone-sysusers x11-common sudo screen alsa-utils sysstat""".split()
SYSV_DAEMONS = """acpid anacron at avahi-daemon cron cups-daemon dbus dnsmasq elogind exim4-daemon-light haproxy haveged lldpd
    memcached monit nfs-common nginx-light nscd ntpsec openssh-server redis-server rpcbind rsyslog snmpd stunnel4
    tinyproxy uuid-runtime vnstat vsftpd""".split()

# Debian's own inittab with an enabled login on the serial line, and the tests' shell.
SYSV_HOOKS = [
    "sed -i 's|^#T0:.*|T0:23:respawn:/sbin/getty -L ttyS0 115200 vt100|' \"$1\"/etc/inittab; "
    "echo 'TS:2345:respawn:/bin/sh /usr/local/sbin/test-shell' >>\"$1\"/etc/inittab",
]

SYSV_FILES = {
    "/etc/hostname": "svcd-vm\n",
    "/etc/hosts": "127.0.0.1 localhost svcd-vm\n",
    "/etc/fstab": f"LABEL={ROOT_LABEL} / ext4 errors=remount-ro 0 1\nLABEL=data /srv/data ext4 defaults 0 2\n"
                  "tmpfs /mnt/scratch tmpfs size=4m,mode=0700 0 0\n",
    "/etc/network/interfaces": "auto lo\niface lo inet loopback\nauto eth0\niface eth0 inet dhcp\n",
    "/srv/data/.volume": "",
    "/mnt/scratch/.volume": "",
    "/usr/local/sbin/test-shell": "exec </dev/ttyS1 >/dev/ttyS1 2>/run/test-shell.errors; stty raw -echo; exec sh\n",
}


# A desktop: GDM on elogind, and its usual daemons. GDM brings GNOME sessions. tests/bench/ compares
# boots of it.
DESKTOP_PACKAGES = """gdm3 dbus-x11 dbus-bin gnome-session-bin gnome-session-common adwaita-icon-theme fonts-dejavu-core
    elogind libpam-elogind libelogind0 udev kmod procps e2fsprogs util-linux-extra iproute2 mount login netbase kbd
    libglib2.0-0 libdbus-1-3 libudev1 libinih1 libsmartcols1 libjson-glib-1.0-0
    systemd-standalone-tmpfiles systemd-standalone-sysusers
    accountsservice acpid anacron at avahi-daemon bluez chrony cron cups-daemon irqbalance modemmanager network-manager
    openssh-server packagekit polkitd rsyslog rtkit smartmontools udisks2 upower uuid-runtime wpasupplicant""".split()

# With these the desktop has at least thirty services.
DESKTOP_MORE = """autofs colord cups-browsed lldpd nginx-light power-profiles-daemon redis-server rpcbind sane-utils
    switcheroo-control""".split()

# The greeter's list has only "alice".
DESKTOP_HOOKS = ["chroot \"$1\" useradd -m -s /bin/bash -c Alice alice; echo alice:alice | chroot \"$1\" chpasswd"]

DESKTOP_FILES = {
    "/etc/hostname": "svcd-desktop\n",
    "/etc/hosts": "127.0.0.1 localhost svcd-desktop\n",
    "/etc/fstab": f"LABEL={ROOT_LABEL} / ext4 errors=remount-ro 0 1\n",
    "/etc/svcd/policy.d/desktop.policy":
        "[defaults]\nRunlevel=5\n\n[runlevel 5]\nActivate=gdm3 accounts-daemon acpid anacron atd avahi-daemon bluetooth chrony cups\n"
        "Activate=irqbalance modemmanager polkit rtkit-daemon smartmontools ssh udisks2 upower uuidd\n\n"
        "[runlevel S]\nActivate=test-shell\n",
    "/etc/svcd/services.d/test-shell.svc": PLAIN_FILES["/etc/svcd/services.d/test-shell.svc"],
}

# GNOME's helpers, which start with each greeter and session. Only gsd-power concerns svcd.
NO_HELPERS = """A11ySettings Color Datetime Housekeeping Keyboard MediaKeys PrintNotifications Rfkill ScreensaverProxy
    Sharing Smartcard Sound UsbProtection Wacom Wwan XSettings""".split()
HELPER_OFF = "[Desktop Entry]\nType=Application\nName=None\nExec=/bin/true\nHidden=true\n"
SESSION = "[GNOME Session]\nName=GNOME\nRequiredComponents=org.gnome.Shell;org.gnome.SettingsDaemon.Power;\n"

DESKTOP_MORE_FILES = {
    **{f"/etc/xdg/autostart/org.gnome.SettingsDaemon.{name}.desktop": HELPER_OFF for name in NO_HELPERS},
    **{f"/usr/share/gnome-session/sessions/{name}.session": SESSION for name in ("gnome", "gnome-login")},
    "/etc/svcd/policy.d/more.policy":
        "[runlevel 5]\nActivate=autofs colord cups-browsed lldpd nginx power-profiles-daemon redis-server rpcbind saned switcheroo-control\n",
}


# Display managers, and daemons that need hardware. /etc/X11/default-display-manager names the one
# to start.
SCREENS_PACKAGES = """lightdm lightdm-gtk-greeter sddm xserver-xorg-core xserver-xorg-video-fbdev xserver-xorg-input-libinput
    dbus-bin elogind libpam-elogind udev kmod procps e2fsprogs iproute2 mount login netbase kbd fonts-dejavu-core
    libglib2.0-0 libdbus-1-3 libudev1 libinih1 libsmartcols1 libjson-glib-1.0-0
    systemd-standalone-tmpfiles systemd-standalone-sysusers bluez ntpsec""".split()

# On Debian 12 boot/test_desktop covers GDM. Without Xwayland GDM uses Xorg, which is not allowed to
# open the first terminal.
SCREENS_GDM = "gdm3 gnome-session-bin gnome-session-common adwaita-icon-theme xwayland".split()

SCREENS_FILES = {
    "/etc/hostname": "svcd-screens\n",
    "/etc/hosts": "127.0.0.1 localhost svcd-screens\n",
    "/etc/fstab": f"LABEL={ROOT_LABEL} / ext4 errors=remount-ro 0 1\n",
    "/etc/svcd/policy.d/screens.policy":
        "[defaults]\nRunlevel=5\n\n[runlevel 5]\nActivate=lightdm bluetooth ntpsec\n\n[runlevel S]\nActivate=test-shell\n",
    "/etc/svcd/services.d/test-shell.svc": PLAIN_FILES["/etc/svcd/services.d/test-shell.svc"],
}


# A server with systemd, into which svcd is installed. GRUB boots it from a partition
# (make_partition). The tests' shell is a unit and a service.
SYSTEMD_PACKAGES = """systemd-sysv udev dbus kmod procps e2fsprogs iproute2 mount login netbase ifupdown isc-dhcp-client
    openssh-server cron rsyslog grub-pc-bin grub2-common python3-minimal
    libglib2.0-0 libdbus-1-3 libudev1 libsmartcols1 libjson-glib-1.0-0""".split()

SYSTEMD_HOOKS = ["mkdir -p \"$1\"/etc/systemd/system/multi-user.target.wants; "
                 "ln -s /etc/systemd/system/test-shell.service \"$1\"/etc/systemd/system/multi-user.target.wants"]

SYSTEMD_FILES = {
    "/etc/hostname": "svcd-systemd\n",
    "/etc/hosts": "127.0.0.1 localhost svcd-systemd\n",
    "/etc/fstab": f"LABEL={ROOT_LABEL} / ext4 errors=remount-ro 0 1\n",
    "/etc/network/interfaces": PLAIN_FILES["/etc/network/interfaces"],
    "/etc/default/grub":
        "GRUB_DEFAULT=0\nGRUB_TIMEOUT=1\nGRUB_CMDLINE_LINUX_DEFAULT=\n"
        "GRUB_CMDLINE_LINUX='net.ifnames=0 mitigations=off console=ttyS0,115200'\n"
        "GRUB_TERMINAL=serial\nGRUB_SERIAL_COMMAND='serial --speed=115200'\n",
    "/etc/systemd/system/test-shell.service":
        "[Unit]\nDescription=The tests' way in\n"
        "[Service]\nExecStart=/bin/sh -c 'stty raw -echo; exec sh 2>/run/test-shell.errors'\n"
        "StandardInput=tty\nStandardOutput=tty\nTTYPath=/dev/ttyS1\n"
        "[Install]\nWantedBy=multi-user.target\n",
    "/etc/svcd/policy.d/local.policy": "[runlevel 2]\nActivate=ssh\n\n[runlevel S]\nActivate=test-shell\n",
    "/etc/svcd/services.d/test-shell.svc": PLAIN_FILES["/etc/svcd/services.d/test-shell.svc"],
}


@dataclasses.dataclass(frozen=True)
class Debian:
    """The installed packages, the changes in the tree, and the files that are laid over it together
    with svcd."""
    name: str
    packages: tuple
    hooks: tuple
    files: dict
    suite: str = SUITE


def _sandbox_packages():
    listed = subprocess.run([f"{HERE}/root", "--packages"], check=True, stdout=subprocess.PIPE, text=True)
    return listed.stdout.split()


# The NFS server is in the kernel, so no sandbox has one. Its clients may use Kerberos tickets.
NFS_PACKAGES = ("nfs-kernel-server", "krb5-kdc", "krb5-admin-server")

PLAIN = Debian("vm" if PLAIN_SUITE == SUITE else f"vm-{PLAIN_SUITE}", (*_sandbox_packages(), *NFS_PACKAGES, *KERNEL_PACKAGES),
               (FRESH_HOOK, *HOOKS), PLAIN_FILES, PLAIN_SUITE)
DESKTOP = Debian("vm-desktop", (*DESKTOP_PACKAGES, *DESKTOP_MORE, *KERNEL_PACKAGES), (FRESH_HOOK, *HOOKS, *DESKTOP_HOOKS),
                 {**DESKTOP_FILES, **DESKTOP_MORE_FILES})
SCREENS = {suite: Debian(f"vm-screens-{suite}", (*SCREENS_PACKAGES, *more, *KERNEL_PACKAGES), (FRESH_HOOK, *HOOKS), SCREENS_FILES, suite)
           for suite, more in (("bookworm", ()), ("trixie", SCREENS_GDM))}
SYSTEMD = Debian("vm-systemd", (*SYSTEMD_PACKAGES, *KERNEL_PACKAGES), (*HOOKS, *SYSTEMD_HOOKS), SYSTEMD_FILES)
SYSV = Debian("vm-sysv", (*SYSV_PACKAGES, *SYSV_DAEMONS, *KERNEL_PACKAGES), (*HOOKS, *SYSV_HOOKS), SYSV_FILES)


@contextlib.contextmanager
def _lock(name):
    os.makedirs(CACHE, exist_ok=True)
    with open(f"{CACHE}/{name}.lock", "w", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _remove_stale():
    """Remove leftovers of killed tests: the name has the pid."""
    for path in glob.glob(f"{CACHE}/vm-run-*"):
        if not os.path.exists(f"/proc/{path.split('-')[-2]}"):
            shutil.rmtree(path, ignore_errors=True)


def work_directory():
    """A directory for the disks of one test, removed at its end."""
    os.makedirs(CACHE, exist_ok=True)
    _remove_stale()
    return tempfile.TemporaryDirectory(prefix=f"vm-run-{os.getpid()}-", dir=CACHE)


def _run(*argv, **options):
    subprocess.run(argv, check=True, stdin=subprocess.DEVNULL, **options)


def _digest(*parts):
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]


def debian_tree(debian=PLAIN):
    """The path of the unpacked packages, kernel included; installs them the first time."""
    mirror = os.environ.get("SVCD_MIRROR", "")
    tree = f"{CACHE}/{debian.name}-{_digest(debian.suite, mirror, *debian.packages, INITRAMFS_HOOK, *debian.hooks)}"
    with _lock(debian.name):
        if not os.path.isdir(tree):
            shutil.rmtree(tree + ".new", ignore_errors=True)
            argv = ["mmdebstrap", "--variant=minbase", "--format=directory", "--quiet", f"--include={','.join(debian.packages)}"]
            argv += [f"--dpkgopt=path-exclude=/usr/share/{name}/*" for name in ("doc", "man", "locale")]
            argv += ["--dpkgopt=force-unsafe-io", f"--essential-hook={INITRAMFS_HOOK}"]
            argv += [f"--customize-hook={hook}" for hook in debian.hooks]
            _run(*argv, debian.suite, tree + ".new", *filter(None, [mirror]))
            os.rename(tree + ".new", tree)
    return tree


def _tree_digest(directory):
    """A hash of a tree: names, modes, contents."""
    state = hashlib.sha256()
    for path, names, files in sorted(os.walk(directory)):
        names.sort()
        for name in sorted(files):
            full = os.path.join(path, name)
            state.update(f"{full} {os.lstat(full).st_mode:o} ".encode())
            if os.path.islink(full):
                state.update(os.readlink(full).encode())
            else:
                with open(full, "rb") as file:
                    state.update(file.read())
    return state.hexdigest()


def _write_files(root, files):
    for path, text in files.items():
        os.makedirs(os.path.dirname(root + path), exist_ok=True)
        with open(root + path, "w", encoding="utf-8") as file:
            file.write(text)


def _make_disk(tree, stage, files, disk):
    """Lay @stage and @files over @tree and write the whole to @disk."""
    with work_directory() as work:
        for name in ("upper", "work", "merged"):
            os.mkdir(f"{work}/{name}")
        if stage != NOTHING:
            _run("cp", "-a", f"{stage}/.", f"{work}/upper/")
        _run("chown", "-R", "0:0", f"{work}/upper")
        os.chmod(f"{work}/upper", 0o755)
        _write_files(f"{work}/upper", files)
        os.chmod(f"{work}/upper/etc", 0o755)
        merged = f"{work}/merged"
        # A separate mount while mkfs reads it.
        script = ('mount -t overlay overlay -o "lowerdir=$1,upperdir=$2/upper,workdir=$2/work" "$3" && '
                  'truncate -s "$4" "$5" && mkfs.ext4 -q -F -L "$6" -d "$3" "$5"')
        _run("unshare", "-m", "--propagation", "private", "sh", "-c", script, "sh",
             tree, work, merged, str(DISK_BYTES), disk, ROOT_LABEL)


def disk_image(stage, debian=PLAIN):
    """The path of a disk with the installed tree @stage (NOTHING: without svcd); made again after a
    change of the tree."""
    if stage != NOTHING and not os.path.exists(f"{stage}/usr/lib/svcd/svcd-manager"):
        raise SystemExit(f"no installed tree in {stage!r}: use tests/run --only NAME, or make one with tests/lib/setup stage bare")
    tree = debian_tree(debian)
    prefix = f"{CACHE}/disk-{debian.name}-"
    disk = f"{prefix}{_digest(tree, repr(debian.files), str(DISK_BYTES), _tree_digest(stage))}.img"
    with _lock(debian.name):
        if not os.path.exists(disk):
            for old in glob.glob(prefix + 12 * "[0-9a-f]" + ".img*"): # "disk-vm-desktop-" begins with "disk-vm-d"
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(old)
            _make_disk(tree, stage, debian.files, disk + ".new")
            os.rename(disk + ".new", disk)
    return disk


def boot_files(debian=PLAIN):
    """Kernel and initramfs of the tree."""
    tree = debian_tree(debian)
    return (sorted(glob.glob(f"{tree}/boot/vmlinuz-*"))[-1], sorted(glob.glob(f"{tree}/boot/initrd.img-*"))[-1])


def copy_disk(disk, path):
    """A writable copy; holes stay holes."""
    _run("cp", "--sparse=always", "--reflink=auto", disk, path)


def make_partition(disk, path):
    """Writes the file system in @disk to the first partition of a new disk, from its first MiB on."""
    first, count = 2048, os.path.getsize(disk) // 512
    _run("dd", f"if={disk}", f"of={path}", "bs=1M", "seek=1", "conv=sparse", "status=none")
    os.truncate(path, (first + count) * 512)
    with open(path, "r+b") as file:
        file.seek(446) # the table of the master boot record: active, Linux
        file.write(struct.pack("<B3sB3sII", 0x80, b"\xfe\xff\xff", 0x83, b"\xfe\xff\xff", first, count))
        file.seek(510)
        file.write(b"\x55\xaa")


def _debugfs(disk, *commands):
    """Change a disk without mounting it; existing or missing files are not an error."""
    subprocess.run(["debugfs", "-w", "-f", "-", disk], check=False, text=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, input="".join(f"{command}\n" for command in commands))


def put_file(disk, path, text):
    """Write a file into a private disk, and make its directories."""
    parents = [path[:at] for at, letter in enumerate(path) if letter == "/" and at]
    with tempfile.NamedTemporaryFile("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        _debugfs(disk, *(f"mkdir {parent}" for parent in parents), f"rm {path}", f"write {file.name} {path}")


def put_program(disk, path, source):
    """Copy a program into a private disk."""
    _debugfs(disk, f"rm {path}", f"write {source} {path}", f"sif {path} mode 0100755")


def put_link(disk, path, target):
    _debugfs(disk, f"rm {path}", f"symlink {path} {target}")


def remove_files(disk, directory, ending):
    """Remove the files with that ending from a directory of a private disk."""
    listed = subprocess.run(["debugfs", "-R", f"ls -p {directory}", disk], check=True, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    names = [line.split("/")[5] for line in listed.splitlines() if line.startswith("/")]
    _debugfs(disk, *(f"rm {directory}/{name}" for name in names if name.endswith(ending)))


def make_volume(path, label, kind="ext4", size_bytes=64 << 20, directories=()):
    """A disk with a file system or swap space of that label; on ext4, with these directories."""
    with open(path, "wb") as file:
        file.truncate(size_bytes)
    if kind == "swap":
        _run("mkswap", "-q", "-L", label, path, stdout=subprocess.DEVNULL)
        return
    with tempfile.TemporaryDirectory(dir=CACHE) as content:
        for name in directories:
            os.mkdir(f"{content}/{name}")
        _run(f"mkfs.{kind}", "-q", "-F", "-L", label, "-d", content, path)


def make_test_disks(directory, stage):
    """The disks of the plain image's fstab: the root with @stage, a volume, swap space; paths in
    @directory."""
    disks = [f"{directory}/{name}" for name in ("root", "data", "swap")]
    copy_disk(disk_image(stage), disks[0])
    make_volume(disks[1], "my data", directories=["part"])
    make_volume(disks[2], "svcd-swap", "swap")
    return disks
