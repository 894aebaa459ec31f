// SPDX-License-Identifier: BSD-2-Clause
//
// The picture of one profile on the screen: a canvas for the chart, and one above it for the
// crosshair and the selection.
(function (census) {
'use strict';

const {byId} = census;

// Sizes a canvas for its place and the density of the screen. Returns its context in px of the page.
function prepareCanvas(canvas, width, height) {
    const ratio = window.devicePixelRatio || 1;
    const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (canvas.width !== w || canvas.height !== h) {
        canvas.width = w;
        canvas.height = h;
    }
    const context = canvas.getContext('2d');
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    return context;
}

class Panel {
    constructor(app) {
        this.app = app;
        this.box = byId('chart');
        this.picture = byId('picture');
        this.over = byId('over');
        this.chart = null;      // the drawn chart
        this.drawing = null;    // where everything of it is
        this.pointed = null;    // {at, band}: a sample and a band of the chart, or null
        this.brush = null;      // [x, x] in px while it is drawn
        new ResizeObserver(() => app.redraw()).observe(this.box);
    }

    draw(entry) {
        const {profile} = entry;
        const isEmpty = !profile || profile.n === 0;
        byId('empty').hidden = !isEmpty;
        this.picture.hidden = isEmpty;
        if (isEmpty) {
            byId('empty').textContent = this.app.explainEmpty(entry);
            [this.chart, this.drawing, this.pointed] = [null, null, null];
        } else {
            this.drawChart(entry);
        }
        this.drawOver();
    }

    drawChart({profile, own, ranking}) {
        const began = performance.now();
        const {width, height} = this.box.getBoundingClientRect();
        const pointed = this.pointed && this.pointed.band;
        this.chart = new census.Chart(profile, this.app.view, own, ranking);
        const surface = new census.surface.CanvasSurface(prepareCanvas(this.picture, width, height));
        this.drawing = census.draw(surface, this.chart, width, height, {theme: this.app.theme()});
        byId('empty').hidden = !profile.isChange || this.chart.bands.length > 0;
        byId('empty').textContent = 'No differences at these times.';
        this.keepPointed(pointed);
        this.describe();
        performance.measure('census-draw', {start: began, end: performance.now()});
    }

    // Points at the same sample and band, if they still exist.
    keepPointed(band) {
        if (this.pointed) {
            const at = Math.min(this.chart.to, Math.max(this.chart.from, this.pointed.at));
            const same = this.chart.bands.filter((other) => band && other.name === band.name);
            this.pointed = {at, band: same.find(({sign}) => sign === band.sign) || same[0] || null};
        }
    }

    describe() {
        const {profile, stretch, peak} = this.chart, {si} = this.app.view;
        const bands = this.chart.bands.filter((band) => !band.isNamedElsewhere);
        const note = !peak ? '' : profile.isChange
            ? `, largest change ${census.units.change(peak.y, profile.valueUnit, si)}`
            : `, peak ${census.units.amount(peak.y, profile.valueUnit, si)}${census.units.margin(peak.y, profile, si, profile.spread)}`;
        const largest = [...bands].sort((a, b) => b.area - a.area).slice(0, 3)
            .map((band) => band.shown).join(', ');
        this.box.setAttribute('aria-label', `${profile.isChange ? 'Changes' : 'Heap'} over time, ${bands.length} bands${note}, ` +
            `${stretch.to - stretch.from + 1} samples. Largest: ${largest}`);
    }

    // --- crosshair and selection

    point(pointed) {
        this.pointed = pointed;
        this.drawOver();
        this.app.flame.redraw();
        this.app.resident.showMoment();
        this.app.table.showPointed(pointed && pointed.band ? pointed.band.name : null);
    }

    drawOver() {
        const {width, height} = this.box.getBoundingClientRect();
        const context = prepareCanvas(this.over, width, height);
        context.clearRect(0, 0, width, height);
        const surface = new census.surface.CanvasSurface(context);
        if (this.chart) {
            this.app.flame.series.draw(surface, this.drawing, this.app.theme());
        }
        if (this.brush) {
            this.drawBrush(surface);
        }
        if (this.chart && this.pointed) {
            this.drawPointed(surface);
        }
        this.app.tooltip.show(this);
    }

    drawBrush(surface) {
        const {frame} = this.drawing, theme = this.app.theme();
        const [left, right] = [...this.brush].sort((a, b) => a - b);
        surface.context.globalAlpha = 0.14;
        surface.rectangle(left, frame.top, right - left, frame.height, theme.ink);
        surface.context.globalAlpha = 1;
        for (const x of [left, right]) {
            surface.polyline([x, frame.top, x, frame.bottom], theme.ink, 1);
        }
    }

    drawPointed(surface) {
        const {drawing, chart} = this, theme = this.app.theme();
        const {at, band} = this.pointed;
        const {frame} = drawing;
        const x = chart.window[1] > chart.window[0] ? drawing.x(chart.xs[at]) : drawing.x(0);
        surface.beginClip(frame.left - 1, frame.top - 6, frame.width + 2, frame.height + 8);
        if (band) {
            this.drawOutlined(surface, band, theme);
        }
        surface.polyline([x, frame.top, x, frame.bottom], theme.ink, 1, [2, 2]);
        if (band) {
            surface.circle(x, drawing.y(band.upper[at - chart.low]), 3.5, theme.ink, theme.background);
        }
        surface.endClip();
    }

    drawOutlined(surface, band, theme) {
        surface.polyline(band.curve, theme.background, 4);
        surface.polyline(band.curve, theme.ink, 2);
        if (band.innerCurve) {
            surface.polyline(band.innerCurve, theme.background, 3);
            surface.polyline(band.innerCurve, theme.ink, 1.25);
        }
    }
}

census.Panel = Panel;
census.prepareCanvas = prepareCanvas;
})(globalThis.census = globalThis.census || {});
