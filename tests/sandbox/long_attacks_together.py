#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs test_attacks_together.py for a minute."""

import os
import runpy

os.environ.setdefault("SVCD_TEST_SECONDS", "60")
runpy.run_path(os.path.join(os.path.dirname(__file__), "test_attacks_together.py"))
