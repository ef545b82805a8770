#!/bin/bash
# bench_serve.sh TREBUCHET TABLES - measures requests per second and latencies of the server, in turns with nginx
# serving a file of equal size, with wrk over loopback. SECONDS_EACH (5), CONNECTIONS (256) and ROUNDS (3) may be set.
set -eu
T=$(realpath "$1")
TABLES=$(realpath "$2")
seconds=${SECONDS_EACH:-5} connections=${CONNECTIONS:-256} rounds=${ROUNDS:-3}
TESTS=$(realpath "$(dirname "$0")")
DIR=$(mktemp -d "${TMPDIR:-/tmp}/trebuchet-bench-XXXXXX")
children=
# shellcheck disable=SC2086
trap 'kill $children 2>/dev/null; wait; rm -rf "$DIR"' EXIT
cd "$DIR"
chmod 755 "$DIR" # nginx's workers may run as somebody else

# start NAME OPTIONS...: starts a server; sets the variable NAME to its address.
start() {
    local name=$1 url=
    shift
    "$T" serve --port 0 --quiet --tables "$TABLES" --cache 4GiB "$@" >"$name.out" 2>"$name.err" &
    children="$children $!"
    for _ in $(seq 100); do
        url=$(sed -n 's,^Listening on \(http://.*\)/$,\1,p' "$name.out")
        [ -z "$url" ] || break
        sleep 0.05
    done
    [ -n "$url" ] || {
        cat "$name.err"
        exit 1
    }
    printf -v "$name" %s "$url"
}

start U
start BARE --answers 0

# The position with the larger answer of two, so that small sets of tables are enough.
fen=8/8/8/8/2R1k3/2K5/1P6/3r4_b_-_-_0_1
curl -s --globoff -o file.json "$U/standard?fen=$fen"
grep -q '"category":"unknown"' file.json && fen=8/8/8/8/2R1k3/2K5/8/3q4_w_-_-_0_1
target="/standard?fen=$fen"
curl -s --globoff -o file.json "$U$target"

# nginx does not accept port 0, so take the first free one from here.
port=18080
while (exec 3<>/dev/tcp/127.0.0.1/$port) 2>/dev/null; do port=$((port + 1)); done
mkdir nginx
cat >nginx.conf <<END
daemon off; worker_processes auto; pid $DIR/nginx/pid; error_log $DIR/nginx/error;
events { worker_connections 4096; }
http {
    access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000000;
    open_file_cache max=16; default_type application/json;
    client_body_temp_path nginx/body; proxy_temp_path nginx/proxy; fastcgi_temp_path nginx/fastcgi;
    uwsgi_temp_path nginx/uwsgi; scgi_temp_path nginx/scgi;
    server { listen 127.0.0.1:$port; root $DIR; }
}
END
nginx -c "$DIR/nginx.conf" -p "$DIR" &
children="$children $!"
sleep 0.5
curl -s "http://127.0.0.1:$port/file.json" | cmp -s - file.json || {
    echo 'nginx does not serve the file' >&2
    exit 1
}

measure() { # NAME URL WRK-OPTIONS...
    local name=$1 url=$2
    shift 2
    wrk -t2 -c"$connections" -d"${seconds}s" --latency "$@" "$url" >wrk.out
    awk -v name="$name" '/^ +50%/ { p50 = $2 } /^ +99%/ { p99 = $2 } /Requests\/sec/ { rate = $2 }
        /Non-2xx|Socket errors/ { odd = odd "  " $0 }
        END { printf "%-34s %10.0f requests/s   p50 %8s   p99 %8s%s\n", name, rate, p50, p99, odd }' wrk.out |
        tee -a results
}

echo "$(nproc) processors, $connections connections, $seconds s each; an answer has $(wc -c <file.json) bytes"
for _ in $(seq "$rounds"); do
    measure nginx "http://127.0.0.1:$port/file.json"
    measure 'trebuchet, answer kept' "$U$target"
done
awk '/^nginx/ { n += $2 } /answer kept/ { t += $4 }
     END { printf "trebuchet has %.2f of nginx'"'"'s requests a second\n", t / n }' results
# Without a cache of answers: every answer is probed and written again. First one position, with its blocks in memory;
# then random positions of four men, repeated until their blocks are in memory.
measure 'trebuchet, the same one anew' "$BARE$target"
for _ in 1 2; do measure 'trebuchet, different ones anew' "$BARE" -s "$TESTS/bench_positions.lua"; done
