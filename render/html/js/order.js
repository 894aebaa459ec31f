// SPDX-License-Identifier: BSD-2-Clause
//
// Order of bands, the same as in the pictures of `census plot` (render/chart/order.c, wiggle.c).
(function (census) {
'use strict';

const MOST_INTERVALS = 512; // that the search looks at
const LEAST_ROUNDS = 4;     // with 400 bands;
const MOST_ROUNDS = 64;     // more for fewer bands, in the same time

function sum(values) {
    return values.reduce((total, value) => total + value, 0);
}

// Returns the sum of all increases and decreases.
function variation(values) {
    let total = 0;
    for (let i = 1; i < values.length; i++) {
        total += Math.abs(values[i] - values[i - 1]);
    }
    return total;
}

function deviation(values) {
    const mean = sum(values) / values.length;
    return values.reduce((total, value) => total + (value - mean) ** 2, 0);
}

// Returns the sort key of a band; the smallest is at the bottom.
const KEYS = {
    sum: (band) => -sum(band.values),
    stddev: (band) => deviation(band.values),
    name: () => 0,
    growth: (band) => band.stretch.fit(band.full, {from: 0, to: band.full.length}).growth || 0,
};

// Returns the sort keys of the orders from which the search for least wiggle starts.
const SEEDS = [
    (band) => sum(band.values),
    (band) => -band.area,
    (band) => variation(band.values),
    (band) => variation(band.values) / Math.max(band.area, 1e-300),
    KEYS.name,
];

// Compares texts like their bytes in UTF-8.
function compareTexts(a, b) {
    let i = 0;
    while (i < a.length && a.codePointAt(i) === b.codePointAt(i)) {
        i++;
    }
    return (i < a.length ? a.codePointAt(i) : -1) - (i < b.length ? b.codePointAt(i) : -1);
}

// Sorts by a key; equal ones by name, the first name on top.
function orderBy(bands, key) {
    const figures = new Map(bands.map((band) => [band, key(band)]));
    return [...bands].sort((a, b) =>
        figures.get(a) - figures.get(b) || compareTexts(b.name, a.name));
}

// Returns how much the bands move up and down, weighted by their thickness.
function wiggle(bands) {
    const n = bands.length ? bands[0].values.length : 0;
    let total = 0;
    const below = new Float64Array(n);  // movement of the lower edge
    for (const {values} of bands) {
        for (let t = 1; t < n; t++) {
            const step = values[t] - values[t - 1];
            total += (values[t - 1] + values[t]) / 2 * Math.abs(below[t] + step / 2);
            below[t] += step;
        }
    }
    return total;
}

// Returns the samples before the intervals with the most movement, weighted by thickness.
function busyIntervals(bands) {
    const n = bands[0].values.length - 1;
    const moved = new Float64Array(n), thickness = new Float64Array(n);
    for (const {values} of bands) {
        for (let t = 0; t < n; t++) {
            moved[t] += Math.abs(values[t + 1] - values[t]);
            thickness[t] += values[t] + values[t + 1];
        }
    }
    const amounts = Array.from(moved, (amount, t) => ({t, amount: amount * thickness[t]}));
    amounts.sort((a, b) => b.amount - a.amount || a.t - b.t);
    return amounts.slice(0, MOST_INTERVALS).map(({t}) => t);
}

function add(sums, steps, sign) {
    for (let i = 0; i < sums.length; i++) {
        sums[i] += sign * steps[i];
    }
}

// Returns how much the wiggle grows when two adjacent rows change places, `below` being the change of
// all rows below both.
function costOfExchange(below, {steps: ls, weights: lw}, {steps: us, weights: uw}) {
    let cost = 0;
    for (let i = 0; i < below.length; i++) {
        const low = below[i] + ls[i] / 2, high = below[i] + us[i] / 2;
        cost += lw[i] * (Math.abs(low + us[i]) - Math.abs(low)) +
            uw[i] * (Math.abs(high) - Math.abs(high + ls[i]));
    }
    return cost;
}

// Moves the row at `place` to its best place, and `base`, the change of all rows below that place, to
// the next place. Returns whether the row moved.
function reinsert(rows, place, base, leastGain) {
    const row = rows[place];
    let best = place, bestCost = -leastGain, cost = 0, below = base.slice();
    for (let i = place + 1; i < rows.length; i++) {
        cost += costOfExchange(below, row, rows[i]);
        add(below, rows[i].steps, 1);
        [best, bestCost] = cost < bestCost ? [i, cost] : [best, bestCost];
    }
    cost = 0;
    below = base.slice();
    for (let i = place - 1; i >= 0; i--) {
        add(below, rows[i].steps, -1);
        cost += costOfExchange(below, rows[i], row);
        [best, bestCost] = cost < bestCost ? [i, cost] : [best, bestCost];
    }
    rows.splice(best, 0, rows.splice(place, 1)[0]);
    add(base, best > place ? rows[place].steps : row.steps, 1);
    return best !== place;
}

// Returns a better order: moves single bands to their best places while that helps.
function search(bands) {
    const largest = Math.max(...bands.map(({values}) => values.reduce((a, b) => Math.max(a, b), 0)));
    const intervals = busyIntervals(bands);
    const rows = bands.map((band) => ({
        band,
        steps: Float64Array.from(intervals, (t) => (band.values[t + 1] - band.values[t]) / largest),
        weights: Float64Array.from(intervals,
            (t) => (band.values[t] + band.values[t + 1]) / largest / 2),
    }));
    const leastGain = 1e-5 * intervals.length / rows.length;
    const mostRounds = Math.min(MOST_ROUNDS, Math.floor(LEAST_ROUNDS * (400 / rows.length) ** 2));
    for (let hasMoved = largest > 0, round = 0; hasMoved && round < mostRounds; round++) {
        const base = new Float64Array(intervals.length);
        hasMoved = false;
        for (let place = 0; place < rows.length; place++) {
            hasMoved = reinsert(rows, place, base, leastGain) || hasMoved;
        }
    }
    return rows.map(({band}) => band);
}

// Returns the order with the least movement: the best of some orders, and of a search that starts from
// it (Di Bartolomeo & Hu 2016; Mathiesen & Schulz 2021).
function leastWiggle(bands) {
    let best = bands, least = Infinity;
    const take = (order) => {
        const cost = wiggle(order);
        [best, least] = cost < least ? [order, cost] : [best, least];
    };
    SEEDS.forEach((key) => take(orderBy(bands, key)));
    if (bands.length > 1 && bands[0].values.length > 1) {
        take(search(best));
    }
    return best;
}

// Keeps the previous order, a list of names with null for OTHER; new bands are on top.
function keep(bands, before) {
    const place = new Map(before.map((name, i) => [name, i]));
    const at = ({isOther, name}) => place.get(isOther ? null : name) ?? Infinity;
    const isNew = (band) => at(band) === Infinity;
    return [...bands.filter((band) => !isNew(band)).sort((a, b) => at(a) - at(b)),
        ...bands.filter(isNew)];
}

// Bottom first.
function arrange(bands, view) {
    const order = view.order === 'wiggle' ? leastWiggle(bands) : orderBy(bands, KEYS[view.order]);
    return view.reverse ? order.reverse() : order;
}

census.order = {arrange, keep, NAMES: ['wiggle', ...Object.keys(KEYS)]};
})(globalThis.census = globalThis.census || {});
