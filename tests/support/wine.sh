#!/bin/sh
# wine.sh - runs a program for Windows:
#
#     wine.sh BUILD PROGRAM ARGUMENT...
#
# Wine keeps its settings in BUILD/wine. One run at a time makes them, which takes longer than most programs. Its server
# stays for ten minutes after the last program: a program that starts just when the server ends would fail. So do Wine's
# services, which the first program starts. A program that does nothing is the first: the services keep its output open,
# and who reads that to its end would wait for them.
set -eu

bin=/usr/lib/wine
[ -x "$bin/wine64" ] || bin=$(dirname "$(command -v wine64)")
export WINEPREFIX="$1/wine" WINEDEBUG=-all WINEDLLOVERRIDES="mscoree,mshtml="
shift
mkdir -p "$WINEPREFIX"
(
    flock 9
    [ -e "$WINEPREFIX/made" ] || {
        "$bin/wine64" wineboot --init >/dev/null 2>&1 9>&-
        "$bin/wineserver" -w 9>&-
        touch "$WINEPREFIX/made"
    }
    # Fails where a server is running already.
    if "$bin/wineserver" -p600 >/dev/null 2>&1 9>&-; then "$bin/wine64" cmd /c exit </dev/null >/dev/null 2>&1 9>&- || true; fi
) 9>"$WINEPREFIX.lock"
exec "$bin/wine64" "$@"
