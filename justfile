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
