#!/bin/bash
# test_probe_many.sh TREBUCHET TABLES - tests `trebuchet probe` with files: FEN, EPD and PGN in, TSV,
# JSON lines and PGN out. TABLES is a folder with all tables of 3 and 4 men; it is only read. Ends with
# "N passed, M failed".
set -u

. "$(dirname "$0")/checks.sh"

# run CODE NAME INPUT OPTIONS...: probes a file as standard input; output and messages go to `out` and `err`.
run() {
    local want=$1 input=$3 code
    what=$2
    shift 3
    "$T" probe -t "$TABLES" "$@" >out 2>err <"$input"
    code=$?
    if [ "$code" -eq "$want" ]; then pass; else fail "$what: exit code $code, not $want"; fi
}
lacks() { if grep -qE -- "$1" out; then fail "$what: /$1/ in the output"; else pass; fi; }
quiet() { if [ ! -s err ]; then pass; else fail "$what: messages on stderr"; fi; }
lines() { if [ "$(wc -l <out)" -eq "$1" ]; then pass; else fail "$what: $(wc -l <out) lines, not $1"; fi; }
# json EXPRESSION: a Python expression about the list `d` of objects is true.
json() {
    if asks_python lines out "$1"; then pass; else fail "$what: not so: $1"; fi
}
tab=$(printf '\t')
row() { has "^$(printf '%s' "$1" | sed 's/[+?.]/\\&/g; s/ | /\t/g')"; }

# ---- Positions ----------------------------------------------------------------------------------

cat >fens <<'END'
# positions
8/5P1k/8/7K/8/8/8/8 w - - 0 1

"8/8/8/8/8/2K5/7Q/k7 w"
[FEN "7K/8/k1P5/7p/8/8/8/8 w - - 0 1"]
https://lichess.org/editor/8/8/8/4k3/8/8/3BN3/4K3_w_-_-_0_1?color=white
8/8/8/4k3/8/8/3BN3/4K3 w - - hmvc 50; id "KBN";
8/8/8/8/8/1k6/1q6/K7 w - -
7k/5Q2/6K1/8/8/8/8/8 b - -
END
run 0 'FENs' fens -; quiet; lines 8
row "fen | verdict | dtz | dtc | dtm | best | line | id | played | judgement | error"
row '8/5P1k/8/7K/8/8/8/8 w - - 0 1 | win | 1 | 1 | 11 | f8=R | 2 | '
row '8/8/8/8/8/2K5/7Q/k7 w - - 0 1 | win | 1 | 1 | 1 | Qb2# | 4 | '
row '7K/8/k1P5/7p/8/8/8/8 w - - 0 1 | draw | - | - | - | Kg7 | 5 | '
row '8/8/8/4k3/8/8/3BN3/4K3 w - - 0 1 | win | 57 | 57 | 57 | Kf2 | 6 | '
row '8/8/8/4k3/8/8/3BN3/4K3 w - - 50 1 | cursed_win | 57 | 57 | 57 | Kf2 | 7 | KBN | '
row '8/8/8/8/8/1k6/1q6/K7 w - - 0 1 | loss | 0 | 0 | 0 | - | 8 | '
row '7k/5Q2/6K1/8/8/8/8/8 b - - 0 1 | draw | - | - | - | - | 9 | '
cp out tsv
run 0 'a file' /dev/null fens; check 'the same from a file' 'cmp -s out tsv'
run 0 'the kind forced' fens --input epd -; check 'the same' 'cmp -s out tsv'
run 0 'one thread' fens -; OMP_NUM_THREADS=1 "$T" probe -t "$TABLES" - <fens >out; check 'the same in one thread' 'cmp -s out tsv'
run 0 'JSON lines' fens --output jsonl -; quiet; lines 7
json '[o["line"] for o in d] == [2, 4, 5, 6, 7, 8, 9] and d[4]["id"] == "KBN" and "id" not in d[0]'
json 'd[0]["best"]["dtm"] == "f7f8r" and d[0]["moves"][0]["san"] == "f8=R" and d[2]["verdict"] == "draw"'
run 0 '--json' fens --json -; lines 7
run 0 'FENs as PGN' fens --output pgn -; check '7 games' '[ "$(grep -c "^\[Event " out)" -eq 7 ]'
has '^\[Event "KBN"\]'; has '^\[FEN "8/5P1k/8/7K/8/8/8/8 w - - 0 1"\]'; has '^\{White wins, mate in 6\} \*$'
run 0 'a metric' fens -m dtz -; row '8/5P1k/8/7K/8/8/8/8 w - - 0 1 | win | 1 | 1 | 11 | f8=R | 2 | '
run 0 'a text of its own' /dev/null --output jsonl '8/5P1k/8/7K/8/8/8/8 w - - 0 1'; lines 1; json 'd[0]["dtm_plies"] == 11'
run 0 'no text at all' /dev/null -; lines 1; quiet

# Beyond the tables: no failure.
printf '%s\n' 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1' '8/2R5/3P4/8/3r4/8/k3p3/4K3 w - -' >beyond
run 0 'beyond the tables' beyond -; quiet; lines 3; row 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 | ? | ? | ? | ? | '
run 0 'beyond the tables, JSON' beyond --output jsonl -; lines 2; json 'd[0]["verdict"] is None and len(d[0]["unknown"]) > 0'

# What is wrong is told and the rest answered.
printf '%s\n' x '8/5P1k/8/7K/8/8/8/8 w' '8/8/8/8/8/8/8/Kk6 w' https://lichess.org/abcdefgh '8/5P1k/8/7K/8/8/8/8 w - - 0 1' >bad
run 2 'bad lines' bad -; lines 6; says 'line 1: .*'"'x'"; says 'line 3: .*side by side'; says 'line 4: .*no FEN in it'
has "^x${tab}error${tab}"; row '8/5P1k/8/7K/8/8/8/8 w - - 0 1 | win | 1 | 1 | 11 | f8=R | 5 | '
run 2 'bad lines, JSON' bad --output jsonl -; lines 5
json '[o["error"]["code"] if "error" in o else None for o in d] == ["bad_fen", None, "bad_position", "bad_fen", None] and d[0]["text"] == "x"'
run 2 'bad lines, PGN' bad --output pgn -; has '^; line 1: '; check '2 games' '[ "$(grep -c "^\[Event " out)" -eq 2 ]'
yes x | head -100 >many; run 2 'many bad lines' many -; lines 101; says '80 more like these'
run 1 'no such file' /dev/null nowhere.pgn; says 'cannot read nowhere.pgn: No such file'
run 1 'a folder' /dev/null .; says 'cannot read .*: Is a directory'
run 2 '--input wrong' /dev/null --input x -; says 'fen, epd or pgn'
run 2 '--output wrong' /dev/null --output x -; says 'tsv, jsonl or pgn'

# Many, in their order, in little memory.
awk 'BEGIN { for (i = 0; i < 20000; i++) printf "8/5P1k/8/7K/8/8/8/8 w - - %d %d\n", i % 90, i + 1 }' >long
run 0 '20,000 lines' long -; lines 20001
check 'in their order' 'tail -n +2 out | cut -f 7 | diff -q - <(seq 20000) >/dev/null'
check 'the clock counts' '[ "$(tail -n +2 out | cut -f 2 | sort -u)" = win ]'
if [ -e /dev/full ]; then
    "$T" probe -t "$TABLES" - <long >/dev/full 2>err; code=$?
    check 'a full disk' '[ $code -eq 1 ] && grep -q "cannot write" err'
fi

# A line is answered as soon as it is there.
coproc "$T" probe -t "$TABLES" - 2>/dev/null
echo '8/5P1k/8/7K/8/8/8/8 w' >&"${COPROC[1]}"
read -r -t 10 first <&"${COPROC[0]}"; read -r -t 10 second <&"${COPROC[0]}"
check 'an answer at once' '[ "${second%%"$tab"*}" = "8/5P1k/8/7K/8/8/8/8 w - - 0 1" ]'
eval "exec ${COPROC[1]}>&-"; wait

# ---- Games --------------------------------------------------------------------------------------

cat >pgn <<'END'
[Event "A study"]
[White "M\"ller"]
[FEN "8/5P1k/8/7K/8/8/8/8 w - - 0 1"]

1. f8=Q {hasty; [%clk 0:01]} (1. f8R Kg7) 1/2-1/2

[Event "No FEN"]

1. e4 e5 2. Ke3 Nc6 1-0

[Event "Reti"]
[FEN "7K/8/k1P5/7p/8/8/8/8 w - - 0 1"]

1.Kg7 h4 2.Kf6 Kb6 3.Ke5 h3 4.Kd6 h2 5.c7 h1Q 6.c8=Q
1/2-1/2
END
run 2 'games' pgn -; says '^trebuchet probe: game 2, line 9, move 2\. Ke3: no such move'
has '^\[White "M\\"ller"\]'; has '^\{White wins, mate in 6\} 1\. f8=Q \$4 \{Stalemate; hasty; \[%clk 0:01\]\} \(1\. f8=R$'; has '^\{White wins, mate in 6\}\) \(1\. f8R'
has '\(1\. f8R Kg7\)'; check 'nothing is lost' 'tr "\n" " " <out | grep -q "not read: Ke3 Nc6 } 1-0 "'; has '5\. c7 \{Draw\} 5\.\.\. h1=Q \{Draw\}'
check '3 games' '[ "$(grep -c "^\[Event " out)" -eq 3 ]'
check 'at most 80 columns' '! grep -qE "^.{81}" out'
cp out annotated
run 2 'games from a file' /dev/null pgn; check 'the same' 'cmp -s out annotated'
run 0 'annotated twice' annotated -; check 'games 1 and 3 are as they were' 'diff <(grep -v Trebuchet: out | grep -v "not read") <(grep -v Trebuchet: annotated | grep -v "not read")'
run 2 'two files' /dev/null pgn fens; says 'pgn: game 2'; has "^fen${tab}verdict"
run 2 'games as TSV' pgn --output tsv -; lines 19
row '5Q2/7k/8/7K/8/8/8/8 b - - 0 1 | draw | - | - | - | '; has "${tab}5${tab}1\.1${tab}f8=Q${tab}blunder${tab}"
has "^Ke3 Nc6${tab}error${tab}.*${tab}9${tab}2${tab}"
run 2 'games as JSON' pgn --output jsonl -; lines 18
json '[o["played"]["judgement"] for o in d if "played" in o].count("blunder") == 1 and d[1]["id"] == "1.1" and d[1]["played"]["san"] == "f8=Q"'
json '[o["error"]["message"] for o in d if "error" in o][0].startswith("line 9, move 2. Ke3")'
json '[o["error"]["code"] for o in d if "error" in o] == ["bad_move"]'

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
