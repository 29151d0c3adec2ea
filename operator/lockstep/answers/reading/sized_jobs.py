"""Jobs that wait for a size, as they are listed: what their pods need is read from their templates."""

from dataclasses import replace
from typing import Any, NamedTuple

from lockstep.api.manifest import Manifest
from lockstep.api.podgang.any_pod import parse_any_pod
from lockstep.api.podgang.sized_job import parse_sized_job, pod_of_job
from lockstep.belief.podgangs.pod_group import PodsAlike, alone
from lockstep.belief.state import State
from lockstep.facts.gang.pod_gang import GroupedPod
from lockstep.facts.gang.sized_job import SizedJob
from lockstep.watch.kind import WatchedKind
from lockstep.watch.kinds import jobs_kind


class _JobAndPods(NamedTuple):
    """A Job, and what its pods need if it waits for a size."""

    job: SizedJob
    pods: PodsAlike | None


def sized_jobs_kind(state: State) -> WatchedKind[_JobAndPods]:
    """All Jobs. The operator sends a dry run of a pod, for which a reader needs no right here."""
    kind: WatchedKind[Any] = jobs_kind(state)
    return replace(kind, parse=lambda it: _parse(it, state), apply=lambda it: _apply(state, it))


def _parse(manifest: Manifest, state: State) -> _JobAndPods:
    job = parse_sized_job(manifest)
    return _JobAndPods(job, _pods(manifest, state) if job.awaits_size else None)


def _pods(manifest: Manifest, state: State) -> PodsAlike | None:
    pod = pod_of_job(manifest)
    given = {"uid": "", "resourceVersion": "", "creationTimestamp": manifest["metadata"]["creationTimestamp"]}
    fact = parse_any_pod({**pod, "metadata": {**given, **pod["metadata"]}}, state.sources)
    return alone(fact) if isinstance(fact, GroupedPod) else None


def _apply(state: State, found: _JobAndPods) -> None:
    job, pods = found
    state.apply_sized_job(job)
    if pods is not None:
        state.learn_sized_job(job.gang, job.uid, job.resource_version, pods)
