// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Model: from what org.svcd1.Boot says, and when, to what is to be seen. Time comes in with each call (milliseconds of any clock that
// only goes on); no bus, no screen. tests/desktop/test_model.js has its rules.

// A title stays for as long as it takes to read it.
const TITLE_MS = 700;

// The full bar, before it goes.
const FULL_MS = 1000;

// A manager that is replaced, or a bus that is restarted, is back sooner; then nothing is to be seen of it.
const GRACE_MS = 5000;

class BootModel {
    constructor() {
        this._state = {};
        this._fraction = 0;
        this._wasGoing = false;
        this._overAt = null; // since when the boot that was seen going is over
        this._leftAt = null; // since when svcd is not there
        this._failedInBoot = null; // names; null while the boot goes on, or while nothing is known of it
        this._title = '';
        this._titleAt = 0;
    }

    // Values by the names of the properties, all or some.
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

    // The boot was over before anybody looked: which services failed in it? What fails later is none of the greeter's business.
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

    // What failed and has been put right since is not spoken of.
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

    // { hasBar, fraction, title, failure, hint }; nothing at all is to be seen without a bar and a failure.
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

    // In how many milliseconds view() may say something else though nothing is told; null: never.
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
