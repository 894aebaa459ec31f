// SPDX-License-Identifier: BSD-2-Clause
//
// Multiples of units, formatted numbers and ticks, the same as in the pictures of `census plot`.
(function (census) {
'use strict';

function multiples(base, names) {
    return names.map((name, i) => ({factor: base ** i, suffix: '', name}));
}

const BINARY = multiples(1024, ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB', 'ZiB']);
const DECIMAL = multiples(1000, ['B', 'kB', 'MB', 'GB', 'TB', 'PB', 'EB', 'ZB']);
const COUNTS = ['', 'k', 'M', 'G', 'T', 'P', 'E', 'Z']
    .map((suffix, i) => ({factor: 1000 ** i, suffix, name: null}));
const TIMES = [[1e-6, 'µs'], [1e-3, 'ms'], [1, 's'], [60, 'min'], [3600, 'h'], [86400, 'd']];

function timesIn(second) {
    return TIMES.map(([factor, name]) => ({factor: factor * second, suffix: '', name}));
}

function largestBelow(units, amount) {
    let i = units.length - 1;
    while (i > 0 && !(units[i].factor <= amount)) {
        i--;
    }
    return units[i];
}

// Returns the number of a profile's time units in a second; 0 if the unit is not a time.
function secondIn(unit) {
    return unit === 'seconds' || unit === 's' ? 1
        : unit === 'ms' || unit === 'milliseconds' ? 1000 : 0;
}

function named(unit, own) {
    return unit.name === null ? {...unit, name: own} : unit;
}

function ofValues(valueUnit, largest, si) {
    if (valueUnit === 'bytes') {
        return largestBelow(si ? DECIMAL : BINARY, largest);
    }
    return named(largest < 10000 ? COUNTS[0] : largestBelow(COUNTS, largest), valueUnit);
}

function ofTimes(sampleUnit, span) {
    const second = secondIn(sampleUnit);
    const length = span > 0 ? span : 1;
    if (second > 0) {
        // 90 s, not 1.5 min.
        return largestBelow(timesIn(second), length >= 60 * second ? length / 2 : length);
    }
    return named(length < 10000 ? COUNTS[0] : largestBelow(COUNTS, length), sampleUnit);
}

const PERCENT = {factor: 1, suffix: '', name: '%'};

// Formats a number that is not negative, rounded half up, with that many decimals.
function fixed(magnitude, decimals) {
    const scale = 10 ** decimals, scaled = Math.round(magnitude * scale);
    const whole = Math.floor(scaled / scale);
    return String(BigInt(whole)) +
        (decimals > 0 ? '.' + String(scaled - whole * scale).padStart(decimals, '0') : '');
}

// Formats `value` in `unit` with that many decimals, without the name of the unit; very large numbers
// with an exponent.
function label(value, unit, decimals) {
    const magnitude = Math.abs(value) / unit.factor;
    let digits;
    if (magnitude * 10 ** decimals < 9e15) {
        digits = fixed(magnitude, decimals);
    } else {
        const exponent = Math.floor(Math.log10(magnitude));
        digits = `${fixed(Math.min(magnitude / 10 ** exponent, 9.99), 2)}e${exponent}`;
    }
    return (value < 0 ? '\u2212' : '') + digits + (value !== 0 ? unit.suffix : '');
}

// Formats with that many significant digits, without trailing zeros.
function rounded(value, unit, nDigits) {
    const magnitude = Math.abs(value) / unit.factor;
    let decimals = magnitude > 0 ? nDigits - 1 - Math.floor(Math.log10(magnitude)) : 0;
    decimals = Math.max(0, Math.min(9, decimals));
    while (decimals > 0 && Math.round(magnitude * 10 ** decimals) % 10 === 0) {
        decimals--;
    }
    return label(value, unit, decimals);
}

function withName(number, unit) {
    return unit.name ? number + '\u00a0' + unit.name : number;
}

// Formats an amount or a time with its unit, in three digits.
function amount(value, valueUnit, si) {
    const unit = ofValues(valueUnit, Math.abs(value), si);
    return withName(rounded(value, unit, 3), unit);
}

// Formats a time in days, hours, minutes and seconds, without parts that are 0, rounded to the step.
function longTime(seconds, step) {
    const parts = [], decimals = Math.max(0, Math.ceil(-Math.log10(step) - 1e-9));
    let rest = Math.round(Math.abs(seconds) / step) * step;
    for (const [factor, name] of rest >= 2 * 86400 ? [[86400, 'd'], [3600, 'h'], [60, 'min']] : [[3600, 'h'], [60, 'min']]) {
        const n = Math.floor((rest + Math.min(step, 1) / 2) / factor);
        rest = Math.max(0, rest - n * factor);
        parts.push([n, name]);
    }
    parts.push([Number(rest.toFixed(decimals)), 's']);
    return (seconds < 0 ? '\u2212' : '') +
        parts.filter(([n]) => n > 0).map(([n, name]) => `${n}\u00a0${name}`).join('\u00a0');
}

// Formats a single time as people say it: 41 s, 2 min 20 s, 17 h 30 min.
function time(value, sampleUnit) {
    const unit = ofTimes(sampleUnit, Math.abs(value)), second = secondIn(sampleUnit);
    const seconds = second > 0 ? value / second : 0, length = Math.abs(seconds);
    if (length >= 119.5 && length < 100 * 86400) {
        const isBelow = (most, step) => Math.round(length / step) * step < most;
        return longTime(seconds, isBelow(3600, 1) ? 1 : isBelow(2 * 86400, 60) ? 60 : 3600);
    }
    return withName(rounded(value, unit, 3), unit);
}

// Returns " ± 4 MiB" after an amount of a profile that is an estimate: how far it may be off, as
// hpfile/margin.h; without the spread at most; else nothing.
function margin(value, {rateBytes, valueUnit}, si, spread = rateBytes) {
    if (!(rateBytes > 0 && spread > 0 && value > 0)) {
        return '';
    }
    const variance = value * spread, more = value + rateBytes, n = more ** 2 / (variance + rateBytes ** 2);
    const root = 1 - 1 / (9 * n) + 1.96 / (3 * Math.sqrt(n));
    const far = value ** 2 >= 20 * variance ? 1.96 * Math.sqrt(variance) : more * root ** 3 - value;
    return far >= 1 ? ` \u00b1 ${amount(far, valueUnit, si)}` : '';
}

// Formats a difference of amounts.
function change(value, valueUnit, si) {
    return (value > 0 ? '+' : '') + amount(value, valueUnit, si);
}

// Formats a time with enough digits to differ from its neighbours in a profile of that length, whose axis
// has that unit.
function timeWithin(value, sampleUnit, unit, span) {
    const second = secondIn(sampleUnit);
    if (second > 0 && unit.factor >= 60 * second && Math.abs(value) >= 120 * second) {
        const step = span / second / 1000;
        return longTime(value / second, step >= 60 ? 60 : step >= 1 ? 1 : 0.1);
    }
    unit = second > 0 && unit.factor >= 60 * second ? ofTimes(sampleUnit, Math.abs(value)) : unit;
    const decimals = Math.ceil(-Math.log10((span || value || 1) / unit.factor / 1000));
    const text = label(value, unit, Math.max(0, Math.min(9, decimals)));
    return withName(text.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, ''), unit);
}

function growth(value, valueUnit, sampleUnit, si) {
    const unit = ofValues(valueUnit, Math.abs(value), si);
    const sign = value > 0 ? '+' : '';
    const per = secondIn(sampleUnit) === 1 ? 's' : sampleUnit || 'unit';
    return sign + withName(rounded(value, unit, 3), unit) + '/' + per;
}

function niceStep(least) {
    const power = 10 ** Math.floor(Math.log10(least));
    const factor = [1, 2, 5, 10].find((nice) => nice * power >= least * (1 - 1e-9));
    return (factor || 10) * power;
}

// Returns at most `most` ticks in [low, high]: {value, label}. No two labels are the same.
function ticks(low, high, most, unit) {
    const span = (high - low) / unit.factor;
    const largest = Math.max(Math.abs(low), Math.abs(high)) / unit.factor;
    if (!(span > largest * 1e-12) || !(span < Number.MAX_VALUE)) {
        return [];
    }
    for (let step = niceStep(span / (most + 1)); ; step = niceStep(step * 1.5)) {
        const first = Math.ceil(low / unit.factor / step - 1e-9);
        const last = Math.floor(high / unit.factor / step + 1e-9);
        if (last - first < most) {
            const decimals = Math.max(0, Math.min(15, Math.ceil(-Math.log10(step) - 1e-9)));
            const out = [];
            for (let i = first; i <= last; i++) {
                const value = i * step * unit.factor;
                out.push({value, label: label(value, unit, decimals)});
            }
            return out;
        }
    }
}

// Formats whole numbers in groups of three digits.
function count(n) {
    return String(Math.round(n)).replace(/\B(?=(\d{3})+$)/g, ',');
}

census.units = {ofValues, ofTimes, secondIn, rounded, withName, amount, margin, change, time, timeWithin, growth, niceStep,
    ticks, count, PERCENT};
})(globalThis.census = globalThis.census || {});
