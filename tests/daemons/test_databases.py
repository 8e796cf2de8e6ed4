#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Databases and caches: each answers as soon as it is ready, recovers from a crash, and leaves
nothing."""

from life import Daemon, tcp, try_all

try_all(
    Daemon("mariadb", probe="mariadb --batch --execute 'select 40 + 2' | grep -q 42"),
    Daemon("memcached", probe=tcp(11211, "version\r\n", "VERSION")),
    Daemon("postgresql@15-main", probe="runuser -u postgres -- psql --no-align --command 'select 40 + 2' | grep -q 42"),
    Daemon("redis-server", probe=tcp(6379, "PING\r\n", "+PONG")),
)
