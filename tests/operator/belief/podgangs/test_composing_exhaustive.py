"""Every small Gang, with every few pods of up to three shapes, beside the rule written down once more."""

from itertools import product

import pytest

from builders.pod_gangs import LARGE, SMALL, TINY, group_of, pod_gang, role_of, waiting_pod
from coschedule import Sizes
from lockstep.api.pool import ALL_NODES
from lockstep.belief.podgangs.composing import composed

MOST = 4
SHAPES = (SMALL, LARGE, TINY)
LINES = [shapes for number in range(MOST + 1) for shapes in product(SHAPES, repeat=number)]
RANGES = [(least, most) for least in range(1, MOST + 1) for most in range(least, MOST + 2)]


def names():
    """The name of the role of each shape."""
    pods = [waiting_pod(f"p{number}", its_needs=shape) for number, shape in enumerate(SHAPES)]
    return {role.needs: role.name for role in composed(pod_gang(1), group_of(pods), ALL_NODES).spec.roles}


NAMES = names()


def planned_one_by_one(shapes, least, most, going):
    """What is planned, by needs; None while pods are awaited."""
    places = max(most - going, 0)
    chosen = sorted(shapes, key=NAMES.get)[:places]
    if not chosen or (not going and len(chosen) < least):
        return None
    counts = {shape: chosen.count(shape) for shape in chosen}
    if going:
        return {shape: (1, count) for shape, count in counts.items()}
    if len(counts) == 1:
        return {shape: (least, count) for shape, count in counts.items()}
    return {shape: (count, count) for shape, count in counts.items()}


def planned(gang, group, turns):
    """What is planned in so many turns: (role, size) by needs, and the specs."""
    specs = [composed(gang, group, ALL_NODES, turn).spec for turn in range(turns)]
    return {role.needs: role for spec in specs for role in spec.roles}, specs


@pytest.mark.parametrize("going", range(MOST + 1))
@pytest.mark.parametrize(("least", "most"), RANGES)
def test_every_line_of_pods_is_planned_by_the_rule(least, most, going):
    for shapes in LINES:
        pods = [waiting_pod(f"p{number}", its_needs=shape) for number, shape in enumerate(shapes)]
        turns = len(SHAPES) if going else 1

        found, specs = planned(pod_gang(least, most), group_of(pods, going), turns)

        want = planned_one_by_one(shapes, least, most, going)
        if want is None:
            assert all(spec.awaits_pods for spec in specs), shapes
            continue
        sizes = {shape: Sizes(minimum=low, maximum=high) for shape, (low, high) in want.items()}
        assert {shape: role.sizes for shape, role in found.items() if shape in sizes} == sizes, shapes
        assert found.keys() == sizes.keys()
        for spec in specs:
            assert not spec.awaits_pods
            check_roles(spec.roles, pods)
            assert spec.maximum + going <= most


def check_roles(roles, pods):
    """Each role has a name of its own, and a pod has the role with its needs or none."""
    by_name = {role.name: role for role in roles}
    assert len(by_name) == len(roles)
    for pod in pods:
        name = role_of(pod.needs)
        if name not in by_name:
            assert all(role.needs != pod.needs for role in roles)
        else:
            assert by_name[name].needs == pod.needs
