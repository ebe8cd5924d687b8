#!/usr/bin/env bash
# The trial: loads the demo documents into empty tenants, one for each corpus, and asks the questions of
# lab/data/trial.jsonl.
# usage: lab/bench/trial.sh [options of `ibidem-workbench eval trial`]
# Environment: the settings of a running stack, and IBIDEM, the binary (by default the one that was built last), with the
# workbench beside it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
ibidem=${IBIDEM:-${CARGO_TARGET_DIR:-target}/debug/ibidem}
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
export IBIDEM__ORIGINALS__LOCATION=$made/originals
configured() { "$ibidem" --config demo/architecture/settings.yaml "$@"; }
take_in() { # CORPUS FOLDER COLLECTION
    configured ingest "demo/$2" --collection "$3" --tenant "trial-$1" --tags public --wait
}

configured migrate
for corpus in architecture handbook support; do
    configured tenant erase "trial-$corpus" --yes >"$made/erased"
done
take_in architecture architecture/adr ADR
take_in architecture architecture/principles Principle
take_in architecture architecture/policies Policy
take_in handbook handbook Handbook
take_in support support/articles Support
"$(dirname "$ibidem")/ibidem-workbench" --config demo/architecture/settings.yaml eval trial "$@"
