// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Words: the greeter's texts about a boot. Pure functions of the state of org.svcd1.Boot.

// The number of names that fit into a line.
const NAMES_SHOWN = 3;

// "a", "a and b", "a, b and c", "a, b and 3 more".
function listText(names) {
    const shown = names.length > NAMES_SHOWN ? names.slice(0, NAMES_SHOWN - 1) : names.slice();
    const last = names.length > NAMES_SHOWN ? `${names.length - shown.length} more` : shown.pop();

    return shown.length > 0 ? `${shown.join(', ')} and ${last}` : last || '';
}

// The title describes one starting service and counts the others.
function titleText(current, starting) {
    const nMore = starting.length - 1;

    if (!current)
        return starting.length > 0 ? `Starting ${listText(starting)}` : 'Starting the system';
    return nMore > 0 ? `Starting ${current} and ${nMore} more` : `Starting ${current}`;
}

function failureText(failed) {
    if (failed.length === 0)
        return '';
    const subject = failed.length === 1 ? '1 service' : `${failed.length} services`;
    return `${subject} did not start: ${listText(failed)}`;
}

// The command that explains the failures after a login.
function hintText(failed) {
    if (failed.length === 0)
        return '';
    return `To learn why, log in and type: svcctl explain${failed.length === 1 ? ` ${failed[0]}` : ''}`;
}
