// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Model: computes the display from the state of org.svcd1.Boot and the time. The time is an
// argument (milliseconds of any monotonic clock). The model uses no bus and no screen. Its rules
// are in tests/desktop/test_model.js.

// A title stays long enough to be read.
const TITLE_MS = 700;

// How long the full bar stays.
const FULL_MS = 1000;

// A restarted manager or bus is back within this time. Until then the display does not change.
const GRACE_MS = 5000;

class BootModel {
    constructor() {
        this._state = {};
        this._fraction = 0;
        this._wasGoing = false;
        this._overAt = null; // when the observed boot finished
        this._leftAt = null; // when svcd left the bus
        this._failedInBoot = null; // names; null during the boot, or while unknown
        this._title = '';
        this._titleAt = 0;
    }

    // @properties: new values by property name; a missing property is unchanged.
    change(properties, now) {
        const started = properties.InitStartedAt;

        if (started !== undefined && this._state.InitStartedAt !== undefined && started !== this._state.InitStartedAt)
            Object.assign(this, new BootModel()); // another boot
        Object.assign(this._state, properties);
        this._leftAt = null;
        this._fraction = Math.max(this._fraction, this._state.Finished ? 1 : Math.min(this._state.Progress || 0, 1));
        if (this._isGoing())
            this._wasGoing = true;
        else if (this._state.Finished && this._wasGoing && this._overAt === null)
            this._finish(now);
    }

    _finish(now) {
        this._overAt = now;
        this._failedInBoot = this._failed();
    }

    leave(now) {
        if (this._leftAt === null)
            this._leftAt = now;
    }

    // True if the boot finished before this client connected, so that its failures are still
    // unknown. Later failures are not shown in the greeter.
    get wantsFailedInBoot() {
        return this._state.Finished === true && this._failedInBoot === null;
    }

    knowFailedInBoot(names) {
        if (this.wantsFailedInBoot)
            this._failedInBoot = names;
    }

    _isGoing() {
        return this._state.Finished === false && this._state.Phase === 'boot';
    }

    _failed() {
        return this._state.Failed || [];
    }

    // A service that failed in the boot and has been repaired since is not shown.
    _failures() {
        if (!this._state.Finished)
            return this._failed();
        return this._failed().filter(name => (this._failedInBoot || []).includes(name));
    }

    _turnTitle(now) {
        const title = titleText(this._state.CurrentDescription, this._state.Starting || []);

        if (this._isGoing() && title !== this._title && (this._title === '' || now >= this._titleAt + TITLE_MS)) {
            this._title = title;
            this._titleAt = now;
        }
    }

    _isAway(now) {
        return this._state.Phase === undefined || this._state.Phase === 'shutdown' ||
            (this._leftAt !== null && now >= this._leftAt + GRACE_MS);
    }

    // { hasBar, fraction, title, failure, hint }; nothing is visible if there is neither a bar nor
    // a failure.
    view(now) {
        const isAway = this._isAway(now);
        const failures = isAway ? [] : this._failures();

        this._turnTitle(now);
        return {
            hasBar: !isAway && (this._isGoing() || (this._overAt !== null && now < this._overAt + FULL_MS)),
            fraction: this._fraction,
            title: this._title,
            failure: failureText(failures),
            hint: hintText(failures),
        };
    }

    // The milliseconds until view() may change without an event; null if it cannot.
    nextChange(now) {
        const times = [];

        if (this._leftAt !== null)
            times.push(this._leftAt + GRACE_MS);
        if (this._overAt !== null)
            times.push(this._overAt + FULL_MS);
        if (this._isGoing())
            times.push(this._titleAt + TITLE_MS);
        const ahead = times.filter(time => time > now);
        return ahead.length > 0 ? Math.ceil(Math.min(...ahead) - now) : null;
    }
}
