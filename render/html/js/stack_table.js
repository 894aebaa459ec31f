// SPDX-License-Identifier: BSD-2-Clause
//
// Table of the frames as a tree, next to the flame graph and in the same direction: bytes now, at the
// peak and at the end, of a frame with all below it and of the frame itself; and the bytes allocated, if the
// recording has them.
(function (census) {
'use strict';

const {byId, element, swatch} = census;
const FIRST_ROWS = 40, MORE_ROWS = 200;
const INDENT_PX = 14;

class StackTable {
    constructor(app, flame) {
        this.app = app;
        this.flame = flame;
        this.body = byId('stack-rows');
        this.opened = new Map();    // by frames of a row, as text: whether it was opened or closed
        this.shownFrame = '';       // the chosen frame to which rows were opened
        this.rows = [];             // {key, node, parts, indent, isOpen, hasChildren}
        this.nShown = FIRST_ROWS;
        this.sums = {};             // at the peak and at the end, allocated, and the size of all of these
        this.keys = {
            'ArrowDown': (row) => this.focusRow(this.rows[this.rows.indexOf(row) + 1]),
            'ArrowUp': (row) => this.focusRow(this.rows[this.rows.indexOf(row) - 1]),
            'ArrowRight': (row) => row.isOpen ? this.keys.ArrowDown(row) : this.toggle(row),
            'ArrowLeft': (row) => row.isOpen ? this.toggle(row)
                : this.focusRow(this.rows.find(({node}) => node === row.node.parent)),
            'Enter': (row) => flame.zoomTo(row.node),
        };
        this.listen();
    }

    listen() {
        byId('more-stacks').addEventListener('click', () => {
            this.nShown += MORE_ROWS;
            this.show();
        });
        census.listenToHeads('data-stack-sort', (column) => this.sortBy(column));
        this.body.addEventListener('click', (event) => {
            const row = this.rowOf(event.target);
            if (row && event.target.closest('.toggle')) {
                this.toggle(row);
            } else if (row) {
                this.flame.zoomTo(row.node);
            }
        });
    }

    rowOf(target) {
        const shown = target.closest('#stack-rows tr');
        return shown ? this.rows.find(({key}) => key === shown.dataset.key) : undefined;
    }

    // Returns what a key does in the row that has the focus, or undefined.
    actionOf(event) {
        const row = this.rowOf(event.target), act = row && this.keys[event.key];
        return act && (() => act(row));
    }

    sortBy(column) {
        const {stackSort} = this.app.view;
        this.app.view.stackSort = {column,
            isDown: stackSort.column === column ? !stackSort.isDown : column !== 'name'};
        this.app.redraw();
    }

    // --- rows

    toggle(row) {
        if (row.hasChildren) {
            this.opened.set(row.key, !row.isOpen);
            this.show();
            this.focusRow(this.rows.find(({key}) => key === row.key));
        }
    }

    // Opens the rows on the way to the chosen frame.
    openChosen() {
        const {frame} = this.flame.entry.own;
        if (this.shownFrame !== frame.join('\n')) {
            frame.forEach((_, i) => this.opened.set(frame.slice(0, i).join('\n'), true));
            this.shownFrame = frame.join('\n');
        }
    }

    // Sums up the bytes at the peak and at the end, and those allocated.
    prepare() {
        const {stacks, order} = this.flame, {profile} = stacks;
        if (this.sums.order !== order || this.sums.version !== profile.version) {
            const {end} = new census.stats.Stretch(profile, 0, profile.n - 1);
            const [peak, last] = [stacks.amountsAt(this.flame.moments.peakOf(profile)), stacks.amountsAt(end)];
            const {allocated} = stacks;
            this.sums = {order, version: profile.version, peak: order.running(peak), end: order.running(last),
                allocated: allocated && order.running(allocated),
                seen: order.running(peak.map((amount, leaf) =>
                    Math.abs(amount) + Math.abs(last[leaf]) + (allocated ? allocated[leaf] : 0)))};
        }
    }

    // Returns {name, total, self, peak, end, allocated, temporary} of a node. With two times, total and self are changes.
    // With allocators first, only they have bytes of their own. A recording that was cut may have more samples than totals.
    partsOf(node) {
        const {flame} = this, {order} = flame, now = flame.nets || flame.widths;
        const sum = (sums, to) => sums[to] - sums[node.from];
        const total = sum(now, node.to);
        const self = this.app.view.tree === 'down' ? sum(now, order.endOfSelf(node))
            : node.depth === 1 ? total : NaN;
        const [peak, end, allocated] = [this.sums.peak, this.sums.end, this.sums.allocated]
            .map((sums) => sums ? sum(sums, node.to) : NaN);
        return {name: flame.stacks.frames[node.frame].label, total, self, peak, end,
            allocated, temporary: Math.max(0, allocated - end)};
    }

    // Returns whether a frame has bytes now, at the peak or at the end, or has allocated some, and if there
    // is a search, in stacks that have what it finds, here or below.
    isShown(node) {
        const {order, widths, found} = this.flame, {seen} = this.sums;
        const haveBytes = (from, to) => widths[to] > widths[from] || seen[to] > seen[from];
        if (this.app.view.matcher === null) {
            return haveBytes(node.from, node.to);
        }
        return order.paths.slice(node.from, node.to).some((path, i) =>
            haveBytes(node.from + i, node.from + i + 1) &&
            path.subarray(node.depth - 1).some((frame) => found[frame]));
    }

    // Lists the rows below a node, below open rows their rows, too; while there is a search, all are
    // open down to what it finds.
    list(node, key, indent) {
        const {flame} = this, {column, isDown} = this.app.view.stackSort, sign = isDown ? -1 : 1;
        const shown = flame.order.children(node).filter((child) => this.isShown(child));
        const own = node.parent && shown.length > 1 ? indent + 1 : indent;   // a chain stays at one depth
        const children = shown
            .map((child) => ({node: child, parts: this.partsOf(child)}))
            .sort(({parts: a}, {parts: b}) => sign * (column === 'name'
                ? (a.name < b.name ? -1 : a.name > b.name ? 1 : 0) : (a[column] || 0) - (b[column] || 0)));
        for (const {node: child, parts} of children) {
            if (this.rows.length > this.nShown) {
                return;
            }
            const text = flame.textOf(child.frame), childKey = key ? `${key}\n${text}` : text;
            const hasChildren = flame.order.endOfSelf(child) < child.to;
            // A row without siblings is open from the start.
            const isSearched = this.app.view.matcher !== null && !flame.found[child.frame];
            const isOpen = hasChildren && (isSearched || (this.opened.get(childKey) ?? children.length === 1));
            this.rows.push({key: childKey, node: child, parts, indent: own, isOpen, hasChildren});
            if (isOpen) {
                this.list(child, childKey, own);
            }
        }
    }

    show() {
        const {flame} = this, focused = this.rowOf(document.activeElement || document.body);
        this.openChosen();
        this.prepare();
        this.rows = [];
        this.list(flame.order.root, '', 0);
        const hasMore = this.rows.length > this.nShown;
        this.rows.length = Math.min(this.rows.length, this.nShown);
        this.body.replaceChildren(...this.rows.map((row, i) => this.make(row, i === 0)));
        byId('more-stacks').hidden = !hasMore;
        byId('total-head').textContent = flame.nets ? 'Change' : 'Total';
        document.querySelectorAll('th[data-stack-sort=allocated], th[data-stack-sort=temporary]').forEach((head) => {
            head.hidden = !this.sums.allocated;
        });
        if (focused) {
            this.focusRow(this.rows.find(({key}) => key === focused.key));
        }
        const {column, isDown} = this.app.view.stackSort;
        census.showSort('data-stack-sort', column, isDown);
    }

    make(row, isFirst) {
        const {flame} = this, {parts, node} = row;
        const amount = (value) => Number.isNaN(value) ? '' : flame.nets && value > 0
            ? `+${flame.amount(value)}` : value < 0 ? `−${flame.amount(-value)}` : flame.amount(value);
        const made = element('tr', row.key === this.shownFrame ? 'alone' : '');
        const share = flame.total > 0
            ? `${(100 * Math.abs(parts.total) / flame.total).toFixed(1)}\u00a0%` : '–';
        made.dataset.key = row.key;
        made.tabIndex = isFirst ? 0 : -1;
        made.setAttribute('role', 'row');
        made.setAttribute('aria-current', String(row.key === this.shownFrame));
        made.setAttribute('aria-level', node.depth);
        if (row.hasChildren) {
            made.setAttribute('aria-expanded', String(row.isOpen));
        }
        made.append(this.nameCell(row), ...[amount(parts.total), share, amount(parts.self)]
            .map((text) => element('td', 'number', text)),
        ...[parts.peak, parts.end, parts.allocated, parts.temporary].filter((value) => !Number.isNaN(value))
            .map((value) => element('td', 'number', flame.amountOf(value))));
        [...made.children].forEach((cell) => cell.setAttribute('role', 'gridcell'));
        return made;
    }

    nameCell({node, indent, isOpen, hasChildren}) {
        const {flame} = this, {label, module} = flame.stacks.frames[node.frame], source = flame.callText(node);
        const cell = element('td', 'name'), box = element('div', 'frame');
        box.style.paddingLeft = `${indent * INDENT_PX}px`;
        box.title = [label, module, source].filter(Boolean).join('\n');
        const toggle = element('span', hasChildren ? 'toggle' : 'toggle leaf', hasChildren ? isOpen ? '▾' : '▸' : '');
        toggle.setAttribute('aria-hidden', 'true');
        box.append(toggle,
            swatch(flame.colourOf({node})), element('span', 'text', label),
            element('span', 'faint text', source.replace(/^.*\//, '')));
        cell.append(box);
        return cell;
    }

    focusRow(row) {
        const shown = row && [...this.body.children].find(({dataset}) => dataset.key === row.key);
        if (shown) {
            [...this.body.children].forEach((other) => { other.tabIndex = other === shown ? 0 : -1; });
            shown.focus({preventScroll: false});
        }
    }
}

census.StackTable = StackTable;
})(globalThis.census = globalThis.census || {});
