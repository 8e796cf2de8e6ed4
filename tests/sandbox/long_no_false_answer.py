#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs a thousand histories of test_no_false_answer. limit: 28800"""

from random_admin import live_many

live_many(1000)
