# Bash completion for trebuchet. The commands and their options come from the --help of the program itself.

# The rows of a command's help, or of the general help: "-j, --threads N  number of threads".
_trebuchet_help() {
    "${COMP_WORDS[0]/#\~/$HOME}" "$@" --help 2>/dev/null
}

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

# The names of the installed tables, up to the first dot or, with "file", in full.
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

# All materials of 3 and 4 men and those of the book, the most frequent arguments of gen.
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

# The words that complete the value of an option, by the name that its value has in the help.
_trebuchet_values() {
    case $1:$2 in
    *:METRIC) echo 'dtm dtm50 dtc dtz' ;;
    *:LIST) echo 'all wdl wdl,dtz wdl,dtm wdl,dtz,dtc wdl,dtz,dtm' ;;
    *:SIZE) echo '64MiB 256MiB 1GiB 2GiB 4GiB 8GiB' ;;
    *:COLOR) echo 'white black' ;;
    *:CODEC) echo 'symbols zstd' ;;
    *:FORMAT) echo 'text make slurm json' ;;
    *:MATERIAL) _trebuchet_materials ;;
    --columns:NAMES) echo 'fen,wdl,dtz fen,verdict,best_move,dtm' ;;
    --weight:*) echo 'class board' ;;
    --mirror:*) echo 'none random' ;;
    --men:N) echo '3 4 5' ;;
    --pieces:N) echo '0 1 2 3' ;;
    --goal:*) echo 'take' ;;
    --input:KIND) echo 'fen epd pgn' ;;
    --output:KIND) echo 'tsv jsonl pgn' ;;
    --bind:*) echo '127.0.0.1 0.0.0.0 :: ::1' ;;
    --listen:*) echo 'unix:/run/trebuchet/trebuchet.sock' ;;
    --socket-mode:*) echo '600 660 666' ;;
    --trust-proxy:*) echo '127.0.0.1 ::1 10.0.0.0/8 unix' ;;
    esac
}

_trebuchet_files() { # OPTION OF COMPGEN, WORD
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen "$1" -- "$2")
}

_trebuchet() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} commands row
    COMPREPLY=()
    if ((COMP_CWORD == 1)) || [[ $command == help ]]; then
        commands=$(_trebuchet_help | sed -n 's/^  \([a-z]\{2,\}\) .*/\1/p')
        ((COMP_CWORD == 1)) && commands+=' --help --version'
        ((COMP_CWORD > 2)) || mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$cur")
        return
    fi
    # After -- or the first word that is not an option, the command line belongs to the engine.
    if [[ $command == engine ]]; then
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
    if [[ $cur == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_trebuchet_help "$command" |
            sed -n 's/^  \(-., \|    \)\(--[a-z-]*\).*/\2/p') $([[ $command != engine ]] || echo --)" -- "$cur")
        return
    fi
    # The value of the option before the cursor: "--threads N".
    if [[ $prev == -?* && $prev != -- ]]; then
        row=$(_trebuchet_help "$command" | sed -n 's/^  \(-., \|    \)\(--[a-z-]* [A-Za-z:]\+\)\( .*\)\?$/\1\2/p' |
            grep -e "$([[ $prev == --* ]] && echo "$prev " || echo "^$prev, ")")
        row=${row#*--}
        case $row in
        *' DIR') _trebuchet_files -d "$cur" && return ;;
        *' FILE') _trebuchet_files -f "$cur" && return ;;
        *' '*)
            mapfile -t COMPREPLY < <(compgen -W "$(_trebuchet_values "--${row% *}" "${row##* }")" -- "$cur")
            return ;;
        esac
    fi
    case $command in
    gen | plan | export) mapfile -t COMPREPLY < <(compgen -W "$(_trebuchet_materials)" -- "$cur") ;;
    stats | bench | find | repack) mapfile -t COMPREPLY < <(compgen -W "$(_trebuchet_installed material)" -- "$cur") ;;
    probe | compare | play) _trebuchet_files -f "$cur" ;;
    verify | rule)
        _trebuchet_files -f "$cur"
        mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -W "$(_trebuchet_installed material)" -- "$cur") ;;
    info)
        _trebuchet_files -f "$cur"
        mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(
            compgen -W "$(_trebuchet_installed material; _trebuchet_installed file)" -- "$cur") ;;
    esac
}

complete -F _trebuchet trebuchet
