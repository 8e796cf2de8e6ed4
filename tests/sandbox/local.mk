# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Not part of "make check": these boot svcd as PID 1 and need root. tests/run runs them.

EXTRA_DIST += \
	tests/lib/deadline.py \
	tests/lib/namespaces.py \
	tests/lib/runner.py \
	tests/lib/sandbox.py \
	tests/lib/sandbox_boot.py \
	tests/lib/setup
