"""What members ask of their nodes, compared: as planned, and as admission made them."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from coschedule import Constraints, NodeTerm, Requirement, Toleration
from lockstep.facts.columns import HOST_PORT_PREFIX
from lockstep.facts.gang import Needs
from lockstep.facts.pod import Request

# What the API server lets every pod tolerate for a while. A plan that does not count on it is not wrong.
_OF_EVERY_POD = frozenset(
    Toleration(f"node.kubernetes.io/{what}", "Exists", "", "NoExecute") for what in ("not-ready", "unreachable")
)
_BINARY_UNITS = (("Gi", 2**30), ("Mi", 2**20), ("Ki", 2**10))
_BYTES = frozenset({"memory", "ephemeral-storage"})


def as_compared(planned: Needs, pod: Needs) -> Needs:
    """The needs of a created pod without what every pod gets: equal to ``planned`` where nothing else differs."""
    wanted = planned.constraints.tolerations
    kept = tuple(one for one in pod.constraints.tolerations if one in wanted or one not in _OF_EVERY_POD)
    tolerations = wanted if set(kept) == set(wanted) else kept
    claims = planned.claims if _names(planned) == _names(pod) else pod.claims
    return Needs(pod.request, replace(pod.constraints, tolerations=tolerations), claims)


def combined(one: Needs, other: Needs) -> Needs:
    """What suits both: the larger of each amount, and every constraint of either."""
    if one == other:
        return one
    amounts = dict(one.request)
    for name, amount in other.request:
        amounts[name] = max(amount, amounts.get(name, 0))
    more = tuple(use for use in other.claims if use.claim not in _names(one))
    constraints = _combined_constraints(one.constraints, other.constraints)
    return Needs(tuple(sorted(amounts.items())), constraints, one.claims + more)


def is_within(needs: Needs, planned: Needs) -> bool:
    """Whether whatever suits the plan suits these needs too."""
    return combined(planned, needs) == planned


def differences(planned: Needs, admitted: Needs) -> str:
    """What is different, in words: ``cpu 250m instead of none``."""
    words = [
        *_of_requests(planned.request, admitted.request),
        *_of_constraints(planned.constraints, admitted.constraints),
        *(f"claim {name} instead of none" for name in sorted(_names(admitted) - _names(planned))),
    ]
    return ", ".join(words)


def _names(needs: Needs) -> set[str]:
    return {use.claim for use in needs.claims}


def _combined_constraints(one: Constraints, other: Constraints) -> Constraints:
    selector = {*one.node_selector, *other.node_selector}
    return replace(
        one,
        node_selector=tuple(sorted(selector)),
        affinity=_combined_affinity(one.affinity, other.affinity),
        tolerations=tuple(toleration for toleration in one.tolerations if toleration in other.tolerations),
    )


def _combined_affinity(
    one: tuple[NodeTerm, ...] | None, other: tuple[NodeTerm, ...] | None
) -> tuple[NodeTerm, ...] | None:
    """Terms of which a node matches one exactly where it matches one of each side."""
    if one == other or other is None:
        return one
    if one is None:
        return other
    # A term without any requirement matches no node.
    pairs = ((a, b) for a, b in product(one, other) if any(a) and any(b))
    return tuple(dict.fromkeys(NodeTerm(_joined(a.labels, b.labels), _joined(a.fields, b.fields)) for a, b in pairs))


def _joined(one: tuple[Requirement, ...], other: tuple[Requirement, ...]) -> tuple[Requirement, ...]:
    return tuple(dict.fromkeys(one + other))


def _of_requests(planned: Request, admitted: Request) -> Iterator[str]:
    before, after = dict(planned), dict(admitted)
    for name in sorted(before.keys() | after.keys()):
        if before.get(name) != after.get(name):
            yield f"{name} {_amount(name, after.get(name))} instead of {_amount(name, before.get(name))}"


def _amount(name: str, amount: int | None) -> str:
    """An amount in base units as people write it."""
    if amount is None:
        return "none"
    if name.startswith(HOST_PORT_PREFIX):
        return "taken"
    if name == "cpu":
        return f"{amount}m" if amount % 1000 else str(amount // 1000)
    units = _BINARY_UNITS if name in _BYTES else ()
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
    return f"{toleration.key or 'any taint'}{value}{effect}"
