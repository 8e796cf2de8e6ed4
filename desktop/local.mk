# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Additional files for desktops: see desktop/README.md.

# Two extensions with the same body, because the interface of extensions changed in GNOME Shell 45.
# The shell loads the extension that fits its version.
GREETER_BODY = \
	desktop/greeter/words.js \
	desktop/greeter/model.js \
	desktop/greeter/client.js \
	desktop/greeter/bar.js \
	desktop/greeter/progress.js

greeter43dir = $(datadir)/gnome-shell/extensions/boot-progress-43@org.svcd1
dist_greeter43_DATA = desktop/greeter/43/metadata.json desktop/greeter/stylesheet.css
nodist_greeter43_DATA = desktop/greeter/43/extension.js
greeter45dir = $(datadir)/gnome-shell/extensions/boot-progress@org.svcd1
dist_greeter45_DATA = desktop/greeter/45/metadata.json desktop/greeter/stylesheet.css
nodist_greeter45_DATA = desktop/greeter/45/extension.js

GREETER_HEADS = desktop/greeter/43/head.js desktop/greeter/43/tail.js desktop/greeter/45/head.js desktop/greeter/45/tail.js

# The first two lines of a part are its licence, which the head already contains.
desktop/greeter/43/extension.js desktop/greeter/45/extension.js: $(GREETER_BODY) $(GREETER_HEADS)
	$(AM_V_GEN)$(MKDIR_P) $(@D) && { \
		cat $(srcdir)/$(@D)/head.js && \
		for part in $(GREETER_BODY) $(@D)/tail.js; do $(SED) 1,2d $(srcdir)/$$part && echo || exit 1; done; \
	} >$@.new && mv $@.new $@
CLEANFILES += desktop/greeter/43/extension.js desktop/greeter/45/extension.js

# 85 is below 90, the number of GDM's link to the admin's settings. So the admin's settings are read
# later and take precedence.
dist_gdmdconf_DATA = desktop/greeter/85-svcd

EXTRA_DIST += desktop/README.md $(GREETER_BODY) $(GREETER_HEADS)
