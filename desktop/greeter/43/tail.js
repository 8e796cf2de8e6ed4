// SPDX-License-Identifier: LGPL-2.1-or-later

/* exported init */
function init() {
    return new BootProgress();
}
