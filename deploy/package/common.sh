# shellcheck shell=bash disable=SC2034 # names defined here are used by the scripts beside it
# What the two packages share: the version, the time stamp of every file, and the files themselves.
set -euo pipefail

PROJECT=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
HOME_OF_PARTS=${IBIDEM_STACK_HOME:-${XDG_CACHE_HOME:-$HOME/.cache}/ibidem-stack}
DIST=${IBIDEM_DIST:-$PROJECT/dist}
VERSION=$(sed -n 's/^version = "\(.*\)"$/\1/p' "$PROJECT/Cargo.toml" | head -n 1)
# Every file gets the time of the commit, so that two packages of one commit and one binary are the same bytes.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$PROJECT" log -1 --format=%ct 2>/dev/null || printf 0)}
export SOURCE_DATE_EPOCH

fail() {
    printf 'package: %s\n' "$*" >&2
    exit 1
}

usage() {
    printf 'usage: %s [BINARY]\n%s\n' "$1" \
        "BINARY is the release build where none is named. The parts come from stack/fetch; the result goes to dist/."
}

choose_binary() { # [BINARY]; sets BINARY
    BINARY=${1:-${CARGO_TARGET_DIR:-$HOME_OF_PARTS/target}/release/ibidem}
    [[ -x $BINARY ]] || fail "there is no $BINARY: run cargo build --release --locked -p ibidem, or name the binary"
}

# What runs: the binary, ONNX Runtime and the embedding model. The readers are inside the binary.
put_program() { # FOLDER-OF-BINARY FOLDER-OF-PARTS
    local file
    for file in lib/libonnxruntime.so models/minilm/model.onnx models/minilm/tokenizer.json; do
        [[ -f $HOME_OF_PARTS/$file ]] || fail "there is no $HOME_OF_PARTS/$file: run stack/fetch --model none"
        install -D -m 644 "$HOME_OF_PARTS/$file" "$2/$file"
    done
    install -D -m 755 "$BINARY" "$1/ibidem"
    # Line tables and symbols are for whoever builds it; they are three quarters of the file. A panic says its line without.
    ! command -v strip >/dev/null || strip --strip-all "$1/ibidem"
}

same_times() { # FOLDER
    find "$1" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
}

checksum() { # FILE in dist/
    (cd -- "$DIST" && sha256sum -- "$1" >"$1.sha256")
    printf '%s  %s bytes\n' "$DIST/$1" "$(stat -c %s "$DIST/$1")"
}
