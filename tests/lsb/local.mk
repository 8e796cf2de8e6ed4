# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Not part of "make check": the packages come from an archive. tests/run runs them.

EXTRA_DIST += \
	tests/lib/lsb.py \
	tests/lsb/differences.json \
	tests/lsb/fetch \
	tests/lsb/packages \
	tests/lsb/packages-more \
	tests/lsb/scenarios.json \
	tests/lsb/test_graph.py \
	tests/lsb/test_order.py \
	tests/lsb/test_random.py \
	tests/lsb/test_scenarios.py
