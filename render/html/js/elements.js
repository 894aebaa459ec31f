// SPDX-License-Identifier: BSD-2-Clause
//
// What both pages do with elements: make them, sort tables by their heads, colour the page, search.
(function (census) {
'use strict';

const byId = (id) => document.getElementById(id);

function element(kind, className, text) {
    const made = document.createElement(kind);
    made.className = className;
    if (text !== undefined) {
        made.textContent = text;
    }
    return made;
}

function swatch(colour) {
    const made = element('span', 'swatch');
    made.style.background = colour;
    return made;
}

// Calls `sortBy` with the column of a head that is clicked; `attribute` has it.
function listenToHeads(attribute, sortBy) {
    document.querySelectorAll(`th[${attribute}] button`).forEach((button) => {
        button.addEventListener('click', () => sortBy(button.parentElement.getAttribute(attribute)));
    });
}

// Shows by which column, or null, a table is sorted.
function showSort(attribute, column, isDown) {
    document.querySelectorAll(`th[${attribute}]`).forEach((head) => {
        head.toggleAttribute('aria-sort', head.getAttribute(attribute) === column);
        if (head.getAttribute(attribute) === column) {
            head.setAttribute('aria-sort', isDown ? 'descending' : 'ascending');
        }
    });
}

// Colours the page by the look ({light, dark}) of a theme, 'auto', 'light' or 'dark'. Returns whether it is dark.
function applyLook(look, theme) {
    const isDark = theme === 'auto' ? matchMedia('(prefers-color-scheme: dark)').matches : theme === 'dark';
    const root = document.documentElement;
    root.dataset.theme = isDark ? 'dark' : 'light';
    for (const name of ['background', 'ink', 'faint', 'rule', 'grid']) {
        root.style.setProperty(`--${name}`, look[root.dataset.theme][name]);
    }
    return isDark;
}

// Compiles what is searched for; lower case also finds upper case.
function compile(text) {
    return text ? new RegExp(text, /[A-Z]/.test(text) ? '' : 'i') : null;
}

Object.assign(census, {byId, element, swatch, listenToHeads, showSort, applyLook, compile});
})(globalThis.census = globalThis.census || {});
