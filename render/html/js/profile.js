// SPDX-License-Identifier: BSD-2-Clause
//
// A profile: samples, names with their columns, marks, quantities. A growing profile stays bounded:
// samples before the last few thousand are reduced to the smallest and the largest of each interval.
(function (census) {
'use strict';

const {Column} = census.columns;

const MOST_SAMPLES = 16384;
const FRESH_SAMPLES = 6144; // the last ones, never thinned
const OLD_CELLS = 4096;     // of equal length, two samples each
const MOST_POINTS = 16384;  // of a line
const ROOM = 2 ** 17;       // more samples than any page has

// Returns a text for display: control characters, line separators, characters that change the
// direction of text, and invalid bytes become U+FFFD.
function shown(text) {
    return (text.toWellFormed ? text.toWellFormed() : text.replace(/[\ud800-\udfff]/gu, '\ufffd'))
        .replace(/[\t-\r]/g, ' ')
        .replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufffe\uffff]/g,
            '\ufffd');
}

// Returns the indices of the smallest and the largest value of each cell, in order.
function extremes(values, cellOf, from, to) {
    const places = [];
    for (let i = from; i < to;) {
        const cell = cellOf(i);
        let least = i, most = i;
        for (; i < to && cellOf(i) === cell; i++) {
            least = values[i] < values[least] ? i : least;
            most = values[i] > values[most] ? i : most;
        }
        places.push(Math.min(least, most));
        if (least !== most) {
            places.push(Math.max(least, most));
        }
    }
    return places;
}

function cellsOver(times, from, to, nCells) {
    const first = times[from], span = times[to - 1] - first;
    return (i) => span > 0
        ? Math.min(nCells - 1, Math.floor((times[i] - first) / span * nCells)) : i;
}

class Line {
    constructor(name, times, values) {
        this.name = name;
        this.shown = shown(name);
        this.times = times;
        this.values = values;
    }

    add(time, value) {
        this.times.push(time);
        this.values.push(value);
        if (this.times.length > MOST_POINTS) {
            const n = this.times.length;
            const places = extremes(this.values, cellsOver(this.times, 0, n, OLD_CELLS), 0, n);
            this.times = places.map((at) => this.times[at]);
            this.values = places.map((at) => this.values[at]);
        }
    }
}

// By name: its colours on this page, also in profiles that arrive later.
const coloursOf = new Map();

function nameOf(data) {
    if (!coloursOf.has(data.name)) {
        coloursOf.set(data.name, data.colour);
    }
    const whole = shown(data.full || data.name);
    return {name: data.name, spread: data.spread, whole, shown: whole, colours: coloursOf.get(data.name),
        more: (data.more || '').split('\n').slice(1).map(shown),
        column: new Column(data.column || null)};
}

// Names lose the numbers of their stacks, except those that would be equal then.
function dropIds(names) {
    const nOf = new Map(), bareOf = ({whole}) => whole.replace(/^\(\d+\)(?=.)/, '');
    names.forEach((name) => nOf.set(bareOf(name), (nOf.get(bareOf(name)) || 0) + 1));
    for (const name of names) {
        name.shown = nOf.get(bareOf(name)) > 1 ? name.whole : bareOf(name);
    }
}

// Returns whether a name, with the number of its stack or without, matches.
function matches(matcher, {whole, shown}) {
    return matcher.test(shown) || matcher.test(whole);
}

function unpackList(base64, most) {
    const column = new Column(base64);
    const out = new Float64Array(most);
    return Array.from(out.subarray(0, census.columns.unpack(column.bytes(), out).n));
}

function lineOf(data) {
    return new Line(data.name, unpackList(data.times, MOST_POINTS + 8),
        unpackList(data.values, MOST_POINTS + 8));
}

function markOf(data) {
    return {time: data.time, label: shown(data.label)};
}

// Lanes of an event log: shares of their height, in cells of equal length.
function lanesOf(data) {
    const share = (packed) => packed && unpackList(packed, MOST_POINTS + 8).map((n) => n / 1000);
    return {begin: data.begin, cell: data.cell, messages: data.messages.map(markOf),
        pauses: share(data.pauses), collection: data.collection,
        threads: (data.threads || []).map(({name, colour}) => ({name: shown(name), colour})),
        all: data.all.map((lane) => ({...lane,
            threads: lane.threads && unpackList(lane.threads, MOST_POINTS + 8),
            values: share(lane.values), parts: share(lane.parts)}))};
}

class Profile {
    constructor(data) {
        Object.assign(this, {id: data.id, epoch: data.epoch, nSamples: data.n_samples,
            state: data.state, findings: data.findings || [], message: '', title: shown(data.title), file: shown(data.file || ''),
            date: shown(data.date), sampleUnit: data.sample_unit, valueUnit: data.value_unit,
            rateBytes: data.rate_bytes || 0, spread: data.spread});
        this.timeColumn = new Column(data.times);
        this.totalColumn = new Column(data.total);
        this.numberColumn = new Column(data.samples);
        this.names = data.names.map(nameOf);
        dropIds(this.names);
        this.order = data.order || null;    // of the picture of the whole profile, bottom first
        // What the resident set is made of, and who pins it in ranges of three sizes.
        this.resident = (data.resident || []).map((profile) => new Profile(profile));
        this.rest = data.rest && {n: data.rest.n, column: new Column(data.rest.column)};
        this.ownMarks = data.marks.map(markOf);
        this.lines = data.lines.map(lineOf);
        this.stacks = null;     // or Stacks
        this.version = 0;   // another one whenever something has changed
        this.setLanes(data.lanes || {all: [], messages: []});
        this.hasGrown = false;  // names are no longer largest first
        this.n = this.countSamples(data);
        this.refresh();
        if (data.stacks) {
            this.stacks = new census.Stacks(this);
            this.stacks.read(data.stacks);
        }
    }

    countSamples(data) {
        const room = new Float64Array(Math.min(data.n_samples, ROOM));
        return data.n_samples > 0 ? census.columns.unpack(this.timeColumn.bytes(), room).n : 0;
    }

    // Makes the arrays that other files read.
    refresh() {
        this.times = this.timeColumn.values(this.n).slice();
        this.total = this.totalColumn.values(this.n).slice();
        this.version++;
    }

    get duration() {
        return this.n > 1 ? this.times[this.n - 1] - this.times[0] : 0;
    }

    numbers() {
        return this.numberColumn.values(this.n);
    }

    // Returns the sum of all names without a column, for each sample.
    restValues() {
        return this.rest ? this.rest.column.values(this.n) : null;
    }

    // Names bring the stacks that they end, from the first one on that has several frames.
    addNames(list) {
        for (const data of list) {
            const name = this.names.push(nameOf(data)) - 1, frames = data.stack || [];
            if (!this.stacks && frames.length > 1) {
                this.stacks = new census.Stacks(this);
                this.names.slice(0, -1).forEach((other, index) =>
                    this.stacks.add(index, [[other.name.replace(/^\(\d+\)/, ''), '', '']]));
            }
            if (this.stacks) {
                this.stacks.add(name, frames);
            }
        }
        dropIds(this.names);
    }

    addSample([time, total, pairs]) {
        let rest = total;
        const at = this.n++;
        this.timeColumn.append(at, time);
        this.totalColumn.append(at, total);
        this.numberColumn.append(at, this.nSamples++);
        for (let i = 0; i < pairs.length; i += 2) {
            this.names[pairs[i]].column.append(at, pairs[i + 1]);
            rest -= pairs[i + 1];
        }
        this.addRest(at, rest);
    }

    addRest(at, amount) {
        if (amount > 0) {
            this.rest = this.rest || {n: 0, column: new Column(null)};
            this.rest.column.append(at, amount);
        }
    }

    addSamples(message) {
        this.hasGrown = true;
        this.addNames(message.names || []);
        message.samples.forEach((sample) => this.addSample(sample));
        if (this.n > MOST_SAMPLES) {
            this.thin();
        }
        this.refresh();
    }

    addMark(mark) {
        this.ownMarks.push(markOf(mark));
        this.mergeMarks();
    }

    // Messages of an event log are shown as marks.
    mergeMarks() {
        this.marks = [...this.ownMarks, ...this.lanes.messages].sort((a, b) => a.time - b.time);
        this.version++;
    }

    setLanes(data) {
        this.lanes = lanesOf(data);
        this.mergeMarks();
    }

    addPoints(name, points) {
        let line = this.lines.find((other) => other.name === name);
        if (!line) {
            line = new Line(name, [], []);
            this.lines.push(line);
        }
        points.forEach(([time, value]) => line.add(time, value));
        this.version++;
    }

    thin() {
        const n = this.n, old = n - FRESH_SAMPLES;
        const times = this.timeColumn.values(n).slice(), total = this.totalColumn.values(n).slice();
        const places = [0, ...extremes(total, cellsOver(times, 1, old, OLD_CELLS), 1, old)];
        for (let i = old; i < n; i++) {
            places.push(i);
        }
        const columns = [this.timeColumn, this.totalColumn, this.numberColumn,
            ...this.names.map((name) => name.column)];
        if (this.rest) {
            columns.push(this.rest.column);
        }
        columns.forEach((column) => column.keep(places, n));
        this.n = places.length;
    }
}

Object.assign(census, {Profile, extremes, cellsOver, matches});
census.shown = shown;
})(globalThis.census = globalThis.census || {});
