"""The watched kinds of Kueue: how their objects become facts, and which part of the cache they update."""

from functools import partial

from coschedule import GangKey
from lockstep.api.kueue.admission_check import ALL_CHECKS, parse_check
from lockstep.api.kueue.flavor import ALL_FLAVORS, parse_flavor
from lockstep.api.kueue.gang_workload import made_for_gang, parse_gang_workload
from lockstep.api.kueue.workload import ALL_WORKLOADS, gang_of_workload, parse_workload
from lockstep.api.manifest import Manifest
from lockstep.belief.state import State
from lockstep.facts.gang.keys import is_pod_gang, pod_gang_key
from lockstep.facts.gang.workload import AdmissionCheck, Flavor, GangWorkload, Workload
from lockstep.watch.kind import WatchedKind


def workloads_kind(state: State) -> WatchedKind[Workload | GangWorkload]:
    """All Workloads of Kueue. After this call, GangJobs obey their Workloads.

    The cache keeps Workloads that have quota, and the Workloads of GangJobs.
    """
    state.queued.watch()
    return WatchedKind(
        target=ALL_WORKLOADS,
        key=_workload_identity,
        parse=lambda it: parse_gang_workload(it) or parse_workload(it),
        apply=partial(_apply_workload, state),
        remove=lambda it: _remove_workload(state, *it),
        parse_failures=state.parse_failures,
        is_dispensable=True,
        may_be_missing=True,
    )


def flavors_kind(state: State) -> WatchedKind[Flavor]:
    """All ResourceFlavors of Kueue: on which nodes members of queued gangs run."""
    return WatchedKind(
        target=ALL_FLAVORS,
        key=lambda it: str(it["metadata"]["name"]),
        parse=parse_flavor,
        apply=state.queued.apply_flavor,
        remove=state.queued.remove_flavor,
        parse_failures=state.parse_failures,
        is_dispensable=True,
        may_be_missing=True,
    )


def admission_checks_kind(state: State) -> WatchedKind[AdmissionCheck]:
    """All AdmissionChecks of Kueue. The cache keeps the checks whose controller is Lockstep."""
    return WatchedKind(
        target=ALL_CHECKS,
        key=lambda it: str(it["metadata"]["name"]),
        parse=parse_check,
        apply=partial(_apply_check, state),
        remove=partial(_remove_check, state),
        parse_failures=state.parse_failures,
        is_dispensable=True,
        may_be_missing=True,
    )


KUEUE_KINDS = (admission_checks_kind, flavors_kind, workloads_kind)
"""All watched kinds of Kueue: Workloads, and the kinds to which Workloads refer."""


def _workload_identity(manifest: Manifest) -> tuple[GangKey, str]:
    """The identity of a Workload: the key of its gang, and the Workload's UID.

    If Lockstep made the Workload for a GangJob, this GangJob is the gang. Otherwise, it is the Gang that Lockstep makes
    for the Workload.
    """
    metadata, owner = manifest["metadata"], made_for_gang(manifest)
    if owner is not None:
        return owner.gang, metadata["uid"]
    gang = gang_of_workload(metadata["name"], metadata["uid"])
    return pod_gang_key(metadata["namespace"], gang), metadata["uid"]


def _apply_workload(state: State, workload: Workload | GangWorkload) -> None:
    if isinstance(workload, GangWorkload):
        state.queued.apply(workload)
    else:
        state.pod_gang_facts.apply_workload(workload)


def _remove_workload(state: State, gang: GangKey, uid: str) -> None:
    if is_pod_gang(gang):
        state.pod_gang_facts.remove_workload(gang, uid)
    else:
        state.queued.remove(gang, uid)


def _apply_check(state: State, check: AdmissionCheck) -> None:
    was_ours = check.name in state.pod_gangs.workloads.our_checks
    state.pod_gang_facts.apply_check(check)
    if was_ours != check.is_ours:
        state.queued.follow_all()


def _remove_check(state: State, name: str) -> None:
    was_ours = name in state.pod_gangs.workloads.our_checks
    state.pod_gang_facts.remove_check(name)
    if was_ours:
        state.queued.follow_all()
