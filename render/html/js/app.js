// SPDX-License-Identifier: BSD-2-Clause
//
// The page as a whole: the shown profile, the settings of the reader, and starting the page.
(function (census) {
'use strict';

const {byId, element} = census;
const MARGIN = 1e-9;    // of the whole time: what rounding may take from a zoom

function sentence(text) {
    return text ? `${text[0].toUpperCase()}${text.slice(1)}.` : '';
}

class App {
    constructor(data) {
        this.look = data.look;
        this.view = census.view.makeView(data);
        this.entries = new Map();   // by id: {id, profile, own, ranking, name, state, message, caveat}
        this.current = null;        // an id, or 'all'
        this.isChosen = false;      // by the reader
        this.live = null;
        this.frame = 0;
        this.before = null;         // the view before a click
        this.tooltip = new census.Tooltip(this);
        this.panel = new census.Panel(this);
        this.flame = new census.Flame(this, data);
        this.findings = new census.Findings(this);
        this.resident = new census.Resident(this);
        this.table = new census.Table(this);
        this.pointer = new census.Pointer(this, this.panel);
        this.keys = new census.Keys(this, this.panel);
        this.search = new census.Search(this);
        this.save = new census.Save(this);
        this.tabs = new census.Tabs(this);
        this.link = new census.Link(this, data);
        this.listen();
        data.profiles.forEach((profile) => this.addProfile(new census.Profile(profile)));
        if (data.moved) {
            this.compare(data.moved, data.aligned);
        }
        if (data.events) {
            this.live = new census.Live(this, data.events);
        }
        this.link.restore();
    }

    listen() {
        document.querySelectorAll('[data-mode]').forEach((button) => {
            button.addEventListener('click', () => this.setMode(button.dataset.mode));
        });
        byId('fewer').addEventListener('click', () => this.changeBands(-1));
        byId('more').addEventListener('click', () => this.changeBands(1));
        byId('order').addEventListener('change', (event) => this.setOrder(event.target.value));
        byId('theme').addEventListener('click', () => this.toggleTheme());
        byId('help-button').addEventListener('click', () => byId('help').showModal());
        byId('lines').addEventListener('change', () => this.readLines());
        matchMedia('(prefers-color-scheme: dark)')
            .addEventListener('change', () => this.applyTheme());
        window.addEventListener('beforeprint', () => this.print(true));
        window.addEventListener('afterprint', () => this.print(false));
        document.addEventListener('click', (event) => {
            document.querySelectorAll('details.menu[open]').forEach((menu) => {
                menu.open = menu.contains(event.target);
            });
        });
    }

    // --- profiles

    addProfile(profile) {
        this.setEntry(profile.id, {id: profile.id, profile, own: census.view.makeOwn(),
            ranking: new census.Ranking(profile), name: profile.file});
        this.prepare(this.entries.get(profile.id).ranking);
    }

    // Shows the stacks of the second profile as changes of the first, and if they overlap in time, the changes as a
    // profile. `moved` and `aligned` as in the data.
    compare(moved, aligned) {
        const [older, newer] = this.entries.values();
        newer.older = older;
        newer.profile.stacks.compareWith(older.profile.stacks, moved);
        const change = new census.Change(older.profile, newer.profile, aligned);
        if (change.n > 1) {
            this.addProfile(change);
        }
    }

    // Adds up names by blocks of samples, in the background.
    prepare(ranking) {
        if (!ranking.workSome()) {
            setTimeout(() => this.prepare(ranking), 0);
        }
    }

    setEntry(id, entry) {
        this.entries.set(id, {...this.entries.get(id), ...entry});
        this.current = this.current === null ? id : this.current;
        this.link.settle(id);
        this.redraw();
    }

    entry() {
        return this.entries.get(this.current);
    }

    showProfile(id) {
        if (id === 'all' ? this.entries.size > 1 : this.entries.has(id)) {
            this.current = id;
            this.isChosen = true;
            this.link.wanted = null;
            this.panel.pointed = this.panel.brush = this.keys.since = null;
            this.redraw();
        }
    }

    // Programs start others that end soon: until the reader chooses, shows the largest profile.
    followLargest(entry) {
        const shown = this.entry();
        if (!this.isChosen && shown && entry.largest > 2 * (shown.largest || 0)) {
            this.current = entry.id;
        }
    }

    explainEmpty(entry) {
        return sentence(entry.caveat) || entry.message || (this.live ? 'No sample yet.' : 'This profile has no samples.');
    }

    // --- settings

    setMode(mode) {
        this.view.mode = mode;
        this.redraw();
    }

    setOrder(order) {
        Object.assign(this.view, {order, reverse: false, hasGivenOrder: false});
        this.entries.forEach((entry) => { entry.own.order = null; });
        this.redraw();
    }

    changeBands(by) {
        const {chart} = this.panel, {view} = this;
        if (!chart) {
            return;
        }
        const now = view.trace > 0 || !view.bands ? chart.ranked.length : view.bands;
        const most = Math.min(census.chartTools.MOST_BANDS, chart.countNames());
        view.bands = Math.max(1, Math.min(most, now + by));
        view.trace = 0; // a chosen number of bands includes small ones
        view.hasGivenBands = false;
        this.forgetRanking();
        this.redraw();
    }

    // Shows a band alone, or the names in OTHER.
    choose(band) {
        if (band.isOther) {
            this.openOther();
        } else {
            this.chooseName(band.name);
        }
    }

    chooseName(name) {
        const {own} = this.entry();
        own.isolated = own.isolated === name ? null : name;
        this.redraw();
    }

    openOther() {
        const {chart} = this.panel, entry = this.entry();
        if (chart && chart.bands.some((band) => band.isOther)) {
            entry.own.skip += chart.nBySize;
            entry.own.order = null;
            this.redraw();
        }
    }

    pointAtName(name) {
        const {chart, pointed} = this.panel;
        const band = name !== null && chart
            ? chart.bands.find((other) => other.name === name) : null;
        this.tooltip.at = null;
        if (band || pointed) {
            this.panel.point(band ? {at: this.largestOf(band), band} : null);
        }
    }

    largestOf(band) {
        const {from, to} = this.panel.chart;
        let at = from;
        for (let i = from; i <= to; i++) {
            at = band.sign * band.full[i] > band.sign * band.full[at] ? i : at;
        }
        return at;
    }

    readLines() {
        const boxes = [...byId('line-choices').querySelectorAll('input')];
        this.view.lines = boxes.filter((box) => box.checked).map((box) => box.value);
        this.redraw();
    }

    // --- time

    zoomTo([from, to]) {
        const entry = this.entry();
        if (!entry || !entry.profile || entry.profile.n < 2) {
            return;
        }
        const {times, n} = entry.profile, span = times[n - 1] - times[0];
        const window = [Math.max(from, times[0]), Math.min(to, times[n - 1])];
        const isAll = window[1] - window[0] >= span * (1 - MARGIN);
        if (this.isFollowing()) {
            this.live.setPaused(true);
        }
        if (window[1] > window[0]) {
            entry.own.window = isAll ? null : window;
            entry.own.skip = 0;
            this.forgetRanking();
            this.redraw();
        }
    }

    zoomAround(middle, factor) {
        const [low, high] = this.panel.chart.window;
        this.zoomTo([middle - (middle - low) * factor, middle + (high - middle) * factor]);
    }

    // Moves the window by a share of its width, within the profile.
    shift(share) {
        const {chart} = this.panel;
        if (chart) {
            const [low, high] = chart.window, by = (high - low) * share;
            const first = chart.xs[0], last = chart.xs[chart.xs.length - 1];
            const bounded = Math.min(Math.max(by, first - low), last - high);
            this.zoomTo([low + bounded, high + bounded]);
        }
    }

    // Follows a growing profile again.
    zoomOut() {
        const entry = this.entry();
        if (entry && this.live) {
            this.live.setPaused(false);
        }
        if (entry) {
            entry.own.window = null;
            entry.own.skip = 0;
            this.forgetRanking();
            this.redraw();
        }
    }

    isFollowing() {
        return this.live !== null && !this.live.isPaused;
    }

    forgetRanking() {
        this.entries.forEach(({ranking}) => {
            if (ranking && ranking.forget) {
                ranking.forget();
            }
        });
    }

    // Undoes the last step.
    stepBack() {
        const entry = this.entry();
        if (!entry) {
            return;
        }
        const {own} = entry;
        if (own.frame.length) {
            own.frame = [];
        } else if (own.isolated !== null) {
            own.isolated = null;
        } else if (own.since !== null || own.moment !== null) {
            own.since = own.moment = null;
        } else if (own.skip > 0) {
            own.skip = 0;
            own.order = null;
        } else if (own.window && !this.isFollowing()) {
            this.zoomOut();
        } else if (byId('search').value) {
            this.search.set('', false);
        } else {
            this.panel.pointed = null;
        }
        this.redraw();
    }

    remember() {
        const {own} = this.entry();
        this.before = {isolated: own.isolated, skip: own.skip, order: own.order, moment: own.moment};
    }

    takeBack() {
        Object.assign(this.entry().own, this.before);
    }

    // --- light and dark

    theme() {
        return this.view.isDark ? this.look.dark : this.look.light;
    }

    applyTheme() {
        this.view.isDark = census.applyLook(this.look, this.view.theme);
        this.redraw();
    }

    toggleTheme() {
        this.view.theme = this.view.isDark ? 'light' : 'dark';
        this.applyTheme();
    }

    // Printed pages are light.
    print(isBegun) {
        const {theme} = this.view;
        this.view.theme = isBegun ? 'light' : theme;
        this.applyTheme();
        this.view.theme = theme;
        this.draw();
    }

    // --- drawing

    // Draws once before the next frame, however often it is called.
    redraw() {
        this.frame = this.frame || requestAnimationFrame(() => this.draw());
    }

    draw() {
        cancelAnimationFrame(this.frame);
        this.frame = 0;
        this.tabs.show();
        if (this.current === 'all') {
            this.tabs.drawAll();
            this.showTitle(null);
        } else if (this.entry()) {
            this.panel.draw(this.entry());
            this.flame.show(this.entry());
            this.findings.show(this.entry());
            this.resident.show(this.entry());
            this.showTitle(this.entry());
            this.showControls();
            if (this.panel.chart) {
                this.table.show(this.panel.chart);
            }
        }
        this.link.write();
        document.body.dataset.drawn = String(1 + Number(document.body.dataset.drawn || 0));
    }

    showTitle(entry) {
        const profile = entry && entry.profile;
        const title = profile ? profile.title || profile.file : entry ? entry.name : '';
        byId('title').textContent = title || (entry ? 'Heap profile' : 'Heap profiles');
        document.title = byId('title').textContent;
        byId('single').setAttribute('aria-label', entry ? this.tabs.nameOf(entry) || 'Profile' : 'Profile');
        byId('subtitle').textContent = profile ? this.subtitleOf(profile)
            : entry ? '' : `${[...this.entries.values()].filter((other) => !other.profile || !other.profile.isChange).length} profiles`;
    }

    subtitleOf(profile) {
        if (profile.isChange) {
            const n = profile.stacks.movedFrom.size;
            return n ? `${census.units.count(n)} moved ${n === 1 ? 'line' : 'lines'} matched` : '';
        }
        const samples = profile.nSamples === 1 ? '1 sample'
            : `${census.units.count(profile.nSamples)} samples`;
        return [profile.file, profile.date, samples, this.caption()].filter(Boolean).join(' · ');
    }

    // Returns how names were chosen to be visible. It is true for the number of bands at the start,
    // and of groups for any number.
    caption() {
        const {said, bands, trace} = this.view;
        return said.grouped || (bands === said.bands && trace === said.trace) ? said.caption : null;
    }

    showControls() {
        const {chart} = this.panel, {view} = this;
        document.querySelectorAll('[data-mode]').forEach((button) => {
            census.check(button, button.dataset.mode === (chart || view).mode);
        });
        const isChange = Boolean(chart && chart.profile.isChange);
        document.querySelector('[data-mode=share]').disabled = isChange;
        byId('order').disabled = isChange;
        const n = chart ? chart.ranked.length : view.bands;
        byId('n-bands').textContent = n === 1 ? '1 band' : `${n} bands`;
        byId('fewer').disabled = n <= 1;
        byId('order').value = view.order;
        if (chart) {
            this.showLines(chart);
            this.showNote(chart);
            this.showCrumbs(chart);
        }
    }

    showLines(chart) {
        const {lines} = chart.profile, choices = byId('line-choices');
        byId('lines').hidden = lines.length === 0;
        if (choices.children.length !== lines.length) {
            choices.replaceChildren(...lines.map((line) => {
                const label = element('label', ''), box = document.createElement('input');
                box.type = 'checkbox';
                box.value = line.name;
                label.append(box, ` ${line.shown}`);
                return label;
            }));
        }
        choices.querySelectorAll('input').forEach((box, i) => {
            box.checked = chart.chooseLines().includes(lines[i]);
        });
    }

    showNote(chart) {
        const {profile} = chart, {caveat} = this.entry(), notes = caveat ? [sentence(caveat)] : [];
        if (profile.n < profile.nSamples) {
            notes.push(`Of ${census.units.count(profile.nSamples)} samples ` +
                `${census.units.count(profile.n)} are here: the peak, and the largest and the ` +
                'smallest of each stretch of time. Figures are of these.');
        }
        if (profile.rest && profile.rest.n > 0) {
            notes.push(`The ${census.units.count(profile.rest.n)} smallest names are only part ` +
                'of OTHER.');
        }
        byId('note').hidden = notes.length === 0;
        byId('note').textContent = notes.join(' ');
    }

    // Shows which part of the profile is visible, and the way back.
    showCrumbs(chart) {
        const {own} = chart, parts = [];
        if (own.isolated !== null) {
            parts.push([`only ${census.shown(own.isolated)}`, () => { own.isolated = null; }]);
        }
        if (own.frame.length) {
            parts.push([`frame ${own.frame[own.frame.length - 1]}`, () => { own.frame = []; }]);
        }
        if (own.skip > 0) {
            parts.push([`names ${own.skip + 1} to ${own.skip + chart.nBySize} by size`,
                () => { own.skip = 0; own.order = null; }]);
        }
        if (own.window && !this.isFollowing()) {
            const [from, to] = own.window.map((time) => chart.timeText(time));
            parts.push([`${from} to ${to}`, () => this.zoomOut()]);
        }
        byId('crumbs').hidden = parts.length === 0;
        byId('crumbs').replaceChildren(...parts.map(([text, undo]) => this.crumb(text, undo)));
    }

    crumb(text, undo) {
        const button = element('button', '', `${text}  `), cross = element('span', '', '✕');
        cross.setAttribute('aria-hidden', 'true');
        button.append(cross);
        button.type = 'button';
        button.title = 'Back (Esc)';
        button.addEventListener('click', () => {
            undo();
            this.panel.box.focus({preventScroll: true});
            this.redraw();
        });
        return button;
    }
}

census.App = App;
census.app = new App(JSON.parse(document.getElementById('census-data').textContent));
})(globalThis.census = globalThis.census || {});
