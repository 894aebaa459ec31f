// SPDX-License-Identifier: BSD-2-Clause
//
// Statistics of a range of a series: mean, maximum, last, growth and its coefficient of
// determination, the same as `census report`.
//
// Means are over time: the area under the line by the duration; without duration over samples.
// Growth is the slope of the line of least squares. An empty first and an empty last sample of the
// profile are left out of it: GHC always writes them, and no program's heap is empty.
(function (census) {
'use strict';

// Returns the weights of samples `from` to `to` in an area: half of the times to both neighbours; all
// equal when no time passes.
function weights(times, from, to) {
    const out = new Float64Array(to - from + 1);
    if (!(times[to] > times[from])) {
        return out.fill(1);
    }
    for (let i = from; i <= to; i++) {
        out[i - from] = (times[Math.min(i + 1, to)] - times[Math.max(i - 1, from)]) / 2;
    }
    return out;
}

// Returns the area between a curve and 0.
function area(values, from, weight) {
    let sum = 0;
    for (let i = 0; i < weight.length; i++) {
        sum += Math.abs(values[from + i]) * weight[i];
    }
    return sum;
}

// A range of a profile, for any number of series.
class Stretch {
    constructor(profile, from, to) {
        this.from = from;
        this.to = to;
        this.times = profile.times;
        this.weight = weights(profile.times, from, to);
        this.length = this.weight.reduce((sum, weight) => sum + weight, 0);
        const isEmpty = (at) => profile.total[at] === 0 && !profile.isChange;
        this.fitFrom = from === 0 && isEmpty(0) ? 1 : from;
        this.fitTo = to === profile.n - 1 && to > 0 && isEmpty(to) ? to - 1 : to;
        this.end = to;  // the last sample that is not empty
        while (this.end > from && isEmpty(this.end)) {
            this.end--;
        }
        this.area = area(profile.total, from, this.weight);
        this.prepareFit();
    }

    // Returns {share, mean, max, end, growth, r2} of a series that is 0 outside of `range`, {from, to};
    // undefined values are NaN. The maximum of changes is the one furthest from 0.
    sumUp(values, range) {
        const from = Math.max(this.from, range.from), to = Math.min(this.to + 1, range.to);
        let covered = 0, size = 0, max = 0;
        for (let i = from; i < to; i++) {
            covered += values[i] * this.weight[i - this.from];
            size += Math.abs(values[i]) * this.weight[i - this.from];
            max = Math.abs(values[i]) > Math.abs(max) ? values[i] : max;
        }
        return {share: this.area > 0 ? size / this.area : 0, mean: covered / this.length, max,
            end: this.end >= from && this.end < to ? values[this.end] : 0,
            ...this.fit(values, range)};
    }

    prepareFit() {
        const {fitFrom: from, fitTo: to, times} = this;
        this.nFit = to - from + 1;
        this.meanTime = 0;
        this.spreadTime = 0;
        for (let i = from; i <= to; i++) {
            this.meanTime += (times[i] - times[from]) / this.nFit;
        }
        this.meanTime += times[from];
        for (let i = from; i <= to; i++) {
            this.spreadTime += (times[i] - this.meanTime) ** 2;
        }
    }

    // Differences of times from their mean add up to 0, so only times of the range matter.
    fit(values, range) {
        const {nFit, spreadTime, meanTime, times} = this;
        const from = Math.max(this.fitFrom, range.from), to = Math.min(this.fitTo + 1, range.to);
        let sum = 0, squares = 0, together = 0, spreadValue = 0;
        for (let i = from; i < to; i++) {
            sum += values[i];
            squares += values[i] * values[i];
            together += (times[i] - meanTime) * values[i];
        }
        const mean = sum / nFit;
        for (let i = from; i < to; i++) {
            spreadValue += (values[i] - mean) ** 2;
        }
        spreadValue += (nFit - Math.max(0, to - from)) * mean * mean;
        if (nFit < 2 || !(spreadTime > 0)) {
            return {growth: NaN, r2: NaN};
        }
        if (!(spreadValue > 1e-12 * squares)) {
            return {growth: 0, r2: NaN};
        }
        const isRounding = together ** 2 < 1e-24 * spreadTime * squares;
        const growth = isRounding ? 0 : together / spreadTime;
        return {growth, r2: growth * (together / spreadValue)};
    }
}

census.stats = {weights, area, Stretch};
})(globalThis.census = globalThis.census || {});
