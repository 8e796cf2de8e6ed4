# SPDX-License-Identifier: LGPL-2.1-or-later

EXTRA_DIST += tests/lib/check-main.c

include tests/unit/base.mk
include tests/unit/model.mk
include tests/unit/engine.mk
include tests/unit/config.mk
include tests/unit/loop.mk
include tests/unit/providers.mk
include tests/unit/process.mk
include tests/unit/bus.mk
include tests/unit/keeper.mk
include tests/unit/exec.mk
include tests/unit/logger.mk
include tests/unit/tools.mk
include tests/unit/generate.mk
include tests/unit/policy-edit.mk
include tests/unit/import-unit.mk
include tests/unit/lsb.mk
include tests/unit/sysv.mk
include tests/sim/local.mk
include tests/sandbox/local.mk
include tests/daemons/local.mk
include tests/lsb/local.mk
include tests/boot/local.mk
include tests/bench/local.mk
include tests/lint/local.mk
