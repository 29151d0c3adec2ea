"""What groups have used in a simulation, counted as the operator counts it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from coschedule import FairShares, ShareGroup
from lockstep.belief.shares.accounts import Accounts, AttemptId, HeldPart
from lockstep.facts.fair_share import NamedGroup
from lockstep.report.text.share_sentences import times_share
from lockstep.simulation.model.cluster import Cluster
from lockstep.simulation.model.jobs import JobGroup

_LEAST_TIMES, _MOST_TIMES = 0.5, 2.0


@dataclass(slots=True, kw_only=True)
class SimulatedSharing:
    """The accounts of the groups of jobs.

    If it ``prices_use``, a member-second costs up to twice as much for a group that has used more than its share. For a
    group that has used less than its share, it costs as little as half.
    """

    prices_use: bool = False
    _accounts: Accounts = field(default_factory=lambda: Accounts({}, 0.0, {}))
    _groups: dict[int, JobGroup] = field(default_factory=dict)

    def count(self, cluster: Cluster) -> None:
        """Charge the groups for the node-seconds of their jobs up to now, and record new groups."""
        jobs = [*cluster.waiting.values(), *(run.job for run in cluster.running.values())]
        self._groups |= {job.group.number: job.group for job in jobs if job.group is not None}
        self._accounts.advance(cluster.now, _held(cluster), {})

    def shares(self, cluster: Cluster) -> FairShares:
        """Return the groups for a plan, with their use. All jobs without a group are in one more group."""
        used = self._accounts.used(cluster.now)
        groups = [
            ShareGroup(
                name=str(one.number),
                weight=float(one.weight),
                used=used.get(str(one.number), 0.0),
                namespaces=(namespace_of(one),),
            )
            for _, one in sorted(self._groups.items())
        ]
        return FairShares(groups=(*groups, ShareGroup(name="others")), capacity=(len(cluster.slowdowns),))

    def price_factors(self, now: float) -> Mapping[int, float]:
        """Return the factor of the price of a member-second, by the number of the group."""
        if not self.prices_use:
            return {}
        named = [NamedGroup(str(one.number), one.weight, ()) for one in self._groups.values()]
        used = self._accounts.used(now)
        times = times_share(named, {group.name: used.get(group.name, 0.0) for group in named})
        return {number: min(_MOST_TIMES, max(_LEAST_TIMES, times.get(str(number), 1.0))) for number in self._groups}


def namespace_of(group: JobGroup) -> str:
    """The namespace in which the engine knows the jobs of a group."""
    return f"group-{group.number}"


def _held(cluster: Cluster) -> dict[AttemptId, HeldPart]:
    """Return each running job's part of all nodes. Jobs without a group are left out, as they are not charged."""
    nodes = len(cluster.slowdowns)
    return {
        AttemptId(str(run.job.number), 1): HeldPart(str(run.job.group.number), run.size / nodes, run.start)
        for run in cluster.running.values()
        if run.job.group is not None
    }
