#!/bin/bash
# deb.sh FOLDER - installs the Debian packages of a folder (make deb), uses what is in them as users and
# docs/serving.md do, and purges them: nothing may be left. Needs root. Not for a machine that has these
# packages.
set -eu
packages=$(realpath "${1:?usage: $0 FOLDER}")
source=$(cd "$(dirname "$0")/../.." && pwd)
names="trebuchet libtrebuchet1 libtrebuchet-dev trebuchet-fathom python3-trebuchet trebuchet-doc"
work=$(mktemp -d)
chmod 755 "$work"
server=
step() { printf -- '-- %s\n' "$*"; }
fail() {
    echo "deb: $*" >&2
    exit 1
}

[ "$(id -u)" -eq 0 ] || fail "packages are installed by root"
for name in $names; do
    ! dpkg-query -W -f='${Status}' "$name" 2>/dev/null | grep -q installed || fail "$name is installed already"
done
[ ! -e /var/lib/trebuchet ] || fail "/var/lib/trebuchet is there already"

# Whatever happens, the machine is left as it was.
clean() {
    [ -z "$server" ] || kill $server 2>/dev/null || true
    # shellcheck disable=SC2086
    dpkg --purge $names >/dev/null 2>&1 || true
    rm -rf "$work" /var/lib/trebuchet
    userdel trebuchet 2>/dev/null || true
}
trap clean EXIT
trap 'exit 1' HUP INT TERM

step "the versions are those of the header"
version=$(sed -n 's/^.define TREB_VERSION "\(.*\)"$/\1/p' "$source/include/trebuchet.h")
for name in $names; do
    set -- "$packages/${name}_${version}_"*.deb
    [ -f "$1" ] || fail "there is no package $name of version $version"
done

if command -v lintian >/dev/null; then
    step lintian
    lintian --allow-root --fail-on error "$packages"/*.changes
else
    echo 'SKIPPED: lintian is not installed'
fi

step "installing"
apt-get install -q -y --no-install-recommends "$packages"/*.deb >"$work/install.log" 2>&1 || {
    cat "$work/install.log"
    fail "the packages do not install"
}
dpkg -L $names | sort -u | while read -r file; do [ ! -f "$file" ] || echo "$file"; done >"$work/files"
getent passwd trebuchet >/dev/null || fail "there is no user trebuchet"
[ "$(stat -c %U /var/lib/trebuchet)" = trebuchet ] || fail "/var/lib/trebuchet is not the user's"

step "the command"
[ "$(command -v trebuchet)" = /usr/bin/trebuchet ] || fail "another trebuchet comes first"
trebuchet --version | grep -qF "$version" || fail "trebuchet --version does not say $version"
as() { runuser -u trebuchet -- "$@"; }
as trebuchet gen --quiet --men 3 --tables /var/lib/trebuchet
TREBUCHET_PATH=/var/lib/trebuchet trebuchet probe '8/5P1k/8/7K/8/8/8/8 w - - 0 1' | grep -qi mate || fail "probe"
for page in "$source"/docs/man/*.1; do
    [ -e "/usr/share/man/man1/$(basename "$page").gz" ] || fail "no man page $page"
done
bash -c '. /usr/share/bash-completion/completions/trebuchet; complete -p trebuchet' >/dev/null || fail "completion"
zgrep -q limit_req /usr/share/doc/trebuchet/serving.md.gz || fail "no documents"

step "the library: shared and static"
cat >"$work/small.c" <<'END'
#include <stdio.h>
#include <trebuchet.h>

int main(void)
{
    const char *folders[] = {"/var/lib/trebuchet"};
    treb_error error;
    treb_position position;
    treb_wdl wdl;
    treb_tables *tables = treb_tables_open(folders, 1, &error);
    if (tables == NULL || treb_position_from_fen("8/5P1k/8/7K/8/8/8/8 w - - 0 1", &position, &error) != TREB_OK ||
        treb_probe_wdl(tables, &position, &wdl, &error) != TREB_OK)
        return puts(error.text), 1;
    treb_tables_close(tables);
    return wdl != TREB_WIN;
}
END
# shellcheck disable=SC2046
cc "$work/small.c" -o "$work/shared" $(pkg-config --cflags --libs trebuchet)
ldd "$work/shared" | grep -q 'libtrebuchet.so.1 => /lib\|libtrebuchet.so.1 => /usr/lib' || fail "libtrebuchet.so.1 is not used"
"$work/shared" || fail "the shared library"
# shellcheck disable=SC2046
cc "$work/small.c" -o "$work/static" -Wl,-Bstatic $(pkg-config --cflags --libs trebuchet) -Wl,-Bdynamic $(pkg-config --static --libs libzstd) -lpthread
"$work/static" || fail "the static library"
trebuchet engine --tables /var/lib/trebuchet -- /bin/sh -c 'ls "$LD_LIBRARY_PATH/libfathom.so.1"' 2>/dev/null |
    grep -qx /usr/lib/trebuchet/libfathom.so.1 || fail "trebuchet engine does not find its libfathom.so.1"

for folder in fathomdir pyrrhicdir; do
    # shellcheck disable=SC2046
    cc -c "$(pkg-config --variable=$folder trebuchet)/tbprobe.c" -o "$work/tbprobe.o" $(pkg-config --cflags trebuchet) ||
        fail "the source of the drop-in in $folder"
done

step "the Python module"
/usr/bin/python3 -c 'import trebuchet
with trebuchet.open_tablebase("/var/lib/trebuchet") as tablebase:
    print(trebuchet.version(), tablebase.probe_wdl("8/5P1k/8/7K/8/8/8/8 w - - 0 1"))' |
    grep -qx "$version 2" || fail "the Python module"

step "the service"
for unit in service socket; do [ -e "/lib/systemd/system/trebuchet.$unit" ] || fail "no trebuchet.$unit"; done
if command -v systemd-analyze >/dev/null; then
    systemd-analyze verify /lib/systemd/system/trebuchet.service /lib/systemd/system/trebuchet.socket 2>&1 | grep trebuchet && fail "the units are not right"
fi
[ ! -e /etc/systemd/system/multi-user.target.wants/trebuchet.service ] || fail "the service was enabled unasked"
# As the unit says, but for a port of its own.
command=$(sed -n 's/^ExecStart=//p' /lib/systemd/system/trebuchet.service | sed 's,%S,/var/lib,')
mkdir -p /var/log/trebuchet && chown trebuchet: /var/log/trebuchet
export OPTIONS="--port 0 --trust-proxy 127.0.0.1 --log /var/log/trebuchet/access.log"
as sh -c "exec $command" >"$work/ready" 2>"$work/log" &
server=$!
for _ in $(seq 100); do
    url=$(sed -n 's,^Listening on \(http://.*\)/$,\1,p' "$work/ready")
    [ -z "$url" ] || break
    sleep 0.1
done
[ -n "$url" ] || fail "the service's command does not start: $(cat "$work/log")"
main=$(pgrep -u trebuchet -x trebuchet)
curl -fsS "$url/healthz" | grep -q '"ok"' || fail "healthz"
curl -fsS "$url/" | grep -q '<title>' || fail "the page is not in the package"

if command -v nginx >/dev/null; then
    step "nginx, with the configuration of docs/serving.md"
    port=18090
    while (exec 3<>/dev/tcp/127.0.0.1/$port) 2>/dev/null; do port=$((port + 1)); done
    sed -n '/^```nginx$/,/^```$/p' "$source/docs/serving.md" | sed '1d;$d' |
        sed "s,127.0.0.1:8080,${url#http://},; s,listen 80;,listen 127.0.0.1:$port;," >"$work/trebuchet.conf"
    grep -q "listen 127.0.0.1:$port" "$work/trebuchet.conf" || fail "no configuration in docs/serving.md"
    mkdir "$work/nginx"
    cat >"$work/nginx.conf" <<END
daemon off; pid $work/nginx/pid; error_log $work/nginx/error;
events { }
http {
    access_log off; client_body_temp_path nginx/body; proxy_temp_path nginx/proxy;
    fastcgi_temp_path nginx/fastcgi; uwsgi_temp_path nginx/uwsgi; scgi_temp_path nginx/scgi;
    include $work/trebuchet.conf;
}
END
    nginx -q -t -p "$work" -c "$work/nginx.conf"
    nginx -p "$work" -c "$work/nginx.conf" &
    server="$! $server"
    for _ in $(seq 50); do curl -fs "http://127.0.0.1:$port/healthz" >/dev/null && break; sleep 0.1; done
    target='/standard?fen=8/5P1k/8/7K/8/8/8/8_w_-_-_0_1'
    curl -fsS "http://127.0.0.1:$port$target" | grep -q '"win"' || fail "nothing comes through nginx"
    [ "$(curl -s -o /dev/null -w '%{http_code}' "http://127.0.0.1:$port/metrics")" = 404 ] || fail "/metrics is for everyone"
    # Another address of this machine as the client, which says that it is somebody else.
    curl -fsS --interface 127.0.0.9 -H 'X-Forwarded-For: 127.0.0.1' -H 'Forwarded: for=127.0.0.1' "http://127.0.0.1:$port/healthz?forged" >/dev/null
    sleep 0.5
    # 127.0.0.9 is not trusted, so it is the client.
    grep 'forged' /var/log/trebuchet/access.log | grep -q '"client":"127.0.0.9"' || fail "the log has not the client's address: $(grep forged /var/log/trebuchet/access.log)"
    codes=$(for _ in $(seq 300); do echo "url=http://127.0.0.1:$port/healthz"; echo 'output=/dev/null'; done |
        curl -s -w '%{http_code}\n' --parallel --parallel-max 50 -K - 2>/dev/null | sort | uniq -c)
    grep -q 429 <<<"$codes" && grep -q 200 <<<"$codes" || fail "nginx limits nobody: $codes"
else
    echo 'SKIPPED: nginx is not installed'
fi

if command -v logrotate >/dev/null; then
    step "logrotate"
    cmp -s /etc/logrotate.d/trebuchet <(sed -n '/^```logrotate$/,/^```$/p' "$source/docs/serving.md" | sed '1d;$d') || fail "logrotate: not as docs/serving.md says"
    sed "s/systemctl kill.*/kill -HUP $main/" /etc/logrotate.d/trebuchet >"$work/logrotate"
    logrotate -f -s "$work/state" "$work/logrotate"
    for _ in $(seq 50); do grep -q 'tables reloaded' /var/log/trebuchet/access.log 2>/dev/null && break; sleep 0.1; done
    curl -fsS "$url/healthz?rotated" >/dev/null
    sleep 0.5
    grep -q rotated /var/log/trebuchet/access.log && [ -s /var/log/trebuchet/access.log.1 ] || fail "the log is not opened again"
else
    echo 'SKIPPED: logrotate is not installed'
fi
kill -TERM "$main"
wait "${server##* }" || fail "the server does not end well"
# shellcheck disable=SC2086
kill $server 2>/dev/null || true
server=

step "removing, and purging"
# shellcheck disable=SC2086
apt-get purge -q -y $names >"$work/purge.log" 2>&1 || {
    cat "$work/purge.log"
    fail "the packages cannot be purged"
}
grep -q 'tables in /var/lib/trebuchet are left' "$work/purge.log" || fail "purge does not say that tables are left"
[ -e /var/lib/trebuchet/KQvK.wdl.treb ] || fail "purge took the tables along"
while read -r file; do [ ! -e "$file" ] || fail "$file is left"; done <"$work/files"
left=$(find /etc /usr /lib /var/log -name '*trebuchet*' ! -path '/usr/src/*' ! -path '/usr/local/*' 2>/dev/null || true)
[ -z "$left" ] || fail "left behind: $left"
echo "packages installed, used and purged"
