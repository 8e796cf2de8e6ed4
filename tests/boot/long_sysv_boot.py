#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""test_sysv_boot under sysvinit, too, and with svcd's own service files. limit: 4500"""

import os

HERE = os.path.dirname(os.path.abspath(__file__))

os.execve(f"{HERE}/test_sysv_boot.py", [f"{HERE}/test_sysv_boot.py"], {**os.environ, "SVCD_TEST_SYSVINIT": "1"})
