#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Parsers of foreign data, with one failing allocation, and with all allocations failing from a given
allocation on: they abort like GLib, or succeed.

SVCD_TEST_ALLOCATIONS=0 tests each allocation of each file in the corpora of the fuzz targets.
"""

import glob
import os
import resource
import subprocess
import sys

from no_memory import BARE, preload

MOST = os.environ.get("SVCD_TEST_ALLOCATIONS", "8")
# Small files reach each path of a parser as well as large ones.
FILES_OF_ONE = 1000 if MOST == "0" else 2


def run(target):
    corpus = subprocess.run([target, "--corpus"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    files = sorted(glob.glob(f"{corpus}/*"), key=os.path.getsize)
    files = [path for path in files if not path.endswith(".expected") and os.path.getsize(path) < 20000]
    files = files[:: max(1, len(files) // FILES_OF_ONE)][-FILES_OF_ONE:]
    done = subprocess.run([target, "--no-memory", MOST, *files], env=preload(), check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=10000)
    print(f"{os.path.basename(target)}:\n{done.stdout}")
    return done.returncode == 0


def main():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    targets = [path for path in sorted(glob.glob(f"{BARE}/tests/fuzz/fuzz_*")) if "." not in os.path.basename(path)]
    failed = [target for target in targets if not run(target)]
    print("failed:", *failed)
    return 1 if failed or not targets else 0


sys.exit(main())
