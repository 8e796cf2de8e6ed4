# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Not part of "make check": the packages come from an archive, and svcd is PID 1. tests/run runs them.

EXTRA_DIST += \
	tests/daemons/README.md \
	tests/daemons/life.py \
	tests/daemons/protection.py \
	tests/daemons/test_alternatives.py \
	tests/daemons/test_databases.py \
	tests/daemons/test_desktop.py \
	tests/daemons/test_disks.py \
	tests/daemons/test_logins.py \
	tests/daemons/test_mail.py \
	tests/daemons/test_network.py \
	tests/daemons/test_shares.py \
	tests/daemons/test_sockets.py \
	tests/daemons/test_sound.py \
	tests/daemons/test_system.py \
	tests/daemons/test_units.py \
	tests/daemons/test_virtual.py \
	tests/daemons/test_web.py
