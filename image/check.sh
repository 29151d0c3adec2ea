#!/bin/sh
# Checks the installation in the folder $1: it is whole, starts, and says of every package what its licence is.
# The list of licences is left beside it, in $1/share/doc/lockstep.
set -eu

prefix=$1
here=$(cd "$(dirname "$0")" && pwd)

python3 -m pip --python "$prefix/bin/python" --disable-pip-version-check check
"$prefix/bin/python" -m lockstep run --help >/dev/null
mkdir -p "$prefix/share/doc/lockstep"
"$prefix/bin/python" "$here/make/licences.py" >"$prefix/share/doc/lockstep/licences.md"
