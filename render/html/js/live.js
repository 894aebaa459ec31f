// SPDX-License-Identifier: BSD-2-Clause
//
// Growing profiles: adds the events of the server to the profiles, and moves the window.
(function (census) {
'use strict';

const {byId} = census;
const RETRY_MS = 3000;      // after the server has said no
const SILENT_MS = 1000;     // between updates of the age of the last sample

const WORDS = {growing: 'live', ended: 'ended', waiting: 'waiting', failed: 'failed'};

class Live {
    constructor(app, url) {
        this.app = app;
        this.url = url;
        this.isConnected = false;
        this.hasEnded = false;  // the server has said goodbye
        this.length = 0;        // of the window that follows, in seconds; 0: all
        this.isPaused = false;
        byId('follow').hidden = false;
        byId('window').addEventListener('change', (event) => {
            this.setLength(Number(event.target.value));
        });
        byId('pause').addEventListener('click', () => this.togglePause());
        document.querySelectorAll('[data-control]').forEach((button) => {
            button.addEventListener('click', () => this.command(button.dataset.control));
        });
        setInterval(() => this.showState(), SILENT_MS);
        this.open();
    }

    open() {
        const source = new EventSource(this.url);
        const on = (kind, act) => source.addEventListener(kind, (event) => {
            act.call(this, JSON.parse(event.data));
            this.showState();
        });
        source.onopen = () => this.setConnected(true);
        source.onerror = () => {
            this.setConnected(false);
            if (source.readyState === EventSource.CLOSED) {
                setTimeout(() => this.open(), RETRY_MS);
            }
        };
        on('snapshot', this.takeSnapshot);
        on('samples', this.takeSamples);
        on('mark', (mark) => this.withProfile(mark.id, (p) => p.addMark(mark)));
        on('line', (line) => this.withProfile(line.id, (p) => p.addPoints(line.name, line.points)));
        on('lanes', (data) => this.withProfile(data.id, (p) => p.setLanes(data.lanes)));
        on('state', this.takeState);
        on('bye', () => { this.hasEnded = true; });
    }

    setConnected(isConnected) {
        this.isConnected = isConnected;
        this.hasEnded = this.hasEnded && !isConnected;
        this.showState();
    }

    // --- messages

    takeSnapshot(data) {
        const profile = new census.Profile(data);
        const before = this.app.entries.get(data.id);
        const isAnother = !before || !before.profile || before.profile.epoch !== data.epoch;
        const own = isAnother ? census.view.makeOwn() : before.own;
        own.isSticky = data.state === 'growing';
        own.yMax = own.yMax || census.view.makeSteps(profile.valueUnit);
        this.app.setEntry(data.id, {id: data.id, profile, own, name: profile.file,
            ranking: new census.PatientRanking(profile), heardAt: performance.now()});
        this.grow(this.app.entries.get(data.id), profile.total.subarray(0, profile.n));
    }

    grow(entry, totals) {
        entry.largest = totals.reduce((a, b) => Math.max(a, b), entry.largest || 0);
        this.app.followLargest(entry);
        this.follow(entry);
    }

    withProfile(id, act) {
        const entry = this.app.entries.get(id);
        if (entry && entry.profile) {
            act(entry.profile);
            this.app.redraw();
        }
    }

    takeSamples(message) {
        const entry = this.app.entries.get(message.id);
        if (entry && entry.profile) {
            entry.profile.addSamples(message);
            entry.heardAt = performance.now();
            this.grow(entry, message.samples.map(([, total]) => total));
            this.app.redraw();
        }
    }

    takeState(message) {
        const {entries} = this.app;
        if (!entries.has(message.id)) {
            this.app.setEntry(message.id, {id: message.id, profile: null, name: message.name,
                own: census.view.makeOwn(), ranking: null});
        }
        const entry = entries.get(message.id);
        Object.assign(entry, {state: message.state, message: census.shown(message.message || ''),
            caveat: census.shown(message.caveat || ''), takesCommands: message.control, findings: message.findings});
        if (entry.profile) {
            entry.profile.state = message.state;
        }
        if (message.age_s !== undefined && message.age_s !== null) {
            entry.heardAt = performance.now() - 1000 * message.age_s;
        }
        entry.own.isSticky = message.state !== 'ended';
        this.app.redraw();
    }

    // --- commands to the program; the server answers with events

    command(name) {
        const url = new URL(`control/${this.app.current}/${name}`, new URL(this.url, location.href));
        fetch(url, {method: 'POST'}).catch(() => this.setConnected(false));
    }

    // --- following

    follow(entry) {
        const {profile, own} = entry;
        const second = census.units.secondIn(profile.sampleUnit);
        if (this.isPaused || !second || !profile.n) {
            return;
        }
        const last = profile.times[profile.n - 1];
        const first = this.length ? last - this.length * second : -Infinity;
        own.window = first > profile.times[0] ? [first, last] : null;
    }

    // Follows the last `length` seconds; 0: all.
    setLength(length) {
        byId('window').value = length;
        this.length = Number(byId('window').value);
        this.setPaused(false);
    }

    togglePause() {
        this.setPaused(!this.isPaused);
    }

    // Pauses: the window stays where it is, also after zooming.
    setPaused(isPaused) {
        this.isPaused = isPaused;
        for (const entry of this.app.entries.values()) {
            if (entry.profile && entry.profile.n > 1) {
                const {times, n} = entry.profile;
                if (isPaused) {
                    entry.own.window = entry.own.window || [times[0], times[n - 1]];
                } else {
                    entry.own.window = null;
                    this.follow(entry);
                }
            }
        }
        byId('pause').textContent = isPaused ? 'Follow' : 'Pause';
        byId('pause').setAttribute('aria-pressed', String(isPaused));
        this.app.redraw();
    }

    // --- state

    stateOf(entry) {
        if (!this.isConnected) {
            return this.hasEnded ? ['ended', 'census has ended'] : ['reconnecting', 'reconnecting…'];
        }
        const state = entry ? entry.state || (entry.profile && entry.profile.state) : 'waiting';
        const words = [this.isPaused && state === 'growing' ? 'paused' : WORDS[state] || state];
        if (state === 'growing' && entry.heardAt) {
            const age = Math.max(0, Math.round((performance.now() - entry.heardAt) / 1000));
            words.push(`last sample ${age < 1 ? 'now' : census.units.time(age, 's') + ' ago'}`);
        }
        if (entry && entry.message) {
            words.push(entry.message);
        }
        return [state, words.join(' · ')];
    }

    showState() {
        const entry = this.app.entry();
        const [state, text] = this.stateOf(entry);
        byId('control').hidden = !(this.isConnected && entry && entry.takesCommands);
        byId('state').hidden = false;
        byId('state').dataset.state = state;
        if (byId('state-text').textContent !== text) {
            byId('state-text').textContent = text;
        }
    }
}

census.Live = Live;
})(globalThis.census = globalThis.census || {});
