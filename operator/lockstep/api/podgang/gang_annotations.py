"""Annotations of an owner, a template or a pod that state more about a gang than its own fields can."""

from collections.abc import Mapping

from lockstep.api.gangjob.elastic import parse_elastic
from lockstep.api.names import GROUP
from lockstep.api.quantities import duration_seconds
from lockstep.facts.elastic import ChangeMode, ElasticSpec

SIZE = f"{GROUP}/size"
SERIAL_TIME = f"{GROUP}/serial-time"
OVERHEAD_PER_MEMBER = f"{GROUP}/overhead-per-member"
HOSTS = f"{GROUP}/hosts"
UNDO = f"{GROUP}/undo"
ELASTIC = f"{GROUP}/elastic"
RESTART_TIME = f"{GROUP}/restart-time"
MIN_INTERVAL = f"{GROUP}/min-interval"

OF_TEMPLATE = "kueue.x-k8s.io/podset-required-topology"
OF_OWNER = "kai.scheduler/topology-required-placement"
# In a template, each of these requires a domain for only a part of the pods.
OF_PARTS = (
    OF_OWNER,
    "kueue.x-k8s.io/podset-slice-required-topology",
    "kueue.x-k8s.io/podset-slice-required-topology-constraints",
    "kai.scheduler/segment-topology-required-placement",
)

_HOUR = 3600.0
# The most characters of an annotation that are shown. No valid annotation is longer.
_LONGEST_QUOTED = 100
# For each duration: its field in the spec of a GangJob, the annotation, and the longest value in seconds, as in that
# spec. The shortest value is one second.
_TIMES = (("restartTime", RESTART_TIME, 24 * _HOUR), ("minInterval", MIN_INTERVAL, 8760 * _HOUR))


def elastic_terms(annotations: Mapping[str, str]) -> ElasticSpec | None:
    """The terms on which the number of an owner's pods may change while they run; None if the owner keeps its size.

    Raises ``ValueError`` for an invalid annotation.
    """
    if ELASTIC not in annotations:
        return None
    mode = annotations[ELASTIC]
    if mode != ChangeMode.MEMBERS:
        raise ValueError(f"annotation {ELASTIC}: must be {ChangeMode.MEMBERS}, the only mode, not {quoted(mode)}")
    times = {field: _checked(name, annotations[name], most) for field, name, most in _TIMES if name in annotations}
    return parse_elastic({"elastic": {"mode": mode, **times}})


def quoted(text: str) -> str:
    """The text of an annotation in quotes, for messages. A long text is cut off."""
    return repr(text if len(text) <= _LONGEST_QUOTED else f"{text[:_LONGEST_QUOTED]}…")


def _checked(name: str, text: str, most: float) -> str:
    try:
        is_time = 1 <= duration_seconds(text) <= most
    except (ValueError, ArithmeticError):
        is_time = False
    if not is_time:
        raise ValueError(
            f"annotation {name}: {quoted(text)} is not a duration from 1s to {most / _HOUR:g}h, such as 10m"
        )
    return text
