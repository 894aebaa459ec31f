// SPDX-License-Identifier: BSD-2-Clause
//
// Mouse and touch on the picture: point, click, select a time range.
(function (census) {
'use strict';

const LEAST_BRUSH_PX = 5;   // less is a click
const DOUBLE_MS = 350;
const WHEEL_PX = 240;       // of a wheel zoom by two

class Pointer {
    constructor(app, panel) {
        this.app = app;
        this.panel = panel;
        this.pressed = null;    // where, in px
        this.lastClick = -Infinity;
        const box = panel.box;
        box.addEventListener('pointermove', (event) => this.move(event));
        box.addEventListener('pointerleave', () => this.leave());
        box.addEventListener('pointerdown', (event) => this.press(event));
        box.addEventListener('pointerup', (event) => this.release(event));
        box.addEventListener('pointercancel', () => this.cancel());
        box.addEventListener('wheel', (event) => this.turn(event), {passive: false});
    }

    placeOf(event) {
        const {left, top} = this.panel.box.getBoundingClientRect();
        return [event.clientX - left, event.clientY - top];
    }

    // Returns the sample and the band at a place, or null.
    find([x, y]) {
        const {chart, drawing} = this.panel;
        if (!chart) {
            return null;
        }
        const {frame} = drawing;
        if (x < frame.left - 8 || x > frame.right + 8 || y < 0 || y > frame.bottom + 20) {
            return this.findName([x, y]);
        }
        const at = chart.nearest(drawing.valueAtX(x));
        return {at, band: chart.bandAt(at, Math.max(chart.yMin, drawing.valueAtY(y)))};
    }

    // Returns the band of a name right of the bands.
    findName([x, y]) {
        const {chart, drawing} = this.panel;
        if (!drawing.gutter || x < drawing.frame.right + 8) {
            return null;
        }
        const row = drawing.names.right.find((other) => Math.abs(other.y - 4 - y) <= 8);
        return row ? {at: chart.to, band: row.band} : null;
    }

    move(event) {
        const place = this.placeOf(event);
        this.app.tooltip.at = place;
        if (this.pressed) {
            this.stretch(place);
        } else {
            this.panel.point(this.find(place));
        }
    }

    stretch([x]) {
        const {frame} = this.panel.drawing;
        const end = Math.min(frame.right, Math.max(frame.left, x));
        const isBrush = Math.abs(end - this.pressed[0]) >= LEAST_BRUSH_PX;
        this.panel.brush = isBrush || this.panel.brush ? [this.pressed[0], end] : null;
        this.panel.drawOver();
    }

    // Wheel sideways or with Shift moves the window; with Ctrl, or two fingers, it zooms.
    turn(event) {
        const {chart, drawing} = this.panel;
        const sideways = event.shiftKey ? event.deltaX || event.deltaY : event.deltaX;
        const isZoom = event.ctrlKey;
        if (!chart || (!isZoom && Math.abs(sideways) <= Math.abs(event.deltaY) && !event.shiftKey)) {
            return; // the page scrolls
        }
        event.preventDefault();
        if (isZoom) {
            const middle = drawing.valueAtX(this.placeOf(event)[0]);
            this.app.zoomAround(middle, 2 ** (event.deltaY / WHEEL_PX));
        } else {
            this.app.shift(sideways / WHEEL_PX / 4);
        }
    }

    leave() {
        this.app.tooltip.at = null;
        if (!this.pressed) {
            this.panel.point(null);
        }
    }

    press(event) {
        if (event.button === 0 && this.panel.chart) {
            const {frame} = this.panel.drawing;
            const [x, y] = this.placeOf(event);
            this.pressed = [Math.min(frame.right, Math.max(frame.left, x)), y];
            if (event.isPrimary && event.target.setPointerCapture) {
                this.panel.box.setPointerCapture(event.pointerId);
            }
        }
    }

    cancel() {
        this.pressed = null;
        this.panel.brush = null;
        this.panel.drawOver();
    }

    release(event) {
        const brush = this.panel.brush, wasPressed = this.pressed !== null;
        this.pressed = null;
        this.panel.brush = null;
        if (brush && Math.abs(brush[0] - brush[1]) >= LEAST_BRUSH_PX) {
            const ends = brush.sort((a, b) => a - b).map((x) => this.panel.drawing.roundValueAtX(x));
            this.panel.pointed = null;
            this.app.zoomTo(ends);
        } else if (wasPressed) {
            this.click(this.placeOf(event), event);
        }
    }

    // The second click of a double click undoes the first.
    click(place, event) {
        const isDouble = event.timeStamp - this.lastClick < DOUBLE_MS;
        this.lastClick = isDouble ? -Infinity : event.timeStamp;
        if (isDouble) {
            this.app.takeBack();
            this.app.zoomOut();
            return;
        }
        const found = this.find(place);
        this.app.remember();
        if (found) {
            this.app.flame.moments.chooseSample(found.at);
        }
        if (found && found.band) {
            this.app.choose(found.band);
        }
        this.panel.point(this.find(place));
    }
}

census.Pointer = Pointer;
})(globalThis.census = globalThis.census || {});
