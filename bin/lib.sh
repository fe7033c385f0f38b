# What the scripts in bin/ share: how they speak, fail and keep time. Sourced, never run.
# shellcheck shell=bash

set -euo pipefail
# root's PATH lacks the sbin folders after a plain `su`; dockerd needs iptables from there
PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin"
REPO="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"

say() { printf '%s\n' "$*"; }

# Prints why and what to do, each argument a line, and ends the script.
fail() {
    printf '%s\n' "$@" >&2
    exit 1
}

# Runs a command with its output in a file and prints one line with the time it took.
# On failure the last lines of that output are shown and the script ends.
step() {
    local name="$1" log began="$EPOCHREALTIME" rc
    shift
    log="$(mktemp)"
    printf '%-46s' "$name"
    # a subshell with its own -e: within `||` bash would not stop at a failing line
    set +e
    (set -e && "$@") >"$log" 2>&1 </dev/null
    rc=$?
    set -e
    report_step "$name" "$rc" "$log" "$(seconds_since "$began")"
}

report_step() {
    if [ "$2" -ne 0 ]; then
        printf ' failed after %s\n' "$4"
        tail -n 40 "$3" >&2
        rm -f "$3"
        fail "The step \"${1# *}\" failed; its last lines are above."
    fi
    printf ' %9s%s\n' "$4" "$(remark_of "$3")"
    rm -f "$3"
}

# The last line that a step printed, where it is a remark (`# already there`).
remark_of() { tail -n 1 "$1" | sed -n 's/^# /  /p'; }

seconds_since() {
    local us=$((${EPOCHREALTIME/[.,]/} - ${1/[.,]/}))
    printf '%d.%02d s' $((us / 1000000)) $((us % 1000000 / 10000))
}

is_root() { [ "$(id -u)" -eq 0 ]; }

# True when /proc says that this process runs the program of that name, deleted or not.
runs_program() {
    local exe
    exe="$(readlink "/proc/$1/exe" 2>/dev/null)" || return 1
    exe="${exe% (deleted)}"
    [ "${exe##*/}" = "$2" ]
}

# Sixteen digits that change with any file in a folder, by name and content; notes don't count.
hash_of_folder() {
    (cd "$1" && find . -type f ! -name README.md ! -path '*/__pycache__/*' -print0 |
        LC_ALL=C sort -z | xargs -0 sha256sum) | sha256sum | cut -c 1-16
}
