#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Web servers, and daemons that protect them."""

from life import Daemon, tcp, try_all

GREETING = "HEAD / HTTP/1.0\r\n\r\n"
NONSENSE = "nonsense of it\n"
HAPROXY = ("global\n    stats socket /run/haproxy/admin.sock mode 660 level admin\n    chroot /var/lib/haproxy\n    user haproxy\n"
           "defaults\n    mode http\n    timeout connect 5s\n    timeout client 5s\n    timeout server 5s\n"
           "frontend all\n    bind 127.0.0.1:8081\n    http-request return status 200\n")

try_all(
    Daemon("nginx", probe=tcp(80, GREETING, "HTTP/1.1 200"), broken=("/etc/nginx/conf.d/x.conf", NONSENSE)),
    # nginx uses port 80.
    Daemon("apache2", probe=tcp(8080, GREETING, "HTTP/1.1 200"), files={"/etc/apache2/ports.conf": "Listen 8080\n"},
           broken=("/etc/apache2/ports.conf", NONSENSE)),
    Daemon("haproxy", probe=tcp(8081, GREETING, "HTTP/1.1 200"), files={"/etc/haproxy/haproxy.cfg": HAPROXY},
           broken=("/etc/haproxy/haproxy.cfg", NONSENSE)),
    # It returns its own statistics without contacting another server.
    Daemon("tinyproxy", probe=tcp(8888, "GET http://tinyproxy.stats/ HTTP/1.0\r\n\r\n", "HTTP/1.0 200")),
    # The package configures a jail for sshd. Its log would exist only after the first login.
    Daemon("fail2ban", probe="fail2ban-client status sshd | grep -q auth.log", before="touch /var/log/auth.log",
           broken=("/etc/fail2ban/jail.local", NONSENSE)),
    Daemon("containerd", probe="ctr version | grep -q Server"),
)
