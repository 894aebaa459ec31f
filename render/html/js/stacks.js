// SPDX-License-Identifier: BSD-2-Clause
//
// The call stacks of a profile, and their bytes at any sample. A leaf is one stack with its column.
// Leaves are sorted by their frames, so that those below a frame are a range [from, to), and the
// bytes of a range are a difference of running sums.
(function (census) {
'use strict';

const {Column, unpack} = census.columns;
const MOST_KEPT = 6;

function unpackWhole(packed, n) {
    const out = new Float64Array(n);
    unpack(new Column(packed).bytes(), out);
    return out;
}

// Returns what identifies a frame in links and in comparisons: the label and the place.
function textOfFrame({label, source}) {
    return source ? `${label} ${source}` : label;
}

// The leaves in the order of their frames, from one end of the stacks.
class Order {
    // `paths`: of each leaf, the numbers of its frames.
    constructor(paths) {
        const n = paths.length;
        this.leaves = Uint32Array.from(paths.keys()).sort((a, b) => {
            const x = paths[a], y = paths[b], most = Math.min(x.length, y.length);
            let i = 0;
            while (i < most && x[i] === y[i]) {
                i++;
            }
            return i < most ? x[i] - y[i] : x.length - y.length;
        });
        this.paths = Array.from(this.leaves, (leaf) => paths[leaf]);
        this.shared = new Uint32Array(n);   // frames that a leaf shares with the one before
        for (let i = 1; i < n; i++) {
            const x = this.paths[i - 1], y = this.paths[i], most = Math.min(x.length, y.length);
            let depth = 0;
            while (depth < most && x[depth] === y[depth]) {
                depth++;
            }
            this.shared[i] = depth;
        }
        this.root = {frame: -1, from: 0, to: n, depth: 0, parent: null};
    }

    // Returns the sums of amounts by leaf, before each leaf in this order.
    running(amounts) {
        const sums = new Float64Array(this.leaves.length + 1);
        for (let i = 0; i < this.leaves.length; i++) {
            sums[i + 1] = sums[i] + amounts[this.leaves[i]];
        }
        return sums;
    }

    // Returns the nodes below a node: {frame, from, to, depth, parent}.
    children(node) {
        const {paths, shared} = this, {depth} = node, found = [];
        for (let from = this.endOfSelf(node); from < node.to;) {
            let to = from + 1;
            while (to < node.to && shared[to] > depth) {
                to++;
            }
            found.push({frame: paths[from][depth], from, to, depth: depth + 1, parent: node});
            from = to;
        }
        return found;
    }

    // Returns the end of the leaves that end in this node; they are its first ones.
    endOfSelf(node) {
        let end = node.from;
        while (end < node.to && this.paths[end].length === node.depth) {
            end++;
        }
        return end;
    }

}

class Stacks {
    constructor(profile) {
        this.profile = profile;
        this.frames = [];
        this.numbers = new Map();   // of frames, by their texts
        this.placeNumbers = new Map();  // by their texts
        this.paths = [];            // by leaf: frames, outermost first
        this.places = [];           // texts of places
        this.calls = [];            // by leaf: the place where each of its frames calls the next, or allocates
        this.owns = [];             // by leaf: how many frames are not inside the one that names it
        this.columns = [];          // by leaf
        this.bands = [];            // by leaf: index of its name in the profile
        this.ownRest = undefined;   // of the stacks of groups; else they have the profile's
        this.orders = {};
        this.kept = new Map();      // amounts by leaf, of the last few samples
        this.version = -1;          // of the profile, when they were read
        this.older = this;          // the stacks that changes are counted from
        this.ownLeaves = null;      // of a comparison, by leaf: the first leaf with its frames
        this.olderLeaves = null;    // of a comparison, by leaf of the older stacks: likewise
        this.movedFrom = new Map(); // of a comparison, by text of a frame whose line moved: its text in the older stacks
        this.allocated = null;      // bytes by leaf up to the last sample, if they are known
    }

    // Reads the member `stacks` of a profile (docs/formats/page.md).
    read(data) {
        const frames = [], places = []; // by number in the data
        data.frames.forEach((texts) => {
            const isCall = texts.length === 2;
            frames.push(isCall ? frames[texts[0]] : this.frameOf(texts));
            places.push(isCall ? this.placeOf(texts[1], data.frames[texts[0]][2]) : this.placeOf(texts[2]));
        });
        if (data.columns) {
            this.ownRest = data.rest && {n: data.rest.n, column: new Column(data.rest.column)};
        }
        const {profile} = this, n = data.columns ? data.columns.length : profile.names.length;
        const parents = unpackWhole(data.parents, data.n_nodes);
        const calls = unpackWhole(data.calls, data.n_nodes);
        const bands = data.columns ? unpackWhole(data.bands, n) : null;
        const nAllocated = data.n_allocated || 0;
        const paths = Array.from(unpackWhole(data.ends, n + nAllocated), (end) => {
            const path = [];
            for (let node = end; node > 0; node = parents[node - 1]) {
                path.push(calls[node - 1]);
            }
            return path.reverse();
        });
        this.owns = Array.from(unpackWhole(data.owns, n + nAllocated)).slice(0, n);
        const framesOf = (path) => Uint32Array.from(path, (call) => frames[call]);
        paths.slice(0, n).forEach((path, leaf) => {
            this.paths.push(framesOf(path));
            this.calls.push(Uint32Array.from(path, (call) => places[call]));
            this.columns.push(data.columns ? new Column(data.columns[leaf])
                : profile.names[leaf].column);
            this.bands.push(bands ? bands[leaf] : leaf);
        });
        if (data.allocated) {
            const leafOf = this.leafFinder(), amounts = unpackWhole(data.allocated, nAllocated);
            const leaves = paths.slice(n).map(framesOf).map(leafOf);
            this.allocated = new Float64Array(this.paths.length);
            leaves.forEach((leaf, i) => { this.allocated[leaf] += amounts[i]; });
        }
    }

    // Returns the number of a frame: [label, module, source].
    frameOf(texts) {
        const key = texts.join('\0');
        if (!this.numbers.has(key)) {
            const [label, module, source] = texts.map(census.shown);
            this.numbers.set(key, this.frames.length);
            this.frames.push({label, module, source});
        }
        return this.numbers.get(key);
    }

    // Returns the number of a place; ":LINE" is in the file of another place.
    placeOf(source, other) {
        const text = census.shown(source.startsWith(':') ? other.slice(0, other.lastIndexOf(':')) + source : source);
        if (!this.placeNumbers.has(text)) {
            this.placeNumbers.set(text, this.places.push(text) - 1);
        }
        return this.placeNumbers.get(text);
    }

    // Returns the places where the frame of a node calls the next, or allocates: the largest by bytes first.
    callsOf({from, to, depth}, order, amounts) {
        const sums = new Map();
        for (let i = from; i < to; i++) {
            const leaf = order.leaves[i], calls = this.calls[leaf];
            const at = order === this.orders.up ? (this.owns[leaf] ?? calls.length) - depth : depth - 1;
            sums.set(calls[at], (sums.get(calls[at]) || 0) + Math.abs(amounts[leaf]));
        }
        return [...sums].sort(([, a], [, b]) => b - a).filter(([, sum], i) => sum > 0 || i === 0)
            .map(([place]) => this.places[place]);
    }

    // Takes the calls of a growing profile, as its server knows them so far (docs/formats/page.md). A frame that calls
    // from several places has the place of its function.
    takeCalls({places, calls}) {
        const numbers = places.map((place) => this.placeOf(place));
        for (const [leaf, ...known] of calls) {
            const path = this.paths[leaf] || [];
            if (path.length === known.length) {
                this.calls[leaf] = Uint32Array.from(known, (number, i) =>
                    number ? numbers[number - 1] : this.placeOf(this.frames[path[i]].source));
            }
        }
    }

    // Adds the stack of a name of the profile: frames, outermost first.
    add(name, frames) {
        this.paths.push(Uint32Array.from(frames, (texts) => this.frameOf(texts)));
        this.calls.push(Uint32Array.from(frames, ([, , source]) => this.placeOf(source)));
        this.columns.push(this.profile.names[name].column);
        this.bands.push(name);
        this.orders = {};
    }

    // Counts changes from the stacks of an older recording. `moved`: pairs of the texts of frames whose
    // lines moved. Stacks that only the older recording has become leaves without bytes.
    compareWith(older, moved) {
        const pairs = moved.map((pair) => pair.map(census.shown)), movedTo = new Map(pairs);
        this.movedFrom = new Map(pairs.map(([from, to]) => [to, from]));
        const known = new Map(), leafOf = this.leafFinder();
        this.frames.forEach((frame, number) => {
            const text = textOfFrame(frame);
            known.set(`${frame.module}\0${text}`, number);
            known.set(text, known.get(text) ?? number);
        });
        const numbers = older.frames.map((frame) => {
            const text = movedTo.get(textOfFrame(frame)) ?? textOfFrame(frame);
            return known.get(`${frame.module}\0${text}`) ?? known.get(text) ?? this.frames.push(frame) - 1;
        });
        this.older = older;
        this.ownLeaves = this.paths.map(leafOf);
        this.olderLeaves = older.paths.map((path) => leafOf(path.map((frame) => numbers[frame])));
    }

    // Returns a function that finds the first leaf with the same frames, or adds one without bytes.
    leafFinder() {
        const first = new Map(this.paths.map((path, leaf) => [path.join(), leaf]).reverse());
        return (path) => {
            const key = path.join();
            if (!first.has(key)) {
                first.set(key, this.addEmpty(path));
            }
            return first.get(key);
        };
    }

    // Adds a stack without bytes, and returns its leaf.
    addEmpty(path) {
        this.columns.push(new Column(null));
        this.bands.push(-1);
        this.calls.push(Uint32Array.from(path, (frame) => this.placeOf(this.frames[frame].source)));
        return this.paths.push(path) - 1;
    }

    // Returns what stacks without a column have in common: {n, column}, or null.
    get rest() {
        return this.ownRest === undefined ? this.profile.rest : this.ownRest;
    }

    // `direction`: 'down' begins with callers, 'up' with the functions that name the stacks.
    order(direction) {
        if (!this.orders[direction]) {
            this.orders[direction] = new Order(direction === 'down' ? this.paths
                : this.paths.map((path, leaf) => path.slice(0, this.owns[leaf]).reverse()));
        }
        return this.orders[direction];
    }

    // Returns the amount of each leaf in a sample.
    amountsAt(at) {
        const {kept, profile} = this;
        if (this.version !== profile.version || kept.size > MOST_KEPT) {
            kept.clear();
            this.version = profile.version;
        }
        if (!kept.has(at)) {
            kept.set(at, Float64Array.from(this.columns, (column) => column.at(at)));
        }
        return kept.get(at);
    }

    // Returns the change of each leaf from a sample of the older stacks to a sample.
    changes(since, at) {
        const {older, ownLeaves, olderLeaves} = this, nets = new Float64Array(this.paths.length);
        this.amountsAt(at).forEach((amount, leaf) => { nets[ownLeaves?.[leaf] ?? leaf] += amount; });
        older.amountsAt(since).forEach((amount, leaf) => { nets[olderLeaves?.[leaf] ?? leaf] -= amount; });
        return nets;
    }

    restAt(at) {
        return this.rest ? this.rest.column.at(at) : 0;
    }

    // Returns the lines of a tooltip: the frames of a name, innermost first.
    linesOf(name) {
        const leaf = this.ownRest === undefined ? name : this.bands.indexOf(name);
        return leaf < 0 ? [] : Array.from(this.paths[leaf], (number, i) => {
            const {label, module} = this.frames[number];
            return [label, module, this.places[this.calls[leaf][i]]].filter(Boolean).join('  ');
        }).reverse();
    }
}

census.Stacks = Stacks;
census.textOfFrame = textOfFrame;
})(globalThis.census = globalThis.census || {});
