#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Network daemons: each is ready when it reports so, recovers from a crash, and leaves nothing."""

from life import Daemon, tcp, try_all, udp
from probes import DNS, SNMP


# A tunnel that needs no device; its peer never connects.
VPN = "dev null\nport 1194\nsecret test.key\ncipher AES-256-CBC\n"
NONSENSE = "nonsense of it\n"
# The daemon does not report its readiness.
FTP = f"for n in 1 2 3 4 5 6 7 8 9; do {tcp(21, '', '220 ')} 2>/dev/null && exit; done; exit 1"

try_all(
    Daemon("monit", files={"/etc/monit/conf.d/test": "set httpd unixsocket /run/monit.sock allow localhost\n"},
           probe="monit summary", broken=("/etc/monit/conf.d/x", NONSENSE)),
    Daemon("named", probe=udp(53, *DNS), broken=("/etc/bind/named.conf.local", NONSENSE)),
    Daemon("openvpn@test", files={"/etc/openvpn/test.conf": VPN}, before="openvpn --genkey secret /etc/openvpn/test.key",
           probe="grep -q :04AA /proc/net/udp /proc/net/udp6"),
    Daemon("rpcbind", probe="rpcinfo -p | grep -q portmapper"),
    Daemon("snmpd", probe=udp(161, *SNMP)),
    Daemon("squid", files={"/etc/squid/conf.d/test.conf": "shutdown_lifetime 1 seconds\n"},
           probe=tcp(3128, "GET / HTTP/1.0\r\n\r\n", "400 Bad Request"), broken=("/etc/squid/conf.d/x.conf", NONSENSE)),
    Daemon("tor", probe=tcp(9050, "\5\1\0", "\5\0"), broken=("/etc/tor/torrc", NONSENSE)),
    Daemon("unattended-upgrades", task=True),
    Daemon("vsftpd", probe=FTP),
    Daemon("zabbix-agent", probe=tcp(10050, "ZBXD\1\n\0\0\0\0\0\0\0agent.ping", "1")),
)
