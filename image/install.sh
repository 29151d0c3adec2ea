#!/bin/sh
# Installs the project's wheel in the folder $1 and what it needs, as locked, into the empty or missing folder $2.
# What it needs is taken from $1 too, or from the index; not from there where PIP_NO_INDEX is set.
# $3, if given, is a folder that stands for /: then $2 is a path below it, and works once $3 is /.
# Nothing is compiled: what has no wheel for this platform is refused.
set -eu

wheels=$1
prefix=$2
root=${3-}
locks=$(cd "$(dirname "$0")" && pwd)/locks

python3 -m venv --without-pip "$root$prefix"
into() {
  python3 -m pip --python "$root$prefix/bin/python" install --quiet --disable-pip-version-check \
    --only-binary :all: --no-deps --no-compile --find-links "$wheels" "$@"
}
into --require-hashes --requirement "$locks/runtime.lock"
into --no-index lockstep-operator
# The same client for asyncio: 66 MB that nothing here imports.
rm -r "$root$prefix"/lib/python3*/site-packages/kubernetes/aio
# An image has no times, so bytecode must not depend on those of its sources: else each start would compile all of them.
# Some that does is there already (-f).
"$root$prefix/bin/python" -m compileall -q -f --invalidation-mode unchecked-hash "$root$prefix/lib"
# Console scripts name their Python by its whole path.
find "$root$prefix/bin" -type f -exec sed -i "1s|^#!$root|#!|" {} +
