# SPDX-License-Identifier: LGPL-2.1-or-later

EXTRA_DIST += lsb-compat/README.md
