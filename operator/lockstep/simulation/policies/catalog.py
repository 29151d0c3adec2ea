"""The policies by name."""

from collections.abc import Mapping

from lockstep.cycle.sizing import SizingPolicy
from lockstep.facts.sizing import Sizing
from lockstep.simulation.jobs import Job
from lockstep.simulation.machine import Policy
from lockstep.simulation.policies.greedy import Behind, Greedy, Range
from lockstep.simulation.policies.planned import Planned


def _rigid(job: Job) -> Range:
    return Range(job.size, job.size)


def _as_many_as_fit(job: Job) -> Range:
    return Range(job.least, job.most)


def _at_most_its_own(job: Job) -> Range:
    return Range(job.least, job.size)


def policies(price_factor: float = SizingPolicy().factor) -> Mapping[str, Policy]:
    """List the policies by name; the price factor is that of ``balanced``, which is Lockstep's default."""
    return {
        "fcfs": Greedy(range=_rigid, behind=Behind.NOBODY),
        "easy": Greedy(range=_rigid, behind=Behind.WHO_DOES_NOT_DELAY_IT),
        "conservative": Planned(sizing=SizingPolicy(sizing=Sizing.FASTEST), is_rigid=True),
        "slurm-range": Greedy(range=_as_many_as_fit, behind=Behind.WHO_DOES_NOT_DELAY_IT),
        "partial": Greedy(range=_at_most_its_own, behind=Behind.ANYBODY),
        "fewest": Planned(sizing=SizingPolicy(sizing=Sizing.FEWEST)),
        "fastest": Planned(sizing=SizingPolicy(sizing=Sizing.FASTEST)),
        "balanced": Planned(sizing=SizingPolicy(factor=price_factor)),
    }
