// SPDX-License-Identifier: LGPL-2.1-or-later

export default class BootProgressExtension extends Extension {
    enable() {
        this._progress = new BootProgress();
        this._progress.enable();
    }

    disable() {
        this._progress.disable();
        this._progress = null;
    }
}
