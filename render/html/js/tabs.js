// SPDX-License-Identifier: BSD-2-Clause
//
// Several profiles: a tab for each, and a tab with small pictures of all.
(function (census) {
'use strict';

const {byId, element} = census;
const SMALL_HEIGHT = 190;
const MOST_NAMES = 40;  // in the legend of all
const MOST_TABS = 10;   // shown at first; the tabs of smaller profiles need a click

class Tabs {
    constructor(app) {
        this.app = app;
        this.bar = byId('tabs');
        this.grid = byId('grid');
        this.isWhole = false;  // all tabs are shown
        this.shown = new Map(); // by small picture: the id of its profile
        byId('same-scale').addEventListener('change', (event) => {
            app.view.sameScale = event.target.checked;
            app.redraw();
        });
        this.bar.addEventListener('keydown', (event) => this.walk(event));
        new ResizeObserver(() => app.redraw()).observe(byId('overview'));
    }

    // Returns the name of a file without its folder, unless other profiles have the same name.
    nameOf(entry) {
        const base = ({file}) => file.replace(/^.*\//, ''), {profile} = entry;
        if (!profile) {
            return entry.name;
        }
        const alike = [...this.app.entries.values()].filter((other) => other.profile && base(other.profile) === base(profile));
        return (alike.length > 1 ? profile.file : base(profile)) || profile.title;
    }

    // Returns the profiles with tabs, in the order of arrival; if there are many, the largest ones.
    shownEntries() {
        const entries = [...this.app.entries.values()];
        if (this.isWhole || entries.length <= MOST_TABS) {
            return entries;
        }
        const sizes = entries.map((entry) => entry.largest || 0).sort((a, b) => b - a);
        return entries.filter((entry) =>
            entry.id === this.app.current || (entry.largest || 0) >= sizes[MOST_TABS - 1])
            .slice(0, 2 * MOST_TABS);
    }

    // Makes a tab for each profile, and one for all if there are several.
    show() {
        const entries = this.shownEntries();
        const nHidden = this.app.entries.size - entries.length;
        this.bar.hidden = this.app.entries.size < 2;
        const tabs = entries.map((entry) => this.tab(entry.id, this.nameOf(entry), entry.profile && entry.profile.file));
        this.bar.replaceChildren(this.tab('all', 'All'), ...tabs,
            ...(nHidden ? [this.more(nHidden)] : []));
        byId('overview').hidden = this.app.current !== 'all';
        byId('single').hidden = this.app.current === 'all';
        byId('save').hidden = this.app.current === 'all';
    }

    tab(id, text, title) {
        const isCurrent = this.app.current === id;
        const button = element('button', '', census.shown(text || '–'));
        button.type = 'button';
        button.title = title || button.textContent;
        button.setAttribute('aria-controls', id === 'all' ? 'overview' : 'single');
        button.setAttribute('role', 'tab');
        button.setAttribute('aria-selected', String(isCurrent));
        button.tabIndex = isCurrent ? 0 : -1;
        button.addEventListener('click', () => this.app.showProfile(id));
        return button;
    }

    more(n) {
        const button = element('button', '', `${n} smaller …`);
        button.type = 'button';
        button.addEventListener('click', () => {
            this.isWhole = true;
            this.show();
            this.bar.querySelector('[aria-selected=true]').focus();
            this.app.redraw();
        });
        return button;
    }

    walk(event) {
        const step = {ArrowLeft: -1, ArrowRight: 1}[event.key];
        if (step) {
            const all = ['all', ...this.shownEntries().map((entry) => entry.id)];
            const at = (all.indexOf(this.app.current) + step + all.length) % all.length;
            this.app.showProfile(all[at]);
            this.bar.children[at].focus();
            event.preventDefault();
            event.stopPropagation();
        }
    }

    // --- small pictures

    drawAll() {
        const entries = [...this.app.entries.values()]
            .filter((entry) => entry.profile && entry.profile.n > 0);
        if (this.grid.children.length !== entries.length) {
            this.grid.replaceChildren(...entries.map(() => this.card()));
        }
        byId('same-scale').checked = this.app.view.sameScale;
        const shared = this.app.view.sameScale ? this.sharedScale(entries) : null;
        const charts = entries.map((entry, i) =>
            this.drawOne(this.grid.children[i], entry, shared));
        this.showLegend(charts.flatMap((chart) => chart.bands));
    }

    // Makes the legend of all bands, the largest first. A name has one colour in all pictures.
    showLegend(bands) {
        const areas = new Map();
        bands.filter((band) => !band.isOther).forEach((band) => {
            const known = areas.get(band.name);
            areas.set(band.name, {band, area: band.area + (known ? known.area : 0)});
        });
        const largest = [...areas.values()].sort((a, b) => b.area - a.area).slice(0, MOST_NAMES);
        byId('legend').replaceChildren(...largest.map(({band}) => {
            const item = element('li', '');
            item.title = band.whole;
            item.append(census.swatch(band.colour), element('span', 'text', band.shown));
            return item;
        }));
    }

    card() {
        const button = element('button', '');
        button.type = 'button';
        button.append(element('span', 'name'), document.createElement('canvas'));
        button.addEventListener('click', () => this.app.showProfile(this.shown.get(button)));
        return button;
    }

    sharedScale(entries) {
        const profiles = entries.map((entry) => entry.profile);
        return {yMax: Math.max(...profiles.map((p) => p.total.reduce((a, b) => Math.max(a, b), 0))),
            window: [Math.min(...profiles.map((p) => p.times[0])),
                Math.max(...profiles.map((p) => p.times[p.n - 1]))]};
    }

    drawOne(card, entry, shared) {
        const own = {...census.view.makeOwn(), window: shared && shared.window,
            yMax: shared && ((largest) => Math.max(largest, shared.yMax))};
        const view = {...this.app.view, matcher: null, only: false};
        const chart = new census.Chart(entry.profile, view, own, entry.ranking);
        const canvas = card.querySelector('canvas');
        this.shown.set(card, entry.id);
        card.querySelector('.name').textContent = this.nameOf(entry);
        const {width} = canvas.getBoundingClientRect();
        const context = census.prepareCanvas(canvas, width, SMALL_HEIGHT);
        census.draw(new census.surface.CanvasSurface(context), chart, width, SMALL_HEIGHT,
            {theme: this.app.theme(), isSmall: true});
        return chart;
    }
}

census.Tabs = Tabs;
})(globalThis.census = globalThis.census || {});
