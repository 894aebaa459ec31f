// SPDX-License-Identifier: BSD-2-Clause
//
// The keyboard: everything that the mouse can do (the table of keys is in page.html).
(function (census) {
'use strict';

const {byId} = census;
const ZOOM = 1.6, SHIFT = 0.25;

// Chooses the next radio button of a group.
function walk(radio, step) {
    const all = [...radio.closest('[role=radiogroup]').querySelectorAll('[role=radio]:enabled')];
    const next = all[(all.indexOf(radio) + step + all.length) % all.length];
    next.click();
    next.focus();
}

// Sets whether a radio button is chosen; only the chosen one is a stop of the Tab key.
function check(radio, isChosen) {
    radio.setAttribute('aria-checked', String(isChosen));
    radio.tabIndex = isChosen ? 0 : -1;
}

class Keys {
    constructor(app, panel) {
        this.app = app;
        this.panel = panel;
        this.since = null;      // the time at which a stretch begins that is being selected
        this.anywhere = {
            's': () => app.setMode('stacked'), 'n': () => app.setMode('share'),
            'l': () => app.setMode('lines'),
            '[': () => app.changeBands(-1), ']': () => app.changeBands(1),
            'o': () => app.openOther(), '/': () => byId('search').focus(),
            'p': () => app.live && app.live.togglePause(), 't': () => app.toggleTheme(),
            '?': () => byId('help').showModal(), 'a': () => app.showProfile('all'),
            'c': () => app.flame.moments.compare(),
            'u': () => app.flame.turn(app.view.tree === 'down' ? 'up' : 'down'),
            '0': () => app.zoomOut(), 'Escape': (event) => this.leave(event),
            '+': () => this.zoom(1 / ZOOM), '=': () => this.zoom(1 / ZOOM),
            'b': () => this.brush(),
            '-': () => this.zoom(ZOOM), ',': () => app.shift(-SHIFT), '.': () => app.shift(SHIFT),
        };
        this.onChart = {
            'ArrowLeft': (event) => this.step(event.shiftKey ? -10 : -1),
            'ArrowRight': (event) => this.step(event.shiftKey ? 10 : 1),
            'ArrowUp': () => this.climb(1), 'ArrowDown': () => this.climb(-1),
            'Home': () => this.step(-Infinity), 'End': () => this.step(Infinity),
            'Enter': () => this.choose(), ' ': () => this.choose(),
        };
        document.addEventListener('keydown', (event) => this.press(event));
    }

    press(event) {
        const isTyping = event.target.closest('input[type="search"], select, dialog');
        if (event.ctrlKey || event.metaKey || event.altKey ||
            (isTyping && (event.key !== 'Escape' || event.target.closest('dialog')))) {
            return;
        }
        const radio = event.target.closest('[role=radio]'), step = {ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1}[event.key];
        const act = (radio && step && (() => walk(radio, step))) || (event.target === this.panel.box && this.onChart[event.key]) ||
            (event.target === this.app.flame.box && this.app.flame.keys[event.key]) ||
            this.app.flame.table.actionOf(event) || this.anywhere[event.key] || this.profileOf(event.key);
        if (act) {
            event.preventDefault();
            act(event);
        }
    }

    // Leaves an open menu or the selection of a stretch, or goes one step back.
    leave(event) {
        const menu = event.target.closest('details[open]');
        if (menu) {
            menu.open = false;
            menu.querySelector('summary').focus();
        } else if (this.panel.brush) {
            this.since = null;
            this.app.pointer.cancel();
        } else {
            this.app.stepBack();
        }
    }

    profileOf(key) {
        const id = /^[1-9]$/.test(key) ? [...this.app.entries.keys()][Number(key) - 1] : undefined;
        return id === undefined ? null : () => this.app.showProfile(id);
    }

    // --- the crosshair

    pointed() {
        const {chart, pointed} = this.panel;
        return pointed || {at: chart.from, band: chart.bands[chart.bands.length - 1] || null};
    }

    point(pointed) {
        const {drawing, chart, brush} = this.panel;
        this.app.tooltip.at = null;
        this.panel.brush = this.since !== null ? [this.since, chart.xs[pointed.at]].map((time) => drawing.x(time)) : brush;
        this.panel.point(pointed);
        this.app.tooltip.speak(this.panel);
    }

    step(by) {
        const {chart} = this.panel;
        if (chart) {
            const {at, band} = this.pointed();
            const isFirst = !this.panel.pointed && Number.isFinite(by);
            const next = isFirst ? at : Math.min(chart.to, Math.max(chart.from, at + by));
            this.point({at: next, band});
        }
    }

    // Moves to the next band that is not 0.
    climb(by) {
        const {chart} = this.panel;
        if (!chart) {
            return;
        }
        const {at, band} = this.pointed();
        let next = chart.bands.indexOf(band) + (this.panel.pointed ? by : 0);
        while (chart.bands[next] && chart.bands[next].values[at - chart.low] === 0) {
            next += by;
        }
        this.point({at, band: chart.bands[next] || band});
    }

    choose() {
        const {pointed} = this.panel;
        if (pointed) {
            this.app.flame.moments.chooseSample(pointed.at);
        }
        if (pointed && pointed.band) {
            this.app.choose(pointed.band);
        }
    }

    // --- the window

    // Begins a stretch of time at the crosshair, or zooms to what was selected.
    brush() {
        const {chart} = this.panel;
        if (!chart || this.app.pointer.pressed) {
            return;
        }
        const pointed = this.pointed(), time = chart.xs[pointed.at], {since} = this;
        if (since === null) {
            this.since = time;
            this.point(pointed);
            byId('spoken').textContent = `selecting from ${chart.timeText(time)}`;
            return;
        }
        this.since = this.panel.brush = null;
        this.app.zoomTo([Math.min(since, time), Math.max(since, time)]);
        this.panel.drawOver();
        byId('spoken').textContent = `zoomed to ${[since, time].sort((a, b) => a - b).map((t) => chart.timeText(t)).join(' to ')}`;
    }

    zoom(factor) {
        const {chart, pointed} = this.panel;
        if (chart) {
            const [low, high] = chart.window;
            this.app.zoomAround(pointed ? chart.xs[pointed.at] : (low + high) / 2, factor);
        }
    }
}

Object.assign(census, {Keys, check});
})(globalThis.census = globalThis.census || {});
