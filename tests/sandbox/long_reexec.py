#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A hundred replacements of PID 1 under load: test_reexec_busy, for longer. limit: 1800"""

import os

os.environ.setdefault("SVCD_TEST_ROUNDS", "100")
test = os.path.join(os.path.dirname(os.path.abspath(__file__)), "test_reexec_busy.py")
os.execv(test, [test])
