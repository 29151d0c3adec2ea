"""Parses Nodes."""

import sys

from coschedule import Taint
from lockstep.api.conditions import has_condition
from lockstep.api.manifest import Manifest
from lockstep.api.quantities import as_request, resources
from lockstep.facts.cluster.node import NodeFact
from lockstep.facts.columns import FEATURE_PREFIX, WHOLE


def parse_node(manifest: Manifest) -> NodeFact:
    """Parse a node. It is ready only if its condition Ready is True."""
    metadata, spec, status = manifest["metadata"], manifest.get("spec") or {}, manifest.get("status") or {}
    return NodeFact(
        name=metadata["name"],
        labels=metadata.get("labels") or {},
        taints=tuple(
            Taint(taint["key"], taint.get("value", ""), taint["effect"]) for taint in spec.get("taints") or ()
        ),
        allocatable=as_request(resources(status.get("allocatable")) | _features(status)),
        is_ready=has_condition(status, "Ready"),
        is_unschedulable=bool(spec.get("unschedulable")),
        system=_system(status.get("nodeInfo") or {}),
    )


def _system(info: Manifest) -> str:
    """The kubelet's version and the boot ID of the machine.

    After a change of one of them, the kubelet may accept pods that it rejected before.
    """
    return sys.intern(" ".join(str(info[field]) for field in ("kubeletVersion", "bootID") if info.get(field)))


def _features(status: Manifest) -> dict[str, int]:
    return {f"{FEATURE_PREFIX}{name}": WHOLE for name in status.get("declaredFeatures") or ()}
