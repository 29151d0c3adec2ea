#!/bin/sh
# Builds the project's wheel into the folder $1, with the locked build tools and nothing else.
set -eu

out=$1
source=$(cd "$(dirname "$0")/.." && pwd)
tools=$(mktemp -d)
trap 'rm -rf "$tools"' EXIT

python3 -m venv "$tools"
"$tools/bin/pip" install --quiet --disable-pip-version-check \
  --only-binary :all: --no-deps --require-hashes --requirement "$source/image/locks/wheel.lock"
"$tools/bin/pip" wheel --quiet --disable-pip-version-check \
  --no-deps --no-build-isolation --wheel-dir "$out" "$source"
