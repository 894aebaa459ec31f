// SPDX-License-Identifier: BSD-2-Clause
//
// What stands out, as the page or its server says it: each finding leads to its time, and its names to their bands, stacks and
// lines. And what is below the picture while it fills the window.
(function (census) {
'use strict';

const {byId, element} = census;

// Returns whether a place is in the text of the program, not in that of a library of the system.
function isOwn(source) {
    return source !== '' && !/^\/usr\//.test(source);
}

class Findings {
    constructor(app) {
        this.app = app;
        this.shown = '';
        byId('below').addEventListener('click', () => this.lowest().scrollIntoView());
        window.addEventListener('scroll', () => this.hint(), {passive: true});
        window.addEventListener('resize', () => this.hint());
    }

    button(kind, text, act) {
        const button = element('button', kind, text);
        button.type = 'button';
        button.addEventListener('click', act);
        return button;
    }

    show(entry) {
        const findings = entry.profile && (entry.findings || entry.profile.findings) || [], text = JSON.stringify([entry.id, findings]);
        byId('findings').hidden = !findings.length;
        if (this.shown !== text) {
            this.shown = text;
            byId('finding-rows').replaceChildren(...findings.map((finding) => {
                const row = element('li', '');
                row.append(this.button('text', census.shown(`${finding.kind}: ${finding.text}`), () => this.follow(finding.at)),
                    ...finding.names.map(({name, label, amount}) => {
                        const button = this.button('name', `${census.shown(label)} ${amount}`, () => this.follow(finding.at, name, label));
                        button.title = census.shown(name);
                        return button;
                    }));
                return row;
            }));
        }
        this.hint();
    }

    // Shows a time, and the largest stack of a band at that time, down to the program's own text.
    follow(at, name, label) {
        const {own, profile} = this.app.entry(), {stacks} = profile;
        const find = (text) => profile.names.findIndex((other) => other.name === text);
        const k = find(name) >= 0 ? find(name) : find(label); // of stacks with the same text
        own.moment = at === undefined ? null : at;
        if (k >= 0) {
            own.isolated = profile.names[k].name;
            own.skip = 0;
        }
        if (k >= 0 && stacks) {
            const amounts = stacks.amountsAt(this.app.flame.moments.of(this.app.entry()).at);
            const leaf = amounts.reduce((best, amount, i) =>
                stacks.bands[i] === k && (best < 0 || amount > amounts[best]) ? i : best, -1);
            const frames = leaf < 0 ? [] : Array.from(stacks.paths[leaf], (frame) => stacks.frames[frame]);
            while (frames.length && !isOwn(frames[frames.length - 1].source) && frames.some(({source}) => isOwn(source))) {
                frames.pop();
            }
            this.app.view.tree = 'down';
            own.frame = frames.map(census.textOfFrame);
        }
        this.app.redraw();
        if (stacks) {
            byId('stacks').scrollIntoView({block: 'start'});
        }
    }

    lowest() {
        return byId('stacks').hidden ? byId('table') : byId('stacks');
    }

    hint() {
        const below = this.lowest(), isAll = this.app.current === 'all';
        byId('below').hidden = isAll || window.scrollY > 0 || below.getBoundingClientRect().top < window.innerHeight - 60;
        byId('below').textContent = below.id === 'stacks' ? '↓ stacks, source and names' : '↓ names';
    }
}

census.Findings = Findings;
})(globalThis.census = globalThis.census || {});
