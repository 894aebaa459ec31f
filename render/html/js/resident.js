// SPDX-License-Identifier: BSD-2-Clause
//
// What the resident set is made of, over time; and at the time of the stacks, its parts, and the sites whose few live blocks
// pin pages.
(function (census) {
'use strict';

const {byId, element, swatch} = census;
const HEIGHT = 260;
const MOST_SITES = 12, N_PARTS = 12;
const KEPT = ['rest of pages with live blocks', 'free pages', 'rest of the heap'];

class Resident {
    constructor(app) {
        this.app = app;
        this.parts = null;      // the profile of the parts that is shown
        this.drawing = null;
        byId('resident-chart').addEventListener('click', (event) => {
            const {left} = byId('resident-chart').getBoundingClientRect();
            this.app.flame.moments.choose(this.drawing.valueAtX(event.clientX - left));
        });
    }

    show(entry) {
        const [parts, ...pinned] = entry.profile && entry.profile.resident || [];
        Object.assign(this, {entry, parts: parts && parts.n > 0 ? parts : null, pinned});
        byId('resident').hidden = !this.parts;
        if (this.parts) {
            this.draw();
            this.showMoment();
        }
    }

    draw() {
        const {parts, app} = this, {width} = byId('resident-chart').getBoundingClientRect();
        const view = {...app.view, matcher: null, only: false, mode: 'stacked', bands: N_PARTS, trace: 0, lines: 'none',
            order: 'wiggle', hasGivenOrder: false};
        this.chart = new census.Chart(parts, view, {...census.view.makeOwn(), window: this.entry.own.window}, new census.Ranking(parts));
        const surface = new census.surface.CanvasSurface(census.prepareCanvas(byId('resident-picture'), width, HEIGHT));
        surface.context.clearRect(0, 0, width, HEIGHT);
        this.drawing = census.draw(surface, this.chart, width, HEIGHT, {theme: app.theme()});
    }

    // Returns the sample in which allocators keep most that is not live, but not where little is live.
    largest() {
        const {parts} = this, scratch = new Float64Array(parts.n);
        const live = new Float64Array(parts.n), kept = new Float64Array(parts.n);
        for (const {whole, column} of parts.names) {
            const sum = whole === 'live blocks' ? live : KEPT.includes(whole) ? kept : null;
            const {from, to} = column.read(scratch);
            for (let i = from; sum && i < to; i++) {
                sum[i] += scratch[i];
            }
        }
        const weight = (i) => Math.min(kept[i], 10 * live[i]);
        return kept.reduce((most, _, i) => weight(i) > weight(most) ? i : most, 0);
    }

    // Returns the time that is shown: the one under the pointer, else the chosen one, else the one in which most is kept.
    time() {
        const {pointed} = this.app.panel, {own, profile} = this.entry;
        return pointed ? profile.times[pointed.at] : own.moment !== null ? own.moment : this.parts.times[this.largest()];
    }

    showMoment() {
        if (this.parts) {
            const time = this.time(), at = census.nearestSample(this.parts, time);
            this.drawTime(this.parts.times[at]);
            this.showParts(at);
            this.showSites(this.parts.times[at]);
        }
    }

    drawTime(time) {
        const {width} = byId('resident-chart').getBoundingClientRect();
        const context = census.prepareCanvas(byId('resident-over'), width, HEIGHT);
        const {frame} = this.drawing, x = this.drawing.x(time), {ink} = this.app.theme();
        context.clearRect(0, 0, width, HEIGHT);
        if (x >= frame.left && x <= frame.right) {
            new census.surface.CanvasSurface(context).polyline([x, frame.top, x, frame.bottom], ink, 1, [2, 2]);
        }
    }

    amount(value) {
        return census.units.amount(value, 'bytes', this.app.view.si);
    }

    row(name, colour, cells) {
        const row = element('tr', ''), cell = element('td', 'name'), frame = element('span', 'frame'), text = element('span', 'text', name);
        text.title = name;
        frame.append(...colour ? [swatch(colour)] : [], text);
        cell.append(frame);
        row.append(cell, ...cells.map((value) => element('td', 'number', value)));
        return row;
    }

    // Shows the parts in the order of the picture, from above.
    showParts(at) {
        const {parts, chart} = this, total = parts.total[at], max = parts.total.reduce((a, b) => Math.max(a, b), 0);
        const rows = chart.bands.map((band) => this.row(band.whole, band.colour, [this.amount(band.full[at]),
            `${(total > 0 ? 100 * band.full[at] / total : 0).toFixed(1)}\u00a0%`,
            this.amount(band.full.reduce((a, b) => Math.max(a, b), 0))])).reverse();
        byId('resident-rows').replaceChildren(...rows, this.row('resident set', null, [this.amount(total), '', this.amount(max)]));
        byId('resident-moment').textContent = `at ${chart.timeText(parts.times[at])}: ${this.amount(total)}`;
        byId('resident-chart').setAttribute('aria-label', `Parts of the resident set over time, up to ${this.amount(max)}; the table has them.`);
    }

    showSites(time) {
        const sites = new Map();
        this.pinned.forEach((profile, range) => {
            const at = profile.n > 0 ? census.nearestSample(profile, time) : 0;
            profile.names.forEach((name, k) => {
                const bytes = name.column.values(profile.n)[at];
                if (bytes > 0) {
                    sites.set(name.whole, Object.assign(sites.get(name.whole) || [0, 0, 0], {[range]: bytes}));
                }
            });
        });
        const largest = [...sites].sort(([, a], [, b]) => Math.max(...b) - Math.max(...a)).slice(0, MOST_SITES);
        byId('pinned').hidden = largest.length === 0;
        byId('pinned-rows').replaceChildren(...largest.map(([name, bytes]) =>
            this.row(name, null, bytes.map((n) => n > 0 ? this.amount(n) : '–'))));
    }
}

census.Resident = Resident;
})(globalThis.census = globalThis.census || {});
