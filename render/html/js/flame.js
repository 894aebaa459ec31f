// SPDX-License-Identifier: BSD-2-Clause
//
// Flame graph of the stacks at one time, or of the difference of two times or recordings: each frame has a bar
// above the functions that it calls, or with allocators first, above its callers.
(function (census) {
'use strict';

const {byId, element} = census;
const {measure} = census.surface;
const {inkOn, mix} = census.colours;

const ROW_PX = 20, GAP_PX = 1, SIZE = 12;
const LEAST_PX = 2;         // narrower bars of one caller are drawn as one
const LEAST_TEXT_PX = 30, LEAST_CHARACTERS = 2;
const FADED = 0.22;         // share of the colour that bars outside the selection keep
const GROWN = '#d55e00', SHRUNK = '#0072b2';
const NOISE = 0.05;         // share of the memory whose change has no colour: two runs are never equal

const SCOPE = /^(::|\.)(?!so\b|constprop|isra|part|cold|lto_priv)[\p{L}_<{~]/u;

// Returns a name without the scopes of its function: "insert" of "std::map<a::b, c>::insert", "<genexpr>" of
// "app.load.<genexpr>". Parts that a compiler has added, and places, stay.
function ownName(text) {
    let depth = 0, from = 0;
    for (let i = 0; i < text.length && (depth > 0 || !' @+'.includes(text[i])); i++) {
        depth += '<([{'.includes(text[i]) - '>)]}'.includes(text[i]);
        const scope = depth === 0 && i > 0 ? SCOPE.exec(text.slice(i, i + 12)) : null;
        from = scope ? i + scope[1].length : from;
    }
    return text.slice(from);
}

class Flame {
    // `data`: of the page (docs/formats/page.md), with lines of the program.
    constructor(app, data) {
        this.app = app;
        this.box = byId('flame');
        this.canvas = byId('flame-picture');
        this.tip = byId('flame-tip');
        this.moments = new census.Moments(app);
        this.table = new census.StackTable(app, this);
        this.source = new census.SourcePanel(data.sources, data.source_url, () => this.redraw());
        this.series = new census.FrameSeries(() => app.panel.drawOver());
        this.entry = null;      // that is shown, with stacks
        this.frame = 0;         // the pending drawing
        this.bars = [];         // {node, x, width, isRest, nMerged}
        this.cursor = null;     // the bar of the keyboard or the pointer
        this.height = 0;        // of the picture; it does not shrink while only the time changes
        this.keys = {
            'ArrowDown': () => this.go((bar) => this.bars.find((b) => !b.isRest && b.node.parent === bar.node)),
            'ArrowUp': () => this.go((bar) => this.bars.find((b) => b.node === bar.node.parent)),
            'ArrowLeft': () => this.go((bar) => this.siblings(bar)[this.siblings(bar).indexOf(bar) - 1]),
            'ArrowRight': () => this.go((bar) => this.siblings(bar)[this.siblings(bar).indexOf(bar) + 1]),
            'Enter': () => this.choose(this.cursor), ' ': () => this.choose(this.cursor),
        };
        this.listen();
        new ResizeObserver(() => this.redraw()).observe(this.box);
    }

    listen() {
        const {box} = this;
        box.addEventListener('pointermove', (event) => this.point(this.barAt(event), event));
        box.addEventListener('pointerleave', () => this.point(null));
        box.addEventListener('click', (event) => {
            this.choose(this.barAt(event));
            this.tip.hidden = true; // it would cover the text of the program
        });
        box.addEventListener('focus', () => box.matches(':focus-visible') && this.go((bar) => bar));
        box.addEventListener('blur', () => this.point(null));
        document.querySelectorAll('[data-tree]').forEach((button) => {
            button.addEventListener('click', () => this.turn(button.dataset.tree));
        });
    }

    // --- settings

    turn(direction) {
        this.app.view.tree = direction;
        this.app.entries.forEach(({own}) => { own.frame = []; });
        this.cursor = null;
        this.height = 0;
        this.app.redraw();
    }

    // Shows a frame in full width, and its bytes over time; the frame that is shown already: its
    // caller.
    choose(bar) {
        if (bar && !bar.isRest) {
            const isSame = bar.node.depth === this.zoomed.depth;
            this.zoomTo(isSame && bar.node.parent ? bar.node.parent : bar.node);
        }
    }

    zoomTo(node) {
        const texts = [];
        for (let at = node; at.parent; at = at.parent) {
            texts.unshift(this.textOf(at.frame));
        }
        this.entry.own.frame = texts;
        this.height = 0;
        this.app.redraw();
    }

    textOf(frame) {
        return census.textOfFrame(this.stacks.frames[frame]);
    }

    // Returns the bytes of each leaf at the time that is shown.
    amounts() {
        return this.stacks.amountsAt(this.moments.of(this.entry).at);
    }

    // Returns the places where the frame of a node calls the next, or allocates: the largest first.
    callsOf(node) {
        return this.stacks.callsOf(node, this.order, this.amounts());
    }

    // Returns the first of these, and how many more there are.
    callText(node) {
        const [first, ...more] = this.callsOf(node);
        return more.length ? `${first} and ${more.length} more` : first;
    }

    // Returns the node of the chosen frames.
    findZoomed() {
        let node = this.order.root;
        for (const text of this.entry.own.frame) {
            const child = this.order.children(node).find(({frame}) => this.textOf(frame) === text);
            if (!child) {
                break;
            }
            node = child;
        }
        return node;
    }

    // --- drawing

    redraw() {
        this.frame = this.frame || requestAnimationFrame(() => this.draw());
    }

    show(entry) {
        const stacks = entry.profile && entry.profile.n > 0 ? entry.profile.stacks : null;
        byId('stacks').hidden = !stacks;
        this.height = this.entry === entry ? this.height : 0;
        this.entry = stacks ? entry : null;
        if (stacks) {
            document.querySelectorAll('[data-tree]').forEach((button) => {
                census.check(button, button.dataset.tree === this.app.view.tree);
            });
            this.draw();
            this.series.show(stacks, this.order, this.zoomed);
        }
    }

    draw() {
        cancelAnimationFrame(this.frame);
        this.frame = 0;
        if (!this.entry) {
            return;
        }
        const began = performance.now();
        const cursor = this.cursor && this.cursor.node;
        this.stacks = this.entry.profile.stacks;
        if (this.order !== this.stacks.order(this.app.view.tree)) {
            this.order = this.stacks.order(this.app.view.tree);
            this.numberBands();
        }
        this.zoomed = this.findZoomed();
        this.weigh();
        this.search();
        this.layOut();
        this.cursor = cursor ? this.bars.find(({node, isRest}) => !isRest && node.depth === cursor.depth &&
            node.from === cursor.from && node.to === cursor.to) || null : null;
        this.tip.hidden = this.tip.hidden || !this.cursor;
        this.paint();
        this.moments.show(this);
        this.table.show();
        this.source.show(this);
        performance.measure('census-flame', {start: began, end: performance.now()});
    }

    // Prepares the answer whether all leaves of a range belong to one band.
    numberBands() {
        const bands = Array.from(this.order.leaves, (leaf) => this.stacks.bands[leaf]), n = bands.length;
        this.bandRuns = new Uint32Array(n);
        this.nextInBand = new Uint32Array(n);   // leaves without bytes are in no band
        for (let i = 0, last = -1; i < n; i++) {
            const isNext = bands[i] >= 0 && last >= 0 && bands[i] !== last;
            this.bandRuns[i] = (i && this.bandRuns[i - 1]) + isNext;
            last = bands[i] >= 0 ? bands[i] : last;
        }
        for (let i = n - 1; i >= 0; i--) {
            this.nextInBand[i] = bands[i] >= 0 || i === n - 1 ? i : this.nextInBand[i + 1];
        }
    }

    // Sums up the widths of bars, and with two times the differences.
    weigh() {
        const {at, since} = this.moments.of(this.entry), {stacks, order} = this, {isChange} = this.entry.profile;
        if (since === null && !isChange) {
            this.widths = order.running(stacks.amountsAt(at));
            this.nets = null;
            this.rest = stacks.restAt(at);
        } else {
            const nets = isChange ? stacks.amountsAt(at) : stacks.changes(since, at);
            this.nets = order.running(nets);
            this.widths = order.running(nets.map(Math.abs));
            this.rest = Math.abs(stacks.restAt(at) - (isChange ? 0 : stacks.older.restAt(since)));
            const {profile, older} = this.entry;
            this.noise = isChange ? NOISE * profile.largest
                : older ? NOISE * Math.max(profile.total[at], older.profile.total[since]) : 0;
        }
    }

    // Finds the frames that the search is for.
    search() {
        const {matcher} = this.app.view;
        this.found = this.stacks.frames.map(({label, module, source}) => matcher !== null &&
            [label, module, source].some((text) => matcher.test(text)));
        this.total = this.weightOf(this.order.root) + this.rest;
    }

    weightOf({from, to}) {
        return this.widths[to] - this.widths[from];
    }

    layOut() {
        const {zoomed} = this, width = this.box.clientWidth;
        const isWhole = zoomed === this.order.root;
        const total = this.weightOf(zoomed) + (isWhole ? this.rest : 0);
        this.px = total > 0 ? width / total : 0;
        this.bars = [];
        for (let node = zoomed.parent; node; node = node.parent) {
            this.bars.push({node, x: 0, width});
        }
        this.bars.push({node: zoomed, x: 0, width});
        this.addChildren(zoomed, 0, isWhole ? this.rest : 0);
        const deepest = this.bars.reduce((most, bar) => Math.max(most, this.rowOf(bar)), 0);
        this.height = Math.max(this.height, (deepest + 1) * ROW_PX);
    }

    rowOf(bar) {
        return bar.node.depth + (bar.isRest ? 1 : 0);
    }

    addChildren(node, x, rest) {
        let small = rest, nMerged = 0;
        for (const child of this.order.children(node)) {
            const width = this.weightOf(child) * this.px;
            if (width >= LEAST_PX) {
                this.bars.push({node: child, x, width});
                this.addChildren(child, x, 0);
                x += width;
            } else if (width > 0) {
                small += this.weightOf(child);
                nMerged++;
            }
        }
        if (small * this.px >= LEAST_PX) {
            this.bars.push({node, x, width: small * this.px, isRest: true, nMerged, amount: small});
        }
    }

    paint() {
        const width = this.box.clientWidth, {height, canvas} = this;
        canvas.style.height = `${height}px`;
        const surface = new census.surface.CanvasSurface(census.prepareCanvas(canvas, width, height));
        surface.context.clearRect(0, 0, width, height);
        this.bandColours = new Map((this.app.panel.chart ? this.app.panel.chart.bands : [])
            .filter((band) => !band.isOther).map((band) => [band.k, band.colour]));
        this.isolated = this.entry.own.isolated === null ? -1
            : this.entry.profile.names.findIndex(({name}) => name === this.entry.own.isolated);
        this.bars.forEach((bar) => this.paintBar(surface, bar));
        this.box.setAttribute('aria-label', `Flame graph, ${this.bars.length} bars, ` +
            `${this.moments.text}`);
    }

    paintBar(surface, bar) {
        const {background, ink} = this.app.theme();
        const y = this.rowOf(bar) * ROW_PX, plain = this.colourOf(bar);
        const colour = this.isBright(bar) ? plain : mix(plain, background, FADED);
        surface.rectangle(bar.x, y, Math.max(1, bar.width - GAP_PX), ROW_PX - GAP_PX, colour);
        if (bar.width >= LEAST_TEXT_PX) {
            const text = this.fitted(this.labelOf(bar), bar.width - 8);
            if (text) {
                surface.text(text, bar.x + 4, y + 14, {size: SIZE, colour: inkOn(colour)});
            }
        }
        if (bar === this.cursor) {
            const c = surface.context;
            c.strokeStyle = ink;
            c.lineWidth = 2;
            c.strokeRect(bar.x + 1, y + 1, Math.max(1, bar.width - GAP_PX - 2), ROW_PX - GAP_PX - 2);
        }
    }

    // Returns a text that fits into a width: a name loses the scopes of its function first, then its middle; null
    // if nothing fits.
    fitted(text, width) {
        const own = ownName(text), short = own === text ? text : `…${own}`;
        return [text, short].find((whole) => measure(whole, SIZE) <= width)
            ?? census.labels.elide(own, width, SIZE, LEAST_CHARACTERS);
    }

    // A frame has the colour of a band if all its stacks belong to it, or the stacks that end in it, if they have most
    // of its bytes; else a grey.
    colourOf(bar) {
        const {background, other} = this.app.theme(), {node} = bar;
        if (this.nets !== null && !bar.isRest) {
            const net = this.netOf(node), share = Math.abs(net) / (this.weightOf(node) || 1);
            const strength = share * Math.min(1, Math.max(0, Math.abs(net) / Math.max(this.noise, 1e-300) - 1));
            return mix(net > 0 ? GROWN : SHRUNK, mix(other, background, 0.5), strength);
        }
        const first = this.nextInBand[node.from], own = {from: node.from, to: this.order.endOfSelf(node)};
        const isOfOne = (to) => to > first && this.bandRuns[first] === this.bandRuns[to - 1];
        const isClear = !bar.isRest && (isOfOne(node.to) ||
            (isOfOne(own.to) && 2 * this.weightOf(own) > this.weightOf(node)));
        const band = isClear ? this.bandColours.get(this.stacks.bands[this.order.leaves[first]]) : undefined;
        return band || mix(other, background, bar.isRest ? 0.3 : 0.5 + (node.frame * 7 % 5) / 12);
    }

    netOf({from, to}) {
        return this.nets[to] - this.nets[from];
    }

    // Returns whether a bar is what the search finds, or part of the band that is shown alone.
    isBright(bar) {
        const {matcher} = this.app.view, {leaves} = this.order, {node} = bar;
        if (matcher) {
            return !bar.isRest && node.frame >= 0 && this.found[node.frame];
        }
        if (this.isolated < 0 || bar.isRest) {
            return this.isolated < 0;
        }
        return leaves.subarray(node.from, node.to).some((leaf) => this.stacks.bands[leaf] === this.isolated);
    }

    // --- texts

    labelOf(bar) {
        if (bar.isRest) {
            const {rest} = this.stacks, n = bar.nMerged + (bar.node.parent || !rest ? 0 : rest.n);
            return n > 0 ? `(${census.units.count(n)} smaller)` : '(smaller)';
        }
        return bar.node.parent ? this.stacks.frames[bar.node.frame].label : 'all stacks';
    }

    amount(value) {
        return census.units.amount(value, this.entry.profile.valueUnit, this.app.view.si);
    }

    // Formats an amount of the profile: of a difference with its sign.
    amountOf(value) {
        const {profile} = this.entry, format = profile.isChange ? census.units.change : census.units.amount;
        return format(value, profile.valueUnit, this.app.view.si) +
            census.units.margin(value, profile, this.app.view.si);
    }

    // Returns {name, value, more} of a bar.
    factsOf(bar) {
        const {node} = bar, isRoot = !bar.isRest && !node.parent;
        const all = this.total;
        const amount = bar.isRest ? bar.amount : this.weightOf(node) + (isRoot ? this.rest : 0);
        const share = all > 0 ? `${(100 * amount / all).toFixed(1)}\u00a0%` : '–';
        const isFrame = !bar.isRest && !isRoot;
        const {module = ''} = isFrame ? this.stacks.frames[node.frame] : {};
        const was = isFrame ? this.stacks.movedFrom.get(this.textOf(node.frame)) : null;
        const more = [module, isFrame && this.callText(node), was && `was ${was}`].filter(Boolean);
        const {profile} = this.entry;
        const margin = census.units.margin(amount, profile, this.app.view.si, isRoot ? profile.spread : profile.rateBytes);
        let value = `${this.amount(amount)}${margin}  ${share}`;
        if (this.nets !== null) {
            const net = bar.isRest ? 0 : this.netOf(node);
            value = [['+', amount + net], ['−', amount - net]].filter(([, twice]) => twice > 0)
                .map(([sign, twice]) => sign + this.amount(twice / 2)).join('  ') || 'no change';
        } else if (isFrame && this.app.view.tree === 'down') {
            const self = this.widths[this.order.endOfSelf(node)] - this.widths[node.from];
            more.unshift(`itself ${this.amount(self)}`);
        }
        return {name: this.labelOf(bar), value, more};
    }

    // --- pointer and keys

    barAt(event) {
        const {left, top} = this.canvas.getBoundingClientRect();
        const x = event.clientX - left, row = Math.floor((event.clientY - top) / ROW_PX);
        return this.bars.find((bar) => this.rowOf(bar) === row && x >= bar.x && x < bar.x + bar.width) ||
            null;
    }

    siblings(bar) {
        return this.bars.filter((other) => !other.isRest && other.node.parent === bar.node.parent);
    }

    go(step) {
        const now = this.cursor || this.bars.find(({node, isRest}) => node === this.zoomed && !isRest);
        const next = now && step(now);
        if (next) {
            this.point(next);
            const {name, value, more} = this.factsOf(next);
            byId('flame-spoken').textContent = [name, value, ...more].join(', ');
            const y = this.rowOf(next) * ROW_PX;
            this.box.scrollTop = Math.min(y, Math.max(this.box.scrollTop, y + 2 * ROW_PX - this.box.clientHeight));
        }
    }

    point(bar, event) {
        const hasMoved = bar !== this.cursor;
        this.cursor = bar;
        this.tip.hidden = !bar;
        if (bar && hasMoved) {
            const {name, value, more} = this.factsOf(bar);
            this.tip.replaceChildren(element('div', 'name', name), element('div', 'value', value),
                ...more.map((text) => element('div', 'faint', text)));
        }
        if (bar) {
            this.placeTip(bar, event);
        }
        if (hasMoved && this.entry) {
            this.paint();
        }
    }

    // Places the tooltip below the row of a bar, or above it where there is no room, or the text of the program.
    placeTip(bar, event) {
        const box = this.box.getBoundingClientRect(), tip = this.tip.getBoundingClientRect();
        const x = event ? event.clientX - box.left : Math.max(0, bar.x);
        const row = this.rowOf(bar) * ROW_PX - this.box.scrollTop;
        const left = Math.max(0, Math.min(x, box.width - tip.width));
        const below = row + ROW_PX + 6, above = row - tip.height - 6, bottom = box.top + below + tip.height;
        const text = byId('source').getBoundingClientRect(); // empty while hidden
        const fits = bottom < window.innerHeight && (!text.height || bottom < text.top || box.top + above < 0);
        this.tip.style.transform = `translate(${Math.round(left)}px, ${Math.round(fits ? below : above)}px)`;
    }
}

census.Flame = Flame;
})(globalThis.census = globalThis.census || {});
