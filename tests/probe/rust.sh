#!/bin/sh
# rust.sh - builds the Rust crate from the library's two files, and runs its tests: rust.sh TABLES
set -eu

top=$(cd "$(dirname "$0")/../.." && pwd)
tables=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
make -s -C "$top" PAGE=no BUILD="$work" amalgamation >/dev/null
cp -r "$top/probe/rust" "$work/crate"
cd "$work/crate"
TREBUCHET_SOURCE=$work/amalgamation TREBUCHET_PATH=$tables cargo test --offline
