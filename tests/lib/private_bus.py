# SPDX-License-Identifier: LGPL-2.1-or-later
"""Private bus: a minimal client of svcd's private socket. It sends calls without waiting for
answers."""

import socket
import struct

SOCKET = "/run/svcd/private"


def _field(number, kind, value):
    """One field of the header: its number, and a variant with a text or a signature."""
    signature = b"\x01" + kind + b"\0"
    length = bytes([len(value)]) if kind == b"g" else struct.pack("=I", len(value))
    return bytes([number]) + signature + length + value + b"\0"


def _text(value):
    value = value.encode()
    return struct.pack("=I", len(value)) + value + b"\0"


def _body(values):
    """Signature and bytes of strings, booleans and lists of strings."""
    kinds, body = "", b""
    for value in values:
        body += b"\0" * (-len(body) % 4)
        if isinstance(value, bool):
            kinds, body = kinds + "b", body + struct.pack("=I", value)
        elif isinstance(value, str):
            kinds, body = kinds + "s", body + _text(value)
        else:
            words = b""
            for word in value:
                words += b"\0" * (-len(words) % 4) + _text(word)
            kinds, body = kinds + "as", body + struct.pack("=I", len(words)) + words
    return kinds, body


def call(serial, path, interface, member, *values):
    """The message, as the D-Bus specification defines it (Message Format)."""
    kinds, body = _body(values)
    parts = [(1, b"o", path), (2, b"s", interface), (3, b"s", member)]
    if kinds:
        parts.append((8, b"g", kinds))
    fields = b""
    for number, kind, value in parts:
        fields += b"\0" * (-len(fields) % 8) + _field(number, kind, value.encode())
    head = struct.pack("=BBBBIII", ord("l"), 1, 0, 1, len(body), serial, len(fields)) + fields
    return head + b"\0" * (-len(head) % 8) + body


class Client:
    """One connection. @at: the path at which this process can reach the socket."""

    def __init__(self, at):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(10)
        self.socket.connect(at)
        self.socket.sendall(b"\0AUTH EXTERNAL 30\r\n")
        if not self.socket.recv(512).startswith(b"OK "):
            raise OSError("the greeting was refused")
        self.socket.sendall(b"BEGIN\r\n")
        self.serial = 0

    def call(self, path, interface, member, *values):
        self.serial += 1
        self.socket.sendall(call(self.serial, path, interface, member, *values))

    def read_away(self):
        """Drop the received bytes. Returns their number."""
        self.socket.setblocking(False)
        total = 0
        try:
            while data := self.socket.recv(65536):
                total += len(data)
        except BlockingIOError:
            pass
        self.socket.settimeout(10)
        return total

    def read(self):
        """Some received bytes; b"" after ten seconds without any."""
        try:
            return self.socket.recv(65536)
        except TimeoutError:
            return b""

    def close(self):
        self.socket.close()
