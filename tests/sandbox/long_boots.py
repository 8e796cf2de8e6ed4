#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""In 20 of 20 pairs of boots, a slower service is named with its package. 20 boots are kept."""

from boots import run

run(20)
