# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Checks of the tree and of the bare programs; tests/run runs them.

EXTRA_DIST += \
	tests/coverage \
	tests/lib/coverage-dump.c \
	tests/fuzz/fuzz_all \
	tests/lint/analyzer \
	tests/lint/distcheck \
	tests/lint/english \
	tests/lint/hardening \
	tests/lint/house-map \
	tests/lint/keeper-review \
	tests/lint/layers \
	tests/lint/pid1 \
	tests/lint/scripts \
	tests/lint/service-programs \
	tests/lint/symbols \
	tests/lint/verbs
