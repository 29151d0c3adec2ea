#!/bin/sh
# kubectl lockstep: runs the command line, and installs it before the first call. Krew has unpacked this script with the
# wheel and its lock, and calls it by a link.
set -eu

here=$(dirname "$(readlink -f "$0")")
wheel=$(ls "$here"/*.whl)
# A version, or a Python, has an installation of its own.
python=${LOCKSTEP_PYTHON:-python3}
release=$(basename "$wheel" .whl)-$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
data=${XDG_DATA_HOME:-$HOME/.local/share}/kubectl-lockstep
installed=$data/$release

install() {
  "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || refuse 'needs Python 3.11 or newer'
  echo "kubectl lockstep: installing $release …" >&2
  mkdir -p "$data"
  # What is there under the final name is whole, whichever process was interrupted or came first.
  new=$(mktemp -d "$data/new.XXXXXX")
  trap 'rm -rf "$new"' EXIT
  trap 'exit 130' INT TERM HUP
  "$python" -m venv "$new/venv" || refuse "needs Python's module venv"
  into --require-hashes --requirement "$(ls "$here"/*.lock)"
  into --no-index --no-deps "$wheel"
  mv -T "$new/venv" "$installed" 2>/dev/null || [ -x "$installed/bin/python" ]
  rm -rf "$new"
  trap - EXIT INT TERM HUP
}

into() {
  "$new/venv/bin/python" -m pip install --quiet --disable-pip-version-check --only-binary :all: "$@" >&2 ||
    refuse 'could not be installed'
}

refuse() {
  echo "kubectl lockstep $1; LOCKSTEP_PYTHON names another Python than python3." >&2
  exit 1
}

[ -x "$installed/bin/python" ] || install
# Isolated, so that no folder in which it is called is searched for modules.
exec "$installed/bin/python" -I -c '
import sys
from lockstep.cli import main
sys.argv[0] = "kubectl-lockstep"
main()' "$@"
