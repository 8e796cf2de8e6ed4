#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""test_power_cut with 100 power failures. limit: 3600"""

import os

os.environ.setdefault("SVCD_TEST_ROUNDS", "100")
test = os.path.join(os.path.dirname(os.path.abspath(__file__)), "test_power_cut.py")
os.execv(test, [test])
