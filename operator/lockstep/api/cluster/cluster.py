"""Parses Namespaces and PriorityClasses."""

from lockstep.api.manifest import Manifest
from lockstep.api.names import ALLOWED_SIZING, NEVER_PREEMPTS
from lockstep.facts.cluster.cluster import NamespaceFact, PriorityClass
from lockstep.facts.sizing import Sizing


def parse_namespace(manifest: Manifest) -> NamespaceFact:
    """Parse the name and the labels of a Namespace."""
    return NamespaceFact(manifest["metadata"]["name"], manifest["metadata"].get("labels") or {})


def parse_priority_class(manifest: Manifest) -> PriorityClass:
    """Parse a PriorityClass. If the annotation for sizing is invalid, it counts as absent."""
    return PriorityClass(
        name=manifest["metadata"]["name"],
        value=manifest["value"],
        is_default=bool(manifest.get("globalDefault")),
        preempts=manifest.get("preemptionPolicy") != NEVER_PREEMPTS,
        sizing=_sizing((manifest["metadata"].get("annotations") or {}).get(ALLOWED_SIZING)),
    )


def _sizing(text: str | None) -> Sizing | None:
    """The sizing that an annotation allows; None without the annotation, or if its text is no sizing."""
    return next((one for one in Sizing if one == text), None)
