# SPDX-License-Identifier: LGPL-2.1-or-later

# Only a header: both programs are built from it.
EXTRA_DIST += daemon/protocol/protocol.h
