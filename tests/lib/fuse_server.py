# SPDX-License-Identifier: LGPL-2.1-or-later
"""
Fuse server: a file system in user space that answers, or does not. Run it inside a sandbox:

    python3 fuse_server.py DIRECTORY ANSWER MARK

It is mounted on DIRECTORY and has one file, "here". While there is no file ANSWER, each access
waits. MARK is created after the mount. Messages: fuse(4) and the kernel's
include/uapi/linux/fuse.h.
"""

import ctypes
import os
import struct
import sys
import time

LOOKUP, FORGET, GETATTR, INIT, BATCH_FORGET = 1, 2, 3, 26, 42
ENOENT, ENOSYS = 2, 38
IN_HEADER = struct.Struct("=IIQQIIII")
ROOT, FILE = 1, 2


def attributes(node):
    mode = 0o40755 if node == ROOT else 0o100644
    return struct.pack("=6Q10I", node, 0, 0, 0, 0, 0, 0, 0, 0, mode, 1, 0, 0, 0, 4096, 0)


def answer_to(opcode, node, body):
    """Return (error, bytes). Nothing may be cached, so that each access sends a request."""
    if opcode == INIT:
        return 0, struct.pack("=IIIIHHIIHHIIQQ", 7, 31, 4096, 0, 12, 9, 4096, 1, 0, 0, 0, 0, 0, 0)[:64]
    if opcode == GETATTR:
        return 0, struct.pack("=QII", 0, 0, 0) + attributes(node)
    if opcode == LOOKUP and body.rstrip(b"\0") == b"here":
        return 0, struct.pack("=QQQQII", FILE, 0, 0, 0, 0, 0) + attributes(FILE)
    return (ENOENT if opcode == LOOKUP else ENOSYS), b""


def serve(fuse, may_answer):
    while True:
        message = os.read(fuse, 1 << 17)
        _, opcode, unique, node, *_ = IN_HEADER.unpack_from(message)
        if opcode in (FORGET, BATCH_FORGET):
            continue
        while opcode != INIT and not os.path.exists(may_answer):
            time.sleep(0.02)
        error, body = answer_to(opcode, node, message[IN_HEADER.size:])
        try:
            os.write(fuse, struct.pack("=IiQ", 16 + len(body), -error, unique) + body)
        except FileNotFoundError:
            pass  # the requester was killed


def main():
    directory, may_answer, mark = sys.argv[1:]
    if not os.path.exists("/dev/fuse"):
        os.mknod("/dev/fuse", 0o20666, os.makedev(10, 229))
    fuse = os.open("/dev/fuse", os.O_RDWR)
    libc = ctypes.CDLL(None, use_errno=True)
    options = f"fd={fuse},rootmode=40000,user_id=0,group_id=0".encode()
    if libc.mount(b"fuse", directory.encode(), b"fuse", 0, options) < 0:
        sys.exit(f"mount: {os.strerror(ctypes.get_errno())}")
    with open(mark, "w", encoding="ascii"):
        pass
    serve(fuse, may_answer)


if __name__ == "__main__":
    main()
