"""The Job that README shows is placed as one gang."""

import pytest
import yaml

from builders.manifests import POOL_LABEL
from docs.markdown import ROOT, fences
from live.pod_gangs import SIZE

SOURCES = "job"

pytestmark = pytest.mark.usefixtures("operator")


def test_job_with_the_two_lines_of_the_readme_is_placed_whole(arena, gangs):
    [block] = fences(ROOT / "README.md", "## A Job that you have")
    job = yaml.safe_load(block.text)
    job["spec"]["template"]["spec"]["nodeSelector"] = {POOL_LABEL: arena.pool}
    arena.add_nodes(2, cpu="4")

    gangs.api.request("POST", gangs.jobs, job)

    gangs.until("job.heat", "Placed")
    pods = gangs.pods("job.heat")
    assert gangs.bound("job.heat") == len(pods) == job["spec"]["parallelism"]
    assert {pod["metadata"]["annotations"][SIZE] for pod in pods} == {"4"}
