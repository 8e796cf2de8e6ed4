# SPDX-License-Identifier: LGPL-2.1-or-later

include tools/svc-generate/local.mk
include tools/svc-utmp/local.mk
