# SPDX-License-Identifier: LGPL-2.1-or-later
"""What somebody in front of a terminal sees of the bytes it was sent: lines, carriage returns, and the erasing of a line."""

import re


def screen_lines(text):
    """The lines of @text as they stand at its end; a line that was drawn over is there once, as it was last."""
    return [_last_state(line) for line in text.replace("\r\n", "\n").split("\n")]


def _last_state(line):
    shown, at = "", 0
    for piece in re.findall(r"\r|\033\[K|[^\r\033]+", line):
        if piece == "\r":
            at = 0
        elif piece == "\033[K":
            shown = shown[:at]
        else:
            shown = shown[:at] + piece + shown[at + len(piece):]
            at += len(piece)
    return shown
