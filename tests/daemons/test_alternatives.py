#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Alternatives to exim4, chrony and Samba's shares: postfix, ntpsec and a domain."""

from life import ALTERNATIVES, Daemon, tcp, try_all

DOMAIN = ("rm -f /etc/samba/smb.conf; samba-tool domain provision --realm=SVCD.EXAMPLE --domain=SVCD --server-role=dc "
          "--dns-backend=SAMBA_INTERNAL --adminpass=Secret-1234 >/run/provision 2>&1 || { cat /run/provision; exit 1; }")
# A user with a domain password may query the domain over LDAP.
ASK_DOMAIN = ("samba-tool user list -H ldap://localhost -U Administrator --password=Secret-1234 | grep -x Administrator")

try_all(
    Daemon("ntpsec", waits_for="!virtual:container", why="it does not start where it may not set the clock"),
    Daemon("postfix", probe=tcp(25, "QUIT\r\n", "220 "), broken=("/etc/postfix/main.cf", "queue_directory = /nowhere\n")),
    Daemon("samba-ad-dc", before=DOMAIN, probe=ASK_DOMAIN),
    packages=ALTERNATIVES,
)
