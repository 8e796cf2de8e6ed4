# SPDX-License-Identifier: LGPL-2.1-or-later
"""Misread: a udev rule that hides a volume in one event, as if its superblock were read during a
write."""

PLACE = "/etc/udev/rules.d/99-zz-misread.rules"

# Active while this directory exists; the misread event removes it.
ARMED = "/run/misread"

LOST = ("LABEL", "LABEL_ENC", "UUID", "UUID_ENC", "TYPE", "USAGE", "VERSION")


def rule(label):
    return "\n".join((f'ENV{{ID_FS_LABEL}}!="{label}", GOTO="misread_end"', f'PROGRAM!="/bin/rmdir {ARMED}", GOTO="misread_end"',
                      *(f'ENV{{ID_FS_{name}}}=""' for name in LOST), 'LABEL="misread_end"\n'))
