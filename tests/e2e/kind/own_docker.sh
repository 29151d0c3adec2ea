#!/bin/sh
# own_docker.sh FOLDER COMMAND...: run a command beside a Docker of its own, as root, with control groups of version 1.
# Docker's programs are in FOLDER/programs, and its data stays in FOLDER. Network, mounts and processes are its own and end
# with the command.
set -eu

if [ "$1" != inside ]; then
  unshare --net --mount --pid --fork --kill-child --mount-proc sh "$0" inside "$@" && code=0 || code=$?
  find /sys/fs/cgroup/*/lockstep-kind -depth -type d -exec rmdir {} + 2>/dev/null || true
  exit "$code"
fi

here=$(cd "$(dirname "$0")" && pwd)
folder=$2
shift 2
mount -t tmpfs tmpfs /run
ip link set lo up
export PATH="$folder/programs/usr/sbin:$folder/programs/usr/bin:$PATH" DOCKER_HOST=unix:///run/docker.sock

dockerd --host="$DOCKER_HOST" --data-root="$folder/data" --exec-root=/run/docker --pidfile=/run/docker.pid \
  --cgroup-parent=/lockstep-kind --add-runtime=granted="$here/runtime.py" --default-runtime=granted \
  >"$folder/dockerd.log" 2>&1 &
until docker info >/dev/null 2>&1; do
  kill -0 $! 2>/dev/null || { echo "Docker did not start: $folder/dockerd.log says why." >&2; exit 1; }
  sleep 1
done
# A run that was interrupted has left its containers behind.
docker ps --all --quiet | xargs --no-run-if-empty docker rm --force --volumes >/dev/null
code=0
"$@" || code=$?
exit "$code"
