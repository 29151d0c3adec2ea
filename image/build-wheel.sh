#!/bin/sh
# Builds the project's wheel into the folder $1, with the locked build tools and nothing else.
set -eu

out=$1
source=$(cd "$(dirname "$0")/.." && pwd)
tools=$(mktemp -d)
trap 'rm -rf "$tools"' EXIT

python3 -m venv --without-pip "$tools"
tools_pip() {
  python3 -m pip --python "$tools/bin/python" "$@" --quiet --disable-pip-version-check --no-deps
}
tools_pip install --only-binary :all: --require-hashes --requirement "$source/image/locks/wheel.lock"
tools_pip wheel --no-build-isolation --wheel-dir "$out" "$source"
