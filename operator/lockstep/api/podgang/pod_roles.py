"""The roles of a Gang: in its spec, in the labels of its pods, and in the fields of its owner."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, assert_never

from lockstep.api.manifest import Manifest
from lockstep.api.names import ROLE_LABEL
from lockstep.api.podgang.first_pods import FirstPods
from lockstep.facts.gang.pod_gang import PodRole
from lockstep.facts.gang.source import Source
from lockstep.facts.ranks import MOST_RANKS

# The most roles of a Gang, as of a GangJob.
_MOST_ROLES = 8
_NAME = re.compile("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")


def parse_roles(entries: Sequence[Manifest], least: int) -> tuple[PodRole, ...]:
    """Parse the roles in the spec of a Gang that needs at least ``least`` pods.

    Raises ``ValueError`` if the roles could not be placed.
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
    """The role in the labels of a pod; '' for none. The source decides which label has it."""
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
    """Format the roles of an owner for its Gang; nothing for a single role, too many roles, or invalid names.

    ``least`` is how many pods the Gang needs. If the roles have another number of pods together, there are no entries,
    since the number of pods in each role is unknown. If another role is done, even a single role gets an entry.
    Otherwise, the pods of the done role would be counted as pods of the single role.
    """
    first, is_any_done = [one for one in pods if one.number > 0], any(one.done for one in pods)
    names = {one.role for one in first if _NAME.fullmatch(one.role)}
    fewest = 1 if is_any_done else 2
    if not fewest <= len(first) == len(names) <= _MOST_ROLES or sum(one.number for one in first) != least:
        return []
    return [{"name": one.role, "size": {"min": one.number}} for one in first]
