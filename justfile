# What one needs to change the product. `just` alone lists it; `just lab` lists what measures, trains and rehearses.

set shell := ["bash", "-euo", "pipefail", "-c"]

stack_home := env("IBIDEM_STACK_HOME", env("XDG_CACHE_HOME", env("HOME") / ".cache") / "ibidem-stack")

# One build folder for all checkouts of a machine: a fresh clone does not build the dependencies again.
export CARGO_TARGET_DIR := env("CARGO_TARGET_DIR", stack_home / "target")
# Queries are checked against .sqlx; only `just sqlx` asks a database.
export SQLX_OFFLINE := "true"

_list:
    @just --list --unsorted

# The laboratory: `just lab` lists it.
mod lab

# Everything CI checks, with the seconds each stage took; lanes can be named: lint, rehearse, pages, test.
check *lanes:
    .ci/check {{ lanes }}

# The tests that need no server: types, language, engine, ingest. A few minutes.
unit *arguments:
    cargo nextest run --locked -p ibidem-words -p ibidem-ports -p ibidem-testing -p ibidem-language -p ibidem-engine \
      -p ibidem-ingest -p ibidem-measure --all-features {{ arguments }}

# Tests against the stack that is up (`stack/up`).
test *arguments:
    eval "$(stack/env)" && cargo nextest run --workspace --all-features --locked {{ arguments }}

# Formatting and lints.
lint:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets --all-features --locked -- -D warnings

# Licences, sources and duplicate versions of the dependencies.
deny:
    cargo fetch --locked
    cargo deny --offline check bans licenses sources

# The pages, into web/dist.
web:
    .ci/pages build

# The pages linted, built and tested in a real browser, against the stack that is up (`stack/up --with oidc`) and the
# binary that was built. Somebody signs in at the stack's identity provider.
pages:
    eval "$(stack/env)" && .ci/pages check

# Pictures of the pages, into docs/pictures.
screenshots:
    eval "$(stack/env)" && .ci/pages screenshots

# The golden set, measured anew: demo/architecture/golden_baseline.json, the figures in the README, and a page to look at.
golden page="golden.html":
    cargo build --locked -p ibidem
    eval "$(stack/env)" && made="$(mktemp -d)" && trap 'rm -rf "$made"' EXIT && \
      { IBIDEM_GOLDEN_RESULTS="$made/results.json" .ci/golden --baseline demo/architecture/golden_baseline.json \
        --html "{{ page }}" || true; } && \
      mv "$made/results.json" demo/architecture/golden_baseline.json && \
      "$IBIDEM_STACK_PYTHON" lab/bench/golden_figures.py demo/architecture/golden_baseline.json README.md

# The queries' types, anew from a real database, into .sqlx.
sqlx:
    .ci/sqlx write

# The numbers of the policies that come with the binary, side by side, into docs/policies.md.
policies:
    cargo run --quiet --locked -p ibidem -- policy table > docs/policies.md.new
    mv docs/policies.md.new docs/policies.md

# The reference pages of the book, from the code, into docs/reference.
reference:
    cargo build --locked -p ibidem
    .ci/reference write "$CARGO_TARGET_DIR/debug/ibidem"

# What ships beside the code: the book, docs/reference, and the files in deploy/.
deploy:
    cargo build --locked -p ibidem
    .ci/deploy "$CARGO_TARGET_DIR/debug/ibidem"

# The commands of the README and of the tutorial in a fresh clone, as somebody new would run them.
readme:
    .ci/readme
