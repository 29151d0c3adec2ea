#!/bin/sh
# bases.sh FOLDER: write root file systems of Debian that images begin with where no registry can be reached.
# python.tar stands for the base of image/Dockerfile, and has the same minor version of Python; node.tar for that of kind.
set -eu

node=systemd,systemd-sysv,dbus,bash,ca-certificates,conntrack,containerd,containernetworking-plugins,curl,ethtool,hostname
node=$node,iproute2,iptables,jq,kmod,libseccomp2,mount,openssl,procps,rsync,runc,socat,util-linux

base() {
  [ ! -e "$1" ] || return 0
  command -v mmdebstrap >/dev/null || install
  mmdebstrap --quiet --variant=minbase --include="$3" "$2" "$1.new.tar" && mv "$1.new.tar" "$1"
}

install() {
  apt-get -qq update
  DEBIAN_FRONTEND=noninteractive apt-get -qq install --yes --no-install-recommends mmdebstrap >/dev/null
}

mkdir -p "$1"
base "$1/python.tar" trixie python3,python3-venv,python3-pip,ca-certificates
base "$1/node.tar" bookworm "$node"
