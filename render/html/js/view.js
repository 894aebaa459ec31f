// SPDX-License-Identifier: BSD-2-Clause
//
// Settings of the reader: for all profiles, and for each one.
(function (census) {
'use strict';

const LEAST_STEPS = 5;      // of the y axis of a profile that grows
const DEFAULT_BANDS = 15;

// Settings for all profiles, initially from the data.
function makeView(data) {
    const said = data.view;
    return {
        said,
        bands: said.bands >= 0 ? said.bands : DEFAULT_BANDS,
        trace: said.trace, order: said.order, reverse: said.reverse,
        hasGivenOrder: true,        // from the data
        hasGivenBands: true,
        hasSorted: false,           // the reader has sorted the table
        tree: 'down',               // 'down' or 'up': stacks begin with callers or with allocators
        mode: said.mode,            // 'stacked', 'share' or 'lines'
        steps: said.steps,          // amounts stay until the next sample
        lines: said.lines,          // 'fitting', 'all', 'none', or a list of names
        si: said.si, marks: said.marks,
        theme: said.theme,          // 'auto', 'light' or 'dark'
        isDark: false,
        otherColours: [data.look.light.other, data.look.dark.other],
        sameScale: said.same_scale, // of several profiles
        matcher: null,              // the regular expression that is searched for
        only: false,                // nothing else is shown
        sort: {column: 'share', isDown: true},
        stackSort: {column: 'total', isDown: true},
    };
}

// Settings for one profile.
function makeOwn() {
    return {
        window: null,       // [from, to] in time; null: all
        frame: [],          // the frames on the way to the chosen one, from that end
        moment: null,       // the chosen time of the stacks; null: the usual one
        since: null,        // the time to compare them with, or null
        isolated: null,     // the name that is shown alone
        skip: 0,            // how many of the largest names OTHER was opened past
        order: null,        // names in stacking order, bottom first
        isSticky: false,    // they stay there while they can
        yMax: null,         // the end of the y axis, from the largest amount
    };
}

// Returns the next of 1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10, ... in the unit that fits, so that the axis
// of a growing profile rarely changes. It decreases only when half would be enough.
function makeSteps(valueUnit) {
    let top = 0;
    return (largest) => {
        const stepIn = ({factor}) => {
            const step = census.units.niceStep(largest / factor / LEAST_STEPS) * factor;
            return Math.ceil(largest / step - 1e-9) * step;
        };
        const unitOf = (amount) => census.units.ofValues(valueUnit, amount, false);
        const needed = stepIn(unitOf(stepIn(unitOf(largest))));
        if (largest > top || needed < top / 2) {
            top = needed;
        }
        return top;
    };
}

census.view = {makeView, makeOwn, makeSteps};
})(globalThis.census = globalThis.census || {});
