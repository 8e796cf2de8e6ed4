// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Greeter: the common part of the extension's tests. Loads sources into a scope, checks expectations,
// and runs a main loop with deadlines.
/* exported load, expect, expectSame, tell, finish, later, waitFor */

const { Gio, GLib } = imports.gi;

var SOURCE = GLib.getenv('SVCD_SOURCE');
var STAGE = GLib.getenv('SVCD_STAGE');
const DEADLINE_MS = 30000;

var failures = 0;

function read(path) {
    const [, bytes] = GLib.file_get_contents(path);
    return new TextDecoder().decode(bytes);
}

// The named functions and classes of these files, as one text.
function load(paths, names) {
    const text = paths.map(path => read(path)).join('\n');
    return new Function(`${text}\nreturn { ${names.join(', ')} };`)();
}

function expect(isTrue, what) {
    if (isTrue)
        return;
    failures++;
    print(`not ok: ${what}`);
    print(new Error().stack);
}

function expectSame(seen, wanted, what) {
    expect(JSON.stringify(seen) === JSON.stringify(wanted), `${what}: ${JSON.stringify(seen)}, wanted ${JSON.stringify(wanted)}`);
}

// A test is a sentence and a function, which may return a promise.
async function tell(sentence, story) {
    const before = failures;

    try {
        await story();
    } catch (error) {
        failures++;
        print(`not ok: ${error}\n${error.stack}`);
    }
    print(`${failures === before ? 'ok' : 'FAILED'} ${sentence}`);
}

function later(milliseconds) {
    return new Promise(resolve => GLib.timeout_add(GLib.PRIORITY_DEFAULT, milliseconds, () => {
        resolve();
        return GLib.SOURCE_REMOVE;
    }));
}

async function waitFor(condition, what) {
    const until = GLib.get_monotonic_time() / 1000 + DEADLINE_MS;

    while (!condition()) {
        if (GLib.get_monotonic_time() / 1000 > until)
            throw new Error(`${what}: not within ${DEADLINE_MS} ms`);
        await later(5);
    }
}

// Runs @main to its end; returns the exit status.
function run(main) {
    const loop = new GLib.MainLoop(null, false);

    main().catch(error => {
        failures++;
        print(`not ok: ${error}\n${error.stack}`);
    }).then(() => loop.quit());
    loop.run();
    return failures > 0 ? 1 : 0;
}
