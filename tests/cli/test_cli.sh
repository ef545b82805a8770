#!/bin/bash
# test_cli.sh TREBUCHET TABLES - tests the command as a user meets it. TABLES is a folder with all
# tables of 3 and 4 men; it is only read. Ends with "N passed, M failed".
set -u

. "$(dirname "$0")/checks.sh"
DOCS=$TOP/docs

KBNK='8/8/8/4k3/8/8/3BN3/4K3 w - - 0 1'
UNDER='8/5P1k/8/7K/8/8/8/8 w - - 0 1'

# ---- the command itself -------------------------------------------------------------------------

run 2 'no command' "$T"; says 'Usage:'
run 0 'help' "$T" --help; has 'Usage:'; quiet
run 0 'version' "$T" --version; has '^trebuchet [0-9]+\.[0-9]+'
run 2 'unknown command' "$T" frobnicate; says 'no command'; silent
for c in gen plan probe line find rule play shift near solve blocked stats info verify compare bench engine; do
    run 0 "$c --help" "$T" $c --help; has "^Usage: trebuchet $c"; quiet
    run 2 "$c: unknown option" "$T" $c --no-such-option; says 'help'; says 'no-such-option'; silent
    if [ $c = gen ] || [ $c = plan ] || [ $c = compare ]; then continue; fi
    run 0 "$c --tables --help" "$T" $c -t "$TABLES" --help
done
for c in '' gen plan probe line find rule play shift near solve blocked stats info verify compare bench engine; do
    run 0 "$c --help, 80 columns" "$T" $c --help
    check "$c --help fits into 80 columns" '! grep -qE "^.{81}" out'
done
# Every option that --help has is completed, and no other; and it is in the man page.
for c in gen plan probe line find rule play shift near solve blocked stats info verify compare bench serve engine; do
    run 0 "$c, its options" "$T" $c --help
    grep -oE -- '^ .{2,6}--[a-z-]+|^ +--[a-z-]+ SQUARES, --[a-z-]+' out | grep -oE -- '--[a-z-]+' | sort -u >options
    (. "$DOCS/completion/trebuchet.bash" 2>/dev/null
        COMP_WORDS=(trebuchet $c -) COMP_CWORD=2
        _trebuchet && printf '%s\n' "${COMPREPLY[@]}" | grep -E -- '--.' | sort) >completed
    check "$c: the same options completed" '[ -s options ] && diff options completed >out 2>err'
    for o in $(cat options); do check "$c $o is in the man page" 'grep -q -- "Fl Fl ${o#--}" "$DOCS/man/trebuchet-$c.1"'; done
done
for c in gen plan probe line find rule play shift near solve blocked stats info compare engine; do run 2 "$c without an argument" "$T" $c; silent; done
for c in probe line stats verify bench; do
    run 2 "$c --tables without a folder" "$T" $c --tables; silent
    run 1 "$c with a folder that is not there" "$T" $c -t nowhere "$([ $c = probe ] || [ $c = line ] &&
        echo "$UNDER" || echo KRvK)"; says nowhere
done

# ---- probe --------------------------------------------------------------------------------------

run 0 'probe KBNK' "$T" probe -t "$TABLES" "$KBNK"; quiet
has 'White wins: mate in 29 moves \(57 plies\)'; has 'DTM +57 plies'; has 'Kf2 +57 +57 +57'
has 'plies from here'; has '^  drawing'; has 'Nd4 +- +- +-'
run 0 'probe, FEN in words' "$T" probe -t "$TABLES" 8/8/8/4k3/8/8/3BN3/4K3 w - - 0 1; has 'mate in 29'
run 0 'probe, underscores' "$T" probe -t "$TABLES" 8/8/8/4k3/8/8/3BN3/4K3_w_-_-_0_1; has 'mate in 29'
run 0 'probe, short FEN' "$T" probe -t "$TABLES" 8/8/8/4k3/8/8/3BN3/4K3 w; has 'mate in 29'
run 0 'probe, black to move' "$T" probe -t "$TABLES" '8/8/8/8/8/2K5/7Q/1k6 b'; has '^White wins: mate in'
run 0 'probe, clock' "$T" probe -t "$TABLES" '8/8/8/4k3/8/8/3BN3/4K3 w - - 60 90'
has 'White wins, but the 50-move rule saves Black'; has '57 more away'; has 'cursed win at this clock'
run 0 'probe, clock just in time' "$T" probe -t "$TABLES" '8/8/8/4k3/8/8/3BN3/4K3 w - - 43 90'
has '^White wins: mate in 29'
run 0 'probe, one ply late' "$T" probe -t "$TABLES" '8/8/8/4k3/8/8/3BN3/4K3 w - - 44 90'
has '50-move rule saves Black'
run 0 'probe, checkmate' "$T" probe -t "$TABLES" '8/8/8/8/8/2K5/1Q6/k7 b'; has '^Checkmate: White has won'
run 0 'probe, stalemate' "$T" probe -t "$TABLES" '8/8/8/8/8/1Q6/8/k1K5 b'; has '^Stalemate'
run 0 'probe, mate in 1' "$T" probe -t "$TABLES" '8/8/8/8/8/2K5/7Q/k7 w'; has 'in 1 move \(1 ply\)'
has 'Qb2# .*mate'; has 'Qc2 .*stalemate'
run 0 'probe, underpromotion' "$T" probe -t "$TABLES" "$UNDER"; has 'f8=R +11 +1 +1'
check 'the winning move comes first' 'grep -A1 "^  winning" out | grep -q f8=R'
run 0 'probe, Reti' "$T" probe -t "$TABLES" '7K/8/k1P5/7p/8/8/8/8 w'; has '^Draw\.'; has '^  losing'
run 0 'probe, en passant' "$T" probe -t "$TABLES" '8/8/8/8/k1Pp4/8/8/K7 b - c3 0 1'; has 'dxc3'
run 0 'probe --metric' "$T" probe -m DTZ -t "$TABLES" "$KBNK"; has 'Kf2'
run 2 'probe --metric wrong' "$T" probe -m dtx -t "$TABLES" "$KBNK"; says 'dtm, dtc or dtz'
run 0 'probe, bare kings, no tables' "$T" probe '8/8/4k3/8/8/4K3/8/8 w'; has '^Draw'
run 0 'TREBUCHET_PATH' env TREBUCHET_PATH="$DIR::$TABLES" "$T" probe "$KBNK"; has 'mate in 29'

run 2 'bad FEN' "$T" probe -t "$TABLES" 'not a fen'; says 'FEN'; silent
run 2 'FEN with 9 ranks' "$T" probe -t "$TABLES" '8/8/8/8/8/8/8/8/8 w - - 0 1'; silent
run 2 'king can be taken' "$T" probe -t "$TABLES" '8/8/8/8/8/2K5/1Q6/k7 w'; says 'impossible'; silent
run 2 'no king' "$T" probe -t "$TABLES" '8/8/8/8/8/2K5/1Q6/8 w'; silent
run 0 'castling rights, each move into a table' "$T" probe -t "$TABLES" '4k3/8/8/8/8/8/8/4K2R w K - 0 1'; has '^White wins: mate in'; has '^    O-O '
run 3 'castling rights' "$T" probe -t "$TABLES" 'r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1'; has '^Not known: castling rights remain'; has ' O-O-O'; says 'castling'
run 3 'too many men' "$T" probe -t "$TABLES" 'rnbqkbnr/8/8/8/8/8/8/RNBQKBNR w - - 0 1'; has '^Not known: 16 men'; has '^  not known$'
run 3 'no table' "$T" probe -t "$DIR" "$KBNK"; says 'KBNvK.wdl.treb'; says 'Looked in'; has '^Not known: this is KBNvK \(4 men\)'
# A capture into a table is known, and a move that lets one happen.
run 3 'beyond the tables' "$T" probe -t "$TABLES" '1r5k/8/8/8/8/8/8/R3N2K w - - 0 1'; has '^Not known: this is KRNvKR'; has '^  losing|^  drawing'; has '^    Rb1 +[0-9?-]+ +[0-9?-]+ +[0-9?-]+'
run 3 'no folder at all' "$T" probe "$KBNK"; says 'KBNvK.wdl.treb'

# Advice is what works here, with its cost. Only tables of up to four men are there.
mkdir four && ln -s "$TABLES"/*.treb four
EIGHT='8/PPP4k/8/8/8/8/ppp4K/8 w - - 0 1' FIVE='8/8/8/3rk3/8/8/3RP3/4K3 w - - 0 1' SIX='8/8/8/3rk3/8/8/p2RP3/4K3 w - - 0 1'
COST='about [0-9.]+ [MG]B of memory and [0-9.]+ [kMG]B of disk'
run 3 'probe, 8 men' "$T" probe -t four "$EIGHT"; says '^trebuchet probe: KPPPvKPPP.wdl.treb is not installed$'; has '^Not known: this is KPPPvKPPP \(8 men\)'
says '^KPPPvKPPP cannot be made here: that takes [0-9.]+ [TP]B of memory, and [0-9.]+ [MG]B may be taken\.$'; lacks 'trebuchet gen'
run 3 'probe, 5 men' "$T" probe -t four "$FIVE"; says '^trebuchet probe: KRPvKR.wdl.treb is not installed$'; has '^Not known: this is KRPvKR \(5 men\)'
GEN="^'trebuchet gen --tables four KRPvKR' makes it: $COST"
# A small machine cannot make it.
"$T" gen --json --estimate -t four KRPvKR | grep -q '"possible":true' || GEN='^KRPvKR cannot be made here: '
says "$GEN"
run 3 'line, 5 men' "$T" line -t four "$FIVE"; says "$GEN"
run 3 'stats, 5 men' "$T" stats -t four KRPvKR; says "$GEN"
mkdir three && ln -s "$TABLES"/K?vK.*.treb three
run 3 'advice, 4 men' "$T" stats -t three KQvKR; says "^'trebuchet gen --tables three KQvKR' makes it: $COST \([0-9.]+ [kMG]B while it runs\)"
run 3 'advice in JSON' "$T" stats --json -t three KQvKR; is_json
json 'd["error"]["advice"].startswith("\x27trebuchet gen --tables three KQvKR\x27 makes it: about")'
run 3 'advice, no option needed' env TREBUCHET_PATH=three "$T" stats KQvKR; says "^'trebuchet gen KQvKR' makes it: $COST"
# The command that is advised works, and changes nothing but what is missing.
run 3 'advice to follow' "$T" stats -t three KQvKR
sed -n "s/^.trebuchet \(gen [^']*\). makes it.*/\1/p" err >command
check 'there is a command' '[ -s command ]'
run 0 'advice followed' sh -c 'exec "$1" $(cat command)' sh "$T"; has '^1 table, '
run 0 'the table is there' "$T" stats -n -t three KQvKR; has '^KQvKR'
run 3 'probe, 6 men' "$T" probe -t four "$SIX"; says '^trebuchet probe: KRPvKRP.wdl.treb is not installed$'
says "^('trebuchet gen --tables four KRPvKRP' makes it: $COST|KRPvKRP cannot be made here: that takes [0-9.]+ [GT]B of )"
run 3 'advice within a limit of memory' sh -c 'ulimit -v 600000; exec "$1" stats -t four KRPvKR' sh "$T"
says '^KRPvKR cannot be made here: that takes [0-9.]+ [MG]B of memory, and [0-9.]+ [MG]B may be taken\.$'; lacks 'trebuchet gen'
if [ "$(id -u)" -ne 0 ]; then
    mkdir locked && chmod a-w locked
    run 3 'advice, no folder can be written to' "$T" stats -t locked KRvK; says '^None of these folders can be written to'; lacks 'trebuchet gen'
fi
run 3 'advice, no tables at all' "$T" bench; says "^'trebuchet gen --men 4' makes all tables of up to 4 men: $COST"

mkdir some && cp "$TABLES"/K[QRBNP]vK.* "$TABLES"/KBNvK.wdl.treb "$TABLES"/KBNvK.dtz.treb some
run 0 'probe without DTM' "$T" probe -t some "$KBNK"; has '^White wins\.'; has 'DTM +not known'
has 'Kf2 +\? +\? +57'

# ---- probe --json -------------------------------------------------------------------------------

run 0 'json' "$T" probe --json -t "$TABLES" "$UNDER"; is_json; quiet
json 'd["category"] == "win" and d["dtz"] == 1 and d["precise_dtz"] == 1 and d["dtm"] == 11'
json 'set(d) == set("category dtz precise_dtz dtc dtm dtw checkmate stalemate variant_win variant_loss insufficient_material moves".split())'
json 'set(d["moves"][0]) == set(d) - {"moves"} | {"uci", "san", "zeroing", "conversion"}'
json '[m["uci"] for m in d["moves"]][:2] == ["f7f8r", "f7f8q"] and d["moves"][1]["stalemate"]'
json 'd["moves"][0]["category"] == "loss" and d["moves"][0]["dtm"] == -10 and d["moves"][0]["dtc"] == -5'
json 'd["moves"][0]["zeroing"] and d["moves"][0]["conversion"] and not d["moves"][-1]["zeroing"]'
json 'd["dtw"] is None and d["moves"][2]["insufficient_material"]'
run 0 'json, clock' "$T" probe --json -t "$TABLES" '8/8/8/4k3/8/8/3BN3/4K3 w - - 60 90'; is_json
json 'd["category"] == "cursed-win" and d["dtz"] == 57 and d["moves"][0]["category"] == "blessed-loss"'
run 0 'json, checkmate' "$T" probe --json -t "$TABLES" '8/8/8/8/8/2K5/1Q6/k7 b'; is_json
json 'd["checkmate"] and d["category"] == "loss" and d["dtz"] == -1 and d["dtm"] is None and d["dtc"] is None and d["moves"] == []'
run 0 'json, stalemate' "$T" probe --json -t "$TABLES" '8/8/8/8/8/1Q6/8/k1K5 b'; is_json
json 'd["stalemate"] and d["category"] == "draw" and d["dtz"] == 0'
run 0 'json, no DTM' "$T" probe --json -t some "$KBNK"; is_json
json 'd["dtm"] is None and d["dtz"] == 57 and d["category"] == "win"'
run 3 'json, no table' "$T" probe --json -t "$DIR" "$KBNK"; is_json
json 'd["category"] == "unknown" and d["dtz"] is None and len(d["moves"]) > 0'
run 2 'json, bad FEN' "$T" probe --json -t "$TABLES" 'x'; is_json; says 'not a FEN'
json 'set(d) == {"error"} and d["error"]["code"] == "bad_fen" and "not a FEN" in d["error"]["message"]'
run 3 'json, castling' "$T" probe --json -t "$TABLES" 'r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1'
json 'd["category"] == "unknown" and len(d["moves"]) == 26'
# What it says of a position is for programs that know lila-tablebase: the same to the byte.
check 'json, the same bytes as ever' '[ "$("$T" probe --json -t "$TABLES" "8/8/8/8/8/2K5/1Q6/k7 b")" = \
    "{\"category\":\"loss\",\"dtz\":-1,\"precise_dtz\":-1,\"dtc\":null,\"dtm\":null,\"dtw\":null,\"checkmate\":true,\"stalemate\":false,\"variant_win\":false,\"variant_loss\":false,\"insufficient_material\":false,\"moves\":[]}" ]'
run 3 'json, a table is missing: the object alone' "$T" probe --json -t "$DIR" "$KBNK"
check 'json, one line' '[ "$(wc -l <out)" -eq 1 ]'; lacks '"error"'

# ---- blocked ------------------------------------------------------------------------------------

BOOK='8/8/2p5/k1p1K3/p1P5/P7/8/8 w - - 0 1'
run 0 'blocked, by goal' "$T" blocked --from c7,d6-d7 --safe "$BOOK"; quiet
has 'Rank 16: White.s king takes a pawn on ply 17'; has '^    Kf5 +16'; has '9\.Kxc6'
run 0 'blocked --table' "$T" blocked --from c7,d6-d7 --safe --table --white-king e5-e6 --black-king a5-a7,d8 "$BOOK"
has '^ e5  16  10   \*   2'; has '^ e6   -   9   -   7'
run 0 'blocked --tsv' "$T" blocked --from c7,d6-d7 --safe --tsv --white-king e5,c7 --black-king a5,a7,b7 "$BOOK"
check 'one line a legal placement' '[ "$(grep -vc "^#" out)" -eq 10 ]'
has "^w	e5	a5	16$"; has "^w	e5	a7	-$"; has "^b	c7	a5	1$"; lacks 'c7	b7'
run 0 'blocked, exactly' "$T" blocked -t "$TABLES" "$BOOK"; quiet
has '^White wins: (at most )?1[79] plies'; has '^    Kf5'; has '^  drawing'; has '^Best play'
run 0 'blocked --check' "$T" blocked -t "$TABLES" -p 0 --check "$BOOK"
has '^Checked: [0-9,]+ structures, [0-9,]+ positions by the rules alone, [0-9,]+ of them by the tables: no fault'
run 0 'blocked --check --json' "$T" blocked -t "$TABLES" -p 0 --check --json "$BOOK"; is_json; says '^Checked: .* no fault'
run 2 'blocked --check of a goal' "$T" blocked --goal take --check "$BOOK"; says 'goes with --exact'
run 0 'blocked --squares' "$T" blocked -p 1 -t "$TABLES" --squares --svg squares.svg "$BOOK"
has 'Mutual zugzwangs: 15\.'; has 'e6 g6  :  a6'
check 'the picture is XML' 'python3 -c "import xml.dom.minidom as m; m.parse(\"squares.svg\")"'
run 0 'blocked --svg -' "$T" blocked --goal take --svg - "$BOOK"; has '^<svg'; has '</svg>'; lacks 'Rank'
run 0 'blocked --json' "$T" blocked -p 1 -t "$TABLES" --json --squares "$BOOK"; is_json; quiet
json 'd["verdict"] == "white" and d["goal"] == "exact" and d["moves"][0]["san"] == "Kf5" and d["line"][0] == "Kf5"'
json 'd["zugzwangs"]["d7"] == ["b7"] and len(d["groups"]) >= 8 and d["attacker"] == "white"'
run 0 'blocked, trebuchet' "$T" blocked -t "$TABLES" --squares '8/8/8/3pK3/2kP4/8/8/8 w - - 0 1'
has '^Black wins: 2 plies'; has 'whoever moves loses'; has 'Ke5-Kc4|Kc4-Ke5'
run 0 'blocked, a square as goal' "$T" blocked --goal e3 --attacker white '8/8/8/8/p2k4/P7/8/3K4 w - - 0 1'; has 'No rank|Rank'
run 0 'blocked, open' "$T" blocked -t "$DIR" -p 0 '8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1'
has '^Open: Black cannot win; whether White can is not known'; has '^  open: White wins or draws'; has '^    Ka2'

# Rank files. Two promoted pieces would take long without tables of 5 men.
run 0 'blocked --write' "$T" blocked -p 1 -t "$TABLES" --write ranks "$BOOK"; has '^White wins: at most 17 plies'
says '^trebuchet blocked: wrote ranks/a3c4-a4c5c6.exact.treb: [0-9]+ placements are open'
check 'one file, nothing else' '[ "$(ls -A ranks)" = a3c4-a4c5c6.exact.treb ]'
run 0 'blocked --write, a small one' "$T" blocked -t "$TABLES" --write ranks '8/8/8/3pK3/2kP4/8/8/8 w - - 0 1'
says '^trebuchet blocked: wrote ranks/d4-d5.exact.treb$'; has '^Black wins: 2 plies'
cp -p ranks/d4-d5.exact.treb before
run 0 'blocked --write again' "$T" blocked -t "$TABLES" --write ranks '8/8/8/3pK3/2kP4/8/8/8 w - - 0 1'; says 'is there already'
check 'it is the old one' '[ ranks/d4-d5.exact.treb -ot before ] || ! [ ranks/d4-d5.exact.treb -nt before ]'
run 0 'blocked --write --solve' "$T" blocked -t "$TABLES" --solve --write ranks '8/8/8/4pK2/3kP3/8/8/8 w - - 0 1'; says 'blocked: wrote ranks/'
check 'the same bytes, mirrored' 'cmp -s ranks/d4-d5.exact.treb before'
run 0 'blocked --write, less would be decided' "$T" blocked -p 0 -t "$TABLES" --write ranks "$BOOK"; says 'kept ranks/a3c4-a4c5c6'
run 0 'blocked --write, a goal' "$T" blocked --goal take --from d6,c7,d7 --safe --write ranks "$BOOK"; says 'a3c4-a4c5c6.take-d6c7d7-safe.treb'
run 0 'blocked from a file' "$T" blocked -t ranks "$BOOK"; says '^trebuchet blocked: from ranks/a3c4-a4c5c6.exact.treb'
has '^White wins: at most 17 plies'; has '^    Kf5 +17'; has 'Kxc6$'; has "^  trebuchet blocked --solve '8"
run 0 'blocked from a file of a goal' "$T" blocked -t ranks --from c7,d6-d7 --safe "$BOOK"; says '^trebuchet blocked: from '; has '^Rank 16'
run 0 'blocked, another goal' "$T" blocked -t ranks --from c7 "$BOOK"; quiet
run 0 'blocked --tsv from a file' "$T" blocked -t ranks --from c7,d6-d7 --safe --tsv "$BOOK"; cp out from-file
run 0 'blocked --tsv --solve' "$T" blocked -t ranks --solve --from c7,d6-d7 --safe --tsv "$BOOK"; quiet
check 'the same ranks' 'cmp -s out from-file'
run 0 'blocked --json from a file' "$T" blocked -t ranks --json '8/8/8/3pK3/2kP4/8/8/8 w - - 0 1'
json 'd["file"] == "d4-d5.exact.treb" and d["verdict"] == "black" and d["line_end"] == "capture" and d["line_uci"][0] == d["moves"][0]["uci"]'
run 0 'blocked, something open in the file' "$T" blocked -t ranks --tsv -p 0 "$BOOK"; lacks 'blocked: from'
run 0 'probe, a rank file' "$T" probe -t ranks "$BOOK"; quiet
has '^White wins: at most 17 plies'; has 'From ranks/a3c4-a4c5c6.exact.treb. The 50-move rule is left aside'
run 0 'probe, mirrored' "$T" probe -t ranks '8/8/5p2/3K1p1k/5P1p/7P/8/8 w - - 0 1'; has '^    Kc5'
run 0 'probe, colours exchanged' "$T" probe -t ranks '8/8/p7/P1p5/K1P1k3/2P5/8/8 b - - 0 1'; has '^Black wins'; has '^    Kf4'
run 0 'probe, tables come first' "$T" probe -t ranks -t "$TABLES" '8/8/8/3pK3/2kP4/8/8/8 w - - 0 1'; has 'DTM'; lacks 'blocked-pawn'
run 0 'probe --json, a rank file' "$T" probe --json -t ranks "$BOOK"
json 'd["category"] == "maybe-win" and d["dtz"] is None and [m["san"] for m in d["moves"] if m["category"] == "maybe-loss"] == ["Kf5"]'
run 0 'probe --json, all decided' "$T" probe --json -t ranks '8/8/8/3pK3/2kP4/8/8/8 w - - 0 1'
json 'd["category"] == "maybe-loss" and d["dtc"] == -1 and all(m["category"] == "maybe-win" and m["dtc"] == 1 for m in d["moves"])'
run 0 'line, a rank file' "$T" line -t ranks "$BOOK"; has '^1\. Kf5'; has '\{White wins; what comes after the capture'; has 'Result "1-0"'; quiet
run 0 'line --json, a rank file' "$T" line --json -t ranks "$BOOK"; has '"rule":"none"'; has '"end":"unknown"'; has '"winner":"white"'; quiet
run 0 'line, a rank file and tables' "$T" line -t ranks -t "$TABLES" "$BOOK"; has '^1\. Kf5'
mkdir kpk; cp "$TABLES"/KPvK.* "$TABLES"/K[QRBN]vK.* kpk
run 0 'line into the tables' "$T" line -t ranks -t kpk '8/8/8/3pK3/2kP4/8/8/8 w - - 0 1'; has 'Kxd4'; has '#.*\{|Black mates in'; has 'Result "0-1"'
run 3 'probe, no rank file' "$T" probe -t ranks '8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1'
says "trebuchet blocked --write ranks '8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1'"; has '^Not known' 
run 3 'line, no rank file' "$T" line -t ranks '8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1'; says 'trebuchet blocked --write'
run 3 'probe, not blocked' "$T" probe -t ranks 'rnbqkbnr/8/8/8/8/8/8/RNBQKBNR w - - 0 1'; lacks 'blocked'
run 0 'info, a rank file' "$T" info -t ranks a3c4-a4c5c6.exact.treb; has 'KPPvKPPP: White a3 c4, Black a4 c5 c6'; has 'all but [0-9]+ placements'
run 0 'info --json, a rank file' "$T" info --json -t ranks a3c4-a4c5c6.exact.treb; is_json
json 'd["metric"] == "ranks" and d["pawns"] == {"white": ["a3", "c4"], "black": ["a4", "c5", "c6"]} and d["goal"] == "exact"'
json 'set(d) == set("file material men metric bytes pawns goal squares safe upper_bounds open counts longest".split())'
run 2 'blocked --json, not blocked' "$T" blocked --json '8/8/8/8/3P4/8/8/K6k w - - 0 1'; is_json; json '"not blocked" in d["error"]["message"]'
run 0 'info, of a goal' "$T" info ranks/a3c4-a4c5c6.take-d6c7d7-safe.treb; has 'from d6 c7 d7'; has 'attacks no pawn'
run 0 'verify rank files' "$T" verify -t ranks; has 'd4-d5.exact.treb right: .* of which 0 by the tables'; has '3 files of pawns: 3 right'; quiet
run 0 'verify by the tables' "$T" verify -t ranks -t "$TABLES" d4-d5.exact.treb; has 'right: .* of which [1-9]'; lacks 'KPvK'
run 0 'verify --json-log' "$T" verify -t ranks --json-log; is_json_lines; has '"event":"ranks".*"ok":true'
cp -r ranks worse; printf '\125' | dd of=worse/d4-d5.exact.treb bs=1 seek=200 conv=notrunc 2>/dev/null
mv worse/a3c4-a4c5c6.exact.treb worse/a3c4-a4c5.exact.treb
run 1 'verify, damaged' "$T" verify -t worse; has 'd4-d5.exact.treb WRONG: .*damaged'; has 'a3c4-a4c5.exact.treb WRONG: .*its name'; has '1 right, 2 wrong'
run 1 'probe, damaged ranks' "$T" probe -t worse '8/8/8/3pK3/2kP4/8/8/8 w - - 0 1'; says 'd4-d5.exact.treb.*damaged'; silent
run 0 'blocked, damaged ranks' "$T" blocked -t worse '8/8/8/3pK3/2kP4/8/8/8 w - - 0 1'; says 'damaged.*; solving instead'; has '^Black wins'
: >afile
run 1 'blocked --write into a file' "$T" blocked --write afile --goal take "$BOOK"; says 'cannot make the folder afile: Not a directory'; silent
run 1 'blocked --write, nowhere' "$T" blocked --write no/such --goal take "$BOOK"; says 'cannot make the folder'
run 2 'blocked --write, not blocked' "$T" blocked --write ranks '8/8/8/8/3P4/8/8/K6k w - - 0 1'; says 'not blocked'
run 2 'blocked, a free pawn' "$T" blocked '8/8/8/8/3P4/8/8/K6k w - - 0 1'; says 'white pawn on d4 is not blocked'; silent
run 2 'blocked, a capture' "$T" blocked '8/8/2p5/2Pp4/2PP4/8/8/K6k w - - 0 1'; says 'c4 is not blocked: it can take on d5'
run 2 'blocked, a piece' "$T" blocked '8/8/8/3pr3/3P4/8/8/K6k w - - 0 1'; says 'black rook on e5'; silent
run 2 'blocked, pawn on the first rank' "$T" blocked '8/8/8/8/8/8/p7/P6K w - - 0 1'; silent
run 2 'blocked, no king' "$T" blocked '8/8/8/3p4/3P4/8/8/K7 w - - 0 1'; says 'king'; silent
run 2 'blocked, king in check out of turn' "$T" blocked '8/8/8/3p4/2KP4/8/8/7k b - - 0 1'; says 'check'; silent
run 2 'blocked, bad squares' "$T" blocked --goal z9 "$BOOK"; says 'squares such as'
run 2 'blocked, exact and goal' "$T" blocked --exact --goal take "$BOOK"; says 'exclude'
run 2 'blocked, from with a square as goal' "$T" blocked --goal e4 --from e5 "$BOOK"; says 'goal take'
run 2 'blocked --memory wrong' "$T" blocked --memory x "$BOOK"; says '900M'
run 1 'blocked, too little memory' "$T" blocked --memory 1k "$BOOK"; says 'too little'
run 1 'blocked --svg nowhere' "$T" blocked --goal take --svg no/such.svg "$BOOK"; says 'cannot write'

# ---- line ---------------------------------------------------------------------------------------

run 0 'line' "$T" line -t "$TABLES" "$KBNK"; quiet
has '^\[FEN "8/8/8/4k3/8/8/3BN3/4K3 w - - 0 1"\]'; has '^\[SetUp "1"\]'; has '^\[Result "1-0"\]'
has '# \{White mates in 29'; has '1-0$'
check 'lines of at most 80 columns' '! grep -qE "^.{81}" out'
check '57 plies' '[ "$(sed "1,/^$/d; s/{[^}]*}//g" out | tr "\n" " " | grep -oE "[A-Za-h][A-Za-h0-9=x+#-]*[0-9QRBN][+#]?" | wc -l)" -eq 57 ]'
for m in dtm dtc dtz; do run 0 "line -m $m" "$T" line -m $m -t "$TABLES" "$UNDER"; has '#'; has '^1\. f8=R'; done
run 0 'line, Black begins' "$T" line -t "$TABLES" '8/8/8/8/8/2K5/7Q/1k6 b - - 0 7'; has '^7\.\.\. Ka1'
run 0 'line, draw' "$T" line -t "$TABLES" '7K/8/k1P5/7p/8/8/8/8 w'; has '1/2-1/2'; has 'draw'
run 0 'line, cursed' "$T" line -t "$TABLES" '8/8/8/4k3/8/8/3BN3/4K3 w - - 60 90'; has '^\[Result "1/2-1/2"\]'; has '50-move'
run 0 'line, cursed, without the rule' "$T" line --no-rule -t "$TABLES" '8/8/8/4k3/8/8/3BN3/4K3 w - - 60 90'
has '^\[Result "1-0"\]'; has 'left aside'; quiet
# Without the rule the shortest mate, which with this clock comes too late.
PUSH='8/8/8/8/8/8/k1P5/4K3 w - - 90 1'
run 0 'line, the rule lengthens it' "$T" line --json -t "$TABLES" "$PUSH"; is_json_lines; quiet
has '"rule":"50"'; has '"end":"mate"'
run 0 'line --json' "$T" line --json --no-rule -t "$TABLES" "$KBNK"; is_json_lines; quiet
has '"rule":"none"'; has '"plies":57'; has '"winner":"white"'; has '"dtm_plies":1[,}]'
run 3 'line --json, no table' "$T" line --json -t "$DIR" "$KBNK"; says 'KBNvK'
run 0 'line, checkmate' "$T" line -t "$TABLES" '8/8/8/8/8/2K5/1Q6/k7 b'; has '1-0$'
run 3 'line, no table' "$T" line -t "$DIR" "$KBNK"; says 'KBNvK'; silent
run 2 'line, bad FEN' "$T" line -t "$TABLES" 'x'; silent
run 0 'line --json' "$T" line --json -t "$TABLES" "$KBNK"; is_json; quiet
json 'set(d) == set("fen metric rule verdict winner end plies moves pgn".split()) and d["plies"] == 57 == len(d["moves"])'
"$T" line -t "$TABLES" "$KBNK" >game
json 'd["pgn"] == open("game").read() and d["winner"] == "white"'
run 3 'line --json, no table' "$T" line --json -t three "$KBNK"; is_json; json 'd["error"]["code"] == "no_table" and "KBNvK" in d["error"]["message"]'
run 2 'line --json, bad FEN' "$T" line --json x; is_json; json 'd["error"]["code"] == "bad_fen"'
run 2 'line, wrong metric' "$T" line -m wdl -t "$TABLES" "$KBNK"; silent

# ---- stats, info --------------------------------------------------------------------------------

run 0 'stats' "$T" stats -t "$TABLES" KPvK; quiet; has '124,960'; has '97,604'; has '163,328'; has '168,024'
has 'DTM  White'; has '#####'
run 0 'stats, colours the other way' "$T" stats -n -t "$TABLES" KvKP; has '^KPvK'
run 0 'stats, UTF-8' env LC_ALL=C.UTF-8 "$T" stats -t "$TABLES" KRvK; has '█'
run 0 'stats, narrow' env COLUMNS=60 "$T" stats -t "$TABLES" KRvK
check 'bars fit into 60 columns' '! sed -n "/ wins by /,\$p" out | grep -qE "^.{61}"'
run 0 'stats, metric' "$T" stats -m dtz -t "$TABLES" KRvKP; has 'Black wins by DTZ'
run 0 'stats, no wins' "$T" stats -t "$TABLES" KNvK; has 'none'
run 2 'stats, no material' "$T" stats -t "$TABLES" KXvK; says 'no material'; silent
run 3 'stats, no table' "$T" stats -t "$TABLES" KRPvKRP; silent
run 0 'stats --json' "$T" stats --json -t "$TABLES" KPvK; quiet; is_json
json 'set(d) == set("material men children counts longest histograms".split()) and set(d["histograms"]) == {"dtm", "dtc", "dtz"}'
json 'd["counts"]["white"]["win"] == 124960 and d["counts"]["black"]["loss"] == 97604'
json 'sum(n for p, n in d["histograms"]["dtm"]["white"]["win"]) == 124960'
run 0 'stats --json, one metric' "$T" stats --json -m dtz -t "$TABLES" KPvK; json 'list(d["histograms"]) == ["dtz"]'
run 0 'stats --json, counts alone' "$T" stats --json -n -t "$TABLES" KPvK; json '"histograms" not in d and d["longest"]'
run 3 'stats --json, no table' "$T" stats --json -t "$TABLES" KRPvKRP; is_json
json 'set(d) == {"error"} and d["error"]["code"] == "no_table" and "KRPvKRP.wdl.treb" in d["error"]["message"]'
run 3 'stats --json, that metric is missing' "$T" stats --json -m dtm -t some KBNvK; is_json; says 'KBNvK.dtm.treb'
json 'd["histograms"]["dtm"] is None and d["counts"]["white"]["win"] > 0'
run 2 'stats --json, no material' "$T" stats --json -t "$TABLES" KXvK; json 'd["error"]["code"] == "bad_request"'
run 2 'stats --json, a wrong option' "$T" stats --no-such --json KPvK; json '"--no-such" in d["error"]["message"]'
run 1 'stats --json, no folder' "$T" stats --json -t nowhere KPvK; json 'd["error"]["code"] == "io"'

run 0 'info' "$T" info "$TABLES/KPvK.dtz.treb"; quiet; has 'KPvK, 3 men'; has 'DTZ: plies'; has '124,960 wins'
run 0 'info by name' "$T" info -t "$TABLES" KPvK.wdl; has 'WDL'
run 3 'info, no file' "$T" info -t "$TABLES" KPvK.xyz; says 'no file'; silent
echo 'no table' >KPvK.dtm.treb
run 1 'info, foreign file' "$T" info ./KPvK.dtm.treb; says 'KPvK.dtm.treb'; silent
run 0 'info, a folder' "$T" info "$TABLES"; quiet; has '^KPvK +wdl dtz dtc dtm +[0-9.]+ kB$'; has ': [0-9]+ tables of [0-9]+ materials, '
cp out folder
run 0 'info --json, a folder' "$T" info --json "$TABLES"; quiet; is_json
json 'd["directories"] == ["'"$TABLES"'"] and d["ranks"] == [] and len(d["tables"]) >= 35 and d["bytes"] > 1e6'
json '"of %d materials" % len(d["tables"]) in open("folder").read()'
run 0 'info --json' "$T" info --json "$TABLES/KPvK.dtz.treb"; quiet; is_json
json 'set(d) == set("file material men metric bytes unpacked_bytes blocks block_bytes cells cells_per_byte cell_bytes codec codes stored counts longest".split())'
json 'd["counts"]["white"]["win"] == 124960 and next(iter(d["codes"].values()))["order"][0] == "pawns" and next(iter(d["codes"].values()))["count"] >= 1 and d["stored"]["white"] in (True, False)'
run 0 'info --json, several' "$T" info --json -t "$TABLES" KPvK.wdl KQvK.dtm; is_json_lines
check 'an object for each' '[ "$(wc -l <out)" -eq 2 ] && ! head -1 out | grep -q longest'
run 3 'info --json, no file' "$T" info --json -t "$TABLES" KPvK.xyz KPvK.wdl; is_json_lines; says 'no file'
has '^\{"file":"KPvK.xyz","error":\{"code":"no_table"'; has '"metric":"wdl"'
run 2 'info --json and --tsv' "$T" info --json --tsv "$TABLES/KPvK.wdl.treb"; is_json; json 'd["error"]["code"] == "bad_request"'
head -c 1000 "$TABLES/KPvK.wdl.treb" >KPvK.wdl.treb
run 1 'info, truncated' "$T" info ./KPvK.wdl.treb; says 'KPvK.wdl.treb'; silent

mkdir hollow
run 3 'info, an empty folder' "$T" info hollow; says 'there are no tables'; says '^Looked in: hollow$'; says 'trebuchet gen|cannot be made'; silent
run 0 'info, a folder of rank files' "$T" info ranks; has '^d4-d5.exact.treb$'; has '^ranks: 0 tables of 0 materials, 0 B; 3 blocked-pawn tables'
if [ -w /dev/full ]; then
    for c in "probe $UNDER" 'stats KPvK' 'stats --json KPvK' 'info KPvK.wdl' 'info --json KPvK.wdl' 'verify KQvK' 'verify --json KQvK' 'gen -e KRvK' \
        'gen --json -e KRvK' "compare $TABLES $TABLES KQvK"; do
        run 1 "$c, nowhere to write to" sh -c 'TREBUCHET_PATH=$2 exec "$1" $3 >/dev/full' sh "$T" "$TABLES" "$c"
        says 'cannot write the output: No space left'
    done
fi

# ---- Syzygy's files -----------------------------------------------------------------------------

# Its own, of three men and of KNNvK.
SYZYGY=$DOCS/../tests/data/syzygy
KRK='8/8/8/8/8/4k3/8/RK6 w - - 0 1'
run 0 'Syzygy' "$T" probe -t "$SYZYGY" "$KRK"; has '^White wins\.'; has 'DTZ  23 or 24 plies to'
has 'DTM  not known'; has 'Ra4 +\? +\? +23\+'; has '33\+ is 33 or 34 plies'; quiet
check 'Syzygy: best first' 'grep -A1 "^  winning" out | grep -q Ra4'
run 0 'Syzygy, a clock on the edge' "$T" probe -t "$SYZYGY" '8/8/8/8/8/4k3/8/RK6 w - - 77 90'
has 'the 50-move rule saves Black'
run 0 'Syzygy, json' "$T" probe --json -t "$SYZYGY" "$KRK"; quiet
json 'd["category"] == "win" and d["dtz"] == 23 and d["precise_dtz"] is None and d["dtm"] is None'
json 'd["moves"][0]["uci"] == "a1a4" and d["moves"][0]["dtz"] == -22'
run 0 'Syzygy, json, on the edge' "$T" probe --json -t "$SYZYGY" '8/8/8/8/8/4k3/8/RK6 w - - 77 90'
json 'd["category"] == "syzygy-win" and d["moves"][0]["category"] == "syzygy-loss"'
run 0 'Syzygy, exact' "$T" probe --json -t "$SYZYGY" '8/8/8/8/8/2K5/7Q/k7 w'
json 'd["moves"][0]["checkmate"] and d["moves"][0]["precise_dtz"] == -1'
run 0 'Syzygy, line' "$T" line -t "$SYZYGY" "$KRK"; has '# .*White mates in 12 moves'
run 0 'both kinds: ours answers' "$T" probe --json -t "$SYZYGY" -t "$TABLES" "$KRK"
json 'd["precise_dtz"] == d["dtz"] == d["dtm"] == 23'
run 0 'Syzygy, stats' "$T" stats -t "$SYZYGY" KRvK; has 'not known: Syzygy'; lacks ' 0 '
run 0 'Syzygy, info' "$T" info "$SYZYGY/KRvK.rtbz"; has 'wins rounded, losses rounded'; has 'KRvK, 3 men'
run 0 'Syzygy, info --json' "$T" info --json "$SYZYGY/KPvK.rtbw"; is_json
json 'd["format"] == "syzygy" and d["metric"] == "wdl" and d["stored"]["black"] and d["exact"]["wins"]'
run 0 'Syzygy, info of a folder' "$T" info "$SYZYGY"; has '^KPvK +wdl dtz'; has '12 tables of 6 materials'
mkdir torn && cp "$SYZYGY"/* torn && chmod u+w torn/* && head -c 4000 "$SYZYGY/KRvK.rtbz" >torn/KRvK.rtbz
run 0 'Syzygy, torn' "$T" probe -t torn "$KRK"; has '^White wins'; has 'DTZ  not known: damaged'
run 1 'Syzygy, torn, info' "$T" info torn/KRvK.rtbz; says 'KRvK.rtbz'; says 'not complete'

# ---- damaged files ------------------------------------------------------------------------------

mkdir bad && cp "$TABLES"/K[QRBNP]vK.* bad && head -c 1000 "$TABLES/KPvK.wdl.treb" >bad/KPvK.wdl.treb
run 1 'probe, truncated' "$T" probe -t bad '8/8/8/4k3/8/8/4P3/4K3 w'; says 'KPvK.wdl.treb'; silent
run 1 'json, truncated' "$T" probe --json -t bad '8/8/8/4k3/8/8/4P3/4K3 w'; says 'KPvK.wdl.treb'; is_json
run 1 'line, truncated' "$T" line -t bad '8/8/8/4k3/8/8/4P3/4K3 w'; silent
run 1 'stats --json, truncated' "$T" stats --json -t bad KPvK; says 'KPvK.wdl.treb'; is_json; json 'd["longest"]'
run 1 'info --json, truncated' "$T" info --json bad/KPvK.wdl.treb; is_json; json 'd["error"]["code"] == "damaged"'
run 1 'stats, truncated' "$T" stats -t bad KPvK; says 'KPvK.wdl.treb'
run 1 'verify, truncated' "$T" verify -t bad KPvK; has 'KPvK'
run 0 'the others still answer' "$T" probe -t bad '8/8/8/4k3/8/8/3Q4/4K3 w'
# One byte in the middle of the blocks.
cp "$TABLES/KPvK.dtm.treb" altered
cp "$TABLES/KPvK.wdl.treb" bad
size=$(stat -c %s altered)
printf '\377\000\377' | dd of=altered bs=1 seek=$((size / 3)) conv=notrunc 2>/dev/null
mv altered bad/KPvK.dtm.treb
run 1 'verify, altered block' "$T" verify -t bad KPvK; has 'KPvK.dtm.treb'
run 1 'verify all, one is bad' "$T" verify -t bad; has '^KQvK +right'; has '1 wrong|1 not checked'
run 0 'stats, altered block: the headers are whole' "$T" stats -t bad KPvK; has 'DTM  White'

# ---- verify -------------------------------------------------------------------------------------

run 0 'verify' "$T" verify -t "$TABLES" KPvK KvKQ; has '^KPvK +right'; has '^KQvK +right'; has '2 right'
lacks $'\r'
run 0 'verify --full' "$T" verify --full -t "$TABLES" KPvK; has 'wdl,dtz,dtc,dtm'
run 0 'verify --json-log' "$T" verify --json-log -t "$TABLES" KPvK KQvK; is_json_lines; has '"ok":true'
cp out log
run 0 'verify --json' "$T" verify --json -t "$TABLES" KPvK KQvK; is_json_lines; quiet
check 'verify --json and --json-log: the same' '[ "$(sed "s/\"seconds\":[0-9.]*//" out)" = "$(sed "s/\"seconds\":[0-9.]*//" log)" ]'
has '^\{"event":"table","material":"KPvK","ok":true,"checked":true,"format":"trebuchet","full":false,"metrics":"wdl,dtz,dtc,dtm","positions":123285,"blocks":78,"errors":0,"rule_proved":true,"seconds":[0-9.]+,"text":""\}$'
has '^\{"event":"done","materials":2,"rank_files":0,"right":2,"wrong":0,"not_checked":0,"positions":[0-9]+,"seconds":'
run 3 'verify --json, no tables' sh -c 'mkdir -p none-here; exec "$1" verify --json -t none-here' sh "$T"; is_json; json 'd["error"]["code"] == "no_table"'
run 0 'verify --share' "$T" verify -q --share 1% -j 1 -t "$TABLES" KQvKR; silent
run 2 'verify --share wrong' "$T" verify --share 2 -t "$TABLES" KPvK; silent
run 2 'verify, no material' "$T" verify -t "$TABLES" KPvQ; silent
run 3 'verify, no table' "$T" verify -t "$TABLES" KRPvKRP; has 'not checked'
mkdir empty
run 3 'verify, empty folder' "$T" verify -t empty; says 'no tables'
run 1 'verify --memory too little' "$T" verify --full -M 1k -t "$TABLES" KQvKR; has 'not checked'

# Syzygy's files.
run 0 'verify, Syzygy' "$T" verify -t "$SYZYGY"; has '^KPvK +right +[0-9,]+ positions .* rtbw,rtbz$'; has '6 materials: 6 right'; quiet
run 0 'verify --full, Syzygy' "$T" verify --full -t "$SYZYGY" KvKP; has '^KPvK +right +165,676 positions .* rtbw,rtbz$'
run 0 'verify --json, Syzygy' "$T" verify --full --json -t "$SYZYGY" KRvK; is_json_lines
has '^\{"event":"table","material":"KRvK","ok":true,"checked":true,"format":"syzygy","full":true,"metrics":"wdl,dtz","positions":50015,"blocks":0,"errors":0,"rule_proved":true,'
run 0 'verify, both kinds' "$T" verify -t "$SYZYGY" -t "$TABLES" KQvK; has ' blocks .* wdl,dtz,dtc,dtm$'; has ' rtbw,rtbz$'; has '2 right'
run 0 'verify a file' "$T" verify --full -t "$TABLES" "$SYZYGY/KRvK.rtbz" "$SYZYGY/KRvK.rtbw"; has ' rtbw,rtbz$'; lacks 'dtc'; has '^1 material: 1 right'
run 0 'verify a file of ours' "$T" verify -t "$SYZYGY" "$TABLES/KRvK.dtz.treb"; has 'wdl,dtz,dtc,dtm$'; lacks 'rtbw'
run 0 'verify a file by its name' "$T" verify -t "$SYZYGY" KRvK.rtbz; has ' rtbw,rtbz$'
run 3 'verify a file that is not there' "$T" verify -t "$SYZYGY" none/KRvK.rtbz; has '^KRvK +not checked: none/KRvK.rtbz is not there'
run 3 'verify, Syzygy, a file missing' sh -c 'mkdir alone; cp "$2/KPvK.rtbw" alone; exec "$1" verify -t alone' sh "$T" "$SYZYGY"
has 'not checked: .*vK.rtbw is needed but not installed'
run 0 'verify, Syzygy, verdicts alone' sh -c 'rm alone/*; cp "$2/KRvK.rtbw" alone; exec "$1" verify --full -t alone' sh "$T" "$SYZYGY"
has 'rtbw \(progress of wins not proved\)$'

run 0 'verify --checksum' "$T" verify --checksum -t "$SYZYGY" -t "$TABLES" KRvK; quiet; has 'KRvK.rtbz right: 8.3 kB'; has 'KRvK.dtm.treb right'; has '^6 files: 6 right, 0 wrong'
run 0 'verify --checksum, a file' "$T" verify -c -t "$SYZYGY" "$TABLES/KRvK.dtz.treb"; has '^1 file: 1 right'
run 0 'verify --checksum --json' "$T" verify --checksum --json -t "$SYZYGY" KRvK; is_json_lines; quiet
has '^\{"event":"checksum","file":"[^"]*/KRvK.rtbz","ok":true,"checked":true,"bytes":8272,"seconds":[0-9.]+,"text":""\}$'
has '^\{"event":"done","files":2,"right":2,"wrong":0,"not_checked":0,"bytes":8480,"seconds":'
run 0 'verify --checksum --quiet' "$T" verify -cq -t "$SYZYGY"; silent; quiet
run 0 'verify --checksum, rank files' "$T" verify -c -t ranks; has 'd4-d5.exact.treb right'; has '^3 files: 3 right'
run 2 'verify --checksum --full' "$T" verify --checksum --full -t "$SYZYGY"; silent
run 3 'verify --checksum, no table' "$T" verify --checksum -t "$SYZYGY" KQvKR; has '^KQvKR not checked'
cp -r "$SYZYGY" flipped && chmod u+w flipped/* && printf '\125' | dd of=flipped/KQvK.rtbz bs=1 seek=3000 conv=notrunc 2>/dev/null
run 1 'verify --checksum, flipped' "$T" verify --checksum -t flipped; has '/KQvK.rtbz WRONG: .*checksum differs'; has '12 files: 11 right, 1 wrong'
run 1 'verify, flipped' "$T" verify -t flipped KQvK; has '^KQvK +WRONG 1 error.*/KQvK.rtbz: damaged'
# All positions won by one side to move, with a checksum that is right.
printf '\004' | dd of=flipped/KBvK.rtbw bs=1 seek=11 conv=notrunc 2>/dev/null
printf '\077\017\165\053\171\024\360\135\073\134\233\175\254\012\214\322' | dd of=flipped/KBvK.rtbw bs=1 seek=64 conv=notrunc 2>/dev/null
run 0 'verify --checksum, wrong values' "$T" verify --checksum -t flipped KBvK; has '2 right'
run 1 'verify --full, wrong values' "$T" verify --full -t flipped KBvK
has '^KBvK +WRONG [0-9,]+ errors; the first: [1-8/a-zA-Z]+ [wb] - - 0 1: the .rtbw file says win, the moves say (draw|loss)$'
rm -r flipped alone
# ---- export -------------------------------------------------------------------------------------

run 0 'export' "$T" export --syzygy exported KPvK; has '^KRvK +399,112 positions'; has '^5 tables, '; quiet
check 'export, ten files' '[ "$(ls exported | wc -l)" -eq 10 ] && [ "$(ls exported/*.rtbw | wc -l)" -eq 5 ]'
run 0 'export, there already' "$T" export --syzygy exported KvKP; has 'already'
run 0 'export, compared' "$T" compare -m wdl,dtz exported "$TABLES"; has ' 0 different, 0 not compared'
run 0 'export, proved' "$T" verify --full -t exported KPvK; has '^KPvK +right +165,676 positions .* rtbw,rtbz$'
run 0 'export, checksums' "$T" verify --checksum -t exported; quiet
run 0 'probe of what was exported' "$T" probe -t exported '8/8/8/8/8/2k5/1p6/1K6 w - - 0 1'; quiet
run 0 'export --exact --json' "$T" export --json -x -s exact -j 1 KRvK; is_json_lines; quiet
has '^\{"event":"table","material":"KRvK","positions":399112,.*"bytes":\{"wdl":[0-9]+,"dtz":[0-9]+\}\}$'; has '^\{"event":"done","tables":1,'
run 0 'export --exact: no distance is rounded' "$T" compare -m dtz exact "$TABLES"; has '^KRvK +dtz +50,015 equal +0 rounded +0 different$'
rm exported/KRvK.rtbz
run 0 'export, one file is missing' "$T" export -q --syzygy exported KRvK; silent
check 'it is there again' '[ -s exported/KRvK.rtbz ] && cmp exported/KRvK.rtbw exact/KRvK.rtbw'
run 0 'export --estimate' "$T" export --estimate --syzygy nowhere KRPvKR; has '^tables +[0-9]+ to write'; quiet
run 1 'export --memory too little' "$T" export -M 1k --syzygy exported KQvKR; says 'needs .* of memory'
run 2 'export without a folder' "$T" export KQvK; says '--syzygy DIR'; silent
run 2 'export of nothing' "$T" export --syzygy exported; says 'name a material'; silent
check 'export makes no folder in vain' '[ ! -e nowhere ]'

# ---- find ---------------------------------------------------------------------------------------

run 0 'find --zugzwang --count' "$T" find -t "$TABLES" -z --count -q KPvKP KPvK KQvK; quiet
has '^KPvKP +121 of 3,718,044 positions: whoever is to move loses in 15, one side in 106$'
has '^KPvK +80 of 165,676 positions: .* White in 0, Black in 80$'; has '^KQvK +0 of 46,137 positions$'
run 0 'find' "$T" find -t "$TABLES" -z KPvK; says '^KPvK +80 of 165,676 positions: .*\([0-9:]+\)$'
check 'a FEN a line' '[ "$(wc -l <out)" -eq 80 ] && ! grep -qvE "^[1-8KkP/]+ w - - 0 1$" out'
check 'and no other way round of one' '[ "$(sort -u out | wc -l)" -eq 80 ]'
run 0 'find --turn' "$T" find -t "$TABLES" -q -z --turn black KPvK; quiet; lacks ' w - -'
run 0 'find, the trébuchet' "$T" find -t "$TABLES" -q -z --tsv KPvKP 'zugzwang == "full"'
check 'a head and 15 of them' '[ "$(wc -l <out)" -eq 16 ] && [ "$(grep -c "	loss	full	" out)" -eq 15 ]'
run 0 'find --only-move --epd' "$T" find -t "$TABLES" -q -o --epd KPvK 'wp == "a7"'; has '^[^ ]+ [wb] - - bm [^;]+; c0 "draw";$'; lacks 'loss'
run 0 'find --longest' "$T" find -t "$TABLES" -q --longest --json KQvKR; is_json_lines; has '"verdict":"win",.*"dtm_plies":69}'
has '^\{"event":"material","material":"KQvKR","positions":2467122,"found":10,'; has '^\{"event":"done","materials":1,"found":10,"stopped":false\}$'
check 'all of them are as long as stats says' '[ "$(grep -c "dtm_plies\":69}" out)" -eq 10 ]'
run 0 'find --longest --turn' "$T" find -t "$TABLES" -q --longest --turn black --tsv KQvKR; check 'those of the rook' '[ "$(grep -c "	37$" out)" -eq 23 ]'
run 0 'find, the same men on both sides, Black to move' "$T" find -t "$TABLES" -q --turn black --count KPvKP; has '^KPvKP +3,718,044 of 3,718,044 '
run 0 'find -z, a condition that is not the same for both colours' "$T" find -t "$TABLES" -q -z --count KPvKP 'verdict == "loss" and zugzwang == "half"'; has '^KPvKP +106 of'
run 0 'find -z, a condition that is' "$T" find -t "$TABLES" -q -z --count KPvKP 'zugzwang == "half"'; has '^KPvKP +106 of'
run 0 'find --first, more than there are' "$T" find -t "$TABLES" -q -s -n 9223372036854775807 --tsv KQvK; check 'all' '[ "$(wc -l <out)" -gt 40000 ]'
run 0 'find --count --first' "$T" find -t "$TABLES" -q --count -n 1 -z KPvKP KPvK KPvK; check 'each once' '[ "$(wc -l <out)" -eq 2 ]'
run 0 'find --sort --first' "$T" find -t "$TABLES" -q -s -n 3 --tsv KBBvK
check 'the longest first' '[ "$(cut -f 7 out | tail -3 | tr "\n" " ")" = "38 38 38 " ]'
run 0 'find --first' "$T" find -t "$TABLES" -q -n 5 KRvK KQvK; check 'five' '[ "$(wc -l <out)" -eq 5 ]'
run 0 'find --sample' "$T" find -t "$TABLES" -q --sample 20 KRvK KQvK; check 'twenty' '[ "$(wc -l <out)" -eq 20 ]'; cp out sample
run 0 'find --sample again' "$T" find -t "$TABLES" -q --sample 20 -j 1 KRvK KQvK; check 'the same twenty' 'cmp -s out sample'
run 0 'find --seed' "$T" find -t "$TABLES" -q --sample 20 --seed 7 KRvK KQvK; check 'others' '[ "$(wc -l <out)" -eq 20 ] && ! cmp -s out sample'
run 0 'find --men' "$T" find -t "$TABLES" -q --men 3 --stalemate --count --tsv; check 'a head and five endings' '[ "$(wc -l <out)" -eq 6 ]'
# Endings of three men, those of four that have any, and two that have none, as others counted them (make zugzwangs-check
# has all); and so what docs/zugzwangs.md says of endings of three to five men.
PUBLISHED=$TOP/tests/data/zugzwangs.tsv
for some in '--men 3' 'KBPvK KBvKP KNPvK KNvKP KPPvK KPvKP KRvKB KRvKN KRvKP KQvKR KBvKN'; do
    run 0 "find --zugzwang, $some" "$T" find -t "$TABLES" -q -z --count --tsv $some
    awk 'NR > 1 { split($1, side, "v"); same = side[1] == side[2]; print $1, $3, $4, same ? $5 + $6 : $5, same ? 0 : $6 }' out
done | grep ^K | sort >counted
check 'as published' '[ "$(wc -l <counted)" -eq 16 ] && [ -z "$(grep -v "^#" "$PUBLISHED" | tr "\t" " " | sort | comm -13 - counted)" ]'
sed -n 's/^| \(K[A-Zv]*\) | \([0-9]*\) | \([0-9]*\) | \([0-9]*\) | \([0-9]*\) *|$/\1 \2 \3 \4 \5/p' "$DOCS/zugzwangs.md" | sed 's/ $/ 0/' >told
sed -n 's/^None: \(.*\)\.$/\1/p' "$DOCS/zugzwangs.md" | tr -d ' ' | tr ',' '\n' | sed 's/$/ 0 0 0 0/' >>told
check 'what is told as published, but for KQPPvK' '[ "$(wc -l <told)" -eq 145 ] && [ "$(grep -v "^#" "$PUBLISHED" | tr "\t" " " | sort | comm -13 - <(sort told))" = "KQPPvK 0 0 0 0" ]'
run 0 'find --underpromotion --pgn' "$T" find -t "$TABLES" -q -u --pgn KPvK; has '^\[Result "1-0"\]$'; has '=[RNB]'
run 0 'find --unique-line' "$T" find -t "$TABLES" -q --unique-line --turn black KRvKN; has ' b - - 0 1$'
run 0 'find --cursed' "$T" find -t "$TABLES" -q --cursed --count KQvKR; has '^KQvKR +0 of'
run 0 'find --with-rule' "$T" find -t "$TABLES" -q --with-rule -z --count KPvK; has '^KPvK +80 of'
run 0 'find and probe' bash -c "'$T' find -t '$TABLES' -q -z -n 3 KPvKP | '$T' probe -t '$TABLES' -"; check 'three answers' '[ "$(grep -c /8 out)" -eq 3 ]'
run 2 'find, a wrong condition' "$T" find -t "$TABLES" KPvK 'verdict = 3'; says '^trebuchet find: condition:1: '; silent
run 2 'find, an unknown name' "$T" find -t "$TABLES" KPvK 'verdct == "win"'; says "nothing called 'verdct'"; silent
run 2 'find, no material' "$T" find -t "$TABLES" 'verdict == "win"'; says 'is no material'; silent
run 2 'find, a condition too early' "$T" find -t "$TABLES" 'check' KPvK; says 'is no material'; silent
run 130 'find --time ends what does not' timeout 20 "$T" find -t "$TABLES" -q --time 1 KPvK 'while true do end return true'; silent
run 0 'find --time' "$T" find -t "$TABLES" --time 60 --zugzwang --count KPvK; has '80 of 165,676'
run 2 'find --sort --sample' "$T" find -t "$TABLES" -s --sample 3 KPvK; says 'exclude each other'; silent
run 3 'find, no table' "$T" find -t "$TABLES" -z KRPvKR; says 'KRPvKR.wdl.treb is not installed'; silent
run 3 'find, no tables of so many men' "$T" find -t "$TABLES" --men 7 -z; says 'there are no tables of 7 men'; silent
run 1 'find, a full disk' bash -c "'$T' find -t '$TABLES' -q KRvK >/dev/full"; says 'cannot write the output'

# ---- rule ---------------------------------------------------------------------------------------

RULES=$(dirname "$DOCS")/examples/rules
run 0 'rule' "$T" rule -t "$TABLES" -q "$RULES/square.lua" KPvK; quiet
has '^KPvK: speaks of 132,739 of 165,676 positions \(80\.1 %\), wrong 5,740 '; has '^  win +49,746  wrong 2 .*: draw 2  - outside the square$'
run 0 'rule, always right' "$T" rule -t "$TABLES" -q "$RULES/lone-king.lua" KQvK KBvK; has '^  not win +28,056  always right  - a king alone$'; lacks 'wrong [1-9]'
run 0 'rule, of the whole of each' "$T" rule -t "$TABLES" -q -n 0 "$RULES/lone-king.lua" KPvK; has 'speaks of 165,676 of 165,676'
run 0 'rule --show' "$T" rule -t "$TABLES" -q -n 7 "$RULES/key-squares.lua" KPvK; check 'seven errors' '[ "$(grep -c " b - - 0 1  draw$" out)" -eq 7 ]'
run 0 'rule --turn' "$T" rule -t "$TABLES" -q --turn white "$RULES/key-squares.lua" KPvK; lacks 'loss'; has 'always right'
run 0 'rule --json' "$T" rule -t "$TABLES" --json "$RULES/wrong-bishop.lua" KBPvK; is_json_lines; has '"silent":9368627,"complete":true,'; has '"wrong":0'
run 0 'rule, a set without exceptions' "$T" rule -t "$TABLES" -q "$RULES/kpvk.lua" KPvK; has '^KPvK: speaks of 165,676 of 165,676 positions \(100.0 %\), wrong 0 \(0 %\)$'
run 0 'rule, a statement' "$T" rule -t "$TABLES" -q "$RULES/right-corner.lua" KBNvK; has '^  false +9  - mate in the wrong corner$'
run 0 'rule, one position' "$T" rule -t "$TABLES" "$RULES/square.lua" 8/8/8/8/K7/8/P1k5/8 b; has '^By the table of KPvK: loss\.$'; has '^The rule says: draw - in the square, and nearer to the pawn\. It is wrong\.$'
run 0 'rule, one position, colours exchanged' "$T" rule -t "$TABLES" "$RULES/square.lua" '8/p1K5/8/k7/8/8/8/8 w'; has '^By the table of KPvK: loss\.$'; has 'It is wrong'
run 0 'rule, silent' "$T" rule -t "$TABLES" --json "$RULES/key-squares.lua" '8/8/8/8/K7/8/P1k5/8 b'; is_json_lines; has '"verdict":"loss","says":null,"ground":null,"right":null'
run 0 'rule, a statement of one position' "$T" rule -t "$TABLES" "$RULES/right-corner.lua" '8/8/8/8/8/8/2N5/kBK5 b'; has '^The rule says: false - mate in the wrong corner\.$'
run 3 'rule, a position without a table' "$T" rule -t "$TABLES" "$RULES/square.lua" '8/8/8/8/K7/8/PPPP1k2/8 b'
run 2 'rule, no position' "$T" rule -t "$TABLES" "$RULES/square.lua" '8/8/8/8/K7/8/P1k5 b'
run 0 'rule --html' "$T" rule -t "$TABLES" -q --html errors.html "$RULES/square.lua" KPvK
check 'a page with boards' '[ "$(grep -c "<figure>" errors.html)" -eq 8 ] && grep -q "<span class=\"d w\">&#9818;" errors.html && tail -1 errors.html | grep -q "</html>"'
run 0 'rule --html -' "$T" rule -t "$TABLES" -q --html - "$RULES/opposition.lua" KPvK; has '^<!doctype html>'; lacks 'speaks of [0-9,]+ of [0-9,]+ positions \('
run 0 'rule --time' "$T" rule -t "$TABLES" -q --time 60 "$RULES/opposition.lua" KPvK; has 'White has to give way'
# What the server tells of rules is what they are: of small endings all of it, and there is a line for each.
for r in "$RULES"/*.lua; do
    for m in $(sed -n 's/^-- On trial: //p' "$r"); do
        line=$(grep -F "{\"rule\":\"rules/$(basename "$r")\",\"material\":\"$m\"," "$RULES/figures.jsonl")
        check "$(basename "$r"), $m: there are figures (make rules)" '[ -n "$line" ]'
        [ $m != KPvK ] && continue
        (cd "$RULES/.." && "$T" rule -t "$TABLES" -q --json --show 6 "rules/$(basename "$r")" $m) >out
        check "$(basename "$r"), $m: its figures are those of now (make rules)" '[ "$line" = "$(cat out)" ]'
    done
done
for r in "$RULES"/*.lua; do
    [ "$(basename "$r")" = lib.lua ] || check "$(basename "$r") has a source and an ending" 'grep -q "^-- On trial: K" "$r" && grep -qE "[Bb]ook|[0-9]{4}|mated" "$r"'
done
printf 'return function() return nothere end\n' >bad.lua
run 2 'rule, an error in it' "$T" rule -t "$TABLES" bad.lua KPvK; says "^trebuchet rule: bad.lua:1: there is nothing called 'nothere'"; silent
printf 'return function() while true do end end\n' >endless.lua
run 0 'rule --time ends what does not' timeout 20 "$T" rule -t "$TABLES" -q --time 1 endless.lua KPvK KQvK; says 'KPvK: stopped before its end'; says 'KQvK: not tried'
printf 'while true do pcall(function() while true do end end) end\n' >endless.lua
run 0 'rule --time ends what is read without end' timeout 20 "$T" rule -t "$TABLES" -q --time 1 endless.lua KPvK; says 'KPvK: stopped before its end'
run 130 'rule --time, one position' timeout 20 "$T" rule -t "$TABLES" --time 1 endless.lua '8/8/8/8/K7/8/P1k5/8 b'; says 'stopped before it said anything'; silent
run 130 'play --time, too' timeout 20 "$T" play -t "$TABLES" -q --time 1 endless.lua; says 'stopped before anything is proven'
run 2 'rule --html - --json' "$T" rule -t "$TABLES" --html - --json bad.lua KPvK; says 'standard output'
echo old >kept.html
run 2 'rule --html, an error' "$T" rule -t "$TABLES" --html kept.html bad.lua KPvK; check 'the page is as it was' '[ "$(cat kept.html)" = old ]'
printf 'return function() if turn == "black" then return "not win", "by turn" end end\n' >turn.lua
run 0 'rule --turn, the same men on both sides' "$T" rule -t "$TABLES" -q --turn black turn.lua KNvKN; has 'speaks of 1,567,222 of 1,567,222'
run 0 'rule, the same men on both sides' "$T" rule -t "$TABLES" -q turn.lua KNvKN; has 'speaks of 0 of 1,567,222'
run 2 'rule, no file' "$T" rule -t "$TABLES" nowhere.lua KPvK; says 'nowhere.lua'; silent
run 2 'rule, no material' "$T" rule -t "$TABLES" bad.lua; says 'a material is wanted'; silent
run 3 'rule, no table' "$T" rule -t "$TABLES" "$RULES/lucena.lua" KRPvKR; says 'KRPvKR.wdl.treb is not installed'; silent

# ---- shift --------------------------------------------------------------------------------------

run 0 'shift' "$T" shift -t "$TABLES" '8/8/8/3k4/8/3KP3/8/8 w'; quiet
has '^35 places$'; has '^  free of the edges: 20 places$'; has '^    Black to move: draw by Ke5$'; has '^    Black to move: draw in 1, loss in 1$'
has '^  6 = = = = = = = \.    6 \+ \+ \+ \+ \+ \+ = \.$'
run 0 'shift, White to move or Black' "$T" shift -t "$TABLES" '8/8/8/3k4/8/3KP3/8/8 b'; has '^35 places$'
run 0 'shift --tsv' "$T" shift -t "$TABLES" --tsv '8/8/2k5/8/7p/8/5KP1/8 w'; check 'a head and nine places' '[ "$(wc -l <out)" -eq 10 ]'
has '^8/8/2k5/8/7p/8/5KP1/8 w - - 0 1	at a side edge	win	Kg1	draw	Kc5 Kd5 Kd6 Kd7 h3$'
run 0 'shift --json' "$T" shift -t "$TABLES" --json '8/8/2k5/8/7p/8/5KP1/8 w'; is_json
has '"group":"at the top or bottom","places":1,"white":\{"loss":0,"draw":0,"win":1,"impossible":0,"one_verdict":true,'
run 0 'shift --list' "$T" shift -t "$TABLES" --list '8/8/8/8/KBN1k3/8/8/8 w'; has '^32 places$'; has '^ +32  Kd8  win by K.* more  loss$'; has '^ +29  Ka1  win by Ka2, Kb2, Ba2, Bc2 and 8 more  loss$'
run 0 'shift --list, any move' "$T" shift -t "$TABLES" --list '8/8/8/3k4/8/3KP3/8/8 w'; has '^ +35  Kg6  draw by any +draw by Kh8$'
# Of a place no move is left out: not one that would leave the board where the position was given.
"$T" shift -t "$TABLES" --tsv '8/8/8/8/8/8/K1k5/4Q3 w' | sed -n 's,^3K1k2/7Q/8/8/8/8/8/8 w[^	]*	[^	]*	win	\([^	]*\).*,\1,p' | tr ' ' '\n' | sort >moves
"$T" probe -t "$TABLES" --json '3K1k2/7Q/8/8/8/8/8/8 w' | python3 -c 'import json, sys; print(*(m["san"] for m in json.load(sys.stdin)["moves"] if m["category"] == "loss"), sep="\n")' | sort >won
check 'all moves of a place' 'grep -q Qh1 moves && diff moves won'
# Each place by itself says the same.
"$T" shift -t "$TABLES" --tsv '8/8/8/3k4/8/3KP3/8/8 w' | tail -n +2 | while IFS='	' read -r fen group white rest; do
    "$T" probe -t "$TABLES" --json "$fen" | grep -o '"category":"[a-z]*"' | head -1 | cut -d '"' -f 4 | sed "s/\$/ $white/"
done >pairs
check 'probe agrees' '[ "$(wc -l <pairs)" -eq 35 ] && ! grep -qvE "^([a-z]+) \1$" pairs'
run 0 'shift --svg' "$T" shift -t "$TABLES" --svg - '8/8/8/3k4/8/3KP3/8/8 w'; has '^<svg '; has '^</svg>$'; lacks 'places'
run 2 'shift --svg - --json' "$T" shift -t "$TABLES" --svg - --json '8/8/8/3k4/8/3KP3/8/8 w'; says 'standard output'
run 2 'shift, no position' "$T" shift -t "$TABLES" '8/8/8/8 w'; silent
run 3 'shift, no table' "$T" shift -t "$TABLES" '8/8/8/3k4/2r5/3KP3/3R4/8 w'; says 'KRPvKR.wdl.treb is not installed'; silent

# ---- play ---------------------------------------------------------------------------------------

STRATEGIES=$(dirname "$DOCS")/examples/strategies
KR=$STRATEGIES/king-and-rook.lua
run 0 'play' "$T" play -t "$TABLES" -q --games 1000 "$KR"; quiet
has '^KRvK, White to move: wins all 21,959 won positions, in 33 moves at most$'; has '^KRvK, Black to move: wins all 25,260 won'
has '^  at best 16 moves are needed'; has ' 14,589   66.4 %  squeeze'; has '1,000 games: 1,000 won.*none against what is proven'
cp out all
run 0 'play, one thread' "$T" play -t "$TABLES" -q -j 1 "$KR"; check 'the same' 'diff <(head -34 all) <(head -34 out)'
# By the table itself: the squeeze of this game is that of the proof, and the moves are legal.
run 0 'play, a game' "$T" play -t "$TABLES" "$KR" '8/8/8/8/3R4/8/2k5/K7 w'; quiet; has '^   4\. Rb2 +Kd4 +squeeze$'; has '^  31\. Rf8# +mate in 2$'; has '^mate after 31 moves$'
run 0 'play, Black to move first' "$T" play -t "$TABLES" "$KR" '8/8/8/8/3R4/8/2k5/K7 b'; has '^   1. \.\.\. +K'; has '^mate after'
run 0 'play --json, a game' "$T" play --json -t "$TABLES" "$KR" '8/8/8/8/3R4/8/2k5/K7 w'; is_json; has '"uci":"d4b4","advice":"divide in 2"'; has '"end":"mate"'
run 0 'play --json' "$T" play --json -q -t "$TABLES" -n 1 "$KR"; is_json; has '"won":21959,"wins":21959,"longest_moves":33,"can_end_in":\{"no advice":0,'; has '"best_longest_moves":16'
# As the table is printed in the book, it stalemates.
sed 's/ and not stalemate end/ end/' "$KR" >printed.lua
run 0 'play, stalemates' "$T" play -t "$TABLES" -q -n 20 printed.lua
has 'White to move: wins 21,944 of 21,959'; has 'stalemate: in 15 positions with White to move; Black can reach one from 15$'; has '^    8/8/8/8/8/8/3R4/k1K5 w - - 0 1 \(best 3\)$'
has '^  failures are led to 15 places; those of most$'; has '^ +1  8/8/8/8/8/8/3R4/k1K5 w - - 0 1  stalemate \(divide in 2\)$'
run 0 'play, the game to it' "$T" play -t "$TABLES" printed.lua '8/8/8/8/8/8/3R4/k1K5 w'; has '^stalemate after 1 move$'
# Every position of these takes long (make strategies): here one game.
run 0 'play, two bishops' "$T" play -t "$TABLES" "$STRATEGIES/two-bishops.lua" '8/8/8/8/4k3/B7/8/K4B2 w'; has '#  +press$'; has '^mate after [1-5][0-9] moves$'
run 0 'play, king and queen' "$T" play -t "$TABLES" "$STRATEGIES/king-and-queen.lua" '8/8/8/8/3Q4/8/2k5/K7 b'; has '#  +mate in 2$'; has '^mate after [1-9] moves$'
# Of each kind one, on purpose.
strategy() { printf 'return {material = "%s", rules = {{"it"}}, advice = {it = {%s}}}\n' "$1" "$2" >one.lua; }
strategy KQvK 'better = function() return mate end'
run 0 'play, no advice' "$T" play -t "$TABLES" -q one.lua; has '^KQvK, White to move: wins 306 of 18,081'; has 'no advice: in 17,775 positions'; has 'led to 17,775 places'
run 0 'as many as find finds' "$T" find -q --count --turn white -t "$TABLES" KQvK 'verdict == "win" and dtm == 1'; has ' 306 of'
strategy KQvK 'better = function() return wq == nil or distance(wq, bk) == 1 and distance(wq, wk) > 1 end'
run 0 'play, thrown away' "$T" play -t "$TABLES" -q one.lua; has 'win thrown away: in [0-9,]+ positions'
strategy KQvK 'better = function() return not stalemate and not attacked(wq, "black") and wq ~= nil end'
run 0 'play, circles' "$T" play -t "$TABLES" -q one.lua; has 'circles: in [0-9,]+ positions'; has '^ +[0-9,]+  [^ ]+ w - - 0 1  circles \(it\)$'
# Each failure is led to one place; the game from a place fails as it is said to.
run 0 'play --json, places' "$T" play --json -q -n 100 -t "$TABLES" printed.lua; is_json
json 'sum(p["positions"] for p in d["led_to"]) == d["white_to_move"]["won"] - d["white_to_move"]["wins"] > 0 and 0 < d["places"] == len(d["led_to"])'
json 'd["led_to"] == sorted(d["led_to"], key=lambda p: -p["positions"])'
strategy KPvK 'better = function() return wp == nil or rank(wp) > rank(root.wp) end, us = function(m) return m.man == "p" end'
run 0 'play, to another ending' "$T" play -t "$TABLES" -q --games 500 one.lua; has 'none against what'; has 'KPvK, White to move: wins 46,987 of 62,480'; has 'stalemate: in 13'
strategy KRvK 'better = function() return verdict == "win" end'
run 2 'play, it asks tables' "$T" play -t "$TABLES" one.lua; says 'cannot ask what tables say'; silent
strategy KRvK 'better = function() return nothere end'
run 2 'play, an error in it' "$T" play -t "$TABLES" one.lua; says "one.lua:1: there is nothing called 'nothere'"; silent
strategy KRvK 'better = function() return true end, us = function(m) return m.color end'
run 2 'play, no such field' "$T" play -t "$TABLES" one.lua; says "a move has no 'color'"
strategy KRvK 'better = function() return true end, depth = 16'
run 2 'play, too deep' "$T" play -t "$TABLES" one.lua; says "one.lua: it: 'depth' is to be a number of plies, from 1 to 15"
strategy KvKR 'better = function() return true end'
run 2 'play, the wrong side' "$T" play -t "$TABLES" one.lua; says 'is to be "KRvK"'
strategy KPvKP 'better = function() return true end'
run 2 'play, pawns on both sides' "$T" play -t "$TABLES" one.lua; says 'pawns on both sides'
strategy KRvK 'holding = function() return true end'
run 2 'play, no goal' "$T" play -t "$TABLES" one.lua; says "it: 'better' is to be a function, not nil"
echo 'return {material = "KRvK", rules = {{"that"}}, advice = {}}' >one.lua
run 2 'play, advice that is not there' "$T" play -t "$TABLES" one.lua; says "a rule names 'that', which is no advice here"
echo 'return function() end' >one.lua
run 2 'play, a rule' "$T" play -t "$TABLES" one.lua; says 'one.lua returns no table'
strategy KRvK 'better = function() while true do end end'
run 130 'play --time ends what does not' timeout 20 "$T" play -t "$TABLES" -q --time 1 one.lua; says 'stopped before anything is proven'; silent
run 2 'play, another ending' "$T" play -t "$TABLES" "$KR" '8/8/8/8/3Q4/8/2k5/K7 w'; says 'is for White in KRvK, and the position is another'
run 2 'play, no file' "$T" play -t "$TABLES" nowhere.lua; says 'nowhere.lua'
run 3 'play, no table' "$T" play -t . "$KR"; says 'KRvK.wdl.treb is not installed'

# ---- solve --------------------------------------------------------------------------------------

RETI='7K/8/k1P5/7p/8/8/8/8 w'
LONG='8/8/pppp4/3k4/8/2K5/4PPPP/8 w'
run 0 'solve, by the tables' "$T" solve -t "$TABLES" "$RETI"; has '^Draw\. \(2 structures'; has '^  draw +Kg7$'; has '^  Black wins, 10 plies +Kh7$'; has '^  Black wins, 4 plies +c7 Kg8$'; lacks '50-move'; quiet
run 0 'solve, kings alone' "$T" solve -t "$TABLES" 'k7/8/8/8/8/8/8/K7 w'; has '^Draw\. \(1 structure, '; quiet
mkdir -p no-tables solved
run 0 'solve, without' "$T" solve -q -t no-tables "$RETI"; has '^Draw\.'; has '^  draw +Kg7$'; has '^  Black wins,.* 10 plies +Kh7$'; has '^  Black wins,.* 4 plies +c7 Kg8$'
run 0 'solve, a win' "$T" solve -q -t "$TABLES" '8/8/1p6/p7/P7/1P2k3/8/4K3 b'; has '^Black wins: 5 plies to the next capture, promotion or mate\. '; has '^The 50-move rule changes nothing: at most [0-9]+ plies'; has '^  Black wins, 5 plies +Kd3$'; has '^  White wins, 2 plies +b5$'; has '^  1\.\.\.K'; has 'trebuchet line'
run 0 'solve, the clock runs' "$T" solve -q -t "$TABLES" '8/8/1p6/p7/P7/1P2k3/8/4K3 b - - 96 80'; has '^The 50-move rule is left aside, and might spoil it:$'; has '^up to 101 plies'
run 0 'solve, the clock, in time' "$T" solve -q -t no-tables '8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 73 80'; has '^The 50-move rule changes nothing: at most 100 plies'; has '^  White wins, 27 plies +Kb1$'; has '10[4-9]\.Q[a-h][1-8]#$'
run 0 'solve, the clock, too late' "$T" solve -q -t no-tables '8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 74 80'; has '^up to 101 plies'
run 0 'solve --pgn' "$T" solve -q --pgn -t "$TABLES" '8/8/1p6/p7/P7/1P2k3/8/4K3 b - - 0 7'; has '^\[FEN "8/8/1p6/p7/P7/1P2k3/8/4K3 b - - 0 7"\]$'; has '^\[Result "0-1"\]$'; has '^7\.\.\. Kd3 8\. Kd1'; has '# .*Black mates|^by the shortest'; has ' 0-1$'
run 0 'solve --pgn, read again' "$T" probe -t "$TABLES" --output pgn out
run 0 'solve --pgn, a draw' "$T" solve -q --pgn -t "$TABLES" "$RETI"; has '^\[Result "1/2-1/2"\]$'; has 'A draw with best play'
run 0 'solve --check' "$T" solve -q --check -t "$TABLES" '8/8/1p6/p7/P7/1P2k3/8/4K3 b'; has '^Checked: [0-9,]+ structures, [0-9,]+ positions by the rules alone, .* no fault'
run 0 'solve, en passant' "$T" solve -t "$TABLES" '8/8/8/8/k1pP4/8/8/K7 b - d3'; has ' cxd3'
run 0 'solve --json' "$T" solve --json -t "$TABLES" "$RETI"; is_json; has '"verdict":"draw"'; has '"stopped":false'; lacks '"line"'
run 0 'solve --json, a win' "$T" solve --json -q -t "$TABLES" '8/8/1p6/p7/P7/1P2k3/8/4K3 b'; is_json; has '"verdict":"black","plies":5,"at_most":false,"rule50":"no","rule50_plies":[0-9]+,'; has '"san":"b5","capture":false,"zeroing":true,"conversion":false,"verdict":"white","plies":2,'; has '"line":\["Kd3",'; has '"pgn":"\[Event'
run 4 'solve, no memory for it' "$T" solve -q --memory 30000 -t no-tables "$RETI"; has '^Open\.'; has 'More --memory'; has '^  open +'
# In KiB, of the process as a whole.
peak=$(python3 -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$T" solve -q --memory 64MiB -t no-tables '8/p2p4/8/8/8/k7/5P1P/7K w')
check "solve keeps --memory: $peak KiB" '[ "$peak" -gt 32768 ] && [ "$peak" -le 65536 ]'
run 4 'solve --time' "$T" solve -q --time 1 -t no-tables '8/8/pppp4/3k4/8/2K5/4PPPP/8 w'; has '^Open'; has 'More --time'; has '^  open'
run 4 'solve --pieces' "$T" solve -q --pieces 0 -t no-tables '8/P7/8/8/8/8/p6k/K7 w'; has '^Open'
run 0 'solve, by the tables alone' "$T" solve -t "$TABLES" 'k7/1P6/1K6/8/8/8/8/8 b'; has '^White wins: 6 plies'; has '^The 50-move rule changes nothing: the tables know\.$'
run 0 'solve, mate' "$T" solve -t "$TABLES" 'k7/1PP5/1K6/8/8/8/8/8 b'; has '^White wins\. Mate\.$'
run 0 'solve, stalemate' "$T" solve -t "$TABLES" 'k7/P7/K7/8/8/8/8/8 b'; has '^Draw\. Stalemate\.$'
# Where pawns are blocked the squares are those of `blocked`.
run 0 'solve --squares' "$T" solve -q -t "$TABLES" --squares --svg solved.svg '8/8/4k3/1p5p/1P5P/4K3/8/8 w'; has '^Mutual zugzwangs: 19\.'
sed -n '/king attacks/,$p' out >solved-squares; check 'the picture of them' 'grep -q "^<svg" solved.svg'
run 0 'those of blocked' "$T" blocked -t "$TABLES" --squares '8/8/4k3/1p5p/1P5P/4K3/8/8 w'; check 'the same' 'diff <(sed -n "/king attacks/,\$p" out) solved-squares'
run 4 'solve --squares, spare moves' "$T" solve -q -t no-tables -p 0 --squares '8/p7/4k3/1p5p/1P5P/4K3/P7/8 w'; has '^Open are [1-9][0-9,]* placements of the kings'
run 0 'solve --squares --json' "$T" solve -q --json -t "$TABLES" --squares '8/8/4k3/1p5p/1P5P/4K3/8/8 w'; json 'd["zugzwangs"]["e4"] == ["e2", "e6"] and d["double_zugzwangs"]["a5"] == ["c4"] and d["attacker"] == "white" and d["placements_open"] == 0'
run 2 'solve --squares, a piece' "$T" solve --squares '8/8/4k3/8/8/4K3/4Q2p/8 w'; says 'there is a piece'
run 0 'solve --write' "$T" solve -q -t "$TABLES" --write solved '8/8/1p6/p7/P7/1P2k3/8/4K3 b'; has '^Wrote solved/b3a4-a5b6.solved.treb: [0-9,]+ structures, [0-9,]+ positions, of which [0-9,]+ open; '
"$T" solve -q -t "$TABLES" --write small '8/8/8/p7/P7/1P2k3/8/4K3 b' >/dev/null
run 0 'verify of solved pawn endings' "$T" verify -t small -t "$TABLES" a4-a5b6.solved.treb; has '^a4-a5b6.solved.treb right: [0-9,]+ positions, [1-9][0-9,]* moves to what the tables have'
run 3 'verify without the tables that they rest on' "$T" verify -t small a4-a5b6.solved.treb; has 'a4-a5b6.solved.treb not checked: [0-9]+ positions rest on tables'
run 0 'info of solved pawn endings' "$T" info -t solved b3a4-a5b6.solved.treb; has 'holds +[0-9,]+ structures'; has ' open$'
run 0 'info of their folder' "$T" info solved; has '^b3a4-a5b6.solved.treb$'; has '; 1 solved pawn ending$'
run 0 'probe of one' "$T" probe -t solved -t "$TABLES" '8/8/1p6/p7/P7/1P2k3/8/4K3 b'; has '^Black wins\.'; has 'DTZ  at most [0-9]+ plies'; has '33- is at most'
run 0 'probe of its mirror image' "$T" probe -t solved -t "$TABLES" '3k4/8/3K2p1/7p/7P/6P1/8/8 w'; quiet
run 0 'line of one' "$T" line -t solved -t "$TABLES" '8/8/1p6/p7/P7/1P2k3/8/4K3 b'; has '0-1$'; has '#'
head -c 2000 solved/b3a4-a5b6.solved.treb > solved/a3-a5.solved.treb
run 1 'verify of a torn one' "$T" verify -t solved a3-a5.solved.treb; has 'a3-a5.solved.treb (WRONG|not checked)'
rm solved/a3-a5.solved.treb
run 0 'solve, with a piece' "$T" solve -q -t "$TABLES" '8/8/8/8/p7/k7/8/K1B5 b'; quiet
run 2 'solve, two pieces' "$T" solve -t "$TABLES" '8/8/8/8/p7/k7/1N6/K1B5 w'; says 'White has 2 pieces'; silent
run 2 'solve, castling' "$T" solve -t "$TABLES" '4k3/8/8/8/8/8/8/4K2R w K'; says 'castling'; silent
run 2 'solve, no position' "$T" solve -t "$TABLES" 'K7/1k6/8/8/8/8/8/8 w'; says 'side by side'; silent
run 2 'solve, nine pawns' "$T" solve 'k7/pppppppp/8/8/p7/8/PPPPPPPP/K7 w'; says 'Black has more than 8 pawns'; silent
run 2 'solve, a pawn on rank 1' "$T" solve 'k7/8/8/8/8/8/8/KP6 w'; says 'a pawn stands on rank 1 or 8'; silent
run 2 'solve, both in check' "$T" solve 'k7/1P6/8/8/8/8/6p1/7K w'; says 'the side not to move is in check'; silent
run 2 'solve, no such en passant' "$T" solve '8/8/8/8/k1pP4/8/8/K7 b - e3'; says 'en passant'; silent
# Saved, stopped, killed: the next run goes on, and the answer is that of one that was not. The first is killed when
# something has been saved, which takes a while on a busy machine.
SAVE='8/8/3p4/2p5/P1P1k3/8/3K4/8 w'
"$T" solve -q -t no-tables "$SAVE" >first-answer
for i in 1 3 6; do
    "$T" solve -q --time 0 --save saved --save-every 1 -t no-tables "$LONG" >out 2>err &
    pid=$!
    for _ in $(seq 300); do [ -e saved ] && break; sleep 0.1; done
    sleep 1.$i
    kill -KILL $pid
    wait $pid 2>/dev/null
done
run 4 'solve --save, killed' "$T" solve --time 1 --save saved -t no-tables "$LONG"; has '^Open'; says 'solve: goes on from saved with [0-9,]+ structures'
check 'solve --save, nothing else is left' '[ "$(ls -A | grep -c "saved.tmp")" = 0 ]'
run 1 'solve --save, another position' "$T" solve -q --save saved -t no-tables "$SAVE"; says 'saved is of another position: 8/8/pppp4'; silent
head -c 3000 saved >torn-save
run 1 'solve --save, torn-save' "$T" solve -q --save torn-save -t no-tables "$LONG"; says 'torn-save is damaged or not complete'; silent
run 1 'solve --save, no such file' "$T" solve -q --save first-answer -t no-tables "$SAVE"; says 'first-answer is no file of'; silent
run 1 'solve --save, nowhere' "$T" solve -q --time 1 --save nowhere/x -t no-tables "$LONG"; says 'cannot write'; has '^Open'
rm -f saved torn-save
run 0 'solve --save, all decided' "$T" solve -q --save saved -t no-tables "$SAVE"; check 'no file is left' '[ ! -e saved ]'; check 'the same answer' 'diff <(grep -v structures first-answer) <(grep -v structures out)'
# Ctrl-C: what is proven is the answer.
"$T" solve -q --time 0 -t no-tables '8/8/pppp4/3k4/8/2K5/4PPPP/8 w' >out 2>err &
pid=$!
sleep 1
kill -INT $pid
wait $pid
check 'solve, interrupted' '[ $? -eq 4 ] && grep -q ^Open out'
# The check that follows is another piece of work, which the next signal ends.
"$T" solve -q --time 0 --check -t no-tables '8/8/pppp4/3k4/8/2K5/4PPPP/8 w' >out 2>err &
pid=$!
sleep 1
kill -INT $pid
for _ in $(seq 200); do grep -q ^Open out && break; sleep 0.1; done
sleep 0.5
kill -INT $pid
wait $pid
check 'solve, the check interrupted' '[ $? -eq 130 ] && grep -q "^Checked before it was stopped: " out'

# ---- near ---------------------------------------------------------------------------------------

run 0 'near' "$T" near -t "$TABLES" '8/8/8/3k4/8/3KP3/8/8 w'; quiet; has '^draw$'
has '^  1  Kd5-c5 +White wins  8/8/8/2k5/8/3KP3/8/8 w - - 0 1$'; has '^Better for Black: none within 4 moves of 2 men$'
run 0 'near, the nearest first' "$T" near -t "$TABLES" -n 40 --men 3 --moves 5 '8/8/8/3k4/8/3KP3/8/8 w'
check 'forty, from near to far' '[ "$(grep -cE "^  [1-5]  " out)" -eq 40 ] && grep -oE "^  [1-5]" out | sort -c -n'
# Each by itself says the same, and not by a capture.
grep -oE '[^ ]+ [wb] - - 0 1$' out | tail -n +2 >near
"$T" probe -t "$TABLES" --output tsv - <near | tail -n +2 >values
check 'probe agrees' '[ "$(wc -l <near)" -eq 40 ] && [ "$(grep -cE "(win|loss)" values)" -eq 40 ]'
run 0 'near --turn' "$T" near -t "$TABLES" --turn black '8/8/8/3k4/8/3KP3/8/8 w'; check 'Black to move in all' '! tail -n +2 out | grep -q " w - - 0 1$"'
run 0 'near --json' "$T" near -t "$TABLES" --json '8/8/8/3k4/8/3KP3/8/8 w'; is_json; has '"result":"draw",.*"better_for_black":\[\]'
run 0 'near, won already' "$T" near -t "$TABLES" '8/8/8/2k5/8/8/1Q6/K7 w'; lacks 'Better for White'
run 3 'near, more men than any table has' "$T" near -t "$TABLES" 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1'; silent
run 0 'near, the other side to move' "$T" near -t "$TABLES" -n 1 '8/8/4k3/8/4K3/4P3/8/8 w'; has '^  0  the other side to move +White wins  8/8/4k3/8/4K3/4P3/8/8 b - - 0 1$'
run 2 'near, no position' "$T" near -t "$TABLES" 'x'; silent
run 3 'near, no table' "$T" near -t "$TABLES" '8/8/8/3k4/2r5/3KP3/3R4/8 w'; says 'KRPvKR.wdl.treb is not installed'; silent

# ---- compare ------------------------------------------------------------------------------------

run 0 'compare' "$T" compare "$SYZYGY" "$TABLES"; quiet
has '^KPvK +wdl +165,676 equal +0 rounded +0 different$'; has '^KRvK +dtz +2,823 equal +47,192 rounded +0 different$'
has '^4 materials, 8 tables: 4 equal, 4 but for rounding, 0 different, 0 not compared; 1,835,196 positions'
has '^[0-9]+ tables are in B alone'; lacks 'A alone|KBvK|/'
run 0 'compare, the other way round' "$T" compare -M 0 "$TABLES" "$SYZYGY" KvKR; has '^KRvK +dtz +2,823 equal +47,192 rounded +0 different$'
run 0 'compare --quiet' "$T" compare -q "$SYZYGY" "$TABLES"; quiet; silent
run 0 'compare --metric' "$T" compare -m dtm,dtc "$TABLES" "$TABLES" KPvK KvKQ; has '^KPvK +dtm'; has '^KQvK +dtc'; lacks 'wdl|dtz|alone'
run 0 'compare --json' "$T" compare --json -m wdl,dtz "$TABLES" "$TABLES" KPvKP; is_json_lines; quiet
has '^\{"event":"table","material":"KPvKP","metric":"dtz","compared":true,"positions":3739937,"en_passant":21893,"equal":3739937,"rounded":0,"different":0,"unknown":0,"shown":\[\]\}$'
has '^\{"event":"done","materials":1,"equal":2,"rounded":0,"different":0,"not_compared":0,"only_a":0,"only_b":0,"positions":3739937,"seconds":[0-9.]+\}$'
run 0 'compare files' "$T" compare "$SYZYGY/KRvK.rtbz" "$TABLES/KRvK.dtz.treb"; has 'KRvK.rtbz: the other tables of its folder'
has '^KRvK +dtz +2,823 equal'; lacks 'wdl|alone'
run 0 'compare a file and a folder' "$T" compare --json "$TABLES" "$SYZYGY/KPvK.rtbw"; is_json_lines; has '"material":"KPvK","metric":"wdl","compared":true,"positions":165676,'
check 'one table, and the end' '[ "$(wc -l <out)" -eq 2 ]'
# Bytes of a block that say something else. The checksum is not looked at.
mkdir changed && cp "$SYZYGY"/K[RQ]vK.* changed && chmod u+w changed/*
printf '\252\125' | dd of=changed/KRvK.rtbz bs=1 seek=4000 conv=notrunc 2>/dev/null
run 1 'compare, values differ' "$T" compare -n 3 changed "$TABLES"; has '^KRvK +dtz .* rounded +[1-9][0-9,]* different'; quiet
has '^    [^ ]+ [wb] - - 0 1$'; has '^        A: (win|loss) in [0-9]+'; has '^        B: (win|loss) in [0-9]+ pl'; has '1 different'
check 'three are shown' '[ "$(grep -c "^        A" out)" -eq 3 ]'; has '^KQvK +dtz .* 0 different'; has '^KRvK +wdl .* 0 different'
run 1 'compare --json, values differ' "$T" compare -n 2 --json changed "$TABLES" KRvK; is_json_lines
has '"shown":\[\{"fen":"[^"]+ [wb] - - 0 1","a":\{"verdict":"(win|loss)","plies":[0-9]+,"rounded":(true|false)\},"b":\{"verdict":"(win|loss)","plies":[0-9]+,"rounded":false\}\},\{'
run 1 'compare --show 0' "$T" compare -n 0 changed "$TABLES" KRvK; has ' different$'; lacks ' [wb] - - '
run 1 'compare --quiet, values differ' "$T" compare -q changed "$TABLES"; has '^KRvK +dtz'; lacks 'KQvK|tables'
# The probe says of the first of them what is said here.
"$T" compare -n 1 changed "$TABLES" KRvK >out 2>err
FEN=$(sed -n 's/^    \([^ ].*\)/\1/p' out) PLIES=$(sed -n 's/^ *B: [a-z]* in \([0-9]*\) .*/\1/p' out)
run 0 'probe of the first difference' "$T" probe -t "$TABLES" "$FEN"; has "DTZ +$PLIES pl"
cp -r "$TABLES" whole && rm whole/KRvKN.*
run 0 'compare, one has more' "$T" compare "$TABLES" whole KQvK KRvK; has '^2 materials, 8 tables: 8 equal'
run 3 'compare, a table is missing' "$T" compare -q "$TABLES" whole KRvKN KRvK; says 'KRvKN: A has wdl dtz dtc dtm, B has nothing that can be compared'; silent
run 3 'compare, a metric is missing' "$T" compare -m dtm "$TABLES" "$SYZYGY"; says 'nothing to compare'; silent
run 3 'compare, no table is needed' "$T" compare "$TABLES" "$SYZYGY" KBvK; says 'KBvK: A has nothing'
run 3 'compare --json, an empty folder' "$T" compare --json empty "$TABLES"; is_json; json 'd["error"]["code"] == "no_table"'
mkdir pawns && cp "$TABLES"/KPvK.* pawns
run 1 'compare, what promotions lead to is missing' "$T" compare -n 2 pawns "$TABLES"; has '^KPvK +wdl .* 0 different$'
has '^KPvK +dtz .* 0 different +[0-9,]+ without an answer'; has 'A: no answer \(K[QRBN]vK.wdl.treb is not installed\)'
mkdir lonely && cp "$TABLES/KRvK.dtz.treb" lonely
run 3 'compare a file without verdicts' "$T" compare lonely/KRvK.dtz.treb "$TABLES"; says 'no verdicts of KRvK'; silent
run 2 'compare files of two kinds' "$T" compare "$TABLES/KRvK.dtz.treb" "$SYZYGY/KRvK.rtbw"; says 'not of the same'; silent
run 2 'compare what is no table' "$T" compare "$DOCS/syzygy.md" "$TABLES"; says 'syzygy.md'; silent
run 1 'compare what is not there' "$T" compare "$TABLES" nowhere; says 'nowhere'; silent
run 2 'compare, one folder' "$T" compare "$TABLES"; says 'two'; silent
run 2 'compare, no material' "$T" compare "$TABLES" "$TABLES" KXvK; says 'no material'; silent
run 2 'compare, bad metric' "$T" compare -m wdl,x "$TABLES" "$TABLES"; silent
run 1 'compare, a torn Syzygy file' "$T" compare torn "$TABLES" KRvK; has '^KRvK +dtz not compared: .*torn/KRvK.rtbz'; has '^KRvK +wdl .* 0 different'
cp "$SYZYGY/KQvK.rtbw" "$TABLES/KQvK.wdl.treb" changed && head -c 300 "$TABLES/KQvK.wdl.treb" >changed/KQvK.wdl.treb
run 1 'compare, a torn file' "$T" compare --json changed "$TABLES" KQvK; is_json_lines
has '"metric":"wdl","compared":false,"text":"[^"]*changed/KQvK.wdl.treb'; has '"not_compared":2,'
cp -r "$TABLES" blocks && chmod u+w blocks/* && printf '\377\000\377' | dd of=blocks/KRvKB.dtm.treb bs=1 seek=20000 conv=notrunc 2>/dev/null
run 1 'compare, a damaged block' "$T" compare -n 1 blocks "$TABLES" KRvKB; has '^KRvKB +dtm .* 0 different +[0-9,]+ without an answer'; has 'blocks/KRvKB.dtm.treb'
has '^KRvKB +dtz .* 0 different$'
"$T" compare -j 1 "$TABLES" "$TABLES" >out 2>err </dev/null &
pid=$!
sleep 0.3
kill -INT $pid
wait $pid
check 'compare, stopped' '[ $? -eq 130 ]'

# ---- bench --------------------------------------------------------------------------------------

run 0 'bench' "$T" bench -d 0.02 -p 500 -j 2 -t "$TABLES" KQvKR; quiet; has '^ +wdl +[0-9]+ ns'; has '^ +moves'
run 0 'bench --json' "$T" bench --json -d 0.02 -p 200 -t "$TABLES" KQvKR KPvK; is_json
json 'd["probes"][0]["figures"]["wdl"]["single_ns"] > 0 and len(d["probes"]) == 2'
json 'set(d) == {"threads", "cache", "positions", "probes"} and d["positions"] == 200'
json 'set(d["probes"][1]["figures"]["dtm"]) == set("single_ns threaded_ns per_second warm_misses uncached_ns uncached_blocks".split())'
run 3 'bench --json, no table' "$T" bench --json -d 0.02 -t "$TABLES" KRPvKRP; is_json; json 'd["error"]["code"] == "no_table"'
run 0 'bench --gen --json' env TMPDIR="$DIR" "$T" bench --gen --json KQvK; is_json
json '[t["material"] for t in d["tables"]] == ["KQvK"] and d["tables"][0]["bytes"] == 35290 and d["threads"] > 0'
run 0 'bench --gen' env TMPDIR="$DIR" "$T" bench --gen KQvK; has 'KQvK .* s '; has together
check 'bench --gen leaves nothing' '! ls -d trebuchet-bench-* 2>/dev/null'
run 3 'bench, no table' "$T" bench -d 0.02 -t "$TABLES" KRPvKRP
run 2 'bench, bad duration' "$T" bench -d x -t "$TABLES"; silent

# ---- engine -------------------------------------------------------------------------------------

# Not an engine, but a program that shows what it was given.
printf '#!/bin/sh\n# libfathom.so.1\necho "$LD_LIBRARY_PATH|$TREBUCHET_PATH|$TREBUCHET_CACHE|$*"\ncat\nexit 7\n' >show
chmod +x show
mkdir -p empty 'a:b'
ln -s "$TABLES" linked
LIBRARY=$(dirname "$T")/fathom
run 7 'engine' "$T" engine -t linked -- ./show -t x; has "^$LIBRARY\|$TABLES\|\|-t x$"; quiet
run 7 'engine without --' "$T" engine -t linked ./show --help; has '\|--help$'
run 7 'engine, its input' sh -c 'echo quit | "$1" engine -t linked ./show' sh "$T"; has '^quit$'
run 7 'engine, folders' "$T" engine -t empty -t linked ./show; has "\|$DIR/empty:$TABLES\|"
run 7 'engine --cache' "$T" engine -c 2MiB -t linked ./show; has '\|2097152\|'
run 7 'engine, LD_LIBRARY_PATH' env LD_LIBRARY_PATH=/x:/y "$T" engine -t linked ./show; has "^$LIBRARY:/x:/y\|"
run 7 'engine, TREBUCHET_PATH' env TREBUCHET_PATH=linked "$T" engine ./show; has "\|$TABLES\|"
run 7 'engine, found in PATH' env PATH="$DIR:$PATH" "$T" engine -t linked show; quiet
run 7 'engine without tables' "$T" engine -t empty ./show; says 'no tables in empty'
run 0 'engine that is not linked' "$T" engine -t linked cat; says 'not linked with libfathom.so.1'
run 2 'engine, a bad size' "$T" engine -c much -t linked ./show; says 'size'; silent
run 1 'engine that is not there' "$T" engine -t linked nosuchengine; says "no engine 'nosuchengine' in PATH"; silent
run 1 'engine that is no file' "$T" engine -t linked ./nosuchengine; says 'no engine ./nosuchengine'
run 1 'engine that is a folder' "$T" engine -t linked ./empty; says 'no engine ./empty'
run 1 'engine that cannot be run' "$T" engine -t linked ./out; says 'cannot run ./out'
run 1 'engine, a folder that is not there' "$T" engine -t nowhere ./show; says nowhere; silent
run 7 'engine, no folder at all' "$T" engine ./show; has '\|\|\|$'; says 'warning: tables: No such file'; says '--tables DIR'
run 7 'engine, a folder less than TREBUCHET_PATH has' env TREBUCHET_PATH=nowhere:linked "$T" engine ./show
has "\|$TABLES\|"; says 'warning: nowhere: No such file'
run 1 'engine, a colon in a folder' "$T" engine -t a:b ./show; says 'colon'; silent
cp "$T" alone
run 1 'engine without its library' ./alone engine -t linked ./show; says 'libfathom.so.1 is neither in'; silent
mkdir -p moved/bin moved/lib/trebuchet
cp "$T" moved/bin/ && cp "$LIBRARY/libfathom.so.1" moved/lib/trebuchet/
run 7 'engine, installed' moved/bin/trebuchet engine -t linked ./show; has "^$DIR/moved/lib/trebuchet\|"
# The engine is the process itself: a signal to it ends it.
"$T" engine -t linked sleep 60 >out 2>err </dev/null &
pid=$!
sleep 0.3
kill -TERM $pid
wait $pid
check 'engine, signals' '[ $? -eq 143 ]'

# ---- gen ----------------------------------------------------------------------------------------

run 2 'gen, no material' "$T" gen -t "$DIR/g" KXvK; says 'no material'
run 2 'gen, bad memory' "$T" gen -M lots KQvK; silent
run 0 'gen --estimate' "$T" gen --estimate -t "$DIR/none" KRPvKR; has 'memory'; has 'disk'; has 'positions'
has '^time +about [0-9.]+ (seconds|minutes|hours|days) on this machine'
cp out estimate
run 0 'gen --estimate --json' "$T" gen --json --estimate -t "$DIR/none" KRPvKR; is_json; quiet
json 'set(d) == set("directory tables total memory_free_bytes disk_free_bytes possible why_not".split())'
json 'set(d["tables"][0]) == set("material men positions memory_bytes result_bytes scratch_bytes seconds written".split())'
json 'set(d["total"]) == set("tables positions memory_bytes result_bytes scratch_bytes seconds pace".split()) and d["total"]["pace"] > 0'
json '"{:,} to solve".format(d["total"]["positions"]) in open("estimate").read()'
json 'd["total"]["memory_bytes"] == max(t["memory_bytes"] for t in d["tables"]) and d["possible"] == (d["why_not"] is None)'
json 'abs(d["total"]["seconds"] - sum(t["seconds"] for t in d["tables"])) < 2 and d["total"]["seconds"] > 10'
json 'sum(t["written"] for t in d["tables"]) == d["total"]["tables"] and d["tables"][-1]["material"] == "KRPvKR"'
run 0 'gen --estimate, nothing to do' "$T" gen --estimate -t "$TABLES" KQvKR; has 'nothing to do'
run 0 'gen --estimate, far too much' "$T" gen --estimate -t "$DIR/none" KPPPvKPPP; has 'not possible now: it takes [0-9.]+ [TP]B of memory, and [0-9.]+ [MG]B may be taken'
check '--estimate writes nothing' '[ ! -e none ]'
run 1 'gen --memory refused' "$T" gen --memory 1M -t "$DIR/g1" KQvKR; says 'needs'
check 'refused: no tables' '! ls g1/*.treb 2>/dev/null'
run 0 'gen, one thread' "$T" gen -j 1 -t "$DIR/g1" KQvKR KPvK; has 'KQvKR'; has 'tables, '
run 0 'gen, two threads' "$T" gen -j 2 -t "$DIR/g2" KQvKR KPvK
sums() { (cd "$1" && sha256sum -- *.treb); }
check 'the same bytes with one thread and two' '[ "$(sums g1)" = "$(sums g2)" ] && [ -n "$(sums g1)" ]'
check 'gen leaves tables only' '[ -z "$(ls -A g1 | grep -vE "^K[A-Z]*vK[A-Z]*\.(wdl|dtz|dtc|dtm)\.treb$|^SHA256SUMS$")" ]'
run 0 'gen again' "$T" gen -t "$DIR/g1" KQvKR; has 'already'
rm g1/KQvKR.dtc.treb
run 0 'gen, one file missing' "$T" gen -t "$DIR/g1" KQvKR
check 'the missing file is as before' 'cmp -s g1/KQvKR.dtc.treb g2/KQvKR.dtc.treb'
run 0 'gen --json-log' "$T" gen --json-log -t "$DIR/g3" KQvK; is_json_lines; has '"material":"KQvK"'
has '^\{"event":"table","material":"KQvK","positions":368452,"solve_s":[0-9.]+,"write_s":[0-9.]+,"total_s":[0-9.]+,"elapsed_s":[0-9.]+,"bytes":\{"wdl":4778,'
run 0 'gen --json' "$T" gen --json -t "$DIR/g5" KQvK; is_json_lines; quiet; has '^\{"event":"done","tables":1,"bytes":35290,"total_s":'
run 0 'gen --json again' "$T" gen --json -t "$DIR/g5" KQvK; is_json; json 'd["event"] == "done" and d["tables"] == 0'
"$T" gen --json -t "$DIR/g6" KQvKR KRPvK KBPvK KNPvK KQPvK >out 2>err & asked=$!
for _ in {1..100}; do compgen -G 'g6/*.treb' >made && break; sleep 0.1; done
kill -USR1 $asked
for _ in {1..100}; do grep -q '"progress"' out && break; sleep 0.1; done
# Three seconds in which it is stopped are no work: what is left does not grow by them.
sleep 1; kill -STOP $asked; told=$(grep -c '"left_s"' out); sleep 3; kill -CONT $asked
for _ in {1..100}; do kill -USR1 $asked; sleep 0.1; [ "$(grep -c '"left_s"' out)" -gt "$told" ] && break; done
kill -INT $asked; wait $asked
grep '"left_s"' out | tail -1 >out.left
check 'gen, stopped for a while' 'asks_python json out.left "d[\"left_s\"] <= (d[\"elapsed_s\"] - 2.9) * (1 / d[\"done\"] - 1) * 1.02 + 1"'
check 'gen, asked how far it is' 'grep -qE "^\{\"event\":\"progress\",\"material\":\"K.*\"done\":0\.[0-9]+" out && grep -qE "%  table [0-9]+/[0-9]+ K" err'
run 1 'gen --json, refused' "$T" gen --json --memory 1M -t "$DIR/g5" KQvKR; is_json; json '"needs" in d["error"]["message"]'
run 2 'gen --json, no material' "$T" gen --json KXvK; is_json; json '"no material" in d["error"]["message"]'
run 1 'gen --json, no folder' "$T" gen --json -t no/such KQvK; is_json; json 'd["error"]["code"] == "failed"'
run 0 'gen --metric' "$T" gen -m wdl,dtz -t "$DIR/g4" KRvK
check 'only those asked for' '[ "$(ls g4 | grep -c "^KRvK\..*treb$")" -eq 2 ] && [ ! -e g4/KRvK.dtm.treb ]'

mkdir foreign && cp g4/KRvK.wdl.treb foreign/KQvK.wdl.treb
run 0 'gen over the file of another ending' "$T" gen -q -m wdl -t "$DIR/foreign" KQvK
run 0 'that one is right now' "$T" verify --full -t foreign KQvK

mkdir readonly && chmod a-w readonly
if [ "$(id -u)" -ne 0 ]; then
    run 1 'gen, read-only folder' "$T" gen -t "$DIR/readonly" KQvK; says readonly
fi
run 1 'gen, a file as folder' "$T" gen -t "$DIR/out" KQvK; says 'folder'
run 1 'gen, folder in no folder' "$T" gen -t "$DIR/no/such" KQvK; says 'the folder above it is not there'
if [ -w /dev/full ] && [ -d /proc/self ]; then
    run 1 'gen, a folder nothing can be written to' "$T" gen -t /proc/self KQvK
fi

# Interrupts: nothing half-written stands under a table's name, and the same command carries on.
many=(KRvKB KRvKN KPvK)
run 0 'gen without interruption' "$T" gen -q -t "$DIR/ref" "${many[@]}"
interrupt() { # SIGNAL SECONDS FOLDER
    "$T" gen -q -j 2 -t "$DIR/$3" "${many[@]}" >out 2>err </dev/null &
    local pid=$!
    sleep "$2"
    kill "-$1" $pid 2>/dev/null
    wait $pid 2>/dev/null
}
for signal in INT KILL; do
    for seconds in 0.1 0.5 1.2; do
        interrupt $signal $seconds "stop-$signal"
        for f in "stop-$signal"/*.treb; do
            [ -e "$f" ] || continue
            what="after SIG$signal: $f"
            if "$T" info "$f" >out 2>err && cmp -s "$f" "ref/$(basename "$f")"; then pass
            else fail "$what is not whole"; fi
        done
    done
    run 0 "gen carries on after SIG$signal" "$T" gen -q -t "$DIR/stop-$signal" "${many[@]}"
    check "all tables there after SIG$signal" '[ "$(sums "stop-$signal")" = "$(sums ref)" ]'
    check "nothing left over after SIG$signal" '[ -z "$(ls -A "stop-$signal" | grep -vE "\.treb$|^SHA256SUMS$")" ]'
done
"$T" gen -q -t "$DIR/code" "${many[@]}" >out 2>err </dev/null &
pid=$!
sleep 0.2
kill -INT $pid
wait $pid
check 'SIGINT: exit code 130, or done already' "code=$?; [ \$code -eq 130 ] || [ \$code -eq 0 ]"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
