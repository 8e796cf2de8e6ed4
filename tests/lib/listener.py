# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Listener: a service with the sockets of sd_listen_fds(3), and its clients.

The program answers each connection with one line of JSON: its pid, the names of its sockets, the
socket of this client, its user, and all its descriptors (the client's, a copy of the socket, and
one for listing them). It also reads datagrams and lines of a fifo, and adds them to
/run/listener.log. Arguments: "idle" exits with success after the first client. "crash" fails after
the first client. "deaf" exits with success and accepts no client. "ready=N" sends its readiness as
a newline on that descriptor.
"""

import json
import socket

from deadline import DEFAULT_S

PATH = "/opt/listener.py"

PROGRAM = r'''
import json, os, select, signal, socket, stat, sys
signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
assert int(os.environ.get("LISTEN_PID", "0")) == os.getpid(), os.environ
count = int(os.environ["LISTEN_FDS"])
names = os.environ["LISTEN_FDNAMES"].split(":")
assert len(names) == count, names
if "deaf" in sys.argv:
    os._exit(0)
for word in sys.argv:
    if word.startswith("ready="):
        os.write(int(word[6:]), b"\n")
def note(text):
    with open("/run/listener.log", "a") as log:
        log.write(text + "\n")
def end():
    os._exit(3 if "crash" in sys.argv else 0)
def serve(number):
    if stat.S_ISFIFO(os.fstat(number).st_mode):
        note("fifo " + os.read(number, 4096).decode().strip())
        return
    sock = socket.socket(fileno=os.dup(number))
    if sock.type == socket.SOCK_DGRAM:
        note("datagram " + sock.recv(4096).decode())
        return
    client, _ = sock.accept()
    assert os.get_blocking(number)
    client.sendall(json.dumps({"pid": os.getpid(), "name": names[number - 3], "names": names, "uid": os.getuid(), "fds": sorted(
        int(fd) for fd in os.listdir("/proc/self/fd"))}).encode() + b"\n")
    client.close()
numbers = list(range(3, 3 + count))
while True:
    for number in select.select(numbers, [], [])[0]:
        serve(number)
    if "idle" in sys.argv or "crash" in sys.argv:
        end()
'''

FILES = {PATH: PROGRAM}


def service(*words, socket_section, more=""):
    return f"[Service]\nExec=/usr/bin/python3 {PATH} {' '.join(words)}\n{more}\n[Socket]\n{socket_section}\n"


def connects(path, kind=socket.SOCK_STREAM):
    """A connected client, which has no answer yet."""
    client = socket.socket(socket.AF_UNIX, kind)
    client.settimeout(DEFAULT_S)
    client.connect(path)
    return client


def answer(client):
    """The service's answer; None if there is none."""
    data = b""
    with client:
        while not data.endswith(b"\n"):
            part = client.recv(4096)
            if not part:
                return None
            data += part
    return json.loads(data)


def ask(path, kind=socket.SOCK_STREAM):
    """The service's answer to a client at this path (as this process sees it)."""
    return answer(connects(path, kind))
