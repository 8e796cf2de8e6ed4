#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Services that maintain a machine: clock, jobs, hardware, neighbours."""

from life import Daemon, python, tcp, try_all, unix

NO_HARDWARE = "virtual:container"
# chronyd must not set the machine's clock, and uses no server.
CHRONY = {"/etc/default/chrony": 'DAEMON_OPTS="-x"\n', "/etc/chrony/chrony.conf": "local stratum 10\n"}
NONSENSE = "nonsense of it\n"
DNS = python('import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.settimeout(20);'
             's.sendto(b"\\x12\\x34\\1\\0\\0\\1\\0\\0\\0\\0\\0\\0\\4here\\0\\0\\1\\0\\1", ("127.0.0.1", 53));'
             'assert bytes([10, 1, 2, 3]) in s.recv(512)')

# anacron's only job is due in an hour.
ANACRON = {"/etc/anacrontab": "1 60 test /bin/true\n"}
ON_BATTERY = '"udev:SUBSYSTEM=power_supply POWER_SUPPLY_TYPE=Mains POWER_SUPPLY_ONLINE=0"'

try_all(
    # cups-browsed is not tested with the services that it needs, because their tests stop them.
    Daemon("cups-browsed", probe="pgrep -x cups-browsed"),
    Daemon("acpid", probe=unix("/run/acpid.socket"), ignore=NO_HARDWARE),
    Daemon("anacron", files=ANACRON, ignore=ON_BATTERY),
    Daemon("atd", probe="echo 'touch /run/at-has-run' | at now && atq"),
    Daemon("autofs", probe="mountpoint -q /auto/here || ls /auto/here && mountpoint -q /auto/here",
           files={"/etc/auto.master": "/auto /etc/auto.test\n", "/etc/auto.test": "here -fstype=tmpfs :tmpfs\n"}),
    Daemon("chrony", probe="chronyc -n tracking | grep -q 'Stratum'", files=CHRONY, broken=("/etc/chrony/chrony.conf", NONSENSE),
           ignore=NO_HARDWARE),
    Daemon("cron"),
    Daemon("dnsmasq", probe=DNS, files={"/etc/dnsmasq.d/test.conf": "no-resolv\nno-hosts\naddress=/here/10.1.2.3\n"},
           broken=("/etc/dnsmasq.d/x.conf", NONSENSE)),
    Daemon("irqbalance", probe="kill -0 $(cat /run/irqbalance/irqbalance.pid)", ignore=NO_HARDWARE),
    Daemon("ssh", probe=tcp(22, "", "SSH-2.0"), broken=("/etc/ssh/sshd_config.d/x.conf", NONSENSE)),
    Daemon("lldpd", probe="lldpcli -f keyvalue show chassis | grep -q local-chassis"),
)
