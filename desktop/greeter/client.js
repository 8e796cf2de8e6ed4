// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Client: passes the state of org.svcd1.Boot on the system bus to a listener, which has the methods
// changed(properties), left() and failedInBoot(names).
//
// It subscribes first and then reads, so that no change is missed. It has its own connection, and
// connects again when the bus daemon restarts. With the shell's connection, such a restart would
// end the shell or leave the connection closed. Every call is asynchronous, because a blocking call
// would stop the compositor.

const SVCD_NAME = 'org.svcd1';
const BOOT_PATH = '/org/svcd1/boot';
const BOOT_INTERFACE = 'org.svcd1.Boot';
// A process owns this name to report that the login screen is visible: docs/login-screen.md.
const SHOWN_NAME = 'org.svcd1.LoginScreen';
const DO_NOT_QUEUE = 4;

const PROPERTIES_INTERFACE = 'org.freedesktop.DBus.Properties';

const ANSWER_MS = 5000;
const AGAIN_MIN_MS = 200;
const AGAIN_MAX_MS = 5000;

class BootClient {
    constructor(listener) {
        this._listener = listener;
        this._cancellable = new Gio.Cancellable();
        this._connection = null;
        this._closedId = this._signalId = this._watchId = this._timerId = 0;
        this._owner = null;
        this._isShown = false;
        this._againMs = AGAIN_MIN_MS;
    }

    start() {
        const flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION;

        try {
            const address = Gio.dbus_address_get_for_bus_sync(Gio.BusType.SYSTEM, null); // does not block: the address is in the environment or built in
            Gio.DBusConnection.new_for_address(address, flags, null, this._cancellable,
                (_source, result) => this._onConnected(result));
        } catch (error) {
            this._again(() => this.start());
        }
    }

    stop() {
        this._cancellable.cancel();
        if (this._timerId)
            GLib.source_remove(this._timerId);
        this._timerId = 0;
        this._drop();
    }

    // The login screen is visible from now on.
    tellShown() {
        this._isShown = true;
        this._takeShownName();
    }

    // Also called for a new connection. If no process owns the name, svcd assumes that the login
    // screen is visible 30 s after GDM is ready.
    _takeShownName() {
        if (!this._isShown || !this._connection)
            return;
        this._connection.call('org.freedesktop.DBus', '/org/freedesktop/DBus', 'org.freedesktop.DBus', 'RequestName',
            new GLib.Variant('(su)', [SHOWN_NAME, DO_NOT_QUEUE]), null, Gio.DBusCallFlags.NONE, ANSWER_MS, this._cancellable, null);
    }

    _isStopped() {
        return this._cancellable.is_cancelled();
    }

    _again(attempt) {
        if (this._isStopped() || this._timerId)
            return;
        this._timerId = GLib.timeout_add(GLib.PRIORITY_DEFAULT, this._againMs, () => {
            this._timerId = 0;
            attempt();
            return GLib.SOURCE_REMOVE;
        });
        this._againMs = Math.min(this._againMs * 2, AGAIN_MAX_MS);
    }

    _onConnected(result) {
        let connection;

        try {
            connection = Gio.DBusConnection.new_for_address_finish(result);
        } catch (error) {
            this._again(() => this.start());
            return;
        }
        connection.set_exit_on_close(false);
        if (this._isStopped()) {
            connection.close(null, null);
            return;
        }
        this._listen(connection);
    }

    _listen(connection) {
        this._connection = connection;
        this._closedId = connection.connect('closed', () => this._onClosed());
        this._signalId = connection.signal_subscribe(SVCD_NAME, PROPERTIES_INTERFACE, 'PropertiesChanged', BOOT_PATH,
            BOOT_INTERFACE, Gio.DBusSignalFlags.NONE,
            (_connection, sender, _path, _interface, _signal, parameters) => this._onChanged(sender, parameters));
        this._watchId = Gio.bus_watch_name_on_connection(connection, SVCD_NAME, Gio.BusNameWatcherFlags.NONE,
            (_connection, _name, owner) => this._onAppeared(owner), () => this._onVanished());
        this._takeShownName();
    }

    // Frees everything that belongs to the connection, even if it is closed.
    _drop() {
        const connection = this._connection;

        if (!connection)
            return;
        this._connection = null;
        this._owner = null;
        Gio.bus_unwatch_name(this._watchId);
        connection.signal_unsubscribe(this._signalId);
        connection.disconnect(this._closedId);
        if (!connection.is_closed())
            connection.close(null, null);
    }

    _onClosed() {
        this._drop();
        this._listener.left();
        this._again(() => this.start());
    }

    _onAppeared(owner) {
        this._owner = owner;
        this._againMs = AGAIN_MIN_MS;
        this._ask(owner);
    }

    _onVanished() {
        if (this._connection && this._owner) {
            this._owner = null;
            this._listener.left();
        }
    }

    // Any client can send this signal. Only a signal from the owner of svcd's name is used.
    _onChanged(sender, parameters) {
        if (sender === this._owner)
            this._listener.changed(parameters.get_child_value(1).recursiveUnpack());
    }

    _call(owner, interfaceName, method, parameters, onAnswer, onError) {
        this._connection.call(owner, BOOT_PATH, interfaceName, method, parameters, null, Gio.DBusCallFlags.NO_AUTO_START,
            ANSWER_MS, this._cancellable, (connection, result) => {
                let answer = null;

                try {
                    answer = connection.call_finish(result).recursiveUnpack()[0];
                } catch (error) {
                    if (!this._isStopped() && owner === this._owner)
                        onError();
                    return;
                }
                if (!this._isStopped() && owner === this._owner)
                    onAnswer(answer);
            });
    }

    _ask(owner) {
        this._call(owner, PROPERTIES_INTERFACE, 'GetAll', new GLib.Variant('(s)', [BOOT_INTERFACE]),
            properties => this._listener.changed(properties),
            () => this._again(() => owner === this._owner && this._ask(owner)));
    }

    // Without an answer, no failure is shown.
    askFailedInBoot() {
        if (!this._owner)
            return;
        this._call(this._owner, BOOT_INTERFACE, 'ListTimes', null,
            times => this._listener.failedInBoot(times.filter(time => time[5] === 'failed').map(time => time[0])), () => {});
    }
}
