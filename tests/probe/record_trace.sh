#!/bin/sh
# record_trace.sh ENGINE TABLES MEN OUT - records the probes of the example engine. It searches
# endings of more than MEN (4 or 5) men with the tables of up to MEN men. OUT gets its probes in
# order, as lines "wdl FEN" and "dtm FEN". Every run records identical ones, because the searches
# end after a number of nodes.
set -eu

engine=$1 tables=$2 men=$3 out=$4

positions() {
    case $men in
    4) cat <<'FENS' ;;
8/8/8/8/2R1k3/2K5/1P6/3r4 b - - 0 1
8/8/1K6/8/k7/2P3r1/8/3R4 w - - 0 1
8/6P1/8/6K1/3Q4/6q1/k7/8 w - - 0 1
7K/8/k1P5/7p/4p3/8/8/8 b - - 0 1
8/3k4/3p4/8/3PK3/3P4/8/8 w - - 0 1
8/5p2/8/3k1PP1/8/8/8/K1B5 w - - 0 1
8/8/4k3/2p5/8/1N2K3/3P4/8 w - - 0 1
8/1r6/8/3k4/8/2N5/1P1K4/8 b - - 0 1
FENS
    5) cat <<'FENS' ;;
2k5/6r1/3K4/8/8/4R1P1/1P6/8 w - - 0 1
R7/8/8/4K1k1/7r/P2P4/8/8 w - - 0 1
1r6/6R1/8/k7/6P1/5K2/7p/8 w - - 0 1
8/2R5/3P4/8/3r4/8/k3p3/4K3 w - - 0 1
7K/8/k1P5/4p2p/4P3/8/8/8 w - - 0 1
8/1k6/1p4p1/8/3K4/1P4P1/8/8 w - - 0 1
8/3b4/3k1p2/8/3KP3/3B4/5P2/8 w - - 0 1
8/5k2/3q1p2/8/8/4Q1P1/5PK1/8 w - - 0 1
FENS
    *)
        echo "record_trace: $men men: there are positions for 4 and for 5" >&2
        return 1
        ;;
    esac
}

{
    printf 'setoption name %s\n' "TablesPath value $tables" "TablesMen value $men" \
        'TablesMemory value 256' "TablesTrace value $out.part"
    positions | while read -r fen; do
        printf '%s\n' ucinewgame "position fen $fen" 'go nodes 600000'
    done
} | "$engine" >/dev/null
mv "$out.part" "$out"
