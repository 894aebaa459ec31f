// SPDX-License-Identifier: BSD-2-Clause
//
// The difference of two profiles with stacks, newer minus older, as a profile of its own: amounts of names that
// shrank are below 0. It has the times of both profiles in the range that both cover, those of the older one on the
// clock of the newer one (hpfile/diff.h), and amounts between samples are on a straight line, as in the pictures of
// `census diff` (render/chart/diff_series.c).
(function (census) {
'use strict';

const {Column, lowerBound} = census.columns;
const MOST_TIMES = 10240, CELLS = 4096;
const NOISE = 1e-9;         // of the largest total: what rounding makes of equal amounts

// Maps times by straight lines between knots, [[from, to], ...]; without two knots they stay.
function mapped(times, knots) {
    let next = 1;
    return knots.length < 2 ? times : times.map((time) => {
        while (next + 1 < knots.length && knots[next][0] < time) {
            next++;
        }
        const [from, to] = knots[next - 1], [fromEnd, toEnd] = knots[next];
        return to + (time - from) / (fromEnd - from) * (toEnd - to);
    });
}

// One of both profiles: the samples before each time of the difference.
class Side {
    constructor(profile, sign, knots) {
        Object.assign(this, {profile, sign, scratch: new Float64Array(profile.n + 1)});
        this.own = profile.times.subarray(0, profile.n);
        this.times = mapped(this.own, knots);
        this.back = knots.map(([from, to]) => [to, from]);
        // Without empty samples at the end: a program that has ended is not compared with one that runs.
        const {end} = new census.stats.Stretch(profile, 0, profile.n - 1);
        this.n = end > 0 ? end + 1 : profile.n;
    }

    // Finds the sample before each time, and how far the time is on the way to the next one.
    alignWith(times) {
        const {own} = this, wanted = mapped(times, this.back);
        this.before = new Int32Array(times.length);
        this.share = new Float64Array(times.length);
        for (let i = 0, at = 0; i < times.length; i++) {
            while (at + 1 < this.n && own[at + 1] <= wanted[i]) {
                at++;
            }
            this.before[i] = at;
            this.share[i] = at + 1 < this.n ? Math.max(0, (wanted[i] - own[at]) / (own[at + 1] - own[at])) : 0;
        }
    }

    // Adds the values of a column to `out`, of which `filled` is the range with numbers already, and extends that.
    add(column, out, filled) {
        const {before, share, sign, scratch} = this, {from, to} = column.read(scratch);
        if (to <= from) {
            return;
        }
        scratch[to] = 0;
        if (from > 0) {
            scratch[from - 1] = 0;
        }
        const first = lowerBound(before, from - 1), end = lowerBound(before, to);
        filled.extend(out, first, end);
        for (let i = first; i < end; i++) {
            const at = before[i], value = scratch[at];
            out[i] += sign * (share[i] ? value + share[i] * (scratch[at + 1] - value) : value);
        }
    }

    at(column, i) {
        const value = column.at(this.before[i]), share = this.share[i];
        return this.sign * (share ? value + share * (column.at(this.before[i] + 1) - value) : value);
    }
}

// The range of an array that has numbers.
class Filled {
    constructor() {
        this.from = this.to = 0;
    }

    // Extends the range by zeros.
    extend(out, from, to) {
        if (this.to === this.from) {
            [this.from, this.to] = [from, from];
        }
        out.fill(0, from, this.from);
        out.fill(0, this.to, to);
        this.from = Math.min(this.from, from);
        this.to = Math.max(this.to, to);
    }
}

// Replaces differences that only rounding has made.
function dropNoise(out, {from, to}, noise) {
    for (let i = from; i < to; i++) {
        out[i] = Math.abs(out[i]) < noise ? 0 : out[i];
    }
}

// The difference of sums of columns. `parts`: of the older and of the newer profile.
class ChangeColumn extends Column {
    constructor(sides, parts) {
        super(null);
        this.sides = sides;
        this.parts = parts;
    }

    read(out) {
        const filled = new Filled();
        this.sides.forEach((side, k) => this.parts[k].forEach((column) => side.add(column, out, filled)));
        dropNoise(out, filled, this.sides[0].noise);
        return filled;
    }

    at(i) {
        if (this.numbers) {
            return this.numbers[i];
        }
        const sum = this.sides.reduce((sides, side, k) =>
            this.parts[k].reduce((all, column) => all + side.at(column, i), sides), 0);
        return Math.abs(sum) < this.sides[0].noise ? 0 : sum;
    }
}

// Returns the times of both in the range that both cover; of a profile with one sample, from that on.
function timesOf(sides) {
    const all = sides.map(({times, n}) => times.subarray(0, n));
    const low = Math.max(...all.map((times) => times[0]));
    const ends = all.filter((times) => times.length > 1).map((times) => times[times.length - 1]);
    const high = Math.min(...ends);
    const inside = [low, ...all.flatMap((times) => [...times])].filter((time) => time >= low && time <= high);
    return ends.length && high > low ? Float64Array.from(new Set(inside)).sort() : new Float64Array(0);
}

class Change {
    // `newer.stacks` are compared with `older.stacks` (Stacks.compareWith); `knots` align their times.
    constructor(older, newer, knots) {
        const {sampleUnit, valueUnit} = newer;
        Object.assign(this, {id: 'change', isChange: true, title: `${newer.file} minus ${older.file}`, file: 'Change',
            date: '', state: 'ended', sampleUnit, valueUnit, order: null, marks: [], lines: [],
            lanes: {all: [], messages: []}, version: 0, hasGrown: true});
        this.sides = [new Side(older, -1, knots), new Side(newer, 1, [])];
        this.largest = Math.max(...[older, newer].map(({total}) => total.reduce((a, b) => Math.max(a, b), 0)));
        this.sides.forEach((side) => { side.noise = NOISE * this.largest; });
        this.align(timesOf(this.sides));
        if (this.n > MOST_TIMES) {
            const {times, total} = this;
            const places = census.extremes(total, census.cellsOver(times, 0, this.n, CELLS), 0, this.n);
            this.align(Float64Array.from(places, (at) => times[at]));
        }
        this.nSamples = this.n;
        this.rest = this.restOf(older.rest, newer.rest);
        this.joinStacks(older, newer);
    }

    align(times) {
        this.n = times.length;
        this.times = times;
        this.total = new Float64Array(this.n);
        const filled = new Filled();
        this.sides.forEach((side) => {
            side.alignWith(times);
            side.add(side.profile.totalColumn, this.total, filled);
        });
        dropNoise(this.total, filled, this.sides[0].noise);
    }

    restOf(older, newer) {
        const parts = [older, newer].map((rest) => rest ? [rest.column] : []);
        return older || newer ? {n: Math.max(older ? older.n : 0, newer ? newer.n : 0),
            column: new ChangeColumn(this.sides, parts)} : null;
    }

    // Joins the stacks with the same frames, and the names: of stacks the names of joined stacks, of groups the names
    // with the same text, also if it has a line that moved.
    joinStacks(older, newer) {
        const {frames, paths, places, calls, ownLeaves, olderLeaves, movedFrom} = newer.stacks;
        const isGrouped = newer.stacks.ownRest !== undefined;
        const movedTo = new Map([...movedFrom].map(([to, from]) => [from, to]));
        const keyOf = (which, {shown}) => which ? shown : movedTo.get(shown) ?? shown;
        const names = new Map(), leaves = new Map();   // by key, by leaf: {data or band, parts}
        const join = (map, key, fields, which, column) => {
            const found = map.get(key) || map.set(key, {...fields, parts: [[], []]}).get(key);
            found.parts[which].push(column);
        };
        this.stacks = Object.assign(new census.Stacks(this), {frames, places, movedFrom});
        // The newer profile first: its names and places are shown.
        [[1, newer, ownLeaves], [0, older, olderLeaves]].forEach(([which, {names: own, stacks}, joined]) => {
            own.forEach((name, k) => {
                const key = isGrouped ? keyOf(which, name) : joined[k];
                join(names, key, {name}, which, name.column);
            });
            stacks.bands.slice(0, joined.length).forEach((band, leaf) => {
                if (band >= 0) {
                    join(leaves, joined[leaf], {key: isGrouped ? keyOf(which, own[band]) : joined[band]}, which, stacks.columns[leaf]);
                }
            });
        });
        const numbers = new Map([...names.keys()].map((key, k) => [key, k]));
        this.names = [...names.values()].map(({name, parts}) =>
            ({...name, column: new ChangeColumn(this.sides, parts)}));
        leaves.forEach(({key, parts}, leaf) => {
            const band = numbers.get(key);
            this.stacks.paths.push(paths[leaf]);
            this.stacks.calls.push(calls[leaf]);
            this.stacks.bands.push(band);
            this.stacks.columns.push(isGrouped ? new ChangeColumn(this.sides, parts) : this.names[band].column);
        });
        if (isGrouped) {
            this.stacks.ownRest = this.restOf(older.stacks.ownRest, newer.stacks.ownRest);
        }
    }
}

census.Change = Change;
})(globalThis.census = globalThis.census || {});
