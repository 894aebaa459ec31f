// SPDX-License-Identifier: BSD-2-Clause
//
// The page of a heap snapshot: its dominator tree as bars, each above what it keeps alive, and as a
// table; the figures of the selected group, and what holds it. Of two snapshots: the trees of both
// side by side, in which one place, colour and width per byte are the same, sorted by growth.
(function (census) {
'use strict';

const {byId, element, swatch, units, colours} = census;
const ROW_PX = 24;
const LEAST_PX = 2;         // narrower bars are left out
const NARROW_PX = 24;       // narrower bars have no name
const ROWS_AT_ONCE = 200;   // of the table
// Of the objects that match a question: key, title, whether it is an amount.
const COLUMNS = [['field', 'Field'], ['retained_bytes', 'Retained', true], ['self_bytes', 'Self', true], ['type', 'Type'], ['name', 'Name'],
    ['holder', 'Held by'], ['site', 'Site'], ['id', 'Id']];

// Of the table of groups: key to sort by, title, hint.
const COLUMNS_OF_ONE = [['share', 'Share'], ['retained', 'Retained', 'What would be freed if the group went'],
    ['self', 'Self', 'The objects of the group alone'], ['nObjects', 'Objects']];
const COLUMNS_OF_TWO = [['growth', 'Growth', 'After minus before'], ['before', 'Before', 'What would have been freed if the group had gone'],
    ['retained', 'After', 'What would be freed if the group went'], ['nBefore', 'Objects before'], ['nObjects', 'Objects after']];

// Of the ways to what a question matches.
const COLUMNS_OF_WAYS = [['share', 'Share'], ['retained', 'Bytes', 'Of the objects that the ways through here lead to'], ['nRetained', 'Objects']];

// --- data

function readName([text, light, dark, number]) {
    return {text: text.replace(/[\udc80-\udcff]/g, '\ufffd') || '(no name)', light, dark, number};
}

// Returns the groups: the root first, children of a group in a row, the largest, or what has grown most, first.
function readGroups(data) {
    const names = data.names.map(readName);
    const grey = {text: '(deeper)', light: data.look.light.other, dark: data.look.dark.other};
    const nameAt = (position) => position < 0 ? grey : names[position];
    const groups = data.groups.map(([name, parent, retained, self, nRetained, nObjects, nRest,
        nRestObjects, rest, path, before = 0, nBefore = 0, restBefore = 0], index) => ({index,
        name: nameAt(name), parent, retained, self, nRetained, nObjects, nRest, nRestObjects, rest, before, nBefore,
        restBefore, growth: retained - before, children: [], depth: 0,
        path: path.map(([at, bytes, nNodes]) => ({name: nameAt(at), bytes, nNodes}))}));
    groups.slice(1).forEach((group) => {
        const parent = groups[group.parent];
        group.depth = parent.depth + 1;
        parent.children.push(group);
    });
    groups[0].name = {...groups[0].name, text: '(root)'};
    return groups;
}

// Returns the number of letters before a column, which counts bytes from 1.
function lettersBefore(text, column) {
    return new TextDecoder().decode(new TextEncoder().encode(text).slice(0, column - 1)).length;
}

function countObjects(n) {
    return `${units.count(n)} object${n === 1 ? '' : 's'}`;
}

// --- page

class Page {
    constructor(data) {
        this.data = data;
        this.groups = readGroups(data);
        this.root = this.groups[0];
        this.zoomed = this.selected = this.root;
        this.theme = data.theme;
        this.matcher = null;
        this.sort = 'tree';
        this.nRows = ROWS_AT_ONCE;
        this.compares = data.before !== undefined;
        this.isOfWays = data.where !== undefined;
        this.columns = this.compares ? COLUMNS_OF_TWO : this.isOfWays ? COLUMNS_OF_WAYS : COLUMNS_OF_ONE;
        // Of each tree: its element, the members of a group with what it retains and with the rest of its
        // children, and the bars by group.
        this.trees = (this.compares ? [['flame-before', 'before', 'restBefore']] : []).concat([['flame', 'retained', 'rest']])
            .map(([id, bytes, rest]) => ({flame: byId(id), bytes, rest, bars: new Map()}));
        document.title = this.compares ? `${data.before} → ${data.file}` : data.file;
        byId('title').textContent = document.title;
        byId('subtitle').textContent = this.compares
            ? `${this.change(this.root.growth)}: ${this.amount(this.root.before)} → ${this.amount(this.root.retained)}`
            : `${countObjects(this.root.nRetained)}, ${this.amount(this.root.retained)}` +
            (this.isOfWays ? `: ${data.where}` : '');
        byId('whole').textContent = this.isOfWays ? 'All ways' : 'Whole heap';
        document.querySelectorAll('.of-ways').forEach((part) => {
            part.hidden = !this.isOfWays;
        });
        document.querySelectorAll('.of-two').forEach((part) => {
            part.hidden = !this.compares;
        });
        byId('before-name').textContent = data.before || '';
        byId('after-name').textContent = data.file;
        byId('table-heads').append(...this.columns.map(([key, title, hint]) => this.makeHead(key, title, hint)));
        this.listen();
        this.applyTheme();
    }

    makeHead(key, title, hint = '') {
        const head = element('th', 'number'), button = element('button', '', title);
        head.scope = 'col';
        head.dataset.sort = key;
        button.type = 'button';
        button.title = hint;
        head.append(button);
        return head;
    }

    listen() {
        byId('theme').addEventListener('click', () => this.toggleTheme());
        byId('help-button').addEventListener('click', () => byId('help').showModal());
        byId('whole').addEventListener('click', () => this.zoom(this.root));
        byId('search').addEventListener('input', () => this.find(byId('search').value));
        byId('ask').hidden = !this.data.questions;
        byId('ask').addEventListener('submit', (event) => {
            event.preventDefault();
            this.ask(byId('question').value.trim());
        });
        byId('more-rows').addEventListener('click', () => {
            this.nRows += ROWS_AT_ONCE;
            this.drawTable();
        });
        census.listenToHeads('data-sort', (column) => {
            this.sort = column;
            this.drawTable();
        });
        for (const {flame} of this.trees) {
            flame.addEventListener('click', (event) => {
                const {group, rest} = event.target.dataset;
                if (group) {
                    this.zoom(this.groups[group]);
                } else if (rest && !this.isOpening) {
                    this.isOpening = true;
                    this.openRest(this.groups[rest]).finally(() => {
                        this.isOpening = false;
                    });
                }
            });
            flame.addEventListener('keydown', (event) => this.move(event));
        }
        document.addEventListener('keydown', (event) => this.press(event));
        matchMedia('(prefers-color-scheme: dark)')
            .addEventListener('change', () => this.applyTheme());
        new ResizeObserver(() => this.drawTrees()).observe(byId('flame'));
    }

    amount(bytes) {
        return units.amount(bytes, 'bytes', this.data.si);
    }

    change(bytes) {
        return (bytes > 0 ? '+' : '') + this.amount(bytes);
    }

    share(group) {
        return this.root.retained ? 100 * group.retained / this.root.retained : 0;
    }

    // --- settings

    applyTheme() {
        this.isDark = census.applyLook(this.data.look, this.theme);
        this.draw();
    }

    toggleTheme() {
        this.theme = this.isDark ? 'light' : 'dark';
        this.applyTheme();
    }

    zoom(group) {
        this.zoomed = this.selected = group;
        this.nRows = ROWS_AT_ONCE;
        this.draw();
        for (const {flame} of this.trees) {
            flame.scrollTop = Math.max(0, (group.depth - 1) * ROW_PX);
        }
    }

    // Shows a group as selected, with the focus in the tree that had it, if the group has a bar there.
    select(group) {
        const focused = this.trees.find(({flame}) => flame.contains(document.activeElement));
        this.selected = group;
        this.drawTrees();
        this.drawDetail();
        [focused, ...this.trees].find((tree) => tree && tree.bars.has(group))?.bars.get(group).focus();
    }

    find(text) {
        let complaint = '';
        try {
            this.matcher = census.compile(text);
        } catch (error) {
            this.matcher = null;
            complaint = 'not a regular expression yet';
        }
        const found = this.groups.filter((group) => this.matches(group));
        byId('search').setAttribute('aria-invalid', String(complaint !== ''));
        byId('search-note').textContent = complaint || (!this.matcher ? ''
            : found.length === 1 ? '1 group' : `${units.count(found.length)} groups`);
        this.nRows = ROWS_AT_ONCE;
        this.drawTrees();
        this.drawTable();
    }

    matches(group) {
        return !this.matcher || this.matcher.test(group.name.text);
    }

    // --- questions

    // Asks the server, and shows the objects that match, or where it does not understand.
    async ask(question) {
        byId('question').value = question;
        if (!question) {
            this.showAnswer({}, '');
            return;
        }
        byId('ask-note').textContent = 'searching …';
        this.showAnswer(await this.fetchAnswer(question), question);
    }

    async fetchAnswer(question) {
        const hex = Array.from(new TextEncoder().encode(question), (byte) => byte.toString(16).padStart(2, '0'));
        try {
            const response = await fetch(this.data.questions + hex.join(''), {cache: 'no-store'});
            if (response.ok) {
                return await response.json();
            }
        } catch {
            // census has ended
        }
        return {message: 'census does not answer'};
    }

    // Returns the path of a group for the server: numbers of names from the root on.
    pathOf(group) {
        const number = group.isRest ? '' : `/${group.name.number}`;
        return group === this.root ? number : this.pathOf(this.groups[group.parent]) + number;
    }

    mayFetch(group) {
        return this.data.questions && group.nRest > 0 && group.name.number !== undefined;
    }

    // Returns the groups below one that the page does not have yet, and what is still left out. The server has them.
    async fetchBelow(group) {
        const {message, ...below} = await this.fetchAnswer(this.pathOf(group));
        byId('ask-note').textContent = message || '';
        if (message) {
            return {children: [], nRest: group.nRest, nRestObjects: group.nRestObjects, rest: group.rest};
        }
        const known = new Set(group.children.map(({name}) => name.number));
        const [top, ...others] = readGroups({...below, look: this.data.look});
        for (const other of others) {
            other.index += this.groups.length - 1;
            other.parent += this.groups.length - 1;
        }
        this.groups.push(...others);
        return {...top, children: top.children.filter(({name}) => !known.has(name.number))};
    }

    // Puts the groups below one that are too small to be shown, also those that only the server has, below a group of
    // their own, and zooms to it.
    async openRest(group) {
        const isSmall = (child) => Math.max(child.before, child.retained) * this.px < LEAST_PX;
        const small = group.children.filter(isSmall), others = group.children.filter((child) => !isSmall(child));
        const {children, nRest, nRestObjects, rest} = this.mayFetch(group) ? await this.fetchBelow(group) : {...group, children: []};
        const all = small.concat(children), sum = (key) => all.reduce((total, child) => total + child[key], 0);
        const {look} = this.data;
        const more = {...group, index: this.groups.length, parent: group.index, isRest: true, children: all, path: group.path,
            name: {text: `(${units.count(nRest + all.length)} more)`, light: look.light.other, dark: look.dark.other},
            retained: sum('retained') + rest, before: sum('before') + group.restBefore, self: 0, nObjects: 0, nBefore: 0,
            nRetained: sum('nRetained') + nRestObjects, nRest, nRestObjects, rest};
        more.growth = more.retained - more.before;
        this.groups.push(more);
        const place = (child, parent) => {
            child.parent = parent.index;
            child.depth = parent.depth + 1;
            child.children.forEach((grandchild) => place(grandchild, child));
        };
        place(more, group);
        Object.assign(group, {children: [...others, more], nRest: 0, nRestObjects: 0, rest: 0, restBefore: 0});
        this.zoom(more);
    }

    showAnswer({message, column, objects = [], matches, freed_objects: nFreed, freed_bytes: freed, object, ...ends}, question) {
        const isKnown = matches !== undefined;
        const says = {name: (row) => row.name !== row.type, site: (row) => row.site, field: (row) => row.field};
        const parts = object ? [['', [object]], [`refers to ${countObjects(ends.n_references)}`, ends.references],
            [`referred to by ${countObjects(ends.n_referrers)}`, ends.referrers]] : [['', objects]];
        const columns = COLUMNS.filter(([key]) => parts.some(([, rows]) => rows.some(says[key] || ((row) => row[key] !== undefined))));
        byId('question').setAttribute('aria-invalid', String(message !== undefined));
        byId('answer').hidden = objects.length === 0 && !column && !object;
        byId('way').hidden = !object;
        byId('way-steps').replaceChildren(...(object ? ends.way : []).map((step) => this.makeStep(step.type, step.retained_bytes, step.objects)));
        byId('complaint').hidden = !column;
        byId('complaint').textContent = column ? `${question}\n${' '.repeat(lettersBefore(question, column))}^ ${message}` : '';
        byId('ask-note').textContent = column ? '' : message || (!isKnown ? ''
            : matches === 0 ? 'no object matches'
            : `${countObjects(matches)}; if ${matches === 1 ? 'it' : 'they'} went, ${this.amount(freed)} in ` +
            `${countObjects(nFreed)} would be freed` +
            (objects.length < matches ? `; the largest ${units.count(objects.length)}:` : ''));
        byId('answer-heads').replaceChildren(...columns.map(([, title, isAmount]) => {
            const head = element('th', isAmount ? 'number' : '');
            head.scope = 'col';
            head.append(element('span', '', title));
            return head;
        }));
        byId('answer-rows').replaceChildren(...parts.flatMap(([title, rows]) => [
            ...(title ? [this.makePart(title, rows.length, columns.length)] : []),
            ...rows.map((row) => this.makeMatch(row, columns))]));
    }

    makePart(title, nRows, nColumns) {
        const made = element('tr', ''), head = element('th', 'part', nRows < 200 ? title : `${title}, of which ${nRows} are shown`);
        head.colSpan = nColumns;
        head.scope = 'rowgroup';
        made.append(head);
        return made;
    }

    makeStep(name, bytes, nNodes) {
        const item = element('li', '');
        item.append(element('span', 'amount', nNodes ? this.amount(bytes) : ''),
            element('span', 'text', !nNodes ? '…' : nNodes > 1 ? `${name} (${units.count(nNodes)} in a row)` : name));
        return item;
    }

    // The type is a button that shows its largest group, if the page has one, and the id one that shows the object.
    makeMatch(row, columns) {
        const made = element('tr', '');
        const group = this.groups.filter(({name}) => name.text === row.type)
            .reduce((largest, other) => largest && largest.retained >= other.retained ? largest : other, null);
        made.append(...columns.map(([key, , isAmount]) => {
            const text = isAmount ? this.amount(row[key]) : key === 'id' ? `@${row.id}` : row[key] ?? '';
            const isLink = key === 'id' ? row.id : key === 'type' && group;
            const cell = element('td', isAmount ? 'number' : '', isLink ? '' : text);
            cell.title = isAmount ? '' : text;
            if (isLink) {
                const button = element('button', '', text);
                button.type = 'button';
                button.addEventListener('click', () => key === 'id' ? this.ask(text) : this.zoom(group));
                cell.append(button);
            }
            return cell;
        }));
        return made;
    }

    // --- keys

    // Moves the selection among the bars.
    move(event) {
        const {selected} = this;
        const siblings = selected === this.root ? [selected] : this.groups[selected.parent].children;
        const at = siblings.indexOf(selected);
        const next = {
            ArrowDown: selected.children[0],
            ArrowUp: this.groups[selected.parent],
            ArrowLeft: siblings[at - 1],
            ArrowRight: siblings[at + 1],
        }[event.key];
        if (next && !event.ctrlKey && !event.altKey && !event.metaKey) {
            this.select(next);
            event.preventDefault();
        }
    }

    press(event) {
        const isInSearch = event.target.tagName === 'INPUT';
        if (byId('help').open || event.ctrlKey || event.altKey || event.metaKey) {
            return;
        }
        if (event.key === 'Escape') {
            this.goBack();
        } else if (isInSearch) {
            return;
        } else if (event.key === '0') {
            this.zoom(this.root);
        } else if (event.key === '/') {
            byId('search').focus();
        } else if (event.key === 't') {
            this.toggleTheme();
        } else if (event.key === '?') {
            byId('help').showModal();
        } else {
            return;
        }
        event.preventDefault();
    }

    goBack() {
        if (!byId('answer').hidden || byId('question').value) {
            byId('question').value = '';
            this.showAnswer({}, '');
        } else if (this.matcher || byId('search').value) {
            byId('search').value = '';
            this.find('');
        } else {
            this.zoom(this.groups[this.zoomed.parent]);
        }
    }

    // --- drawing

    draw() {
        byId('whole').disabled = this.zoomed === this.root;
        this.drawTrees();
        this.drawDetail();
        this.drawTable();
    }

    drawTrees() {
        this.deepest = this.zoomed.depth;
        for (const tree of this.trees) {
            this.drawTree(tree);
        }
        for (const {flame} of this.trees) {
            flame.style.height = `${(this.deepest + 1) * ROW_PX}px`;
        }
    }

    isIn(tree, group) {
        return !this.compares || group[tree.bytes] > 0;
    }

    // Shows the way to the zoomed group in full width, and below it what it keeps alive. A byte is as
    // wide in all trees.
    drawTree(tree) {
        const {flame, bars} = tree, hadFocus = flame.contains(document.activeElement);
        bars.clear();
        this.tree = tree;
        this.made = document.createDocumentFragment();
        this.px = flame.clientWidth / (Math.max(this.zoomed.before, this.zoomed.retained) || 1);
        for (let group = this.zoomed; group !== this.root;) {
            group = this.groups[group.parent];
            if (this.isIn(tree, group)) {
                this.addBar(group, 0, flame.clientWidth);
            }
        }
        if (this.isIn(tree, this.zoomed)) {
            this.addBars(this.zoomed, 0);
        }
        flame.replaceChildren(this.made);
        const bar = bars.get(this.selected) || bars.get(this.zoomed) || bars.get(this.root);
        if (bar) {
            bar.tabIndex = 0;
            if (hadFocus) {
                bar.focus({preventScroll: true});
            }
        }
    }

    // Adds the bar of a group that begins at `x`, and those below it.
    addBars(group, x) {
        const {bytes, rest} = this.tree;
        let left = group[rest], nLeft = group.nRest;
        this.addBar(group, x, group[bytes] * this.px || byId('flame').clientWidth);
        for (const child of group.children) {
            if (child[bytes] * this.px < LEAST_PX) {
                left += child[bytes];
                nLeft += child[bytes] > 0;
                continue;
            }
            this.addBars(child, x);
            x += child[bytes] * this.px;
        }
        if (left * this.px >= LEAST_PX) {
            this.addRest(group, x, left, nLeft);
        }
    }

    place(bar, depth, x, width) {
        bar.style.left = `${x}px`;
        bar.style.top = `${depth * ROW_PX}px`;
        bar.style.width = `${width}px`;
        bar.classList.toggle('narrow', width < NARROW_PX);
        this.deepest = Math.max(this.deepest, depth);
        this.made.append(bar);
    }

    addBar(group, x, width) {
        const growth = this.compares && this.tree.bytes === 'retained' ? ` ${this.change(group.growth)}` : '';
        const bar = element('button', '', width >= NARROW_PX ? group.name.text + growth : '');
        const colour = group.name[this.isDark ? 'dark' : 'light'];
        bar.type = 'button';
        bar.tabIndex = -1;
        bar.dataset.group = group.index;
        bar.setAttribute('role', 'treeitem');
        bar.setAttribute('aria-level', group.depth + 1);
        bar.setAttribute('aria-selected', String(group === this.selected));
        bar.setAttribute('aria-label', this.describe(group));
        bar.title = this.describe(group);
        bar.style.background = colour;
        bar.style.color = colours.inkOn(colour);
        bar.classList.toggle('faded', !this.matches(group));
        this.tree.bars.set(group, bar);
        this.place(bar, group.depth, x, width);
    }

    addRest(group, x, bytes, nGroups) {
        const width = bytes * this.px;
        const text = `(${units.count(nGroups)} more)`;
        const bar = element('button', 'rest', width >= 60 ? text : '');
        bar.type = 'button';
        bar.tabIndex = -1;
        bar.title = `${text}: ${this.amount(bytes)}`;
        if (nGroups > group.nRest || this.mayFetch(group)) {
            bar.dataset.rest = group.index;
        }
        this.place(bar, group.depth + 1, x, width);
    }

    describe(group) {
        if (this.compares) {
            return `${group.name.text}: ${this.change(group.growth)}, retained ${this.amount(group.before)} before, ` +
                `${this.amount(group.retained)} after`;
        }
        if (this.isOfWays) {
            return `${group.name.text}: leads to ${this.amount(group.retained)} (${this.share(group).toFixed(1)} %) in ` +
                countObjects(group.nRetained);
        }
        return `${group.name.text}: retains ${this.amount(group.retained)} ` +
            `(${this.share(group).toFixed(1)} %), itself ${this.amount(group.self)} in ` +
            `${units.count(group.nObjects)} objects`;
    }

    drawDetail() {
        const group = this.selected;
        byId('detail-name').textContent = group.name.text;
        const figures = this.compares ? [
            ['growth', this.change(group.growth)],
            ['retained', `${this.amount(group.before)} → ${this.amount(group.retained)}`],
            ['objects', `${units.count(group.nBefore)} → ${units.count(group.nObjects)}`],
        ] : this.isOfWays ? [
            ['leads to', `${this.amount(group.retained)} in ${countObjects(group.nRetained)}`],
            ['share', `${this.share(group).toFixed(1)} %`],
        ] : [
            ['retains', `${this.amount(group.retained)} in ${countObjects(group.nRetained)}`],
            ['share', `${this.share(group).toFixed(1)} %`],
            ['itself', `${this.amount(group.self)} in ${countObjects(group.nObjects)}`],
        ];
        byId('detail-figures').replaceChildren(...figures.flatMap(
            ([what, value]) => [element('dt', '', what), element('dd', '', value)]));
        byId('holders').replaceChildren(...group.path.map(({name, bytes, nNodes}, i) =>
            this.makeStep(i === 0 ? this.root.name.text : name.text, bytes, nNodes)));
    }

    // Returns the groups of the table, in the order of the tree: the zoomed one and those below it,
    // or all that the search finds.
    listGroups() {
        const list = [];
        const add = (group) => {
            list.push(group);
            group.children.forEach(add);
        };
        add(this.matcher ? this.root : this.zoomed);
        return list.filter((group) => this.matches(group));
    }

    drawTable() {
        const list = this.listGroups(), key = this.sort === 'share' ? 'retained' : this.sort;
        if (key !== 'tree') {
            list.sort((a, b) => b[key] - a[key]);
        }
        census.showSort('data-sort', key === 'tree' ? null : this.sort, true);
        byId('rows').replaceChildren(
            ...list.slice(0, this.nRows).map((group) => this.makeRow(group, key === 'tree' && !this.matcher)));
        byId('more-rows').hidden = list.length <= this.nRows;
    }

    makeRow(group, isIndented) {
        const row = element('tr', ''), name = element('td', 'name'), button = element('button', '');
        button.type = 'button';
        button.style.paddingLeft = `${isIndented ? 16 * (group.depth - this.zoomed.depth) : 0}px`;
        button.append(swatch(group.name[this.isDark ? 'dark' : 'light']), element('span', 'text', group.name.text));
        name.append(button);
        row.append(name, ...this.columns.map(([key]) => element('td', 'number',
            key === 'share' ? `${this.share(group).toFixed(1)} %` : key === 'growth' ? this.change(group.growth)
            : key.startsWith('n') ? units.count(group[key]) : this.amount(group[key]))));
        row.addEventListener('click', () => this.zoom(group));
        return row;
    }
}

const text = byId('census-data').textContent;
census.page = new Page(JSON.parse(text));
})(globalThis.census = globalThis.census || {});
