# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Raw bus: a client that breaks the rules. After a correct authentication it sends any bytes, and
reads or does not read.

GLib only converts messages; the connection is a plain socket, connected to svcd's own socket or to
a bus.

As a program it is a flooder of test_hostile_bus.py: "raw_bus.py FLOOD PATH UID N-CLIENTS SECONDS",
see FLOODS. The last line of its output is the result in JSON.
"""

import json
import os
import select
import socket
import statistics
import sys
import time

import gi
gi.require_version("Gio", "2.0")
from gi.repository import Gio, GLib  # noqa: E402

from deadline import DEFAULT_S  # noqa: E402

BUS = ("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus")
MANAGER = ("org.svcd1", "/org/svcd1", "org.svcd1.Manager")
PEER = ("org.svcd1", "/org/svcd1", "org.freedesktop.DBus.Peer")
OBJECTS = ("org.svcd1", "/org/svcd1", "org.freedesktop.DBus.ObjectManager")

NO_REPLY = Gio.DBusMessageFlags.NO_REPLY_EXPECTED


class Gone(RuntimeError):
    """The other end has closed the connection."""


def message(address, member, body=None, flags=None):
    """The bytes of a call. @address: name, path, interface; each may be None. @body: a GLib.Variant
    of a tuple."""
    name, path, interface = address
    call = Gio.DBusMessage.new_method_call(name, path, interface, member)
    if body is not None:
        call.set_body(body)
    if flags is not None:
        call.set_flags(flags)
    call.set_serial(1)
    return bytearray(call.to_blob(Gio.DBusCapabilityFlags.UNIX_FD_PASSING))


def with_serial(blob, serial):
    """@blob with another serial, in little endian, like GLib's messages here."""
    blob[8:12] = serial.to_bytes(4, "little")
    return blob


class RawBus:
    """One connection. @path as this process sees it; @uid: owner of the socket (SO_PEERCRED is
    taken at connect)."""

    def __init__(self, path, uid=0, hello=False):
        self.serial = 0
        self.rest = b""
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(DEFAULT_S)
        # The socket is opened by its name in its directory, because only root may use the path
        # through /proc.
        here = os.open(".", os.O_RDONLY)
        os.chdir(os.path.dirname(path))
        try:
            os.seteuid(uid)
            self.sock.connect(os.path.basename(path))
        finally:
            os.seteuid(0)
            os.fchdir(here)
            os.close(here)
        self.send(b"\0AUTH EXTERNAL " + str(uid).encode().hex().encode() + b"\r\n")
        answer = self.sock.recv(4096)
        if not answer.startswith(b"OK "):
            raise Gone(f"refused: {answer!r}")
        self.send(b"BEGIN\r\n")
        if hello:
            self.ask(BUS, "Hello")

    def send(self, data):
        try:
            self.sock.sendall(data)
        except (BrokenPipeError, ConnectionResetError) as problem:
            raise Gone(str(problem)) from None

    def call(self, address, member, body=None, flags=None):
        """Returns: the serial."""
        self.serial += 1
        self.send(with_serial(message(address, member, body, flags), self.serial))
        return self.serial

    def receive(self):
        """The next message, whatever it is."""
        while True:
            if len(self.rest) >= 16:
                length = Gio.DBusMessage.bytes_needed(self.rest)
                if len(self.rest) >= length:
                    blob, self.rest = self.rest[:length], self.rest[length:]
                    return Gio.DBusMessage.new_from_blob(blob, Gio.DBusCapabilityFlags.NONE)
            try:
                data = self.sock.recv(262144)
            except ConnectionResetError as problem:
                raise Gone(str(problem)) from None
            if not data:
                raise Gone("closed")
            self.rest += data

    def answer(self, serial):
        """The answer to one call; drops all other messages."""
        while True:
            got = self.receive()
            if got.get_reply_serial() == serial:
                return got

    def ask(self, address, member, body=None):
        return self.answer(self.call(address, member, body))

    def is_gone(self, seconds):
        """Whether the other end closes the connection within @seconds. Drops all earlier data."""
        until = time.monotonic() + seconds
        try:
            while select.select([self.sock], [], [], max(0, until - time.monotonic()))[0]:
                if not self.sock.recv(262144):
                    return True
        except ConnectionResetError:
            return True
        return False

    def close(self):
        self.sock.close()


class Latency:
    """The latency under load of a client that sends one call after the other."""

    def __init__(self, what):
        self.what = what
        self.seconds = []

    def measure(self, ask):
        began = time.monotonic()
        ask()
        self.seconds.append(time.monotonic() - began)

    def worst(self):
        return max(self.seconds)

    def __str__(self):
        return (f"{self.what}: median {statistics.median(self.seconds) * 1000:.1f} ms, worst {self.worst() * 1000:.1f} ms "
                f"of {len(self.seconds)}")


# --- flooders ---


def flood_calls(clients, address, member, until, body=None, reads=True):
    """Each client sends as fast as possible, and reads the answers or not. Returns: calls, answers,
    closed clients."""
    blob = bytes(message(address, member, body)) * 16
    calls = answers = 0
    alive = {client.sock: [client, 0] for client in clients}
    for sock in alive:
        sock.setblocking(False)
    while alive and time.monotonic() < until:
        readable, writable, _ = select.select(list(alive) if reads else [], list(alive), [], 0.1)
        for sock in readable:
            try:
                data = sock.recv(1 << 20)
                answers += len(data)
            except BlockingIOError:
                continue
            except OSError:
                data = b""
            if not data:
                del alive[sock]
        for sock in writable:
            state = alive.get(sock)
            if not state:
                continue
            try:
                sent = sock.send(blob[state[1]:])
                calls += sent
                state[1] = (state[1] + sent) % len(blob)
            except BlockingIOError:
                pass
            except OSError:
                del alive[sock]
        if not readable and not writable:
            time.sleep(0.01)
    return calls // (len(blob) // 16), answers, len(clients) - len(alive)


def main():
    flood, path, uid, count, seconds = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:6])
    on_bus = path.endswith("system_bus_socket")
    clients = [RawBus(path, uid, hello=on_bus) for _ in range(count)]
    print("connected", flush=True)
    until = time.monotonic() + seconds
    kinds = {
        "list": (MANAGER, "ListServices", True), "objects": (OBJECTS, "GetManagedObjects", True),
        "deaf": (OBJECTS, "GetManagedObjects", False), "ping": (PEER, "Ping", True),
    }
    address, member, reads = kinds[flood]
    calls, answers, gone = flood_calls(clients, address, member, until, reads=reads)
    print(json.dumps({"calls": calls, "answer_bytes": answers, "gone": gone}), flush=True)


if __name__ == "__main__":
    main()
