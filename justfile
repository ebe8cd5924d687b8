# Every task of the project. `just` alone lists them.

set shell := ["bash", "-euo", "pipefail", "-c"]

stack_home := env("IBIDEM_STACK_HOME", env("XDG_CACHE_HOME", env("HOME") / ".cache") / "ibidem-stack")

# One build folder for all checkouts of a machine: a fresh clone does not build the dependencies again.
export CARGO_TARGET_DIR := env("CARGO_TARGET_DIR", stack_home / "target")
# Queries are checked against .sqlx; only `just sqlx` asks a database.
export SQLX_OFFLINE := "true"

_list:
    @just --list --unsorted

# Everything CI checks, with the seconds each stage took.
check:
    .ci/check

# Formatting and lints.
lint:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets --all-features --locked -- -D warnings

# Tests against the stack that is up (`stack/up`).
test *arguments:
    eval "$(stack/env)" && cargo nextest run --workspace --all-features --locked {{ arguments }}

# Licences, sources and duplicate versions of the dependencies.
deny:
    cargo fetch --locked
    cargo deny --offline check bans licenses sources

# The queries' types, anew from a real database, into .sqlx.
sqlx:
    .ci/sqlx write

# The README's commands in a fresh clone, as somebody new would run them.
readme:
    .ci/readme

# How well search finds on a set in the form of BEIR, beside the same model and engine without Ibidem.
retrieval set="../shared/data/retrieval/scifact":
    cargo build --release --locked -p ibidem
    eval "$(stack/env)" && ibidem="$CARGO_TARGET_DIR/release/ibidem" && \
      made="$(mktemp -d)" && trap 'rm -rf "$made"' EXIT && \
      "$ibidem" migrate && \
      "$ibidem" ingest "{{ set }}/corpus.jsonl" --collection SciFact --tags public --wait && \
      "$ibidem" eval retrieval "{{ set }}" --collection SciFact && \
      "$ibidem" eval retrieval "{{ set }}" --collection SciFact --json > "$made/ibidem.json" && \
      "$IBIDEM_STACK_PYTHON" bench/bare_retrieval.py "{{ set }}" --ibidem "$made/ibidem.json"

# What Ibidem adds to the embedding model when ingesting, and to the search engine when searching.
bench data="../shared/data":
    cargo build --release --locked -p ibidem
    eval "$(stack/env)" && ibidem="$CARGO_TARGET_DIR/release/ibidem" && \
      "$ibidem" bench ingest "{{ data }}/retrieval/scifact/corpus.jsonl" --documents 600 && \
      "$ibidem" bench search --passages 100000 --texts "{{ data }}/retrieval/scifact/corpus.jsonl" \
        --texts "{{ data }}/address_lookup/web_verses.jsonl"
