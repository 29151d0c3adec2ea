"""Parses and formats the pods of a Gang that come later, while other pods of the Gang run.

A Gang states later pods by a few fields of their template, so that the Gang stays small: requests, node selector,
tolerations and priority class. Affinity and volumes are left out.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from lockstep.api.gangjob.role import parse_needs
from lockstep.api.manifest import Manifest
from lockstep.api.names import SCHEDULER_NAME
from lockstep.api.podgang.first_pods import FirstPods
from lockstep.api.podgang.section import Section
from lockstep.api.pods.pod_request import pod_request
from lockstep.api.quantities import CPU
from lockstep.facts.gang.gang import Refusal
from lockstep.facts.gang.pod_gang import LaterPods

_MOST_KINDS = 8
_PODS = "pods"
_AS_WRITTEN = ("nodeSelector", "tolerations")


def parse_later(entries: Sequence[Manifest]) -> tuple[LaterPods, ...]:
    """Parse the later pods in the spec of a Gang. Raises ``ValueError`` if they can't be placed."""
    return tuple(_parsed(entry, f"later[{number}]") for number, entry in enumerate(entries))


def later_entries(pods: Sequence[FirstPods], most: int) -> list[dict[str, Any]]:
    """Format the later pods of an owner: at most ``most`` pods, and at most as many templates as a Gang may state."""
    entries = list[dict[str, Any]]()
    for one in pods:
        number = min(one.later, most)
        if one.template is not None and _is_ours(one) and number > 0 and len(entries) < _MOST_KINDS:
            entries.append(_entry(number, one.template))
            most -= number
    return entries


def _is_ours(pods: FirstPods) -> bool:
    template = pods.template
    return template is not None and pods.later > 0 and template.section("spec").text("schedulerName") == SCHEDULER_NAME


def _parsed(entry: Manifest, path: str) -> LaterPods:
    pod = {
        "containers": [{"resources": entry.get("resources") or {}}],
        **{name: entry[name] for name in _AS_WRITTEN if entry.get(name)},
    }
    needs = parse_needs(pod, path)
    if isinstance(needs, Refusal):
        raise ValueError(needs.message.rstrip("."))  # noqa: TRY004 - the value is invalid, not its type
    return LaterPods(int(entry["pods"]), needs, entry.get("priorityClassName") or "")


def _entry(pods: int, template: Section) -> dict[str, Any]:
    spec = template.section("spec")
    request = pod_request(spec.fields, {}, is_member=False)
    as_written = {name: spec.fields[name] for name in (*_AS_WRITTEN, "priorityClassName") if spec.has(name)}
    return {"pods": pods, "resources": {"requests": dict(_quantities(request))}, **as_written}


def _quantities(request: Sequence[tuple[str, int]]) -> Iterator[tuple[str, str]]:
    """The resources of Kubernetes in a request, except the number of pods, as quantities.

    A request has other columns, too. Their names contain a blank.
    """
    for name, amount in request:
        if " " not in name and name != _PODS:
            yield name, f"{amount}m" if name == CPU else str(amount)
