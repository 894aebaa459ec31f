// SPDX-License-Identifier: BSD-2-Clause
//
// The view in the fragment of the address, so that a link or a reload shows it again. It has what the
// reader has changed, and nothing else.
(function (census) {
'use strict';

const {byId} = census;
const CALM_MS = 200;
const CHOICES = {
    mode: ['stacked', 'share', 'lines'],
    order: census.order.NAMES,
    theme: ['auto', 'light', 'dark'],
    tree: ['down', 'up'],
};

// Returns a text as it comes back from an address, in which invalid bytes become U+FFFD.
function throughAddress(text) {
    return new URLSearchParams({text}).get('text');
}

function numberOf(text) {
    return text ? Number(text) : NaN;
}

class Link {
    constructor(app, data) {
        this.app = app;
        this.data = data;
        this.wanted = null;     // settings of one profile, until it is there
        this.later = 0;         // the pending write
        // The address may have been written again since: the event has the one that was asked for.
        window.addEventListener('hashchange', ({newURL}) => this.restore(new URL(newURL).hash));
    }

    // --- from the view to the address

    // Returns what differs from the data.
    changes() {
        const {view, current, isChosen, live} = this.app, entry = this.app.entry(), {said} = view;
        const own = entry ? entry.own : census.view.makeOwn(), out = new URLSearchParams();
        const add = (key, isChanged, value) => isChanged && out.append(key, value);
        const window = this.app.isFollowing() ? null : own.window;
        const since = entry && entry.older ? entry.older.own.moment : own.since;
        const isOwn = window || own.skip || own.isolated !== null || own.frame.length ||
            own.moment !== null || since !== null;
        add('profile', isChosen || (isOwn && this.app.entries.size > 1), current);
        add('mode', view.mode !== said.mode, view.mode);
        add('bands', !view.hasGivenBands, view.bands);
        add('order', !view.hasGivenOrder, view.order);
        add('theme', view.theme !== said.theme, view.theme);
        add('find', byId('search').value, byId('search').value);
        add('only', view.only, 'yes');
        add('sort', view.hasSorted, (view.sort.isDown ? '-' : '') + view.sort.column);
        const stackSort = (view.stackSort.isDown ? '-' : '') + view.stackSort.column;
        add('stack-sort', stackSort !== '-total', stackSort);
        if (view.lines !== said.lines) {
            view.lines.forEach((name) => add('overlay', true, name));
            add('overlay', !view.lines.length, '');
        }
        add('same-scale', view.sameScale !== said.same_scale, view.sameScale ? 'yes' : 'no');
        add('last', live && live.length, live && live.length);
        add('from', window, window && window[0]);
        add('to', window, window && window[1]);
        add('skip', own.skip, own.skip);
        add('alone', own.isolated !== null, own.isolated);
        add('tree', view.tree !== 'down', view.tree);
        own.frame.forEach((text) => add('frame', true, text));
        add('at', own.moment !== null, own.moment);
        add('since', since !== null, since);
        return out;
    }

    // Writes the address when the view has stayed the same for a moment: browsers limit how often.
    write() {
        clearTimeout(this.later);
        this.later = setTimeout(() => {
            const text = this.changes().toString();
            if (!this.wanted && text !== location.hash.slice(1)) {
                history.replaceState(null, '', text ? `#${text}` : location.href.split('#')[0]);
            }
        }, CALM_MS);
    }

    // --- from the address to the view

    // Restores the view; ignores what makes no sense.
    restore(fragment = location.hash) {
        const asked = new URLSearchParams(fragment.slice(1)), {app} = this;
        const view = census.view.makeView(this.data), bands = numberOf(asked.get('bands'));
        const sort = /^(-?)(\w+)$/.exec(asked.get('sort') || '');
        for (const [key, choices] of Object.entries(CHOICES)) {
            view[key] = choices.includes(asked.get(key)) ? asked.get(key) : view[key];
        }
        if (CHOICES.order.includes(asked.get('order'))) {
            Object.assign(view, {reverse: false, hasGivenOrder: false});
        }
        if (bands >= 1 && bands <= census.chartTools.MOST_BANDS) {
            Object.assign(view, {bands: Math.floor(bands), trace: 0, hasGivenBands: false});
        }
        const stackSort = /^(-?)(\w+)$/.exec(asked.get('stack-sort') || '');
        if (stackSort && document.querySelector(`th[data-stack-sort="${stackSort[2]}"]`)) {
            view.stackSort = {column: stackSort[2], isDown: stackSort[1] !== ''};
        }
        if (sort && document.querySelector(`th[data-sort="${sort[2]}"]`)) {
            Object.assign(view, {sort: {column: sort[2], isDown: sort[1] !== ''}, hasSorted: true});
        }
        if (asked.has('overlay')) {
            view.lines = asked.getAll('overlay').filter(Boolean);
        }
        view.sameScale = asked.has('same-scale') ? asked.get('same-scale') === 'yes' : view.sameScale;
        app.view = view;
        const {profiles, moved} = this.data;
        const first = moved ? profiles[1].id : profiles.length > 1 ? 'all' : app.current;
        Object.assign(app, {isChosen: false, current: app.entries.has('change') ? 'change' : first});
        if (app.live) {
            app.live.setLength(numberOf(asked.get('last')) || 0);
        }
        app.search.set(asked.get('find') || '', asked.get('only') === 'yes');
        this.wanted = asked;
        app.entries.forEach((entry, id) => {
            const {yMax, isSticky} = entry.own;
            entry.own = {...census.view.makeOwn(), yMax, isSticky};
            this.settle(id);
        });
        this.wanted = app.live ? this.wanted : null;
        app.forgetRanking();
        app.applyTheme();
    }

    // Applies the settings of one profile when it is there.
    settle(id) {
        const {wanted, app} = this, {profile, own, older} = app.entries.get(id);
        const asked = wanted && wanted.get('profile');
        if (asked === 'all' && app.entries.size > 1) {
            app.showProfile('all');
            return;
        }
        if (!wanted || !profile || (asked || String(app.current)) !== String(id)) {
            return;
        }
        const [from, to, skip] = ['from', 'to', 'skip'].map((key) => numberOf(wanted.get(key)));
        const alone = wanted.get('alone');
        const k = alone === null ? -1 : profile.names.findIndex(({name}) => throughAddress(name) === alone);
        this.wanted = null;
        if (asked) {
            app.showProfile(id);
        }
        if (to > from) {
            app.zoomTo([from, to]);
        }
        own.isolated = k < 0 ? null : profile.names[k].name;
        if (profile.stacks) {
            const [at, since] = ['at', 'since'].map((key) => numberOf(wanted.get(key)));
            own.frame = wanted.getAll('frame');
            own.moment = Number.isFinite(at) ? at : null;
            (older || {own}).own[older ? 'moment' : 'since'] = Number.isFinite(since) ? since : null;
        }
        own.skip = skip > 0 && skip < profile.names.length ? Math.floor(skip) : 0;
    }
}

census.Link = Link;
})(globalThis.census = globalThis.census || {});
