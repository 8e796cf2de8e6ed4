# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The Debian packages; tools/build-packages builds them.

EXTRA_DIST += \
	debian/changelog \
	debian/control \
	debian/copyright \
	debian/rules \
	debian/source/format \
	debian/svcd-desktop.install \
	debian/svcd-doc.docs \
	debian/svcd-init.links \
	debian/svcd-init.postinst \
	debian/svcd-init.prerm \
	debian/svcd.README.Debian \
	debian/svcd.install \
	debian/svcd.lintian-overrides \
	debian/svcd.postinst \
	debian/svcd.postrm \
	debian/svcd.prerm \
	debian/svcd.triggers \
	debian/tests/boot-in-namespaces \
	debian/tests/control \
	tools/build-packages
