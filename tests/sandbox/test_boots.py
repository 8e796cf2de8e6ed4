#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Boots are recorded, listed, drawn and compared, and a slower service is named with its package."""

from boots import check_read_only_root, run

check_read_only_root()
run(1)
