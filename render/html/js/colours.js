// SPDX-License-Identifier: BSD-2-Clause
//
// Colours that depend on others, the same as in render/style/colour.c and fill.c. Colours of names are
// data.
(function (census) {
'use strict';

const LEAST_STEP = 20;      // of CIE lightness between bands that need no hairline
const LEAST_DIFFERENCE = 30; // in CIE L*a*b* between lines that need no dashes
const LEAST_CONTRAST = 2.5; // of a line against the background

function channels(hex) {
    return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255);
}

function linear(hex) {
    return channels(hex).map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
}

function luminance(hex) {
    const [r, g, b] = linear(hex);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

// Returns the contrast of WCAG 2.
function contrast(a, b) {
    const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (light + 0.05) / (dark + 0.05);
}

// Returns CIE L*a*b* under D65.
function labOf(hex) {
    const [r, g, b] = linear(hex), curve = (t) => t > 216 / 24389 ? Math.cbrt(t) : t * 841 / 108 + 4 / 29;
    const x = curve((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047);
    const y = curve(luminance(hex));
    const z = curve((0.0193339 * r + 0.1191920 * g + 0.9503041 * b) / 1.08883);
    return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

function areApart(a, b) {
    return Math.abs(labOf(a)[0] - labOf(b)[0]) >= LEAST_STEP;
}

function areAlike(a, b) {
    const other = labOf(b);
    return Math.hypot(...labOf(a).map((part, i) => part - other[i])) < LEAST_DIFFERENCE;
}

// Returns black or white, whichever has more contrast.
function inkOn(hex) {
    return contrast(hex, '#000000') >= contrast(hex, '#ffffff') ? '#000000' : '#ffffff';
}

function hexOf(parts) {
    return '#' + parts.map((part) => Math.round(255 * part).toString(16).padStart(2, '0')).join('');
}

// Returns share * a + (1 - share) * b, by component.
function mix(a, b, share) {
    const other = channels(b);
    return hexOf(channels(a).map((part, i) => share * part + (1 - share) * other[i]));
}

// Returns the colour, darker or lighter until a line of it is visible on the background.
function visible(colour, background) {
    const ink = inkOn(background);
    let made = colour;
    for (let share = 1; contrast(made, background) < LEAST_CONTRAST;) {
        share *= 0.9;
        made = mix(colour, ink, share);
    }
    return made;
}

census.colours = {areAlike, areApart, inkOn, mix, visible};
})(globalThis.census = globalThis.census || {});
