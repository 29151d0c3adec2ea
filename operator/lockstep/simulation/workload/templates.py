"""Users run the same again and again: jobs that are runs of a few templates.

The runs of one template ask for the same size and speed up alike. How long they run differs from run to run: by about
20 %, log-normally. Their templates are drawn from those that there are, each as likely as any other.
"""

from collections.abc import Sequence

import numpy as np

from lockstep.simulation.workload.rigid import RigidJob

# Of the logarithm of what a run takes over what its template usually takes.
_BETWEEN_RUNS = 0.2


def as_runs(jobs: Sequence[RigidJob], templates: int, random: np.random.Generator) -> list[RigidJob]:
    """Make each job a run of one of the first so many jobs, which then are the templates; it comes when it came."""
    patterns = jobs[:templates]
    chosen = random.integers(len(patterns), size=len(jobs)).tolist()
    times = random.lognormal(0.0, _BETWEEN_RUNS, size=len(jobs)).tolist()
    return [
        patterns[template]._replace(
            submitted=job.submitted, seconds=patterns[template].seconds * part, template=template
        )
        for job, template, part in zip(jobs, chosen, times, strict=True)
    ]
