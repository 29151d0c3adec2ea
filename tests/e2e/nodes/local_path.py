"""A storage class whose volumes are folders of nodes, by Rancher's provisioner: each waits for its first consumer."""

import json
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import yaml

from e2e.cluster import Cluster, Manifest
from e2e.members.image import NAME as IMAGE
from sandbox.binaries import Resolver, Tool
from sandbox.progress import Silent

CLASS = "local-path"
NAMESPACE = "local-path-storage"
SETTINGS = "local-path-config"
# Run by a pod on the node that was chosen, as its maker runs them.
SETUP = '#!/bin/sh\nmkdir -m 0777 -p "$VOL_DIR"\n'
TEARDOWN = '#!/bin/sh\nrm -rf "$VOL_DIR"\n'


@contextmanager
def local_path(cluster: Cluster, nodes: Iterable[str], folder: Path) -> Iterator[None]:
    """Have claims of that class provisioned, from beside the control plane; each node has a folder of its own."""
    cluster.kubectl("create", "namespace", NAMESPACE)
    paths = [{"node": node, "paths": [str(folder / node)]} for node in nodes]
    cluster.apply(_storage_class(), _settings(paths), namespace=NAMESPACE)
    program = str(Resolver.of_environment(Silent()).resolve(Tool.LOCAL_PATH_PROVISIONER).path)
    options = (
        f"--kubeconfig={cluster.kubeconfig}",
        f"--namespace={NAMESPACE}",
        f"--configmap-name={SETTINGS}",
        f"--helper-image={IMAGE}",
        "--service-account-name=default",
    )
    folder.mkdir(parents=True)
    with (folder / "provisioner.log").open("ab") as log:
        process = subprocess.Popen([program, "start", *options], stdout=log, stderr=log)
    try:
        yield
    finally:
        process.kill()
        process.wait()


def claim_template(volume: str) -> Manifest:
    """Return the template of a claim of that class."""
    spec = {
        "accessModes": ["ReadWriteOnce"],
        "storageClassName": CLASS,
        "resources": {"requests": {"storage": "1Mi"}},
    }
    return {"metadata": {"name": volume}, "spec": spec}


def _storage_class() -> Manifest:
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": CLASS},
        "provisioner": "rancher.io/local-path",
        "volumeBindingMode": "WaitForFirstConsumer",
    }


def _settings(paths: list[Manifest]) -> Manifest:
    helper = {"name": "helper-pod", "image": IMAGE, "imagePullPolicy": "Never"}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "helper-pod"}, "spec": {"containers": [helper]}}
    files = {
        "config.json": json.dumps({"nodePathMap": paths}),
        "helperPod.yaml": yaml.safe_dump(pod),
        "setup": SETUP,
        "teardown": TEARDOWN,
    }
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": SETTINGS}, "data": files}
