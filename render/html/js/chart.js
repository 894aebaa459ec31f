// SPDX-License-Identifier: BSD-2-Clause
//
// A chart as data: bands with order and colours, samples and scales, from a profile and the settings
// of the reader.
(function (census) {
'use strict';

const {lowerBound} = census.columns;
const STICKY = 1.25;        // how much larger a name must be to take the place of one that is shown
const OTHER = 'OTHER';
const MOST_BANDS = 200;     // at a time; OTHER opens to the next ones
const MOST_READABLE = 40;
const HIGH_SHARE = 0.05;    // of the peak: names that have it in any sample have a band
const MOST_RISE = 4 / 3;    // of the y axis over the peak, for lines
const LEAST_CHANGE = 0.1;   // of the peak: lines whose distance from the bands changes less tell nothing

// Returns the first and the last sample within the window; without any, the two around it.
function samplesWithin(xs, window) {
    let from = 0, to = xs.length - 1;
    if (window) {
        from = lowerBound(xs, window[0]);
        to = lowerBound(xs, window[1]);
        to -= to === xs.length || xs[to] > window[1] ? 1 : 0;
        if (to < from) {
            from = Math.max(0, from - 1);
            to = Math.min(xs.length - 1, from + 1);
        }
    }
    return [from, to];
}

// Subtracts `values`, and returns the rest: 0 for differences that are only rounding errors.
function subtract(from, values, isChange) {
    for (let i = 0; i < from.length; i++) {
        const left = from[i] - values[i];
        const isLeft = isChange ? Math.abs(left) > 1e-9 * Math.abs(values[i]) : left > 1e-12 * values[i];
        from[i] = isLeft ? left : 0;
    }
}

class Chart {
    // `view`: see view.js; `own`: settings of this profile.
    constructor(profile, view, own, ranking) {
        Object.assign(this, {profile, view, own, ranking});
        this.xs = profile.times;
        this.window = own.window || [this.xs[0], this.xs[profile.n - 1]];
        [this.from, this.to] = samplesWithin(this.xs, own.window);
        // Curves reach to the next sample on either side, and are clipped at the edges.
        this.low = Math.max(0, this.from - (own.window ? 1 : 0));
        this.high = Math.min(profile.n - 1, this.to + (own.window ? 1 : 0));
        this.stretch = new census.stats.Stretch(profile, this.from, this.to);
        this.mode = profile.isChange && view.mode === 'share' ? 'stacked' : view.mode;
        this.select();
        this.bands = this.arrange();
        this.scale();
    }

    // --- which names

    select() {
        const {profile, view, own} = this;
        const names = profile.names;
        const accepts = view.only && view.matcher ? (k) => census.matches(view.matcher, names[k]) : null;
        const shownBefore = new Set(own.order || []);
        const favour = own.isSticky ? (k) => shownBefore.has(names[k].name) ? STICKY : 1 : null;
        const wanted = own.skip + (view.bands > 0 ? Math.min(view.bands, MOST_BANDS) : MOST_BANDS);
        this.total = accepts ? this.sumOf(accepts) : profile.total;
        let ranked = this.ranking.top(this.from, this.to, wanted + 1, accepts, favour);
        const hasRest = !accepts && profile.rest !== null;
        // A single remaining name is shown by name.
        if (ranked.length > wanted && (hasRest || this.hasMoreThan(ranked, accepts))) {
            ranked = ranked.slice(0, wanted);
        }
        this.skipped = ranked.slice(0, own.skip);
        this.ranked = this.withoutTraces(ranked.slice(own.skip));
        this.nBySize = this.ranked.length;
        if (own.skip === 0 && view.said.has_high_bands && view.bands === view.said.bands && !profile.isChange) {
            this.addHigh(accepts);
        }
    }

    // Adds names that are high in some sample, although their area is small.
    addHigh(accepts) {
        const known = new Set(this.ranked.map(({k}) => k));
        const room = MOST_READABLE - this.ranked.length;
        const high = this.ranking.high(this.from, this.to, HIGH_SHARE * this.highestTotal(), accepts)
            .filter(({k}) => !known.has(k)).sort((a, b) => b.area - a.area);
        this.ranked.push(...high.slice(0, Math.max(0, room)));
    }

    highestTotal() {
        return this.total.subarray(this.from, this.to + 1).reduce((most, amount) => Math.max(most, amount), 0);
    }

    // Returns whether there are more names than those found.
    hasMoreThan(ranked, accepts) {
        const left = this.total.slice();
        ranked.forEach(({k}) => this.subtract(left, this.valuesOf(k)));
        return (accepts !== null || this.profile.names.length > ranked.length) &&
            left.subarray(this.from, this.to + 1).some((amount) => amount !== 0);
    }

    // Merges the smallest names, together less than the trace percentage, into OTHER. Changes add up to nothing that
    // they could be compared with.
    withoutTraces(ranked) {
        const {view, own, profile} = this;
        if (profile.isChange) {
            return ranked;
        }
        const all = census.stats.area(this.total, this.from, this.stretch.weight);
        let left = all - [...this.skipped, ...ranked].reduce((sum, {area}) => sum + area, 0);
        let n = ranked.length;
        while (own.skip === 0 && n > 1 && left + ranked[n - 1].area < view.trace / 100 * all) {
            left += ranked[--n].area;
        }
        // A single name is not merged.
        return n + 1 === ranked.length && !(left > ranked[n].area) ? ranked : ranked.slice(0, n);
    }

    subtract(from, values) {
        subtract(from, values, this.profile.isChange);
    }

    sumOf(accepts) {
        const sum = new Float64Array(this.profile.n), scratch = new Float64Array(this.profile.n);
        this.profile.names.forEach((name, k) => {
            if (accepts(k)) {
                const {from, to} = name.column.read(scratch);
                for (let i = from; i < to; i++) {
                    sum[i] += scratch[i];
                }
            }
        });
        return sum;
    }

    valuesOf(k) {
        return this.profile.names[k].column.values(this.profile.n);
    }

    // --- bands

    band(fields, full) {
        return {isOther: false, sign: 1, whole: fields.shown, ...fields, full, values: full.slice(this.low, this.high + 1),
            colour: fields.colours[this.view.isDark ? 1 : 0], stretch: this.stretch};
    }

    namedBand({k, area}) {
        const {name, whole, shown, more, colours, spread} = this.profile.names[k];
        return this.band({k, name, whole, shown, more, colours, spread, area}, this.valuesOf(k).slice());
    }

    // Returns the sum of all names without a band.
    otherBand(bands) {
        const left = this.total.slice();
        this.skipped.forEach(({k}) => this.subtract(left, this.valuesOf(k)));
        bands.forEach((band) => this.subtract(left, band.full));
        const area = census.stats.area(left, this.from, this.stretch.weight);
        const nNames = this.countNames() - bands.length - this.skipped.length;
        return area > 0 && nNames > 0
            ? this.band({isOther: true, name: OTHER, shown: `OTHER (${nNames} name${nNames === 1 ? '' : 's'})`, nNames,
                colours: this.view.otherColours, area}, left)
            : null;
    }

    countNames() {
        const {profile, view} = this;
        if (view.only && view.matcher) {
            return profile.names.filter((name) => census.matches(view.matcher, name)).length;
        }
        return profile.names.length + (profile.rest ? Math.max(1, profile.rest.n) : 0);
    }

    arrange() {
        const {view, own} = this;
        const bands = this.ranked.map((entry) => this.namedBand(entry));
        const other = this.otherBand(bands);
        const all = other && this.mode !== 'lines' ? [...bands, other] : bands;
        if (this.profile.isChange) {
            return this.arrangeChanges(all);
        }
        const before = this.knownOrder(bands);
        const order = before ? census.order.keep(all, before)
            : [...census.order.arrange(bands, view), ...all.slice(bands.length)];
        own.order = before && !own.isSticky ? before
            : order.filter((band) => !band.isOther).map((band) => band.name);
        return own.isolated === null ? order : this.isolate(order, own.isolated);
    }

    // Returns halves of bands, those below 0 and those above, the largest next to 0 and OTHER outermost: so the calm
    // ones carry the others. The smaller half of a band is named by the other.
    arrangeChanges(all) {
        const bands = this.own.isolated === null ? all : this.isolate(all, this.own.isolated);
        if (this.mode === 'lines') {
            return bands;
        }
        const halves = (sign) => bands.map((band) =>
            ({...band, sign, values: band.values.map((value) => Math.max(sign * value, 0))}));
        const [above, below] = [halves(1), halves(-1)];
        above.forEach((band, i) => {
            const [size, other] = [band, below[i]].map(({values}) => this.sizeOf(values));
            band.isNamedElsewhere = size < other;
            below[i].isNamedElsewhere = !band.isNamedElsewhere;
        });
        const isThere = ({values}) => values.some((value) => value > 0);
        return [...below.filter(isThere).reverse(), ...above.filter(isThere)];
    }

    sizeOf(values) {
        return census.stats.area(values, this.from - this.low, this.stretch.weight);
    }

    // Returns the order that the names have already, in this view or in the picture of the whole
    // profile, or null.
    knownOrder(bands) {
        const {own, profile, view} = this;
        const isOfBands = (order) => bands.every((band) => order.includes(band.name)) &&
            order.filter((name) => name !== null).length === bands.length;
        if (own.order !== null && (own.isSticky || isOfBands(own.order))) {
            return own.order;
        }
        return profile.order !== null && view.hasGivenOrder && isOfBands(profile.order)
            ? profile.order : null;
    }

    // Returns one band alone, even if it is not among the largest.
    isolate(order, name) {
        const band = order.find((other) => other.name === name);
        if (band) {
            return [band];
        }
        const k = this.profile.names.findIndex((other) => other.name === name);
        if (k < 0) {
            this.own.isolated = null;
            return order;
        }
        const area = census.stats.area(this.valuesOf(k), this.from, this.stretch.weight);
        return [this.namedBand({k, area})];
    }

    // --- scales

    scale() {
        const {profile, mode, view} = this;
        if (mode === 'share') {
            this.bands.forEach((band) => { band.values = this.shares(band.values); });
        }
        this.stack();
        this.lines = mode === 'share' || this.own.isolated !== null ? [] : this.chooseLines();
        this.peak = this.findPeak();
        const [least, largest] = this.extent();
        const rise = largest > 0 ? MOST_RISE * largest : Infinity;
        const most = Math.max(largest, ...this.lines.map((line) => Math.min(this.largestOf(line), rise)));
        this.yMin = least;
        this.yMax = mode === 'share' ? 100 : most > least ? most : 1;
        if (this.own.yMax && mode !== 'share' && !profile.isChange) {
            this.yMax = this.own.yMax(this.yMax);
        }
        this.yUnit = mode === 'share' ? census.units.PERCENT
            : census.units.ofValues(profile.valueUnit, Math.max(-this.yMin, this.yMax), view.si);
        this.xUnit = census.units.ofTimes(profile.sampleUnit,
            Math.max(this.window[1] - this.window[0], 0));
    }

    // Scales to percents of the total; where that is 0, of the neighbouring sample's.
    shares(values) {
        const out = new Float64Array(values.length), last = values.length - 1;
        for (let i = 0; i <= last; i++) {
            let at = i;
            if (!(this.total[this.low + i] > 0)) {
                at = i === 0 ? Math.min(1, last) : i === last ? Math.max(0, last - 1) : i;
            }
            const total = this.total[this.low + at];
            out[i] = total > 0 ? 100 * values[at] / total : 0;
        }
        return out;
    }

    // Returns the bands from 0 outward: those above 0 upward, then those below downward.
    outward() {
        return [...this.bands.filter(({sign}) => sign > 0), ...this.bands.filter(({sign}) => sign < 0).reverse()];
    }

    // Sets `upper`: the sum of each band and all between it and 0, and `inner`: without it; of lines, the band's own
    // values, and null.
    stack() {
        const none = new Float64Array(this.high - this.low + 1), within = {1: none, [-1]: none};
        for (const band of this.outward()) {
            const {sign, values} = band, isLine = this.mode === 'lines';
            band.inner = isLine ? null : within[sign];
            band.upper = isLine ? values : band.inner.map((amount, i) => amount + sign * values[i]);
            within[sign] = band.upper;
        }
    }

    // Returns the least and the largest amount that is drawn in the window, including its edges.
    extent() {
        let least = 0, most = 0;
        const outermost = [this.bands[0], this.bands[this.bands.length - 1]].filter(Boolean);
        for (const {upper} of this.mode === 'lines' ? this.bands : outermost) {
            const ends = this.window.map((x) => this.at(upper, x));
            least = Math.min(least, ...ends);
            most = Math.max(most, ...ends);
            for (let i = this.from - this.low; i <= this.to - this.low; i++) {
                least = Math.min(least, upper[i]);
                most = Math.max(most, upper[i]);
            }
        }
        return [least, most];
    }

    // Interpolates drawn values at x.
    at(values, x) {
        const at = lowerBound(this.xs, x);
        const right = Math.min(this.high, Math.max(this.low, at));
        const left = Math.min(this.high, Math.max(this.low, at - 1));
        const span = this.xs[right] - this.xs[left];
        const share = span > 0 ? Math.min(1, Math.max(0, (x - this.xs[left]) / span)) : 1;
        return values[left - this.low] * (1 - share) + values[right - this.low] * share;
    }

    // Returns the line over a stack: its upper edge, or the sum of changes above and below 0; else null.
    sumLine() {
        const {bands, own, profile} = this;
        return this.mode !== 'stacked' || !bands.length ? null
            : profile.isChange ? (own.isolated === null ? this.total : bands[0].full).subarray(this.low, this.high + 1)
            : bands[bands.length - 1].upper;
    }

    // Only a stack of all names has a peak note.
    findPeak() {
        const sums = this.sumLine();
        if (!sums) {
            return null;
        }
        let at = this.from;
        for (let i = this.from; i <= this.to; i++) {
            at = Math.abs(sums[i - this.low]) > Math.abs(sums[at - this.low]) ? i : at;
        }
        return {x: this.xs[at], y: sums[at - this.low]};
    }

    // --- quantity lines

    chooseLines() {
        const {view, profile} = this;
        if (view.lines === 'all' || view.lines === 'none') {
            return view.lines === 'all' ? profile.lines : [];
        }
        if (Array.isArray(view.lines)) {
            return profile.lines.filter((line) => view.lines.includes(line.name));
        }
        // Chooses the lines that rise above the bands, are not above the plot most of the time, and whose distance
        // from the bands changes.
        const peak = profile.total.reduce((most, amount) => Math.max(most, amount), 0);
        return profile.lines.filter((line) => {
            let most = 0, near = Infinity, far = -Infinity;
            const nSeen = line.values.reduce((n, value) => n + (value <= MOST_RISE * peak), 0);
            line.times.forEach((time, i) => {
                const at = lowerBound(this.xs, time);
                if (this.xs[at] === time) {
                    near = Math.min(near, line.values[i] - profile.total[at]);
                    far = Math.max(far, line.values[i] - profile.total[at]);
                }
                most = Math.max(most, line.values[i]);
            });
            return line.name !== 'profiler' && most > peak && nSeen >= line.values.length / 4 && far - near >= LEAST_CHANGE * peak;
        });
    }

    largestOf(line) {
        return line.values.reduce((most, value, i) =>
            line.times[i] >= this.window[0] && line.times[i] <= this.window[1]
                ? Math.max(most, value) : most, 0);
    }

    // --- pointing

    // Returns the sample in the window that is nearest to x, or whose step x is on.
    nearest(x) {
        const right = Math.min(this.to, Math.max(this.from, lowerBound(this.xs, x)));
        const left = Math.max(this.from, right - 1);
        if (this.view.steps) {
            return x < this.xs[right] ? left : right;
        }
        return x - this.xs[left] < this.xs[right] - x ? left : right;
    }

    // Formats the time of the peak as in the pictures of `census plot`.
    peakTime() {
        return census.units.time(this.peak.x, this.profile.sampleUnit);
    }

    timeText(time) {
        return census.units.timeWithin(time, this.profile.sampleUnit, this.xUnit, this.window[1] - this.window[0]);
    }

    // Returns the band at amount y of sample `at`, null above all; of lines, the nearest one.
    bandAt(at, y) {
        const i = at - this.low;
        if (this.mode === 'lines') {
            return this.bands.reduce((best, band) => !best ||
                Math.abs(band.values[i] - y) < Math.abs(best.values[i] - y) ? band : best, null);
        }
        return this.outward().find(({sign, upper, values}) => (sign > 0) === (y >= 0) && values[i] > 0 &&
            Math.abs(y) <= Math.abs(upper[i])) || null;
    }
}

census.Chart = Chart;
census.chartTools = {OTHER, MOST_BANDS};
})(globalThis.census = globalThis.census || {});
