"""``python -m e2e.kind.own_cluster NODES OPERATOR``: the cluster of kind-config.yaml with nodes of our own image.

It differs from that of users by the image, by what control groups of version 1 ask of a kubelet, and by its network.
That of kind is in no module, so each node has a bridge, and a route to each other one.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from typing import Any, NamedTuple

import yaml

from e2e.kind_nodes import CONFIGURATION
from sandbox.binaries import Resolver, Tool
from sandbox.progress import Silent

PATCH = "kind: KubeletConfiguration\nfailCgroupV1: false\n"
NETWORK_FILE = "/etc/cni/net.d/10-bridge.conflist"


class Member(NamedTuple):
    """A node: its name, which is also that of its container, its address, and the addresses of its pods."""

    name: str
    address: str
    pods: str


def main(nodes: str, operator: str) -> None:
    """Make the cluster of nodes of that image, load that of the operator, and return once all nodes are ready."""
    described = yaml.safe_load(CONFIGURATION.read_text(encoding="utf-8"))
    with tempfile.NamedTemporaryFile("w", suffix=".yaml", encoding="utf-8") as file:
        yaml.safe_dump(configuration(described), file)
        _run([_program(Tool.KIND), "create", "cluster", f"--config={file.name}", f"--image={nodes}"])
    members = [member(node) for node in json.loads(_kubectl("get", "nodes", "--output=json"))["items"]]
    for one in members:
        link(one, members)
    _kubectl("--namespace=kube-system", "scale", "deployment", "coredns", "--replicas=0")
    _run([_program(Tool.KIND), "load", "docker-image", operator, f"--name={described['name']}"])
    _kubectl("wait", "nodes", "--all", "--for=condition=Ready", "--timeout=180s")


def configuration(described: Mapping[str, Any]) -> dict[str, Any]:
    """Return the configuration for kind: what users have, with what differs here."""
    return {**described, "networking": {"disableDefaultCNI": True}, "kubeadmConfigPatches": [PATCH]}


def member(node: Mapping[str, Any]) -> Member:
    """Return what a Node says."""
    [address] = [one["address"] for one in node["status"]["addresses"] if one["type"] == "InternalIP"]
    return Member(node["metadata"]["name"], address, node["spec"]["podCIDR"])


def link(one: Member, members: list[Member]) -> None:
    """Give a node its network: a bridge for its pods, and the way to those of the others."""
    _run(["docker", "exec", "--interactive", one.name, "tee", NETWORK_FILE], stdin=json.dumps(bridge(one.pods)))
    for other in members:
        if other != one:
            _run(["docker", "exec", one.name, "ip", "route", "replace", other.pods, "via", other.address])


def bridge(pods: str) -> dict[str, Any]:
    """Return the configuration of the network of a node's pods."""
    addresses = {"type": "host-local", "subnet": pods, "routes": [{"dst": "0.0.0.0/0"}]}
    plugin = {"type": "bridge", "bridge": "cni0", "isGateway": True, "ipam": addresses}
    return {"cniVersion": "0.4.0", "name": "kind", "plugins": [plugin]}


def _kubectl(*arguments: str) -> str:
    return _run([_program(Tool.KUBECTL), *arguments])


def _program(tool: Tool) -> str:
    return str(Resolver.of_environment(Silent()).resolve(tool).path)


def _run(command: list[str], stdin: str = "") -> str:
    return subprocess.run(command, input=stdin, stdout=subprocess.PIPE, text=True, check=True).stdout


if __name__ == "__main__":
    main(*sys.argv[1:])
