// SPDX-License-Identifier: BSD-2-Clause
//
// Order of bands. The default has the least movement: the best of some orders, improved by moving
// single bands while that helps (Di Bartolomeo & Hu 2016).
(function (census) {
'use strict';

const MOST_SEARCHED = 24;   // bands; more are only ordered by a figure
const SEARCH_POINTS = 120;  // samples that the search looks at

function sum(values) {
    return values.reduce((total, value) => total + value, 0);
}

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

function firstSeen(values) {
    const at = values.findIndex((value) => value > 0);
    return at < 0 ? values.length : at;
}

// Returns the sort key of a band; the smallest is at the bottom.
const KEYS = {
    area: (band) => -band.area,
    sum: (band) => -sum(band.values),
    stddev: (band) => deviation(band.values),
    first: (band) => firstSeen(band.values),
    growth: (band) => band.stretch.fit(band.full, {from: 0, to: band.full.length}).growth || 0,
    variation: (band) => variation(sampled(band.values)),
    restlessness: (band) => variation(sampled(band.values)) / (sum(sampled(band.values)) || 1),
};

function byName(a, b) {
    return a.name < b.name ? 1 : a.name > b.name ? -1 : 0;
}

function orderBy(bands, key) {
    const figures = new Map(bands.map((band) => [band, KEYS[key](band)]));
    return [...bands].sort((a, b) => figures.get(a) - figures.get(b) || byName(a, b));
}

// Returns how much the bands move up and down, weighted by their thickness.
function wiggle(rows, order) {
    const n = rows.length ? rows[0].length : 0;
    let total = 0;
    for (let j = 1; j < n; j++) {
        let below = 0;
        for (const row of order) {
            const step = rows[row][j] - rows[row][j - 1];
            total += Math.abs(below + step / 2) * (rows[row][j] + rows[row][j - 1]);
            below += step;
        }
    }
    return total;
}

function moved(order, from, to) {
    const out = order.slice();
    out.splice(to, 0, out.splice(from, 1)[0]);
    return out;
}

function improve(rows, order) {
    let best = wiggle(rows, order);
    for (let isBetter = true, rounds = 0; isBetter && rounds < 4; rounds++) {
        isBetter = false;
        for (let from = 0; from < order.length; from++) {
            for (let to = 0; to < order.length; to++) {
                const other = moved(order, from, to), cost = wiggle(rows, other);
                if (cost < best * (1 - 1e-9)) {
                    [order, best, isBetter] = [other, cost, true];
                }
            }
        }
    }
    return order;
}

function sampled(values) {
    const n = Math.min(values.length, SEARCH_POINTS);
    return Float64Array.from({length: n},
        (_, i) => values[Math.round(i * (values.length - 1) / Math.max(1, n - 1))]);
}

function calmest(bands) {
    const rows = bands.map((band) => sampled(band.values));
    let best = null, least = Infinity;
    for (const key of ['area', 'variation', 'restlessness']) {
        const order = orderBy(bands, key).map((band) => bands.indexOf(band));
        const cost = wiggle(rows, order);
        if (cost < least) {
            [best, least] = [order, cost];
        }
    }
    if (bands.length > 1 && bands.length <= MOST_SEARCHED) {
        best = improve(rows, best);
    }
    return (best || []).map((i) => bands[i]);
}

// Orders names as listed, the first on top; '*' is the place of all others.
function byList(names, others) {
    const bare = (name) => name.replace(/^\(\d+\)(?=.)/, '');
    const place = new Map(names.map((name, i) => [bare(name), i]));
    const star = place.has('*') ? place.get('*') : names.length;
    const at = (band) => place.has(bare(band.name)) ? place.get(bare(band.name)) : star;
    return [...others].sort((a, b) => at(b) - at(a));
}

// Keeps the previous order; new bands are on top.
function keep(bands, before) {
    const place = new Map(before.map((name, i) => [name, i]));
    const old = bands.filter((band) => place.has(band.name));
    old.sort((a, b) => place.get(a.name) - place.get(b.name));
    return [...old, ...bands.filter((band) => !place.has(band.name))];
}

// Bottom first.
function arrange(bands, view) {
    let order = view.order === 'name' ? [...bands].sort(byName)
        : view.order === 'wiggle' ? calmest(bands) : orderBy(bands, view.order);
    order = view.order_names.length ? byList(view.order_names, order) : order;
    return view.reverse ? order.reverse() : order;
}

census.order = {arrange, keep};
})(globalThis.census = globalThis.census || {});
