"""The nodes of kind-config.yaml, for clusters that kind does not make."""

from pathlib import Path
from typing import Any

import yaml

from sandbox import Node, Taint, TaintEffect

CONFIGURATION = Path(__file__).parents[2] / "kind-config.yaml"
# What kubeadm gives a control plane that has workers beside it.
CONTROL_PLANE_TAINT = Taint(key="node-role.kubernetes.io/control-plane", effect=TaintEffect.NO_SCHEDULE)


def kind_nodes() -> list[Node]:
    """Return what kind would make, by the names that it would give."""
    configuration = yaml.safe_load(CONFIGURATION.read_text(encoding="utf-8"))
    described = configuration["nodes"]
    workers = [one for one in described if one["role"] == "worker"]
    planes = [one for one in described if one["role"] == "control-plane"]
    return [
        *(_node(f"{configuration['name']}-control-plane{_number(n)}", one) for n, one in enumerate(planes, 1)),
        *(_node(f"{configuration['name']}-worker{_number(n)}", one) for n, one in enumerate(workers, 1)),
    ]


def _node(name: str, described: dict[str, Any]) -> Node:
    taints = [CONTROL_PLANE_TAINT] if described["role"] == "control-plane" else []
    for patch in described.get("kubeadmConfigPatches", []):
        taints += [
            Taint(key=one["key"], value=one["value"], effect=TaintEffect(one["effect"]))
            for one in yaml.safe_load(patch)["nodeRegistration"]["taints"]
        ]
    return Node(name=name, labels=described.get("labels", {}), taints=tuple(taints))


def _number(number: int) -> str:
    return "" if number == 1 else str(number)
