"""Parses Gangs, whose pods others create."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import islice

from lockstep.api.gangjob.after import parse_after
from lockstep.api.gangjob.gangjob import parse_status
from lockstep.api.gangjob.work import parse_work
from lockstep.api.identity import created_by, identity
from lockstep.api.manifest import Manifest
from lockstep.api.names import NEVER_PREEMPTS
from lockstep.api.podgang.later_pods import parse_later
from lockstep.api.podgang.made_gang import IN_ALL_ANNOTATION, MADE, MADE_ANNOTATION, PROBLEM_ANNOTATION
from lockstep.api.podgang.pod_roles import parse_roles
from lockstep.api.quantities import duration_seconds
from lockstep.facts.gang.gang import Refusal
from lockstep.facts.gang.keys import pod_gang_key
from lockstep.facts.gang.pod_gang import MOST_OWNERS, HostList, OwnerName, PodGang, PodGangSpec, Undo
from lockstep.facts.ranks import MOST_RANKS
from lockstep.facts.reasons import Reason
from lockstep.facts.sizing import Sizing

# In characters.
_LONGEST_NUMBER = 18


def parse_pod_gang(manifest: Manifest) -> PodGang:
    """Parse a Gang. A spec that can't be obeyed becomes a refusal that names the field."""
    metadata = manifest["metadata"]
    annotations = metadata.get("annotations") or {}
    return PodGang(
        **identity(pod_gang_key(metadata["namespace"], metadata["name"]), metadata),
        asks=_refusal(annotations) or parse_pod_gang_spec(manifest["spec"]),
        made_for=_made_for(metadata),
        owners=_owners(metadata),
        owner_version=_owner_version(metadata),
        status=parse_status(manifest.get("status") or {}),
        user=created_by(metadata),
        in_all=_in_all(annotations) if annotations.get(MADE_ANNOTATION) == MADE else 0,
    )


def _refusal(annotations: Mapping[str, str]) -> Refusal | None:
    problem = annotations.get(PROBLEM_ANNOTATION)
    return Refusal(Reason.INVALID_SPEC, problem) if problem else None


def parse_pod_gang_spec(spec: Manifest) -> PodGangSpec | Refusal:
    """Parse the spec of a Gang; a refusal if it can't be obeyed."""
    try:
        return _parsed(spec)
    except (ValueError, ArithmeticError) as error:
        return Refusal(Reason.INVALID_SPEC, f"{error}.")


def is_as_made(gang: PodGang, made: Manifest) -> bool:
    """Whether a Gang equals the one that the operator would make now from its owner, or from the pods that own it.

    The fields ``undo`` and ``after`` do not count, since a user may set them in the Gang.
    """
    owners = _owners(made["metadata"])
    asks = _refusal(made["metadata"]["annotations"]) or parse_pod_gang_spec(made["spec"])
    if isinstance(asks, PodGangSpec) and isinstance(gang.asks, PodGangSpec):
        asks = replace(asks, undo=gang.asks.undo, after=gang.asks.after)
    is_for_them = gang.made_for == owners[0].uid if len(owners) == 1 else {*owners} <= {*gang.owners}
    is_for_it = is_for_them and gang.owner_version == _owner_version(made["metadata"])
    return is_for_it and (gang.asks, gang.in_all) == (asks, _in_all(made["metadata"]["annotations"]))


def _in_all(annotations: Mapping[str, str | None]) -> int:
    text = annotations.get(IN_ALL_ANNOTATION) or ""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= _LONGEST_NUMBER else 0


def _made_for(metadata: Manifest) -> str | None:
    if (metadata.get("annotations") or {}).get(MADE_ANNOTATION) != MADE:
        return None
    return next((owner.uid for owner in _owners(metadata)), "")


def _owners(metadata: Manifest) -> tuple[OwnerName, ...]:
    found = islice(metadata.get("ownerReferences") or (), MOST_OWNERS)
    return tuple(OwnerName(owner["name"], owner["uid"]) for owner in found)


def _owner_version(metadata: Manifest) -> str:
    return next((str(owner["apiVersion"]) for owner in metadata.get("ownerReferences") or ()), "")


def _parsed(spec: Manifest) -> PodGangSpec:
    size, deadline, placement = spec["size"], spec.get("deadline"), spec.get("placement") or {}
    least, most = int(size["min"]), int(size.get("max") or MOST_RANKS)
    if not 1 <= least <= most <= MOST_RANKS:
        raise ValueError(f"size: min {least} and max {most} are not a range from 1 to {MOST_RANKS}")
    later = parse_later(spec.get("later") or ())
    if least + sum(one.pods for one in later) > most:
        total = least + sum(one.pods for one in later)
        raise ValueError(
            f"later: size.min and all later pods are {total} pods together, but at most {most} are allowed"
        )
    return PodGangSpec(
        minimum=least,
        maximum=most,
        work=parse_work(spec["work"], most) if spec.get("work") else None,
        deadline_seconds=None if deadline is None else duration_seconds(deadline),
        one_per=placement.get("onePer") or "",
        all_in=placement.get("allIn") or "",
        sizing=Sizing(spec["sizing"]) if "sizing" in spec else None,
        later=later,
        undo=Undo(spec.get("undo") or Undo.KEEP),
        hosts=HostList(spec.get("hosts") or HostList.NONE),
        roles=parse_roles(spec.get("roles") or (), least),
        priority_class=spec.get("priorityClassName") or "",
        preempts=spec.get("preemptionPolicy") != NEVER_PREEMPTS,
        after=parse_after(spec),
    )
