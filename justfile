# Every task of the project. `just` alone lists them.

set shell := ["bash", "-euo", "pipefail", "-c"]

stack_home := env("IBIDEM_STACK_HOME", env("XDG_CACHE_HOME", env("HOME") / ".cache") / "ibidem-stack")

# One build folder for all checkouts of a machine: a fresh clone does not build the dependencies again.
export CARGO_TARGET_DIR := env("CARGO_TARGET_DIR", stack_home / "target")
# The folder of the public data sets that some measurements need; lab/data_sets.md says what is in it.
data := env("IBIDEM_DATA", "")
# Queries are checked against .sqlx; only `just sqlx` asks a database.
export SQLX_OFFLINE := "true"

_list:
    @just --list --unsorted

# Stops a measurement whose data set is not there, and says how to get it.
_data path:
    @[ -n "{{ data }}" ] || { echo "IBIDEM_DATA is not set: it names the folder of the public data sets; see lab/data_sets.md" >&2; exit 1; }
    @[ -e "{{ data }}/{{ path }}" ] || { echo "{{ data }}/{{ path }} is not there: lab/data_sets.md says where it comes from" >&2; exit 1; }

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

# The whole suite on a busy machine: so many times, beside so many loops that never pause. With a stack of its own.
busy times="3" loops="4":
    .ci/busy {{ times }} {{ loops }}

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

# More than 200 hostile texts through every page: as replies of a server, and as real documents and questions.
hostile:
    eval "$(stack/env)" && IBIDEM_PAGES_HOSTILE=1000 IBIDEM_PAGES_HOSTILE_REAL=1000 .ci/pages check hostile

# How fast the pages are: until one can type, while 2,000 sentences stream, with 500 turns. On an idle machine.
pages-speed:
    eval "$(stack/env)" && .ci/pages measure

# Pictures of the pages, into docs/pictures.
screenshots:
    eval "$(stack/env)" && .ci/pages screenshots

# Real clients of OpenAI's API and of the Model Context Protocol, against the stack that is up and the binary that was
# built (python, javascript, ai-sdk, llm, inspector, conformance, oauth; without a name all of them).
clients *parts:
    eval "$(stack/env)" && .ci/clients {{ parts }}

# Open WebUI in a real browser, with our server behind it, against the stack that is up and the binary that was built
# (check; pictures also writes docs/pictures/beside). Installs it, 1.2 GB, and takes some minutes.
open-webui what="check":
    eval "$(stack/env)" && .ci/open_webui {{ what }}

# Our client of the Model Context Protocol with the protocol's reference servers, everything and filesystem. Installs them,
# about 40 MB.
tool-servers:
    eval "$(stack/env)" && .ci/tool_servers

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

# Whatever a model may write, put through the gauntlet, cut into sentences and answered with, for so many seconds each,
# led by which code it reaches.
fuzz seconds="60":
    cd fuzz && RUSTFLAGS="--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
      -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
      -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1" \
      cargo build --release --locked --target x86_64-unknown-linux-gnu
    for target in gauntlet sentences outgoing; do \
      mkdir -p "$CARGO_TARGET_DIR/fuzz/$target"; \
      "$CARGO_TARGET_DIR/x86_64-unknown-linux-gnu/release/$target" "$CARGO_TARGET_DIR/fuzz/$target" "fuzz/seeds/$target" \
        -max_total_time={{ seconds }} -max_len=400 -timeout=5 -print_final_stats=1 -verbosity=0 \
        -dict="fuzz/$target.dict" 2>&1 | tail -40; \
    done

# What the gates cost for 60 candidates, under each policy.
bench-gates:
    cargo bench --locked -p ibidem-engine --bench gates

# The commands of the README and of the tutorial in a fresh clone, as somebody new would run them.
readme:
    .ci/readme

# Answers of a model that can really answer: 1.1 GB to fetch once, a few minutes to run.
answers:
    stack/fetch --model usable
    eval "$(stack/env)" && cargo nextest run -p ibidem --test ask --locked --run-ignored only --no-capture

# How long the first sentence is held after a model that writes at a steady pace has written it.
first-sentence:
    eval "$(stack/env)" && cargo nextest run -p ibidem --test ask --locked --no-capture -E 'test(first_sentence)'

# How well search finds on a set in the form of BEIR, beside the same model and engine without Ibidem.
retrieval: (_data "retrieval/scifact")
    cargo build --release --locked -p ibidem -p ibidem-workbench
    eval "$(stack/env)" && ibidem="$CARGO_TARGET_DIR/release/ibidem" workbench="$CARGO_TARGET_DIR/release/ibidem-workbench" && \
      made="$(mktemp -d)" && trap 'rm -rf "$made"' EXIT && \
      "$ibidem" migrate && \
      "$ibidem" ingest "{{ data }}/retrieval/scifact/corpus.jsonl" --collection SciFact --tags public --wait && \
      "$workbench" eval retrieval "{{ data }}/retrieval/scifact" --collection SciFact && \
      "$workbench" eval retrieval "{{ data }}/retrieval/scifact" --collection SciFact --json > "$made/ibidem.json" && \
      "$IBIDEM_STACK_PYTHON" bench/bare_retrieval.py "{{ data }}/retrieval/scifact" --ibidem "$made/ibidem.json"

# All address questions on the verses themselves. Ingesting 31,102 verses takes some minutes.
addresses: (_data "address_lookup/web_verses.jsonl")
    cargo build --release --locked -p ibidem -p ibidem-workbench
    eval "$(stack/env)" && ibidem="$CARGO_TARGET_DIR/release/ibidem" workbench="$CARGO_TARGET_DIR/release/ibidem-workbench" && \
      "$ibidem" migrate && \
      "$ibidem" ingest "{{ data }}/address_lookup/web_verses.jsonl" --collection Verses --tags public --address '{id}' --wait && \
      "$workbench" eval addresses data/evaluation/addresses/address_queries.jsonl --policy data/evaluation/addresses/policy.yaml

# What each way of gathering brings to the judge, and in what order: three sets, one of them also across languages.
gather-quality: (_data "retrieval") (_data "answer_refuse/squad2_dev_half.json")
    cargo build --release --locked -p ibidem -p ibidem-workbench
    eval "$(stack/env)" && ibidem="$CARGO_TARGET_DIR/release/ibidem" workbench="$CARGO_TARGET_DIR/release/ibidem-workbench" && \
      made="$(mktemp -d)" && trap 'rm -rf "$made"' EXIT && \
      xquad="{{ data }}/retrieval/xquad" && squad="{{ data }}/answer_refuse/squad2_dev_half.json" && \
      beir() { "$IBIDEM_STACK_PYTHON" bench/squad_as_beir.py "$@"; } && \
      beir "$xquad/xquad.en.json" "$xquad/xquad.en.json" "$made/xquad" && \
      beir "$xquad/xquad.de.json" "$xquad/xquad.en.json" "$made/xquad-german" && \
      beir "$squad" "$squad" "$made/squad" && \
      ln -s "$(realpath "{{ data }}/retrieval/scifact")" "$made/scifact" && \
      "$ibidem" migrate && \
      measure() { \
        "$ibidem" ingest "$made/$1/corpus.jsonl" --collection "$2" --tags public --wait && \
        "$workbench" eval gather "$made/$1" --collection "$2"; \
      } && \
      measure xquad XQuAD && "$workbench" eval gather "$made/xquad-german" --collection XQuAD && \
      measure squad SQuAD-answers && measure scifact SciFact

# The same across languages: XQuAD in German and Spanish, and German questions on English paragraphs, under a setting of
# index.language. It has a database and an index of its own. With the multilingual embedding model, set the section
# `embedding` as docs/models.md says.
gather-languages language="auto" name="languages": (_data "retrieval/xquad")
    cargo build --release --locked -p ibidem -p ibidem-workbench
    eval "$(stack/env)" && ibidem="$CARGO_TARGET_DIR/release/ibidem" workbench="$CARGO_TARGET_DIR/release/ibidem-workbench" && \
      made="$(mktemp -d)" && trap 'rm -rf "$made"' EXIT && xquad="{{ data }}/retrieval/xquad" && \
      "$IBIDEM_STACK_PG_BIN/psql" -q "$IBIDEM__DATABASE__URL" -c 'CREATE DATABASE "{{ name }}"' && \
      export IBIDEM__DATABASE__URL="${IBIDEM__DATABASE__URL%/*}/{{ name }}" IBIDEM__INDEX__NAME="{{ name }}" && \
      export IBIDEM__INDEX__LANGUAGE="{{ language }}" IBIDEM__ORIGINALS__LOCATION="$made/originals" && \
      "$ibidem" migrate && \
      for set in de-de es-es de-en en-en; do \
        questions="${set%-*}" paragraphs="${set#*-}" && \
        "$IBIDEM_STACK_PYTHON" bench/squad_as_beir.py "$xquad/xquad.$questions.json" "$xquad/xquad.$paragraphs.json" "$made/$set" && \
        "$ibidem" ingest "$made/$set/corpus.jsonl" --collection XQuAD --tenant "xquad-$paragraphs" --tags public --wait && \
        echo "$set" && "$workbench" eval gather "$made/$set" --collection XQuAD --tenant "xquad-$paragraphs"; \
      done

# The same with a language model's rewrites and its yes or no about each passage, on a sample (`stack/up --model usable`).
gather-models sample="10" pool="8": (_data "answer_refuse/squad2_dev_half.json")
    cargo build --release --locked -p ibidem -p ibidem-workbench
    eval "$(stack/env)" && ibidem="$CARGO_TARGET_DIR/release/ibidem" workbench="$CARGO_TARGET_DIR/release/ibidem-workbench" && \
      made="$(mktemp -d)" && trap 'rm -rf "$made"' EXIT && \
      squad="{{ data }}/answer_refuse/squad2_dev_half.json" && \
      "$IBIDEM_STACK_PYTHON" bench/squad_as_beir.py "$squad" "$squad" "$made/squad" && \
      "$ibidem" migrate && \
      "$ibidem" ingest "$made/squad/corpus.jsonl" --collection SQuAD-answers --tags public --wait && \
      "$workbench" eval gather "$made/squad" --collection SQuAD-answers --policy data/evaluation/gather_policy.yaml \
        --rewrites --sample {{ sample }} --rerank-pool {{ pool }} \
        --set language_model.roles.planner="$IBIDEM__LANGUAGE_MODEL__NAME" --set language_model.timeout_ms=120000 \
        --set reranker.use=model --set reranker.at_once=1 --set reranker.timeout_ms=600000 \
        --set server.request_timeout_ms=700000

# What thresholds on similarity do with this embedding model: the evidence in policies/default.yaml.
thresholds: (_data "answer_refuse/squad2_dev_half.json")
    cargo build --release --locked -p ibidem -p ibidem-workbench
    eval "$(stack/env)" && ibidem="$CARGO_TARGET_DIR/release/ibidem" workbench="$CARGO_TARGET_DIR/release/ibidem-workbench" && \
      made="$(mktemp -d)" && trap 'rm -rf "$made"' EXIT && \
      "$IBIDEM_STACK_PYTHON" bench/squad_paragraphs.py "{{ data }}/answer_refuse/squad2_dev_half.json" > "$made/squad.jsonl" && \
      "$ibidem" migrate && \
      "$ibidem" ingest "$made/squad.jsonl" --collection SQuAD --tags public --wait && \
      "$workbench" eval similarity "{{ data }}/answer_refuse/squad2_dev_half.json" --collection SQuAD

# What each policy wrongly answers and wrongly refuses, on every question of the set; the sources' own sentences answer.
answer-or-refuse: (_data "answer_refuse/squad2_dev_half.json")
    cargo build --release --locked -p ibidem -p ibidem-workbench
    eval "$(stack/env)" && ibidem="$CARGO_TARGET_DIR/release/ibidem" workbench="$CARGO_TARGET_DIR/release/ibidem-workbench" && \
      made="$(mktemp -d)" && trap 'rm -rf "$made"' EXIT && \
      "$IBIDEM_STACK_PYTHON" bench/squad_paragraphs.py "{{ data }}/answer_refuse/squad2_dev_half.json" > "$made/squad.jsonl" && \
      "$ibidem" migrate && \
      "$ibidem" ingest "$made/squad.jsonl" --collection SQuAD --tags public --wait && \
      "$workbench" eval answer-or-refuse "{{ data }}/answer_refuse/squad2_dev_half.json" --collection SQuAD

# The same with a model that can really answer (`stack/up --model usable`), on a sample of each half of the set.
answer-or-refuse-model sample="20" policy="default": (_data "answer_refuse/squad2_dev_half.json")
    cargo build --release --locked -p ibidem -p ibidem-workbench
    eval "$(stack/env)" && ibidem="$CARGO_TARGET_DIR/release/ibidem" workbench="$CARGO_TARGET_DIR/release/ibidem-workbench" && \
      made="$(mktemp -d)" && trap 'rm -rf "$made"' EXIT && \
      "$IBIDEM_STACK_PYTHON" bench/squad_paragraphs.py "{{ data }}/answer_refuse/squad2_dev_half.json" > "$made/squad.jsonl" && \
      "$ibidem" migrate && \
      "$ibidem" ingest "$made/squad.jsonl" --collection SQuAD --tags public --wait && \
      "$workbench" eval answer-or-refuse "{{ data }}/answer_refuse/squad2_dev_half.json" --collection SQuAD --with-model --policy "{{ policy }}" \
        --sample {{ sample }} --at-once 1 --set language_model.timeout_ms=600000 \
        --set server.request_timeout_ms=700000

# A threshold with a bound: every second article is the corpus, the questions on the others have no answer in it.
calibrate max_hallucination="0.2": (_data "answer_refuse/squad2_dev_half.json")
    cargo build --release --locked -p ibidem
    eval "$(stack/env)" && ibidem="$CARGO_TARGET_DIR/release/ibidem" && \
      made="$(mktemp -d)" && trap 'rm -rf "$made"' EXIT && \
      "$IBIDEM_STACK_PYTHON" bench/squad_labels.py "{{ data }}/answer_refuse/squad2_dev_half.json" "$made" && \
      "$ibidem" migrate && \
      "$ibidem" ingest "$made/corpus.jsonl" --collection SQuAD-half --tags public --wait && \
      "$ibidem" calibrate --labels "$made/far_choosing.jsonl" --test "$made/far_testing.jsonl" --policy default \
        --collections SQuAD-half --max-hallucination {{ max_hallucination }} --svg "$made/curve.svg" \
        --output "$made/policy.yaml"

# The weights of the verifier that needs no model of its own, on pairs made for it; `models` with a file of
# bench/model_claims.py adds what a language model wrote.
fit-verifier models="": (_data "hallucination") (_data "answer_refuse/squad2_dev_half.json")
    cargo build --release --locked -p ibidem-workbench
    eval "$(stack/env)" && made="$(mktemp -d)" && trap 'rm -rf "$made"' EXIT && \
      "$IBIDEM_STACK_PYTHON" bench/claim_pairs.py "{{ data }}" > "$made/pairs.jsonl" && \
      "$CARGO_TARGET_DIR/release/ibidem-workbench" eval fit "$made/pairs.jsonl" {{ models }}

# How much of what models made up the configured verifier finds, on answers in which people marked it.
detect: (_data "hallucination")
    cargo build --release --locked -p ibidem-workbench
    eval "$(stack/env)" && "$CARGO_TARGET_DIR/release/ibidem-workbench" eval detect "{{ data }}/hallucination/ragtruth_qa_test_829.jsonl" \
      --begin "{{ data }}/hallucination/begin_test_wow.tsv"

# The sets, the packing, the weights that ship and the Python tests of training/, without training anything.
training-check:
    eval "$(stack/env)" && training/check

# The whole way of training in two minutes, on a few hundred rows of our own and a tiny encoder. It needs the environment
# of training/README.md, in training/.venv or named by PYTHON.
training-smoke:
    python="${PYTHON:-$PWD/training/.venv/bin/python}" && \
      { [ -x "$python" ] || { echo "$python is not there: training/README.md says how to make it" >&2; exit 1; }; } && \
      cd training && "$python" -m ibidem_training.smoke

# What Ibidem adds to the embedding model when ingesting, and to the search engine when searching.
bench: (_data "retrieval/scifact") (_data "address_lookup/web_verses.jsonl")
    cargo build --release --locked -p ibidem-workbench
    eval "$(stack/env)" && workbench="$CARGO_TARGET_DIR/release/ibidem-workbench" && \
      "$workbench" bench ingest "{{ data }}/retrieval/scifact/corpus.jsonl" --documents 600 && \
      "$workbench" bench search --passages 100000 --texts "{{ data }}/retrieval/scifact/corpus.jsonl" \
        --texts "{{ data }}/address_lookup/web_verses.jsonl" && \
      "$workbench" bench gather --passages 100000 --texts "{{ data }}/retrieval/scifact/corpus.jsonl" \
        --texts "{{ data }}/address_lookup/web_verses.jsonl" && \
      "$workbench" bench terms demo/architecture/vocabulary/halvern.ttl && \
      "$workbench" bench answers --texts "{{ data }}/retrieval/scifact/corpus.jsonl" \
        --texts "{{ data }}/address_lookup/web_verses.jsonl"

# What Ibidem adds to an embedding model that is reached over HTTP, when ingesting.
ingest-over-http documents="200": (_data "retrieval/scifact")
    cargo build --release --locked -p ibidem-workbench
    eval "$(stack/env)" && bench/ingest_over_http "$CARGO_TARGET_DIR/release/ibidem-workbench" \
      "{{ data }}/retrieval/scifact/corpus.jsonl" {{ documents }}

# Recall beside exact search, latency, throughput and memory of an index of so many passages beside one of 10,000, with 8-bit
# vectors on disk. A million takes about 20 minutes to write and 10 GB of disk; it is kept for later runs.
scale passages="1000000": (_data "retrieval/scifact") (_data "address_lookup/web_verses.jsonl")
    cargo build --release --locked -p ibidem-workbench
    eval "$(stack/env)" && "$CARGO_TARGET_DIR/release/ibidem-workbench" --set log.level=error \
      --set index.quantization=int8 --set index.on_disk=true bench scale --passages 10000,{{ passages }} \
      --texts "{{ data }}/retrieval/scifact/corpus.jsonl" --texts "{{ data }}/address_lookup/web_verses.jsonl" \
      --process "qdrant=$IBIDEM_STACK_QDRANT_PID"

# With and without documents that the asker may not see, every reply is the same bytes: ten thousand cases on the fakes,
# and so many askers with 60 questions each on PostgreSQL and Qdrant.
difference cases="10000" askers="30":
    eval "$(stack/env)" && IBIDEM_DIFFERENCES={{ cases }} IBIDEM_DIFFERENCE_ASKERS={{ askers }} \
      cargo nextest run --cargo-profile release -p ibidem-engine -p ibidem --all-features --locked -E 'test(difference)' --no-capture

# Nobody gets anything of what they may not see: so many generated cases on the fakes, and so many through HTTP, PostgreSQL
# and Qdrant. Each is put to a world with what is hidden from the asker and to the same world without it.
leaks cases="1000000" real="20000":
    IBIDEM_LEAKS={{ cases }} cargo nextest run --cargo-profile release -p ibidem-engine --all-features --locked \
      -E 'test(no_generated_case_on_the_fakes_leaks)' --no-capture
    eval "$(stack/env)" && IBIDEM_LEAKS_REAL={{ real }} cargo nextest run --workspace --all-features --locked \
      -E "test(no_reply_of_the_real_parts)" --no-capture

# How long a tenant's single document waits while another tenant has so many jobs waiting: under ten seconds.
fair jobs="100000":
    eval "$(stack/env)" && IBIDEM_FAIR_JOBS={{ jobs }} cargo nextest run -p ibidem --test ingest --all-features --locked \
      -E 'test(a_tenant_with_a_long_queue)' --no-capture

# A document changes so many times while so many questions a second are asked about it: each answer is of the old version
# or of the new one.
updates changes="200" rate="20":
    eval "$(stack/env)" && IBIDEM_UPDATE_CHANGES={{ changes }} IBIDEM_UPDATE_RATE={{ rate }} \
      cargo nextest run -p ibidem --test updates --all-features --locked \
      -E 'test(while_a_document_changes)' --no-capture

# Ten thousand decisions made again from their records, and flips under other thresholds beside asking again.
replayed decisions="10000":
    IBIDEM_DECISIONS={{ decisions }} cargo nextest run --cargo-profile release -p ibidem-engine --all-features --locked \
      -E 'test(replayed)' --no-capture

# The trial's questions with each part away in turn: none may be answered that is refused with all parts. About half an
# hour on two cores; CI asks twelve of them. Then ten thousand generated ones on the fakes.
degraded questions="298" decisions="10000":
    eval "$(stack/env)" && IBIDEM_DEGRADED={{ questions }} cargo nextest run --cargo-profile release -p ibidem-adapters \
      --all-features --locked -E 'test(with_a_part_away)' --no-capture
    IBIDEM_DEGRADED={{ decisions }} cargo nextest run --cargo-profile release -p ibidem-engine --all-features --locked \
      -E 'test(with_a_part_away)' --no-capture

# Assertions in every disguise, and true sentences with something put into them, in six languages, streams cut anywhere,
# through the whole engine: nothing of it goes out.
disguises cases="20000":
    IBIDEM_DISGUISES={{ cases }} cargo nextest run --cargo-profile release -p ibidem-engine --all-features --locked \
      -E 'test(disguise)' --no-capture

# Conversations whose questions go on with one another, asked of the demo documents.
follow-ups:
    cargo build --locked -p ibidem
    eval "$(stack/env)" && .ci/follow_ups

# Two servers and 200 clients of one key that may ask 60 times a minute: how many requests both accept together.
limits seconds="300":
    cargo build --locked -p ibidem
    eval "$(stack/env)" && "$IBIDEM_STACK_PYTHON" bench/limits.py "$CARGO_TARGET_DIR/debug/ibidem" --seconds {{ seconds }}

# The golden set, measured anew: data/evaluation/baseline.json, the figures in the README, and a page to look at.
golden page="golden.html":
    cargo build --locked -p ibidem
    eval "$(stack/env)" && made="$(mktemp -d)" && trap 'rm -rf "$made"' EXIT && \
      { IBIDEM_GOLDEN_RESULTS="$made/results.json" .ci/golden --baseline data/evaluation/baseline.json \
        --html "{{ page }}" || true; } && \
      mv "$made/results.json" data/evaluation/baseline.json && \
      "$IBIDEM_STACK_PYTHON" bench/golden_figures.py data/evaluation/baseline.json README.md

# The distance and the coverage of demo/architecture/policy.yaml, chosen on half of the golden set (after `just golden`).
golden-thresholds:
    cargo build --locked -p ibidem
    eval "$(stack/env)" && "$IBIDEM_STACK_PYTHON" bench/golden_thresholds.py \
      "$CARGO_TARGET_DIR/debug/ibidem" demo/architecture/settings.yaml --tenant golden

# The answerability of demo/architecture/policy.yaml, chosen on the same half (after `just golden`): one run with the
# gate open, in which every threshold can be read.
golden-answerability:
    cargo build --locked -p ibidem
    eval "$(stack/env)" && made="$(mktemp -d)" && trap 'rm -rf "$made"' EXIT && \
      sed 's/answerability: [0-9.]*/answerability: 0.0001/' demo/architecture/policy.yaml > "$made/policy.yaml" && \
      "$CARGO_TARGET_DIR/debug/ibidem" --config demo/architecture/settings.yaml eval run --tenant golden \
        --policy "$made/policy.yaml" --output "$made/results.json" > /dev/null && \
      "$IBIDEM_STACK_PYTHON" bench/golden_answerability.py "$made/results.json"

# The trial's questions on the demo documents, from empty tenants, answered with the documents' own sentences: what is
# right, wrong and wrongly refused (open, sealed or both; the sealed half is scored once, at the end).
trial half="open" *arguments:
    cargo build --locked -p ibidem
    eval "$(stack/env)" && bench/trial.sh --half "{{ half }}" {{ arguments }}

# The same questions, documents and model through a plain retrieval pipeline and through Ibidem, as a table
# (`stack/up --model small` or `--model usable`). Reports and sentences stay in the folder `made`.
comparison sample="1000" made="comparison":
    cargo build --locked -p ibidem
    mkdir -p "{{ made }}"
    eval "$(stack/env)" && ibidem="$CARGO_TARGET_DIR/debug/ibidem" && \
      bench/trial.sh --with-model --half both --sample {{ sample }} --output "{{ made }}/ibidem.json" \
        --set language_model.timeout_ms=600000 --set server.request_timeout_ms=700000 && \
      "$IBIDEM_STACK_PYTHON" bench/plain_pipeline.py "{{ made }}/ibidem.json" > "{{ made }}/plain.jsonl" && \
      "$ibidem" eval trial --half both --replies "{{ made }}/plain.jsonl" --output "{{ made }}/plain.json" && \
      "$IBIDEM_STACK_PYTHON" bench/comparison.py "{{ made }}/plain.json" "{{ made }}/ibidem.json" \
        --sentences "{{ made }}/sentences.jsonl"

# Every part fails in every way, alone and in pairs (all, none or sample:K), for so many seconds each, under so many
# questions a second: the table in lab/reports/fault_campaign.md. It has a stack of its own, since it kills the parts.
campaign seconds="30" pairs="sample:20" rate="20":
    export IBIDEM_STACK_INSTANCE=campaign IBIDEM_STACK_MAY_BE_KILLED=yes && stack/up --model none && eval "$(stack/env)" && \
      IBIDEM_CAMPAIGN_SECONDS={{ seconds }} IBIDEM_CAMPAIGN_PAIRS={{ pairs }} IBIDEM_CAMPAIGN_RATE={{ rate }} \
      IBIDEM_CAMPAIGN_PAGE="$PWD/lab/reports/fault_campaign.md" \
      cargo nextest run -p ibidem --test campaign --locked --run-ignored only --no-capture -E 'test(the_whole_campaign)'

# Everything that somebody outside can try at the door, all of it; CI runs a slice of each.
siege:
    eval "$(stack/env)" && IBIDEM_SIEGE=whole cargo nextest run -p ibidem --test siege --all-features --locked \
      --no-fail-fast --no-capture

# Requests made from the OpenAPI document, valid and not, for so many minutes, with every check of schemathesis. It asks
# a server and a tenant of its own, with an admin's key.
schemathesis minutes="30":
    cargo build --locked -p ibidem
    eval "$(stack/env)" && bench/schemathesis.sh "$CARGO_TARGET_DIR/debug/ibidem" {{ minutes }}

# Three nodes of an index with two replicas of everything: each is killed under load and comes back.
cluster:
    export IBIDEM_STACK_INSTANCE=cluster && stack/up --cluster --model none && eval "$(stack/env)" && \
      cargo nextest run -p ibidem --test campaign --locked --run-ignored only --no-capture -E 'test(a_node_that_is_killed)'

# What recording every turn costs: answers with the audit and without it, in turns in one run.
audit-cost *arguments: (_data "retrieval/scifact") (_data "address_lookup/web_verses.jsonl")
    cargo build --release --locked -p ibidem-workbench
    eval "$(stack/env)" && "$CARGO_TARGET_DIR/release/ibidem-workbench" --set log.level=warn bench audit \
      --texts "{{ data }}/retrieval/scifact/corpus.jsonl" --texts "{{ data }}/address_lookup/web_verses.jsonl" {{ arguments }}

# So many minutes of mixed load at 70 % of what the machine carries, among so many passages, with documents that change and
# keys that are revoked: nothing may grow, get lost or be wrong. It has a stack of its own and writes lab/reports/endurance.md.
endurance minutes="120" passages="5000":
    cargo build --release --locked -p ibidem
    rehearsals/endurance.py "$CARGO_TARGET_DIR/release/ibidem" --minutes {{ minutes }} --passages {{ passages }} --page lab/reports/endurance.md

# Three servers behind HAProxy, two workers, three Qdrant nodes and two PostgreSQL servers under Patroni: what they carry
# beside one, and what is seen at so many questions a second while each of them is restarted or killed. It writes
# lab/reports/several.md.
several rate="10" passages="400":
    cargo build --release --locked -p ibidem
    rehearsals/several.py "$CARGO_TARGET_DIR/release/ibidem" --rate {{ rate }} --passages {{ passages }} --page lab/reports/several.md

# Questions, lists and figures among so many documents and so many records of questions, for somebody who sees most of them
# and somebody who sees none. It writes lab/reports/large_catalogue.md.
large-catalogue documents="1000000" records="300000":
    cargo build --release --locked -p ibidem
    rehearsals/large_catalogue.py "$CARGO_TARGET_DIR/release/ibidem" --documents {{ documents }} --records {{ records }} --page lab/reports/large_catalogue.md

# One tenant has the largest policy file that is allowed, so many passages, and so many askers who never pause: the server
# keeps to 1.5 GB, and another tenant waits at most twice as long as alone.
one-tenant passages="25000" askers="16":
    cargo build --release --locked -p ibidem
    rehearsals/one_tenant.py "$CARGO_TARGET_DIR/release/ibidem" --passages {{ passages }} --askers {{ askers }}

# Another embedding model takes the old one's place among so many passages, while questions are asked.
new-embedding-model passages="2000" rate="5":
    cargo build --release --locked -p ibidem
    rehearsals/new_embedding_model.py "$CARGO_TARGET_DIR/release/ibidem" --passages {{ passages }} --rate {{ rate }}

# Rehearses the runbooks in docs/runbooks, each on a stack of its own, and writes lab/reports/rehearsals.md. Names choose
# some of them: disk_full, clock_jump, certificate_expiry, postgres_failover, postgres_patroni, qdrant_node_loss,
# key_rotation, log_rotation, point_in_time_restore. disk_full mounts small file systems and wants root.
rehearse *names:
    cargo build --locked -p ibidem
    rehearsals/run "$CARGO_TARGET_DIR/debug/ibidem" {{ names }} --log lab/reports/rehearsals.md

# So many passages are backed up with questions running, everything is deleted, and the backup is restored: the answers and
# receipts of so many questions before and after. It has a stack of its own.
backup-at-size passages="2000" questions="50":
    cargo build --release --locked -p ibidem
    rehearsals/backup_at_size.py "$CARGO_TARGET_DIR/release/ibidem" --passages {{ passages }} --questions {{ questions }}

# The database and index of version 0.1, brought to today's version, interrupted after every statement; `ibidem migrate`
# itself is interrupted so many times. It has a stack of its own.
upgrade kills="4":
    cargo build --locked -p ibidem
    rehearsals/upgrade.py "$CARGO_TARGET_DIR/debug/ibidem" --kills {{ kills }}

# The alerts and objectives of deploy/prometheus through a real Prometheus and a real Alertmanager to a webhook, sixty times
# as fast: the index is killed under questions, then the server. It has a stack of its own, and wants root.
alerts-arrive:
    cargo build --locked -p ibidem
    rehearsals/alerts_arrive.py "$CARGO_TARGET_DIR/debug/ibidem"

# Traces of real questions, sent to Arize Phoenix and read back from it. Installs it, about 620 MB. It has a stack of its own.
traces-arrive:
    cargo build --locked -p ibidem
    rehearsals/traces_arrive.py "$CARGO_TARGET_DIR/debug/ibidem"

# The same upgrade while what version 0.1 did for a question is done so many times a second, and so many questions a second
# are put to the new server. It has a stack of its own.
upgrade-under-questions rate="20" asks="20" kills="3":
    cargo build --locked -p ibidem
    rehearsals/upgrade_under_questions.py "$CARGO_TARGET_DIR/debug/ibidem" --rate {{ rate }} --asks {{ asks }} --kills {{ kills }}

# With a stopwatch: from the tarball (or `deb`) in dist/ to a first cited answer, by three commands. `root` names a root file
# system of Debian 12, for a machine with nothing else: `mmdebstrap --variant=minbase bookworm base.tar`.
install package="tarball" root="":
    rehearsals/install.py --package {{ package }} {{ if root == "" { "" } else { "--root " + root } }}

# The container image from the tarball in dist/, by podman: its size, seconds until it is ready, memory when idle, and a first
# cited answer, as an unknown user id with a read-only root. `base` names another base image.
image base="debian:12-slim":
    rehearsals/image.py --base {{ base }}

# The Compose file, by podman-compose: up, the demo handbook, a first cited answer, with a stopwatch, on loopback.
compose:
    rehearsals/compose

# All hostile files, one at a time through a real worker under its limits, each beside a good document.
siege-files:
    eval "$(stack/env)" && cargo nextest run -p ibidem --test siege_files --locked --run-ignored all --no-capture
