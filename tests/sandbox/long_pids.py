#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Like unit/test_keeper_pids, with 10,000 rounds of reused pids while signals are requested.
limit: 3600"""

import os
import subprocess

build = os.environ["SVCD_BUILD"]
done = subprocess.run([f"{build}/tests/unit/test_keeper_pids"], cwd=build, env=dict(os.environ, SVCD_TEST_ROUNDS="10000"),
                      stdin=subprocess.DEVNULL, check=False)
assert done.returncode == 0
