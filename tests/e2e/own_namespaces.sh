#!/bin/sh
# own_namespaces.sh ARGUMENTS...: run Python in namespaces of its own, for the network, mounts and processes.
# What it starts meets nothing of other processes of the tests, and ends with it. The shell waits for orphans.
# shellcheck disable=SC2016 # the inner shell's
exec unshare --net --mount --pid --fork --kill-child --mount-proc \
  sh -c 'ip link set lo up && .venv/bin/python "$@"; exit $?' sh "$@"
