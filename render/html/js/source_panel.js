// SPDX-License-Identifier: BSD-2-Clause
//
// The text of the program around the calls of the chosen frame, with the bytes of each line at the time of the
// flame graph: of all stacks that pass through the line. A page has it, or asks its server for it.
(function (census) {
'use strict';

const {byId, element} = census;
const CALLS_MS = 1000;      // between questions for the calls of a growing profile

// Returns the file and the first line of a place such as "a.c:12" or "A.hs:(3,1)-(4,9)", or null.
function placeOf(source) {
    const found = /^(.+?):\(?(\d+)/.exec(source);
    return found && {file: found[1], line: Number(found[2])};
}

function hexOf(text) {
    return Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

class SourcePanel {
    // `url`: where a server has lines of files, or null. `whenRead` shows them.
    constructor(sources, url, whenRead) {
        this.files = new Map();
        this.url = url;
        this.whenRead = whenRead;
        this.asked = new Set(); // the places for which the server was asked
        this.nWaiting = 0;      // answers that are missing
        this.calls = {};        // that were asked for: of which stacks, at which version, and whether to wait
        this.shown = '';    // the place to which the panel was scrolled
        this.known = {};    // of a file: the line of each place of some stacks, or 0
        this.take(sources);
    }

    take(sources) {
        sources.forEach(({file, lines}) => this.files.set(census.shown(file), lines));
    }

    // Returns the lines of the file of a place, or undefined. Asks for them once if they lack the place.
    linesOf(place, id) {
        const lines = this.files.get(place.file), text = `${id} ${place.file}:${place.line}`;
        const isThere = lines && lines.some(([line]) => line === place.line);
        if (!isThere && this.url && !this.asked.has(text)) {
            this.asked.add(text);
            this.nWaiting++;
            fetch(`${this.url}/${id}/${hexOf(place.file)}`).then((answer) => answer.ok ? answer.json() : [])
                .then((sources) => {
                    this.take(sources);
                }).catch(() => this.asked.delete(text)).finally(() => {
                    this.nWaiting--;
                    this.whenRead();
                });
        }
        return lines;
    }

    // Asks for the calls of a growing profile, whose samples do not have them, again when it has grown.
    askForCalls({stacks, entry}) {
        const {version} = entry.profile, {calls} = this;
        if (!this.url || entry.state !== 'growing' || calls.isWaiting || (calls.stacks === stacks && calls.version === version)) {
            return;
        }
        this.calls = {stacks, version, isWaiting: true};
        fetch(`${this.url}/${entry.id}/calls`).then((answer) => answer.ok ? answer.json() : null).then((answer) => {
            if (answer) {
                stacks.takeCalls(answer);
                this.whenRead();
            }
        }).catch(() => {}).finally(() => setTimeout(() => {
            this.calls.isWaiting = false;
            this.whenRead();
        }, CALLS_MS));
    }

    // Returns the bytes by line of a file.
    bytesOf(file, {stacks}, amounts) {
        const {known} = this;
        if (known.file !== file || known.stacks !== stacks || known.lineOf.length !== stacks.places.length) {
            this.known = {file, stacks, lineOf: stacks.places.map((source) => {
                const place = placeOf(source);
                return place && place.file === file ? place.line : 0;
            })};
        }
        const {lineOf} = this.known, bytes = new Map();
        stacks.calls.forEach((calls, leaf) => {
            const lines = amounts[leaf] ? new Set(Array.from(calls, (place) => lineOf[place])) : [];
            lines.forEach((line) => bytes.set(line, (bytes.get(line) || 0) + amounts[leaf]));
        });
        return bytes;
    }

    // Shows the lines around the calls of the chosen frame of a flame graph, the largest in the middle, or of the
    // next of its callers whose lines are known.
    show(flame) {
        const {stacks, entry} = flame;
        if (flame.zoomed.parent) {
            this.askForCalls(flame);
        }
        let chosen = null, places = [], lines;
        for (let node = flame.zoomed; node.parent && !lines && !this.nWaiting; node = node.parent) {
            chosen = node;
            places = flame.callsOf(node).map(placeOf);
            lines = places[0] && this.linesOf(places[0], entry.id);
        }
        byId('source').hidden = !lines;
        if (!lines) {
            this.shown = '';
            return;
        }
        const {file, line: largest} = places[0], source = `${stacks.frames[chosen.frame].label} ${file}:${largest}`;
        const bytes = this.bytesOf(file, flame, flame.amounts());
        const current = new Set(places.filter((place) => place && place.file === file).map(({line}) => line));
        const isStart = stacks.frames[chosen.frame].source === `${file}:${largest}`;
        byId('source-title').textContent = entry.state === 'growing' && isStart
            ? `${source} (where the function begins: the bytes of its several calls come when the program has ended)` : source;
        byId('source-rows').replaceChildren(...lines.map(([line, text], i) => {
            const row = element('tr', current.has(line) ? 'alone' : i && lines[i - 1][0] + 1 < line ? 'gap' : '');
            const amount = bytes.get(line);
            row.setAttribute('aria-current', String(line === largest));
            row.append(element('td', 'number', amount ? flame.amountOf(amount) : ''),
                element('th', 'number faint', String(line)), element('td', 'code', census.shown(text.replace(/\t/g, '    '))));
            return row;
        }));
        if (this.shown !== source) {
            this.shown = source;
            const row = byId('source-rows').querySelector('[aria-current=true]'), box = byId('source-lines');
            box.scrollTop = row ? row.offsetTop - box.clientHeight / 2 : 0;
        }
    }
}

census.SourcePanel = SourcePanel;
})(globalThis.census = globalThis.census || {});
