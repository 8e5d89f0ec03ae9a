#!/bin/sh
# Prints template.yaml as `make build` builds it: variant.sh (arm64 | x86_64) [snapstart].
# Changes of the text, not parameters: a layer must not be for another processor than its functions,
# and SAM takes no condition for the alias that SnapStart needs.
set -eu
cd "$(dirname "$0")/.."

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

case ${2:-} in
snapstart) sed "s/arm64/$1/" template.yaml | with_snapstart ;;
*) sed "s/arm64/$1/" template.yaml ;;
esac
