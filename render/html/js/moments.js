// SPDX-License-Identifier: BSD-2-Clause
//
// The times that the stacks are shown at: the time under the pointer, else the chosen one, else the peak,
// or the last sample while the profile grows; and the time to compare with, or the time of an older
// recording. Also the bytes of a frame over time.
(function (census) {
'use strict';

const {byId} = census;
const SLICE_MS = 8;

// Returns the sample nearest to a time.
function nearest(profile, time) {
    const {times, n} = profile, right = Math.min(n - 1, census.columns.lowerBound(times, time));
    return right > 0 && time - times[right - 1] < times[right] - time ? right - 1 : right;
}

class Moments {
    constructor(app) {
        this.app = app;
        this.text = '';
        byId('compare').addEventListener('click', () => this.compare());
        byId('at-peak').addEventListener('click', () => this.choose(null));
        byId('at-end').addEventListener('click', () => {
            const {profile} = this.app.entry();
            this.choose(profile.times[profile.n - 1]);
        });
    }

    // Returns the samples to show: {at, since}; `since` is null without comparison, and a sample of the
    // older recording if there is one.
    of(entry) {
        const {pointed} = this.app.panel, {profile, own, older} = entry;
        return {at: pointed ? pointed.at : this.chosen(entry), since: older ? this.chosen(older)
            : own.since === null ? null : nearest(profile, own.since)};
    }

    chosen({profile, own}) {
        return own.moment !== null ? nearest(profile, own.moment) : this.usual(profile);
    }

    usual(profile) {
        return profile.state === 'growing' && this.app.isFollowing() ? profile.n - 1
            : this.peakOf(profile);
    }

    // Returns the sample with the most bytes, or the largest change.
    peakOf({total}) {
        return total.reduce((most, amount, at) => Math.abs(amount) > Math.abs(total[most]) ? at : most, 0);
    }

    // Chooses a time; null: the usual one.
    choose(time) {
        this.app.entry().own.moment = time;
        this.app.redraw();
    }

    chooseSample(at) {
        const entry = this.app.entry();
        if (entry.profile.stacks) {
            this.choose(entry.profile.times[at]);
        }
    }

    // Compares what is shown later with the time that is shown now, or no longer.
    compare() {
        const entry = this.app.entry();
        if (entry && entry.profile && entry.profile.stacks && !entry.older && !entry.profile.isChange) {
            const {own, profile} = entry;
            own.since = own.since === null ? profile.times[this.of(entry).at] : null;
            this.app.redraw();
        }
    }

    show(flame) {
        const {profile, own, older} = flame.entry, {at, since} = this.of(flame.entry);
        const {chart} = this.app.panel, before = older ? older.profile : profile;
        const timeOf = (i, {times} = profile) => chart.timeText(times[i]);
        const change = profile.total[at] - before.total[since];
        this.text = since === null
            ? `at ${timeOf(at)}${at === this.usual(profile) && profile.state !== 'growing'
                ? profile.isChange ? ' (largest change)' : ' (peak)' : ''}: ${flame.amountOf(profile.total[at])}`
            : `${older ? `${older.name} at ` : ''}${timeOf(since, before)} to ${older ? `${flame.entry.name} at ` : ''}${timeOf(at)}: ` +
                (change < 0 ? '−' : '+') + flame.amount(Math.abs(change));
        byId('moment').textContent = this.text;
        byId('compare').hidden = Boolean(older || profile.isChange);
        byId('compare').setAttribute('aria-pressed', String(own.since !== null));
        byId('compare').textContent = own.since === null ? 'Compare from here' : 'Do not compare';
        this.showNote(flame.stacks, flame.nets !== null);
    }

    showNote({rest}, isDifference) {
        const notes = [isDifference ? 'Orange has grown, blue has shrunk; widths are the sum of both. Changes of less than 5 % of the memory between two runs are grey.'
            : 'A frame has the colour of its band if all its stacks belong to one, or if most of its bytes are its own.'];
        if (rest && rest.n > 0) {
            notes.push(`The ${census.units.count(rest.n)} smallest stacks are only part of “smaller”: a ` +
                (this.app.live ? 'growing page holds the 400 largest.' : 'page holds 24 MiB of stacks, the largest first.'));
        }
        byId('stacks-note').textContent = notes.join(' ');
    }
}

// The sum of the stacks of one frame over time, added up in the background.
class FrameSeries {
    // `whenDone` draws it.
    constructor(whenDone) {
        this.whenDone = whenDone;
        this.key = null;
        this.values = null;     // by sample; null: none, or not yet
        this.later = 0;
    }

    // Prepares the series of a node; of the root there is none.
    show(stacks, order, node) {
        const {profile} = stacks;
        const isSame = this.key && this.key.order === order && this.key.version === profile.version &&
            this.key.from === node.from && this.key.to === node.to && this.key.depth === node.depth;
        if (isSame) {
            return;
        }
        clearTimeout(this.later);
        this.key = {order, version: profile.version, from: node.from, to: node.to, depth: node.depth};
        if (!node.parent) {
            this.values = null;
            this.whenDone();
            return;
        }
        this.work = {stacks, order, node, next: node.from, sum: new Float64Array(profile.n),
            scratch: new Float64Array(profile.n)};
        this.workSome();
    }

    workSome() {
        const {stacks, order, node, sum, scratch} = this.work, stop = performance.now() + SLICE_MS;
        while (this.work.next < node.to && performance.now() < stop) {
            const {from, to} = stacks.columns[order.leaves[this.work.next++]].read(scratch);
            for (let i = from; i < to; i++) {
                sum[i] += scratch[i];
            }
        }
        if (this.work.next < node.to) {
            this.later = setTimeout(() => this.workSome(), 0);
        } else {
            this.values = sum;
            this.whenDone();
        }
    }

    // Draws the series over the bands of a chart, on an empty surface.
    draw(surface, drawing, theme) {
        const {chart} = drawing;
        if (!this.values || this.values.length !== chart.profile.n) {
            return;
        }
        const all = this.values.subarray(chart.low, chart.high + 1);
        const curve = drawing.curve(chart.mode === 'share' ? chart.shares(all) : all);
        const {frame} = drawing;
        surface.beginClip(frame.left, frame.top - 2, frame.width, frame.height + 2);
        surface.area(curve, drawing.y(0), theme.ink);
        surface.fade(frame, 0.25);
        surface.polyline(curve, theme.background, 4);
        surface.polyline(curve, theme.ink, 2);
        surface.endClip();
    }
}

census.Moments = Moments;
census.nearestSample = nearest;
census.FrameSeries = FrameSeries;
})(globalThis.census = globalThis.census || {});
