// SPDX-License-Identifier: BSD-2-Clause
//
// Saves the picture or its numbers in a file.
(function (census) {
'use strict';

const PNG_SCALE = 2;

// Returns a file name: letters and digits of the title.
function baseName(profile) {
    const words = (profile.file || profile.title).replace(/^.*\//, '').replace(/\.[^.]*$/, '');
    return words.replace(/[^\w.-]+/g, '-').replace(/^[-.]+|[-.]+$/g, '').slice(0, 60) || 'heap';
}

function offer(blob, name) {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

function svgOf(chart, size, theme) {
    const surface = new census.surface.SvgSurface(size.width, size.height, chart.profile.title);
    census.draw(surface, chart, size.width, size.height, {theme});
    return new Blob([surface.finish()], {type: 'image/svg+xml'});
}

function pngOf(chart, size, theme, done) {
    const canvas = document.createElement('canvas');
    canvas.width = size.width * PNG_SCALE;
    canvas.height = size.height * PNG_SCALE;
    const context = canvas.getContext('2d');
    context.scale(PNG_SCALE, PNG_SCALE);
    census.draw(new census.surface.CanvasSurface(context), chart, size.width, size.height, {theme});
    canvas.toBlob(done, 'image/png');
}

// Returns a text as a cell. An apostrophe guards what a spreadsheet would calculate, as in the CSV
// that `census convert` writes.
function csvText(text) {
    const guard = /^'*[=+\-@\t\r\n]/.test(text) ? "'" : '';
    return `"${guard}${text.replace(/"/g, '""')}"`;
}

// Returns CSV: a row for each sample in the window, a column for each band, the top one first.
function csvOf(chart) {
    const {xs, from, to, total} = chart;
    const bands = chart.bands.filter((band) => !band.isNamedElsewhere).reverse();
    const rows = [['time', ...bands.map((band) => csvText(band.isOther ? 'OTHER' : band.name)),
        'total'].join(',')];
    for (let i = from; i <= to; i++) {
        rows.push([xs[i], ...bands.map((band) => band.full[i]), total[i]].join(','));
    }
    return new Blob([rows.join('\n') + '\n'], {type: 'text/csv'});
}

class Save {
    constructor(app) {
        this.app = app;
        document.querySelectorAll('[data-save]').forEach((button) => {
            button.addEventListener('click', () => {
                census.byId('save').open = false;
                this.save(button.dataset.save);
            });
        });
    }

    save(kind) {
        const {chart, box} = this.app.panel;
        if (!chart) {
            return;
        }
        const rectangle = box.getBoundingClientRect();
        const size = {width: Math.round(rectangle.width), height: Math.round(rectangle.height)};
        const name = `${baseName(chart.profile)}.${kind}`, theme = this.app.theme();
        if (kind === 'png') {
            pngOf(chart, size, theme, (blob) => offer(blob, name));
        } else {
            offer(kind === 'svg' ? svgOf(chart, size, theme) : csvOf(chart), name);
        }
        this.app.redraw();  // the chart's curves now belong to the file
    }
}

census.Save = Save;
})(globalThis.census = globalThis.census || {});
