"""Computes which nodes a volume's zone and region labels allow, as kube-scheduler does."""

from collections.abc import Mapping

from coschedule import NodeTerm, Requirement

# Each label, and the newer label that nodes may have instead.
_TODAY = {
    "failure-domain.beta.kubernetes.io/zone": "topology.kubernetes.io/zone",
    "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
    "topology.kubernetes.io/zone": "topology.kubernetes.io/zone",
    "topology.kubernetes.io/region": "topology.kubernetes.io/region",
}
_DELIMITER = "__"
# If nodes have none of these labels, the cluster has a single zone.
_SAYS_NOTHING = NodeTerm(tuple(Requirement(label, "DoesNotExist", ()) for label in _TODAY), ())


def zone_affinities(labels: Mapping[str, str]) -> tuple[tuple[NodeTerm, ...], ...]:
    """The node affinities of a volume with these labels. A node must match all of them.

    A label names one zone or several zones. An invalid label is ignored.
    """
    zones = {label: _values(labels[label]) for label in _TODAY if label in labels}
    return tuple((_SAYS_NOTHING, *_in(label, values)) for label, values in zones.items() if all(values))


def _values(text: str) -> tuple[str, ...]:
    return tuple(value.strip() for value in text.split(_DELIMITER))


def _in(label: str, values: tuple[str, ...]) -> tuple[NodeTerm, ...]:
    """Terms for nodes whose label has one of the values. If a node lacks an old label, its newer label counts."""
    own, today = Requirement(label, "In", values), _TODAY[label]
    if label == today:
        return (NodeTerm((own,), ()),)
    instead = (Requirement(label, "DoesNotExist", ()), Requirement(today, "In", values))
    return (NodeTerm((own,), ()), NodeTerm(instead, ()))
