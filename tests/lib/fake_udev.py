# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Fake udev: handwritten events in udevd's format, thousands a second, with any properties.

Run it inside a sandbox:

    python3 fake_udev.py [--to=PORT] COUNT PAUSE_S ACTION DEVPATH NAME=VALUE...     {} in a value is the number of the event

With a PORT, only the socket with that number gets the events, and udev's listeners do not. The
layout of a message is libudev's (struct monitor_netlink_header in systemd's sd-device-monitor.c);
libudev accepts such messages from root.
"""

import socket
import struct
import sys
import time

NETLINK_KOBJECT_UEVENT = 15
GROUP_UDEV = 2
MAGIC = 0xFEEDCAFE
HEADER = struct.Struct("=8s8I")


def murmur2(data):
    """MurmurHash2 with seed 0: the filter in the kernel compares it."""
    multiplier, mask = 0x5BD1E995, 0xFFFFFFFF
    value = len(data)
    whole = len(data) // 4 * 4
    for (word,) in struct.iter_unpack("<I", data[:whole]):
        word = word * multiplier & mask
        word = (word ^ word >> 24) * multiplier & mask
        value = (value * multiplier & mask) ^ word
    rest = data[whole:]
    if rest:
        value = (value ^ int.from_bytes(rest, "little")) * multiplier & mask
    value = (value ^ value >> 13) * multiplier & mask
    return value ^ value >> 15


def message(action, devpath, properties):
    lines = [f"ACTION={action}", f"DEVPATH={devpath}", *properties]
    body = b"".join(line.encode("utf-8", "surrogateescape") + b"\0" for line in lines)
    subsystem = next(line.split("=", 1)[1] for line in lines if line.startswith("SUBSYSTEM="))
    head = HEADER.pack(b"libudev\0", socket.htonl(MAGIC), HEADER.size, HEADER.size, len(body),
                       socket.htonl(murmur2(subsystem.encode())), 0, 0, 0)
    return head + body


def open_sender():
    return socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_KOBJECT_UEVENT)


def send(sender, action, devpath, properties, port=0):
    sender.sendto(message(action, devpath, properties), (port, 0 if port else GROUP_UDEV))


def main():
    words = sys.argv[1:]
    port = int(words.pop(0).removeprefix("--to=")) if words[0].startswith("--to=") else 0
    count, pause_s, action, devpath = int(words[0]), float(words[1]), words[2], words[3]
    sender = open_sender()
    for number in range(count):
        properties = [word.replace("{}", str(number)) for word in words[4:]]
        send(sender, action, devpath, [*properties, f"SEQNUM={number + 1}"], port)
        time.sleep(pause_s)


if __name__ == "__main__":
    main()
