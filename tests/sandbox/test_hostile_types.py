#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Each method of the introspection data gets each wrong type, on the private socket and on the system
bus.

Malformed messages follow: 32 MiB, variants in variants, descriptors, no interface, no such object,
and each header byte changed. Each call gets one answer. At the end the same manager runs, with as
many descriptors as before.
"""


import array
import os
import random
import socket
import xml.etree.ElementTree as ElementTree

from gi.repository import Gio, GLib

from deadline import wait_for
from polkit import SOCKET, BusMachine
from raw_bus import MANAGER, PEER, Gone, RawBus, message, with_serial

PATHS = ("/", "/org/svcd1", "/org/svcd1/boot", "/org/svcd1/service", "/org/svcd1/service/a")
INTROSPECT = "org.freedesktop.DBus.Introspectable"

VALUES = (
    "byte 255", "true", "int16 -32768", "uint16 65535", "-2147483648", "uint32 4294967294", "int64 -9223372036854775808",
    "uint64 18446744073709551615", "0.0", "'-nan'", "''", "'a'", "'%s%n/../a\\n'", "'" + "x" * 5000 + "'", "objectpath '/org/svcd1'",
    "signature 'aaaaaaa{sv}'", "handle 0", "<'a'>", "<<<<<<<<<<'a'>>>>>>>>>>", "@as []", "['a']", "['', '-x', '--root=/']",
    "@ay []", "[byte 0, 255]", "@a{sv} {}", "{'a': <@as []>}", "('a',)", "('a', (true, @a(ss) []))", "@aav []",
)


def methods(client, name, path):
    """(interface, method, number of arguments) of one object, from its introspection."""
    answer = client.ask((name, path, INTROSPECT), "Introspect")
    for interface in ElementTree.fromstring(answer.get_body().unpack()[0]).findall("interface"):
        for method in interface.findall("method"):
            n_args = sum(arg.get("direction", "in") == "in" for arg in method.findall("arg"))
            yield interface.get("name"), method.get("name"), n_args


def bodies(n_args, chance):
    """Argument lists: none, each value alone, some with the right number of values, and some with
    one more."""
    yield None
    for value in VALUES:
        yield f"({value},)"
    for count in {n_args, n_args + 1} - {0, 1}:
        for _ in range(6):
            yield "(" + ", ".join(chance.choice(VALUES) for _ in range(count)) + ")"


def every_method_takes_every_type(client, name):
    chance = random.Random(8)
    n_calls = 0
    for path in PATHS:
        waiting = set()
        for interface, method, n_args in methods(client, name, path):
            for body in bodies(n_args, chance):
                if method == "Reexec" and not body or method in ("Shutdown", "SetRunlevel") and body and body.startswith("('"):
                    continue # valid, so it would have an effect
                waiting.add(client.call((name, path, interface), method, GLib.Variant.parse(None, body) if body else None))
                n_calls += 1
                while len(waiting) > 40:
                    waiting.discard(client.receive().get_reply_serial())
        while waiting:
            waiting.discard(client.receive().get_reply_serial())
    return n_calls


def error_of(client, address, member, body=None):
    answer = client.ask(address, member, body)
    return answer.get_error_name() or ""


def odd_calls_get_errors(client, name):
    if name: # the bus delivers only calls of svcd's interfaces
        assert error_of(client, (name, "/org/svcd1", None), "Ping").endswith("AccessDenied")
    else:
        assert error_of(client, (name, "/org/svcd1", None), "Ping") == ""
        assert error_of(client, (name, "/org/svcd1", None), "Nothing").endswith("UnknownMethod")
        assert error_of(client, (name, "/org/svcd1", "org.example.None"), "Ping").endswith("UnknownInterface")
    assert error_of(client, (name, "/nowhere", PEER[2]), "Ping").endswith("UnknownObject")
    deep = GLib.Variant("s", "a")
    for _ in range(30):
        deep = GLib.Variant("v", deep)
    assert error_of(client, MANAGER, "Start", GLib.Variant.new_tuple(deep)).endswith("InvalidArgs")


def call_with_descriptors(client, count):
    """A Ping with descriptors, and the header field that counts them."""
    call = Gio.DBusMessage.new_method_call(*PEER, "Ping")
    fds = Gio.UnixFDList.new_from_array([os.open("/dev/null", os.O_RDONLY) for _ in range(count)])
    call.set_unix_fd_list(fds)
    client.serial += 1
    call.set_serial(client.serial)
    blob = call.to_blob(Gio.DBusCapabilityFlags.UNIX_FD_PASSING)
    client.sock.sendmsg([blob], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds.peek_fds()))])
    try:
        client.answer(client.serial)
        return True
    except Gone:
        return False


def garbage_ends_its_sender(connect):
    """Send messages with one changed header byte, and one of 32 MiB: only the connection may
    end."""
    chance = random.Random(9)
    good = message(MANAGER, "Start", GLib.Variant("(s)", ("nobody",)))
    for position in range(0, len(good), 2):
        client = connect()
        bad = bytearray(good)
        bad[position] = chance.choice([0, 1, 0x7f, 0x80, 0xff, bad[position] ^ 0x20])
        try:
            client.send(with_serial(bad, 7) if position not in range(8, 12) else bad)
            client.call(PEER, "Ping")
        except Gone:
            pass
        client.close()
    client = connect()
    try:
        client.call(MANAGER, "Start", GLib.Variant("(s)", ("x" * (32 << 20),)))
        assert client.is_gone(60)
    except Gone:
        pass
    client.close()


def long_messages_pass_by(client):
    """On the bus, messages of 60 KiB and 500 KiB get errors, and one of 2 MiB does not end svcd's
    connection."""
    assert error_of(client, MANAGER, "Start", GLib.Variant("(s)", ("x" * 60000,))) != ""
    assert error_of(client, MANAGER, "Start", GLib.Variant("(s)", ("x" * 500000,))).endswith("LimitReached")
    for size in (2 << 20, 31 << 20):
        client.call(MANAGER, "Start", GLib.Variant("(s)", ("x" * size,)))
        assert error_of(client, PEER, "Ping") == ""


def descriptors(box):
    return len(os.listdir(f"/proc/{box.manager_pid()}/fd"))


with BusMachine(has_polkit=False) as machine:
    private, bus = machine.path("/run/svcd/private"), machine.path(SOCKET)
    manager, n_fds = machine.manager_pid(), descriptors(machine)

    # On the private socket the client is root, so svcd does not ask polkit; on the bus it is a user
    # with the right to read only.
    root = RawBus(private)
    print(f"{every_method_takes_every_type(root, None)} calls on the private socket")
    odd_calls_get_errors(root, None)
    anybody = RawBus(bus, uid=65534, hello=True)
    print(f"{every_method_takes_every_type(anybody, 'org.svcd1')} calls on the system bus")
    odd_calls_get_errors(anybody, "org.svcd1")
    long_messages_pass_by(anybody)
    garbage_ends_its_sender(lambda: RawBus(private))
    for _ in range(4):
        with_fds = RawBus(private)
        try:
            call_with_descriptors(with_fds, 16)
        except PermissionError: # the kernel has SO_PASSRIGHTS
            pass
        with_fds.close()
        with_fds = RawBus(bus, hello=True)
        call_with_descriptors(with_fds, 16)
        with_fds.close()
    root.close()
    anybody.close()

    assert machine.manager_pid() == manager
    wait_for(lambda: descriptors(machine) <= n_fds, what="no descriptor is left")
    wait_for(lambda: machine.manager("ListServices").returncode == 0, what="svcd is on the bus")
    assert machine.is_running() and machine.svcctl("is", "up", "dbus", check=False).returncode == 0
