#!/bin/bash
# test_server.sh TREBUCHET TABLES - tests `trebuchet serve` over the wire, with curl. TABLES is a
# folder with all tables of 3 and 4 men; it is only read. Ends with "N passed, M failed".
set -u

. "$(dirname "$0")/../support/frame.sh"
unset http_proxy HTTP_PROXY
export no_proxy='*'
TESTS=$TOP/tests/server
SERVER=
stop() {
    [ -n "$SERVER" ] && kill -KILL "$SERVER" 2>/dev/null && wait "$SERVER" 2>/dev/null
    SERVER=
}
trap 'stop; leave' EXIT

fail() {
    failed=$((failed + 1))
    echo "FAILED: $1"
    { head -12 head; head -c 600 body; tail -3 log; } 2>/dev/null | sed 's/^/    | /'
}

# start OPTIONS...: starts a server on a free port; sets U to its address without the last slash.
start() { launch "$T" serve --port 0 "$@"; }
# launch COMMAND...: starts a server by a command that names its address itself; sets U.
launch() {
    : >ready
    : >log
    "$@" >ready 2>log </dev/null &
    SERVER=$!
    for _ in $(seq 200); do
        U=$(sed -n 's,^Listening on \(http://.*\)/$,\1,p; s,^Listening on \(unix:.*\),\1,p' ready)
        [ -n "$U" ] && return
        kill -0 $SERVER 2>/dev/null || break
        sleep 0.05
    done
    echo "the server does not start:" && cat log
    exit 1
}
# appears WORD FILE: waits until a file contains WORD, at most some seconds.
appears() { for _ in $(seq 100); do grep -q "$1" "$2" 2>/dev/null && break; sleep 0.05; done; }
# finish CODE NAME: stops the server with SIGTERM and checks its exit code.
finish() {
    kill -TERM "$SERVER"
    wait "$SERVER"
    local code=$?
    SERVER=
    if [ $code -eq "$1" ]; then pass; else fail "$2: exit code $code, not $1"; fi
}

# get STATUS NAME TARGET CURL-OPTIONS...: sends a request; the response goes to `head` and `body`.
get() {
    local want=$1 target=$3 code
    what=$2
    shift 3
    rm -f body head
    code=$(curl -s --max-time 20 --globoff -o body -D head -w '%{http_code}' "$@" "$U$target")
    if [ "$code" = "$want" ]; then pass; else fail "$what: status $code, not $want"; fi
}
has() { if grep -qE -- "$1" body; then pass; else fail "$what: no /$1/ in the answer"; fi; }
header() { if tr -d '\r' <head | grep -qiE -- "^$1"; then pass; else fail "$what: no header /$1/"; fi; }
lacks() { if tr -d '\r' <head | grep -qiE -- "^$1"; then fail "$what: header /$1/"; else pass; fi; }
# json EXPRESSION: checks that a Python expression about the object `d` is true.
json() {
    if asks_python json body "$1"; then pass; else fail "$what: not so: $1"; fi
}
# code WORD: checks that the response is an error with this code.
code() { json "d['error']['code'] == '$1' and len(d['error']['message']) > 5"; header 'content-type: application/json'; }
metric() { curl -s "$U/metrics" | grep -F -- "$1" | grep -v '^#' | sed 's/.* //' | head -1; }

UNDER=8/5P1k/8/7K/8/8/8/8_w_-_-_0_1
KBNK=8/8/8/4k3/8/8/3BN3/4K3_w_-_-
CASTLING=4k3/8/8/8/8/8/8/4K2R_w_K_-_0_1
MANY=rnbqkbnr/8/8/8/8/8/8/RNBQKBNR_w_-_-_0_1
FIVE=8/8/8/8/2R1k3/2K5/1P6/3r4_b_-_-_0_1

mkdir tables
cp "$TABLES"/K[QRBNP]vK.* "$TABLES"/KBNvK.* tables
rm tables/KBNvK.dtc.treb
TREB='8/8/8/3pK3/2kP4/8/8/8_w_-_-_0_1' # the position that gave the project its name
"$T" blocked -t "$TABLES" --write tables "$TREB" >out 2>&1
start --tables tables --solve 64MiB

# ---- lila-tablebase's routes --------------------------------------------------------------------

get 200 standard "/standard?fen=$UNDER"; header 'content-type: application/json'
header 'access-control-allow-origin: \*'; header 'etag: "'; header 'cache-control: public, max-age='
json 'd["category"] == "win" and d["dtz"] == 1 and d["precise_dtz"] == 1 and d["dtm"] == 11 and d["dtc"] == 1'
json 'd["dtw"] is None and d["variant_win"] is False and d["insufficient_material"] is False'
json '[m["uci"] for m in d["moves"]][:2] == ["f7f8r", "f7f8q"] and d["moves"][1]["stalemate"]'
json 'd["moves"][0]["category"] == "loss" and d["moves"][0]["dtm"] == -10 and d["moves"][0]["dtc"] == -5'
json 'd["moves"][0]["zeroing"] and d["moves"][0]["conversion"] and d["moves"][2]["insufficient_material"]'
cp body first
# The command prints this object.
"$T" probe --json -t tables "$UNDER" >printed
check 'the same as probe --json' '[ "$(cat first)" = "$(cat printed)" ]'
for spelling in "${UNDER//_/%20}" "${UNDER//_/+}" "${UNDER//\//%2F}" "$UNDER&dtc=always" "${UNDER%_-_-_0_1}"; do
    get 200 "standard, $spelling" "/standard?fen=$spelling"
    check "the same answer for $spelling" 'cmp -s body first'
done
get 200 'standard, clock' "/standard?fen=${KBNK}_60_90"
json 'd["category"] == "cursed-win" and d["dtz"] == 57 and d["moves"][0]["category"] == "blessed-loss"'
get 200 'standard, mate' '/standard?fen=8/8/8/8/8/2K5/1Q6/k7_b'
json 'd["checkmate"] and d["category"] == "loss" and d["dtz"] == -1 and d["dtm"] is None and d["dtc"] is None and d["moves"] == []'
get 200 'standard, mate at 99' '/standard?fen=8/8/8/8/8/2K5/7Q/k7_w_-_-_99_90'
json 'd["category"] == "win" and d["moves"][0]["checkmate"] and d["moves"][0]["category"] == "loss"'
get 200 'standard, mate at 100' '/standard?fen=8/8/8/8/8/2K5/7Q/k7_w_-_-_100_90'
json 'd["category"] == "cursed-win" and d["moves"][0]["checkmate"] and d["moves"][0]["category"] == "blessed-loss"'
get 200 'standard, no DTC' "/standard?fen=${KBNK}"
json 'd["dtc"] is None and d["dtz"] == 57 and d["dtm"] == 57'; header 'cache-control: no-cache'
get 200 'standard, no table' "/standard?fen=$FIVE"; header 'cache-control: no-cache'
json 'd["category"] == "unknown" and d["dtz"] is None and d["dtm"] is None and len(d["moves"]) > 3'
get 200 'standard, castling' "/standard?fen=$CASTLING"; header 'cache-control: public, max-age='
json 'd["category"] == "win" and d["dtz"] is None and all(m["dtm"] is not None for m in d["moves"])'
json '[m["uci"] for m in d["moves"] if m["san"] == "O-O"] == ["e1g1"]'
get 200 'standard, castling on both sides' '/standard?fen=r3k3/8/8/8/8/8/8/4K2R_w_Kq'
json 'd["category"] == "unknown" and {m["category"] for m in d["moves"]} == {"unknown"} and d["moves"][0]["dtz"] is None'
get 200 'standard, many men' "/standard?fen=$MANY"
json 'd["category"] == "unknown" and d["dtz"] is None and {m["category"] for m in d["moves"]} == {"unknown"} and len(d["moves"]) > 40'
get 200 'standard, castling and en passant that cannot be' '/standard?fen=8/5P1k/8/7K/8/8/8/8_w_KQkq_e6_0_1'
check 'the same answer as without' 'cmp -s body first'
get 400 'not so in our own dialect' '/v1/probe?fen=8/5P1k/8/7K/8/8/8/8_w_KQkq_e6_0_1'; code bad_position
get 400 'standard, no FEN' '/standard'; code bad_request
get 400 'standard, empty FEN' '/standard?fen='; code bad_fen
get 400 'standard, bad FEN' '/standard?fen=nonsense'; code bad_fen
get 400 'standard, impossible' '/standard?fen=8/8/8/8/8/2K5/1Q6/k7_w'; code bad_position
get 400 'standard, FEN twice' "/standard?fen=$UNDER&fen=$UNDER"; code bad_request
get 400 'standard, escape' '/standard?fen=%zz'; code bad_request
get 400 'standard, zero byte' '/standard?fen=8%00'; code bad_request
get 400 'standard, not UTF-8' '/standard?fen=%ff%fe/8_w'; code bad_fen

get 200 mainline "/standard/mainline?fen=$KBNK"
json 'd["dtz"] == 57 and d["precise_dtz"] == 57 and d["winner"] == "w" and len(d["mainline"]) == 57'
json 'set(d["mainline"][0]) == {"uci", "san", "dtz", "precise_dtz"} and d["mainline"][0]["dtz"] == -56'
json 'd["mainline"][-1]["san"].endswith("#") and d["mainline"][-1]["dtz"] == -1'
get 200 'mainline, too late' "/standard/mainline?fen=${KBNK}_60_90"
json 'len(d["mainline"]) == 40 and d["winner"] is None'
get 200 'mainline, draw' '/standard/mainline?fen=7K/8/8/8/8/8/8/k7_w'; json 'd == {"dtz": 0, "precise_dtz": 0, "mainline": [], "winner": None}'
get 200 'mainline, mate' '/standard/mainline?fen=8/8/8/8/8/2K5/1Q6/k7_b'; json 'd["winner"] == "w" and d["mainline"] == []'
get 404 'mainline, no table' "/standard/mainline?fen=$FIVE"; code no_table; has 'KRPvKR'
get 404 'mainline, castling' "/standard/mainline?fen=$CASTLING"; code castling
get 404 'mainline, many men' "/standard/mainline?fen=$MANY"; code too_many_men
get 400 'mainline, bad FEN' '/standard/mainline?fen=x'; code bad_fen
get 200 monitor /monitor; has '^tablebase cache=[0-9]+u,'

# ---- Trebuchet's routes -------------------------------------------------------------------------

get 200 probe "/v1/probe?fen=$UNDER"
json 'd["fen"] == "8/5P1k/8/7K/8/8/8/8 w - - 0 1" and d["turn"] == "white" and d["men"] == 3 and d["material"] == "KPvK"'
json 'd["verdict"] == "win" and d["dtm_plies"] == 11 and d["metric"] == "dtm" and d["best"]["dtm"] == "f7f8r" and d["unknown"] == []'
json 'd["moves"][0]["dtm_plies"] == 11 and d["moves"][0]["verdict"] == "win" and d["moves"][1]["dtm_plies"] is None'
for text in '%228/5P1k/8/7K/8/8/8/8%20w%22' '%5BFEN+%228/5P1k/8/7K/8/8/8/8+w+-+-+0+1%22%5D' \
    '8/5P1k/8/7K/8/8/8/8+w+-+-+bm+f8%3DR%3B' 'https://lichess.org/analysis/8/5P1k/8/7K/8/8/8/8_w_-_-_0_1' \
    'https://syzygy-tables.info/?fen=8/5P1k/8/7K/8/8/8/8_w_KQ_-_0_1'; do
    get 200 "probe, $text" "/v1/probe?fen=$text"; json 'd["fen"] == "8/5P1k/8/7K/8/8/8/8 w - - 0 1"'
    get 200 "standard, $text" "/standard?fen=$text"; json 'd["category"] == "win"'
done
get 400 'probe, a link without a position' '/v1/probe?fen=https://lichess.org/abcdefgh'; code bad_fen; has 'the link has no FEN'
get 200 'probe, clock' "/v1/probe?fen=${KBNK}_60_90&metric=dtz"
json 'd["verdict"] == "cursed_win" and d["verdict_clock_zero"] == "win" and d["halfmove_clock"] == 60 and d["metric"] == "dtz"'
json 'd["dtc_plies"] is None and d["best"]["dtc"] is None and [u["code"] for u in d["unknown"]] == ["no_table"] and "KBNvK.dtc.treb" in d["unknown"][0]["message"]'
# Beyond the tables: all moves, and the reason why there is no verdict.
beyond() { json "d['verdict'] is None and d['verdict_clock_zero'] is None and d['unknown'][0]['metric'] == 'wdl' and d['unknown'][0]['code'] == '$1' and len(d['moves']) == $2"; }
get 200 'probe, no table' "/v1/probe?fen=$FIVE"; beyond no_table 6; has 'KRPvKR.wdl.treb'; json 'd["material"] == "KRPvKR" and d["men"] == 5'
get 200 'probe, castling that tables settle' "/v1/probe?fen=$CASTLING"; json 'd["verdict"] == "win" and "O-O" in [m["san"] for m in d["moves"]]'
get 200 'probe, castling' '/v1/probe?fen=r3k2r/8/8/8/8/8/8/R3K2R_w_KQkq'; beyond castling 26
get 200 'probe, many men' "/v1/probe?fen=$MANY"; json 'd["verdict"] is None and d["unknown"][0]["code"] == "too_many_men" and d["material"] is None and len(d["moves"]) > 10'
# A move that blocks the pawns: in their table the side to move loses.
INTO=8/8/8/3pK3/2k5/8/3P4/8_w_-_-
get 200 'probe, a move into a blocked-pawn table' "/v1/probe?fen=${INTO}_6_9"; header 'cache-control: no-cache'
json 'd["verdict"] == "win" and [(m["san"], m["dtz_plies"], m["dtc_plies"]) for m in d["moves"] if m["verdict"]] == [("d4", 1, 3)]'
json 'd["blocked"] is None and d["unknown"][0]["metric"] == "wdl" and d["best"]["dtz"] is None'
get 200 'standard, a move into a blocked-pawn table' "/standard?fen=$INTO"
json 'd["category"] == "unknown" and [m["san"] for m in d["moves"] if m["category"] == "maybe-loss"] == ["d4"]'
"$T" probe -t tables "${INTO}_0_1" >printed 2>err
check 'probe: a move into a blocked-pawn table' 'grep -q "^White wins\." printed && grep -A1 "^  winning" printed | grep -q "^    d4 "'
get 400 'probe, bad metric' "/v1/probe?fen=$UNDER&metric=wdl"; code bad_request
get 200 'probe, bare kings' '/v1/probe?fen=7K/8/8/8/8/8/8/k7_w'
json 'd["state"] == "insufficient_material" and d["verdict"] == "draw" and d["material"] is None'
for m in dtm dtz; do
    get 200 "line, $m" "/v1/line?fen=$KBNK&metric=$m"
    json "d['metric'] == '$m' and d['plies'] == 57 and d['end'] == 'mate' and d['winner'] == 'white' and len(d['moves']) == 57"
    json 'd["moves"][0]["dtm_plies"] == 57 and d["moves"][-1]["san"].endswith("#") and "1-0" in d["pgn"]'
done
get 404 'line, no DTC' "/v1/line?fen=$KBNK&metric=dtc"; code no_table; has 'KBNvK.dtc.treb'
get 400 'line, bad metric' "/v1/line?fen=$KBNK&metric=x"; code bad_request
get 200 'line without the rule' "/v1/line?fen=$KBNK&metric=dtm&rule=none"; has '"rule":"none"'; has 'rule is ignored'
get 200 'line with the rule' "/v1/line?fen=$KBNK&metric=dtm&rule=50"; has '"rule":"50"'
get 400 'line, bad rule' "/v1/line?fen=$KBNK&rule=75"; code bad_request; has '50 or none'
get 400 'line, no FEN' /v1/line; code bad_request

get 200 blocked "/v1/blocked?fen=$TREB"; header 'content-type: application/json'; header 'etag: "'
header 'cache-control: no-cache'; header 'access-control-allow-origin: \*'
json 'd["verdict"] == "black" and d["plies"] == 2 and d["attacker"] == "black" and d["file"] == "d4-d5.exact.treb"'
json '"e5" in d["double_zugzwangs"]["c4"] and d["groups"][0]["mark"] == "1" and d["line"][-1] == "Kxd4" and d["line_end"] == "tables"'
tag=$(tr -d '\r' <head | sed -n 's/^[Ee][Tt]ag: //p')
get 304 'blocked, unchanged' "/v1/blocked?fen=$TREB" -H "If-None-Match: $tag"
get 200 'blocked, the attacker chosen' "/v1/blocked?fen=$TREB&attacker=white"; json 'd["attacker"] == "white" and "c4" in d["double_zugzwangs"]["e5"]'
"$T" blocked -t tables --json --squares --attacker white "$TREB" >printed 2>err
check 'the same as blocked --json --squares' 'cmp -s body printed || [ "$(cat body)" = "$(cat printed)" ]'
get 200 'blocked, mirrored and colours exchanged' '/v1/blocked?fen=8/8/8/4pK2/3kP3/8/8/8_b_-_-_0_1'; json 'd["verdict"] == "white" and d["file"] == "d4-d5.exact.treb"'
get 404 'blocked, no file' '/v1/blocked?fen=8/8/8/2p5/2P5/8/8/K6k_w'; code no_table; has 'c4-c5\.exact\.treb'
get 404 'blocked, a free pawn' '/v1/blocked?fen=8/8/8/8/2P5/8/8/K6k_w'; code not_blocked; has 'c4'
get 404 'blocked, a piece' "/v1/blocked?fen=$KBNK"; code not_blocked
get 400 'blocked, bad FEN' '/v1/blocked?fen=x'; code bad_fen
get 400 'blocked, impossible' '/v1/blocked?fen=8/8/8/8/8/8/8/Kk6_w'; code bad_position
get 400 'blocked, no FEN' /v1/blocked; code bad_request
get 400 'blocked, no colour' "/v1/blocked?fen=$TREB&attacker=red"; code bad_request
get 400 'blocked, attacker twice' "/v1/blocked?fen=$TREB&attacker=white&attacker=black"; code bad_request

get 200 batch /v1/batch -d "{\"fens\":[\"$UNDER\",\"x\",\"$FIVE\",7]}"
json 'len(d["answers"]) == 4 and d["answers"][0]["dtm_plies"] == 11 and len(d["answers"][0]["moves"]) > 5'
json '[a.get("error", {}).get("code") for a in d["answers"]] == [None, "bad_fen", None, "bad_fen"] and d["answers"][2]["verdict"] is None'
json 'd["answers"][1]["fen"] == "x" and d["answers"][3]["fen"] == 7'
get 200 'batch, no moves' /v1/batch -d "{\"fens\":[\"$UNDER\"],\"moves\":false,\"metric\":\"dtz\"}"
json '"moves" not in d["answers"][0] and d["answers"][0]["best"]["dtz"] == "f7f8r" and d["answers"][0]["metric"] == "dtz"'
get 200 'batch, empty' /v1/batch -d '{"fens":[]}'; json 'd == {"answers": []}'
for body in '' '{' '[]' '{"fens":1}' '{"fens":[],"moves":1}' '{"fens":[],"metric":"x"}' '{"fens":[],"fens":[]}'; do
    get 400 "batch, $body" /v1/batch -d "$body"; code bad_request
done
fens() { python3 -c "print('{\"fens\":[' + ','.join(['\"$UNDER\"'] * $1) + '],\"moves\":false}')" >fens; }
fens 1000; get 200 'batch of 1000' /v1/batch -d @fens; json 'len(d["answers"]) == 1000'
fens 1001; get 400 'batch of 1001' /v1/batch -d @fens; code bad_request; has '1,000'
printf '[FEN "7k/5P2/8/7K/8/8/8/8 w - - 0 1"]\n\n1. f8=Q+ Kh7 2. Kh6 *\n\n[FEN "8/5P1k/8/7K/8/8/8/8 w - - 0 1"]\n\n1. f8=Q {why} 1/2-1/2\n' >pgn
get 200 games /v1/games --data-binary @pgn -H 'Content-Type: text/plain'
json 'len(d["games"]) == 2 and not d["cut"] and d["positions"] == 5 and "2. Kh6" in d["games"][0]["error"]["message"]'
json '[m["judgement"] for g in d["games"] for m in g["moves"]] == [None, None, "blunder"]'
json '(lambda m: (m["san"], m["best"]["san"], m["notes"]))(d["games"][1]["moves"][0]) == ("f8=Q", "f8=R", "{why}")'
get 200 'games, a link' /v1/games -d "https://lichess.org/editor/$UNDER"
json 'd["games"][0]["start"].startswith("8/5P1k") and d["games"][0]["dtm_plies"] == 11 and d["games"][0]["moves"] == []'
get 200 'games, no position' /v1/games -d 'x'; json 'd["games"][0]["error"]["code"] == "bad_fen"'
get 400 'games, nothing' /v1/games -d ''; code bad_request
get 405 'games, GET' /v1/games; code method; header 'allow: POST, OPTIONS'
get 405 'batch, GET' /v1/batch; code method; header 'allow: POST, OPTIONS'

get 200 tables /v1/tables
json 'd["ranks"] == ["d4-d5.exact.treb"] and d["solved"] == []'
json 'd["directories"] == ["tables"] and len(d["tables"]) == 6 and d["bytes"] == sum(f["bytes"] for t in d["tables"] for f in t["metrics"].values())'
json '[t["material"] for t in d["tables"]][-1] == "KBNvK" and "dtc" not in d["tables"][-1]["metrics"]'
json '[t for t in d["tables"] if t["material"] == "KPvK"][0]["counts"]["white"]["win"] == 124960'
get 200 stats /v1/stats/KvKP
json 'd["material"] == "KPvK" and d["men"] == 3 and d["counts"]["white"]["win"] == 124960'
json '[c["material"] for c in d["children"] if c["by"] == "promotion" and c["installed"]] == ["KQvK", "KRvK", "KBvK", "KNvK"]'
json 'sum(n for p, n in d["histograms"]["dtm"]["white"]["win"]) == 124960 and max(d["histograms"]["dtm"]["white"]["win"])[0] == 55'
json '[l["plies"] for l in d["longest"] if l["metric"] == "dtm" and l["verdict"] == "win" and l["turn"] == "white"] == [55]'
get 400 'stats, no material' /v1/stats/KXvK; code bad_request; has 'no ending called'
get 200 'stats, as people write it' /v1/stats/kp-k; has '"material":"KPvK"'
get 404 'stats, not installed' /v1/stats/KRvKR; code no_table; has 'KRvKR'
get 200 shift '/v1/shift?fen=8/8/8/3k4/8/3KP3/8/8_w'; json 'len(d["places"]) == 35 and len(d["groups"]) == 4'
"$T" shift -t "$TABLES" --json '8/8/8/3k4/8/3KP3/8/8 w' >printed
check 'the same as shift --json' '[ "$(cat body)" = "$(cat printed)" ]'
get 404 'shift, no table' '/v1/shift?fen=8/8/8/3k4/2r5/3KP3/3R4/8_w'; code no_table
get 404 'shift, castling' "/v1/shift?fen=$CASTLING"; code castling
get 404 'shift, many men' "/v1/shift?fen=$MANY"; code too_many_men
get 400 'shift, no FEN' /v1/shift; code bad_request

get 200 rules '/v1/rules?fen=8/8/8/8/K7/8/P1k5/8_b'
json 'd["material"] == "KPvK" and d["verdict"] == "loss" and not d["swapped"] and len(d["rules"]) == 5'
json '[(r["says"], r["ground"], r["right"]) for r in d["rules"] if r["rule"] == "square"] == [("draw", "in the square, and nearer to the pawn", False)]'
json '[(r["says"], r["right"]) for r in d["rules"] if r["rule"] == "key-squares"] == [(None, None)]'
json '[r["figures"]["silent"] for r in d["rules"] if r["rule"] == "square"] == [165676 - 132739] and "PIONEER" in str([r["about"] for r in d["rules"]])'
get 200 'rules, colours exchanged' '/v1/rules?fen=8/p1K5/8/k7/8/8/8/8_w'
json 'd["swapped"] and d["verdict"] == "loss" and [r["right"] for r in d["rules"] if r["rule"] == "square"] == [False]'
get 200 'rules, of no ending of theirs' "/v1/rules?fen=8/8/4k3/8/8/8/3Q4/4K3_w"; json 'd["material"] == "KQvK" and d["rules"] == []'
get 404 'rules, no table' "/v1/rules?fen=$FIVE"; code no_table
get 404 'rules, castling' "/v1/rules?fen=$CASTLING"; code castling

# By a strategy the server plays what the command plays.
get 200 strategies /v1/strategies
json '[(s["strategy"], s["figures"]["white_to_move"]["wins"]) for s in d["strategies"] if s["material"] in ("KQvK", "KRvK")] == [("king-and-queen", 18081), ("king-and-rook", 21959)]'
json 'all("move" not in s and s["about"] and s["advice"] for s in d["strategies"])'
get 200 'strategies, a position' '/v1/strategies?fen=8/8/8/8/3R4/8/2k5/K7_w'; json '[(s["plays"], s["follows"], s["move"]["uci"]) for s in d["strategies"]] == [("white", "divide in 2", "d4b4")]'
json '[r["then"]["uci"] for r in d["strategies"][0]["move"]["replies"] if r["uci"] == "c2c3"] == ["b4b1"] and len(d["strategies"][0]["move"]["replies"]) == 5'
get 200 'strategies, colours exchanged and turned' '/v1/strategies?fen=7k/5K2/8/4r3/8/8/8/8_b'; json '[(s["plays"], s["follows"], s["move"]["uci"], s["move"]["san"]) for s in d["strategies"]] == [("black", "divide in 2", "e5g5", "Rg5")]'
get 200 'strategies, the other side to move' '/v1/strategies?fen=8/8/8/8/3R4/8/2k5/K7_b'; json '[(s["plays"], s["follows"], s["move"]) for s in d["strategies"]] == [("white", None, None)]'
get 200 'strategies, none for it' "/v1/strategies?fen=8/8/8/8/K7/8/P1k5/8_b"; json 'd["strategies"] == [] and d["fen"].startswith("8/8")'
get 400 'strategies, no FEN' '/v1/strategies?fen=what'; code bad_fen
get 404 'strategies, castling' "/v1/strategies?fen=$CASTLING"; code castling

# A list is requested, made in the background, and kept. made JOB: waits until it is done.
made() { for _ in $(seq 1200); do get 200 "job $1" "/v1/jobs/$1"; grep -qE '"state":"(waiting|running)"' body || break; sleep 0.1; done; }
get 404 'a job that nobody has begun' /v1/jobs/zugzwang-KPvK; code not_found
get 200 find /v1/find -d '{"material":"kp-k","kind":"zugzwang"}'; header 'cache-control: no-store'
json 'd["job"] == "/v1/jobs/zugzwang-KPvK" and d["state"] in ("waiting", "running", "done") and d["error"] is None'
made zugzwang-KPvK; header 'cache-control: no-cache'; header 'etag: "'
"$T" find -t "$TABLES" --zugzwang --json KPvK >printed 2>/dev/null
json 'd["state"] == "done" and d["result"]["found"] == 80 and d["result"]["zugzwang_black_loses"] == 80 and d["result"]["looked"] == 165676'
json 'sorted(p["fen"] for p in d["result"]["positions"]) == sorted(p["fen"] for p in map(json.loads, open("printed")) if p["event"] == "position")'
json '[p["black"]["dtm_plies"] for p in d["result"]["positions"]] == sorted((p["black"]["dtm_plies"] for p in d["result"]["positions"]), reverse=True)'
json '{p["white"]["verdict"] for p in d["result"]["positions"]} == {"draw"} and {p["black"]["verdict"] for p in d["result"]["positions"]} == {"loss"}'
get 200 'find, longest' /v1/find -d '{"material":"KRvK","kind":"longest"}'; made longest-KRvK
"$T" find -t "$TABLES" --longest --json KRvK >printed 2>/dev/null
json '[p["fen"] for p in d["result"]["positions"]] == [p["fen"] for p in map(json.loads, open("printed")) if p["event"] == "position"] and d["result"]["found"] > 0'
json '{p["dtm_plies"] for p in d["result"]["positions"]} == {31}'
get 200 'find, again: it is there' /v1/find -d '{"material":"KvKP","kind":"zugzwang"}'; json 'd["state"] == "done" and d["result"]["found"] == 80'
get 200 'what is done stays' /v1/jobs/zugzwang-KPvK -X DELETE; json 'd["state"] == "done"'
get 404 'find, no table' /v1/find -d '{"material":"KRPvKR","kind":"zugzwang"}'; code no_table; has 'KRPvKR.wdl.treb'
for body in '' '{' '[]' '{"material":"KPvK"}' '{"material":"KPvK","kind":"stalemate"}' '{"material":5,"kind":"zugzwang"}' '{"material":"KXvK","kind":"zugzwang"}'; do
    get 400 "find, $body" /v1/find -d "$body"; code bad_request
done
get 405 'find, GET' /v1/find; code method; get 405 'jobs, POST' /v1/jobs/x -d x; header 'allow: GET, HEAD, DELETE, OPTIONS'
get 405 'nothing else takes DELETE' /healthz -X DELETE; header 'allow: GET, HEAD, OPTIONS'
get 404 'no such job' "/v1/jobs/$(printf '%0200d' 1)"; code not_found
get 404 'nothing to cancel' /v1/jobs/zugzwang-KQvK -X DELETE; code not_found
get 204 'preflight of a cancellation' /v1/jobs/x -X OPTIONS; header 'access-control-allow-methods: GET, HEAD, DELETE, OPTIONS'
for _ in $(seq 50); do [ "$(metric trebuchet_background_total)" = 2 ] && break; sleep 0.1; done
check 'lists are counted' '[ "$(metric trebuchet_background_total)" = 2 ] && [ "$(metric trebuchet_background_pending)" = 0 ]'
get 200 healthz /healthz; json 'd == {"status": "ok", "tables": 23}'
get 200 metrics /metrics; header 'content-type: text/plain; version=0.0.4'
has '^trebuchet_http_requests_total\{route="/standard",code="200"\} [0-9]+$'
has '^trebuchet_http_request_duration_seconds_bucket\{route="/standard",le="\+Inf"\} [0-9]+$'
has '^trebuchet_cache_budget_bytes [0-9]+$'; has '^trebuchet_damaged_blocks_total 0$'
get 200 page /; header 'content-type: text/html'; header 'content-security-policy:'; header etag
get 404 'no such address' /nothing; code not_found
get 404 'no such address under /v1' /v1/; code not_found
get 404 'a path upwards' '/../tables/KPvK.wdl.treb' --path-as-is; code not_found
python3 "$TESTS/check_openapi.py" "$U" >out 2>&1
check 'OpenAPI: every route is there and answers as described' '[ $? -eq 0 ] || { cat out; false; }'

# ---- HTTP ---------------------------------------------------------------------------------------

for target in "/standard?fen=$UNDER" /v1/tables /healthz /; do
    get 200 "GET $target" "$target"; size=$(wc -c <body)
    get 200 "HEAD $target" "$target" -I; header "content-length: $size\$"
    get 204 "OPTIONS $target" "$target" -X OPTIONS; header 'access-control-allow-methods: GET, HEAD, OPTIONS'
    get 405 "POST $target" "$target" -d x; code method; header 'allow: GET, HEAD, OPTIONS'
done
get 204 'preflight of a batch' /v1/batch -X OPTIONS -H 'Origin: http://a' -H 'Access-Control-Request-Method: POST'
header 'access-control-allow-methods: POST, OPTIONS'; header 'access-control-allow-headers: .*content-type'; header 'access-control-max-age: '
get 200 'plain' "/standard?fen=$KBNK"; lacks content-encoding; header 'vary: accept, accept-encoding'; cp body plain
get 200 'gzip' "/standard?fen=$KBNK" -H 'Accept-Encoding: br, gzip;q=0.5'; header 'content-encoding: gzip'
check 'unpacks to the same' 'gzip -dc body | cmp -s - plain && [ $(wc -c <body) -lt $(wc -c <plain) ]'
get 200 'gzip refused' "/standard?fen=$KBNK" -H 'Accept-Encoding: gzip;q=0'; lacks content-encoding
get 200 'gzip, too small' /healthz -H 'Accept-Encoding: gzip'; lacks content-encoding
for encoding in identity gzip; do
    get 200 "ETag, $encoding" "/standard?fen=$KBNK" -H "Accept-Encoding: $encoding"
    etag=$(tr -d '\r' <head | sed -n 's/^[Ee][Tt]ag: //p')
    get 304 "If-None-Match, $encoding" "/standard?fen=$KBNK" -H "Accept-Encoding: $encoding" -H "If-None-Match: \"x\", W/$etag"
    header "etag: $etag"; lacks content-encoding
    check 'no body with 304' '[ ! -s body ]'
done
get 200 'If-None-Match, another' "/standard?fen=$KBNK" -H 'If-None-Match: "x"'
get 304 'If-None-Match: *' "/standard?fen=$KBNK" -H 'If-None-Match: *'
get 200 'no ETag on what changes' /metrics; lacks etag; header 'cache-control: no-store'

# CBOR is never mixed up with JSON, from the cache or not, and has an ETag of its own.
for turn in made kept; do
    get 200 "CBOR, $turn" "/standard?fen=$UNDER" -H 'Accept: application/cbor'; header 'content-type: application/cbor'; header 'vary: accept'
    check 'an object of 12 members' '[ "$(head -c 10 body)" = "$(printf "\254hcategory")" ] && [ $(wc -c <body) -lt $(wc -c <first) ]'
    get 200 "JSON, $turn" "/standard?fen=$UNDER" -H 'Accept: application/json'; check 'the same' 'cmp -s body first'
    header 'content-type: application/json'; header 'vary: accept'
    etag=$(tr -d '\r' <head | sed -n 's/^[Ee][Tt]ag: //p')
    get 200 'CBOR is not what JSON was' "/standard?fen=$UNDER" -H 'Accept: application/cbor' -H "If-None-Match: $etag"
    get 304 'JSON is' "/standard?fen=$UNDER" -H "If-None-Match: $etag"; header 'vary: accept'
done
get 200 'CBOR, mainline' "/standard/mainline?fen=$KBNK" -H 'Accept: application/cbor' -H 'Accept-Encoding: gzip'
header 'content-type: application/cbor'; header 'content-encoding: gzip'; header 'vary: accept, accept-encoding'
get 400 'CBOR, an error is JSON' '/standard?fen=x' -H 'Accept: application/cbor'; code bad_fen
get 200 'CBOR, not of others' "/v1/probe?fen=$UNDER" -H 'Accept: application/cbor'; header 'content-type: application/json'; header 'vary: accept-encoding'

long() { head -c "$1" /dev/zero | tr '\0' a; }
get 414 'long address' "/standard?fen=$(long 3000)"; code too_large
get 431 'long header' /healthz -H "X-Long: $(long 40000)"
long 300000 >large
get 413 'large body' /v1/batch --data-binary @large -H 'Expect:'; code too_large
get 413 'large body, announced' /v1/batch --data-binary @large -H 'Expect: 100-continue'; code too_large
get 413 'large body in chunks' /v1/batch --data-binary @large -H 'Transfer-Encoding: chunked'; code too_large
get 400 'many parameters' "/standard?$(seq -s'&' 40)"; code bad_request
check 'still there' '[ "$(curl -s "$U/healthz")" = "{\"status\":\"ok\",\"tables\":23}" ]'
python3 "$TESTS/server_wire.py" "$U" >out 2>&1
check 'odd requests on the wire' '[ $? -eq 0 ] || { cat out; false; }'
sleep 0.5
check 'the log is JSON' 'python3 -c "import json, sys
for line in open(\"log\"): json.loads(line)"'
check 'a line a request' 'grep -q "\"target\":\"/standard?fen=$UNDER\",\"status\":200" log'
check 'nothing raw in the log' '! LC_ALL=C grep -q "[^ -~]" log'
finish 0 'SIGTERM'
check 'the log tells' 'tail -1 log | grep -q stopped'

# ---- Tables that come, go and are damaged -------------------------------------------------------

start --tables tables
get 404 'not there yet' '/v1/stats/KRvKN'; get 200 'unknown yet' '/standard?fen=8/8/4k3/8/2n5/8/3R4/4K3_w'; json 'd["category"] == "unknown"'
cp "$TABLES"/KRvKN.* tables
kill -HUP $SERVER
appears 'tables reloaded' log
get 200 'after SIGHUP' '/v1/stats/KRvKN'; get 200 'known now' '/standard?fen=8/8/4k3/8/2n5/8/3R4/4K3_w'; json 'd["category"] != "unknown"'
check 'counted' '[ "$(metric trebuchet_reloads_total)" = 1 ] && [ "$(metric trebuchet_tables)" = 27 ]'
# Opens the files for the test after the next one.
get 200 'open' '/v1/probe?fen=8/k1P5/8/K7/8/8/8/8_w'
mv tables gone; kill -HUP $SERVER
appears 'cannot look' log
get 200 'a folder that is gone: the old tables stay' "/v1/probe?fen=$UNDER"
check 'failure counted' '[ "$(metric trebuchet_reload_failures_total)" = 1 ]'
mv gone tables

# A truncated file and one with altered blocks do not affect the others.
mkdir bad; cp "$TABLES"/K[QRBNP]vK.* bad
head -c 1000 "$TABLES/KPvK.wdl.treb" >bad/KPvK.wdl.treb
size=$(stat -c %s bad/KQvK.wdl.treb)
printf '\377\000\377\125' | dd of=bad/KQvK.wdl.treb bs=1 seek=$((size - 40)) conv=notrunc 2>/dev/null
printf '\377\000\377\125' | dd of=bad/KRvK.dtm.treb bs=1 seek=$(($(stat -c %s bad/KRvK.dtm.treb) - 40)) conv=notrunc 2>/dev/null
finish 0 'SIGTERM again'
start --tables bad --quiet
for target in "/standard?fen=$UNDER" "/v1/probe?fen=$UNDER" "/v1/line?fen=$UNDER" "/standard/mainline?fen=$UNDER" /v1/stats/KPvK; do
    if [ "$target" = /v1/stats/KPvK ]; then
        get 200 "damaged header, $target" "$target"; json 'd["counts"] is not None'
    else
        get 500 "damaged header, $target" "$target"; code damaged; has 'KPvK.wdl.treb'
    fi
done
get 500 'damaged block, standard' '/standard?fen=8/8/4k3/8/8/8/3Q4/4K3_w'; code damaged; has 'KQvK.wdl.treb'
get 500 'damaged block, probe' '/v1/probe?fen=8/8/4k3/8/8/8/3Q4/4K3_w'; code damaged
get 200 'damaged distances' '/v1/probe?fen=8/8/4k3/8/8/8/3R4/4K3_w'; header 'cache-control: no-store'
json 'd["verdict"] == "win" and d["dtm_plies"] is None and d["dtz_plies"] > 0 and "damaged" in [u["code"] for u in d["unknown"]]'
cp "$TABLES"/KRvKN.* "$TABLES"/KRvKB.* bad && head -c 400 "$TABLES/KRvKN.dtz.treb" >bad/KRvKN.dtz.treb && kill -HUP $SERVER
for _ in $(seq 50); do [ "$(metric trebuchet_tables)" = 28 ] && break; sleep 0.05; done
get 500 'damaged DTZ' '/standard?fen=k7/8/1K6/8/8/8/7n/1R6_w'; code damaged; has 'KRvKN.dtz.treb'
get 200 'the others' '/standard?fen=8/8/4k3/8/8/8/3B4/4K3_w'; json 'd["category"] == "draw"'
head -c 900 tables/d4-d5.exact.treb >bad/d4-d5.exact.treb
get 500 'damaged ranks' "/v1/blocked?fen=$TREB"; code damaged; has 'd4-d5.exact.treb'; header 'cache-control: no-store'
get 200 'damaged files in the list' /v1/tables
json '[t for t in d["tables"] if t["material"] == "KPvK"][0]["metrics"]["wdl"]["status"] == "damaged"'
check 'damage counted' '[ "$(metric trebuchet_damaged_blocks_total)" -ge 5 ]'
check 'no access log' '! grep -q "\"target\"" log'
finish 0 'SIGTERM, quiet'

# ---- Starting and ending ------------------------------------------------------------------------

start --tables tables --threads 1 --cache 0 --answers 0 --bind ::1
check 'IPv6' '[[ $U == "http://[::1]:"* ]]'
for _ in 1 2 3; do get 200 'one thread, nothing cached' "/standard?fen=$UNDER"; check 'the same' 'cmp -s body first'; done
port=${U##*:}
check 'nothing kept' '[ "$(metric trebuchet_answers)" = 0 ] && [ "$(metric trebuchet_cache_bytes)" = 0 ]'
"$T" serve --tables tables --bind ::1 --port "$port" >out 2>&1 </dev/null
check 'the port is taken' '[ $? -eq 1 ] && grep -q "taken" out'
# A batch in progress is still answered when the server stops.
python3 -c "import json; print(json.dumps({'fens': ['8/8/8/4k3/8/8/3BN3/4K3 w - - %d 60' % i for i in range(60)] * 2}))" >fens
curl -s --globoff -o late -w '%{http_code}' -d @fens "$U/v1/batch" >late-code &
client=$!
for _ in $(seq 100); do [ "$(metric 'trebuchet_http_busy')" -ge 2 ] 2>/dev/null && break; sleep 0.01; done
finish 0 'SIGTERM with a request under way'
wait $client
check 'it was answered' '[ "$(cat late-code)" = 200 ] && [ "$(python3 -c "import json; print(len(json.load(open(\"late\"))[\"answers\"]))")" = 120 ]'
"$T" serve --tables nowhere --port 0 >out 2>&1 </dev/null
check 'no such folder' '[ $? -eq 1 ] && grep -q nowhere out'
"$T" serve --port 0 --bind no.such.host.invalid >out 2>&1 </dev/null
check 'no such host' '[ $? -eq 1 ] && grep -q "no.such.host.invalid" out'
for wrong in '--port x' '--port 70000' '--threads 0' '--cache lots' '--timeout 0' '--limit 0' 'tables' '--no-such' \
    '--listen 127.0.0.1' '--listen unix:' '--listen unix:x --port 1' '--socket-mode 9' '--socket-mode 1777' '--trust-proxy localhost' \
    '--trust-proxy 10.0.0.0/33' '--queue 0' '--queue-per-client x' '--headers 1' '--headers 1GiB' '--unsent 0' '--lists 9' '--lists no' '--solve x' '--solve-time 0' '--send-timeout 0' '--body 1GiB'; do
    # shellcheck disable=SC2086
    "$T" serve $wrong >out 2>&1 </dev/null
    check "called wrongly: $wrong" '[ $? -eq 2 ] && grep -q "serve --help" out'
done

# ---- Lists --------------------------------------------------------------------------------------

# While a list is made others wait, only a few of one client; answers do not wait. It can be cancelled, and ends with
# the server.
start --tables "$TABLES" --quiet
want() { curl -s "$U/v1/find" -d "{\"material\":\"$1\",\"kind\":\"longest\"}" -o body -w '%{http_code}'; }
check 'a long one' '[ "$(want KPvKP)" = 200 ]'
check 'one more' '[ "$(want KQvKQ)" = 200 ]'
get 429 'not a third' /v1/find -d '{"material":"KRvKR","kind":"longest"}'; code too_many
for _ in $(seq 100); do curl -s "$U/v1/jobs/longest-KPvKP" >body; grep -q '"state":"running","ahead":0,"done":[1-9]' body && break; sleep 0.05; done
check 'it is told how far it is' 'grep -q "\"state\":\"running\"" body'
get 200 'answers do not wait' "/v1/probe?fen=$UNDER"
get 200 'cancelled' /v1/jobs/longest-KPvKP -X DELETE; json 'd["state"] == "cancelled" and d["result"] is None'
get 404 'and gone' /v1/jobs/longest-KPvKP; code not_found
# It may take a moment to end.
for _ in $(seq 50); do code=$(want KPvKP); [ "$code" = 200 ] && break; sleep 0.1; done
check 'again' '[ "$code" = 200 ]'
began=$SECONDS
finish 0 'SIGTERM while lists are made'
check 'at once' '[ $((SECONDS - began)) -le 2 ]'
start --tables "$TABLES" --quiet --lists 3
get 404 'larger than the owner wants' /v1/find -d '{"material":"KPvKP","kind":"zugzwang"}'; code too_many_men; has 'up to 3 men'
get 200 'not larger' /v1/find -d '{"material":"KPvK","kind":"zugzwang"}'
finish 0 'SIGTERM, small lists'
start --tables "$TABLES" --quiet --lists 0
get 404 'none at all' /v1/find -d '{"material":"KPvK","kind":"zugzwang"}'; code too_many_men; has 'makes no lists'
get 404 'solve, off' /v1/solve -d '{"fen":"8/8/p3k3/1p6/1P6/P3K3/8/8 w"}'; code off; has 'serve --solve'
get 200 'told beforehand' /v1/tables; json 'd["solve_seconds"] is None'
finish 0 'SIGTERM, no lists'

# ---- Solving ------------------------------------------------------------------------------------

# A position without a table is solved in the background, with the result of the command.
start --tables "$TABLES" --quiet --solve 256MiB --solve-time 120
solve() { curl -s "$U/v1/solve" -d "{\"fen\":\"$1\"}" -o body -w '%{http_code}'; }
get 200 'it is offered' /v1/tables; json 'd["solve_seconds"] == 120'
PAWNS='8/8/p3k3/1p6/1P6/P3K3/8/8'
check 'solve' '[ "$(solve "$PAWNS w - - 3 40")" = 200 ]'; json 'd["job"] == "/v1/jobs/solve-8.8.p3k3.1p6.1P6.P3K3.8.8_w_-_-"'
made solve-8.8.p3k3.1p6.1P6.P3K3.8.8_w_-_-
"$T" solve -q -t "$TABLES" --json "$PAWNS w" >printed
json '{k: d["result"][k] for k in ("verdict", "moves", "fen")} == {k: json.load(open("printed"))[k] for k in ("verdict", "moves", "fen")}'
json 'd["result"]["probe"]["verdict"] == "draw" and d["result"]["probe"]["solved"]["stopped"] is False and d["result"]["seconds"] >= 0'
json '[m["verdict"] for m in d["result"]["probe"]["moves"]] == [{"draw": "draw", "black": "loss"}[m["verdict"]] for m in d["result"]["moves"]]'
check 'solve, the clock does not matter' '[ "$(solve "$PAWNS w")" = 200 ]'; json 'd["state"] == "done"'
check 'solve, won' '[ "$(solve "8/5K2/8/2p5/2P5/k7/6P1/8 w")" = 200 ]'
made solve-8.5K2.8.2p5.2P5.k7.6P1.8_w_-_-
json 'd["result"]["verdict"] == "white" and d["result"]["line"][0] == d["result"]["moves"][0]["san"] and d["result"]["probe"]["moves"][0]["verdict"] == "win"'
for body in '' '{' '[]' '{"fen":5}' "{\"fen\":\"$PAWNS w\",\"seconds\":0}" "{\"fen\":\"$PAWNS w\",\"seconds\":\"x\"}"; do
    get 400 "solve, $body" /v1/solve -d "$body"; code bad_request
done
get 400 'solve, no position' /v1/solve -d '{"fen":"what"}'; code bad_fen
get 400 'solve, too many pieces' /v1/solve -d '{"fen":"8/8/p3k3/1p6/1P6/PNN1K3/8/8 w"}'; code bad_position
get 405 'solve, GET' /v1/solve; code method
# A long job ends when its time is up, when it is cancelled, or with the server.
LONG='8/p1p2p2/1p4k1/8/6P1/P1P2P2/1K6/8 w'
get 200 'solve, a second' /v1/solve -d "{\"fen\":\"$LONG\",\"seconds\":1}"
made 'solve-8.p1p2p2.1p4k1.8.6P1.P1P2P2.1K6.8_w_-_-'; json 'd["result"]["stopped"] == (d["result"]["verdict"] == "open")'
LONG='8/p1p2p2/1p4k1/8/6P1/P1P2P2/1K6/8 b'
check 'solve, long' '[ "$(solve "$LONG")" = 200 ]'
get 200 'solve, cancelled' '/v1/jobs/solve-8.p1p2p2.1p4k1.8.6P1.P1P2P2.1K6.8_b_-_-' -X DELETE; json 'd["state"] in ("cancelled", "done")'
check 'solve, another' '[ "$(solve "8/p1p2p2/1p4k1/8/6P1/P1P2P2/K7/8 b")" = 200 ]'
began=$SECONDS
finish 0 'SIGTERM while a position is solved'
check 'at once' '[ $((SECONDS - began)) -le 2 ]'

mkdir broken; cp "$TABLES"/KBNvK.* "$TABLES"/K?vK.* broken
size=$(stat -c %s broken/KBNvK.wdl.treb); printf '\377\000\377\125' | dd of=broken/KBNvK.wdl.treb bs=1 seek=$((size / 2)) conv=notrunc 2>/dev/null
start --tables broken --quiet
get 200 'of a damaged file' /v1/find -d '{"material":"KBNvK","kind":"zugzwang"}'; made zugzwang-KBNvK
json 'd["state"] == "failed" and d["error"]["code"] == "damaged" and "KBNvK.wdl.treb" in d["error"]["message"] and d["result"] is None'
header 'cache-control: no-store'
finish 0 'SIGTERM, a damaged list'

# ---- No tables --------------------------------------------------------------------------------------

mkdir empty; cd empty || exit 2
start --log access
get 503 'no tables at all' /healthz; json 'd == {"status": "no_tables", "tables": 0}'; header 'retry-after: '
# The warning comes after the address.
appears 'kill -HUP' log
check 'a warning, with what to do' 'grep -q "no tables in tables" log && grep -q "trebuchet gen --men 4" log && grep -q "kill -HUP $SERVER" log'
get 200 'the page all the same' /; get 200 'no tables in the list' /v1/tables; json 'd["tables"] == [] and d["ranks"] == []'
mkdir tables; cp "$TABLES"/KPvK.* tables; kill -HUP $SERVER
appears 'tables reloaded' access
get 200 'ready now' /healthz; json 'd == {"status": "ok", "tables": 4}'
rm tables/*; kill -HUP $SERVER
appears '"warning".*tables reloaded: 0 files' access
get 503 'none any more' /healthz
# A pawn file counts as a table.
check 'a solved pawn ending' '"$T" solve -q -p 1 -t tables --write tables "8/8/8/3pK3/2kP4/8/8/8 w" >solved'
kill -HUP $SERVER
for _ in $(seq 50); do curl -s "$U/healthz" | grep -q '"ok"' && break; sleep 0.05; done
get 200 'in the list' /v1/tables; json 'd["tables"] == [] and d["solved"] == ["d4-d5.solved.treb"]'
get 200 'a position of it' '/v1/probe?fen=8/8/8/3pK3/2kP4/8/8/8_w'; json 'd["verdict"] == "loss"'
finish 0 'SIGTERM without tables'
start --quiet --allow-empty; get 200 'none, which is allowed' /healthz; json 'd == {"status": "ok", "tables": 0}'
check 'no warning' '[ ! -s log ]'
finish 0 'SIGTERM, allowed to be empty'
cd .. || exit 2

# ---- The log, renamed and opened again -------------------------------------------------------

mkdir logs
start --tables tables --log logs/access
get 200 'before' /healthz
mv logs/access logs/access.1
# A response is logged when it has been sent, possibly after the client has received it.
get 200 'into the old file' '/healthz?old'
appears 'healthz?old' logs/access.1
kill -HUP $SERVER
appears 'tables reloaded' logs/access
get 200 'into the new one' '/healthz?new'
appears 'healthz?new' logs/access
check 'the old one has what was before' 'grep -q "healthz?old" logs/access.1 && ! grep -q "?new" logs/access.1'
check 'the new one has the rest' 'grep -q "healthz?new" logs/access && ! grep -q "?old" logs/access'
mv logs gone; kill -HUP $SERVER; appears 'cannot write the log' log
get 200 'where it cannot be opened' '/healthz?still'
appears '?still' gone/access
check 'the old one is written on' 'grep -q "logs/access" log && grep -q "?still" gone/access'
finish 0 'SIGTERM with a log that is gone'

# ---- Proxies ------------------------------------------------------------------------------------

# asked_by NAME CLIENT HEADER...: checks that the log names this client.
number=0
asked_by() {
    local name=$1 client=$2 options=()
    shift 2
    for h in "$@"; do options+=(-H "$h"); done
    number=$((number + 1))
    get 200 "$name" "/healthz?$number" "${options[@]}"
    appears "healthz?$number\"" log
    check "$name: $client" 'grep "healthz?$number\"" log | grep -qF "\"client\":\"$client\""'
}
MISSING="/v1/probe?fen=$FIVE"
advised() { get 200 "$1" "$MISSING" "${@:3}"; json "(d['advice'] is not None) == $2"; }
start --tables tables
asked_by 'no proxy is trusted' 127.0.0.1 'X-Forwarded-For: 203.0.113.9'
asked_by 'nor by the other header' 127.0.0.1 'Forwarded: for=203.0.113.9'
advised 'this machine' True; advised 'a proxy on this machine' False -H 'X-Forwarded-For: 127.0.0.1'
finish 0 'SIGTERM, no proxies'
start --tables tables --trust-proxy 127.0.0.0/8 --trust-proxy ::1 --trust-proxy 10.0.0.0/8
asked_by 'nothing said' 127.0.0.1
asked_by 'a client' 203.0.113.9 'X-Forwarded-For: 203.0.113.9'
asked_by 'what the client wrote itself' 203.0.113.9 'X-Forwarded-For: 127.0.0.1, 203.0.113.9, 10.0.0.2'
asked_by 'in lines of their own' 203.0.113.9 'X-Forwarded-For: 127.0.0.1' 'X-Forwarded-For: 203.0.113.9'
asked_by 'Forwarded' 2001:db8::7 'Forwarded: for=127.0.0.1, for="[2001:db8::7]:4711";proto=https'
asked_by 'both, in agreement' 203.0.113.9 'Forwarded: for=203.0.113.9' 'X-Forwarded-For: 203.0.113.9'
asked_by 'both, one of them forged' 127.0.0.1 'Forwarded: for=127.0.0.1' 'X-Forwarded-For: 203.0.113.9'
asked_by 'nonsense' 127.0.0.1 'X-Forwarded-For: <script>"'
asked_by 'many' 127.0.0.1 "X-Forwarded-For: $(printf '127.0.0.1,%.0s' $(seq 500))127.0.0.1"
advised 'this machine by itself' True; advised 'this machine by its proxy' True -H 'X-Forwarded-For: 127.0.0.1'
advised 'another machine' False -H 'X-Forwarded-For: 203.0.113.9'; advised 'one that says it is here' False -H 'Forwarded: for=127.0.0.1' -H 'X-Forwarded-For: 203.0.113.9'
advised 'a proxy that does not say' False -H 'X-Real-IP: 127.0.0.1'; advised 'nonsense' False -H 'X-Forwarded-For: x'
finish 0 'SIGTERM, proxies'

# ---- A Unix socket, and a passed socket --- ------------------------------------------------------

unix_get() { get "$1" "$2" "$3" --unix-socket "$SOCKET" "${@:4}"; }
SOCKET=$DIR/s.sock
launch "$T" serve --tables tables --trust-proxy unix --listen "unix:$SOCKET"; check 'its address' '[ "$U" = "unix:$SOCKET" ]'; U=http://x
unix_get 200 'a Unix socket' "/standard?fen=$UNDER"; check 'the same' 'cmp -s body first'
check 'its permissions' '[ "$(stat -c %a "$SOCKET")" = 666 ]'
unix_get 200 'who asks' '/healthz?1' -H 'X-Forwarded-For: 203.0.113.9'; unix_get 200 'nobody says who asks' '/healthz?2'; sleep 0.3
check 'the log has both' 'grep "?1\"" log | grep -qF "\"client\":\"203.0.113.9\"" && grep "?2\"" log | grep -qF "\"client\":\"unix\""'
"$T" serve --tables tables --listen "unix:$SOCKET" >out 2>&1 </dev/null
check 'another listens there' '[ $? -eq 1 ] && grep -q "another program listens" out'
unix_get 200 'which goes on' /healthz
kill -KILL $SERVER; wait $SERVER 2>/dev/null
check 'what a killed server leaves' '[ -S "$SOCKET" ]'
launch "$T" serve --tables tables --quiet --listen "unix:$SOCKET" --socket-mode 600; U=http://x
unix_get 200 'is replaced' /healthz; check 'the permissions asked for' '[ "$(stat -c %a "$SOCKET")" = 600 ]'
rm "$SOCKET"; echo precious >"$SOCKET"
finish 0 'SIGTERM, with another file in the place of the socket'
check 'which stays' 'grep -q precious "$SOCKET"'
"$T" serve --tables tables --listen "unix:$SOCKET" >out 2>&1 </dev/null
check 'no socket' '[ $? -eq 1 ] && grep -q "is not a socket" out && grep -q precious "$SOCKET"'
rm "$SOCKET"; launch "$T" serve --tables tables --quiet --listen "unix:$SOCKET"; finish 0 'SIGTERM'
check 'removed at the end' '[ ! -e "$SOCKET" ]'
"$T" serve --tables tables --listen "unix:nowhere/s" >out 2>&1 </dev/null
check 'no such folder' '[ $? -eq 1 ] && grep -q "nowhere/s" out'
"$T" serve --tables tables --listen "unix:$(long 200)" >out 2>&1 </dev/null
check 'a name too long' '[ $? -eq 1 ] && grep -q "not 200" out'
timeout 60 python3 "$TESTS/server_service.py" "$T" tables >out 2>&1
check 'as a service: a socket that is passed, messages, restarts that nobody notices' '[ $? -eq 0 ] || { cat out; false; }'

# ---- Limits that can be set ---------------------------------------------------------------------

start --tables tables --quiet --headers 4KiB --body 1KiB --per-client 3 --queue 2 --queue-per-client 1 --unsent 1MiB --send-timeout 5
get 431 'smaller headers' /healthz -H "X-Long: $(long 5000)"
get 200 'within them' /healthz -H "X-Long: $(long 1000)"
get 413 'a smaller body' /v1/batch -d "$(long 1500)"; code too_large
get 200 'work' "/standard?fen=$UNDER"
python3 - "$U" >out 2>&1 <<'END'
import re, socket, sys, time
from urllib.parse import urlsplit
where = urlsplit(sys.argv[1])
def connect():
    return socket.create_connection((where.hostname, where.port), timeout=5)
def ask(s, path):
    try:
        s.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        head, _, body = s.recv(1 << 20).partition(b"\r\n\r\n")
        size = re.search(rb"(?i)content-length: (\d+)", head)
        while size and len(body) < int(size[1]):
            body += s.recv(1 << 20)
        return body.decode() if head.startswith(b"HTTP/1.1 200") else None
    except ConnectionError:
        return None
def metric(text, name):
    return int(re.search(rf"^{name} (\d+)", text, re.M)[1])
# Earlier connections may still count for a moment, so wait until there is only one.
for _ in range(100):
    first = connect()
    text = ask(first, "/metrics")
    while text and metric(text, "trebuchet_http_connections") > 1:
        time.sleep(0.05)
        text = ask(first, "/metrics")
    if text:
        break
before = metric(text, "trebuchet_http_refused_total")
# Each sends a request before the next one connects, as several threads accept connections in any order.
many, answered = [first], [ask(first, "/healthz") is not None]
for _ in range(3):
    many.append(connect())
    answered.append(ask(many[-1], "/healthz") is not None)
assert answered == [True, True, True, False], answered
time.sleep(0.3)
print(metric(ask(first, "/metrics"), "trebuchet_http_refused_total") - before)
END
check 'three connections, the fourth is closed' '[ $? -eq 0 ] || { cat out; false; }'
check 'which is counted' '[ "$(cat out)" = 1 ]'
finish 0 'SIGTERM with limits'

# ---- Many at once, and hostile ones -------------------------------------------------------------

for many in 128 256; do
    start --tables tables --quiet --threads 1 --connections $many --per-client $many
    timeout 60 python3 "$TESTS/server_together.py" "$U" $SERVER $many >out 2>&1
    check "$many clients ask at once" '[ $? -eq 0 ] || { cat out; false; }'
    finish 0 "SIGTERM with $many connections open"
done
start --tables "$TABLES" --quiet --timeout 2 --connections 64 --per-client 48 --log access
get 200 'a large answer, kept plain' /v1/tables; cp body plain
get 200 'with gzip accepted' /v1/tables -H 'Accept-Encoding: gzip'; header 'content-encoding: gzip'
check 'unpacks to the same' '[ $(wc -c <plain) -gt 32768 ] && gzip -dc body | cmp -s - plain'
get 200 'and again' /v1/tables -H 'Accept-Encoding: gzip'; header 'content-encoding: gzip'
timeout 60 python3 "$TESTS/server_load.py" "$U" >out 2>&1
check 'load and hostile clients' '[ $? -eq 0 ] || { cat out; false; }'
check 'their time was up' '[ "$(metric trebuchet_http_expired_total)" -ge 1 ]'
finish 0 'SIGINT'
# The requests of one client delay neither the answers to another nor the end.
start --tables "$TABLES" --quiet --answers 0
timeout 120 python3 "$TESTS/server_hostile.py" "$U" $SERVER >out 2>&1
check 'a hostile client stalls nobody, and SIGTERM ends all' '[ $? -eq 0 ] || { cat out; false; }'
grep -E '^(alone|beside|ended)' out
stop
# A limit of one second, with work for more: requests that do not fit are refused with the reason.
start --tables "$TABLES" --quiet --answers 0 --cache 0 --limit 1
python3 -c "import json; print(json.dumps({'fens': ['8/8/8/4k3/8/8/3BN3/4K3 w - - %d 60' % i for i in range(60)] * 16}))" >fens
for i in $(seq 20); do curl -s --globoff -o "late$i" -w '%{http_code}\n' -d @fens "$U/v1/batch" >>late-codes & late="${late-} $!"; done
# shellcheck disable=SC2086
wait $late
check 'time is up' 'grep -qx 503 late-codes && ! grep -qvE "^(200|503)$" late-codes && grep -q "\"time_up\"" late*'
finish 0 'SIGTERM after all that'

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
