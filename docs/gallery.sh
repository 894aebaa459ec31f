#!/bin/sh
# Draws the pictures of gallery.md again: docs/gallery.sh [CENSUS], from anywhere.
set -eu
cd "$(dirname "$0")/.."
census=${1:-build/release/cli/census}
for name in foldleak-prof-hb interp-prof-hd manycc-prof-hc-live1 pathgrid-prof-hc-i0.005 oddnames-prof-hc-long \
    queens-plain-pair-hT; do
    "$census" plot --dpi 60 -o "docs/images/gallery-$name.png" "samples/hp/$name.hp" 2>/dev/null
    "$census" plot --look classic --dpi 60 -o "docs/images/gallery-$name-classic.png" "samples/hp/$name.hp" 2>/dev/null
done
