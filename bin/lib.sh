# What the scripts in bin/ share: how they speak, fail and keep time. Sourced, never run.
# shellcheck shell=bash

set -euo pipefail
# root's PATH lacks the sbin folders after a plain `su`; dockerd needs iptables from there
PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin"
REPO="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)"

say() { printf '%s\n' "$@"; }

# Prints why and what to do, each argument a line, and ends the script.
fail() {
    printf '%s\n' "$@" >&2
    exit 1
}

# Runs a command with its output in a file and prints one line with the time it took. On
# failure the end of that output is shown, and the script ends.
step() {
    try_step "$@"
    [ "$STEP_RC" -eq 0 ] || fail "The step \"${1#"${1%%[! ]*}"}\" failed; its last lines are above."
}

# The same, but leaves the exit code in STEP_RC instead of ending the script. Never call either
# behind `||` or `if`: bash would then run on after a failing line of the step.
try_step() {
    local name="$1" log began="$EPOCHREALTIME"
    shift
    log="$(mktemp)"
    printf '%-48s' "$name"
    set +e
    if [ -n "${SHOW_STEPS:-}" ]; then # somebody reads along, such as an admin in the console
        printf '\n'
        (set -e && "$@") 2>&1 </dev/null | tee "$log"
        STEP_RC="${PIPESTATUS[0]}"
    else
        (set -e && "$@") >"$log" 2>&1 </dev/null
        STEP_RC=$?
    fi
    set -e
    if [ "$STEP_RC" -eq 0 ]; then
        printf ' %9s%s\n' "$(seconds_since "$began")" "$(remark_of "$log")"
    else
        printf ' failed after %s\n' "$(seconds_since "$began")"
        tail -n 60 "$log" >&2
    fi
    rm -f "$log"
}

# One line as step prints it, for what was timed by other means.
report() { printf '%-48s %9s\n' "$1" "$2"; }

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
