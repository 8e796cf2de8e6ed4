#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
No confirmation, forecast or dry run is false, and no running service stops unless the output names
it: thirty random histories of files, commands and manager kills (random_admin.py). They are the
same each time; long_no_false_answer runs others. limit: 900
"""

from random_admin import live_many

live_many(30, first_seed=50001)
