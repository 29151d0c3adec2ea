"""Every small Gang of two roles, with every few pods of these and of none: no role has too few pods, or too many."""

from itertools import product

import pytest

from builders.pod_gangs import SMALL, group_of, pod_gang, waiting_pod
from lockstep.api.pool import ALL_NODES
from lockstep.belief.podgangs.composing import composed
from lockstep.facts.gang.pod_gang import PodRole

COUNTS = list(product(range(4), repeat=3))
RANGES = [(least, most) for least in (1, 2) for most in range(least, 4)]


def pods_of(counts):
    """So many pods of the roles a and b, and of none."""
    says = {
        f"{role or 'no'}{number}": role
        for role, count in zip(("a", "b", ""), counts, strict=True)
        for number in range(count)
    }
    return group_of([waiting_pod(name, its_needs=SMALL) for name in says], roles=says)


@pytest.mark.parametrize("of_b", RANGES)
@pytest.mark.parametrize("of_a", RANGES)
def test_roles_have_what_they_need_and_no_more(of_a, of_b):
    roles = (PodRole("a", *of_a), PodRole("b", *of_b))
    fewest = of_a[0] + of_b[0]
    for least, room in product((fewest, fewest + 1), range(3)):
        gang = pod_gang(least, least + room, roles=roles)
        for counts in COUNTS:
            check(composed(gang, pods_of(counts), ALL_NODES).spec, counts, roles, (least, least + room))


def check(spec, counts, roles, in_all):
    least, most = in_all
    possible = sum(min(there, role.maximum) for there, role in zip(counts, roles, strict=False)) + counts[2]
    has_all = possible >= least and all(there >= role.minimum for there, role in zip(counts, roles, strict=False))
    assert (spec.awaits_pods == "") is has_all, counts
    if not has_all:
        return
    sizes = {role.name[0]: role.sizes for role in spec.roles}
    assert sum(one.vary for one in sizes.values()) <= 1
    for there, role in zip(counts, roles, strict=False):
        assert role.minimum <= sizes[role.name].minimum <= sizes[role.name].maximum <= min(there, role.maximum)
    assert spec.maximum <= most
    assert spec.minimum >= least
