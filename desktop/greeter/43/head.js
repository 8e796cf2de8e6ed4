// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Progress of the boot in the greeter, for GNOME Shell 42 to 44. The build joins it from the files
// of desktop/greeter/.
'use strict';

const { Clutter, Gio, GLib, St } = imports.gi;
const Main = imports.ui.main;

