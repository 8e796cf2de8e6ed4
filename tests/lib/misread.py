# SPDX-License-Identifier: LGPL-2.1-or-later
"""A rule of udev by which a volume is none in one event, as when its superblock is read while the kernel is writing it."""

PLACE = "/etc/udev/rules.d/99-zz-misread.rules"

# As long as this directory is there; the event that is misread takes it away.
ARMED = "/run/misread"

LOST = ("LABEL", "LABEL_ENC", "UUID", "UUID_ENC", "TYPE", "USAGE", "VERSION")


def rule(label):
    return "\n".join((f'ENV{{ID_FS_LABEL}}!="{label}", GOTO="misread_end"', f'PROGRAM!="/bin/rmdir {ARMED}", GOTO="misread_end"',
                      *(f'ENV{{ID_FS_{name}}}=""' for name in LOST), 'LABEL="misread_end"\n'))
