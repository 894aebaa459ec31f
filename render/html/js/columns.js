// SPDX-License-Identifier: BSD-2-Clause
//
// Series of numbers: packed until they are read (docs/formats/page.md); they can grow at the end.
(function (census) {
'use strict';

const RAW_DOUBLES = 255;
const MOST_DECIMALS = 9;
const MOST_WHOLE = 2 ** 50;
const MOST_TAIL = 512;          // numbers that wait unpacked at the end of a growing column
const MARK_BYTES = 256;         // of packed numbers between two places where reading can begin
const MOST_OPEN = 6 * 2 ** 20;  // numbers that are kept unpacked, of all columns together

function bytesOfBase64(text) {
    if (Uint8Array.fromBase64) {
        return Uint8Array.fromBase64(text);
    }
    const binary = atob(text);
    const bytes = new Uint8Array(binary.length);
    for (let i = 0; i < bytes.length; i++) {
        bytes[i] = binary.charCodeAt(i);
    }
    return bytes;
}

// Unpacks `bytes` into `out` until one of them ends, except the zeros at both ends, which many names
// have. Returns the range [from, to) that was written, and the number of numbers.
function unpackWhole(bytes, out) {
    const scale = 10 ** bytes[0];
    let n = 0, whole = 0, step = 0, at = 1, from = 0;
    while (at < bytes.length && n < out.length) {
        let byte = bytes[at++], token = byte & 127;
        // Bit operators work up to 28 bits.
        for (let factor = 128; byte > 127; factor *= 128) {
            byte = bytes[at++];
            token += (byte & 127) * factor;
        }
        let times = 1;
        if (token % 2) {
            times = Math.min((token - 1) / 2 + 1, out.length - n);
        } else {
            step = token % 4 ? -(token + 2) / 4 : token / 4;
        }
        if (whole === 0 && step === 0 && (n === from || at === bytes.length)) {
            if (n > from) {
                return {from, to: n, n: n + times};
            }
            from = n += times;
            continue;
        }
        if (scale === 1) {
            while (times-- > 0) {
                out[n++] = whole += step;
            }
        } else {
            while (times-- > 0) {
                out[n++] = (whole += step) / scale;
            }
        }
    }
    return {from, to: n, n};
}

function unpackDoubles(bytes, out) {
    const view = new DataView(bytes.buffer, bytes.byteOffset + 1);
    const n = Math.min(out.length, Math.floor((bytes.length - 1) / 8));
    for (let i = 0; i < n; i++) {
        out[i] = view.getFloat64(8 * i, true);
    }
    return {from: 0, to: n, n};
}

function unpack(bytes, out) {
    return bytes[0] === RAW_DOUBLES ? unpackDoubles(bytes, out) : unpackWhole(bytes, out);
}

function haveDecimals(values, scale) {
    return values.every((value) => {
        const whole = Math.round(value * scale);
        return Math.abs(whole) < MOST_WHOLE && whole / scale === value;
    });
}

function packDoubles(values) {
    const bytes = new Uint8Array(1 + 8 * values.length);
    const view = new DataView(bytes.buffer, 1);
    bytes[0] = RAW_DOUBLES;
    values.forEach((value, i) => view.setFloat64(8 * i, value, true));
    return bytes;
}

function packWhole(values, decimals) {
    const bytes = [decimals], scale = 10 ** decimals;
    let before = 0, step = 0, times = 0;
    const put = (token) => {
        for (; token >= 128; token = Math.floor(token / 128)) {
            bytes.push(token % 128 + 128);
        }
        bytes.push(token);
    };
    const endRun = () => {
        if (times > 0) {
            put(2 * times - 1);
        }
        times = 0;
    };
    for (const value of values) {
        const whole = Math.round(value * scale);
        if (whole - before === step) {
            times++;
        } else {
            endRun();
            step = whole - before;
            put(step < 0 ? -4 * step - 2 : 4 * step);
        }
        before = whole;
    }
    endRun();
    return Uint8Array.from(bytes);
}

function pack(values) {
    for (let decimals = 0; decimals <= MOST_DECIMALS; decimals++) {
        if (haveDecimals(values, 10 ** decimals)) {
            return packWhole(values, decimals);
        }
    }
    return packDoubles(values);
}

// Calls act(at, n, whole, step, times) for each run of equal differences, until it returns true: its
// place in the bytes, the index of its first number, the number before that, the difference, and how
// many numbers there are. Begins at a mark: the first four of these.
function forRuns(bytes, mark, act) {
    let [next, n, whole, step] = mark;
    while (next < bytes.length) {
        const at = next;
        let byte = bytes[next++], token = byte & 127, times = 1;
        for (let factor = 128; byte > 127; factor *= 128) {
            byte = bytes[next++];
            token += (byte & 127) * factor;
        }
        if (token % 2) {
            times = (token + 1) / 2;
        } else {
            step = token % 4 ? -(token + 2) / 4 : token / 4;
        }
        if (act(at, n, whole, step, times)) {
            return;
        }
        n += times;
        whole += step * times;
    }
}

// Returns the first mark, one after each MARK_BYTES, and the marks of the last runs: often long zeros.
function listMarks(bytes) {
    const marks = [[1, 0, 0, 0]];
    let next = 1 + MARK_BYTES;
    forRuns(bytes, marks[0], (at, n, whole, step) => {
        if (at >= next || at + 3 >= bytes.length) {
            marks.push([at, n, whole, step]);
            next = at + MARK_BYTES;
        }
        return false;
    });
    return marks;
}

// Unpacked columns, the least recently used first.
const opened = new Set();
let nOpen = 0;

function closeOldest() {
    for (const column of opened) {
        if (nOpen <= MOST_OPEN) {
            return;
        }
        column.close();
    }
}

// Returns the first index whose value is not smaller.
function lowerBound(xs, value) {
    let low = 0, high = xs.length;
    while (low < high) {
        const middle = low + high >> 1;
        if (xs[middle] < value) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

class Column {
    // `packed`: base64, bytes, or null for an empty one.
    constructor(packed) {
        this.packed = packed;
        this.numbers = null;    // unpacked, with room to grow
        this.marks = null;      // of packed columns: places to begin reading, in order
        this.tailAt = [];       // appended since it was packed: where, and what
        this.tailValues = [];
    }

    bytes() {
        if (typeof this.packed === 'string') {
            this.packed = bytesOfBase64(this.packed);
        }
        return this.packed;
    }

    // Writes the numbers from the first to the last that is not 0 into `out`, and returns their range
    // {from, to}. The rest of `out` does not change.
    read(out) {
        let {from, to} = this.packed ? unpack(this.bytes(), out) : {from: 0, to: 0};
        if (this.tailAt.length) {
            from = to > from ? from : this.tailAt[0];
            const end = this.tailAt[this.tailAt.length - 1] + 1;
            out.fill(0, Math.max(from, to), end);
            this.tailAt.forEach((at, i) => { out[at] = this.tailValues[i]; });
            to = end;
        }
        return {from, to};
    }

    // Returns number `place` without unpacking the others.
    at(place) {
        const n = this.tailAt.length;
        if (this.numbers && place < this.numbers.length) {
            return this.numbers[place];
        }
        if (n && place >= this.tailAt[0]) {
            const index = lowerBound(this.tailAt, place);
            return this.tailAt[index] === place ? this.tailValues[index] : 0;
        }
        return this.packed ? this.packedAt(place) : 0;
    }

    packedAt(place) {
        const bytes = this.bytes();
        if (bytes[0] === RAW_DOUBLES) {
            return 8 * place + 9 <= bytes.length
                ? new DataView(bytes.buffer, bytes.byteOffset).getFloat64(8 * place + 1, true) : 0;
        }
        this.marks = this.marks || listMarks(bytes);
        let low = 0, high = this.marks.length, found = 0;
        while (high - low > 1) {
            const middle = low + high >> 1;
            [low, high] = this.marks[middle][1] <= place ? [middle, high] : [low, middle];
        }
        forRuns(bytes, this.marks[low], (at, n, whole, step, times) => {
            found = place < n + times ? whole + step * (place - n + 1) : 0;
            return place < n + times;
        });
        return found / 10 ** bytes[0];
    }

    // Returns the first `n` numbers. Valid until other columns are read.
    values(n) {
        if (!this.numbers || this.numbers.length < n) {
            this.open(n);
        } else if (nOpen > MOST_OPEN / 2) {
            opened.delete(this);
            opened.add(this);
        }
        return this.numbers.subarray(0, n);
    }

    open(n) {
        const numbers = new Float64Array(this.tailAt.length ? Math.ceil(n * 1.5) + 64 : n);
        this.read(numbers);
        this.close();
        this.numbers = numbers;
        nOpen += numbers.length;
        closeOldest();
        opened.add(this);
    }

    close() {
        if (opened.delete(this)) {
            nOpen -= this.numbers.length;
        }
        this.numbers = null;
    }

    // Sets number `at`, after all others, to `value`, and those between to 0.
    append(at, value) {
        this.tailAt.push(at);
        this.tailValues.push(value);
        if (this.numbers && at < this.numbers.length) {
            this.numbers[at] = value;
        } else if (this.numbers) {
            this.close();
        }
        if (this.tailAt.length > MOST_TAIL) {
            this.repack(at + 1);
        }
    }

    repack(n) {
        this.packed = pack(this.values(n));
        this.marks = null;
        this.tailAt = [];
        this.tailValues = [];
    }

    // Keeps only the numbers at the given indices.
    keep(places, n) {
        const values = this.values(n);
        this.packed = pack(Float64Array.from(places, (at) => values[at]));
        this.marks = null;
        this.tailAt = [];
        this.tailValues = [];
        this.close();
    }
}

census.columns = {Column, lowerBound, pack, unpack};
})(globalThis.census = globalThis.census || {});
