// SPDX-License-Identifier: BSD-2-Clause
//
// Two drawing surfaces with the same methods, canvas and SVG, so that the screen and downloaded files
// show the same picture. Points are a flat list: x, y, x, y. Texts are never interpreted as markup.
(function (census) {
'use strict';

const FAMILY = 'system-ui, -apple-system, "Segoe UI", "Liberation Sans", Helvetica, Arial, ' +
    'sans-serif';

const PIECE = 128;      // numbers of an area that are painted at once
const OVERLAP_PX = 4;   // of two pieces: where both end inside a pixel, it would be pale

function fontOf(size, isBold) {
    return `${isBold ? '600 ' : ''}${size}px ${FAMILY}`;
}

const measuring = document.createElement('canvas').getContext('2d');
const widths = new Map();

function measure(text, size, isBold) {
    const key = `${size}${isBold ? 'b' : ''} ${text}`;
    let width = widths.get(key);
    if (width === undefined) {
        if (widths.size > 5000) {
            widths.clear();
        }
        measuring.font = fontOf(size, isBold);
        width = measuring.measureText(text).width;
        widths.set(key, width);
    }
    return width;
}

class CanvasSurface {
    constructor(context) {
        this.context = context;
    }

    trace(points) {
        const c = this.context;
        c.beginPath();
        for (let i = 0; i < points.length; i += 2) {
            c.lineTo(points[i], points[i + 1]);
        }
    }

    // Fills the area between a curve and the height `base`, in pieces: the time for a shape is
    // proportional to its points times its height.
    area(points, base, colour) {
        this.context.fillStyle = colour;
        for (let i = 0; i < points.length - 2; i += PIECE) {
            let last = Math.min(i + PIECE, points.length - 2);
            const end = points[last] + OVERLAP_PX;
            while (last < points.length - 2 && points[last] < end) {
                last += 2;
            }
            this.trace([...points.slice(i, last + 2), points[last], base, points[i], base]);
            this.context.fill();
        }
    }

    polyline(points, colour, width, dash) {
        const c = this.context;
        this.trace(points);
        c.strokeStyle = colour;
        c.lineWidth = width;
        c.lineJoin = 'round';
        c.setLineDash(dash || []);
        c.stroke();
        c.setLineDash([]);
    }

    rectangle(x, y, width, height, colour) {
        this.context.fillStyle = colour;
        this.context.fillRect(x, y, width, height);
    }

    // Makes what is drawn in a frame transparent, at once: pieces of an area overlap.
    fade({left, top, width, height}, share) {
        const c = this.context;
        c.globalCompositeOperation = 'destination-in';
        c.globalAlpha = share;
        c.fillRect(left, top, width, height);
        c.globalAlpha = 1;
        c.globalCompositeOperation = 'source-over';
    }

    circle(x, y, radius, colour, edge) {
        const c = this.context;
        c.beginPath();
        c.arc(x, y, radius, 0, 2 * Math.PI);
        c.fillStyle = colour;
        c.fill();
        c.strokeStyle = edge;
        c.lineWidth = 1.5;
        c.stroke();
    }

    // `how`: {colour, size, anchor: 'start' | 'middle' | 'end', bold, halo}.
    text(text, x, y, how) {
        const c = this.context;
        c.font = fontOf(how.size, how.bold);
        c.textAlign = how.anchor === 'middle' ? 'center' : how.anchor || 'start';
        if (how.halo) {
            c.strokeStyle = how.halo;
            c.lineWidth = 4;
            c.lineJoin = 'round';
            c.strokeText(text, x, y);
        }
        c.fillStyle = how.colour;
        c.fillText(text, x, y);
    }

    beginClip(x, y, width, height) {
        this.context.save();
        this.context.beginPath();
        this.context.rect(x, y, width, height);
        this.context.clip();
    }

    endClip() {
        this.context.restore();
    }

    beginGroup() { /* a canvas has no tooltips */ }
    endGroup() { /* nor this */ }
}

function escaped(text) {
    return text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
}

function round(number) {
    return String(Math.round(number * 100) / 100);
}

class SvgSurface {
    constructor(width, height, title) {
        this.nClips = 0;
        this.parts = ['<?xml version="1.0" encoding="UTF-8"?>\n',
            `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" `,
            `viewBox="0 0 ${width} ${height}" font-family="${escaped(FAMILY)}">\n`,
            `<title>${escaped(title)}</title>\n`];
    }

    path(points, end) {
        let out = '';
        for (let i = 0; i < points.length; i += 2) {
            out += `${i ? 'L' : 'M'}${round(points[i])} ${round(points[i + 1])}`;
        }
        return `d="${out}${end}"`;
    }

    area(points, base, colour) {
        const all = [...points, points[points.length - 2], base, points[0], base];
        this.parts.push(`<path fill="${colour}" ${this.path(all, 'Z')}/>\n`);
    }

    polyline(points, colour, width, dash) {
        const dashes = dash && dash.length ? ` stroke-dasharray="${dash.join(' ')}"` : '';
        this.parts.push(`<path fill="none" stroke="${colour}" stroke-width="${width}" `,
            `stroke-linejoin="round"${dashes} ${this.path(points, '')}/>\n`);
    }

    rectangle(x, y, width, height, colour) {
        this.parts.push(`<rect x="${round(x)}" y="${round(y)}" width="${round(width)}" `,
            `height="${round(height)}" fill="${colour}"/>\n`);
    }

    circle(x, y, radius, colour, edge) {
        this.parts.push(`<circle cx="${round(x)}" cy="${round(y)}" r="${radius}" `,
            `fill="${colour}" stroke="${edge}" stroke-width="1.5"/>\n`);
    }

    text(text, x, y, how) {
        const halo = how.halo ? ` stroke="${how.halo}" stroke-width="4" paint-order="stroke"` : '';
        this.parts.push(`<text x="${round(x)}" y="${round(y)}" font-size="${how.size}" `,
            `fill="${how.colour}" text-anchor="${how.anchor || 'start'}"${halo}`,
            `${how.bold ? ' font-weight="600"' : ''}>${escaped(text)}</text>\n`);
    }

    beginClip(x, y, width, height) {
        const id = `clip${++this.nClips}`;
        this.parts.push(`<clipPath id="${id}"><rect x="${round(x)}" y="${round(y)}" `,
            `width="${round(width)}" height="${round(height)}"/></clipPath>\n`,
            `<g clip-path="url(#${id})">\n`);
    }

    endClip() {
        this.parts.push('</g>\n');
    }

    beginGroup(title) {
        this.parts.push(`<g><title>${escaped(title)}</title>\n`);
    }

    endGroup() {
        this.parts.push('</g>\n');
    }

    finish() {
        return this.parts.join('') + '</svg>\n';
    }
}

census.surface = {CanvasSurface, SvgSurface, measure, FAMILY};
})(globalThis.census = globalThis.census || {});
