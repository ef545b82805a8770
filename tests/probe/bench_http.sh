#!/bin/bash
# bench_http.sh BENCH_HTTP TABLES MATERIAL... - measures probes of tables on an nginx of this
# machine: runs bench_http for each material. POSITIONS in the environment sets the number of
# positions (default 500).
set -eu
bench=$(realpath "$1") tables=$(realpath "$2")
shift 2
dir=$(mktemp -d "${TMPDIR:-/tmp}/trebuchet-bench-XXXXXX")
child=
trap '[ -z "$child" ] || kill $child; wait; rm -rf "$dir"' EXIT
chmod 755 "$dir" # nginx's workers may run as somebody else
port=18080
while (exec 3<>/dev/tcp/127.0.0.1/$port) 2>/dev/null; do port=$((port + 1)); done
mkdir "$dir/tables"
ln -s "$tables"/*.treb "$dir/tables"
# Only the names in the list matter here. Real checksums of all files would take long.
(cd "$dir/tables" && for f in *.treb; do echo "$(printf '%s' "$f" | sha256sum | cut -c-64)  $f"; done >SHA256SUMS)
cat >"$dir/nginx.conf" <<END
daemon off; worker_processes 1; pid $dir/pid; error_log $dir/error;
events { worker_connections 256; }
http {
    access_log off; sendfile on; keepalive_requests 1000000;
    client_body_temp_path $dir/b; proxy_temp_path $dir/p; fastcgi_temp_path $dir/f;
    uwsgi_temp_path $dir/u; scgi_temp_path $dir/s;
    server { listen 127.0.0.1:$port; root $dir; }
}
END
PATH=$PATH:/usr/sbin:/sbin nginx -c "$dir/nginx.conf" -p "$dir" &
child=$!
for _ in $(seq 100); do
    (exec 3<>/dev/tcp/127.0.0.1/$port) 2>/dev/null && break
    sleep 0.05
done
for material; do "$bench" "http://127.0.0.1:$port/tables/" "$tables" "$material" "${POSITIONS:-500}"; done
