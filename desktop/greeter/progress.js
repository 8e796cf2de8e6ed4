// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Progress: the client updates the model, and the bar shows the model's view. Without svcd there is
// no bar.

class BootProgress {
    enable() {
        this._model = new BootModel();
        this._bar = null;
        this._isLeaving = false;
        this._timerId = 0;
        this._client = new BootClient(this);
        this._client.start();
        this._startedId = 0;
        if (Main.layoutManager._startingUp === false)
            this._client.tellShown(); // enabled after the shell has started
        else
            this._startedId = Main.layoutManager.connect('startup-complete', () => this._client.tellShown());
    }

    disable() {
        if (this._startedId)
            Main.layoutManager.disconnect(this._startedId);
        this._startedId = 0;
        this._client.stop();
        if (this._timerId)
            GLib.source_remove(this._timerId);
        if (this._bar)
            this._bar.destroy();
        this._client = this._model = this._bar = null;
        this._timerId = 0;
    }

    // --- called by the client ---

    changed(properties) {
        this._model.change(properties, this._now());
        if (this._model.wantsFailedInBoot)
            this._client.askFailedInBoot();
        this._draw();
    }

    failedInBoot(names) {
        this._model.knowFailedInBoot(names);
        this._draw();
    }

    left() {
        this._model.leave(this._now());
        this._draw();
    }

    // --- the display ---

    _now() {
        return GLib.get_monotonic_time() / 1000;
    }

    _draw() {
        const now = this._now();
        const view = this._model.view(now);

        if (view.hasBar || view.failure !== '')
            this._show(view);
        else
            this._hide();
        this._drawAgainIn(this._model.nextChange(now));
    }

    _show(view) {
        this._isLeaving = false;
        if (!this._bar)
            this._bar = new Bar();
        this._bar.draw(view);
    }

    _hide() {
        if (!this._bar || this._isLeaving)
            return;
        this._isLeaving = true;
        this._bar.leave(() => {
            this._bar.destroy();
            this._bar = null;
            this._isLeaving = false;
        });
    }

    _drawAgainIn(milliseconds) {
        if (this._timerId)
            GLib.source_remove(this._timerId);
        this._timerId = 0;
        if (milliseconds === null)
            return;
        this._timerId = GLib.timeout_add(GLib.PRIORITY_DEFAULT, milliseconds, () => {
            this._timerId = 0;
            this._draw();
            return GLib.SOURCE_REMOVE;
        });
    }
}
