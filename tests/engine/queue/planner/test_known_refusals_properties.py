"""Plans that remember refusals, beside plans that check every gang: the same decisions, on random snapshots."""

from dataclasses import replace

import pytest

from coschedule.queue.keeping.memory import remembering
from coschedule.queue.plan import plan
from coschedule.queue.planner.known_refusals import KnownRefusals
from coschedule.queue.preemption.preempt import preempt
from coschedule.queue.problem.decisions import Unplaceable
from coschedule.queue.problem.gangs import GangKey
from coschedule.queue.problem.promise_kinds import Promises
from engine.builders import role, seeded
from engine.queue.planner.test_known_refusals import CHANGED_TOO, DIFFERENCES, INDIFFERENT
from engine.queue.preemption import test_preempt_properties
from engine.queue.test_plan_properties import cluster

SEEDS = range(16)
CHANGES = DIFFERENCES.keys() - {"roles", "terms", "work"} | {"created", "promised", "requested"}
"""Fields whose other values fit any gang."""


def crowded(rnd, snap):
    """Add others of each gang's template, next to it in the queue; some differ in one thing, and some never fit."""
    gangs = [alike for one in snap.gangs for alike in (one, *(like(rnd, one, number) for number in range(3)))]
    hopeless = replace(
        snap.gangs[-1], key=GangKey("default", "hopeless"), roles=(too_large(snap),), work=None, terms=()
    )
    return replace(snap, gangs=(*gangs, hopeless, *(named(hopeless, number) for number in range(3))))


def too_large(snap):
    return role(size=50 * len(snap.nodes.names), request=(1,) * len(snap.resources))


def named(one, number):
    return replace(one, key=GangKey(one.key.namespace, f"{one.key.name}-{number}"), created=one.created + number / 1e6)


def like(rnd, one, number):
    other = named(one, number)
    if rnd.random() < 0.5:
        return other
    name = rnd.choice(sorted(CHANGES | {"roles"}))
    return replace(other, **changes(rnd, other, name))


def changes(rnd, one, name):
    if name == "roles":
        return {"roles": (*one.roles[:-1], asking_for_more(rnd, one.roles[-1]))}
    if name == "checkpoint_interval":
        name = "interruptible"
    values = DIFFERENCES | INDIFFERENT
    return {name: values[name]} | CHANGED_TOO.get(name, {})


def asking_for_more(rnd, one):
    column = rnd.randrange(len(one.request))
    return replace(one, request=tuple(amount + (index == column) for index, amount in enumerate(one.request)))


def without_memory(monkeypatch, make):
    with monkeypatch.context() as patch:
        patch.setattr(KnownRefusals, "of", lambda *_: None)
        return make()


def counting_hits(monkeypatch):
    hits = []

    def of(self, one, original=KnownRefusals.of):
        known = original(self, one)
        hits.extend([one.key] if known is not None else [])
        return known

    monkeypatch.setattr(KnownRefusals, "of", of)
    return hits


@pytest.mark.parametrize("promises", list(Promises))
@pytest.mark.parametrize("seed", SEEDS)
def test_plan_is_the_same_as_when_every_gang_is_checked(seed, promises, monkeypatch):
    hits, rnd = counting_hits(monkeypatch), seeded(seed)
    snap = crowded(rnd, cluster(rnd, nodes=rnd.choice([3, 8]), gangs=6))
    snap = replace(snap, promises=promises, most_holding=rnd.choice([0, 3]))

    made = plan(snap)

    assert made == without_memory(monkeypatch, lambda: plan(snap))
    assert hits
    assert len(set(hits)) <= sum(isinstance(one, Unplaceable) for one in made.decisions)


@pytest.mark.parametrize("seed", SEEDS)
def test_plan_that_follows_another_is_the_same(seed, monkeypatch):
    rnd = seeded(seed)
    snap = replace(crowded(rnd, cluster(rnd, nodes=6, gangs=6)), promises=Promises.SLACK)
    later = replace(snap, now=snap.now + 5, generation=2, free=snap.free - 1)
    again = remembering(later, snap, plan(snap))

    assert plan(again) == without_memory(monkeypatch, lambda: plan(again))


@pytest.mark.parametrize("seed", SEEDS)
def test_those_who_give_way_are_the_same(seed, monkeypatch):
    rnd = seeded(seed)
    snap = crowded(rnd, test_preempt_properties.cluster(rnd, gangs=6))

    evicting = preempt(snap, plan(snap))

    assert evicting == without_memory(monkeypatch, lambda: preempt(snap, plan(snap)))
