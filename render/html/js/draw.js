// SPDX-License-Identifier: BSD-2-Clause
//
// Draws a chart on a surface: bands, the line of the total, axes, marks, quantity lines, names.
(function (census) {
'use strict';

const {measure} = census.surface;
const {areAlike, areApart, inkOn, mix, visible} = census.colours;

const SMALL = 12;               // text at axes, in px
const TOP = 40, BOTTOM = 30, RIGHT = 14, LEFT_OF_UNIT = 6;
const MARK_ROW = 26;            // of the labels of marks, over the name of the peak, over the frame
const LINE_GAP = 6, UNDER_LINE = 15; // from a line to the ground of its name above or below it
const GUTTER_SHARE = 0.24;      // largest share of the width for names right of the bands
const LEAST_WIDTH_FOR_GUTTER = 620;
const POINTS_PER_PX = 1;        // an outline has not more
const DENSE_PER_PX = 0.7;
const MOST_PIECES = 12;         // of a hairline
const NEAR_END_PX = 60;
const MOST_LEADER_PX = 48;       // up or down; steeper ones make a bundle, and names have the order of the bands
const DASHES = [[], [6, 5], [2, 3], [11, 5], [11, 4, 2, 4]];    // of lines of similar colours
const LANE = 18, LANE_GAP = 8;  // height of a lane below the bands, and the room above it
const LEAST_IN_LANE = 2;        // height of what is not 0 in a lane
const DIMMED = 0.22;            // share of the colour that bands outside the selection keep

class Drawing {
    // `options`: {isSmall, theme, gutter}. `theme`: the colours of everything except bands.
    constructor(surface, chart, width, height, options) {
        Object.assign(this, {surface, chart, width, height, theme: options.theme,
            isSmall: Boolean(options.isSmall), gutter: options.gutter || 0});
        this.frame = this.frameOf(this.gutter);
        const hidden = Math.ceil(this.rightOfTicks()) + 2 - width;
        if (hidden > 0) {
            this.frame = this.frameOf(this.gutter + hidden);
        }
        this.places = this.choosePoints();
        // With more points, lines between bands would hide the bands.
        this.isDense = this.places.length > this.frame.width * DENSE_PER_PX;
    }

    // Returns whether steep pieces of a curve cover more than half of the width.
    isWall(curve) {
        let nSteep = 0;
        for (let j = 2; j < curve.length; j += 2) {
            const rise = Math.abs(curve[j + 1] - curve[j - 1]);
            nSteep += rise > 3 && rise > 2 * (curve[j] - curve[j - 2]);
        }
        return nSteep > this.frame.width / 2;
    }

    frameOf(gutter) {
        const {chart, height, isSmall} = this;
        const lanes = isSmall ? [] : chart.profile.lanes.all;
        this.lanesHeight = lanes.length * (LANE + LANE_GAP);
        const most = isSmall ? 3 : Math.max(2, Math.min(9, Math.floor(height / 55)));
        this.yTicks = census.units.ticks(chart.yMin, chart.yMax, most, chart.yUnit)
            .map(({value, label}) => ({value, label: chart.profile.isChange && value > 0 ? `+${label}` : label}));
        const widest = Math.max(10, ...this.yTicks.map((tick) => measure(tick.label, SMALL)),
            ...lanes.map((lane) => measure(lane.name, SMALL)));
        const left = Math.ceil(widest) + 12, top = isSmall ? 22 : TOP;
        const frame = {left, top, right: this.width - RIGHT - gutter,
            bottom: height - BOTTOM - this.lanesHeight};
        frame.width = Math.max(20, frame.right - frame.left);
        frame.height = Math.max(20, frame.bottom - frame.top);
        return frame;
    }

    x(value) {
        const [low, high] = this.chart.window;
        return high > low ? this.frame.left + (value - low) / (high - low) * this.frame.width
            : this.frame.left + this.frame.width / 2;
    }

    y(amount) {
        const {yMin, yMax} = this.chart;
        return this.frame.bottom - (amount - yMin) / (yMax - yMin) * this.frame.height;
    }

    // Converts between amounts and times, and px.
    valueAtX(px) {
        const [low, high] = this.chart.window;
        const share = (px - this.frame.left) / this.frame.width;
        return low + Math.min(1, Math.max(0, share)) * (high - low);
    }

    // Returns the same with as few digits as differ by less than a pixel, for short addresses.
    roundValueAtX(px) {
        const [low, high] = this.chart.window, pixel = (high - low) / this.frame.width;
        const decimals = Math.ceil(-Math.log10(pixel));
        return Number(this.valueAtX(px).toFixed(Math.max(0, Math.min(20, decimals))));
    }

    valueAtY(py) {
        const {yMin, yMax} = this.chart;
        return yMin + (this.frame.bottom - py) / this.frame.height * (yMax - yMin);
    }

    // --- curves

    // Returns the samples to draw: the smallest and the largest of each pixel, with all their bands.
    choosePoints() {
        const {low, high, xs, bands} = this.chart;
        const n = high - low + 1, places = [];
        const room = this.frame.width * POINTS_PER_PX;
        if (n <= room || !bands.length) {
            return Array.from({length: n}, (_, i) => i);
        }
        const above = bands[bands.length - 1].upper, below = bands[0].upper;
        const top = this.chart.mode === 'lines' ? this.chart.total.subarray(low, high + 1)
            : bands[0].sign > 0 ? above : above.map((amount, i) => amount - below[i]);
        const cellOf = (i) => Math.floor(this.x(xs[low + i]) * POINTS_PER_PX / 2);
        for (let i = 0; i < n;) {
            const cell = cellOf(i);
            let least = i, most = i;
            for (; i < n && cellOf(i) === cell; i++) {
                least = top[i] < top[least] ? i : least;
                most = top[i] > top[most] ? i : most;
            }
            places.push(Math.min(least, most));
            if (least !== most) {
                places.push(Math.max(least, most));
            }
        }
        return places;
    }

    // Returns the points of a curve from left to right; a single sample is a level line.
    curve(values) {
        const {low, xs, window} = this.chart;
        const points = [];
        if (this.places.length === 1 || !(window[1] > window[0])) {
            const y = this.y(values[this.places[this.places.length - 1]]);
            return [this.frame.left, y, this.frame.right, y];
        }
        for (const i of this.places) {
            this.join(points, xs[low + i], values[i]);
        }
        return points;
    }

    // Appends a sample to a curve, by a slope or a step.
    join(points, x, amount) {
        const px = this.x(x);
        if (this.chart.view.steps && points.length) {
            points.push(px, points.at(-1));
        }
        points.push(px, this.y(amount));
    }

    traceBands() {
        const inner = {1: null, [-1]: null};
        for (const band of this.chart.outward()) {
            band.curve = this.curve(band.upper);
            band.innerCurve = inner[band.sign];
            inner[band.sign] = band.curve;
        }
    }

    colourOf(band) {
        const {view} = this.chart;
        const isMeant = !view.matcher || view.only || census.matches(view.matcher, band);
        return isMeant ? band.colour : mix(band.colour, this.theme.background, DIMMED);
    }

    // Draws each band from 0 on, the outer ones first, so that no gap shows between two.
    drawBands() {
        const {mode} = this.chart, bands = this.chart.outward();
        const {frame, surface} = this;
        surface.beginClip(frame.left, frame.top - 2, frame.width, frame.height + 3);
        if (mode === 'lines') {
            this.chooseDashes();
            bands.forEach((band) => this.drawAsLine(band));
        } else {
            [...bands].reverse().forEach((band) => this.drawBand(band));
            bands.slice(0, -1).forEach((band, i) => {
                const outer = bands[i + 1];
                if (band.sign === outer.sign && (!this.isDense || !areApart(band.colour, outer.colour))) {
                    this.drawEdge(band, outer);
                }
            });
            this.drawSum();
        }
        surface.endClip();
    }

    drawBand(band) {
        this.surface.beginGroup(band.whole);
        this.surface.area(band.curve, this.y(0), this.colourOf(band));
        this.surface.endGroup();
    }

    drawAsLine(band) {
        this.surface.beginGroup(band.whole);
        this.drawStroke(band.curve, band);
        this.surface.endGroup();
    }

    drawStroke(points, band) {
        this.surface.polyline(points, visible(this.colourOf(band), this.theme.background), 1.75,
            band.dash);
    }

    // Chooses for each line, the largest first, the dashes that the fewest lines of a similar colour
    // have so far.
    chooseDashes() {
        const done = [];
        for (const band of [...this.chart.bands].sort((a, b) => b.area - a.area)) {
            const colour = visible(band.colour, this.theme.background);
            const alike = done.filter((other) => areAlike(other.colour, colour));
            const nUsers = (dash) => alike.filter((other) => other.dash === dash).length;
            band.dash = DASHES.reduce((best, dash) => nUsers(dash) < nUsers(best) ? dash : best);
            done.push({colour, dash: band.dash});
        }
    }

    // Draws hairlines where the bands on both sides are thick enough, or none instead of many short ones.
    drawEdge(band, outer) {
        const {curve} = band, pieces = [];
        const thinner = (j) => Math.min(Math.abs(curve[j + 1] - outer.curve[j + 1]),
            Math.abs((band.innerCurve ? band.innerCurve[j + 1] : this.y(0)) - curve[j + 1]));
        for (let j = 2; j < curve.length; j += 2) {
            const from = thinner(j - 2), to = thinner(j);
            const share = (1 - from) / (to - from);
            const limit = [0, 1].map((k) => curve[j - 2 + k] + share * (curve[j + k] - curve[j - 2 + k]));
            if (from >= 1 && j > 2) {
                pieces.at(-1).push(...to >= 1 ? curve.slice(j, j + 2) : limit);
            } else if (from >= 1 || to >= 1) {
                pieces.push([...from >= 1 ? curve.slice(j - 2, j) : limit, ...to >= 1 ? curve.slice(j, j + 2) : limit]);
            }
        }
        if (pieces.length <= MOST_PIECES) {
            pieces.forEach((piece) => this.surface.polyline(piece, this.theme.edge, 0.6));
        }
    }

    // Draws the line over a stack. Among changes, it crosses bands.
    drawSum() {
        const sums = this.chart.sumLine(), {isChange} = this.chart.profile;
        if (sums) {
            const curve = this.curve(sums);
            if (isChange) {
                this.surface.polyline(curve, this.theme.background, this.isDense ? 2 : 3.5);
            }
            const colour = isChange ? this.theme.ink
                : this.isWall(curve) ? mix(this.theme.outline, this.chart.bands.at(-1).colour, 0.25)
                    : this.theme.outline;
            this.surface.polyline(curve, colour, this.isDense ? 0.6 : 1.1);
        }
    }

    // --- axes

    drawGround() {
        const {frame, surface, theme, chart} = this;
        surface.rectangle(0, 0, this.width, this.height, theme.background);
        for (const tick of this.yTicks) {
            const y = Math.round(this.y(tick.value)) + 0.5;
            if (tick.value !== 0) {
                surface.polyline([frame.left, y, frame.right, y], theme.grid, 1);
            }
            surface.text(tick.label, frame.left - 7, y + 4,
                {colour: theme.faint, size: SMALL, anchor: 'end'});
        }
        if (chart.yUnit.name) {
            surface.text(chart.yUnit.name, 2, this.yOfUnit(), {colour: theme.faint, size: SMALL});
        }
    }

    yOfUnit() {
        return this.isSmall ? 12 : 14;
    }

    // Returns where a text at that height may begin, right of the unit of the amounts.
    leastLeft(y) {
        const isBeside = y < this.yOfUnit() + SMALL;
        const unit = isBeside ? measure(this.chart.yUnit.name || '', SMALL) + 10 : 0;
        return Math.max(this.frame.left, unit);
    }

    drawXAxis() {
        const {frame, surface, theme, chart} = this;
        const y = frame.bottom + this.lanesHeight + 0.5, ground = Math.round(this.y(0)) + 0.5;
        surface.polyline([frame.left, ground, frame.right, ground], theme.rule, 1);
        for (const tick of this.xTicks()) {
            const x = this.x(tick.value);
            surface.polyline([x, y, x, y + 4], theme.rule, 1);
            surface.text(tick.label, x, y + 18, {colour: theme.faint, size: SMALL, anchor: 'middle'});
        }
        surface.text(chart.xUnit.name || '', this.rightOfTicks(), y + 18,
            {colour: theme.faint, size: SMALL, anchor: 'end'});
    }

    // Returns where the unit ends: at the right edge of the frame, or right of the last label.
    rightOfTicks() {
        const last = this.xTicks().at(-1), unit = measure(this.chart.xUnit.name || '', SMALL);
        const taken = last ? this.x(last.value) + measure(last.label, SMALL) / 2 + LEFT_OF_UNIT : 0;
        return Math.max(this.frame.right, unit > 0 ? taken + unit : 0);
    }

    xTicks() {
        const {window, xUnit} = this.chart;
        if (!(window[1] > window[0])) {
            return [{value: window[0], label: census.units.rounded(window[0], xUnit, 4)}];
        }
        const most = Math.max(2, Math.min(12, Math.floor(this.frame.width / 72)));
        return census.units.ticks(window[0], window[1], most, xUnit);
    }

    // --- over the bands

    drawMarks() {
        const {profile, window, view} = this.chart;
        const {frame, surface, theme} = this;
        let free = -Infinity;
        for (const mark of view.marks ? profile.marks : []) {
            if (mark.time < window[0] || mark.time > window[1]) {
                continue;
            }
            const x = Math.round(this.x(mark.time)) + 0.5;
            const top = frame.top - (this.isSmall ? 4 : MARK_ROW + 10);
            surface.polyline([x, top, x, frame.bottom + this.lanesHeight], theme.rule, 1, [3, 3]);
            const text = mark.label && census.labels.elide(mark.label, 160, SMALL);
            if (text && !this.isSmall && x > free) {
                free = x + measure(text, SMALL) + 14;
                if (free < frame.right + 20) {
                    surface.text(text, x + 4, frame.top - MARK_ROW,
                        {colour: theme.ink, size: SMALL, halo: theme.background});
                }
            }
        }
    }

    // Draws what the run-time system of an event log did, below the bands and with the same times.
    drawLanes() {
        const {frame, surface, theme, chart} = this;
        const {all, begin, cell} = chart.profile.lanes;
        (this.lanesHeight ? all : []).forEach((lane, i) => {
            const base = frame.bottom + (i + 1) * (LANE + LANE_GAP);
            const outline = (shares) => this.outlineOfLane(lane, shares, begin, cell, base);
            surface.beginGroup(`${lane.name}: ${lane.note}`);
            let named = null;
            if (lane.threads) {
                named = this.drawProcessor(lane, base);
            } else {
                surface.area(outline(lane.values), base, lane.is_line ? theme.grid
                    : lane.parts ? theme.rule : theme.faint);
            }
            if (lane.parts && !lane.threads) {
                surface.area(outline(lane.parts), base, theme.ink);
            }
            if (lane.is_line) {
                surface.polyline(outline(lane.values), theme.outline, 1);
            }
            surface.polyline([frame.left, base + 0.5, frame.right, base + 0.5], theme.rule, 1);
            surface.endGroup();
            surface.text(lane.name, frame.left - 7, base - 5,
                {colour: theme.faint, size: SMALL, anchor: 'end'});
            // The note is about the whole profile.
            const hasRoom = measure(lane.note, SMALL) + 8 < this.width - frame.right;
            if (lane.keys) {
                this.drawKeys(lane, base, named);
            } else if (!chart.own.window && hasRoom) {
                surface.text(lane.note, frame.right + 8, base - 5,
                    {colour: theme.faint, size: SMALL});
            } else if (!chart.own.window) {
                surface.text(lane.note, frame.right - 3, base - 5,
                    {colour: theme.ink, size: SMALL, anchor: 'end', halo: theme.background});
            }
        });
    }

    // Draws the threads of a processor from below and collections from above: the light part is the
    // time in which any processor collected, the dark part that in which this one did.
    // Returns the threads whose names are on them.
    drawProcessor(lane, base) {
        const {surface, theme, frame} = this;
        const {begin, cell, threads, pauses, collection} = this.chart.profile.lanes;
        const outline = this.outlineOfLane(lane, lane.values, begin, cell, base);
        const longest = (px) => {
            const [from, to] = this.cellsAt(px, begin, cell, lane.threads.length);
            let thread = 0, lead = 0;
            for (let i = from; i < to; i++) {
                if (lane.threads[i]) {
                    lead += lane.threads[i] === thread ? lane.values[i] : -lane.values[i];
                    thread = lead < 0 ? lane.threads[i] : thread;
                    lead = Math.abs(lead);
                }
            }
            return thread;
        };
        const of = [], named = new Set();
        for (let px = frame.left; px < frame.right; px++) {
            of.push(longest(px));
        }
        for (let first = 0, end; first < of.length; first = end) {
            for (end = first + 1; end < of.length && of[end] === of[first]; end++);
            if (of[first]) {
                const points = outline.slice(4 * first, 4 * end), {name, colour} = threads[of[first] - 1];
                surface.area(points, base, colour);
                let sum = 0;
                for (let i = 1; i < points.length; i += 4) {
                    sum += base - points[i];
                }
                if (measure(name, SMALL) + 10 < end - first && sum > 0.6 * LANE * (end - first)) {
                    surface.text(name, frame.left + (first + end) / 2, base - 5,
                        {colour: inkOn(colour), size: SMALL, anchor: 'middle'});
                    named.add(of[first] - 1);
                }
            }
        }
        const hang = (shares, share) => {
            const points = this.outlineOfLane(lane, shares, begin, cell, base)
                .map((value, i) => i % 2 ? 2 * base - LANE - value : value);
            surface.area(points, base - LANE, mix(collection, theme.background, share));
        };
        if (pauses) {
            hang(pauses, 0.2);
        }
        hang(lane.parts, 0.6);
        return named;
    }

    // Names the longest threads of a processor, to the right of the plot or at its right end.
    drawKeys(lane, base, named) {
        const {surface, theme, frame} = this, {threads} = this.chart.profile.lanes;
        const widthOf = (key) => 20 + measure(threads[key].name, SMALL);
        const widthOfAll = (keys) => keys.reduce((sum, key) => sum + widthOf(key), 0);
        const isOutside = frame.right + 8 + widthOfAll(lane.keys) < this.width;
        const keys = isOutside ? lane.keys : lane.keys.filter((key) => !named.has(key));
        let x = isOutside ? frame.right + 8 : frame.right - widthOfAll(keys);
        for (const key of keys) {
            const {name, colour} = threads[key];
            surface.rectangle(x, base - 13, 8, 8, colour);
            surface.text(name, x + 12, base - 5, {colour: isOutside ? theme.faint : theme.ink,
                size: SMALL, halo: isOutside ? undefined : theme.background});
            x += widthOf(key);
        }
    }

    // Returns the range of cells in a pixel.
    cellsAt(px, begin, cell, n) {
        const from = Math.max(0, Math.floor((this.valueAtX(px) - begin) / cell));
        return [from, Math.min(n, Math.max(from + 1, Math.floor((this.valueAtX(px + 1) - begin) / cell)))];
    }

    // Returns steps of one pixel: the mean share of the cells in it.
    outlineOfLane(lane, shares, begin, cell, base) {
        const {left, right} = this.frame, points = [];
        for (let px = left; px < right; px++) {
            const [from, to] = this.cellsAt(px, begin, cell, shares.length);
            let sum = 0;
            for (let i = from; i < to; i++) {
                sum += shares[i];
            }
            const height = to > from ? sum / (to - from) * LANE : 0;
            const least = height > 0 && !lane.is_line ? LEAST_IN_LANE : 0;
            const y = base - Math.max(height, least);
            points.push(px, y, Math.min(px + 1, right), y);
        }
        return points;
    }

    drawLines() {
        const {lines, window} = this.chart;
        const {frame, surface, theme} = this;
        const dashes = [[5, 4], [2, 3], [9, 3, 2, 3]];
        surface.beginClip(frame.left, frame.top - 2, frame.width, frame.height + 3);
        const ends = lines.map((line, i) => {
            const points = [];
            line.times.forEach((time, k) => this.join(points, time, line.values[k]));
            surface.polyline(points, theme.background, 3.5);
            surface.polyline(points, theme.ink, 1.4, dashes[i % dashes.length]);
            return this.topOfLine(line) || this.endOfLine(line, window);
        });
        surface.endClip();
        if (!this.isSmall) {
            this.nameLines(ends);
        }
    }

    // Places an arrow and the name, with the maximum, of a line that rises above the plot; else returns null.
    topOfLine(line) {
        const {chart, frame, surface, theme} = this, most = chart.largestOf(line);
        if (!(most > chart.yMax)) {
            return null;
        }
        const x = Math.min(Math.max(this.x(line.times[line.values.indexOf(most)]), frame.left + 5), frame.right - 5);
        surface.polyline([x - 4, frame.top + 6, x, frame.top, x + 4, frame.top + 6], theme.ink, 2);
        const text = `${line.shown}, at most ${census.units.amount(most, chart.profile.valueUnit, chart.view.si)}`;
        const width = measure(text, SMALL) + 12, isRight = x + width < frame.right;
        return {text, x: isRight ? x + width : x - 6, y: frame.top + SMALL};
    }

    // Places the name of a line: above its last point in the window, or below it at the top.
    endOfLine(line, window) {
        let at = -1;
        line.times.forEach((time, i) => { at = time <= window[1] ? i : at; });
        if (at < 0 || line.times[at] < window[0]) {
            return null;
        }
        const y = this.y(line.values[at]), isAtTop = y - LINE_GAP - SMALL < this.frame.top;
        return {text: line.shown, x: this.x(line.times[at]),
            y: isAtTop ? y + UNDER_LINE : y - LINE_GAP};
    }

    nameLines(ends) {
        const rows = census.labels.spread(ends.filter(Boolean), this.frame.top + 8,
            this.frame.bottom);
        for (const {text, x, y} of rows) {
            this.surface.text(text, Math.min(x, this.frame.right) - 4, y,
                {colour: this.theme.ink, size: SMALL, anchor: 'end', halo: this.theme.background});
        }
    }

    drawPeak() {
        const {peak, profile, view} = this.chart;
        if (!peak || peak.y === 0) {
            return;
        }
        const single = !(this.chart.window[1] > this.chart.window[0]);
        const x = this.x(peak.x), y = this.y(peak.y);
        const text = profile.isChange
            ? `total (line): largest change ${census.units.change(peak.y, profile.valueUnit, view.si)} at ${this.chart.peakTime()}`
            : `peak ${census.units.amount(peak.y, profile.valueUnit, view.si)}${census.units.margin(peak.y, profile, view.si, profile.spread)} at ${this.chart.peakTime()}`;
        const half = measure(text, SMALL) / 2, base = (profile.isChange ? this.frame.top : y) - 10;
        const at = Math.min(Math.max(x, this.leastLeft(base) + half), this.width - half - 2);
        if (!single) {
            this.surface.circle(x, y, 3, this.theme.outline, this.theme.background);
        }
        this.surface.text(text, at, base,
            {colour: this.theme.ink, size: SMALL, anchor: 'middle', halo: this.theme.background});
    }

    // --- names

    // Sorts bands by the places of their names.
    placeNames() {
        const {bands, mode} = this.chart;
        const ground = this.curve(new Float64Array(this.chart.high - this.chart.low + 1));
        const inside = [], right = [], end = this.rightEnd();
        bands.filter((band) => !band.isNamedElsewhere).forEach((band) => {
            const inner = mode !== 'lines' && band.innerCurve || ground;
            const [upper, lower] = band.sign > 0 || mode === 'lines' ? [band.curve, inner] : [inner, band.curve];
            const place = mode === 'lines' ? null : census.labels.placeInside(this.frame, band, upper, lower);
            if (place) {
                inside.push({...place, band});
            } else if (mode === 'lines' || isVisible(upper, lower)) {
                const y = upper[end + 1], height = lower[end + 1] - y;
                const anchor = mode === 'lines' ? y : y + height / 2;
                right.push({band, x: band.curve[end], anchor, y: anchor + 4, isThere: height >= 0.5});
            }
        });
        return {inside, right};
    }

    // Returns the point of all curves at which names at the right are anchored: the last one in the
    // frame, or the one before an empty last sample, which GHC always writes, if that is near.
    rightEnd() {
        const {bands} = this.chart, {right} = this.frame, ground = this.y(0);
        const [{curve}] = bands.length ? bands : [{curve: [0, 0]}];
        let last = curve.length - 2;
        while (last > 0 && curve[last] > right + 0.5) {
            last -= 2;
        }
        const isEmpty = (at) => bands.every((band) => Math.abs(ground - band.curve[at + 1]) < 0.5);
        return last > 0 && isEmpty(last) && !isEmpty(last - 2) && right - curve[last - 2] <= NEAR_END_PX
            ? last - 2 : last;
    }

    drawNamesInside(places) {
        for (const {text, x, y, band} of places) {
            this.surface.text(text, x, y, {colour: inkOn(this.colourOf(band)), size: census.labels.SIZE,
                anchor: 'middle'});
        }
    }

    // Draws as many names as have room, the largest ones, in the order of the stack.
    drawNamesRight(places, gutter) {
        const {frame, surface, theme, chart} = this;
        const most = Math.floor((frame.height + 20) / census.labels.ROW_PX);
        const kept = [...places].sort((a, b) => b.band.area - a.band.area).slice(0, most)
            .sort((a, b) => chart.bands.indexOf(b.band) - chart.bands.indexOf(a.band));
        const texts = census.labels.elideAll(kept.map(({band}) => band.shown), gutter - 44, census.labels.SIZE);
        kept.forEach((place, i) => {
            place.text = texts[i];
        });
        for (const {band, text, x, anchor, isThere, y} of census.labels.spread(kept, frame.top, frame.bottom + 4)) {
            const left = frame.right + 20;
            if (isThere && Math.abs(anchor - y + 4) <= MOST_LEADER_PX) {
                surface.polyline([x + 2, anchor, left - 4, y - 4], theme.rule, 0.75);
            }
            if (chart.mode === 'lines') {
                this.drawStroke([left - 2, y - 4, left + 11, y - 4], band);
            } else {
                surface.rectangle(left, y - 9, 9, 9, this.colourOf(band));
            }
            surface.text(text || '…', left + 14, y, {colour: theme.ink, size: census.labels.SIZE});
        }
    }
}

function isVisible(upper, lower) {
    return upper.some((y, i) => i % 2 === 1 && lower[i] - y >= 1);
}

// Returns the width for names right of the bands.
function gutterFor(places, width) {
    const widest = Math.max(...places.map(({band}) => measure(band.shown, census.labels.SIZE)));
    return Math.min(Math.ceil(widest) + 46, Math.floor(width * GUTTER_SHARE));
}

// Prepares all curves and the places of names; a second time if those need room at the right.
function prepare(surface, chart, width, height, options) {
    const drawing = new Drawing(surface, chart, width, height, options);
    drawing.traceBands();
    drawing.names = options.isSmall ? {inside: [], right: []} : drawing.placeNames();
    const isNarrow = width < LEAST_WIDTH_FOR_GUTTER;
    if (options.gutter || isNarrow || !drawing.names.right.length) {
        return drawing;
    }
    const gutter = gutterFor(drawing.names.right, width);
    return prepare(surface, chart, width, height, {...options, gutter});
}

// Draws a chart of that size in px at the origin of the surface. Returns the drawing, which has all
// places. `options`: {theme, isSmall}.
function draw(surface, chart, width, height, options) {
    const drawing = prepare(surface, chart, width, height, options);
    drawing.drawGround();
    drawing.drawBands();
    drawing.drawNamesInside(drawing.names.inside);
    drawing.drawXAxis();
    drawing.drawLanes();
    drawing.drawMarks();
    drawing.drawLines();
    drawing.drawPeak();
    if (drawing.gutter) {
        drawing.drawNamesRight(drawing.names.right, drawing.gutter);
    }
    return drawing;
}

census.draw = draw;
})(globalThis.census = globalThis.census || {});
