// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Progress of the boot in the greeter, for GNOME Shell from 45 on. The build joins it from the
// files of desktop/greeter/.
import Clutter from 'gi://Clutter';
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';
import St from 'gi://St';

import * as Main from 'resource:///org/gnome/shell/ui/main.js';
import {Extension} from 'resource:///org/gnome/shell/extensions/extension.js';

