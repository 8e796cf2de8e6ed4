#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""test_no_memory_in_parsers, with more failing allocations. limit: 10800"""

import os

os.environ.setdefault("SVCD_TEST_ALLOCATIONS", "0")
test = os.path.join(os.path.dirname(os.path.abspath(__file__)), "test_no_memory_in_parsers.py")
os.execv(test, [test])
