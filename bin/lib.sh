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

# Runs a command with its output in a file, prints one line with the time it took.
# On failure the last lines of that output are shown and the script ends.
step() {
    local name="$1" log began rc=0
    shift
    log="$(mktemp)"
    began="$EPOCHREALTIME"
    printf '%-34s' "$name"
    "$@" >"$log" 2>&1 </dev/null || rc=$?
    if [ "$rc" -ne 0 ]; then
        printf ' failed after %s\n' "$(seconds_since "$began")"
        tail -n 40 "$log" >&2
        rm -f "$log"
        fail "The step \"$name\" failed; its last lines are above."
    fi
    printf ' %8s%s\n' "$(seconds_since "$began")" "$(remark_of "$log")"
    rm -f "$log"
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
