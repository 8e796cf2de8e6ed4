#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Disks and NFS: services that cannot share the host's kernel wait; the others run."""

from life import Daemon, try_all

KERNEL = {"waits_for": "!virtual:container", "why": "the kernel's tables of disks are the host's"}
NFS = {"waits_for": "!virtual:container", "why": "the server is in the host's kernel; tests/boot/test_network.py"}

try_all(
    Daemon("lvm2-monitor", **KERNEL),
    Daemon("mdadm", ignore="virtual:container", waits_for="udev:SUBSYSTEM=block MD_LEVEL=raid1", why="no array"),
    Daemon("mdadm-degraded", **KERNEL),
    Daemon("nfs-idmapd", waits_for="service:rpc-pipefs", why="the file system is the host's"),
    Daemon("nfs-kernel-server", **NFS),
    Daemon("nfs-mountd", **NFS),
    Daemon("nfsdcld", waits_for="service:rpc-pipefs", why="the file system is the host's"),
    Daemon("rpc-gssd", waits_for="path:/etc/krb5.keytab", why="no Kerberos"),
    Daemon("rpc-statd", probe="rpcinfo -p | grep -q status"),
    Daemon("rpc-svcgssd", waits_for="path:/etc/krb5.keytab", why="no Kerberos"),
)
