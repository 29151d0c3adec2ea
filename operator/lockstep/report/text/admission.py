"""Describes how admission changes a gang's members."""

import math
from collections.abc import Iterator, Mapping

from coschedule import Constraints, Toleration
from lockstep.facts.columns import HOST_PORT_PREFIX
from lockstep.facts.gang.gang import GangSpec
from lockstep.facts.gang.role import Needs
from lockstep.facts.pods.pod import Request

_BINARY_UNITS = (("Gi", 2**30), ("Mi", 2**20), ("Ki", 2**10))
_BYTES = frozenset({"memory", "ephemeral-storage", "storage"})
_BYTES_OF_CLASS = ".storageclass.storage.k8s.io/requests.storage"


def changes(spec: GangSpec) -> str:
    """The changes by admission, compared with the template; '' if it changes nothing."""
    return in_words({role.name: (role.written, role.needs) for role in spec.roles if role.written is not None})


def in_words(changed: Mapping[str, tuple[Needs, Needs]]) -> str:
    """The differences in words, by role. ``changed`` has the planned needs and the needs after admission, by role."""
    words = ((name, differences(planned, admitted)) for name, (planned, admitted) in changed.items())
    return "; ".join(f"role {name}: {one}" if name else one for name, one in words)


def differences(planned: Needs, admitted: Needs) -> str:
    """The differences in words: ``cpu 250m instead of none``."""
    words = [
        *_of_requests(planned.request, admitted.request),
        *_of_constraints(planned.constraints, admitted.constraints),
        *(["another pod affinity"] if planned.pod_affinity != admitted.pod_affinity else []),
        *(f"claim {name} instead of none" for name in sorted(_claims(admitted) - _claims(planned))),
    ]
    return ", ".join(words)


def _claims(needs: Needs) -> set[str]:
    return {use.claim for use in needs.claims}


def _of_requests(planned: Request, admitted: Request) -> Iterator[str]:
    before, after = dict(planned), dict(admitted)
    for name in sorted(before.keys() | after.keys()):
        if before.get(name) != after.get(name):
            yield f"{name} {format_amount(name, after.get(name))} instead of {format_amount(name, before.get(name))}"


def format_amount(name: str, amount: int | None) -> str:
    """An amount of a resource as users write it, such as ``250m``; "none" for None. ``amount`` is in base units."""
    if amount is None:
        return "none"
    if name.startswith(HOST_PORT_PREFIX):
        return "taken"
    if name == "cpu":
        return f"{amount}m" if amount % 1000 else str(amount // 1000)
    units = _BINARY_UNITS if name in _BYTES or name.endswith(_BYTES_OF_CLASS) else ()
    return next((f"{amount // size}{unit}" for unit, size in units if amount % size == 0), str(amount))


def _of_constraints(planned: Constraints, admitted: Constraints) -> Iterator[str]:
    before, after = set(planned.node_selector), set(admitted.node_selector)
    yield from (f"node selector {key}={value} instead of none" for key, value in sorted(after - before))
    yield from (f"no node selector {key}={value}" for key, value in sorted(before - after))
    if planned.affinity != admitted.affinity:
        yield "another node affinity"
    tolerated, tolerates = set(planned.tolerations), set(admitted.tolerations)
    yield from (f"a toleration of {_taints(one)} instead of none" for one in sorted(tolerates - tolerated))
    yield from (f"no toleration of {_taints(one)}" for one in sorted(tolerated - tolerates))


def _taints(toleration: Toleration) -> str:
    value = f"={toleration.value}" if toleration.value else ""
    effect = f":{toleration.effect}" if toleration.effect else ""
    end = "" if toleration.seconds == math.inf else f" for {toleration.seconds:g} s"
    return f"{toleration.key or 'any taint'}{value}{effect}{end}"
