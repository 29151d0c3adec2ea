# Makes a Debian a node of kind: only what a node needs is started, and Debian's containerd is found where kind has its own.
chmod 755 /usr/local/bin/* /kind/bin/* /usr/bin/kube*
cd /lib/systemd/system
rm -f sysinit.target.wants/systemd-tmpfiles-setup.service multi-user.target.wants/* local-fs.target.wants/* \
  sockets.target.wants/*udev* sockets.target.wants/*initctl* basic.target.wants/* /etc/systemd/system/*.wants/*
echo ReadKMsg=no >>/etc/systemd/journald.conf
ln -sf /usr/bin/containerd /usr/bin/ctr /usr/bin/containerd-shim-runc-v2 /usr/local/bin/
systemctl enable kubelet.service containerd.service undo-mount-hacks.service
systemctl mask systemd-binfmt.service
mkdir -p /etc/kubernetes/manifests
kubelet --version | cut -d' ' -f2 >/kind/version
ctr oci spec | jq 'del(.process.rlimits) | .hooks.createContainer += [{"path": "/kind/bin/mount-product-files.sh"}]' \
  >/etc/containerd/cri-base.json
