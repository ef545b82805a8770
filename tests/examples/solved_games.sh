#!/bin/bash
# solved_games.sh BUILD - solves pawn endings without tables, and lets the example engine win them with the pawn files
# alone, against the longest defence and against random moves.
set -eu
build=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/none" "$folder/tables"
for fen in '8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1' '8/6pp/3k4/8/3K1PPP/8/8/8 w - - 0 1'; do
    "$build/trebuchet" solve -q -t "$folder/none" --write "$folder/tables" "$fen" > /dev/null
    "$build/tests/examples/solved_games" -n 3 "$build/trebuchet-uci" "$folder/tables" "$fen"
done
