// SPDX-License-Identifier: BSD-2-Clause
//
// The keyboard: everything that the mouse can do (the table of keys is in page.html).
(function (census) {
'use strict';

const {byId} = census;
const ZOOM = 1.6, SHIFT = 0.25;

class Keys {
    constructor(app, panel) {
        this.app = app;
        this.panel = panel;
        this.anywhere = {
            's': () => app.setMode('stacked'), 'n': () => app.setMode('share'),
            'l': () => app.setMode('lines'),
            '[': () => app.changeBands(-1), ']': () => app.changeBands(1),
            'o': () => app.openOther(), '/': () => byId('search').focus(),
            'p': () => app.live && app.live.togglePause(), 't': () => app.toggleTheme(),
            '?': () => byId('help').showModal(), 'a': () => app.showProfile('all'),
            'c': () => app.flame.moments.compare(),
            'u': () => app.flame.turn(app.view.tree === 'down' ? 'up' : 'down'),
            '0': () => app.zoomOut(), 'Escape': () => app.stepBack(),
            '+': () => this.zoom(1 / ZOOM), '=': () => this.zoom(1 / ZOOM),
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
        const act = (event.target === this.panel.box && this.onChart[event.key]) ||
            (event.target === this.app.flame.box && this.app.flame.keys[event.key]) ||
            this.app.flame.table.actionOf(event) || this.anywhere[event.key] || this.profileOf(event.key);
        if (act) {
            event.preventDefault();
            act(event);
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
        this.app.tooltip.at = null;
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

    zoom(factor) {
        const {chart, pointed} = this.panel;
        if (chart) {
            const [low, high] = chart.window;
            this.app.zoomAround(pointed ? chart.xs[pointed.at] : (low + high) / 2, factor);
        }
    }
}

census.Keys = Keys;
})(globalThis.census = globalThis.census || {});
