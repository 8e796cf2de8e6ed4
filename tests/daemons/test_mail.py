#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Mail servers."""

from life import Daemon, tcp, try_all

try_all(
    Daemon("exim4", probe=tcp(25, "QUIT\r\n", "220 "), broken=("/etc/exim4/exim4.conf.template", "nonsense of it\n")),
    Daemon("dovecot", probe=tcp(143, "a logout\r\n", "OK"), broken=("/etc/dovecot/conf.d/99-x.conf", "nonsense of it\n")),
)
