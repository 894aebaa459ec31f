#!/bin/sh
# Draws the pictures of gallery.md: docs/gallery.sh [CENSUS], from any directory. Pictures of hp2ps need hp2ps (Debian: ghc)
# and Ghostscript; without these programs they are not changed.
set -eu
cd "$(dirname "$0")/.."
census=${1:-build/release/cli/census}

# ours NAME COMMAND OPTION...: a picture by census.
ours() {
    name=$1 command=$2
    shift 2
    "$census" "$command" --dpi 60 -o "docs/images/gallery-$name.png" "$@" 2>/dev/null
}

# figure NAME OPTION...: a figure for a paper, at about its printed size.
figure() {
    name=$1
    shift
    ours "$name" plot --dpi 110 "$@"
}

# theirs PROFILE: a picture by hp2ps, in colour.
theirs() {
    command -v hp2ps >/dev/null && command -v gs >/dev/null || return 0
    folder=$(mktemp -d)
    cp "samples/hp/$1.hp" "$folder/x.hp"
    (cd "$folder" && hp2ps -c -e9in x.hp && gs -q -dSAFER -dBATCH -dNOPAUSE -dFIXEDMEDIA \
        -dDEVICEWIDTHPOINTS=648 -dDEVICEHEIGHTPOINTS=432 -sDEVICE=png16m -r60 -dTextAlphaBits=4 -dGraphicsAlphaBits=4 \
        -sOutputFile=x.png x.ps)
    mv "$folder/x.png" "docs/images/gallery-$1-hp2ps.png"
    rm -r "$folder"
}

# leak NAME PROGRAM N OPTION...: a profile NAME.hp of a sample program, in the folder of leaks.
leaks=$(mktemp -d)
programs=$(cd "$(dirname "$census")/../samples/programs" && pwd)
leak() {
    name=$1 program=$2 n=$3
    shift 3
    (cd "$leaks" && "$programs/$program" "$n" +RTS "$@" -RTS >/dev/null && mv "$program.hp" "$name.hp")
}

for name in interp-prof-hd pathgrid-prof-hc-i0.005 oddnames-prof-hc-long queens-plain-pair-hT; do
    theirs "$name"
    ours "$name" plot "samples/hp/$name.hp"
done
ours many plot samples/hp/manycc-prof-hc-live1.hp
ours biography plot samples/hp/pathgrid-prof-hb.hp
ours retainers plot samples/hp/foldleak-prof-hr.hp
ours lines-over-bands plot tests/cli/fixtures/served.hp
ours percents plot --normalise samples/hp/pathgrid-prof-hy.hp
ours lines plot --lines samples/hp/interp-prof-hd.hp
ours steps plot --steps samples/hp/pathgrid-prof-hy.hp
ours lanes plot --lanes samples/eventlog/parallel-prof-N2-lf-hc.eventlog.xz
ours difference diff samples/hp/foldleak-prof-hy.hp samples/hp/pathgrid-prof-hy.hp
ours several plot samples/hp/foldleak-prof-hy.hp samples/hp/pathgrid-prof-hy.hp samples/hp/foldleak-plain-hT.hp
ours same-scale plot --same-scale samples/hp/foldleak-prof-hb.hp samples/hp/pathgrid-prof-hb.hp
ours dark plot --theme dark samples/hp/pathgrid-prof-hy.hp
for order in wiggle sum name growth; do
    ours "order-$order" plot --width 6in --height 3in --no-title --order "$order" samples/hp/pathgrid-prof-hy.hp
done
for paper in acm ieee lncs acmsmall; do
    figure "$paper" --for "$paper" samples/hp/pathgrid-prof-hy.hp
done
figure print --for acm --print samples/hp/pathgrid-prof-hy.hp
figure print-lines --for acm --print --lines samples/hp/pathgrid-prof-hy.hp
figure several-acm --for acm samples/hp/foldleak-prof-hc.hp samples/hp/pathgrid-prof-hc-i0.005.hp
figure several-print --for acm --print samples/hp/foldleak-prof-hb.hp samples/hp/pathgrid-prof-hb.hp
figure slide --for slide --theme slide samples/hp/pathgrid-prof-hy.hp

leak producer finite_map 12 -hc -i0.0005
leak restriction finite_map 12 -hr -hdBranch,Leaf -i0.0005
leak chain-c finite_map 12 -hr -hcC_lookup -i0.0005
leak chain-b finite_map 12 -hr -hcB_scale -i0.0005
leak chain-a finite_map 12 -hr -hcA_total -i0.0005
leak biography finite_map 12 -hb -i0.0005
leak waste finite_map 12 -hc -hbdrag,void -i0.0005
leak waste-retainer finite_map 12 -hr -hcbuild -i0.0005
leak both finite_map 12 -hr -hbdrag,void -i0.0005
for step in producer restriction biography waste waste-retainer both; do
    ours "leak-$step" plot "$leaks/$step.hp"
done
ours leak-chain plot --width 9in --height 7in "$leaks/chain-c.hp" "$leaks/chain-b.hp" "$leaks/chain-a.hp"
(cd "$leaks" && "$programs/finite_map" 16 +RTS --life Branch -RTS >/dev/null)
figure life --width 6in --height 2.5in "$leaks/finite_map.life.hp"
leak many-sets sets 20 -hr -i100
ours sets plot --x sample "$leaks/many-sets.hp"
leak stacks threads 40 -hd -xt -i100
ours threads plot --x sample "$leaks/stacks.hp"
rm -r "$leaks"
