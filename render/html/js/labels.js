// SPDX-License-Identifier: BSD-2-Clause
//
// Places of names: on their bands where these are thick enough over the length of the name, else
// right of the bands, spread so that none overlap.
(function (census) {
'use strict';

const CELL_PX = 6;
const SIZE = 12;
const LEAST_THICK_PX = 17;
const NEARLY = 0.7;
const ROW_PX = 16;
const LEAST_CHARACTERS = 8, MOST_CHARACTERS = 160;
const ROUNDING_PX = 1e-6;
const SHARES = [1, 0.7, 0.5, 0.34]; // of a name that may have to do

// Returns a text without its middle: with `kept` characters, three in five of them at the beginning. A
// name that was cut before has no end worth keeping.
function cut(characters, kept) {
    const nHead = characters.slice(-3).join('') === '...' ? kept : Math.floor((kept * 3 + 4) / 5);
    const head = characters.slice(0, nHead).join('').replace(/ +$/, '');
    return `${head}…${characters.slice(characters.length - (kept - nHead)).join('')}`;
}

// Cuts a text to a width, as in render/layout/elide.c; returns null when fewer than `least` characters
// would be left.
function elide(text, width, size, least = LEAST_CHARACTERS) {
    const characters = Array.from(text), fits = (shown) =>
        census.surface.measure(shown, size) <= width + ROUNDING_PX;
    if (characters.length <= MOST_CHARACTERS && fits(text)) {
        return text;
    }
    let fitting = 0, tooMany = Math.min(characters.length, MOST_CHARACTERS);
    while (fitting + 1 < tooMany) {
        const kept = Math.floor((fitting + tooMany) / 2);
        [fitting, tooMany] = fits(cut(characters, kept)) ? [kept, tooMany] : [fitting, kept];
    }
    return fitting < least ? null : cut(characters, fitting);
}

// Returns the frame of a stack that tells it from all others.
function differingFrame(stack, stacks) {
    let at = 0;
    for (const other of stacks) {
        let n = 0;
        while (n < stack.length && stack[n] === other[n]) {
            n++;
        }
        at = other === stack ? at : Math.max(at, stack.lastIndexOf('/', n - 1) + 1);
    }
    return stack.slice(at).split('/', 1)[0];
}

// Cuts names to a width; those that would be equal to the frame that differs, as in render/layout/labels.c.
function elideAll(names, width, size) {
    const texts = names.map((name) => elide(name, width, size));
    const isAlone = (text, all) => all.indexOf(text) === all.lastIndexOf(text);
    const frames = names.map((name, i) => {
        if (texts[i] === name || isAlone(texts[i], texts)) {
            return texts[i];
        }
        const frame = differingFrame(name, names), whole = `…/${frame}/…`;
        return census.surface.measure(whole, size) <= width ? whole : elide(frame, width, size);
    });
    return frames.map((text, i) => text !== null && isAlone(text, frames) ? text : texts[i]);
}

// Returns the space of a band in each cell: the lowest point of its upper edge, the highest of its
// lower.
function roomOf(frame, upper, lower) {
    const n = Math.max(1, Math.floor(frame.width / CELL_PX));
    const top = new Float64Array(n).fill(frame.top), bottom = new Float64Array(n).fill(Infinity);
    const see = (cell, high, low) => {
        if (cell >= 0 && cell < n) {
            top[cell] = Math.max(top[cell], high);
            bottom[cell] = Math.min(bottom[cell], low);
        }
    };
    for (let j = 0; j < upper.length; j += 2) {
        const cell = Math.floor((upper[j] - frame.left) / CELL_PX);
        see(cell, upper[j + 1], lower[j + 1]);
        if (j > 0) {
            seeBetween(frame, upper, lower, j, see);
        }
    }
    return {n, top, bottom};
}

// Interpolates the straight lines before point `j` at the borders of cells.
function seeBetween(frame, upper, lower, j, see) {
    const x0 = upper[j - 2], x1 = upper[j];
    const first = Math.max(0, Math.ceil((x0 - frame.left) / CELL_PX));
    const last = Math.min((x1 - frame.left) / CELL_PX, frame.width / CELL_PX);
    for (let border = first; border <= last && x1 > x0; border++) {
        const share = (frame.left + border * CELL_PX - x0) / (x1 - x0);
        const high = upper[j - 1] + share * (upper[j + 1] - upper[j - 1]);
        const low = lower[j - 1] + share * (lower[j + 1] - lower[j - 1]);
        see(border - 1, high, low);
        see(border, high, low);
    }
}

// Returns all places for a text that covers that many cells: {x, y, thick} of its middle.
function listPlaces(frame, room, nCells) {
    const places = [];
    for (let first = 1; first + nCells < room.n; first++) {
        let top = -Infinity, bottom = Infinity;
        for (let cell = first; cell < first + nCells && bottom - top >= LEAST_THICK_PX; cell++) {
            top = Math.max(top, room.top[cell]);
            bottom = Math.min(bottom, room.bottom[cell]);
        }
        const thick = bottom - top;
        if (thick >= LEAST_THICK_PX) {
            places.push({x: frame.left + (first + nCells / 2) * CELL_PX, y: (top + bottom) / 2,
                thick});
        }
    }
    return places;
}

// Returns the place nearest to the middle of the picture where the band is nearly as thick as
// anywhere, or null.
function bestPlace(frame, room, nCells) {
    const places = listPlaces(frame, room, nCells);
    const most = places.reduce((thick, place) => Math.max(thick, place.thick), 0);
    const middle = frame.left + frame.width / 2;
    let best = null;
    for (const place of places) {
        const isNearer = !best || Math.abs(place.x - middle) < Math.abs(best.x - middle);
        best = place.thick >= NEARLY * most && isNearer ? place : best;
    }
    return best;
}

function placeInside(frame, band, upper, lower) {
    const room = roomOf(frame, upper, lower);
    const width = census.surface.measure(band.shown, SIZE);
    for (const share of SHARES) {
        const text = share === 1 ? band.shown : elide(band.shown, share * width, SIZE);
        const taken = text && census.surface.measure(text, SIZE);
        const place = text && bestPlace(frame, room, Math.ceil((taken + 12) / CELL_PX));
        if (place) {
            return {text, x: place.x, y: place.y + SIZE * 0.35};
        }
    }
    return null;
}

// Moves rows apart, as little as possible: [{y, ...}] from top to bottom, within top and bottom. Rows
// of one height keep their order.
function spread(rows, top, bottom) {
    rows.sort((a, b) => a.y - b.y);
    let least = top;
    for (const row of rows) {
        row.y = Math.max(row.y, least);
        least = row.y + ROW_PX;
    }
    let most = bottom;
    for (let i = rows.length - 1; i >= 0; i--) {
        rows[i].y = Math.min(rows[i].y, most);
        most = rows[i].y - ROW_PX;
    }
    return rows;
}

census.labels = {placeInside, spread, elide, elideAll, SIZE, ROW_PX};
})(globalThis.census = globalThis.census || {});
