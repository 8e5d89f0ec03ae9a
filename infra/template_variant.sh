#!/bin/sh
# Prints the variant of template.yaml for `make build`: template_variant.sh (arm64 | x86_64) (on | off), for the
# processor and SnapStart. infra/README.md says why neither is a parameter of the template.
set -eu
cd "$(dirname "$0")/.."

refuse() {
    echo "infra/template_variant.sh: $1" >&2
    exit 2
}

# The dashboard computes costs with the price of a GB-second, which is higher on x86_64.
for_processor() {
    case $1 in
    arm64) cat template.yaml ;;
    x86_64) sed 's/arm64/x86_64/; s/"0\.0000133334"/"0.0000166667"/' template.yaml ;;
    esac
}

# SnapStart restores published versions only, and a version keeps the settings and layer. BUILT_AT
# differs in every build, so SAM publishes a version with every build; without an alias none is needed.
# SnapStart is for functions that a caller with a key waits for: not the authorizer, which API Gateway invokes
# without a version, not GET /health, and not functions that only schedules, queues or the stream start. A function
# with a runtime of its own cannot be restored, and its URL invokes no version.
with_snapstart() {
    awk -v now="$(date -u +%Y-%m-%dT%H:%M:%SZ)" -v a_gigabyte_second=0.0000015046 '
        /^  [A-Za-z]+:/ { resource = $1; in_globals = ($1 == "Function:") }
        /^      MemorySize: / && NR == FNR { memory[resource] = $2 }
        /^    MemorySize: / && NR == FNR { usual = $2 }
        NR == FNR {
            if (/Type: HttpApi$/) waited_for[resource] = 1
            if (/Authorizer: NONE/) open[resource] = 1
            if (/AWS_LAMBDA_EXEC_WRAPPER/) open[resource] = 1
            next
        }
        { print }
        /^    Properties:$/ && resource in waited_for && !(resource in open) {
            print "      AutoPublishAlias: live"
            print "      SnapStart: {ApplyOn: PublishedVersions}"
            print "      VersionDeletionPolicy: Delete" # AWS bills every published version
            versions++
            gigabytes += (resource in memory ? memory[resource] : usual) / 1024
        }
        /^      Variables:$/ && in_globals { print "        BUILT_AT: \"" now "\"" }
        END {
            dollars = gigabytes * a_gigabyte_second * 30 * 24 * 3600
            printf "SnapStart: %d versions of %.1f GB in total cost %.0f dollars a month\n",
                versions, gigabytes, dollars >"/dev/stderr"
        }' template.yaml -
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
