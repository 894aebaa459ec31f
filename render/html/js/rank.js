// SPDX-License-Identifier: BSD-2-Clause
//
// The largest names of any time range, exactly, without reading all columns.
//
// The area of each name is added up once for each block of samples. The area in the blocks that a
// range touches is an upper bound: names are read in its order, largest first, until no other name
// can be among the largest.
(function (census) {
'use strict';

const N_BLOCKS = 128;
const SLICE_MS = 8; // of work at a time in the background
const PATIENCE_MS = 2000;

class Ranking {
    constructor(profile) {
        this.profile = profile;
        this.version = profile.version;
        this.n = profile.n;
        this.blockLength = Math.max(1, Math.ceil(profile.n / N_BLOCKS));
        this.nBlocks = Math.ceil(profile.n / this.blockLength);
        this.weight = census.stats.weights(profile.times, 0, Math.max(0, profile.n - 1));
        // By name: area before each block.
        this.before = new Float64Array(profile.names.length * (this.nBlocks + 1));
        this.highest = new Float64Array(profile.names.length); // amount of each name
        this.scratch = new Float64Array(profile.n);
        this.nDone = 0;
    }

    addName(k) {
        const {before, scratch, weight, blockLength, nBlocks} = this;
        const row = k * (nBlocks + 1);
        const {from, to} = this.profile.names[k].column.read(scratch);
        let sum = 0, i = from;
        for (let block = Math.floor(from / blockLength); block < nBlocks; block++) {
            before[row + block] = sum;
            for (const end = Math.min(to, (block + 1) * blockLength); i < end; i++) {
                sum += Math.abs(scratch[i]) * weight[i];
                this.highest[k] = Math.max(this.highest[k], scratch[i]);
            }
        }
        before[row + nBlocks] = sum;
    }

    // Works for SLICE_MS. Returns whether all is done.
    workSome() {
        const stop = performance.now() + SLICE_MS;
        while (this.nDone < this.profile.names.length && performance.now() < stop) {
            this.addName(this.nDone++);
        }
        return this.nDone === this.profile.names.length;
    }

    finish() {
        while (!this.workSome()) { /* all of it */ }
    }

    // Returns the upper bound of name `k` between samples `from` and `to`.
    bound(k, from, to) {
        const row = k * (this.nBlocks + 1);
        return this.before[row + Math.floor(to / this.blockLength) + 1] -
            this.before[row + Math.floor(from / this.blockLength)];
    }

    // Returns the names with the largest area between two samples, largest first: {k, area}. Skips
    // names that `accepts(k)` rejects and names without area; multiplies areas by `favour(k)`.
    top(from, to, count, accepts, favour) {
        const isWhole = from === 0 && to === this.n - 1;
        if (isWhole && !accepts && !favour && !this.profile.hasGrown) {
            return this.first(count);
        }
        this.finish();
        favour = favour || (() => 1);
        const bounds = [];
        for (let k = 0; k < this.profile.names.length; k++) {
            const bound = !accepts || accepts(k) ? this.bound(k, from, to) * favour(k) : 0;
            if (bound > 0) {
                bounds.push({k, bound});
            }
        }
        bounds.sort((a, b) => b.bound - a.bound);
        return this.lookInto(bounds, from, to, count, favour);
    }

    // Returns the names with that amount in a sample between two: {k, area}. Of the whole profile, the
    // data say which have a band.
    high(from, to, least, accepts) {
        const {order, names, n} = this.profile, isWhole = from === 0 && to === n - 1;
        const drawn = isWhole && !accepts && order ? new Set(order) : null;
        if (!drawn) {
            this.finish();
        }
        const weight = census.stats.weights(this.profile.times, from, to), found = [];
        names.forEach(({name, column}, k) => {
            if (drawn ? drawn.has(name) : this.highest[k] >= least && (!accepts || accepts(k))) {
                const values = column.values(n).subarray(from, to + 1);
                if (values.some((amount) => amount >= least)) {
                    found.push({k, area: census.stats.area(values, 0, weight)});
                }
            }
        });
        return found;
    }

    // Names are sorted, largest first.
    first(count) {
        const out = [];
        for (let k = 0; k < this.profile.names.length && out.length < count; k++) {
            const values = this.profile.names[k].column.values(this.n);
            const area = census.stats.area(values, 0, this.weight);
            if (area > 0) {
                out.push({k, area, rank: area});
            }
        }
        return out;
    }

    lookInto(bounds, from, to, count, favour) {
        const weight = census.stats.weights(this.profile.times, from, to);
        const found = [];
        for (const {k, bound} of bounds) {
            if (found.length >= count && found[count - 1].rank >= bound) {
                break;
            }
            const values = this.profile.names[k].column.values(this.n);
            const area = census.stats.area(values, from, weight);
            if (area > 0) {
                insert(found, {k, area, rank: area * favour(k)});
            }
        }
        return found.slice(0, count);
    }
}

// Inserts into the list, largest first; equal ones in the order of insertion.
function insert(list, item) {
    let at = list.length;
    while (at > 0 && list[at - 1].rank < item.rank) {
        at--;
    }
    list.splice(at, 0, item);
}

// In a growing profile, the largest names stay for a moment, so that a new sample does not need a
// search of all names. If there are fewer than wanted, a new name is among them at once.
class PatientRanking {
    constructor(profile) {
        this.profile = profile;
        this.forget();
    }

    forget() {
        this.held = null;
    }

    top(from, to, count, accepts, favour) {
        const now = performance.now();
        const nNames = this.profile.names.length;
        const isHeld = this.held && !accepts && this.held.count === count &&
            (this.held.places.length === count || this.held.nNames === nNames) &&
            now - this.held.since < PATIENCE_MS;
        if (!isHeld) {
            const ranking = new Ranking(this.profile), ranked = ranking.top(from, to, count, accepts, favour);
            this.held = {since: now, count, nNames, ranking, places: ranked.map(({k}) => k)};
            return ranked;
        }
        const weight = census.stats.weights(this.profile.times, from, to);
        const found = [];
        for (const k of this.held.places) {
            const values = this.profile.names[k].column.values(this.profile.n);
            const area = census.stats.area(values, from, weight);
            insert(found, {k, area, rank: area});
        }
        return found;
    }

    high(from, to, least, accepts) {
        return this.held.ranking.high(from, to, least, accepts);
    }
}

census.Ranking = Ranking;
census.PatientRanking = PatientRanking;
})(globalThis.census = globalThis.census || {});
