"""Jobs that are runs of a few templates, since users repeat the same jobs.

The runs of one template ask for the same size and have the same speed-up. Their run times differ by about 20 %,
log-normally. All templates are equally likely.
"""

from collections.abc import Sequence

import numpy as np

from lockstep.simulation.workload.rigid import RigidJob

# The standard deviation of the logarithm of a run's time divided by the template's usual time.
_BETWEEN_RUNS = 0.2


def as_runs(jobs: Sequence[RigidJob], templates: int, random: np.random.Generator) -> list[RigidJob]:
    """Make each job a run of one of the first ``templates`` jobs; its submission time stays the same."""
    patterns = jobs[:templates]
    chosen = random.integers(len(patterns), size=len(jobs)).tolist()
    times = random.lognormal(0.0, _BETWEEN_RUNS, size=len(jobs)).tolist()
    return [
        patterns[template]._replace(
            submitted=job.submitted, seconds=patterns[template].seconds * part, template=template
        )
        for job, template, part in zip(jobs, chosen, times, strict=True)
    ]
