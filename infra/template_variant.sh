#!/bin/sh
# Prints the variant of template.yaml for `make build`: template_variant.sh (arm64 | x86_64) (off | on | NAME,...)
# [key | iam | jwt], for the processor, SnapStart, of functions by name or of all that a caller with a key waits for, and
# the authorizer. infra/README.md says why none is a parameter of the template.
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

with_authorizer() {
    case $1 in
    key) cat ;;
    iam | jwt) .venv/bin/python infra/authorizer_variant.py "$1" ;;
    esac
}

# SnapStart restores published versions only, and a version keeps the settings and layer. BUILT_AT
# differs in every build, so SAM publishes a version with every build; without an alias none is needed.
# `on` is for functions that a caller with a key waits for: not GET /health, and not functions that only schedules,
# queues or the stream start. By name, also the authorizer, of which API Gateway then invokes the alias. A function
# with a runtime of its own cannot be restored, and its URL invokes no version.
with_snapstart() {
    awk -v asked="$1" -v now="$(date -u +%Y-%m-%dT%H:%M:%SZ)" -v a_gigabyte_second=0.0000015046 '
        BEGIN { names = asked == "on" ? 0 : split(asked, by_name, ",") }
        /^  [A-Za-z]+:/ { resource = $1; in_globals = ($1 == "Function:") }
        /^      MemorySize: / && NR == FNR { memory[resource] = $2 }
        /^    MemorySize: / && NR == FNR { usual = $2 }
        NR == FNR {
            if (/Type: HttpApi$/) waited_for[resource] = 1
            if (/Authorizer: NONE/) open[resource] = 1
            if (/AWS_LAMBDA_EXEC_WRAPPER/) own_runtime[resource] = 1
            next
        }
        FNR == 1 {
            for (each in waited_for) if (!names && !(each in open)) restored[each] = 1
            for (place = 1; place <= names; place++) {
                each = by_name[place] "Function:"
                if (!(each in waited_for || each == "AuthorizerFunction:") || each in own_runtime) {
                    printf "infra/template_variant.sh: SNAPSTART is on, off or names of functions such as " \
                        "Retrieve,Mcp,Authorizer; %s is no function that can be restored\n", by_name[place] >"/dev/stderr"
                    exit 2
                }
                restored[each] = 1
            }
            for (each in own_runtime) delete restored[each]
        }
        # what the template itself names as the target: the authorizer, and functions that are kept warm
        /^ +(FunctionArn|  Arn): !GetAtt [A-Za-z]+Function\.Arn$/ {
            each = $3
            sub(/\.Arn$/, "", each)
            if ((each ":") in restored) sub(/!GetAtt .*/, "!Ref " each ".Alias")
        }
        { print }
        /^    Properties:$/ && resource in restored {
            print "      AutoPublishAlias: live"
            print "      SnapStart: {ApplyOn: PublishedVersions}"
            print "      VersionDeletionPolicy: Delete" # AWS bills every published version
            versions++
            gigabytes += (resource in memory ? memory[resource] : usual) / 1024
        }
        /^      Variables:$/ && in_globals { print "        BUILT_AT: \"" now "\"" }
        END {
            if (!versions) exit 2
            dollars = gigabytes * a_gigabyte_second * 30 * 24 * 3600
            printf "SnapStart: %d version%s of %.1f GB in total cost%s %.0f dollars a month\n",
                versions, versions == 1 ? "" : "s", gigabytes, versions == 1 ? "s" : "", dollars >"/dev/stderr"
        }' template.yaml -
}

case ${1:-} in
arm64 | x86_64) ;;
*) refuse "ARCHITECTURE is arm64 or x86_64, not '${1:-}'" ;;
esac
case ${3:-key} in
key | iam | jwt) ;;
*) refuse "AUTHORIZER is key, iam or jwt, not '$3'" ;;
esac
case ${3:-key},${2:-}, in
key,*) ;;
*,Authorizer,*) refuse "SNAPSTART names Authorizer, which nothing calls with AUTHORIZER=$3" ;;
esac
case ${2:-} in
off) for_processor "$1" | with_authorizer "${3:-key}" ;;
"") refuse "SNAPSTART is on, off or names of functions" ;;
*) for_processor "$1" | with_authorizer "${3:-key}" | with_snapstart "$2" ;;
esac
