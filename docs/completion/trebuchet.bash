# Bash completion for trebuchet: commands, options, metrics, and the materials installed.

# The folders of tables on the command line, else those of TREBUCHET_PATH, else ./tables.
_trebuchet_dirs() {
    local i found=
    for ((i = 2; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i]} in
        -t | --tables) printf '%s\n' "${COMP_WORDS[i + 1]/#\~/$HOME}" && found=1 ;;
        --tables=*) printf '%s\n' "${COMP_WORDS[i]#--tables=}" && found=1 ;;
        esac
    done
    [[ $found ]] || tr ':' '\n' <<<"${TREBUCHET_PATH:-tables}"
}

# Names of the tables installed, cut at the first dot or, with "file", whole.
_trebuchet_installed() {
    local dir file
    while IFS= read -r dir; do
        for file in "$dir"/*.treb; do
            [[ -e $file ]] || continue
            file=${file##*/}
            [[ $1 == file ]] && printf '%s\n' "$file" || printf '%s\n' "${file%%.*}"
        done
    done < <(_trebuchet_dirs) | sort -u
}

# All materials of 3 and 4 men and those of the book: what gen is mostly asked for.
_trebuchet_materials() {
    local men=(Q R B N P) a b i j
    for ((i = 0; i < 5; i++)); do
        a=${men[i]}
        printf '%s\n' "K${a}vK"
        for ((j = i; j < 5; j++)); do
            b=${men[j]}
            printf '%s\n' "K$a${b}vK" "K${a}vK$b"
        done
    done
    printf '%s\n' KRPvKR KQPvKQ
}

_trebuchet() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} options
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        mapfile -t COMPREPLY < <(compgen -W \
            'gen plan export probe line find rule play shift near solve blocked stats info verify compare bench serve engine help version --help --version' -- "$cur")
        return
    fi
    if [[ ${COMP_WORDS[1]} == help ]]; then
        ((COMP_CWORD > 2)) || mapfile -t COMPREPLY < <(compgen -W \
            'gen plan export probe line find rule play shift near solve blocked stats info verify compare bench serve engine' -- "$cur")
        return
    fi
    case ${COMP_WORDS[1]}:$prev in
    *:-t | *:--tables | export:-s | export:--syzygy)
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -d -- "$cur")
        return ;;
    gen:--only)
        mapfile -t COMPREPLY < <(compgen -W "$(_trebuchet_materials)" -- "$cur")
        return ;;
    plan:--to)
        mapfile -t COMPREPLY < <(compgen -W 'text make slurm json' -- "$cur")
        return ;;
    gen:-m | gen:--metric | plan:-m | plan:--metric)
        mapfile -t COMPREPLY < <(compgen -W 'all wdl wdl,dtz wdl,dtm wdl,dtz,dtc wdl,dtz,dtm' -- "$cur")
        return ;;
    serve:-b | serve:--bind)
        mapfile -t COMPREPLY < <(compgen -W '127.0.0.1 0.0.0.0 :: ::1' -- "$cur")
        return ;;
    serve:--log)
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$cur")
        return ;;
    serve:-p | serve:--port | serve:--connections | serve:--per-client | serve:--timeout | serve:--limit | serve:--lists | serve:--solve | serve:--solve-time | \
        serve:--queue | serve:--queue-per-client | serve:--send-timeout)
        return ;;
    serve:-l | serve:--listen)
        mapfile -t COMPREPLY < <(compgen -W 'unix:/run/trebuchet/trebuchet.sock' -- "$cur")
        return ;;
    serve:--socket-mode)
        mapfile -t COMPREPLY < <(compgen -W '600 660 666' -- "$cur")
        return ;;
    serve:--trust-proxy)
        mapfile -t COMPREPLY < <(compgen -W '127.0.0.1 ::1 10.0.0.0/8 unix' -- "$cur")
        return ;;
    probe:--input)
        mapfile -t COMPREPLY < <(compgen -W 'fen epd pgn' -- "$cur")
        return ;;
    probe:--output)
        mapfile -t COMPREPLY < <(compgen -W 'tsv jsonl pgn' -- "$cur")
        return ;;
    compare:-m | compare:--metric)
        mapfile -t COMPREPLY < <(compgen -W 'wdl dtz dtc dtm wdl,dtz' -- "$cur")
        return ;;
    compare:-n | compare:--show | find:-n | find:--first | find:--sample | find:--seed | find:--time | rule:-n | rule:--show | rule:--time | \
        solve:--time | solve:--save-every | play:-n | play:--show | play:--games | play:--seed | play:--time | \
        near:-n | near:--show | near:--men | near:--moves)
        return ;;
    find:--turn | rule:--turn | near:--turn)
        mapfile -t COMPREPLY < <(compgen -W 'white black' -- "$cur")
        return ;;
    *:-m | *:--metric)
        mapfile -t COMPREPLY < <(compgen -W 'dtm dtc dtz' -- "$cur")
        return ;;
    gen:-n | gen:--men | plan:-n | plan:--men | export:-n | export:--men | find:--men)
        mapfile -t COMPREPLY < <(compgen -W '3 4 5' -- "$cur")
        return ;;
    blocked:-a | blocked:--attacker)
        mapfile -t COMPREPLY < <(compgen -W 'white black' -- "$cur")
        return ;;
    blocked:-g | blocked:--goal)
        mapfile -t COMPREPLY < <(compgen -W 'take' -- "$cur")
        return ;;
    blocked:--write)
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -d -- "$cur")
        return ;;
    blocked:--svg | shift:--svg | solve:--svg | rule:--html)
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$cur")
        return ;;
    blocked:-p | blocked:--pieces | solve:-p | solve:--pieces)
        mapfile -t COMPREPLY < <(compgen -W '0 1 2 3' -- "$cur")
        return ;;
    blocked:-f | blocked:--from | blocked:--white-king | blocked:--black-king)
        return ;;
    gen:-c | gen:--codec | plan:-c | plan:--codec)
        mapfile -t COMPREPLY < <(compgen -W 'symbols zstd' -- "$cur")
        return ;;
    *:-M | *:--memory | *:-c | *:--cache | serve:--answers | serve:--body | serve:--headers | serve:--unsent)
        mapfile -t COMPREPLY < <(compgen -W '64MiB 256MiB 1GiB 2GiB 4GiB 8GiB' -- "$cur")
        return ;;
    *:-j | *:--threads | gen:-l | plan:-l | *:--level | *:-s | *:--sample | *:--share | *:-p | *:--positions | \
        *:-d | *:--duration)
        return ;;
    esac
    # After the first word that is no option, or --, the command line is the engine's.
    if [[ ${COMP_WORDS[1]} == engine ]]; then
        local i
        for ((i = 2; i <= COMP_CWORD; i++)); do
            case ${COMP_WORDS[i]} in
            -t | --tables | -c | --cache) ((i++)) ;;
            --) ((i < COMP_CWORD)) && ((i++)) && break ;;
            -*) ;;
            *) break ;;
            esac
        done
        if ((i == COMP_CWORD)) && [[ $cur != -* ]]; then
            mapfile -t COMPREPLY < <(PATH=$PATH:/usr/games compgen -c -- "$cur")
            return
        elif ((i < COMP_CWORD)); then
            compopt -o default 2>/dev/null
            return
        fi
    fi
    case ${COMP_WORDS[1]} in
    export) options='--syzygy --men --book --exact --threads --memory --estimate --json
                     --force --keep-scratch --quiet --help' ;;
    gen) options='--men --book --metric --tables --threads --memory --codec --level --estimate --only --json
                  --force --keep-scratch --quiet --help' ;;
    plan) options='--to --men --book --metric --tables --threads --memory --codec --level --json --help' ;;
    probe) options='--metric --json --input --output --tables --help' ;;
    line) options='--metric --no-rule --json --tables --help' ;;
    find) options='--zugzwang --only-move --underpromotion --unique-line --stalemate --cursed --longest --turn
                   --first --sample --seed --sort --metric --with-rule --count --epd --tsv --json --pgn --time --men
                   --threads --tables --quiet --help' ;;
    rule) options='--show --turn --time --html --json --threads --tables --quiet --help' ;;
    play) options='--show --games --seed --time --json --threads --tables --quiet --help' ;;
    shift) options='--list --tsv --json --svg --tables --help' ;;
    near) options='--show --men --moves --turn --json --tables --help' ;;
    solve) options='--time --memory --pieces --save --save-every --check --pgn --write --squares --svg --json --tables --quiet --help' ;;
    blocked) options='--exact --goal --from --safe --attacker --table --tsv --squares --svg --json --check
                      --white-king --black-king --write --solve --memory --pieces --tables --quiet --help' ;;
    stats) options='--metric --no-histogram --json --tables --help' ;;
    info) options='--tsv --json --tables --help' ;;
    verify) options='--full --checksum --share --memory --threads --json --quiet --tables --help' ;;
    compare) options='--metric --show --memory --threads --json --quiet --help' ;;
    bench) options='--positions --cache --threads --duration --gen --json --tables --help' ;;
    serve) options='--bind --port --listen --socket-mode --tables --allow-empty --trust-proxy --cache
                    --answers --unsent --threads --connections --per-client --queue --queue-per-client
                    --headers --body --timeout --send-timeout --limit --lists --log --solve --solve-time --quiet --help' ;;
    engine) options='--tables --cache --help --' ;;
    *) return ;;
    esac
    if [[ $cur == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$cur")
        return
    fi
    case ${COMP_WORDS[1]} in
    gen | plan | export) mapfile -t COMPREPLY < <(compgen -W "$(_trebuchet_materials)" -- "$cur") ;;
    stats | bench | find)
        mapfile -t COMPREPLY < <(compgen -W "$(_trebuchet_installed material)" -- "$cur") ;;
    probe | compare | play)
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
    verify | rule)
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$cur"
            compgen -W "$(_trebuchet_installed material)" -- "$cur") ;;
    info)
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$cur"
            compgen -W "$(_trebuchet_installed material; _trebuchet_installed file)" -- "$cur") ;;
    esac
}

complete -F _trebuchet trebuchet
