"""Parses Gangs: gangs of pods that others create."""

from collections.abc import Mapping

from lockstep.api.gangjob.gangjob import parse_status
from lockstep.api.gangjob.work import parse_work
from lockstep.api.identity import identity
from lockstep.api.manifest import Manifest
from lockstep.api.podgang.made_gang import MADE, MADE_ANNOTATION, PROBLEM_ANNOTATION
from lockstep.api.quantities import duration_seconds
from lockstep.facts.gang.gang import Refusal
from lockstep.facts.gang.keys import pod_gang_key
from lockstep.facts.gang.pod_gang import PodGang, PodGangSpec
from lockstep.facts.ranks import MOST_RANKS
from lockstep.facts.reasons import Reason
from lockstep.facts.sizing import Sizing


def parse_pod_gang(manifest: Manifest) -> PodGang:
    """A Gang; a spec that can't be obeyed becomes a refusal that names the field."""
    metadata = manifest["metadata"]
    annotations = metadata.get("annotations") or {}
    return PodGang(
        **identity(pod_gang_key(metadata["namespace"], metadata["name"]), metadata),
        asks=_refusal(annotations) or parse_asks(manifest["spec"]),
        made_for=_made_for(metadata),
        owner_version=_owner(metadata).get("apiVersion", ""),
        status=parse_status(manifest.get("status") or {}),
    )


def _refusal(annotations: Mapping[str, str]) -> Refusal | None:
    problem = annotations.get(PROBLEM_ANNOTATION)
    return Refusal(Reason.INVALID_SPEC, problem) if problem else None


def parse_asks(spec: Manifest) -> PodGangSpec | Refusal:
    """What the spec of a Gang asks for; a refusal where it can't be obeyed."""
    try:
        return _parsed(spec)
    except (ValueError, ArithmeticError) as error:
        return Refusal(Reason.INVALID_SPEC, f"{error}.")


def is_as_made(gang: PodGang, made: Manifest) -> bool:
    """Whether a Gang is as the operator would make it now from its owner."""
    [owner] = made["metadata"]["ownerReferences"]
    asks = _refusal(made["metadata"]["annotations"]) or parse_asks(made["spec"])
    return (gang.made_for, gang.owner_version, gang.asks) == (owner["uid"], owner["apiVersion"], asks)


def _made_for(metadata: Manifest) -> str | None:
    if (metadata.get("annotations") or {}).get(MADE_ANNOTATION) != MADE:
        return None
    return str(_owner(metadata).get("uid", ""))


def _owner(metadata: Manifest) -> Manifest:
    return next(iter(metadata.get("ownerReferences") or ()), {})


def _parsed(spec: Manifest) -> PodGangSpec:
    size, deadline, placement = spec["size"], spec.get("deadline"), spec.get("placement") or {}
    least, most = int(size["min"]), int(size.get("max") or MOST_RANKS)
    if not 1 <= least <= most <= MOST_RANKS:
        raise ValueError(f"size: min {least} and max {most} are no range from 1 to {MOST_RANKS}")
    return PodGangSpec(
        minimum=least,
        maximum=most,
        work=parse_work(spec["work"], most) if spec.get("work") else None,
        deadline_seconds=None if deadline is None else duration_seconds(deadline),
        one_per=placement.get("onePer") or "",
        all_in=placement.get("allIn") or "",
        sizing=Sizing(spec["sizing"]) if "sizing" in spec else None,
    )
