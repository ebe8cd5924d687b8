#!/usr/bin/env bash
# Puts requests to a running server that are made from its OpenAPI document: `just schemathesis`.
set -euo pipefail
ibidem=$1 minutes=$2
version=4.32.5
home=${IBIDEM_STACK_HOME:-${XDG_CACHE_HOME:-$HOME/.cache}/ibidem-stack}
venv=$home/schemathesis-$version
if [ ! -x "$venv/bin/schemathesis" ]; then
    "${IBIDEM_STACK_PYTHON:-python3}" -m venv "$venv"
    "$venv/bin/pip" install --quiet "schemathesis==$version"
fi

made=$(mktemp -d)
server=
finish() {
    [ -z "$server" ] || kill "$server" 2>/dev/null || true
    [ -z "$server" ] || wait "$server" 2>/dev/null || true
    rm -rf "$made"
}
trap finish EXIT

export IBIDEM__ORIGINALS__LOCATION=$made/originals IBIDEM__LOG__LEVEL=warn
"$ibidem" migrate
mkdir "$made/documents"
printf '# Carrying leave over\n\nUp to five days of unused leave may be carried over to the next year.\n' \
    >"$made/documents/leave.md"
"$ibidem" ingest "$made/documents" --tenant schemathesis --collection Handbook --tags public --wait
key=$("$ibidem" key create --tenant schemathesis --name schemathesis --role admin --expires-in-days 1)
"$ibidem" openapi >"$made/openapi.json"
"$ibidem" serve --listen 127.0.0.1:0 --with-worker 2>"$made/log" &
server=$!
until grep -q '^listening on ' "$made/log"; do
    kill -0 "$server" || { cat "$made/log"; exit 1; }
    sleep 0.2
done
url=$(sed -n 's/^listening on //p' "$made/log" | head -1)

# Exit status 124 is the end of the time, and no finding.
status=0
timeout --signal=INT --kill-after=60 "$((minutes * 60))" "$venv/bin/schemathesis" run "$made/openapi.json" --url "$url" \
    --header "Authorization: Bearer $key" --checks all --phases examples,coverage,fuzzing,stateful \
    --max-examples "${IBIDEM_SCHEMATHESIS_EXAMPLES:-100000}" --continue-on-failure --request-timeout 60 \
    --generation-database none || status=$?
grep -v '^listening on ' "$made/log" | tail -40 || true
case $status in 0 | 124) exit 0 ;; *) exit "$status" ;; esac
