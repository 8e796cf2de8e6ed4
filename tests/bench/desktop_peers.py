# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Desktops: the same Debian with GDM and the same daemons under svcd, sysvinit with elogind, and
systemd.

elogind and systemd exclude each other. Plymouth needs systemd's package, so no desktop has
plymouth.

All run the same daemons. If one init starts a daemon at boot and another starts it at a request
from the bus, the daemon starts at boot everywhere. A daemon that some inits start without its
hardware (ModemManager, wpa_supplicant) starts nowhere. bench_desktop.py reports exceptions.
"""


import boot_peers
import vm_image

LOGIND = "elogind libpam-elogind libelogind0 systemd-standalone-tmpfiles systemd-standalone-sysusers".split()
COMMON = tuple(name for name in vm_image.DESKTOP_PACKAGES if name not in LOGIND)

# Signs of a working daemon: lines for boot-watch.c. There are no lines for daemons without their
# hardware (bluetoothd, smartd, irqbalance with one processor), nor for anacron, which waits for the
# greeter under svcd. "greeter" (a login at the screen) and "colours" (a drawn picture) are reported
# separately. In the middle of the screen "Not listed?" alone has 102 colours, and the list with its
# one user has 331.
UP = """\
comm accounts-daemon
comm acpid
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
comm rtkit-daemon
tcp 22 ssh
comm systemd-udevd udevd (udev-worker)
comm udisksd
comm upowerd
comm uuidd
greeter
colours 250
"""

SERVICES = "/usr/share/dbus-1/system-services"
NO_HARDWARE = {"org.freedesktop.ModemManager1": "ModemManager", "fi.w1.wpa_supplicant1": "wpa_supplicant"}

# The machine was booted once, so its identity exists; its keys were made when ssh was installed.
FILES = {
    "/etc/machine-id": boot_peers.FILES["/etc/machine-id"],
    "/var/lib/dbus/machine-id": boot_peers.FILES["/etc/machine-id"],
    "/etc/hostname": "desktop\n",
    "/etc/hosts": "127.0.0.1 localhost desktop\n",
    "/etc/fstab": f"LABEL={vm_image.ROOT_LABEL} / ext4 errors=remount-ro 0 1\n",
    "/etc/bench-up": UP,
    "/etc/default/bluetooth": "BLUETOOTH_ENABLED=0\n",
    **{f"{SERVICES}/{name}.service": f"[D-BUS Service]\nName={name}\nExec=/bin/false\nUser=root\n" for name in NO_HARDWARE},
}
HOOKS = (*vm_image.HOOKS, *vm_image.DESKTOP_HOOKS)

POLICY = {name: text for name, text in vm_image.DESKTOP_FILES.items() if name.endswith("desktop.policy")}

# Debian has no init script for these, and systemd does not start them at boot.
ASKED = "Accounts PolicyKit1 RealtimeKit1 UDisks2 UPower".split()
SCRIPT = """\
#!/bin/sh
### BEGIN INIT INFO
# Provides:          desktop-daemons
# Required-Start:    dbus
# Required-Stop:
# Default-Start:     2 3 4 5
# Default-Stop:
# Short-Description: Daemons that come by the bus
### END INIT INFO
[ "$1" = start ] || exit 0
for name in """ + " ".join(ASKED) + """; do
	dbus-send --system --type=method_call --dest=org.freedesktop.DBus / org.freedesktop.DBus.StartServiceByName \\
		string:org.freedesktop.$name uint32:0
done
"""
SCRIPT_HOOKS = (f"cat >\"$1\"/etc/init.d/desktop-daemons <<'END'\n{SCRIPT}END\n"
                "chmod 755 \"$1\"/etc/init.d/desktop-daemons; chroot \"$1\" update-rc.d desktop-daemons defaults",)
WANTED = "[Unit]\nWants=acpid.service polkit.service rtkit-daemon.service upower.service uuidd.service\n"
# systemd's own services that the greeter requests, and the sound services of its user's instance:
# the other inits have neither.
OWN_UNITS = "system/systemd-hostnamed.service system/systemd-localed.service user/pipewire.service user/pipewire.socket " \
            "user/pipewire-pulse.service user/pipewire-pulse.socket user/wireplumber.service".split()
UNITS = {"/etc/systemd/system/graphical.target.d/bench.conf": WANTED,
         **{f"/etc/systemd/system/{unit}.service": "" for unit in NO_HARDWARE.values()}, # empty: masked
         **{f"/etc/systemd/{unit}": "" for unit in OWN_UNITS}}


def _peer(name, packages, **more):
    return boot_peers.Peer(f"desktop-{name}", packages=(*COMMON, *packages), **more)


SVCD = _peer("svcd", LOGIND, init="/sbin/svcd", off="svcctl poweroff", with_svcd=True, own=boot_peers.SVCD_OWN,
             kin=boot_peers.SVCD_KIN, files=POLICY)

# systemd uses Debian's session bus. The others use dbus-x11, which is installed everywhere.
PEERS = (
    SVCD,
    _peer("sysvinit", (*LOGIND, "sysvinit-core", "sysv-rc", *boot_peers.SCRIPTS), init="/sbin/init", off="poweroff",
          hooks=(*boot_peers.INITTAB, *SCRIPT_HOOKS)),
    _peer("systemd", ("systemd-sysv", "libpam-systemd", "dbus-user-session"), init="/lib/systemd/systemd", off="systemctl poweroff",
          files=UNITS),
)


def debian(peer):
    return vm_image.Debian(f"bench-{peer.image or peer.name}", (*peer.packages, *vm_image.KERNEL_PACKAGES),
                           (*HOOKS, *peer.hooks), {**FILES, **peer.files})
