#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""test_packages with all its packages. limit: 3600"""

import os

os.environ.setdefault("SVCD_TEST_ALL_PACKAGES", "1")
test = os.path.join(os.path.dirname(os.path.abspath(__file__)), "test_packages.py")
os.execv(test, [test])
