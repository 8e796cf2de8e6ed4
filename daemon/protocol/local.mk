# SPDX-License-Identifier: LGPL-2.1-or-later

# Only headers: the programs on both sides are built from them.
EXTRA_DIST += daemon/protocol/exec-protocol.h daemon/protocol/initctl-protocol.h \
	daemon/protocol/logger-protocol.h daemon/protocol/protocol.h
