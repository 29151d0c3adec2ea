"""What finished runs took is kept on a real API server, with the operator's own rights and no others."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from builders.manifests import gang
from live.arena import Arena
from live.quick_start import Forked
from lockstep_demo.operator_process import OperatorProcess, running

KEPT = "/api/v1/namespaces/lockstep-system/configmaps/lockstep-run-times"
WORK = {"serialTime": "20s"}


@pytest.fixture
def elected(operator_kubeconfig: Path, tmp_path: Path, arena: Arena) -> Iterator[OperatorProcess]:
    """An operator that leads by the lease; what it keeps is deleted after the test."""
    with running(
        OperatorProcess(operator_kubeconfig, tmp_path / "log", "--leader-elect=true", spawn=Forked)
    ) as process:
        yield process
    arena.delete(KEPT)


def timed(name):
    return gang(name, size=1, run_for="1s", work=WORK)


def kept(arena):
    return json.loads(arena.api.request("GET", KEPT)["data"]["runs.json"])


def test_next_process_plans_with_what_runs_took(arena, elected):
    arena.add_nodes(1)
    for name in ("a", "b", "c"):
        arena.submit(timed(name))
    arena.until_complete("a", "b", "c")
    assert elected.stop() == 0

    [runs] = kept(arena)[arena.namespace].values()
    assert len(runs) == 3
    factors = [factor for factor, *_ in runs]
    assert all(1 <= factor < 1000 for factor in factors)
    assert [members for _, members, *_ in runs] == [1, 1, 1]
    elected.start()
    arena.submit(timed("d"))
    arena.until_placed("d")

    status, largest = arena.status("d"), max(factors) / 1000
    assert float(status["runTimeFactor"]) == largest
    assert "run times as the last 3 runs had them" in arena.condition("d", "Planned")["message"]
    assert elected.metrics()["lockstep_run_time_templates"] == 1
    assert "cannot" not in elected.log_text()
