# SPDX-License-Identifier: LGPL-2.1-or-later
"""Table: the packages with services from svcd, and the requirements for each of them in the bed.
See README.md."""

import dataclasses
import os
import re

from more import ROWS
from probes import DNS, SNMP, bus, tcp, udp, unix

RELEASES = ("bookworm", "trixie")


@dataclasses.dataclass(frozen=True)
class Package:
    """
    @name: the package, and the argument of apt unless others are set. @service: its name in
    svcd.

    @others: further services that are then up. @called: services that the package or its client
    starts on demand. @probe: a shell line that fails unless the client is served. @state: "ready",
    "done" for a task, "idle" if the client or apt itself (@is_called_by_apt) starts it; "waiting"
    if it stays so in the bed, because of @why; "unit" with only a unit of systemd; "off" if
    /etc/default disables it. @upgraded: the packages that are installed again, by default all.
    @keeps_running: an upgrade only reloads the service, or leaves it alone. @files, @policy: the
    admin's own, present before the package. @after: the admin's shell line after the installation.
    @broken: the steps that also fail under sysvinit, with the reason. @normal: part of the normal
    run. @runs_under_systemd: its unit runs in a container. @apart: processes that by design run
    under only one of the two inits.
    """
    name: str
    service: str
    probe: str = ""
    words: str = ""
    others: tuple = ()
    called: tuple = ()
    state: str = "ready"
    why: str = ""
    upgraded: str = ""
    keeps_running: bool = False
    is_called_by_apt: bool = False
    files: dict = dataclasses.field(default_factory=dict)
    policy: str = ""
    after: str = ""
    broken: dict = dataclasses.field(default_factory=dict)
    normal: bool = False
    runs_under_systemd: bool = True
    apart: tuple = ()
    releases: tuple = RELEASES

    def words_for_apt(self):
        return (self.words or self.name).split()

    def words_under_systemd(self):
        """The packages under systemd, which replaces elogind and needs the bus."""
        return ["dbus" if "elogind" in word else word for word in self.words_for_apt()]


def ignore(service, *terms):
    """Policy for a service with unnecessary terms that cannot be true in the bed."""
    return f"[service {service}]\nIgnore={' '.join(terms or ('virtual:container',))}\n"


# --- databases and caches ---

SQL = "runuser -u postgres -- psql --no-align --tuples-only --command 'select 40 + 2' | grep -qx 42"


def postgresql(release, version):
    return Package("postgresql", f"postgresql@{version}-main", SQL, upgraded=f"postgresql-{version}", normal=release == "trixie", releases=(release,))


DATABASES = (
    postgresql("bookworm", 15),
    postgresql("trixie", 17),
    Package("mariadb-server", "mariadb", "mariadb --batch --execute 'select 40 + 2' | grep -q 42", called=("mariadb-upgrade",)),
    Package("memcached", "memcached", tcp(11211, "version\r\n", "VERSION"), normal=True),
    Package("redis-server", "redis-server", tcp(6379, "PING\r\n", "+PONG"), normal=True),
)

# --- the web ---

GREETING = "GET / HTTP/1.0\r\n\r\n"
HAPROXY = ("global\n    stats socket /run/haproxy/admin.sock mode 660 level admin\n    chroot /var/lib/haproxy\n    user haproxy\n"
           "defaults\n    mode http\n    timeout connect 5s\n    timeout client 5s\n    timeout server 5s\n"
           "frontend all\n    bind 127.0.0.1:8081\n    http-request return status 200\n")

WEB = (
    # The page exists only if the package's own site was enabled before the start.
    Package("apache2", "apache2", tcp(80, GREETING, "It works!"), upgraded="apache2 apache2-bin", normal=True),
    Package("haproxy", "haproxy", tcp(8081, GREETING, "HTTP/1.1 200"), keeps_running=True,
            after=f"cat >/etc/haproxy/haproxy.cfg <<'END' && service haproxy reload\n{HAPROXY}END"),
    Package("nginx", "nginx", tcp(80, GREETING, "Welcome to nginx!"), normal=True),
    Package("squid", "squid", tcp(3128, "GET / HTTP/1.0\r\n\r\n", "400 Bad Request"),
            files={"/etc/squid/conf.d/test.conf": "shutdown_lifetime 1 seconds\n"}),
    # It returns its own statistics without contacting another server.
    Package("tinyproxy", "tinyproxy", tcp(8888, "GET http://tinyproxy.stats/ HTTP/1.0\r\n\r\n", "HTTP/1.0 200")),
    Package("tor", "tor", tcp(9050, "\5\1\0", "\5\0")),
)

# --- mail ---

MAILS = (
    Package("dovecot-imapd", "dovecot", tcp(143, "a logout\r\n", "a OK"), upgraded="dovecot-core", normal=True),
    Package("exim4-daemon-light", "exim4", tcp(25, "", "220 ")),
    Package("postfix", "postfix", tcp(25, "", "220 "), normal=True),
)

# --- names, addresses and logins ---

NAMES = (
    # A query for version.bind, which the server answers itself.
    Package("bind9", "named", udp(53, "0123 0100 0001 0000 0000 0000 0776657273696f6e0462696e6400 0010 0003", "44656269616e"), normal=True),
    Package("dnsmasq", "dnsmasq", udp(53, *DNS)),
    Package("openssh-server", "ssh", tcp(22, "", "SSH-2.0"), others=("ssh-host-keys",), normal=True),
    Package("rpcbind", "rpcbind", "rpcinfo -p | grep -q portmapper"),
    Package("snmpd", "snmpd", udp(161, *SNMP)),
    Package("vsftpd", "vsftpd", tcp(21, "", "220 ")),
    Package("openvpn", "openvpn@test", "grep -q :04AA /proc/net/udp /proc/net/udp6",
            files={"/etc/openvpn/test.conf": "dev null\nport 1194\nsecret test.key\ncipher AES-256-CBC\n"},
            after="openvpn --genkey secret /etc/openvpn/test.key && service openvpn restart", keeps_running=True, releases=("bookworm",)),
    Package("network-manager", "network-manager",
            f"nmcli -t general status && {bus('org.freedesktop.nm_dispatcher')} && {bus('org.freedesktop.nm_priv_helper')}",
            words="network-manager libpam-elogind", upgraded="network-manager", called=("nm-dispatcher", "nm-priv-helper"),
            policy=ignore("network-manager")),
    Package("modemmanager", "modemmanager", bus("org.freedesktop.ModemManager1"), words="modemmanager libpam-elogind",
            upgraded="modemmanager", runs_under_systemd=False,
            policy=ignore("modemmanager", "virtual:container", '"udev:SUBSYSTEM=wwan"', '"udev:SUBSYSTEM=usbmisc ID_MM_CANDIDATE=1"',
                          '"udev:SUBSYSTEM=usb-serial"', '"udev:SUBSYSTEM=usb DRIVER=cdc_acm"')),
    Package("wpasupplicant", "wpa_supplicant", bus("fi.w1.wpa_supplicant1"), words="wpasupplicant dbus", upgraded="wpasupplicant", state="idle",
            policy=ignore("wpa_supplicant")),
    Package("avahi-daemon", "avahi-daemon", bus("org.freedesktop.Avahi")),
    Package("lldpd", "lldpd", "lldpcli -f keyvalue show chassis | grep -q local-chassis"),
)

# --- files, shares and printers ---

# A printer that is a file.
PRINTER = """#!/bin/sh
[ $# != 0 ] || { echo 'file paper:/ "Unknown" "Paper"'; exit; }
cat ${6+"$6"} >/var/spool/cups/tmp/paper
"""
PRINT = ("lpadmin -p paper -E -v paper:/ && rm -f /var/spool/cups/tmp/paper && echo 42 | lp -d paper && "
         "for n in $(seq 50); do grep -qsx 42 /var/spool/cups/tmp/paper && exit; sleep 0.2; done; lpstat -t; exit 1")
SHARE = "smbclient -N -L localhost | grep -q IPC"
DOMAIN = ("rm -f /etc/samba/smb.conf; samba-tool domain provision --realm=SVCD.EXAMPLE --domain=SVCD --server-role=dc "
          "--dns-backend=SAMBA_INTERNAL --adminpass=Secret-1234 >/run/provision 2>&1 || { cat /run/provision; exit 1; }")

SHARES = (
    Package("cups-daemon", "cups", PRINT, words="cups-daemon cups-client cups-bsd", upgraded="cups-daemon", normal=True,
            files={"/usr/lib/cups/backend/paper": {"text": PRINTER, "mode": 0o755}}),
    Package("cups-browsed", "cups-browsed", "pgrep -x cups-browsed", words="cups-browsed cups-daemon avahi-daemon", upgraded="cups-browsed",
            others=("cups", "avahi-daemon")),
    Package("samba", "smbd", SHARE, words="samba smbclient", upgraded="samba", others=("nmbd",)),
    Package("winbind", "winbind", "wbinfo --ping"),
    Package("samba-ad-dc", "samba-ad-dc", "samba-tool user list -H ldap://localhost -U Administrator --password=Secret-1234 | grep -x "
            "Administrator", words="samba-ad-dc samba-ad-provision", upgraded="samba-ad-dc samba",
            # These servers use the domain controller's ports, so they are stopped first.
            after=f"for name in smbd nmbd winbind; do service $name stop; done; {DOMAIN} && service samba-ad-dc start"),
    Package("autofs", "autofs", "ls /auto/here && mountpoint -q /auto/here",
            after="echo '/auto /etc/auto.test' >/etc/auto.master && echo 'here -fstype=tmpfs :tmpfs' >/etc/auto.test && service autofs restart"),
    Package("nfs-kernel-server", "nfs-kernel-server", state="waiting", why="the server is in the host's kernel"),
    Package("nfs-common", "nfs-common", "rpcinfo -p | grep -q portmapper", others=("rpcbind",)),
    # This daemon starts only on an admin's request. systemd starts a process for each client.
    Package("sane-utils", "saned", tcp(6566), apart=("saned:saned",),
            after="if [ -d /run/systemd/system ]; then systemctl start saned.socket; else svcctl set saned boot; fi"),
    Package("smartmontools", "smartmontools", state="waiting", why="no disk"),
    Package("mdadm", "mdadm", state="waiting", why="no array"),
    Package("udisks2", "udisks2", bus("org.freedesktop.UDisks2"), words="udisks2 libpam-elogind", upgraded="udisks2", state="idle",
            policy=ignore("udisks2")),
)

# --- machines and containers ---

DOCKER = {"/etc/docker/daemon.json": '{"iptables": false, "bridge": "none"}\n'}


def docker(release, **more):
    return Package("docker.io", "docker", "docker version --format '{{.Server.Version}}'", others=("containerd",), files=DOCKER,
                   keeps_running=True, releases=(release,), **more)


LISTS_MACHINES = "virsh -c qemu:///system list && virt-admin srv-list"


def libvirt(release, probe, **more):
    return Package("libvirt-daemon-system", "libvirtd", probe,
                   words="libvirt-daemon-system libvirt-daemon-system-sysv libvirt-clients libpam-elogind",
                   upgraded="libvirt-daemon-system libvirt-daemon", others=("virtlogd",), releases=(release,),
                   # Under systemd virtlogd starts with the first virtual machine.
                   apart=("root:virtlogd",), **more)


VIRTUAL = (
    Package("containerd", "containerd", "ctr version | grep -q Server"),
    docker("bookworm"),
    docker("trixie", words="docker.io docker-cli", upgraded="docker.io"),
    libvirt("bookworm", f"{LISTS_MACHINES} && virt-admin -c virtlockd:///system srv-list", called=("virtlockd",)),
    libvirt("trixie", LISTS_MACHINES),
)

# --- maintenance of the machine ---

SYSTEM = (
    Package("acpid", "acpid", unix("/run/acpid.socket"), policy=ignore("acpid"), runs_under_systemd=False),
    Package("anacron", "anacron", "pgrep -x anacron", after="echo '1 60 test /bin/true' >/etc/anacrontab && service anacron restart",
            policy=ignore("anacron", '"udev:SUBSYSTEM=power_supply POWER_SUPPLY_TYPE=Mains POWER_SUPPLY_ONLINE=0"')),
    Package("at", "atd", "echo 'touch /run/at-has-run' | at now && atq"),
    Package("chrony", "chrony", "chronyc -n tracking | grep -q Stratum", policy=ignore("chrony"), runs_under_systemd=False,
            files={"/etc/default/chrony": 'DAEMON_OPTS="-x"\n'}),
    Package("cron", "cron", "pgrep -x cron"),
    Package("dbus", "dbus", bus("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus.ListNames"),
            keeps_running=True, runs_under_systemd=False),
    Package("fail2ban", "fail2ban", "fail2ban-client ping | grep -q pong", files={"/var/log/auth.log": ""}),
    Package("fwupd", "fwupd", bus("org.freedesktop.fwupd"), words="fwupd libpam-elogind", upgraded="fwupd", state="idle",
            policy=ignore("fwupd"), runs_under_systemd=False),
    Package("irqbalance", "irqbalance", "kill -0 $(cat /run/irqbalance/irqbalance.pid)", policy=ignore("irqbalance"), runs_under_systemd=False),
    Package("monit", "monit", "monit summary", files={"/etc/monit/conf.d/test": "set httpd unixsocket /run/monit.sock allow localhost\n"}),
    Package("ntpsec", "ntpsec", state="waiting", why="it may not set the clock", runs_under_systemd=False),
    Package("rsyslog", "rsyslog",
            "logger -t bed 40 plus 2; for n in $(seq 50); do grep -qs '40 plus 2' /var/log/syslog && exit; sleep 0.2; done; exit 1"),
    # Under systemd a process waits for the shutdown. Under svcd the script's stop command does the
    # work.
    Package("unattended-upgrades", "unattended-upgrades", "test -x /usr/bin/unattended-upgrade", state="done", apart=("root:unattended-upgr",)),
    Package("uuid-runtime", "uuidd", "uuidd -t"),
    Package("zabbix-agent", "zabbix-agent", tcp(10050, "ZBXD\1\n\0\0\0\0\0\0\0agent.ping", "1")),
)

# --- desktops ---


# The bus may have read its rules before a package made the user that they name. On a real machine
# the bus starts long before the package is installed.
READ_RULES = "dbus-send --system --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus.ReloadConfig"


def desktop(package, service, name, **more):
    return Package(package, service, bus(name), words=f"{package} dbus libpam-elogind", upgraded=package, **more)


def rtkit(release, first_uid):
    """This daemon limits the processes of its user. The uid must not be in use in another bed at
    the same time."""
    return desktop("rtkit", "rtkit-daemon", "org.freedesktop.RealtimeKit1", state="idle", keeps_running=True, after=READ_RULES,
                   policy=ignore("rtkit-daemon"), runs_under_systemd=False, releases=(release,),
                   files={"/etc/adduser.conf": f"FIRST_SYSTEM_UID={first_uid}\nLAST_SYSTEM_UID={first_uid + 19}\n"})


DESKTOPS = (
    desktop("accountsservice", "accounts-daemon", "org.freedesktop.Accounts", state="idle"),
    Package("bluez", "bluetooth", words="bluez libpam-elogind", upgraded="bluez", state="waiting", why="no adapter, and without one it ends"),
    desktop("colord", "colord", "org.freedesktop.ColorManager", after=f"{READ_RULES} && service colord start"),
    Package("elogind", "elogind", bus("org.freedesktop.login1", "/org/freedesktop/login1"), words="elogind dbus", upgraded="elogind",
            policy=ignore("elogind"), runs_under_systemd=False),
    desktop("packagekit", "packagekit", "org.freedesktop.PackageKit", state="idle", is_called_by_apt=True, after=READ_RULES),
    desktop("polkitd", "polkit", "org.freedesktop.PolicyKit1", state="idle", after=READ_RULES),
    desktop("power-profiles-daemon", "power-profiles-daemon", "net.hadess.PowerProfiles", policy=ignore("power-profiles-daemon"), runs_under_systemd=False),
    *(rtkit(release, first_uid) for release, first_uid in (("bookworm", 700), ("trixie", 720))),
    desktop("switcheroo-control", "switcheroo-control", "net.hadess.SwitcherooControl", policy=ignore("switcheroo-control"), runs_under_systemd=False),
    desktop("upower", "upower", "org.freedesktop.UPower", state="idle"),
    Package("lightdm", "lightdm", words="lightdm lightdm-gtk-greeter libpam-elogind", upgraded="lightdm", state="waiting", why="no screen"),
    Package("sddm", "sddm", words="sddm libpam-elogind", upgraded="sddm", state="waiting", why="no screen"),
)

SHIPPED = DATABASES + WEB + MAILS + NAMES + SHARES + VIRTUAL + SYSTEM + DESKTOPS
PACKAGES = SHIPPED + tuple(Package(**row) for row in ROWS)


# Services without their hardware or kernel in the bed, and the test that runs them.
ELSEWHERE = {
    "gdm3": "tests/boot/test_desktop.py",
    "networking": "tests/boot/test_network.py",
    **dict.fromkeys(("nfs-idmapd", "nfs-mountd", "nfsdcld", "rpc-gssd", "rpc-pipefs", "rpc-statd", "rpc-svcgssd"),
                    "tests/boot/test_network.py"),
}


def services_of(row):
    """Names of service files. An instance uses the file of its template, and belongs to a group."""
    names = {row.service, *row.others, *row.called}
    return {re.sub("@.*", "@", name) for name in names} | {name.split("@")[0] for name in names}


def row_of(name, release):
    return next(row for row in PACKAGES if row.name == name and release in row.releases)


# --- sockets ---

def _file_of(release):
    return f"{os.path.dirname(os.path.dirname(os.path.abspath(__file__)))}/data/sockets/{release}"


def _all_sockets(release):
    with open(_file_of(release), encoding="utf-8") as file:
        return [line.rstrip("\n").split(" ", 1) for line in file]


def sockets_of(name, release):
    """The sockets that the service opens under systemd, as measured by sockets_under_systemd."""
    return {socket for package, socket in _all_sockets(release) if package == name}


def set_sockets(name, release, sockets):
    rows = [row for row in _all_sockets(release) if row[0] != name] + [[name, socket] for socket in sockets]
    with open(_file_of(release), "w", encoding="utf-8") as file:
        file.writelines(f"{package} {socket}\n" for package, socket in sorted(rows))
