#!/usr/bin/env bash
# Puts requests to a running server that are made from its OpenAPI document: `just lab schemathesis`.
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
# This server has no model, so that an asker can name none.
"$ibidem" openapi | "$venv/bin/python" -c '
import json, sys
description = json.load(sys.stdin)
description["components"]["schemas"]["QuestionBody"]["properties"]["model"] = {"type": "null"}
json.dump(description, sys.stdout)' >"$made/openapi.json"
# Every check is on unless it is named here. A document is told by the name of its file, which no schema describes, and
# the fields of a form are always text: a number in place of a word is a word.
cat >"$made/schemathesis.toml" <<'TOML'
[[operations]]
include-name = "POST /v1/documents"
checks.positive_data_acceptance.enabled = false
checks.negative_data_rejection.enabled = false
TOML
"$ibidem" serve --listen 127.0.0.1:0 --with-worker 2>"$made/log" &
server=$!
until grep -q '^listening on ' "$made/log"; do
    kill -0 "$server" || { cat "$made/log"; exit 1; }
    sleep 0.2
done
url=$(sed -n 's/^listening on //p' "$made/log" | head -1)

cd "$made"
status=0
"$venv/bin/schemathesis" --config-file "$made/schemathesis.toml" run "$made/openapi.json" --url "$url" --header "Authorization: Bearer $key" \
    --max-time "$((minutes * 60))" --continue-on-failure --request-timeout 60 --generation-database none || status=$?
grep -v '^listening on ' "$made/log" | tail -40 || true
exit "$status"
