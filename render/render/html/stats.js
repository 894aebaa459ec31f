// SPDX-License-Identifier: BSD-2-Clause
//
// What a stretch of a series amounts to: mean, largest, last, growth and how straight it grows, as
// `census report` has them.
//
// Means are over time: the area under the line by the duration; without duration over samples.
// Growth is the slope of the line of least squares. An empty first and an empty last sample of the
// profile are left out of it: GHC always writes them, and no program's heap is empty.
(function (census) {
'use strict';

// What each sample from `from` to `to` counts for in an area: half of the times beside it. All
// count the same when no time passes.
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

function area(values, from, weight) {
    let sum = 0;
    for (let i = 0; i < weight.length; i++) {
        sum += values[from + i] * weight[i];
    }
    return sum;
}

// A stretch of a profile, for any number of series.
class Stretch {
    constructor(profile, from, to) {
        this.from = from;
        this.to = to;
        this.times = profile.times;
        this.weight = weights(profile.times, from, to);
        this.length = this.weight.reduce((sum, weight) => sum + weight, 0);
        this.fitFrom = from === 0 && profile.total[0] === 0 ? 1 : from;
        this.fitTo = to === profile.n - 1 && to > 0 && profile.total[to] === 0 ? to - 1 : to;
        this.end = to;  // the last sample that is not empty
        while (this.end > from && profile.total[this.end] === 0) {
            this.end--;
        }
        this.area = area(profile.total, from, this.weight);
    }

    // {share, mean, max, end, growth, r2} of a series; what cannot be told is NaN.
    sumUp(values) {
        const covered = area(values, this.from, this.weight);
        let max = 0;
        for (let i = this.from; i <= this.to; i++) {
            max = values[i] > max ? values[i] : max;
        }
        return {share: this.area > 0 ? covered / this.area : 0, mean: covered / this.length, max,
            end: values[this.end], ...this.fit(values)};
    }

    fit(values) {
        const {fitFrom: from, fitTo: to, times} = this;
        const n = to - from + 1;
        let meanTime = 0, meanValue = 0, squares = 0;
        for (let i = from; i <= to; i++) {
            meanTime += times[i] / n;
            meanValue += values[i] / n;
            squares += values[i] * values[i];
        }
        let spreadTime = 0, spreadValue = 0, together = 0;
        for (let i = from; i <= to; i++) {
            const t = times[i] - meanTime, v = values[i] - meanValue;
            spreadTime += t * t;
            spreadValue += v * v;
            together += t * v;
        }
        if (n < 2 || !(spreadTime > 0)) {
            return {growth: NaN, r2: NaN};
        }
        if (!(spreadValue > 1e-12 * squares)) {
            return {growth: 0, r2: NaN};
        }
        const growth = together / spreadTime;
        return {growth, r2: growth * (together / spreadValue)};
    }
}

census.stats = {weights, area, Stretch};
})(globalThis.census = globalThis.census || {});
