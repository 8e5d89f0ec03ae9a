#!/bin/sh
# Asks PyPI and npm's registry for known vulnerabilities of every locked package. Refuses where a vulnerability is known,
# and where no answer came: pip-audit passes over packages that the source does not know, and npm finds nothing where the
# registry answers with nothing. So each source is first asked about a release whose vulnerabilities every source knows.
set -eu
cd "$(dirname "$0")/.."
PATH="$PWD/.venv/bin:$PATH"
asked=$(mktemp -d)
trap 'rm -rf "$asked"' EXIT
refused=0

refuse() {
    echo "audit: $1" >&2
    refused=1
}

of_python() { .venv-release/bin/pip-audit --strict --disable-pip --progress-spinner off "$@"; }

of_node() (cd "$1" && shift && npm audit --package-lock-only --no-offline "$@")

echo "jinja2==2.11.2" >"$asked/requirements.txt"
if of_python --no-deps --format json -r "$asked/requirements.txt" 2>"$asked/said" | grep -q '"vulns": \[{'; then
    for lock in requirements/*.txt; do
        echo "audit: $lock"
        of_python --require-hashes -r "$lock" || refuse "$lock has known vulnerabilities, or PyPI does not know a package"
    done
else
    tail -n 1 "$asked/said" >&2
    refuse "PyPI did not answer with the known vulnerabilities of jinja2 2.11.2, so no Python package was asked about"
fi

cat >"$asked/package-lock.json" <<'LOCK'
{"name": "asked", "lockfileVersion": 3, "packages": {
  "": {"name": "asked", "dependencies": {"minimist": "0.0.8"}},
  "node_modules/minimist": {"version": "0.0.8"}}}
LOCK
echo '{"name": "asked", "dependencies": {"minimist": "0.0.8"}}' >"$asked/package.json"
if of_node "$asked" --json 2>"$asked/said" | grep -q '"minimist": {'; then
    for lock in $(git ls-files '*package-lock.json'); do
        echo "audit: $lock"
        of_node "$(dirname "$lock")" || refuse "$lock has known vulnerabilities, or npm's registry did not answer"
    done
else
    head -n 1 "$asked/said" >&2
    refuse "npm's registry did not answer with the known vulnerabilities of minimist 0.0.8, so no npm package was asked about"
fi

exit $refused
