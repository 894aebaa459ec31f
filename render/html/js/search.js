// SPDX-License-Identifier: BSD-2-Clause
//
// Search for names by a regular expression: other names fade, or are left out.
(function (census) {
'use strict';

const {byId} = census;

class Search {
    constructor(app) {
        this.app = app;
        this.input = byId('search');
        this.only = byId('only');
        this.input.addEventListener('input', () => this.read());
        this.only.addEventListener('change', () => this.read());
        this.input.addEventListener('keydown', (event) => {
            if (event.key === 'Enter') {
                this.only.checked = !this.only.checked && this.input.value !== '';
                this.read();
            }
        });
    }

    read() {
        const text = this.input.value, {view} = this.app;
        let complaint = '';
        try {
            view.matcher = census.compile(text);
        } catch (error) {
            view.matcher = null;
            complaint = 'not a regular expression yet: ' +
                error.message.replace(/^Invalid regular expression: /, '');
        }
        this.input.setAttribute('aria-invalid', String(complaint !== ''));
        byId('only-label').hidden = !view.matcher;
        this.only.checked = this.only.checked && Boolean(view.matcher);
        view.only = this.only.checked;
        this.app.redraw();
        byId('search-note').textContent = complaint || this.counted();
    }

    counted() {
        const entry = this.app.entry(), {matcher} = this.app.view;
        if (!matcher || !entry || !entry.profile) {
            return '';
        }
        const n = entry.profile.names.filter((name) => census.matches(matcher, name)).length;
        return n === 0 ? 'no name has it' : n === 1 ? '1 name' : `${census.units.count(n)} names`;
    }

    set(text, isOnly) {
        this.input.value = text;
        this.only.checked = isOnly;
        this.read();
    }
}

census.Search = Search;
})(globalThis.census = globalThis.census || {});
