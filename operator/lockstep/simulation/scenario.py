"""What is simulated: the nodes, and the jobs of each seed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from coschedule import ChangeTerms
from lockstep.report.text.sentences import n_nodes
from lockstep.simulation.machine import Ran, simulate
from lockstep.simulation.model.cluster import Policy
from lockstep.simulation.model.jobs import Arrival
from lockstep.simulation.model.nodes import SimulatedNodes
from lockstep.simulation.presence.office_hours import OfficeHours, hours_of
from lockstep.simulation.presence.owners import ComingOwners, Presence, stays_by_node
from lockstep.simulation.presence.terms import OwnerTerms
from lockstep.simulation.workload.groups import DemandingGroup, drawn_groups
from lockstep.simulation.workload.lublin99 import lublin99
from lockstep.simulation.workload.malleable import Malleability, malleable
from lockstep.simulation.workload.rigid import RigidJob, with_load
from lockstep.simulation.workload.run_times import StatedRunTimes, stated_seconds
from lockstep.simulation.workload.templates import as_runs

_TWO = 2
# Keys of random numbers: for stated run times, node owners, elastic jobs and groups. Jobs use the seed without a key.
_STATED, _OWNERS, _ELASTIC, _GROUPS = 1, 2, 3, 4


class ScenarioError(ValueError):
    """The nodes or the jobs cannot be simulated."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scenario:
    """At most ``count`` jobs of a ``trace``, or of the model if there is no trace.

    Jobs of the model are runs of ``templates`` templates, if that number is given. Nodes have ``slowdowns``, and some
    may have ``owners``. ``terms`` are for owners who come unannounced.

    With ``load``, the times between submissions are scaled until rigid jobs would keep that share of the nodes busy.
    ``run_times`` says how well planners know run times, and ``quantile`` which run times they expect
    (``expected_run_times``). The part ``elastic_share`` of the jobs may change their sizes while they run, by the terms
    of ``changing``. If there are ``groups``, each job belongs to one.
    """

    slowdowns: NDArray[np.float64]
    count: int
    load: float | None
    malleability: Malleability
    run_times: StatedRunTimes = StatedRunTimes.EXACT
    quantile: float | None = None
    owners: OfficeHours | ComingOwners | None = None
    terms: OwnerTerms = field(default_factory=OwnerTerms)
    elastic_share: float = 1.0
    changing: ChangeTerms = field(default_factory=ChangeTerms)
    trace: Sequence[RigidJob] | None = None
    templates: int | None = None
    groups: Sequence[DemandingGroup] = ()

    @property
    def nodes(self) -> int:
        """How many nodes there are."""
        return len(self.slowdowns)

    @property
    def too_large(self) -> int:
        """How many jobs of the trace are left out since they ask for more nodes than there are."""
        return sum(job.size > self.nodes for job in self._traced())

    def jobs(self, seed: int) -> list[Arrival]:
        """Draw the jobs of a seed. Raises ``ScenarioError``.

        The submissions, rigid sizes and real run times of a trace are the same for all seeds.
        """
        random = np.random.default_rng(seed)
        rigid = self._rigid(random)
        if self.load is not None:
            rigid = with_load(rigid, self.load, float((1 / self.slowdowns).sum()))
        # Stated times have random numbers of their own. So the real jobs do not depend on the accuracy of stated times.
        stated = stated_seconds(rigid, self.run_times, np.random.default_rng([seed, _STATED])).tolist()
        known = malleable(
            [job._replace(seconds=seconds) for job, seconds in zip(rigid, stated, strict=True)],
            self.malleability,
            self.nodes,
            random,
        )
        elastic = np.random.default_rng([seed, _ELASTIC]).random(len(known)) < self.elastic_share
        groups = drawn_groups(rigid, self.groups, np.random.default_rng([seed, _GROUPS]))
        return [
            Arrival(replace(job, is_elastic=is_elastic, group=group), real.seconds / seconds, real.user)
            for job, is_elastic, group, real, seconds in zip(
                known, elastic.tolist(), groups, rigid, stated, strict=True
            )
        ]

    def run(self, seed: int, jobs: Sequence[Arrival], policy: Policy, progress: Callable[[], None]) -> list[Ran]:
        """Let a policy decide about the jobs of a seed. Raises ``NeverStartsError``."""
        return simulate(
            jobs, self._nodes(seed), policy, quantile=self.quantile, changing=self.changing, progress=progress
        )

    def _nodes(self, seed: int) -> SimulatedNodes:
        random = np.random.default_rng([seed, _OWNERS])
        if self.owners is None or isinstance(self.owners, OfficeHours):
            return SimulatedNodes(self.slowdowns, hours_of(self.owners, self.nodes, random))
        stays = stays_by_node(self.owners, self.nodes, random)
        return SimulatedNodes(
            self.slowdowns, hours_of(None, self.nodes, random), Presence(self.nodes, stays, self.terms)
        )

    def _rigid(self, random: np.random.Generator) -> list[RigidJob]:
        if self.trace is None and self.nodes < _TWO:
            raise ScenarioError("the model draws jobs of several members, and there is only one node")
        jobs = self._drawn(random) if self.trace is None else self._traced()
        fitting = [job for job in jobs if job.size <= self.nodes]
        if len(fitting) < _TWO:
            fit = "1 job fits" if fitting else "0 jobs fit"
            raise ScenarioError(f"{fit} on {n_nodes(self.nodes)}, and two at least are needed")
        return fitting

    def _traced(self) -> Sequence[RigidJob]:
        return () if self.trace is None else self.trace[: self.count]

    def _drawn(self, random: np.random.Generator) -> list[RigidJob]:
        jobs = lublin99(self.count, self.nodes, random)
        return jobs if self.templates is None else as_runs(jobs, self.templates, random)
