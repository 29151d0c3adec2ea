"""Decision by decision as kube-scheduler: whether a pod may go to a node.

``PYTHONPATH=tests .venv/bin/python -m differential DECISIONS SEED`` compares as many as you like.
"""

import asyncio

import pytest

from differential.comparing import compare_schedulers
from differential.sequences import compare_sequences
from sandbox import Component, Options, start

DECISIONS = 300
SEQUENCES = 60
SEED = 20260


@pytest.fixture(scope="module")
def with_kube_scheduler(tmp_path_factory):
    """A control plane of its own, on which kube-scheduler places pods and no operator runs."""
    addons = frozenset({Component.SCHEDULER})
    with start(Options(name="differential", addons=addons, state=tmp_path_factory.mktemp("sandboxes"))) as sandbox:
        yield sandbox


def test_random_decisions_are_those_of_kube_scheduler(with_kube_scheduler, capsys):
    tally = asyncio.run(compare_schedulers(with_kube_scheduler, decisions=DECISIONS, seed=SEED))

    with capsys.disabled():
        print(f" {tally} ", end="")  # noqa: T201 - the count is what a reader wants to see
    assert not tally.difference, str(tally)
    assert tally.bound > DECISIONS / 10
    assert tally.refused > DECISIONS / 10


def test_affinity_among_pods_that_come_one_by_one_is_that_of_kube_scheduler(with_kube_scheduler):
    taken, refused, different = asyncio.run(compare_sequences(with_kube_scheduler, sequences=SEQUENCES, seed=SEED))

    assert different == []
    assert min(taken, refused) > SEQUENCES / 2
