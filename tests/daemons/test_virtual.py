#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Virtual machines and containers inside the machine, and network interfaces."""

from life import Daemon, try_all

try_all(
    Daemon("docker", probe="docker version --format '{{.Server.Version}}'",
           files={"/etc/docker/daemon.json": '{"iptables": false, "bridge": "none"}\n'}),
    Daemon("networking", probe="ip -4 address show out1 | grep -q 192.0.2.9", task=True, ignore="virtual:container",
           files={"/etc/network/interfaces": "auto out1\niface out1 inet static\n    address 192.0.2.9/24\n"}),
    Daemon("libvirtd", probe="virsh -c qemu:///system list"),
)
