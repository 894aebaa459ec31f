// SPDX-License-Identifier: BSD-2-Clause
//
// Table of all names for the time range that is shown. Many names are computed in the background.
(function (census) {
'use strict';

const {byId, element, swatch} = census;
const SLICE_MS = 8;
const PATIENCE_MS = 1000;
const FIRST_ROWS = 50, MORE_ROWS = 250;
const SPARK_WIDTH = 110, SPARK_HEIGHT = 20, SPARK_CELLS = 55;
const SVG = 'http://www.w3.org/2000/svg';

// Returns the value of each cell that is furthest from 0 as a closed path; changes are above and below the middle.
function sparkPath(values, from, to, most, isChange) {
    const n = Math.min(SPARK_CELLS, to - from + 1);
    const ground = isChange ? SPARK_HEIGHT / 2 : SPARK_HEIGHT;
    let path = `M0 ${ground}`;
    for (let cell = 0; cell < n; cell++) {
        const begin = from + Math.floor(cell * (to - from + 1) / n);
        const end = from + Math.floor((cell + 1) * (to - from + 1) / n);
        let largest = 0;
        for (let i = begin; i < end; i++) {
            largest = Math.abs(values[i]) > Math.abs(largest) ? values[i] : largest;
        }
        const y = ground - (most !== 0 ? largest / Math.abs(most) * (ground - 1) : 0);
        const left = (cell / n * SPARK_WIDTH).toFixed(1);
        path += `L${left} ${y.toFixed(1)}L${((cell + 1) / n * SPARK_WIDTH).toFixed(1)} ` +
            y.toFixed(1);
    }
    return `${path}L${SPARK_WIDTH} ${ground}Z`;
}

function spark(path, colour) {
    const svg = document.createElementNS(SVG, 'svg');
    const shape = document.createElementNS(SVG, 'path');
    svg.setAttribute('width', SPARK_WIDTH);
    svg.setAttribute('height', SPARK_HEIGHT);
    svg.setAttribute('aria-hidden', 'true');
    shape.setAttribute('d', path);
    shape.setAttribute('fill', colour);
    svg.append(shape);
    return svg;
}

// Sorts by a column, undefined values last; equal ones by name.
function compare(sort) {
    const sign = sort.isDown ? -1 : 1;
    return (a, b) => {
        const [x, y] = [a[sort.column], b[sort.column]];
        const order = sort.column === 'name' ? (x < y ? -1 : x > y ? 1 : 0)
            : (Number.isNaN(x) - Number.isNaN(y)) * sign || x - y;
        return sign * order || (a.name < b.name ? -1 : 1);
    };
}

class Table {
    constructor(app) {
        this.app = app;
        this.chart = null;
        this.figures = [];      // of each name that was looked into
        this.nShown = FIRST_ROWS;
        this.work = 0;          // the pending piece of work
        this.later = 0;         // the pending begin
        this.since = 0;         // when it began
        this.shown = null;      // the chart that the figures are of
        this.body = byId('rows');
        byId('more-rows').addEventListener('click', () => {
            this.nShown += MORE_ROWS;
            this.fill();
        });
        census.listenToHeads('data-sort', (column) => this.sortBy(column));
        this.listen();
    }

    listen() {
        const nameAt = (event) => {
            const row = event.target.closest('tr');
            return row ? this.figures[row.dataset.figure] : null;
        };
        this.body.addEventListener('click', (event) => {
            const figure = nameAt(event);
            if (figure) {
                this.app.chooseName(figure.name);
            }
        });
        this.body.addEventListener('pointermove', (event) => {
            const figure = nameAt(event);
            this.app.pointAtName(figure ? figure.name : null);
        });
        this.body.addEventListener('pointerleave', () => this.app.pointAtName(null));
    }

    sortBy(column) {
        const {sort} = this.app.view;
        this.app.view.hasSorted = true;
        this.app.view.sort = {column,
            isDown: sort.column === column ? !sort.isDown : column !== 'name'};
        this.app.redraw();
    }

    // Restarts when the samples changed; else only colours may have. While a profile grows, not for
    // every sample.
    show(chart) {
        const isSameProfile = this.chart !== null && this.chart.profile === chart.profile;
        const isSame = isSameProfile && this.version === chart.profile.version &&
            this.chart.from === chart.from && this.chart.to === chart.to;
        const isPatient = isSameProfile && chart.own.isSticky &&
            performance.now() - this.since < PATIENCE_MS;
        this.chart = chart;
        clearTimeout(this.later);
        if (isSame) {
            this.fill();
        } else if (isPatient) {
            this.later = setTimeout(() => this.begin(), PATIENCE_MS);
        } else {
            this.begin();
        }
    }

    begin() {
        const {profile} = this.chart;
        this.since = performance.now();
        this.version = profile.version;
        this.pending = {chart: this.chart, figures: [], scratch: new Float64Array(profile.n)};
        clearTimeout(this.work);
        this.workOn();
    }

    workOn() {
        const {figures, scratch} = this.pending;
        const {profile, stretch} = this.pending.chart;
        const stop = performance.now() + SLICE_MS;
        while (figures.length < profile.names.length && performance.now() < stop) {
            const k = figures.length;
            const sums = stretch.sumUp(scratch, profile.names[k].column.read(scratch));
            figures.push({k, name: profile.names[k].name, whole: profile.names[k].whole, shown: profile.names[k].shown, ...sums});
        }
        const isDone = figures.length >= profile.names.length;
        if (isDone || !this.figures.length) {
            this.figures = figures;
            this.shown = this.pending.chart;
            this.fill();
        }
        if (!isDone) {
            this.work = setTimeout(() => this.workOn(), 0);
        }
    }

    // --- rows

    fill() {
        const {view} = this.app;
        const rows = this.figures.filter((figure) => (figure.max !== 0 || figure.mean !== 0) &&
            (!view.matcher || census.matches(view.matcher, figure)));
        // Shares of changes are of all of them, those above and those below 0.
        this.whole = !this.chart.profile.isChange ? 1 : this.figures.reduce((sum, {share}) => sum + share, 0);
        rows.sort(compare(view.sort));
        const focused = this.focusedName();
        this.body.replaceChildren(...rows.slice(0, this.nShown)
            .map((figure) => this.row(figure)));
        this.focusName(focused);
        byId('more-rows').hidden = rows.length <= this.nShown;
        byId('more-rows').textContent = `Show more of ${census.units.count(rows.length)} names`;
        census.showSort('data-sort', view.sort.column, view.sort.isDown);
    }

    // Returns the name of the row that has the focus, or null.
    focusedName() {
        const row = document.activeElement && document.activeElement.closest('#rows tr');
        return row ? row.dataset.name : null;
    }

    focusName(name) {
        const row = [...this.body.children].find((other) => other.dataset.name === name);
        if (row) {
            row.querySelector('button').focus({preventScroll: true});
        }
    }

    row(figure) {
        const {profile, view, own} = this.chart;
        const format = profile.isChange ? census.units.change : census.units.amount;
        const amount = (value) => format(value, profile.valueUnit, view.si);
        const colour = profile.names[figure.k].colours[view.isDark ? 1 : 0];
        const row = element('tr', figure.name === own.isolated ? 'alone' : '');
        row.dataset.figure = figure.k;
        row.dataset.name = figure.shown;
        const cells = [`${(100 * figure.share / this.whole).toFixed(1)}\u00a0%`, amount(figure.max) + census.units.margin(figure.max, profile, view.si, profile.names[figure.k].spread),
            amount(figure.mean), amount(figure.end),
            Number.isNaN(figure.growth) ? '–'
                : census.units.growth(figure.growth, profile.valueUnit, profile.sampleUnit, view.si),
            Number.isNaN(figure.r2) ? '–' : figure.r2.toFixed(2)];
        row.append(this.nameCell(figure, colour), this.sparkCell(figure, colour),
            ...cells.map((text) => element('td', 'number', text)));
        return row;
    }

    nameCell(figure, colour) {
        const cell = element('td', 'name'), button = element('button', '');
        button.type = 'button';
        button.title = figure.whole;
        button.setAttribute('aria-pressed', String(figure.name === this.chart.own.isolated));
        button.append(swatch(colour), element('span', 'text', figure.shown));
        cell.append(button);
        return cell;
    }

    // Past samples do not change: a path is made once for each range.
    sparkCell(figure, colour) {
        const {profile, from, to} = this.shown;
        if (!figure.path) {
            const values = profile.names[figure.k].column.values(profile.n);
            figure.path = sparkPath(values, from, to, figure.max, profile.isChange);
        }
        const cell = element('td', '');
        cell.append(spark(figure.path, colour));
        return cell;
    }

    showPointed(name) {
        for (const row of this.body.children) {
            const figure = this.figures[row.dataset.figure];
            row.classList.toggle('pointed', name !== null && figure && figure.name === name);
        }
    }
}

census.Table = Table;
})(globalThis.census = globalThis.census || {});
