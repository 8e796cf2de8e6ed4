#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Ten thousand random kills of the manager: test_random_kills, for longer. limit: 14400"""

import os

os.environ.setdefault("SVCD_TEST_ROUNDS", "10000")
test = os.path.join(os.path.dirname(os.path.abspath(__file__)), "test_random_kills.py")
os.execv(test, [test])
