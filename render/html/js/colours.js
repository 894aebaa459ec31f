// SPDX-License-Identifier: BSD-2-Clause
//
// Colours of bands. Each name has a preferred colour. Where two bands would have the same one, or
// neighbours would look too similar, the smaller band gets another colour of the palette, and keeps
// it as long as possible.
(function (census) {
'use strict';

const LEAST_STEP = 20;  // of CIE lightness between neighbours
const N_LIGHTNESSES = 3;

function channels(hex) {
    return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255);
}

function luminance(hex) {
    const [r, g, b] = channels(hex)
        .map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

const lightnesses = new Map();

// CIE L*.
function lightness(hex) {
    if (!lightnesses.has(hex)) {
        const y = luminance(hex);
        lightnesses.set(hex, y > 216 / 24389 ? 116 * Math.cbrt(y) - 16 : y * 24389 / 27);
    }
    return lightnesses.get(hex);
}

function areApart(a, b) {
    return Math.abs(lightness(a) - lightness(b)) >= LEAST_STEP;
}

// Returns black or white, whichever has more contrast.
function inkOn(hex) {
    const y = luminance(hex);
    return (y + 0.05) / 0.05 > 1.05 / (y + 0.05) ? '#000000' : '#ffffff';
}

function mix(a, b, share) {
    const other = channels(b);
    return '#' + channels(a).map((part, i) => Math.round(255 * (share * part + (1 - share) *
        other[i])).toString(16).padStart(2, '0')).join('');
}

function contrast(a, b) {
    const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (light + 0.05) / (dark + 0.05);
}

// Returns the colour, mixed with black or white until a line of it is visible on the background.
function strong(colour, theme) {
    for (let share = 1; share > 0; share -= 0.1) {
        const mixed = mix(colour, theme.ink, share);
        if (contrast(mixed, theme.background) >= 2.5) {
            return mixed;
        }
    }
    return theme.ink;
}

function hash(text) {
    let h = 2166136261;
    for (let i = 0; i < text.length; i++) {
        h = Math.imul(h ^ text.charCodeAt(i), 16777619);
    }
    return h >>> 0;
}

class Colours {
    constructor(look) {
        this.look = look;
        this.given = new Map(); // by name: its colour on this page
    }

    // Returns the colour that a name had when it was last shown, or undefined.
    colourOf(name) {
        return this.look.palette[this.given.get(name)];
    }

    // Sets the colours of stacked bands, bottom first. `side`: 0 on light
    // ground, 1 on dark.
    assign(bands, side) {
        const theme = side ? this.look.dark : this.look.light;
        const named = bands.filter((band) => !band.isOther);
        const used = new Map();
        named.forEach((band) => { band.colour = null; });
        // Bands that were shown before keep their colours.
        named.sort((a, b) => this.given.has(b.name) - this.given.has(a.name) || b.area - a.area);
        for (const band of named) {
            band.colour = this.best(bands, bands.indexOf(band), side, used);
            used.set(band.colour, (used.get(band.colour) || 0) + 1);
        }
        for (const band of bands.filter((other) => other.isOther)) {
            const neighbours = this.neighbours(bands, bands.indexOf(band));
            band.colour = theme.greys.find((grey) => neighbours.every((other) => areApart(grey, other)))
                || theme.greys[0];
        }
    }

    neighbours(bands, at) {
        return [bands[at - 1], bands[at + 1]]
            .filter((band) => band && band.colour).map((band) => band.colour);
    }

    best(bands, at, side, used) {
        const band = bands[at], palette = this.look.palette;
        const wanted = palette.indexOf(band.wanted[side]);
        if (wanted < 0) {
            return band.wanted[side];   // fixed, whatever its neighbours are
        }
        const kept = this.given.has(band.name) ? this.given.get(band.name) : wanted;
        const neighbours = this.neighbours(bands, at), seed = hash(band.name);
        let best = 0, least = Infinity;
        palette.forEach((colour, i) => {
            const cost = this.cost(i, kept, seed) + 100 * (used.get(colour) || 0) +
                10000 * neighbours.filter((other) => !areApart(colour, other)).length;
            if (cost < least) {
                [best, least] = [i, cost];
            }
        });
        this.given.set(band.name, best);
        return palette[best];
    }

    // The preferred colour costs nothing, others of its hue little.
    cost(colour, wanted, seed) {
        const hue = (i) => Math.floor(i / N_LIGHTNESSES);
        return colour === wanted ? 0
            : (hue(colour) === hue(wanted) ? 8 : 16) + (seed + colour * 7) % 8;
    }
}

census.colours = {Colours, inkOn, mix, strong};
})(globalThis.census = globalThis.census || {});
