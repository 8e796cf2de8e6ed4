#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""An unreadable file of durations causes one warning. A volume that is mounted on /var during the
boot brings another such file."""

from deadline import wait_for
from sandbox import Sandbox

FILE = "/var/lib/svcd/durations"
WARNING = "the durations of earlier boots are not known"
SERVICES = {"a": "[Service]\nType=task\nExec=/bin/sleep 0.1\n"}

BAD = {
    "cut off": "svcd-durations 1\nservice a 0 100",
    "binary": {"bytes": "\x7fELF\0\0\xff\xfe"},
    "a FIFO": {"fifo": True},
    "a directory": {"directory": True},
    "a link to a device": {"link": "/dev/zero"},
    "endless": "svcd-durations 1\n" + "boot 1 1\n" * 300000 + "end\n",
}

for name, content in BAD.items():
    with Sandbox(SERVICES, files={FILE: content}) as box:
        box.wait_state("a", "done")
        box.wait_console(WARNING)
        box.wait_at_rest()
        if name != "a directory":
            wait_for(lambda: box.run("cat", FILE, check=False).stdout.endswith("end\n")
                     and "service a 0 " in box.run("cat", FILE).stdout, what=f"{name} is replaced by a good one")
        assert box.console().count(WARNING) == 1, (name, box.console())

# The boot also succeeds if the file cannot be written.
with Sandbox(SERVICES, files={"/var/lib/svcd": "a file where the directory should be"}) as box:
    box.wait_state("a", "done")
    box.wait_console("svc-save: ")
    box.wait_at_rest()

# The content of the volume is prepared elsewhere, and then mounted as a whole.
KNOWN = "svcd-durations 1\\nboot 90000000 0\\nservice slow 0 90000000+0\\nend\\n"
MOUNT = ("mount -t tmpfs tmpfs /mnt && mkdir -p /mnt/lib/svcd && "
         f"printf '{KNOWN}' > /mnt/lib/svcd/durations && mount --bind /mnt /var")
MOUNTING = {
    "var": "[Service]\nType=task\nExec=/bin/sh /root/mount\n",
    "slow": "[Service]\nType=task\nExec=/bin/sleep 1000\n[Conditions]\nAfter=var\n",
}
with Sandbox(MOUNTING, files={"/root/mount": MOUNT, "/mnt/mountpoint": ""}) as box:
    wait_for(lambda: box.overview()["boot_remaining_us"] > 60000000, what="the file on the new volume is known")
    assert "about 1 min" in box.svcctl().stdout, box.svcctl().stdout
