#!/bin/sh
# fresh.sh SUITE CACHE COMMAND...: make an empty Debian below build/, clone HEAD into it, and run the commands there.
# fresh.sh needs: fail where it could not.
#
# It is a root file system of its own, with mounts and processes of its own, which end with it however it ends. What the
# environment says of registries, proxies and certificates holds there too. Nothing else of this machine is there but CACHE,
# the programs that were built before; an empty CACHE leaves them to be built anew.
set -eu

CERTIFICATES='SSL_CERT_FILE|PIP_CERT|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE'
# What an environment says of how registries are reached.
PASSED="$CERTIFICATES|PIP_.*|GO(PROXY|SUMDB|PRIVATE|NOPROXY|NOSUMDB|FLAGS)|.*_proxy|.*_PROXY|TERM"
# Where the user of the new machine is at home.
home=/srv/home

main() {
  suite=$1 cache=$2
  shift 2
  require_root
  mkdir -p build
  exec 9>build/fresh.lock
  flock --nonblock 9 || fail 'Another make fresh runs in this clone.'
  root=$PWD/build/fresh
  trap 'exit 130' INT TERM HUP
  trap 'clear_away' EXIT
  rm -rf --one-file-system "$root"
  mkdir -p "$root"
  unshare --mount --pid --fork --kill-child sh "$0" inside "$root" "$suite" "$cache" "$@" 9>&- &
  child=$!
  status=0
  wait "$child" || status=$?
  child=
  [ "$status" -eq 0 ] || exit "$status"
  echo "Passed on an empty Debian $suite: $*"
}

require_root() {
  [ "$(id -u)" -eq 0 ] || fail 'make fresh needs root, since it makes a root file system; type it as root, or with sudo.'
}

fail() {
  echo "$1" >&2
  exit 1
}

clear_away() {
  [ -z "${child-}" ] || kill -KILL "$child" 2>/dev/null || true
  wait
  rm -rf --one-file-system "$root"
}

# All below runs in the namespaces.
inside() {
  root=$1 suite=$2 cache=$3
  shift 3
  mount -t proc proc /proc
  make_debian
  mkdir -p "$root$home"
  git clone --quiet --no-hardlinks . "$root$home/lockstep"
  pass_settings
  mount_into
  enter "$@"
}

# What a clone and a first command need is there, and nothing else.
make_debian() {
  command -v debootstrap >/dev/null || apt_get install --yes --no-install-recommends debootstrap
  debootstrap --variant=minbase --include=git,make "$suite" "$root" "${MIRROR:-http://deb.debian.org/debian}" \
    >build/fresh-debootstrap.log || fail "debootstrap failed: build/fresh-debootstrap.log says why."
}

apt_get() {
  apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq "$@" >/dev/null
}

# How this machine reaches package registries.
pass_settings() {
  for path in /etc/hosts /etc/resolv.conf /etc/pip.conf "$HOME/.pip/pip.conf" "$HOME/.config/pip/pip.conf" \
    "$HOME/.config/go/env" /usr/local/share/ca-certificates $(certificate_files) $(apt_settings); do
    [ -e "$path" ] || continue
    target=$root$(echo "$path" | sed "s|^$HOME/|$home/|")
    mkdir -p "$(dirname "$target")"
    cp -rL "$path" "$(dirname "$target")/"
  done
}

certificate_files() {
  env | sed -nE "s/^($CERTIFICATES)=//p" | sort -u
}

apt_settings() {
  grep -ls '^Acquire' /etc/apt/apt.conf.d/* || true
}

names_of_environment() {
  env | sed -nE 's/^([A-Za-z_][A-Za-z0-9_]*)=.*/\1/p'
}

mount_into() {
  mount --bind "$root" "$root"
  mount -t proc proc "$root/proc"
  mount -t sysfs -o ro sysfs "$root/sys"
  mount --rbind /dev "$root/dev"
  if [ -n "$cache" ]; then
    mkdir -p "$cache" "$root$home/.cache/lockstep"
    mount --bind "$cache" "$root$home/.cache/lockstep"
  fi
}

# A changed root, unlike a chroot, may have namespaces of users.
enter() {
  command=$(joined "$@")
  cd "$root"
  pivot_root . .
  umount -l .
  for name in $(names_of_environment | grep -Ev "^($PASSED)$"); do
    unset "$name"
  done
  export HOME=$home PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8
  exec sh -euxc "cd $home/lockstep; $command"
}

joined() {
  text=:
  for part; do
    text="$text; $part"
  done
  echo "$text"
}

case $1 in
  needs) require_root; exit ;;
  inside) shift; inside "$@" ;;
  *) main "$@"; exit ;;
esac
