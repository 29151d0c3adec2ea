"""Indexed Jobs, which need no controller but Kubernetes' own."""

from collections.abc import Iterator
from typing import Any

import pytest

from e2e.controllers import scenes
from e2e.controllers.killed import KILLS
from e2e.controllers.owners import Owners
from e2e.controllers.scenes import Stage


class Jobs(Owners):
    """Jobs that fail with their first pod."""

    group, plural = "batch/v1", "jobs"

    def manifest(self, name: str, size: int) -> dict[str, Any]:
        spec = {
            "parallelism": size,
            "completions": size,
            "completionMode": "Indexed",
            "backoffLimit": 0,
            "template": self.template(name),
        }
        return {"apiVersion": self.group, "kind": "Job", "metadata": {"name": name}, "spec": spec}

    def losses(self, name: str) -> dict[str, Any]:
        return {"failed": self.status(name).get("failed", 0)}


@pytest.fixture
def jobs(stage: Stage) -> Iterator[Jobs]:
    jobs = Jobs(stage.gangs)
    yield jobs
    jobs.close()


@pytest.fixture
def made_jobs(jobs: Jobs) -> Jobs:
    """Jobs for which the operator makes Gangs."""
    jobs.is_made = True
    return jobs


@pytest.mark.parametrize("scene", scenes.ALL, ids=scenes.named)
def test_job_is_a_gang(stage, jobs, scene):
    scene(stage, jobs)


@pytest.mark.parametrize("scene", [scenes.placed_as_planned, *scenes.SUSPENDABLE, *KILLS], ids=scenes.named)
def test_gang_of_a_job_is_made(stage, made_jobs, scene):
    scene(stage, made_jobs)
