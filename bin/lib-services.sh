# Finding, and where root may installing, the programs that tests use. Sourced after lib.sh.
# shellcheck shell=bash

# ensure_program COMMAND PACKAGE: nothing where the command is there, from wherever it came.
ensure_program() { command -v "$1" >/dev/null || "$REPO/bin/ensure-packages" "$2"; }

# Debian keeps PostgreSQL's programs outside of PATH, in a folder for each version.
postgresql_folder() {
    local initdb
    initdb="$(command -v initdb || find /usr/lib/postgresql -name initdb 2>/dev/null | sort -V | tail -n 1)"
    [ -n "$initdb" ] && dirname "$(readlink -f "$initdb")"
}

ensure_postgresql() { postgresql_folder >/dev/null || "$REPO/bin/ensure-packages" postgresql; }
