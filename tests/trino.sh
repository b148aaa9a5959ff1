#!/usr/bin/env bash
# A Trino cluster for tests and measurements: a coordinator and two workers on this machine, reachable from it only.
#
#   trino.sh start DIR     writes DIR/ready when all nodes are there, DIR/failed when they will not be
#   trino.sh stop DIR
#   trino.sh kill DIR N    ends worker N (1, 2) as a crash would
#   trino.sh again DIR N   starts it anew
#
# TRINO_HOME is the unpacked server with its plugins, TRINO_JAVA a Java of version 24 or later. DIR/port holds the port for
# HTTP, DIR/secure that for HTTPS, where a JSON web token (DIR/token) or the password of `analyst` (DIR/password) is asked for;
# DIR/certificate.pem is its authority.
# DIR/warehouse is where the catalog `hive` looks for files. TRINO_LOST says how long a node that does not answer is asked
# again; without it nobody is given up for ten minutes, so that a busy machine makes a statement slow and nothing else.
set -euo pipefail
action=$1 dir=$2 node=${3-}
: "${TRINO_HOME:?}" "${TRINO_JAVA:?}"

launch() { # launch NODE WORD
  "$TRINO_HOME/bin/launcher" -jvm-dir "$TRINO_JAVA" -etc-dir "$dir/$1/etc" -data-dir "$dir/$1/data" \
    -launcher-config "$TRINO_HOME/bin/launcher.properties" -pid-file "$dir/$1/pid" "$2"
}

free_port() { # free_port FROM: the first of ten in a row that nobody uses
  local at=$1 i busy
  for (( ; at < 60000; at += 10)); do
    busy=
    for i in 0 1 2 3; do (: <"/dev/tcp/127.0.0.1/$((at + i))") 2>/dev/null && busy=1; done
    [[ $busy ]] || break
  done
  echo "$at"
}

configure() { # configure NODE PORT COORDINATOR HEAP
  local etc=$dir/$1/etc
  mkdir -p "$etc" "$dir/$1/data"
  cat >"$etc/node.properties" <<TEXT
node.environment=test
node.id=$1
node.data-dir=$dir/$1/data
node.bind-ip=127.0.0.1
node.internal-address=127.0.0.1
TEXT
  # A small heap with a small collector. Short lives: the first compiler does, unless TRINO_TIER asks for the second.
  cat >"$etc/jvm.config" <<TEXT
-server
-Xmx$4
-XX:+UseSerialGC
-XX:TieredStopAtLevel=${TRINO_TIER-1}
-XX:ReservedCodeCacheSize=200M
-XX:+ExitOnOutOfMemoryError
-Djdk.attach.allowAttachSelf=true
-Dfile.encoding=UTF-8
TEXT
  cat >"$etc/config.properties" <<TEXT
coordinator=$3
http-server.http.port=$2
discovery.uri=http://127.0.0.1:$port
internal-communication.shared-secret=$(cat "$dir/secret")
query.max-memory=1GB
query.max-memory-per-node=${TRINO_MEMORY-200MB}
memory.heap-headroom-per-node=100MB
query.client.timeout=30m
task.client.timeout=30m
exchange.max-error-duration=${TRINO_LOST-10m}
query.remote-task.max-error-duration=${TRINO_LOST-10m}
plugin.dir=$TRINO_HOME/plugin
catalog.config-dir=$dir/catalog
TEXT
  echo "io.trino=WARN" >"$etc/log.properties"
  [[ $3 == true ]] || return 0
  cat >>"$etc/config.properties" <<TEXT
node-scheduler.include-coordinator=false
discovery.max-age=${TRINO_LOST-10m}
failure-detector.enabled=$([[ ${TRINO_LOST-} ]] && echo true || echo false)
http-server.https.enabled=true
http-server.https.port=$((port + 3))
http-server.https.keystore.path=$dir/server.pem
http-server.authentication.type=JWT,PASSWORD
http-server.authentication.jwt.key-file=$dir/token_public.pem
password-authenticator.config-files=$dir/authenticator.properties
http-server.authentication.allow-insecure-over-http=true
access-control.config-files=$dir/access.properties
TEXT
}

catalogs() {
  mkdir -p "$dir/catalog" "$dir/warehouse"
  printf 'connector.name=tpch\ntpch.splits-per-node=2\n' >"$dir/catalog/tpch.properties"
  printf 'connector.name=memory\nmemory.max-data-per-node=128MB\n' >"$dir/catalog/memory.properties"
  cat >"$dir/catalog/hive.properties" <<TEXT
connector.name=hive
hive.metastore=file
hive.metastore.catalog.dir=local:///
fs.native-local.enabled=true
local.location=$dir/warehouse
hive.security=allow-all
hive.timestamp-precision=MICROSECONDS
hive.non-managed-table-writes-enabled=true
TEXT
}

url64() { base64 -w0 | tr '+/' '-_' | tr -d '='; }

certificates() {
  openssl req -x509 -newkey rsa:2048 -nodes -days 30 -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1 \
    -keyout "$dir/server_key.pem" -out "$dir/certificate.pem" 2>/dev/null
  cat "$dir/server_key.pem" "$dir/certificate.pem" >"$dir/server.pem"
  openssl genrsa -out "$dir/token_key.pem" 2048 2>/dev/null
  openssl rsa -in "$dir/token_key.pem" -pubout -out "$dir/token_public.pem" 2>/dev/null
  local body
  body=$(printf '{"alg":"RS256","typ":"JWT"}' | url64).$(printf '{"sub":"analyst","exp":4102444800}' | url64)
  printf '%s.%s' "$body" "$(printf '%s' "$body" | openssl dgst -sha256 -sign "$dir/token_key.pem" | url64)" >"$dir/token"
}

passwords() {
  local salt hash
  printf 'pass wörd' >"$dir/password"
  salt=$(openssl rand -hex 16)
  hash=$(openssl kdf -keylen 20 -kdfopt digest:SHA1 -kdfopt "pass:$(cat "$dir/password")" -kdfopt "hexsalt:$salt" \
    -kdfopt iter:1000 PBKDF2 | tr -d ':\n' | tr '[:upper:]' '[:lower:]')
  echo "analyst:1000:$salt:$hash" >"$dir/passwords"
  printf 'password-authenticator.name=file\nfile.password-file=%s\n' "$dir/passwords" >"$dir/authenticator.properties"
}

# What a cluster's administrators may do to tables of these names: rows that are hidden, values that are changed, and a mask
# that fails on a row.
rules() {
  local all='"privileges": ["SELECT", "INSERT", "DELETE", "UPDATE", "OWNERSHIP", "GRANT_SELECT"]'
  printf 'access-control.name=file\nsecurity.config-file=%s\nsecurity.refresh-period=1s\n' "$dir/rules.json" >"$dir/access.properties"
  cat >"$dir/rules.json" <<TEXT
{"tables": [
  {"user": "test", "table": "filtered", $all, "filter": "x <> 5"},
  {"user": "test", "table": "masked", $all, "columns": [{"name": "x", "mask": "x + 1"}]},
  {"user": "test", "table": "failing", $all, "columns": [{"name": "x", "mask": "1 / (x - 5)"}]},
  {$all}]}
TEXT
}

answer() { # answer SQL: the rows as JSON, of a statement with a small result
  local page next rows=
  page=$(curl -sf -m 20 -H 'X-Trino-User: test' -d "$1" "127.0.0.1:$port/v1/statement") || return 1
  while next=$(grep -o '"nextUri":"[^"]*"' <<<"$page" | cut -d'"' -f4) && [[ $next ]]; do
    page=$(curl -sf -m 20 -H 'X-Trino-User: test' "$next") || return 1
    rows+=$(grep -o '"data":\[\[.*\]\]' <<<"$page" || true)
  done
  echo "$rows"
}

end_all() {
  local i process
  for i in worker2 worker1 coordinator; do launch "$i" kill >/dev/null 2>&1 || true; done
  # Also those whose number the launcher lost.
  for process in /proc/[0-9]*; do
    ! grep -qaF -- "-Dnode.data-dir=$dir/" "$process/cmdline" 2>/dev/null || kill -KILL "${process#/proc/}" 2>/dev/null || true
  done
}

all_run() {
  local i
  for i in coordinator worker1 worker2; do kill -0 "$(cat "$dir/$i/pid")" 2>/dev/null || return 1; done
}

await() { # await SECONDS WORKERS
  local until=$((SECONDS + $1))
  until [[ $(answer "SELECT count(*) FROM system.runtime.nodes WHERE NOT coordinator AND state = 'active'" || true) == *"[[$2]]"* ]]; do
    ((SECONDS < until)) && all_run || return 1 # one that ended has said why in its log
    sleep 0.5
  done
}

case $action in
  start)
    # A node now and then ends while it starts; what it said is kept, and another attempt is made.
    for attempt in 1 2 3; do
      end_all
      rm -rf "$dir"
      mkdir -p "$dir"
      head -c 24 /dev/urandom | base64 >"$dir/secret"
      port=$(free_port $((${TRINO_PORT-18480} + 100 * (attempt - 1))))
      certificates
      passwords
      rules
      catalogs
      configure coordinator "$port" true 640M
      for i in 1 2; do configure "worker$i" $((port + i)) false 768M; done
      for i in coordinator worker1 worker2; do launch "$i" start; done >"$dir/log"
      echo "$port" >"$dir/port"
      echo $((port + 3)) >"$dir/secure"
      if await "${TRINO_PATIENCE-600}" 2; then
        touch "$dir/ready"
        exit 0
      fi
      echo "attempt $attempt failed:"
      tail -n 20 "$dir"/*/data/var/log/*.log || true
    done
    touch "$dir/failed"
    exit 1
    ;;
  stop) end_all ;;
  kill) launch "worker$node" kill ;;
  again)
    port=$(cat "$dir/port")
    launch "worker$node" start
    await "${TRINO_PATIENCE-600}" 2
    ;;
esac
