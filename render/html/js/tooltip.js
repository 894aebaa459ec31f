// SPDX-License-Identifier: BSD-2-Clause
//
// Text for the band under the pointer: a tooltip, and a live region for screen readers.
(function (census) {
'use strict';

const {byId, element, swatch} = census;
const GAP_PX = 16;
const MOST_LINES = 12;

class Tooltip {
    constructor(app) {
        this.app = app;
        this.box = byId('tooltip');
        this.at = null; // place of the pointer in px; null: only a crosshair, or nothing
    }

    // Returns an element with the details of a name.
    moreOf(more) {
        const box = element('div', 'more');
        const lines = more.slice(0, MOST_LINES);
        if (more.length > MOST_LINES) {
            lines.push(`and ${more.length - MOST_LINES} more`);
        }
        box.append(...lines.map((line) => element('div', '', line)));
        return box;
    }

    // Returns {name, colour, value, of, time} of the pointed band, or of the total.
    factsOf({chart, pointed}) {
        const {profile, view} = chart;
        const format = profile.isChange ? census.units.change : census.units.amount;
        const amount = (value) => format(value, profile.valueUnit, view.si);
        const {at, band} = pointed, total = chart.total[at];
        const value = band ? band.full[at] : total;
        const margin = census.units.margin(value, profile, view.si, band ? band.spread : profile.spread);
        return {
            name: band ? band.whole : 'total', colour: band ? band.colour : null,
            value: amount(value) + margin, of: profile.isChange ? `of ${amount(total)} in all`
                : `${total > 0 ? (100 * value / total).toFixed(1) + '\u00a0%' : '–'} of ${amount(total)}`,
            time: chart.timeText(chart.xs[at]),
        };
    }

    show(panel) {
        const isShown = Boolean(panel.chart && panel.pointed && !panel.brush);
        this.box.hidden = !isShown;
        if (!isShown) {
            return;
        }
        const facts = this.factsOf(panel);
        const name = element('div', 'name');
        if (facts.colour) {
            name.append(swatch(facts.colour));
        }
        name.append(element('span', '', facts.name));
        const value = element('div', 'value', facts.value);
        if (facts.colour) {
            value.append(element('span', 'faint', `  ${facts.of}`));
        }
        this.box.replaceChildren(name, value, element('div', 'faint', `at ${facts.time}`));
        const {band} = panel.pointed, {stacks} = panel.chart.profile;
        const more = !band || band.isOther ? [] : stacks ? stacks.linesOf(band.k) : band.more;
        if (more.length) {
            this.box.append(this.moreOf(more));
        }
        this.place(panel);
    }

    // Places the tooltip next to the pointer, on the side with more room.
    place({box, drawing, chart, pointed}) {
        const {width, height} = box.getBoundingClientRect();
        const tip = this.box.getBoundingClientRect();
        const band = pointed.band;
        const [x, y] = this.at || [drawing.x(chart.xs[pointed.at]),
            band ? drawing.y(band.upper[pointed.at - chart.low]) : drawing.frame.top];
        const left = x + GAP_PX + tip.width < width ? x + GAP_PX : x - GAP_PX - tip.width;
        const top = Math.min(Math.max(0, y - tip.height / 2), Math.max(0, height - tip.height));
        this.box.style.transform = `translate(${Math.round(Math.max(0, left))}px, ` +
            `${Math.round(top)}px)`;
    }

    speak(panel) {
        if (panel.chart && panel.pointed) {
            const facts = this.factsOf(panel);
            byId('spoken').textContent = `${facts.name}, ${facts.value}, ${facts.of}, at ${facts.time}`;
        }
    }
}

census.Tooltip = Tooltip;
})(globalThis.census = globalThis.census || {});
