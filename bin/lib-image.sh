# What building any of our images needs. Sourced after lib.sh.
# shellcheck shell=bash

REGISTRY_PATIENCE_S=10
BUILD_PATIENCE_S=900

has_image() { docker image inspect "$1" >/dev/null 2>&1; }

# Pulls an image if its registry answers within a few seconds. A slow download may go on for
# as long as it needs; a registry that says nothing may not.
pull_quickly() {
    local log pid deadline=$((SECONDS + REGISTRY_PATIENCE_S)) rc=0
    log="$(mktemp)"
    docker pull "$1" >"$log" 2>&1 &
    pid=$!
    until grep -q 'Pulling from' "$log" || ! kill -0 "$pid" 2>/dev/null; do
        [ "$SECONDS" -lt "$deadline" ] || kill "$pid" 2>/dev/null || true
        sleep 0.1
    done
    wait "$pid" 2>/dev/null || rc=$?
    rm -f "$log"
    return "$rc"
}

# choose_base PUBLIC_IMAGE: leaves the image to build on in BASE, unless somebody chose it.
choose_base() {
    local began="$EPOCHREALTIME"
    [ -z "$BASE" ] || return 0
    if has_image "$1" || pull_quickly "$1"; then
        BASE="$1"
        report "  base image $1" "$(seconds_since "$began")"
        return
    fi
    say "No image registry answers: using a stand-in for $1 from Debian packages."
    "$REPO/bin/build-base"
    BASE="$("$REPO/bin/build-base" --print-tag)"
}

# build_context FOLDER BASE OPTION…: builds the Dockerfile of a folder that may be added to.
build_context() {
    local context="$1" base="$2" proxies
    shift 2
    bundle_host_certificates "$context"
    mapfile -t proxies < <(proxy_arguments)
    timeout --foreground "$BUILD_PATIENCE_S" \
        docker build --network host --build-arg "BASE_IMAGE=$base" "${proxies[@]}" "$@" "$context"
}

# Copies the certificate authorities that this machine trusts besides the public ones, so
# that builds work behind an inspecting proxy. Copies nothing where there are none.
bundle_host_certificates() {
    local file number=0
    mkdir -p "$1"
    while IFS= read -r file; do
        number=$((number + 1))
        cp "$file" "$1/host-ca-$number.crt"
    done < <(host_certificate_files)
}

host_certificate_files() {
    local name file
    find -L /usr/local/share/ca-certificates /etc/pki/ca-trust/source/anchors \
        -type f -name '*.crt' 2>/dev/null || true
    for name in SSL_CERT_FILE PIP_CERT NODE_EXTRA_CA_CERTS REQUESTS_CA_BUNDLE; do
        file="${!name:-}"
        # the system's own bundle repeats what every image has
        if [ -f "$file" ] && [[ "$(readlink -f "$file")" != /etc/ssl/certs/* ]]; then
            say "$file"
        fi
    done | sort -u
}

proxy_arguments() {
    local name
    for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY; do
        [ -z "${!name:-}" ] || printf -- '--build-arg\n%s=%s\n' "$name" "${!name}"
    done
}
