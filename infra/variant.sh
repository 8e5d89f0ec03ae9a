#!/bin/sh
# Prints template.yaml as `make build` builds it: variant.sh (arm64 | x86_64) (on | off), for the
# processor and SnapStart. infra/README.md says why these are no parameters.
set -eu
cd "$(dirname "$0")/.."

refuse() {
    echo "infra/variant.sh: $1" >&2
    exit 2
}

# A second of an x86_64 processor costs more; the dashboard counts them.
for_processor() {
    case $1 in
    arm64) cat template.yaml ;;
    x86_64) sed 's/arm64/x86_64/; s/"0\.0000133334"/"0.0000166667"/' template.yaml ;;
    esac
}

# SnapStart restores published versions alone, and a version keeps its settings and its layer. BUILT_AT
# is new with every build, so SAM publishes a version with every build; without an alias none is needed.
with_snapstart() {
    awk -v now="$(date -u +%Y-%m-%dT%H:%M:%SZ)" '{ print }
        /^    LoggingConfig: {LogFormat: JSON}$/ {
            print "    AutoPublishAlias: live"
            print "    SnapStart: {ApplyOn: PublishedVersions}"
            print "    VersionDeletionPolicy: Delete" # a version that is kept is paid for
        }
        /^      Variables:$/ { print "        BUILT_AT: \"" now "\"" }'
}

case ${1:-} in
arm64 | x86_64) ;;
*) refuse "ARCHITECTURE is arm64 or x86_64, not '${1:-}'" ;;
esac
case ${2:-} in
on) for_processor "$1" | with_snapstart ;;
off) for_processor "$1" ;;
*) refuse "SNAPSTART is on or off, not '${2:-}'" ;;
esac
