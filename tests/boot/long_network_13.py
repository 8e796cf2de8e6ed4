#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# limit: 2400
"""boot/test_network on Debian 13: NetworkManager, sshd, the bus, killed ten times, the NFS server and its clients, the Kerberos daemons."""

import os

HERE = os.path.dirname(os.path.abspath(__file__))

os.execve(f"{HERE}/test_network.py", [f"{HERE}/test_network.py"], {"SVCD_TEST_KILLS": "10", **os.environ, "SVCD_TEST_SUITE": "trixie"})
