#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Streams, datagrams, packets, fifos, ports and abstract names are passed with names, in order,
beside a readiness descriptor."""

import socket

import listener
from deadline import wait_for
from sandbox import Sandbox

MANY = """ListenStream=/run/m/stream
ListenDatagram=/run/m/datagram
ListenSequentialPacket=/run/m/packet
ListenFIFO=/run/m/fifo
ListenStream=127.0.0.1:8081
ListenStream=@many
FileDescriptorName=s d p f port abstract
"""

SERVICES = {
    "many": listener.service(socket_section=MANY),
    "near": listener.service("ready=4", socket_section="ListenStream=/run/near.sock", more="Ready=fd:4"),
    "far": listener.service("ready=40", socket_section="ListenStream=/run/far.sock\nListenStream=/run/far2.sock",
                            more="Ready=fd:40"),
    "user": listener.service(socket_section="ListenStream=/run/user.sock", more="User=65534\nGroup=65534"),
}
POLICY = "".join(f"[service {name}]\nActivation=on-demand\n" for name in SERVICES)

CLIENT = """
import socket, sys
family, address = eval(sys.argv[1])
s = socket.socket(family)
s.connect(address)
sys.stdout.write(s.makefile().read())
"""


def lines(box):
    return box.read("/run/listener.log").splitlines() if box.exists("/run/listener.log") else []


def send(box, path, text):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
        sock.sendto(text.encode(), box.path(path))


with Sandbox(SERVICES, policy=POLICY, files=listener.FILES) as box:
    box.run("ip", "link", "set", "lo", "up", check=False)
    box.wait_at_rest()
    assert box.run("stat -c %F:%a /run/m/fifo").stdout == "fifo:666\n"
    listens = box.svcctl_json("status", "many", check=False)["data"][0]["listens"]
    assert [entry["name"] for entry in listens] == ["s", "d", "p", "f", "port", "abstract"], listens
    assert all(entry["open"] for entry in listens), listens

    # A datagram starts the service, and is not lost. A line in a fifo is not lost either, even if
    # the service is killed and svcd is replaced.
    send(box, "/run/m/datagram", "one")
    wait_for(lambda: "datagram one" in lines(box), what="the datagram is read")
    box.wait_state("many", "ready")
    box.svcctl("stop", "many")
    box.wait_state("many", "idle")
    box.svcctl("clear", "many")
    wait_for(lambda: box.svcctl_json("status", "many", check=False)["data"][0]["listens"][3]["open"], what="it listens again")
    with open(box.path("/run/m/fifo"), "w", encoding="utf-8") as fifo:
        fifo.write("two\n")
    wait_for(lambda: "fifo two" in lines(box), what="the fifo is read")

    answer = listener.ask(box.path("/run/m/stream"))
    assert answer["name"] == "s" and answer["names"] == ["s", "d", "p", "f", "port", "abstract"], answer
    assert listener.ask(box.path("/run/m/packet"), kind=socket.SOCK_SEQPACKET)["name"] == "p"
    for address, name in (("(socket.AF_INET, ('127.0.0.1', 8081))", "port"), ("(socket.AF_UNIX, '\\0many')", "abstract")):
        said = box.run("/usr/bin/python3", "-c", CLIENT, address).stdout
        assert f'"name": "{name}"' in said, said

    # The service gets only its own sockets, and readiness works beside them.
    answer = listener.ask(box.path("/run/near.sock"))
    assert answer["fds"] == list(range(8)), answer
    box.wait_state("near", "ready")
    assert listener.ask(box.path("/run/far2.sock"))["pid"] == box.pid("far")
    box.wait_state("far", "ready")
    answer = listener.ask(box.path("/run/user.sock"))
    assert answer["uid"] == 65534 and answer["fds"] == list(range(7)), answer
