# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Not part of "make check", because they need gjs. tests/run runs them.

EXTRA_DIST += tests/desktop/greeter.js tests/desktop/shell.js tests/desktop/test_extension.js tests/desktop/test_model.js
