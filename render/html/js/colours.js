// SPDX-License-Identifier: BSD-2-Clause
//
// Colours that depend on others, the same as in render/style/colour.c and fill.c. Colours of names are
// data.
(function (census) {
'use strict';

const LEAST_STEP = 20;      // of CIE lightness between bands that are told apart without a hairline
const LEAST_CONTRAST = 2.5; // of a line against the background

function channels(hex) {
    return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255);
}

function luminance(hex) {
    const [r, g, b] = channels(hex)
        .map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

// Returns the contrast of WCAG 2.
function contrast(a, b) {
    const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (light + 0.05) / (dark + 0.05);
}

// Returns CIE L*.
function lightness(hex) {
    const y = luminance(hex);
    return y > 216 / 24389 ? 116 * Math.cbrt(y) - 16 : y * 24389 / 27;
}

function areApart(a, b) {
    return Math.abs(lightness(a) - lightness(b)) >= LEAST_STEP;
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

census.colours = {areApart, inkOn, mix, visible};
})(globalThis.census = globalThis.census || {});
