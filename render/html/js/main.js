// SPDX-License-Identifier: BSD-2-Clause
//
// Begins.
(function (census) {
'use strict';

census.app = new census.App(JSON.parse(document.getElementById('census-data').textContent));
})(globalThis.census = globalThis.census || {});
