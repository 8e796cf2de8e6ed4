# SPDX-License-Identifier: LGPL-2.1-or-later
"""Probes: shell lines for a sandbox that fail unless a daemon works. Each runs once, without
waiting."""


def python(code):
    """A probe that runs a program."""
    quoted = code.replace("'", "'\\''")
    return f"/usr/bin/python3 -c '{quoted}'"


def _client(connect, send, expect):
    return ("import socket, sys; s = " + connect + f"; s.settimeout(20); s.sendall({send.encode()!r}); said = b''\n"
            f"while {expect.encode()!r} not in said:\n"
            "    more = s.recv(4096)\n"
            "    said += more\n"
            "    if not more: sys.exit('it said %r' % said)\n")


def tcp(port, send="", expect=""):
    """A server listens at @port, and its answer to @send contains @expect."""
    return python(_client(f"socket.create_connection(('127.0.0.1', {port}), 20)", send, expect))


def unix(path, send="", expect=""):
    """Like tcp(), for a stream socket in the file system."""
    return python(f"import socket; u = socket.socket(socket.AF_UNIX); u.connect({path!r})\n" + _client("u", send, expect))


def udp(port, question, answer):
    """The answer to a datagram contains @answer; both are in hexadecimal. It sends the datagram
    several times, because one may be lost."""
    return python(f"import socket; s = socket.socket(type=socket.SOCK_DGRAM); s.settimeout(1)\n"
                  f"for n in range(20):\n"
                  f"    s.sendto(bytes.fromhex('{question}'), ('127.0.0.1', {port}))\n"
                  f"    try: said = s.recv(4096)\n"
                  f"    except OSError: continue\n"
                  f"    break\n"
                  f"assert bytes.fromhex('{answer}') in said, said")


def bus(name, path="/", call="org.freedesktop.DBus.Peer.Ping"):
    """The owner of the bus name answers a call."""
    return f"dbus-send --system --print-reply --reply-timeout=20000 --dest={name} {path} {call}"


def eventually(probe):
    """For a daemon that cannot report when it is ready."""
    return f"(for _ in $(seq 300); do {probe} 2>/dev/null && exit 0; sleep 0.1; done; exit 1)"


# The address of "localhost", as in the answer.
DNS = ("0123 0100 0001 0000 0000 0000 096c6f63616c686f737400 0001 0001", "7f000001")
# sysDescr.0, which begins with the name of the kernel.
SNMP = ("3026 020101 0406 7075626c6963 a019 020101 020100 020100 300e 300c 0608 2b06010201010100 0500", "4c696e7578")
