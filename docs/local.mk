# SPDX-License-Identifier: LGPL-2.1-or-later

dist_man_MANS += \
	docs/man/org.svcd1.5 \
	docs/man/svc-progress.8 \
	docs/man/svc-sysv.8 \
	docs/man/svcd.8 \
	docs/man/svcd.conditions.7 \
	docs/man/svcd-manager.8 \
	docs/man/svcd.policy.5 \
	docs/man/svcd.service.5

EXTRA_DIST += \
	docs/README.md \
	docs/admin.md \
	docs/boots.md \
	docs/bus-activation.md \
	docs/containers.md \
	docs/design.md \
	docs/desktop.md \
	docs/from-systemd.md \
	docs/from-sysv.md \
	docs/greeter.png \
	docs/install.md \
	docs/keeper-review.md \
	docs/keeper.md \
	docs/limits.md \
	docs/login-screen.md \
	docs/packages.md \
	docs/performance.md \
	docs/policy.md \
	docs/processes.md \
	docs/progress.md \
	docs/providers.md \
	docs/reliability.md \
	docs/security.md \
	docs/service-files.md \
	docs/svcctl.schema.json \
	docs/testing.md \
	docs/user-services.md \
	docs/writing-services.md
