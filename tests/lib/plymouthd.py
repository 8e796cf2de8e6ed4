# SPDX-License-Identifier: LGPL-2.1-or-later
"""
A fake plymouthd: plymouthd.py LOG (ack|nak|deaf|brief|flood). It logs each client and request.

It writes "connected" into LOG for each client, and each request as a line "letter text". It answers
with ACK, with NAK, not at all (without reading), by closing the connection after the first request,
or without end.

Debian's plymouthd needs packages that conflict with elogind. Protocol: ply-boot-protocol.h.
"""

import contextlib
import socket
import sys

NAME = "\0/org/freedesktop/plymouthd"
ACK, NAK = b"\x06", b"\x15"


def take(stream):
    """One request, or None at the end. The length includes the final NUL."""
    head = stream.read(2)
    if len(head) < 2:
        return None
    if head[1] == 0:
        return chr(head[0])
    assert head[1] == 2, head
    text = stream.read(stream.read(1)[0])
    assert text.endswith(b"\0"), text
    return f"{chr(head[0])} {text[:-1].decode()}"


def serve(connection, log, manner):
    with connection, connection.makefile("rb") as stream:
        while request := take(stream):
            log.write(request + "\n")
            log.flush()
            if manner == "brief":
                return
            connection.sendall(NAK if manner == "nak" else ACK)


def flood(connection):
    with connection, contextlib.suppress(OSError):
        while True:
            connection.sendall(ACK * 65536)


def main(path, manner):
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(NAME)
    listener.listen()
    kept = []
    with open(path, "a", encoding="utf-8") as log:
        while True:
            connection = listener.accept()[0]
            log.write("connected\n")
            log.flush()
            if manner == "deaf":
                kept.append(connection)
            elif manner == "flood":
                flood(connection)
            else:
                serve(connection, log, manner)


main(*sys.argv[1:])
