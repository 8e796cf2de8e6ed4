// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Bar: the display at the foot of the screen. It shows the failed services, below them the starting
// services, and the bar. The greeter's own elements keep their places, and clicks pass through the
// display.
//
// The display is drawn at most ten times a second, and only its own few pixels, because the machine
// is busy during a boot. Only large jumps of the bar are animated.

// Sizes in the theme's units. FOOT leaves room for GDM's logo (64, with 24 above and below). The
// box has a fixed size, because a text has no size until it is drawn for the first time. The
// content of the box is aligned at the bottom.
const BAR_WIDTH = 400;
const BAR_HEIGHT = 6;
const BOX_WIDTH = 640;
const BOX_HEIGHT = 140;
const SIDE = 20;
const FOOT = 120;
const SPACING = 8;

const LEAP = 3;
const LEAP_MS = 250;
const FADE_MS = 400;

class Bar {
    constructor() {
        this._failure = new St.Label({ style_class: 'svcd-boot-failure', x_align: Clutter.ActorAlign.CENTER,
            y_align: Clutter.ActorAlign.END, y_expand: true });
        this._hint = new St.Label({ style_class: 'svcd-boot-hint', x_align: Clutter.ActorAlign.CENTER });
        this._title = new St.Label({ style_class: 'svcd-boot-title', x_align: Clutter.ActorAlign.CENTER });
        this._fill = new St.Widget({ style_class: 'svcd-boot-fill' });
        this._trough = new St.Widget({ style_class: 'svcd-boot-trough', x_align: Clutter.ActorAlign.CENTER });
        this._trough.add_child(this._fill);
        this._box = new St.Widget({
            layout_manager: new Clutter.BoxLayout({ orientation: Clutter.Orientation.VERTICAL, spacing: SPACING }),
            reactive: false,
        });
        for (const actor of [this._failure, this._hint, this._title, this._trough])
            this._box.add_child(actor);
        this._shown = new Map();
        this._width = 0;
        this._isFirst = true;
        Main.layoutManager.uiGroup.add_child(this._box);
        this._monitorsId = Main.layoutManager.connect('monitors-changed', () => this._place());
    }

    destroy() {
        Main.layoutManager.disconnect(this._monitorsId);
        this._box.destroy();
        this._box = null;
    }

    // Called only while there is something to show; leave() removes the display.
    draw(view) {
        this._box.remove_transition('opacity');
        this._box.opacity = 255;
        this._write(this._failure, view.failure);
        this._write(this._hint, view.hint);
        this._write(this._title, view.title);
        this._fillTo(view.fraction);
        this._fade(this._failure, view.failure !== '');
        this._fade(this._hint, view.failure !== '');
        this._fade(this._title, view.hasBar);
        this._fade(this._trough, view.hasBar);
        this._place();
        this._isFirst = false;
    }

    leave(onGone) {
        this._box.ease({ opacity: 0, duration: FADE_MS, mode: Clutter.AnimationMode.EASE_OUT_QUAD, onComplete: onGone });
    }

    // A text that disappears stays readable while it fades.
    _write(label, text) {
        if (text !== '' && label.text !== text)
            label.text = text;
    }

    // A faded element keeps its space, so that the others do not jump.
    _fade(actor, isShown) {
        if (this._shown.get(actor) === isShown)
            return;
        this._shown.set(actor, isShown);
        actor.remove_transition('opacity');
        if (isShown || this._isFirst)
            actor.opacity = isShown ? 255 : 0;
        else
            actor.ease({ opacity: 0, duration: FADE_MS, mode: Clutter.AnimationMode.EASE_OUT_QUAD });
    }

    _scale() {
        return St.ThemeContext.get_for_stage(global.stage).scale_factor;
    }

    _fillTo(fraction) {
        const scale = this._scale();
        const width = Math.round(BAR_WIDTH * scale * fraction);

        this._trough.set_size(BAR_WIDTH * scale, BAR_HEIGHT * scale);
        if (width === this._width)
            return;
        this._fill.height = BAR_HEIGHT * scale;
        if (this._isFirst || width - this._fill.width < LEAP * scale) {
            this._fill.remove_transition('width');
            this._fill.width = width;
        } else {
            this._fill.ease({ width, duration: LEAP_MS, mode: Clutter.AnimationMode.EASE_OUT_QUAD });
        }
        this._width = width;
    }

    _place() {
        const monitor = Main.layoutManager.primaryMonitor;

        if (!monitor)
            return;
        const scale = this._scale();
        const width = Math.min(BOX_WIDTH * scale, monitor.width - 2 * SIDE);
        const height = BOX_HEIGHT * scale;

        this._box.set_size(width, height);
        this._box.set_position(monitor.x + Math.floor((monitor.width - width) / 2),
            monitor.y + monitor.height - height - FOOT * scale);
    }
}
