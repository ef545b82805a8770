#!/bin/sh
# Compiles the libraries that the command needs and mingw-w64 does not have: cli/windows/libraries.sh SOURCES OUT CC
# SOURCES has the folders libzstd, xxhash, jansson and lua5.4, as .ci/sources makes them. Writes OUT/include, OUT/lib, and
# OUT/licenses: who passes on a program with these libraries must pass on their licences.
set -eu

sources=$(realpath "$1")
out=$2
cc=$3
ar=${cc%-gcc*}-ar
rm -rf "$out"
mkdir -p "$out/include" "$out/lib" "$out/licenses" "$out/objects"
cd "$out"

# library NAME FLAGS FILE...
library() {
    name=$1 flags=$2
    shift 2
    mkdir "objects/$name"
    printf '%s\n' "$@" | xargs -P"$(nproc)" -I{} sh -c "$cc -O2 -w $flags -c {} -o objects/$name/\$(basename {} .c).o"
    $ar rcs "lib/lib$name.a" objects/"$name"/*.o
}

zstd=$sources/libzstd/lib
cp "$zstd/zstd.h" "$zstd/zstd_errors.h" "$sources/xxhash/xxhash.h" include
library zstd "-DZSTD_DISABLE_ASM" "$zstd"/common/*.c "$zstd"/compress/*.c "$zstd"/decompress/*.c

jansson=$sources/jansson/src
cp "$jansson/jansson.h" include
sed 's/@json_inline@/inline/; s/@json_have_[a-z_]*@/1/' "$jansson/jansson_config.h.in" >include/jansson_config.h
printf '#define %s\n' 'HAVE_STDINT_H 1' 'HAVE_SYS_TYPES_H 1' 'INITIAL_HASHTABLE_ORDER 3' >objects/jansson_private_config.h
library jansson "-Iinclude -Iobjects -DHAVE_CONFIG_H" "$jansson"/*.c

lua=$sources/lua5.4/src
cp "$lua/lua.h" "$lua/luaconf.h" "$lua/lauxlib.h" "$lua/lualib.h" include
library lua5.4 "" $(ls "$lua"/*.c | grep -v '/luac\{0,1\}\.c$')
rm -r objects

for package in libzstd xxhash jansson lua5.4; do cp "$sources/$package/debian/copyright" "licenses/$package.txt"; done
cp /usr/share/doc/libz-mingw-w64-dev/copyright licenses/zlib.txt
cp /usr/share/doc/mingw-w64-common/copyright licenses/mingw-w64.txt
