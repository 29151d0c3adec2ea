"""The roles of a Gang: how its spec has them, how a pod says its own, and how the operator writes those of an owner."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, assert_never

from lockstep.api.manifest import Manifest
from lockstep.api.names import ROLE_LABEL
from lockstep.api.podgang.first_pods import FirstPods
from lockstep.facts.gang.pod_gang import PodRole
from lockstep.facts.gang.source import Source
from lockstep.facts.ranks import MOST_RANKS

# As many as a GangJob may have.
_MOST_ROLES = 8
_NAME = re.compile("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")


def parse_roles(entries: Sequence[Manifest], least: int) -> tuple[PodRole, ...]:
    """What the spec of a Gang with so many pods at least says of them.

    Raises ``ValueError`` where they could not be placed.
    """
    roles = tuple(_parsed(entry) for entry in entries)
    if len({role.name for role in roles}) < len(roles) or len(roles) > _MOST_ROLES:
        raise ValueError(f"roles: there are more than {_MOST_ROLES}, or two of them have the same name")
    fewest = sum(role.minimum for role in roles)
    if fewest > least:
        raise ValueError(f"roles: they need {fewest} pods together, more than the {least} of size.min")
    return roles


def _parsed(entry: Manifest) -> PodRole:
    name, size = str(entry["name"]), entry["size"]
    least, most = int(size["min"]), int(size.get("max") or MOST_RANKS)
    if not 1 <= least <= most <= MOST_RANKS:
        raise ValueError(f"role {name}: min {least} and max {most} are not a range from 1 to {MOST_RANKS}")
    return PodRole(name, least, most)


def role_of_pod(labels: Mapping[str, str], source: Source) -> str:
    """What a pod with these labels calls its role; '' for none. If its Gang is made for an owner, that says it."""
    label = _label_of(source)
    return str(labels.get(label, "")) if label else ""


def _label_of(source: Source) -> str:
    match source:
        case Source.PODS:
            return ROLE_LABEL
        case Source.JOB_SET:
            return "jobset.sigs.k8s.io/replicatedjob-name"
        case Source.MPI_JOB:
            return "training.kubeflow.org/job-role"
        case Source.RAY_CLUSTER | Source.SIZED_RAY_CLUSTER:
            return "ray.io/group"
        case Source.JOB | Source.SIZED_JOB | Source.LEADER_WORKER_SET | Source.POD_GROUP | Source.SCHEDULING_GROUP:
            return ""
        case Source.SINGLE | Source.KUEUE_GROUP | Source.WORKLOAD:
            return ""
        case _:
            assert_never(source)


def role_entries(pods: Sequence[FirstPods], least: int) -> list[dict[str, Any]]:
    """What the operator writes of the roles of an owner; nothing if it has one, too many, or other names than a Gang.

    ``least`` is how many pods the Gang needs. If that is another number, it is unknown how many are of which role.
    """
    first = [one for one in pods if one.number > 0]
    names = {one.role for one in first if _NAME.fullmatch(one.role)}
    if not 1 < len(first) == len(names) <= _MOST_ROLES or sum(one.number for one in first) != least:
        return []
    return [{"name": one.role, "size": {"min": one.number}} for one in first]
