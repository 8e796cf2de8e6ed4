# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Greeter picture: finds GDM's login screen, and svcd's bar in it, by the pixels.

A picture is (width, height, its pixels of three bytes).
"""

# desktop/greeter/stylesheet.css; the drawn colour may differ a little.
FILL = (0x35, 0x84, 0xe4)
TROUGH = (0x4f, 0x4f, 0x57)
FAILURE = (0xf5, 0xc2, 0x11)
NEAR = 3
BAR_WIDTH = 400

# A colour of GNOME itself: the selected user is drawn with a large area of it.
CHOSEN = (0x35, 0x84, 0xe4)
N_CHOSEN = 10000


def is_near(pixel, colour):
    return all(abs(a - b) <= NEAR for a, b in zip(pixel, colour))


def rows_of(picture, third=2):
    """The pixels of each row that contains more than the background; by default in the lower third,
    where the bar is."""
    width, height, pixels = picture
    for y in range(height * third // 3, height * (third + 1) // 3):
        row = pixels[3 * width * y:3 * width * (y + 1)]
        if row != row[:3] * width:
            yield [row[at:at + 3] for at in range(0, len(row), 3)]


def find(row, colour):
    """The positions of @colour in the row."""
    return [at for at, pixel in enumerate(row) if is_near(pixel, colour)]


def bar_in(picture):
    """The filled share of the bar; None: no bar."""
    for row in rows_of(picture):
        fill, trough = find(row, FILL), find(row, TROUGH)
        if len(fill) + len(trough) >= BAR_WIDTH - 6:
            begin, end = min(fill + trough), max(fill + trough) + 1
            assert end - begin <= BAR_WIDTH, "it is one piece"
            assert abs((begin + end) / 2 - len(row) / 2) < 4, "it is in the middle"
            assert not fill or not trough or max(fill) < min(trough), "it is filled from the left"
            return len(fill) / (len(fill) + len(trough))
    return None


def n_failure_pixels(picture):
    return sum(len(find(row, FAILURE)) for row in rows_of(picture))


def has_greeter(picture):
    """Whether the list of users is drawn; the bar and the panel are drawn earlier."""
    return sum(len(find(row, CHOSEN)) for row in rows_of(picture, third=1)) >= N_CHOSEN
