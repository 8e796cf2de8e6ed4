# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Not part of "make check": the packages come from an archive, and svcd is PID 1. tests/run runs them.

EXTRA_DIST += \
	tests/lib/bed.py \
	tests/lib/own_debs.py \
	tests/lib/probes.py \
	tests/packages/README.md \
	tests/packages/life_of_package \
	tests/packages/more.py \
	tests/packages/sockets_under_systemd \
	tests/packages/table.py \
	tests/packages/test_own_packages \
	tests/packages/test_table \
	tests/packages/traces.py \
	tests/data/left-files \
	tests/data/processes \
	tests/data/sockets
