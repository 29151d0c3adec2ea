"""Real programs on real kubelets."""

from e2e.nodes.jobs import job, size, template


def test_smoke(jobs, measured):
    jobs.submit_job(job("smoke", size=size(4), template=template("stay")))

    begun = jobs.started("smoke", 4)

    measured({"skew": begun[-1] - begun[0], "apply to last": jobs.since_submission("smoke", begun[-1])})
