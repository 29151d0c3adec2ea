"""Parses FairShares, and formats their statuses."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from lockstep.api.manifest import Manifest
from lockstep.api.quantities import epoch_seconds, rfc3339
from lockstep.facts.fair_share import OTHERS, CountedUse, FairShare, NamedGroup

_MILLISECONDS = 1000
_ANY = "Any"


class GroupReport(NamedTuple):
    """The part of the status about one group: its use, and a sentence. A use of 1 is all nodes for one second."""

    name: str
    used: float
    message: str


def parse_fair_share(manifest: Manifest) -> FairShare:
    """Parse a FairShare. The last of its groups has all other namespaces."""
    metadata, spec = manifest["metadata"], manifest["spec"]
    named = [
        NamedGroup(one["name"], one.get("weight", 1), tuple(one["namespaces"])) for one in spec.get("groups") or ()
    ]
    others = NamedGroup(OTHERS, spec.get("othersWeight", 1), ())
    return FairShare(
        uid=metadata["uid"],
        resource_version=metadata["resourceVersion"],
        groups=(*_without_repeats(named), others),
        counted=_counted(manifest.get("status") or {}),
        reclaims=(spec.get("preemption") or {}).get("reclaimWithinPriority") == _ANY,
    )


def _without_repeats(groups: Iterable[NamedGroup]) -> Iterable[NamedGroup]:
    """The groups, with each namespace only in the first group that names it. The schema can't check this."""
    taken = set[str]()
    for group in groups:
        yield group._replace(namespaces=tuple(name for name in group.namespaces if name not in taken))
        taken.update(group.namespaces)


def _counted(status: Manifest) -> CountedUse | None:
    at = epoch_seconds(status.get("countedAt"))
    if at is None:
        return None
    used = {one["name"]: max(0.0, one["usedMilliseconds"] / _MILLISECONDS) for one in status.get("groups") or ()}
    return CountedUse(at=at, by_group=used)


def share_status_patch(version: str, at: float, summary: str, groups: Iterable[GroupReport]) -> dict[str, Any]:
    """A merge patch of the status. The API server refuses it if the FairShare has changed since that version."""
    return {
        "metadata": {"resourceVersion": version},
        "status": {
            "countedAt": rfc3339(at),
            "summary": summary,
            "groups": [
                {"name": one.name, "usedMilliseconds": round(one.used * _MILLISECONDS), "message": one.message}
                for one in groups
            ],
        },
    }
