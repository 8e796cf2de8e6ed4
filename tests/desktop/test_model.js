#!/usr/bin/gjs
// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The greeter's display of a boot: texts and model of the extension, without bus and screen.

imports.searchPath.unshift(`${imports.gi.GLib.getenv('SVCD_SOURCE')}/tests/desktop`);
const { SOURCE, expect, expectSame, load, run, tell } = imports.greeter;
const directory = `${SOURCE}/desktop/greeter`;
const { BootModel, failureText, hintText, listText, titleText } =
    load([`${directory}/words.js`, `${directory}/model.js`], ['BootModel', 'failureText', 'hintText', 'listText', 'titleText']);

const GOING = { Progress: 0.25, Phase: 'boot', CurrentDescription: 'OpenSSH server', Starting: ['ssh'], Failed: [], Finished: false,
    InitStartedAt: 17 };
const OVER = { Progress: 1, Phase: 'up', CurrentDescription: '', Starting: [], Failed: [], Finished: true, InitStartedAt: 17 };

function modelOf(properties, now = 0) {
    const model = new BootModel();

    model.change(properties, now);
    return model;
}

function isNothing(view) {
    return !view.hasBar && view.failure === '' && view.hint === '';
}

async function main() {
    await tell('a list of names is a part of a sentence', () => {
        expectSame(listText([]), '', 'none');
        expectSame(listText(['a']), 'a', 'one');
        expectSame(listText(['a', 'b']), 'a and b', 'two');
        expectSame(listText(['a', 'b', 'c']), 'a, b and c', 'three');
        expectSame(listText(['a', 'b', 'c', 'd', 'e']), 'a, b and 3 more', 'five');
    });

    await tell('the title names the starting services', () => {
        expectSame(titleText('OpenSSH server', ['ssh']), 'Starting OpenSSH server', 'one');
        expectSame(titleText('OpenSSH server', ['ssh', 'cups', 'atd']), 'Starting OpenSSH server and 2 more', 'three');
        expectSame(titleText('', ['ssh', 'cups']), 'Starting ssh and cups', 'no description');
        expectSame(titleText('', []), 'Starting the system', 'nothing is starting');
    });

    await tell('failed services are named, with the command that explains them', () => {
        expectSame(failureText([]), '', 'none');
        expectSame(hintText([]), '', 'none');
        expectSame(failureText(['cups']), '1 service did not start: cups', 'one');
        expectSame(hintText(['cups']), 'To learn why, log in and type: svcctl explain cups', 'one');
        expectSame(failureText(['cups', 'ssh']), '2 services did not start: cups and ssh', 'two');
        expectSame(hintText(['cups', 'ssh']), 'To learn why, log in and type: svcctl explain', 'two');
    });

    await tell('nothing is shown before the first properties arrive', () => {
        expect(isNothing(new BootModel().view(0)), 'nothing');
        expectSame(new BootModel().nextChange(0), null, 'no timer');
    });

    await tell('a boot in progress has a bar, which shows the present progress at once', () => {
        const view = modelOf(GOING).view(0);

        expectSame([view.hasBar, view.fraction, view.title, view.failure], [true, 0.25, 'Starting OpenSSH server', ''], 'view');
    });

    await tell('the bar never goes back, and ignores invalid values', () => {
        const model = modelOf(GOING);
        const fractions = [0.5, 0.4, NaN, -1, 0.6, 7, 0.1].map(Progress => {
            model.change({ Progress }, 0);
            return model.view(0).fraction;
        });

        expectSame(fractions, [0.5, 0.5, 0.5, 0.5, 0.6, 1, 1], 'fractions');
    });

    await tell('the bar of another boot starts again', () => {
        const model = modelOf({ ...GOING, Progress: 0.9, Failed: ['cups'] });

        model.change({ ...GOING, InitStartedAt: 18 }, 0);
        expectSame([model.view(0).fraction, model.view(0).failure], [0.25, ''], 'view');
    });

    await tell('a title stays long enough to be read', () => {
        const model = modelOf(GOING, 1000);

        expectSame(model.view(1000).title, 'Starting OpenSSH server', 'first');
        model.change({ CurrentDescription: 'CUPS Scheduler' }, 1100);
        expectSame(model.view(1100).title, 'Starting OpenSSH server', 'too early');
        expectSame(model.nextChange(1100), 600, 'the next update is due after the rest of the time');
        expectSame(model.view(1700).title, 'Starting CUPS Scheduler', 'in time');
    });

    await tell('when the boot is over, the full bar is shown for a moment, and then everything is removed', () => {
        const model = modelOf(GOING);

        model.change(OVER, 5000);
        expectSame([model.view(5000).hasBar, model.view(5000).fraction], [true, 1], 'full');
        expectSame(model.nextChange(5000), 1000, 'it is removed after this time');
        expect(isNothing(model.view(6000)), 'gone');
        expectSame(model.nextChange(6000), null, 'no timer');
    });

    await tell('a failure is shown at once, and stays when the bar is removed', () => {
        const model = modelOf({ ...GOING, Failed: ['cups'] });

        expectSame(model.view(0).failure, '1 service did not start: cups', 'during the boot');
        model.change({ ...OVER, Failed: ['cups'] }, 1000);
        expectSame([model.view(9000).hasBar, model.view(9000).failure], [false, '1 service did not start: cups'], 'after it');
    });

    await tell('a repaired failure is not shown any more', () => {
        const model = modelOf({ ...GOING, Failed: ['cups', 'ssh'] });

        model.change({ ...OVER, Failed: ['cups', 'ssh'] }, 1000);
        model.change({ Failed: ['ssh'] }, 2000);
        expectSame(model.view(9000).failure, '1 service did not start: ssh', 'one is left');
        model.change({ Failed: [] }, 3000);
        expect(isNothing(model.view(9000)), 'none is left');
    });

    await tell('a failure after the boot is not shown', () => {
        const model = modelOf(GOING);

        model.change(OVER, 1000);
        model.change({ Failed: ['cups'] }, 2000);
        expect(isNothing(model.view(9000)), 'nothing');
    });

    await tell('an extension that starts after the boot shows no bar, but the failures of the boot', () => {
        const model = modelOf({ ...OVER, Failed: ['cups', 'later'] });

        expect(isNothing(model.view(0)), 'nothing is known yet');
        expect(model.wantsFailedInBoot, 'it requests the failures');
        model.knowFailedInBoot(['cups', 'put-right']);
        expect(!model.wantsFailedInBoot, 'it requests them once');
        expectSame([model.view(0).hasBar, model.view(0).failure], [false, '1 service did not start: cups'], 'view');
    });

    await tell('a replacement of the manager changes nothing; if no manager returns, everything is removed', () => {
        const model = modelOf({ ...GOING, Failed: ['cups'] });

        model.leave(1000);
        model.leave(3000);
        expect(model.view(5999).hasBar, 'still there');
        expectSame(model.nextChange(5999), 1, 'the time until it is removed');
        expect(isNothing(model.view(6000)), 'gone');

        model.change({ ...GOING, Progress: 0.2 }, 7000);
        expectSame([model.view(7000).hasBar, model.view(7000).fraction], [true, 0.25], 'the bar returns, and is not shorter than before');
    });

    await tell('nothing is shown during a shutdown', () => {
        const model = modelOf({ ...GOING, Failed: ['cups'] });

        model.change({ Phase: 'shutdown' }, 1000);
        expect(isNothing(model.view(1000)), 'nothing');
    });
}

imports.system.exit(run(main));
