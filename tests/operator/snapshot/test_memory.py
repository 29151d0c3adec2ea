"""What is gone leaves nothing behind: a cluster's nodes, bids and pods may come and go for months."""

import gc
import sys
from dataclasses import replace
from itertools import count
from types import FunctionType, ModuleType

import pytest

from builders.facts import gang_fact, gang_spec, role_spec
from builders.served import bid, node, pod
from coschedule import Requirement
from lockstep.belief.state import State
from lockstep.facts.pods.pod import PodAffinity, PodTerm, WrittenTerm
from lockstep.snapshot.snapshots import SnapshotCutter
from lockstep.watch.kinds import bids_kind
from lockstep.watch.kubernetes_kinds import nodes_kind, pods_kind

NUMBERS = count()
# Dictionaries and lists keep some room to grow into.
ROOM_BYTES = 4096


def bytes_of(*roots):
    """All that can be reached from these objects, but code."""
    seen, waiting = {}, list(roots)
    while waiting:
        one = waiting.pop()
        if id(one) not in seen and not isinstance(one, (type, ModuleType, FunctionType)):
            seen[id(one)] = one
            waiting += gc.get_referents(one)
    return sum(sys.getsizeof(one) for one in seen.values())


def come_and_go(state, cutter, gang, nodes):
    """So many nodes are there at once, each with a bid, a pod, and a resource of its own; then none is."""
    kinds = nodes_kind(state), bids_kind(state), pods_kind(state)
    objects = []
    for number in (next(NUMBERS) for _ in range(nodes)):
        name = f"node-{number}"
        manifests = (
            node(name, **{f"example.com/r{number}": "1"}, labels={"host": name}),
            bid(name, dutyCycle="100m", slots=2),
            pod(f"pod-{number}", node=name, labels={"app": "heat", f"key-{number}": "value"}),
        )
        objects += zip(kinds, manifests, strict=True)
    for kind, manifest in objects:
        kind.accept(manifest)
    cutter.cut(0.0, [gang])
    for kind, manifest in reversed(objects):
        kind.drop(kind.key(manifest))
    cutter.cut(0.0, [gang])


def shy_gang():
    """A gang that keeps off the hosts of other pods."""
    term = WrittenTerm(PodTerm("host", (Requirement("app", "Exists", ()),), (), None))
    return gang_fact(spec=replace(gang_spec(), roles=(replace(role_spec(), pod_affinity=PodAffinity((), (term,))),)))


@pytest.mark.parametrize("gang", [gang_fact(), shy_gang()], ids=["plain", "that asks where pods are"])
def test_belief_does_not_grow_with_nodes_that_come_and_go(gang):
    state = State(lambda: None)
    cutter = SnapshotCutter(state)
    come_and_go(state, cutter, gang, nodes=100)
    before = bytes_of(state, cutter)

    for _ in range(20):
        come_and_go(state, cutter, gang, nodes=100)

    assert bytes_of(state, cutter) <= before + ROOM_BYTES
