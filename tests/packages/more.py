# SPDX-License-Identifier: LGPL-2.1-or-later
"""
More: rows of packages without a service file of svcd. Their init scripts run unmodified.

For a package with only a systemd unit (state "unit"), svcd's commands name that unit, and none of
its programs runs. Only --long runs these rows. The fields are those of table.Package.
"""

from probes import tcp, unix

HTTP = "GET / HTTP/1.0\r\n\r\n"


def row(name, service, probe="", **more):
    return dict(name=name, service=service, probe=probe, **more)


def only(release, *rows):
    return tuple(dict(one, releases=(release,)) for one in rows)


def process(name):
    """A process of this name runs; its user is in tests/data/processes."""
    return f"pgrep -x {name}"


def off(name, service, **more):
    """A script that starts nothing unless a file in /etc/default enables its daemon."""
    return row(name, service, state="off", **more)


def task(name, service, **more):
    """A script without a daemon."""
    return row(name, service, state="done", **more)


def unit(name, service, **more):
    """A package with only a systemd unit."""
    return row(name, service, state="unit", **more)


# --- daemons with init scripts ---

DATA = (
    *only("bookworm",
          row("beanstalkd", "beanstalkd", tcp(11300, "stats\r\n", "OK")),
          row("gearman-job-server", "gearman-job-server", tcp(4730, "version\r\n", "OK")),
          row("rabbitmq-server", "rabbitmq-server", tcp(5672), broken={
              "install": "epmd has a unit of its own; without it the server starts one, as its own user",
              "kill": "its script hands start-stop-daemon an empty pid file, and several processes are left"}),
          row("rsync", "rsync", tcp(873, "", "@RSYNCD"), after="update-rc.d rsync enable && service rsync start",
              files={"/etc/rsyncd.conf": "[test]\npath = /srv\n", "/etc/default/rsync": "RSYNC_ENABLE=true\n"}),
          row("tgt", "tgt", tcp(3260)),
          row("firebird3.0-server", "firebird3.0", process("firebird"), broken={
              "kill": "its script stops the guard; the server of a guard that was killed stays, and keeps the port"})),
    *only("trixie",
          row("etcd-server", "etcd", tcp(2379, "GET /health HTTP/1.0\r\n\r\n", "health")),
          row("pgbouncer", "pgbouncer", tcp(6432)),
          row("rrdcached", "rrdcached", unix("/run/rrdcached.sock", "HELP\n", "FLUSH")),
          row("slapd", "slapd", tcp(389)),
          row("valkey-server", "valkey-server", tcp(6379, "PING\r\n", "+PONG"))),
)

WEB = (
    *only("bookworm",
          row("apt-cacher-ng", "apt-cacher-ng", tcp(3142, HTTP, "HTTP/1.")),
          row("icecast2", "icecast2", tcp(8000, HTTP, "HTTP/1."),
              # Without ENABLE the package's postinst disables the daemon at each upgrade.
              after="echo ENABLE=true >>/etc/default/icecast2 && update-rc.d icecast2 enable && service icecast2 start"),
          row("lighttpd", "lighttpd", tcp(80, HTTP, "HTTP/1.")),
          row("nghttp2-proxy", "nghttpx", tcp(3000)),
          row("shellinabox", "shellinabox", tcp(4200), words="shellinabox openssl", upgraded="shellinabox")),
    *only("trixie",
          row("fcgiwrap", "fcgiwrap", unix("/run/fcgiwrap.socket"), words="fcgiwrap spawn-fcgi", upgraded="fcgiwrap"),
          row("privoxy", "privoxy", tcp(8118, "GET http://config.privoxy.org/ HTTP/1.0\r\n\r\n", "HTTP/1.")),
          row("supervisor", "supervisor", "supervisorctl pid"),
          row("webfs", "webfs", tcp(8000, HTTP, "HTTP/1."))),
)

MAIL = (
    *only("bookworm",
          row("nullmailer", "nullmailer", process("nullmailer-send")),
          row("opendmarc", "opendmarc", unix("/run/opendmarc/opendmarc.sock")),
          row("postsrsd", "postsrsd", tcp(10001), after="sed -i 's/^#SRS_DOMAIN=.*/SRS_DOMAIN=example.org/' /etc/default/postsrsd && service postsrsd restart")),
    *only("trixie",
          row("courier-authdaemon", "courier-authdaemon", process("authdaemond")),
          row("opendkim", "opendkim", unix("/run/opendkim/opendkim.sock")),
          row("postgrey", "postgrey", tcp(10023), broken={"reload": "its script trusts a pid file that root does not own"})),
)

SOCKS = "internal: lo port = 1080\nexternal: eth0\nsocksmethod: none\nclientmethod: none\nclient pass { from: 127.0.0.0/8 to: 0.0.0.0/0 }\n"

NETWORK = (
    *only("bookworm",
          row("bird2", "bird", "birdc show status"),
          row("freeradius", "freeradius", process("freeradius")),
          row("inspircd", "inspircd", tcp(6667), broken=dict.fromkeys(
              ("install", "restart", "reload", "kill", "upgrade", "reboot"), "its script passes the daemon an argument that the daemon refuses")),
          row("kea-dhcp4-server", "kea-dhcp4-server", process("kea-dhcp4"), broken=dict.fromkeys(
              ("install", "restart", "kill", "upgrade", "reboot"), "its script needs /run/kea and /var/lib/kea, which only its unit makes")),
          row("knot", "knot", "knotc status"),
          row("mosquitto", "mosquitto", tcp(1883), broken=dict.fromkeys(
              ("install", "restart", "reload", "kill", "upgrade", "reboot"), "its script needs /run/mosquitto, which only its unit makes")),
          row("nscd", "nscd", unix("/run/nscd/socket")),
          row("oidentd", "oidentd", tcp(113)),
          row("rinetd", "rinetd", process("rinetd")),
          row("xinetd", "xinetd", process("xinetd")),
          row("dante-server", "danted", tcp(1080), files={"/etc/danted.conf": SOCKS})),
    *only("trixie",
          row("coturn", "coturn", tcp(3478), files={"/etc/default/coturn": "TURNSERVER_ENABLED=1\n"}),
          row("dropbear", "dropbear", tcp(22, "", "SSH-2.0-dropbear")),
          row("ircd-hybrid", "ircd-hybrid", tcp(6667)),
          row("keepalived", "keepalived", process("keepalived"), files={"/etc/keepalived/keepalived.conf": "global_defs {\n}\n"}),
          row("ngircd", "ngircd", tcp(6667)),
          row("nsd", "nsd", tcp(53), broken={"kill": "its script knows one process; after its kill the others stay, and keep the port"}),
          row("proftpd-core", "proftpd", tcp(21, "", "220 ")),
          row("pure-ftpd", "pure-ftpd", tcp(21, "", "220")),
          row("shadowsocks-libev", "shadowsocks-libev", tcp(8388)),
          row("tftpd-hpa", "tftpd-hpa", process("in.tftpd")),
          row("unscd", "unscd", unix("/run/nscd/socket"))),
)

WATCHING = (
    *only("bookworm",
          row("atop", "atop", process("atop")),
          row("munin-node", "munin-node", tcp(4949, "", "# munin node")),
          row("nfdump", "nfdump", process("nfcapd")),
          row("syslog-ng-core", "syslog-ng", process("syslog-ng")),
          row("vnstat", "vnstat", process("vnstatd")),
          row("ganglia-monitor", "ganglia-monitor", tcp(8649)),
          row("gmetad", "gmetad", tcp(8651))),
    *only("trixie",
          row("nagios-nrpe-server", "nagios-nrpe-server", tcp(5666)),
          row("uptimed", "uptimed", process("uptimed"))),
)

MACHINE = (
    *only("bookworm",
          row("bacula-sd", "bacula-sd", tcp(9103)),
          row("incron", "incron", process("incrond")),
          row("triggerhappy", "triggerhappy", process("thd"))),
    *only("trixie",
          row("bacula-fd", "bacula-fd", tcp(9102)),
          # The other daemon of the package reads the kernel's log, which belongs to the machine.
          row("busybox-syslogd", "busybox-syslogd", process("syslogd"), policy="[runlevel 2]\nActivate=-busybox-klogd\n"),
          row("inetutils-syslogd", "inetutils-syslogd", process("syslogd")),
          row("pcscd", "pcscd", process("pcscd"))),
)

# --- scripts that start nothing, and tasks ---

SWITCHED_OFF = (
    *only("bookworm",
          off("apcupsd", "apcupsd"),
          off("graphite-carbon", "carbon-cache"),
          off("nut-server", "nut-server"),
          off("sysstat", "sysstat"),
          off("deluged", "deluged"),
          off("git-daemon-sysvinit", "git-daemon")),
    *only("trixie",
          off("darkstat", "darkstat"),
          off("knockd", "knockd"),
          off("sslh", "sslh")),
)

TASKS = (
    *only("bookworm",
          row("console-setup-linux", "console-setup", words="console-setup-linux console-setup", state="waiting", why="no terminal of the kernel"),
          task("netfilter-persistent", "netfilter-persistent"),
          task("screen", "screen-cleanup"),
          task("x11-common", "x11-common")),
    *only("trixie",
          task("lm-sensors", "lm-sensors"),
          task("schroot", "schroot"),
          task("sudo", "sudo"),
          task("ufw", "ufw")),
)

# --- systemd units only ---

UNITS = (
    *only("bookworm",
          unit("caddy", "caddy"),
          unit("nftables", "nftables"),
          unit("pdns-recursor", "pdns-recursor"),
          unit("thermald", "thermald")),
    *only("trixie",
          unit("gdnsd", "gdnsd"),
          unit("nats-server", "nats-server"),
          unit("oddjob", "oddjobd", others=("dbus",)),
          unit("pdns-server", "pdns"),
          unit("wsdd2", "wsdd2"),
          unit("deluged", "deluged"),
          unit("haveged", "haveged"),
          unit("hitch", "hitch"),
          unit("ntpd-rs", "ntpd-rs")),
)

ROWS = DATA + WEB + MAIL + NETWORK + WATCHING + MACHINE + SWITCHED_OFF + TASKS + UNITS
