# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Peers: the same Debian with the same 23 daemons, under each init in apt.

They differ in the init and its service files: those of the packages or of the init's vendor if they
exist, otherwise init scripts.
"""

import dataclasses

import vm_image

# The machine's packages with any init.
BASE = """udev kmod procps ifupdown kbd util-linux-extra e2fsprogs iproute2 mount login netbase libpam-runtime
    libglib2.0-0 libdbus-1-3 libudev1 libinih1 libsmartcols1 libjson-glib-1.0-0""".split()

DAEMONS = """acpid at avahi-daemon chrony cron cups-daemon dbus dnsmasq exim4-daemon-light haproxy lldpd memcached monit
    nginx-light openssh-server redis-server rpcbind rsyslog snmpd tinyproxy vsftpd""".split()

SCRIPTS = "initscripts orphan-sysvinit-scripts insserv startpar".split()
STANDALONE = "elogind systemd-standalone-tmpfiles systemd-standalone-sysusers".split()

# Signs of a working daemon: lines for boot-watch.c. A daemon is up when all of its lines hold.
# Sockets that an init may open before the daemon runs (/run/cups/cups.sock) prove nothing, so other
# signs are used where possible.
UP = """\
unix /run/acpid.socket /var/run/acpid.socket
comm atd
udp 5353 avahi
udp 323 chrony
comm cron
tcp 631 cups
unix /run/dbus/system_bus_socket
tcp 53 dnsmasq
comm elogind-daemon systemd-logind elogind
tcp 25 exim4
tcp 8080 haproxy
unix /run/lldpd.socket
tcp 11211 memcached
tcp 2812 monit
tcp 80 nginx
tcp 6379 redis
tcp 111 rpcbind
comm rsyslogd
udp 161 snmpd
tcp 22 ssh
tcp 8888 tinyproxy
comm systemd-udevd udevd (udev-worker)
tcp 21 vsftpd
"""

# The configuration does not use the missing network, and exim4 does not generate a key at each
# start. The machine was booted once, so its identity exists.
FILES = {
    "/etc/machine-id": "5a1b0c7e94f24d1c8a39f6e2d07b4c15\n",
    "/var/lib/dbus/machine-id": "5a1b0c7e94f24d1c8a39f6e2d07b4c15\n",
    "/etc/hostname": "bench\n",
    "/etc/hosts": "127.0.0.1 localhost bench\n",
    "/etc/fstab": f"LABEL={vm_image.ROOT_LABEL} / ext4 errors=remount-ro 0 1\n",
    "/etc/network/interfaces": "auto lo\niface lo inet loopback\nauto eth0\niface eth0 inet static\n"
                               "  address 10.0.2.15/24\n  gateway 10.0.2.2\n",
    "/etc/resolv.conf": "nameserver 127.0.0.1\n",
    "/etc/haproxy/haproxy.cfg": "global\n  stats socket /run/haproxy/admin.sock\ndefaults\n  mode http\n  timeout client 5s\n"
                                "  timeout server 5s\n  timeout connect 5s\nfrontend http\n  bind 127.0.0.1:8080\n",
    "/etc/exim4/exim4.conf": "primary_hostname = bench\ndaemon_smtp_ports = 25\ntls_certificate = /etc/exim4/bench.crt\n"
                             "tls_privatekey = /etc/exim4/bench.key\n"
                             "local_interfaces = 127.0.0.1\nacl_smtp_rcpt = nobody\nbegin acl\nnobody:\n  deny\n",
    "/etc/monit/conf.d/httpd": "set httpd port 2812 allow localhost\n",
    "/etc/dnsmasq.d/bench.conf": "no-resolv\nport=53\nlisten-address=127.0.0.1\nbind-interfaces\n",
    "/etc/redis/redis.conf": "bind 127.0.0.1\nport 6379\nsupervised auto\ndaemonize yes\npidfile /run/redis/redis-server.pid\n"
                             "logfile /var/log/redis/redis-server.log\ndir /var/lib/redis\n",
    "/etc/bench-up": UP,
}

# The image is of a machine that was booted once, with its keys. Without a key, exim4 makes an RSA
# key at each start.
KEY = ("openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=bench -days 36500 "
       "-keyout \"$1\"/etc/exim4/bench.key -out \"$1\"/etc/exim4/bench.crt 2>/dev/null; chmod 644 \"$1\"/etc/exim4/bench.*")
HOOKS = (*vm_image.HOOKS, KEY,
         "sed -i 's/^use_ipv6.*/use_ipv6=no/; s/::1//' \"$1\"/etc/redis/redis.conf; dbus-uuidgen >\"$1\"/etc/machine-id")

SERIAL = "T0:23:respawn:/sbin/getty -L ttyS0 115200 vt100"
INITTAB = (f"sed -i 's|^#T0:.*|{SERIAL}|' \"$1\"/etc/inittab",)


@dataclasses.dataclass(frozen=True)
class Peer:
    """@init: the program that the kernel executes; @off: the command that powers the machine off.
    """
    name: str
    init: str
    off: str
    packages: tuple
    files: dict = dataclasses.field(default_factory=dict)
    hooks: tuple = ()
    with_svcd: bool = False
    own: tuple = () # cpu.stat files of the init's own cgroups
    kin: tuple = () # the init's permanent processes, besides PID 1
    removed: tuple = () # (directory, ending) of removed files
    added: dict = dataclasses.field(default_factory=dict) # files for its boots, not in the image
    image: str = "" # the peer with the same image; its own by default

    def debian(self):
        return vm_image.Debian(f"bench-{self.name}", (*BASE, *DAEMONS, *self.packages, *vm_image.KERNEL_PACKAGES),
                               (*HOOKS, *self.hooks), {**FILES, **self.files})


POLICY = """[runlevel 2]
Activate=acpid atd avahi-daemon chrony cron cups dbus dnsmasq elogind exim4 haproxy lldpd memcached monit nginx
Activate=networking redis-server rpcbind rsyslog snmpd ssh tinyproxy vsftpd
"""

SVCD_OWN = tuple(f"/sys/fs/cgroup/svcd/.{name}/cpu.stat" for name in ("keeper", "manager", "logger"))

SVCD_KIN = ("svcd-manager",)

HABITS = "[defaults]\nNewServices=boot\nRcLinks=yes\n"

# Debian's finit package has no service files for daemons. These follow the examples in its manual.
# The package is built without plugins, so it has no conditions on processes or the network.
# Programs that need the bus or udev poll for it. Each instance of a program needs a number.
FINIT = """\
runlevel 2
host bench
network ifup -a
"""
AFTER_BUS = "/usr/local/sbin/after-bus"
FINIT_SCRIPTS = {
    AFTER_BUS: "#!/bin/sh\nuntil [ -S /run/dbus/system_bus_socket ]; do sleep 0.05; done\nexec \"$@\"\n",
    "/usr/local/sbin/coldplug": "#!/bin/sh\nuntil [ -e /run/udev/control ]; do sleep 0.05; done\n"
                                "udevadm trigger --action=add\nexec udevadm settle\n",
}
FINIT_SERVICES = {
    "00-machine": "service [S2345] /lib/systemd/systemd-udevd -- udev\n"
                  "run [S] /bin/systemd-tmpfiles --create --remove --boot -- Volatile files\n"
                  "run [S] :1 /bin/sh /usr/local/sbin/coldplug -- Devices\n"
                  "run [S] /bin/mkdir -p /run/sshd /run/haproxy -- Directories\n",
    "10-dbus": "service [2345] /usr/bin/dbus-daemon --nofork --system -- System message bus\n",
    "10-syslog": "service [S12345] /usr/sbin/rsyslogd -n -- System log\n",
    "20-acpid": "service [2345] /usr/sbin/acpid -f -- ACPI\n",
    "20-atd": "service [2345] /usr/sbin/atd -f -- at\n",
    "20-avahi": f"service [2345] :2 /bin/sh {AFTER_BUS} /usr/sbin/avahi-daemon -s -- Avahi\n",
    "20-chrony": "service [2345] /usr/sbin/chronyd -d -- Time\n",
    "20-cron": "service [2345] /usr/sbin/cron -f -- cron\n",
    "20-cups": "service [2345] /usr/sbin/cupsd -f -- CUPS\n",
    "20-dnsmasq": "service [2345] /usr/sbin/dnsmasq -k -u dnsmasq -7 /etc/dnsmasq.d,.dpkg-dist,.dpkg-old,.dpkg-new -- DNS\n",
    "20-elogind": f"service [2345] :3 /bin/sh {AFTER_BUS} /lib/elogind/elogind -- Seats\n",
    "20-exim4": "service [2345] /usr/sbin/exim4 -bdf -q30m -- Mail\n",
    "20-haproxy": "service [2345] /usr/sbin/haproxy -W -db -f /etc/haproxy/haproxy.cfg -- HAProxy\n",
    "20-lldpd": "service [2345] /usr/sbin/lldpd -d -- LLDP\n",
    "20-memcached": "service [2345] /usr/bin/memcached -m 64 -p 11211 -u memcache -l 127.0.0.1 -- memcached\n",
    "20-monit": "service [2345] /usr/bin/monit -I -c /etc/monit/monitrc -- monit\n",
    "20-nginx": "service [2345] /usr/sbin/nginx -g 'daemon off;' -- nginx\n",
    "20-redis": "service [2345] @redis /usr/bin/redis-server /etc/redis/redis.conf --daemonize no -- redis\n",
    "20-rpcbind": "service [2345] /sbin/rpcbind -f -w -- rpcbind\n",
    "20-snmpd": "service [2345] /usr/sbin/snmpd -f -LS4d -u Debian-snmp -g Debian-snmp -- snmpd\n",
    "20-sshd": "service [2345] /usr/sbin/sshd -D -- ssh\n",
    "20-tinyproxy": "service [2345] /usr/bin/tinyproxy -d -- tinyproxy\n",
    "20-vsftpd": "service [2345] /usr/sbin/vsftpd /etc/vsftpd.conf -- vsftpd\n",
    "30-tty": "tty [12345] ttyS0 115200 vt100\n",
}

SYSVINIT = (*STANDALONE, "sysvinit-core", "sysv-rc", *SCRIPTS)

# "svcd-scripts": the machine of "sysvinit", with the same scripts and nothing else.
PEERS = (
    Peer("svcd", "/sbin/svcd", "svcctl poweroff", tuple(STANDALONE), with_svcd=True, own=SVCD_OWN, kin=SVCD_KIN,
         files={"/etc/svcd/policy.d/bench.policy": POLICY}),
    Peer("svcd-scripts", "/sbin/svcd", "svcctl poweroff", SYSVINIT, hooks=INITTAB, with_svcd=True, own=SVCD_OWN, kin=SVCD_KIN,
         files={"/etc/svcd/policy.d/60-habits.policy": HABITS}, removed=(("/usr/lib/svcd/services.d", ".svc"),)),
    Peer("sysvinit", "/sbin/init", "poweroff", SYSVINIT, hooks=INITTAB),
    Peer("systemd", "/lib/systemd/systemd", "systemctl poweroff", ("systemd-sysv", "libpam-systemd")),
    Peer("openrc", "/sbin/init", "poweroff", (*STANDALONE, "sysvinit-core", "openrc", *SCRIPTS), hooks=INITTAB),
    Peer("runit", "/sbin/init", "init 0", (*STANDALONE, "runit-init", "runit", "sysv-rc", *SCRIPTS), kin=("runsvdir", "runsv")),
    Peer("finit", "/sbin/finit", "kill -USR2 1", (*STANDALONE, "finit"), hooks=("rm -rf \"$1\"/etc/finit.d",),
         files={"/etc/finit.conf": FINIT, **FINIT_SCRIPTS, **{f"/etc/finit.d/{name}.conf": text for name, text in FINIT_SERVICES.items()}}),
)
