#!/bin/bash
# test_words.sh TREBUCHET TABLES - what the command understands and what it says: help, mistyped words,
# materials as people write them, errors as text and as JSON, disk and folders. TABLES has all tables
# of 3 and 4 men; it is only read. Ends with "N passed, M failed".
set -u

. "$(dirname "$0")/checks.sh"

ALL='gen plan export probe line find rule play shift near solve blocked stats info verify compare bench serve engine'
WITH_JSON='gen plan export probe line find rule play shift near solve blocked stats info verify compare bench'

# ---- help, version, mistyped words ---------------------------------------------------------------

"$T" --help >general
for c in $ALL; do
    "$T" $c --help >own
    run 0 "help $c" "$T" help $c
    check "help $c is $c --help" '[ -s own ] && cmp -s own out && [ ! -s err ]'
    check "help lists $c" "grep -qE '^  $c ' general"
done
for c in help -h 'help help' 'help --help' 'help version'; do
    run 0 "$c" "$T" $c
    check "$c is --help" 'cmp -s general out && [ ! -s err ]'
done
for c in version --version -V; do run 0 "$c" "$T" $c; has '^trebuchet [0-9]+\.[0-9]+'; done
run 2 'a mistyped command' "$T" porbe; says "^trebuchet: there is no command 'porbe'; did you mean 'probe'\?$"; silent
run 2 'help of a mistyped command' "$T" help verfiy; says "did you mean 'verify'"; silent
run 2 'a longer word' "$T" generate KQvK; says "did you mean 'gen'"
run 2 'a position for a command' "$T" '8/8/8/8/8/2k5/1q6/K7 w - - 0 1'; says "did you mean 'probe'"
run 2 'far from all' "$T" frobnicate; says "there is no command 'frobnicate'$"; lacks 'did you mean'
run 2 'a mistyped option' "$T" probe --tabels x; says "^trebuchet probe: there is no option '--tabels'; did you mean '--tables'\?$"
run 2 'a mistyped option with a value' "$T" verify --treads=2; says "did you mean '--threads'"
run 2 'an option far from all' "$T" gen --frobnicate; says "there is no option '--frobnicate'$"
run 2 'short for two' "$T" gen --me 3; says "^trebuchet gen: '--me' is short for more than one option"
for before in '' --quiet --json; do
    run 2 "a wrong letter among others, after '$before'" "$T" gen $before -zq; says "^trebuchet gen: there is no option '-z'$"
    run 2 "a wrong letter at the end, after '$before'" "$T" gen $before -qz; says "^trebuchet gen: there is no option '-z'$"
done
run 2 'no value taken' "$T" gen --quiet=x; says "^trebuchet gen: '--quiet=x': this option takes no value$"

# ---- errors: one prefix, and JSON under --json ---------------------------------------------------

# is_error COMMAND CODE: the first line on stderr has the prefix; stdout is one object with the message.
is_error() {
    local line
    has "^\\{\"error\":\\{\"code\":\"$2\",\"message\":\"[^\"]{6,}\"\\}\\}\$"
    line="trebuchet $1: $(sed 's/.*"message":"\([^"]*\)".*/\1/' out)"
    check "$what: the same on standard error" '[ "$(wc -l <out)" -eq 1 ] && [ "$(head -1 err)" = "$line" ]'
}
for c in $WITH_JSON; do
    run 2 "$c --json, a wrong option" "$T" $c --no-such-option --json; is_error $c bad_request
    run 2 "$c --json shortened, a wrong option" "$T" $c --js -%; is_error $c bad_request
    run 2 "$c --json, --help with a value" "$T" $c --json --help=x; is_error $c bad_request
    case $c in
    gen | plan | export) run 2 "$c --json, a value is missing" "$T" $c --json --men ;;
    compare) run 2 "$c --json, a value is missing" "$T" $c --json --show ;;
    *) run 2 "$c --json, a value is missing" "$T" $c --json --tables ;;
    esac
    is_error $c bad_request
    case $c in
    verify | bench) run 1 "$c --json, no folder" "$T" $c --json -t nowhere; is_error $c io ;;
    probe | line | blocked) run 2 "$c --json, no FEN" "$T" $c --json x; is_error $c bad_fen ;;
    *) run 2 "$c --json, no argument" "$T" $c --json; is_error $c bad_request ;;
    esac
done
for c in gen plan export stats find compare verify bench; do
    case $c in export) before='--syzygy x' ;; compare) before="$TABLES $TABLES" ;; verify | bench | stats) before="-t $TABLES" ;; *) before= ;; esac
    run 2 "$c --json KXvK" "$T" $c --json $before KXvK; is_error $c bad_request
    has 'no ending called'
done
run 2 'a mistyped command, --json' "$T" porbe --json
json "d['error']['code'] == 'bad_request' and \"did you mean 'probe'\" in d['error']['message']"
run 2 'a picture and JSON on standard output' "$T" blocked --json --svg - '8/8/8/3pK3/2kP4/8/8/8 w - - 0 1'; is_error blocked bad_request
run 2 'serve, a wrong option' "$T" serve --no-such-option; says '^trebuchet serve: .*no-such-option'
run 2 'engine, a wrong option' "$T" engine --no-such-option; says '^trebuchet engine: .*no-such-option'

# ---- words of another kind -----------------------------------------------------------------------

# An ending, or what is meant as one, in the place of a position.
for c in probe line near shift solve blocked "play $TOP/strategies/king-and-rook.lua"; do
    run 2 "$c KRvK" "$T" $c KRvK; silent
    says "^trebuchet ${c%% *}: 'KRvK' is an ending, not a position: 'trebuchet stats KRvK' counts it, 'trebuchet find KRvK' lists its positions$"
done
run 2 'probe krpkr' "$T" probe krpkr; says "^trebuchet probe: 'krpkr' is an ending, .*'trebuchet find KRPvKR' lists"; says "^A FEN looks like '8/"
run 2 'probe KR v K' "$T" probe KR v K; says "'KR v K' is an ending, .*'trebuchet stats KRvK' counts"
run 2 'probe KRvK --json' "$T" probe --json KRvK; is_error probe bad_fen
run 2 'probe KRPvKRPX' "$T" probe KRPvKRPX; says "^trebuchet probe: not a FEN, and no ending called 'KRPvKRPX': write it like KRPvKR$"; silent
run 2 'probe, a word' "$T" probe foo; says "^trebuchet probe: not a FEN, nor a file here: 'foo'$"; silent
run 2 'line, a word' "$T" line foo; says "^trebuchet line: not a FEN, as it has no board: 'foo'$"; silent
run 2 'probe, words' "$T" probe foo bar; says "not a FEN: the board has fewer than 8 ranks: 'foo bar'$"
# Materials of find, of which the last may be a condition.
for m in KRPvKRPX 'KRvKR KRPvKRPX'; do
    run 2 "find $m" "$T" find -t "$TABLES" $m; says "^trebuchet find: no ending called 'KRPvKRPX': write it like KRPvKR"; silent
done
run 0 'find krk' "$T" find -t "$TABLES" --count krk KR-K; has '^KRvK +50,015 of'; check 'once' '[ "$(wc -l <out)" -eq 1 ]'
for condition in 'foo == 1' 'verdict =' 'verdict + 1'; do
    run 2 "find, $condition" "$T" find -t "$TABLES" KRvK "$condition"; silent
    says '^trebuchet find: condition:1: '; says '^A condition asks for turn, verdict, dtm, wk and others; equal is ==\.$'; says "^Try 'trebuchet find --help'"
done
# Rules that look for men that are not there, and scripts that are not.
for r in square philidor; do
    run 2 "rule $r KRvK" "$T" rule -t "$TABLES" "$TOP/rules/$r.lua" KRvK; silent
    says '^trebuchet rule: .*\.lua:[0-9]+: .* \(in the position [KRk1-8/]+ [wb] - - 0 1 of KRvK: is the rule for another ending\?\)$'
done
run 2 'rule square, a position' "$T" rule -t "$TABLES" "$TOP/rules/square.lua" '8/8/8/8/8/2k5/1q6/K7 w'; says '\(in the position k7/1Q6/2K5/8/8/8/8/8 b - - 0 1 of KQvK: '
mkdir -p beside/bin && cp "$T" beside/bin/trebuchet
for c in 'rule:rules:KRvK' 'play:strategies:'; do
    IFS=: read -r command folder material <<<"$c"
    run 2 "$command nosuch.lua" "$T" $command -t "$TABLES" nosuch.lua $material; says "^trebuchet $command: cannot open nosuch.lua: "; silent
    says '^(Those that|Some) come with Trebuchet'
    run 2 "$command nosuch.lua, unknown" beside/bin/trebuchet $command -t "$TABLES" nosuch.lua $material
    says "^Some come with Trebuchet: in $folder/ of its sources, share/trebuchet/$folder where installed\.$"
    mkdir -p "beside/share/trebuchet/$folder"
    run 2 "$command nosuch.lua, installed" beside/bin/trebuchet $command -t "$TABLES" nosuch.lua $material
    says "^Those that come with Trebuchet are in $DIR/beside/share/trebuchet/$folder\.$"
done

# ---- materials -----------------------------------------------------------------------------------

for m in KQvKR KQKR kqkr KR-KQ qk_kr 'KQ v KR' 'KQ v. KR' 'rk vs. qk' 'KQ KR'; do
    run 0 "stats $m" "$T" stats -n -t "$TABLES" "$m"; has '^KQvKR'
    run 0 "stats --json $m" "$T" stats --json -n -t "$TABLES" "$m"; has '"material":"KQvKR"'
    run 0 "info $m" "$T" info -t "$TABLES" "$m"; has '^KQvKR, 4 men$'
    run 0 "gen -e $m" "$T" gen -e --json -t none "$m"; has '\{"material":"KQvKR",[^}]*\}\],"total"'
done
run 0 'export -e kqkr' "$T" export -e --json -s none kqkr; has '\{"material":"KQvKR",[^}]*\}\],"total"'
run 0 'verify kqk krk' "$T" verify -t "$TABLES" kqk 'RK - K'; has '^KQvK +right'; has '^KRvK +right'
run 0 'verify --checksum kpk' "$T" verify -c -t "$TABLES" kpk; has 'KPvK.wdl.treb right'
run 0 'compare kpk' "$T" compare -m wdl "$TABLES" "$TABLES" kpk KvKP; has '^KPvK +wdl'; has '^1 material, '
run 0 'bench kqkr' "$T" bench --json -d 0.01 -p 50 -t "$TABLES" kqkr; json 'd["probes"][0]["material"] == "KQvKR"'
run 2 'no second king' "$T" stats KRP; says "no ending called 'KRP': write it like KRPvKR, with one king on each side"

# ---- info of a material --------------------------------------------------------------------------

"$T" export -q --syzygy sy KRvK
run 0 'info MATERIAL' "$T" info -t "$TABLES" -t sy KvKR
has '^KRvK, 3 men$'; has "^  $TABLES$"; has '^  sy$'; has '^    KRvK.wdl.treb +[0-9.]+ k?B  WDL, both sides to move$'
has '^    KRvK.dtz.treb .* DTZ, (White|Black) to move$'; has '^    KRvK.rtbz .* Syzygy.s DTZ, (White|Black) to move; wins'; lacks 'not there'
run 0 'info MATERIAL, some files' "$T" info -t sy krk; has '^  not there: dtc, dtm$'
run 0 'info MATERIAL --json' "$T" info --json -t "$TABLES" -t sy KRK
json '[(f["metric"], f.get("format")) for f in d["files"]] == [("wdl", None), ("dtz", None), ("dtc", None), ("dtm", None), ("wdl", "syzygy"), ("dtz", "syzygy")]'
json 'd["material"] == "KRvK" and d["men"] == 3 and d["bytes"] == sum(f["bytes"] for f in d["files"]) > 1000'
run 0 'info MATERIAL --tsv' "$T" info --tsv -t "$TABLES" KRK; check 'a head and four rows' '[ "$(wc -l <out)" -eq 5 ]'; has '^KRvK	dtm	'
run 3 'info MATERIAL, none' "$T" info -t sy KQRvK; says 'KQRvK.wdl.treb is not installed'; says "'trebuchet gen|cannot be made"; silent
run 3 'info MATERIAL, none, --json' "$T" info --json -t sy KQRvK; json 'd["error"]["code"] == "no_table"'
run 3 'info, neither file nor material' "$T" info -t sy KXvK; says "no file 'KXvK'.*no ending called"
run 3 'info, a file that is not there' "$T" info -t sy KXvK.dtz; says "no file 'KXvK.dtz'"; lacks 'no ending called'
mkdir torn && cp "$TABLES"/KRvK.* torn && chmod u+w torn/* && head -c 100 "$TABLES/KRvK.dtc.treb" >torn/KRvK.dtc.treb
run 1 'info MATERIAL, one is torn' "$T" info -t torn KRvK; has 'KRvK.dtc.treb +100 B  cannot be read: '; has 'KRvK.dtm.treb .* DTM'
run 1 'info MATERIAL --json, one is torn' "$T" info --json -t torn KRvK; json 'd["files"][2]["error"]["code"] == "damaged"'

# ---- no tables -----------------------------------------------------------------------------------

# In all that list what there is: the same advice.
mkdir empty
for c in 'info empty' 'verify -t empty' 'bench -t empty' 'info --json empty' 'verify --json -t empty' 'bench --json -t empty'; do
    run 3 "$c, without tables" "$T" $c; says "^trebuchet ${c%% *}: there are no tables$"; says '^Looked in: empty$'
    says "^('trebuchet gen --tables empty --men 4' makes all|Tables cannot be made here: )"; says '^--tables DIR looks in another folder\.$'
    case $c in *--json*) json 'd["error"]["code"] == "no_table" and d["error"]["advice"] in open("err").read()' ;; *) silent ;; esac
done
run 3 'info, of what comes after it' "$T" info -t sy empty KQRvK; says 'gen --tables empty --men'; says "('trebuchet gen --tables sy KQRvK'|^KQRvK cannot be made)"
run 3 'compare, A has none' "$T" compare empty "$TABLES"; says '^trebuchet compare: there is nothing to compare: empty has no tables$'; silent
run 3 'compare, B has none' "$T" compare "$TABLES" empty; says 'nothing to compare: empty has no tables$'; silent
mkdir queen && cp "$TABLES"/KQvK.* queen
run 3 'compare, none in common' "$T" compare queen sy; says 'nothing to compare: A and B have no table in common$'; silent
for c in '' -c --json; do
    run 3 "verify $c, no table" "$T" verify $c -t sy KQRvK; has 'KQRvK.*(not checked|"checked":false|"not_checked":1)'
    says '^Looked in: sy$'; says "^('trebuchet gen --tables sy KQRvK' makes it: |KQRvK cannot be made here: )"; says '^--tables DIR looks in another folder\.$'
done
for c in 'probe 8/8/8/8/8/2k5/1q6/K7_w' 'stats KRvK' 'verify KRvK' 'serve --port 0'; do
    run 1 "$c, no such folder" "$T" ${c%% *} -t nosuch ${c#* }
    says "^trebuchet ${c%% *}: nosuch: cannot open: No such file or directory$"
    says "^--tables DIR names folders with tables; 'trebuchet gen --help' tells how to make some\.$"; silent
done
run 1 'compare, no such folder' "$T" compare nosuch sy; says '^trebuchet compare: nosuch: cannot open: No such file'; silent
says "^A and B are folders with tables; 'trebuchet gen --help' tells how to make some\.$"
run 1 'serve, another failure' "$T" serve -t sy --listen unix:nosuch/s; lacks 'names folders'

# ---- disk and folders ----------------------------------------------------------------------------

# What all 145 tables take, by the list that is kept of them.
run 0 'gen --estimate, all tables' "$T" gen -e --json --men 5 -t none
# Rows of up to five men.
rows="[r for r in map(str.split, open('$TOP/tables/manifest.tsv')) if r[0] != 'material' and len(r[0]) <= 6]"
json "0.9 < d['total']['result_bytes'] / sum(int(r[2]) for r in $rows) < 1.1"
json 'd["total"]["scratch_bytes"] > sum(t["scratch_bytes"] for t in d["tables"]) > d["total"]["result_bytes"]'
for m in wdl dtz dtc dtm; do
    run 0 "gen --estimate, $m" "$T" gen -e --json -m $m --men 5 -t none
    json "0.9 < d['total']['result_bytes'] / sum(int(r[2]) for r in $rows if r[1] in ('wdl', '$m')) < 1.1"
done
run 0 'export --estimate' "$T" export -e --men 5 -s none; has '^disk +about [0-9.]+ [MG]B, and [0-9.]+ [MG]B of scratch files while it runs$'
# No disk has the room for 8 men. Memory for it is given, so that memory is not what it is refused for.
run 0 'gen --estimate, no room' "$T" gen -e -M 1000000T -t none KQRBvKQRN
roomy=no
grep -q ' of disk (' out || roomy=yes # a machine with terabytes to spare
[ $roomy = yes ] || has '^here +not possible now: it takes about [0-9.]+ TB of disk \([0-9.]+ TB, and [0-9.]+ [GT]B while it runs\), and [0-9.]+ [kMGT]?B are free in none$'
if [ $roomy = no ]; then
    run 1 'gen, no room' "$T" gen -M 1000000T -t none KQRBvKQRN
    says '^trebuchet gen: this takes about .* of disk .* free in none: name another folder, .*--metric, .*--force'; silent
    run 1 'gen --json, no room' "$T" gen --json -M 1000000T -t none KQRBvKQRN; is_error gen failed
    run 1 'export, no room' "$T" export -M 1000000T -s none KQRBvKQRN; says '^trebuchet export: this takes about .* of disk'; lacks '--metric'
    check 'nothing was made' '[ ! -e none ]'
fi
run 0 'gen --force' "$T" gen -q --force -t forced KQvK; silent

for d in new new/ new// "$DIR/new/"; do
    run 0 "gen -e, the folder $d can be made" "$T" gen -e -t "$d" KQvK; has '^here +possible: '
done
check 'nothing was made' '[ ! -e new ]'
# What an earlier run left of scratch files is there already.
run 0 'gen --keep-scratch' "$T" gen -q --keep-scratch -m wdl -t kept KPvK
rm kept/KPvK.wdl.treb
run 0 'gen -e, taken up again' "$T" gen -e --json -m wdl -t kept KPvK
json 'len(d["tables"]) > 4 and d["total"]["result_bytes"] > 0 and sum(t["scratch_bytes"] for t in d["tables"]) == 0'
rm -r kept/.scratch
run 0 'gen -e, solved again' "$T" gen -e --json -m wdl -t kept KPvK; json 'sum(t["scratch_bytes"] for t in d["tables"]) > 0'

# ---- one table of a list, and plans --------------------------------------------------------------

run 0 'gen --only' "$T" gen --only KPvK -m wdl -t only; has '^KPvK +331,352 positions'; has '^1 table, '
check 'and nothing else' '[ "$(ls -A only)" = KPvK.wdl.treb ]'
run 0 'gen --only, again' "$T" gen --only KPvK -m wdl -t only; has '^KPvK is in only already$'
run 0 'gen --only, of a list' "$T" gen -q KQvKR KNvK --only kqk -m wdl -t only; silent
check 'what others will want is left' '[ -e only/KQvK.wdl.treb ] && [ ! -e only/KRvK.wdl.treb ] && [ -e only/.scratch/KQvK.wdl.solved ]'
run 1 'gen --only, of another list' "$T" gen --men 3 --only KQvKR -m wdl -t only
says '^trebuchet gen: --only KQvKR: that is none of the tables named, and they do not need it$'; silent
run 2 'gen --only nothing' "$T" gen --only KXvK; says 'no ending called'
run 0 'plan' "$T" plan --men 4 -t none
has '^table +round +positions +memory +fast from +files +scratch +time$'; has '^KQvK +1 +59,136 '; has '^KPvKP +4 '
has '^35 jobs in 4 rounds: '; lacks 'KvK '
run 0 'plan, of what is there' "$T" plan --men 4 -t "$TABLES"; has "^nothing to do: all these tables are in $TABLES already$"
run 0 'plan --json' "$T" plan --json --men 4 -m wdl -t "o'ne \$ two"
json "len(d['jobs']) == 35 and d['rounds'] == 4 and d['directory'].endswith(\"/o'ne \$ two\")"
json "all(j['round'] > max([0] + [k['round'] for k in d['jobs'] if k['material'] in j['after']]) for j in d['jobs'])"
json "[j for j in d['jobs'] if j['material'] == 'KRvKP'][0]['after'] == ['KQvK', 'KRvK', 'KBvK', 'KNvK', 'KPvK', 'KQvKR', 'KRvKR', 'KRvKB', 'KRvKN']"
json "all(j['command'][-2:] == ['--only', j['material']] and j['command'][4:8] == ['--men', '4', '--metric', 'wdl'] for j in d['jobs'])"
run 0 'plan --to json' "$T" plan --to json KQvK; json "len(d['jobs']) == 1"
run 1 'plan, too little memory' "$T" plan -M 1MiB --men 4 -t none; says '^trebuchet plan: KQvK takes [0-9.]+ MB at least, which is more than --memory says$'; silent
run 2 'plan --to what' "$T" plan --to paper KQvK; says "^trebuchet plan: --to takes text, make, slurm or json, not 'paper'$"
check 'nothing was made' '[ ! -e none ]'
# Carried out by make, several at a time, in a folder whose name needs care.
run 0 'plan --to make' "$T" plan --men 3 --threads 1 -t "o'ne \$ #two" --to make
cp out jobs.mk
run 0 'its jobs' make -s -j3 -f jobs.mk; has '^KPvK$'
check 'all tables, and nothing else' '[ "$(ls -A "o'"'"'ne \$ #two" | wc -l)" -eq 20 ] && for f in "o'"'"'ne \$ #two"/*; do cmp "$f" "$TABLES/${f##*/}" || exit 1; done'
run 0 'its jobs, again' make -s -j3 -f jobs.mk
run 0 'plan --to slurm' "$T" plan --men 4 --threads 3 -t "o'ne" --to slurm
check 'a script' 'sh -n out && cp out jobs.sh'
# With something in the place of Slurm that runs the jobs one after the other.
mkdir bin && cat >bin/sbatch <<'END'
#!/bin/sh
while case $1 in -*) true ;; *) false ;; esac; do
    case $1 in --array=*) array=${1#*=} ;; --mem=*) echo "$1" >>mem ;; --dependency=*) echo "$1" >>dependencies ;; esac
    shift
done
script=$1
shift
for i in $(seq ${array%-*} ${array#*-}); do
    SLURM_ARRAY_TASK_ID=$i SLURM_CPUS_PER_TASK=1 sh "$script" "$@" >>jobs.log 2>&1 || exit 1
done
id=$(($(cat id 2>/dev/null || echo 0) + 1))
echo $id >id
echo $id
END
chmod +x bin/sbatch
run 0 'plan --to slurm, less' "$T" plan --men 3 -t "o'ne" --to slurm
cp out jobs3.sh
run 0 'its arrays' env PATH="$PWD/bin:$PATH" sh jobs3.sh; has '^job 1: 4 of round 1, from KQvK on, with 512M each$'; has '^job 2: 1 of round 2, from KPvK on'
check 'after each other' '[ "$(cat dependencies)" = --dependency=afterok:1 ] && [ "$(sort -u mem)" = --mem=512M ]'
check 'all tables' '[ "$(ls -A "o'"'"'ne" | wc -l)" -eq 20 ]'

# As somebody who may not write: root may write everywhere.
user=
if [ "$(id -u)" -eq 0 ]; then
    user='setpriv --reuid=65534 --regid=65534 --clear-groups'
    chmod 755 "$DIR"
    cp "$T" trebuchet && chmod 755 trebuchet && T=$DIR/trebuchet
    $user "$T" --version >/dev/null 2>&1 || user=none
fi
if [ "$user" = none ]; then
    echo 'SKIPPED: folders that may not be written, as nobody else than root can run the command here'
else
    mkdir locked && chmod 555 locked
    for c in "gen -t locked" "export -s locked"; do
        set -- $c
        run 1 "$1, a folder that may not be written" $user "$T" $c KQvK
        says "^trebuchet $1: cannot write into the folder locked: Permission denied$"; silent
        run 0 "$1 -e, a folder that may not be written" $user "$T" $c -e KQvK
        has '^here +not possible now: it writes into locked: Permission denied$'
    done
    run 1 'gen --json, a folder that may not be written' $user "$T" gen --json -t locked KQvK; is_error gen failed
    run 1 'gen, a folder that may not be made' $user "$T" gen -t locked/new KQvK; says '^trebuchet gen: cannot make the folder locked/new: Permission denied$'
    # What may not be read is not said to be missing.
    mkdir closed && cp "$TABLES"/KRvK.* closed && chmod 700 closed
    [ "$(id -u)" -eq 0 ] || chmod 0 closed
    for c in 'probe -t closed 8/8/8/8/8/2k5/1q6/K7_w' 'serve --port 0 -t closed' 'compare closed closed' 'info closed'; do
        run 1 "$c, which may not be read" $user "$T" $c; says "^trebuchet ${c%% *}: closed: cannot open: Permission denied$"; silent
        says "^Its owner must let you read it: 'ls -ld closed' tells who that is\.$"; lacks 'tells how to make'
    done
    for c in closed/KRvK.dtz.treb closed/x.treb '-t closed KRvK.dtz'; do
        run 1 "info $c, which may not be read" $user "$T" info $c; says '^trebuchet info: closed/[KRvx.dtzreb]+: cannot open: Permission denied$'; silent
        says "'ls -ld closed' tells"; lacks 'no file'
    done
    run 1 'verify, a file that may not be read' $user "$T" verify closed/KRvK.dtz.treb; has '^KRvK +not checked: .*cannot open: Permission denied$'; lacks 'not there'
    chmod 700 closed
    run 1 'blocked --write, a folder that may not be written' $user "$T" blocked --write locked --goal take '8/8/8/3pK3/2kP4/8/8/8 w - - 0 1'
    says '^trebuchet blocked: cannot write into the folder locked: Permission denied$'
fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
