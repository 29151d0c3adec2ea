"""Decision by decision as kube-scheduler: whether a pod may go to a node.

A run that makes long searches whole compares twelve times as many. ``PYTHONPATH=tests .venv/bin/python -m differential
DECISIONS SEED`` compares as many as you like.
"""

import asyncio

import pytest

from differential.comparing import compare_schedulers
from differential.sequences import compare_sequences
from sandbox import Component, Options, start
from searches import sample

DECISIONS = range(300)
SEQUENCES = range(60)
SEED = 20260


@pytest.fixture
def many(pytestconfig):
    """How many of these are compared in this run."""
    return lambda cases: len(sample(pytestconfig, "differential", cases))


@pytest.fixture(scope="module")
def with_kube_scheduler(tmp_path_factory):
    """A control plane of its own, on which kube-scheduler places pods and no operator runs."""
    addons = frozenset({Component.SCHEDULER})
    with start(Options(name="differential", addons=addons, state=tmp_path_factory.mktemp("sandboxes"))) as sandbox:
        yield sandbox


def test_random_decisions_are_those_of_kube_scheduler(with_kube_scheduler, many, capsys):
    decisions = many(DECISIONS)
    tally = asyncio.run(compare_schedulers(with_kube_scheduler, decisions=decisions, seed=SEED))

    with capsys.disabled():
        print(f" {tally} ", end="")  # noqa: T201 - the count is what a reader wants to see
    assert not tally.difference, str(tally)
    assert tally.bound > decisions / 10
    assert tally.refused > decisions / 10


def test_affinity_among_pods_that_come_one_by_one_is_that_of_kube_scheduler(with_kube_scheduler, many):
    sequences = many(SEQUENCES)
    taken, refused, different = asyncio.run(compare_sequences(with_kube_scheduler, sequences=sequences, seed=SEED))

    assert different == []
    assert min(taken, refused) > sequences / 2
