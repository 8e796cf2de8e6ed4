# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Deadline: wait for a condition, never for a time.

Each wait names its condition. After the deadline the message contains the last observation. A
deadline ends a hanging test and measures nothing. So it is long enough for a sanitized program on a
machine with ten times its normal load. No wait is longer than necessary.
"""

import time

DEFAULT_S = 180.0

# Slow checks are repeated less often, because they take CPU time from the awaited event.
REST_FACTOR = 5
LONGEST_REST_S = 5.0


class DeadlinePassed(AssertionError):
    """The condition did not come true in time."""


def wait_for(condition, seconds=DEFAULT_S, what="the condition", every=0.2):
    """
    Call @condition until it returns something true, and return that.

    A failing assert in @condition counts as false. @every: the seconds between two calls, after
    some shorter ones. If REST_FACTOR times the duration of the last call is longer, that is the
    pause, up to LONGEST_REST_S.
    """
    until = time.monotonic() + seconds
    pause = 0.005
    seen = None
    while True:
        asked = time.monotonic()
        try:
            seen = condition()
            if seen:
                return seen
        except AssertionError as problem:
            seen = problem
        now = time.monotonic()
        if now >= until:
            raise DeadlinePassed(f"{what}: not within {seconds:g} s; seen last: {seen!r}")
        time.sleep(max(pause, min(REST_FACTOR * (now - asked), LONGEST_REST_S)))
        pause = min(pause * 1.5, every)


def holds_for(condition, seconds, what="the condition", every=0.02):
    """
    The opposite of wait_for(): check that @condition stays true for the whole time, to show that
    nothing happens.

    @every: the seconds between two calls.
    """
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        assert condition(), f"{what}: expected to last {seconds:g} s"
        time.sleep(every)
