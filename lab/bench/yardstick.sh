#!/usr/bin/env bash
# The yardstick: makes the corpora and questions of one half, loads each corpus into an empty tenant, and asks.
# usage: lab/bench/yardstick.sh ASIDE one|two [options of `ibidem-workbench eval trial`]
# Environment: the settings of a running stack, IBIDEM_DATA (lab/data_sets.md), IBIDEM, the binary, with the workbench
# beside it, and YARDSTICK_MOST, how many answerable questions of each set are asked (default: 40).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
aside=$1 half=$2
shift 2
ibidem=${IBIDEM:-${CARGO_TARGET_DIR:-target}/debug/ibidem}
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
export IBIDEM__ORIGINALS__LOCATION=$made/originals
python3 lab/bench/yardstick.py "$aside" "$IBIDEM_DATA" "$made/sets" --most "${YARDSTICK_MOST:-40}"
"$ibidem" migrate
for corpus in "$made/sets"/*-"$half"; do
    name=$(basename "$corpus")
    "$ibidem" tenant erase "yardstick-$name" --yes >"$made/erased"
    "$ibidem" ingest "$corpus" --collection Texts --tenant "yardstick-$name" --tags public --wait >"$made/ingested"
    echo "$name: loaded"
done
"$(dirname "$ibidem")/ibidem-workbench" eval trial "$made/sets/$half.jsonl" --half both --tenants yardstick "$@"
