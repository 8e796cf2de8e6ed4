# SPDX-License-Identifier: LGPL-2.1-or-later
"""PNG: pictures for people, in $SVCD_ARTIFACTS, where tests/run keeps artifacts."""

import os
import struct
import zlib


def png_of(width, height, pixels):
    """The bytes of a PNG file (its specification, 5 and 11); pixels have three bytes."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\0" + pixels[3 * width * y:3 * width * (y + 1)] for y in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")


def keep_picture(name, picture):
    """@picture: (width, height, pixels). Without $SVCD_ARTIFACTS nothing is written."""
    directory = os.environ.get("SVCD_ARTIFACTS")
    if not directory:
        return
    os.makedirs(directory, exist_ok=True)
    with open(f"{directory}/{name}.png", "wb") as file:
        file.write(png_of(*picture))
