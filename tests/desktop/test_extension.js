#!/usr/bin/gjs
// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Both of the greeter's extensions as installed: they parse, and handle the events of a boot. The
// bus is real; svcd and the shell (shell.js) are simulated.

imports.searchPath.unshift(`${imports.gi.GLib.getenv('SVCD_SOURCE')}/tests/desktop`);
const { Gio, GLib } = imports.gi;
const { SOURCE, STAGE, expect, expectSame, later, run, tell, waitFor } = imports.greeter;
const { loadExtension, makeShell } = imports.shell;

const EXTENSIONS = `${STAGE}/usr/share/gnome-shell/extensions`;
const UUIDS = { 43: 'boot-progress-43@org.svcd1', 45: 'boot-progress@org.svcd1' };

const directory = GLib.dir_make_tmp('svcd-greeter-XXXXXX');
const address = `unix:path=${directory}/bus`;

function read(path) {
    return new TextDecoder().decode(GLib.file_get_contents(path)[1]);
}

// --- the bus, and svcd on it ---

class Bus {
    async start() {
        this.process = Gio.Subprocess.new(['dbus-daemon', '--session', '--nofork', '--nopidfile', `--address=${address}`],
            Gio.SubprocessFlags.NONE);
        await waitFor(() => {
            try {
                this.connect().close_sync(null);
                return true;
            } catch (error) {
                return false;
            }
        }, 'the bus is there');
    }

    connect() {
        const flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION;
        return Gio.DBusConnection.new_for_address_sync(address, flags, null, null);
    }

    stop() {
        this.process.force_exit();
        this.process.wait(null);
        GLib.unlink(`${directory}/bus`);
    }
}

const SIGNATURES = { Progress: 'd', Phase: 's', CurrentDescription: 's', Starting: 'as', Ready: 'u', Total: 'u', Failed: 'as',
    EstimatedRemaining: 't', Finished: 'b', InitStartedAt: 't' };

class Svcd {
    constructor(bus, values = {}) {
        Object.assign(this, { Progress: 0.25, Phase: 'boot', CurrentDescription: 'OpenSSH server', Starting: ['ssh'], Ready: 1,
            Total: 4, Failed: [], EstimatedRemaining: 0, Finished: false, InitStartedAt: 17, times: [] }, values);
        this.connection = bus.connect();
        this.connection.set_exit_on_close(false);
        this.object = Gio.DBusExportedObject.wrapJSObject(read(`${SOURCE}/daemon/bus/org.svcd1.Boot.xml`), this);
        this.object.export(this.connection, '/org/svcd1/boot');
        this.connection.call_sync('org.freedesktop.DBus', '/org/freedesktop/DBus', 'org.freedesktop.DBus', 'RequestName',
            new GLib.Variant('(su)', ['org.svcd1', 0]), null, 0, -1, null);
    }

    ListTimes() {
        return this.times;
    }

    say(values) {
        Object.assign(this, values);
        for (const [name, value] of Object.entries(values))
            this.object.emit_property_changed(name, new GLib.Variant(SIGNATURES[name], value));
        this.object.flush();
    }

    leave() {
        this.object.unexport();
        this.connection.close_sync(null);
    }
}

// --- the screen ---

class Screen {
    constructor(shell) {
        this.shell = shell;
    }

    get box() {
        return this.shell.Main.layoutManager.uiGroup.children[0] || null;
    }

    isEmpty() {
        return this.box === null;
    }

    _text(styleClass) {
        const label = this.box && this.box.find(styleClass);
        return label && label.opacity === 255 ? label.text : '';
    }

    get title() {
        return this._text('svcd-boot-title');
    }

    get failure() {
        return this._text('svcd-boot-failure');
    }

    get width() {
        const trough = this.box && this.box.find('svcd-boot-trough');
        return trough && trough.opacity === 255 ? this.box.find('svcd-boot-fill').width : null;
    }
}

// --- stories ---

async function startsInTheMiddle({ bus, screen }) {
    const svcd = new Svcd(bus);

    await waitFor(() => screen.width !== null, 'the bar is there');
    expectSame([screen.width, screen.title], [100, 'Starting OpenSSH server'], 'it is at its place at once');
    expectSame(screen.box.find('svcd-boot-fill').eases, 0, 'it does not move to that place');
    svcd.say({ Progress: 0.5, Failed: ['cups'] });
    await waitFor(() => screen.width === 200, 'it has moved');
    expectSame(screen.failure, '1 service did not start: cups', 'the failed service is named');
    svcd.say({ Progress: 0.4 });
    svcd.say({ Progress: 0.6 });
    await waitFor(() => screen.width === 240, 'it has moved on');
    svcd.say({ Progress: 1, Finished: true, Phase: 'up' });
    await waitFor(() => screen.width === 400, 'it is full');
    await waitFor(() => screen.width === null, 'it has gone');
    expectSame(screen.failure, '1 service did not start: cups', 'the failure stays');
    svcd.say({ Failed: [] });
    await waitFor(() => screen.isEmpty(), 'the message is removed after the repair');
    svcd.leave();
}

async function comesAfterTheBoot({ bus, screen }) {
    const row = (name, result) => [name, 1, 2, 3, 4, result, '', ''];
    const svcd = new Svcd(bus, { Progress: 1, Finished: true, Phase: 'up', Failed: ['cups', 'later'],
        times: [row('cups', 'failed'), row('ssh', 'up')] });

    await waitFor(() => screen.failure !== '', 'the failure is there');
    expectSame([screen.failure, screen.width], ['1 service did not start: cups', null], 'there is a failure and no bar');
    svcd.say({ Failed: [] });
    await waitFor(() => screen.isEmpty(), 'the message is removed after the repair');
    svcd.leave();
}

async function managerIsReplaced({ bus, screen }) {
    new Svcd(bus, { Progress: 0.5 }).leave();
    let svcd = new Svcd(bus, { Progress: 0.5 });
    await waitFor(() => screen.width === 200, 'the bar is there');
    const box = screen.box;

    svcd.leave();
    svcd = new Svcd(bus, { Progress: 0.45 });
    svcd.say({ Progress: 0.55 });
    await waitFor(() => screen.width === 220, 'the bar follows the next manager');
    expect(screen.box === box, 'the bar was there all the time');
    svcd.leave();
    await waitFor(() => screen.isEmpty(), 'the bar is removed when no manager comes back');
}

async function busIsRestarted({ bus, screen }) {
    const old = new Svcd(bus, { Progress: 0.5 });
    await waitFor(() => screen.width === 200, 'the bar is there');

    bus.stop();
    await later(500);
    await bus.start();
    const svcd = new Svcd(bus, { Progress: 0.75 });
    await waitFor(() => screen.width === 300, 'the bar follows svcd on the new bus');
    old.object.unexport();
    svcd.leave();
}

async function strangersAreNotHeard({ bus, screen }) {
    const svcd = new Svcd(bus);
    await waitFor(() => screen.width === 100, 'the bar is there');
    const stranger = bus.connect();
    const [names] = stranger.call_sync('org.freedesktop.DBus', '/org/freedesktop/DBus', 'org.freedesktop.DBus', 'ListNames', null, null,
        0, -1, null).recursiveUnpack();

    for (const name of names.filter(name => name.startsWith(':'))) {
        stranger.emit_signal(name, '/org/svcd1/boot', 'org.freedesktop.DBus.Properties', 'PropertiesChanged',
            new GLib.Variant('(sa{sv}as)', ['org.svcd1.Boot', { Progress: new GLib.Variant('d', 0.9) }, []]));
    }
    stranger.flush_sync(null);
    svcd.say({ Progress: 0.5 });
    await waitFor(() => screen.width !== 100, 'it has moved');
    expectSame(screen.width, 200, 'it has moved to the value from svcd');
    stranger.close_sync(null);
    svcd.leave();
}

function hasOwner(bus, name) {
    const connection = bus.connect();

    try {
        return connection.call_sync('org.freedesktop.DBus', '/org/freedesktop/DBus', 'org.freedesktop.DBus', 'NameHasOwner',
            new GLib.Variant('(s)', [name]), null, 0, -1, null).recursiveUnpack()[0];
    } finally {
        connection.close_sync(null);
    }
}

async function tellsThatItIsDrawn({ bus, screen }) {
    const svcd = new Svcd(bus);
    await waitFor(() => screen.width === 100, 'the bar is there');
    expect(!hasOwner(bus, 'org.svcd1.LoginScreen'), 'the name has no owner before the shell has started');

    screen.shell.Main.layoutManager.emit('startup-complete');
    await waitFor(() => hasOwner(bus, 'org.svcd1.LoginScreen'), 'the name announces the login screen');
    svcd.leave();
}

async function withoutSvcd({ screen }) {
    await later(1000);
    expect(screen.isEmpty(), 'the screen is empty');
}

const STORIES = [
    ['the extension starts in the middle of a boot, and shows it to its end', startsInTheMiddle],
    ['the extension starts after the boot', comesAfterTheBoot],
    ['a manager is replaced', managerIsReplaced],
    ['the bus is restarted', busIsRestarted],
    ['signals of other senders are ignored', strangersAreNotHeard],
    ['the extension announces that the login screen is drawn', tellsThatItIsDrawn],
    ['without svcd nothing is shown', withoutSvcd],
];

async function play(version, sentence, story) {
    const shell = makeShell();
    const bus = new Bus();

    await tell(`${version}: ${sentence}`, async () => {
        await bus.start();
        const extension = await loadExtension(`${EXTENSIONS}/${UUIDS[version]}`, version, shell);
        const screen = new Screen(shell);

        extension.enable();
        try {
            await story({ bus, screen });
        } finally {
            extension.disable();
        }
        expectSame(shell.Main.layoutManager.uiGroup.children.length, 0, 'nothing is left on the screen');
        expectSame(shell.Main.layoutManager.handlers.size, 0, 'no handler is left');
    });
    bus.stop();
}

function checkFiles(version) {
    const path = `${EXTENSIONS}/${UUIDS[version]}`;
    const metadata = JSON.parse(read(`${path}/metadata.json`));
    const settings = read(`${STAGE}/usr/share/gdm/dconf/85-svcd`);

    expectSame(metadata.uuid, UUIDS[version], 'the directory has the name of the extension');
    expectSame(metadata['session-modes'], ['gdm'], 'it runs only in the greeter');
    expect(metadata['shell-version'].includes(version), 'it supports this version of the shell');
    expect(settings.includes(`'${metadata.uuid}'`), 'it is enabled');
    expect(read(`${path}/stylesheet.css`).includes('.svcd-boot-fill'), 'its style sheet has the bar');
}

async function main() {
    GLib.setenv('DBUS_SYSTEM_BUS_ADDRESS', address, true);
    for (const version of Object.keys(UUIDS)) {
        await tell(`${version}: the installed files fit together`, () => checkFiles(version));
        for (const [sentence, story] of STORIES)
            await play(version, sentence, story);
    }
    GLib.rmdir(directory);
}

imports.system.exit(run(main));
