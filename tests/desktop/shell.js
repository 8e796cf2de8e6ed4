// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Shell: the parts of GNOME Shell that the greeter's extension uses. Actors record their settings. An
// eased change is complete after a turn of the main loop.
/* exported makeShell, loadExtension */

const { Gio, GLib } = imports.gi;

var Actor = class {
    constructor(properties = {}) {
        Object.assign(this, { opacity: 255, width: 0, height: 0, text: '', children: [], parent: null, isDestroyed: false, eases: 0 });
        Object.assign(this, properties);
    }

    add_child(child) {
        child.parent = this;
        this.children.push(child);
    }

    destroy() {
        for (const child of [...this.children])
            child.destroy();
        if (this.parent)
            this.parent.children = this.parent.children.filter(child => child !== this);
        this.isDestroyed = true;
    }

    set_size(width, height) {
        Object.assign(this, { width, height });
    }

    set_position(x, y) {
        Object.assign(this, { x, y });
    }

    remove_transition() {
        this.easing = null;
    }

    ease(properties) {
        const { duration: _duration, mode: _mode, onComplete, ...values } = properties;
        const easing = this.easing = {};

        this.eases++;
        GLib.idle_add(GLib.PRIORITY_DEFAULT, () => {
            if (this.easing === easing && !this.isDestroyed) {
                Object.assign(this, values);
                if (onComplete)
                    onComplete();
            }
            return GLib.SOURCE_REMOVE;
        });
    }

    find(styleClass) {
        if (this.style_class === styleClass)
            return this;
        for (const child of this.children) {
            const found = child.find(styleClass);
            if (found)
                return found;
        }
        return null;
    }
};

function makeShell() {
    const shell = {
        Gio, GLib,
        Clutter: {
            ActorAlign: { CENTER: 2, END: 3 }, AnimationMode: { EASE_OUT_QUAD: 1 }, Orientation: { VERTICAL: 1 },
            BoxLayout: class {},
        },
        St: {
            Widget: Actor, Label: Actor,
            ThemeContext: { get_for_stage: () => ({ scale_factor: 1 }) },
        },
        Main: {
            layoutManager: {
                uiGroup: new Actor(),
                primaryMonitor: { x: 0, y: 0, width: 1280, height: 800 },
                handlers: new Map(),
                connect(signal, handler) {
                    this.handlers.set(handler, signal);
                    return handler;
                },
                emit(signal) {
                    for (const [handler, of] of this.handlers) {
                        if (of === signal)
                            handler();
                    }
                },
                disconnect(handler) {
                    this.handlers.delete(handler);
                },
            },
        },
        Extension: class {},
    };
    return shell;
}

function read(path) {
    const [, bytes] = GLib.file_get_contents(path);
    return new TextDecoder().decode(bytes);
}

function load43(path, shell) {
    const { Clutter, St, Main } = shell;
    const gi = { Clutter, Gio, GLib, St };

    return new Function('imports', `${read(path)}\nreturn init();`)({ gi, ui: { main: Main } });
}

// The imports of a module are resolved when the module is read. So a global variable replaces them.
async function load45(path, shell) {
    const pattern = /^import (?:\* as )?\{?(\w+)\}? from '(gi|resource):\/\/[\w/.]+';$/gm;
    const text = read(path);
    const names = [...text.matchAll(pattern)].map(match => match[1]);
    const [file, stream] = Gio.File.new_tmp('svcd-greeter-XXXXXX.js');

    stream.close(null);
    globalThis.shellForTest = shell;
    const rest = text.replace(pattern, '');
    GLib.file_set_contents(file.get_path(), `const { ${names.join(', ')} } = globalThis.shellForTest;\n${rest}`);
    try {
        const module = await import(file.get_uri());
        return new module.default();
    } finally {
        file.delete(null);
    }
}

// The extension as installed in @directory, for @version of the shell.
async function loadExtension(directory, version, shell) {
    globalThis.global = { stage: {} };
    return version >= 45 ? await load45(`${directory}/extension.js`, shell) : load43(`${directory}/extension.js`, shell);
}
