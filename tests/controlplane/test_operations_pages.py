"""The commands of docs/operations are typed in, in their order: by a user who runs the operator by hand."""

import pytest

from builders.manifests import gang
from docs.markdown import ROOT, fences
from sandbox import generic_nodes

PAGES = [ROOT / "docs" / "operations" / f"{name}.md" for name in ("running", "nodes", "what-gangs-say", "members")]
ROLES = "/apis/rbac.authorization.k8s.io/v1"
STAYS = [fence.text for page in PAGES for fence in fences(page) if (fence.language, fence.mark) == ("sh", "stays")]
MANIFESTS, METRICS, ENDING, PIECES = [
    fence.text for page in PAGES for fence in fences(page) if (fence.language, fence.mark) == ("sh", "")
]


@pytest.fixture
def cluster(arena):
    """Twelve nodes, and nothing of what the page makes afterwards."""
    arena.create_nodes(generic_nodes(12))
    yield arena
    for path in ("clusterrolebindings", "clusterroles"):
        arena.delete(f"{ROLES}/{path}/lockstep-metrics-reader")


@pytest.mark.parametrize(
    ("block", "want"),
    [
        pytest.param(STAYS[0], "ready: 12 nodes", id="outside the cluster, with a token"),
        pytest.param(STAYS[1], "ready: 12 nodes", id="on nodes of its own"),
    ],
)
def test_operator_runs_until_it_is_interrupted(cluster, reader, block, want):
    reader.stay_in(block)

    reader.until_it_says(want)
    reader.interrupt()


def test_every_other_block_does_what_it_says(cluster, reader, tmp_path):
    (tmp_path / "render").write_text('#!/bin/sh\necho "piece $1"\n')
    (tmp_path / "render").chmod(0o755)

    assert "gangjobs.lockstep.dev" in reader.follow(f"cd {ROOT}\n{MANIFESTS}")
    assert "clusterrolebinding.rbac.authorization.k8s.io/lockstep-metrics-reader created" in reader.follow(METRICS)
    written = reader.follow(f"cd {tmp_path}\nLOCKSTEP_PIECES='12 3'\n{PIECES}")
    assert written.splitlines() == ["piece 12", "piece 13", "piece 14"]


@pytest.mark.parametrize(("exit_code", "want"), [(None, "Succeeded"), ("1", "Failed")])
def test_wait_returns_at_either_end(operator, arena, reader, exit_code, want):
    arena.add_nodes(1)
    arena.submit(gang("heat", run_for="3s", exit_code=exit_code))

    written = reader.follow(ENDING)

    assert written.count("condition met") == 1
    assert want in written.splitlines()[-1]
