# Has containerd keep the images of the control plane. They are unpacked in the node: here, overlays can't be stacked.
containerd >/dev/null 2>&1 &
until ctr version >/dev/null 2>&1; do
  kill -0 $!
  sleep 1
done
ctr --namespace=k8s.io images import --no-unpack --all-platforms /build/images.tar
kill $!
wait
rm -r /build
