#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""daemons/test_logind on Debian 13: logind 257 passes the process of a session as a descriptor."""

import os

HERE = os.path.dirname(os.path.abspath(__file__))

os.execve(f"{HERE}/test_logind.py", [f"{HERE}/test_logind.py"], {**os.environ, "SVCD_TEST_RELEASE": "trixie"})
