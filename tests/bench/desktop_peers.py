# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Desktops: the same Debian with GDM and the same daemons under svcd, sysvinit with elogind, and systemd. elogind and systemd
exclude each other; plymouth, which needs systemd's package, is in none of them.
"""

import boot_peers
import vm_image

LOGIND = "elogind libpam-elogind libelogind0 systemd-standalone-tmpfiles systemd-standalone-sysusers".split()
COMMON = tuple(name for name in vm_image.DESKTOP_PACKAGES if name not in LOGIND)

# What is there when a daemon works: lines of boot-watch.c. What has no hardware here (bluetoothd, smartd, irqbalance with one
# processor), and what only a call starts somewhere (udisksd), is not waited for; logins at the screen, "greeter", and what is
# drawn, "colours", are told apart from the daemons.
UP = """\
comm accounts-daemon
unix /run/acpid.socket /var/run/acpid.socket
comm atd
udp 5353 avahi
udp 323 chrony
comm cron
tcp 631 cups
unix /run/dbus/system_bus_socket
comm elogind-daemon systemd-logind elogind
comm gdm3
comm NetworkManager
comm polkitd
comm rsyslogd
tcp 22 ssh
comm systemd-udevd udevd (udev-worker)
comm upowerd
greeter
colours 100
"""

# The machine has been up once, and so has its identity; its keys were made when ssh was installed.
FILES = {
    "/etc/machine-id": boot_peers.FILES["/etc/machine-id"],
    "/var/lib/dbus/machine-id": boot_peers.FILES["/etc/machine-id"],
    "/etc/hostname": "desktop\n",
    "/etc/hosts": "127.0.0.1 localhost desktop\n",
    "/etc/fstab": f"LABEL={vm_image.ROOT_LABEL} / ext4 errors=remount-ro 0 1\n",
    "/etc/bench-up": UP,
}
HOOKS = (*vm_image.HOOKS, *vm_image.DESKTOP_HOOKS)

POLICY = {name: text for name, text in vm_image.DESKTOP_FILES.items() if name.endswith("desktop.policy")}


def _peer(name, packages, **more):
    return boot_peers.Peer(f"desktop-{name}", packages=(*COMMON, *packages), **more)


# systemd has the session bus that Debian gives it; the others have that of dbus-x11, which all three have.
PEERS = (
    _peer("svcd", LOGIND, init="/sbin/svcd", off="svcctl poweroff", with_svcd=True, own=boot_peers.SVCD_OWN, kin=boot_peers.SVCD_KIN,
          files=POLICY),
    _peer("sysvinit", (*LOGIND, "sysvinit-core", "sysv-rc", *boot_peers.SCRIPTS), init="/sbin/init", off="poweroff"),
    _peer("systemd", ("systemd-sysv", "libpam-systemd", "dbus-user-session"), init="/lib/systemd/systemd", off="systemctl poweroff"),
)


def debian(peer):
    return vm_image.Debian(f"bench-{peer.name}", (*peer.packages, *vm_image.KERNEL_PACKAGES), HOOKS, {**FILES, **peer.files})
