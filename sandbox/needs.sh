#!/bin/sh
# needs.sh PYTHON [tests] [nodes]: install what make needs of Debian or Ubuntu where this user may, else say in one line
# what to type. It runs in the clone, before anything else: there may be no Python yet, so it is a shell's.
set -u

python=$1
shift
wanted=" $* "
PATH="$PATH:/usr/sbin:/sbin"

main() {
  packages=$(missing_packages)
  if [ -n "$packages" ] && may_install; then
    # shellcheck disable=SC2086 # one word a package
    install $packages && packages=$(missing_packages)
  fi
  commands=$(commands_for $packages)
  [ -z "$commands" ] || refuse "$commands"
}

missing_packages() {
  has_python || echo "${python##*/}-venv"
  has_certificates || echo ca-certificates
  if wants tests; then
    has_browser || browser_package
  fi
  if wants nodes; then
    missing_of_nodes
  fi
}

# The programs of real nodes, and the package of Debian that has each.
missing_of_nodes() {
  while read -r program package; do
    command -v "$program" >/dev/null || echo "$package"
  done <<'ROWS'
containerd containerd
runc runc
/usr/lib/cni/ptp containernetworking-plugins
/bin/busybox busybox-static
ip iproute2
ROWS
}

wants() {
  case $wanted in *" $1 "*) return 0 ;; *) return 1 ;; esac
}

# Debian's Python has neither module without its package python3-venv. An environment that is there needs neither.
has_python() {
  [ -x .venv/bin/python ] || "$python" -c 'import ensurepip, venv' 2>/dev/null
}

has_certificates() {
  # shellcheck disable=SC2086 # a pattern
  set -- ${SSL_CERT_FILE:-/etc/ssl/certs/*}
  [ -e "$1" ]
}

# The first that is there has to work: Ubuntu has one that only asks for a snap, and a snap may not see our folders.
has_browser() {
  browser=$(first_browser) && folder=$(mktemp -d) || return 1
  timeout 120 "$browser" --headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run \
    --disable-background-networking --user-data-dir="$folder" --dump-dom data:text/html, >/dev/null 2>&1 &&
    [ -e "$folder/Default" ]
  works=$?
  rm -rf "$folder"
  return $works
}

first_browser() {
  if [ -n "${LOCKSTEP_CHROMIUM-}" ]; then
    command -v "$LOCKSTEP_CHROMIUM"
    return
  fi
  while read -r name; do
    command -v "$name" && return
  done <tests/live/browsers.txt
  return 1
}

browser_package() {
  if is_ubuntu; then echo chromium-browser; else echo chromium; fi
}

is_ubuntu() {
  grep -qx 'ID=ubuntu' "${OS_RELEASE:-/etc/os-release}" 2>/dev/null
}

is_root() {
  [ "$(id -u)" -eq 0 ]
}

may_install() {
  command -v apt-get >/dev/null && { is_root || sudo -n true 2>/dev/null; }
}

install() {
  echo "Installing $* …"
  as_root=
  is_root || as_root='sudo -n'
  # On a machine that has just started, its own updates may hold the lock.
  apt="$as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=600"
  $apt update >/dev/null && $apt install --yes --no-install-recommends "$@" >/dev/null
}

# What is left to type for these packages, and for the one setting that tests need: those of a root file system enter it
# as root, as its user in a namespace, or with sudo.
commands_for() {
  sudo='sudo '
  is_root && sudo=
  [ $# -eq 0 ] || if command -v apt-get >/dev/null; then
    echo "${sudo}apt-get update && ${sudo}apt-get install --yes --no-install-recommends $*"
  else
    echo "your distribution's command that installs what Debian calls $*"
  fi
  wants tests || return 0
  is_root || unshare --map-root-user true 2>/dev/null || sudo -n true 2>/dev/null || namespace_setting
}

namespace_setting() {
  setting=user.max_user_namespaces=10000
  [ ! -e /proc/sys/kernel/apparmor_restrict_unprivileged_userns ] ||
    setting=kernel.apparmor_restrict_unprivileged_userns=0
  echo "sudo sysctl -w $setting"
}

refuse() {
  line=$(echo "$1" | sed ':all;N;$!ball;s/\n/ \&\& /')
  advice=
  case $line in
    *chromium-browser*) advice=', or install Google Chrome, since that is a snap' ;;
    *chromium*) advice=', or name a browser like Chromium in LOCKSTEP_CHROMIUM' ;;
  esac
  echo "This machine lacks something that make needs; type: $line$advice" >&2
  exit 1
}

main
