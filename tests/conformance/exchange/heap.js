// SPDX-License-Identifier: BSD-2-Clause
// Keeps objects of several functions, for node --heap-prof.
function make(n) {
  const rows = [];
  for (let i = 0; i < n; i++) rows.push({ number: i, text: "row " + i });
  return rows;
}
const text = (n) => Buffer.alloc(n).toString("hex");
globalThis.kept = [make(20000), text(300000), make(5000)];
