"""Roles of a Gang: it waits until each role has the pods that it needs, and places no more of one than it may have."""

from dataclasses import replace

import pytest

from builders.pod_gangs import LARGE, SMALL, group_of, pod_gang, reserving, waiting_pod
from coschedule import Sizes
from lockstep.api.pool import ALL_NODES
from lockstep.belief.podgangs.composing import composed
from lockstep.belief.podgangs.own_pods import PodKind
from lockstep.belief.podgangs.pod_shapes import role_name
from lockstep.facts.gang.gang import RefusedGang
from lockstep.facts.gang.pod_gang import PodRole
from lockstep.facts.gang.source import Source
from lockstep.facts.ranks import MOST_RANKS

LAUNCHER, WORKERS = PodRole("launcher", 1, MOST_RANKS), PodRole("workers", 2, 4)
ROLES = (LAUNCHER, WORKERS)
KIND = PodKind(SMALL, "", Source.PODS, "", ())


def pods_by(**numbers):
    """Names of pods by role: so many of each; ``no`` is no role."""
    return {f"{role}-{number}": role for role, count in numbers.items() for number in range(count)}


def fact_of(pods, *, gang=None, going=0, going_role="", needs_of=None, created=None):
    """The Gang as the planner sees it."""
    waiting = [
        waiting_pod(name, its_needs=(needs_of or {}).get(role, SMALL), created=(created or {}).get(role, 10.0))
        for name, role in pods.items()
    ]
    says = {name: "" if role == "no" else role for name, role in pods.items()}
    return composed(
        gang or pod_gang(3, roles=ROLES), group_of(waiting, going, says, going_role), ALL_NODES, is_checked=True
    )


def planned(pods, **more):
    """The sizes by the role of the Gang, '' for none."""
    spec = fact_of(pods, **more).spec
    assert spec.awaits_pods == ""
    return {
        "" if role.name.startswith("pods-") else role.name.rpartition("-")[0]: (role.sizes.minimum, role.sizes.maximum)
        for role in spec.roles
    }


@pytest.mark.parametrize(
    ("pods", "want"),
    [
        pytest.param(pods_by(launcher=1, workers=2), {"launcher": (1, 1), "workers": (2, 2)}, id="all that are needed"),
        pytest.param(pods_by(launcher=1, workers=3), {"launcher": (1, 1), "workers": (2, 3)}, id="a number is chosen"),
        pytest.param(
            pods_by(launcher=1, workers=6), {"launcher": (1, 1), "workers": (2, 4)}, id="no more than a role has"
        ),
        pytest.param(
            pods_by(launcher=2, workers=4),
            {"launcher": (1, 1), "workers": (2, 4)},
            id="one role varies, others are few",
        ),
        pytest.param(
            pods_by(launcher=1, workers=2, no=2),
            {"launcher": (1, 1), "workers": (2, 2), "": (1, 2)},
            id="pods without a role come too",
        ),
    ],
)
def test_roles_are_placed_together_with_what_each_needs(pods, want):
    assert planned(pods) == want


def test_more_pods_of_one_role_do_not_stand_in_for_another():
    spec = fact_of(pods_by(launcher=5, workers=1)).spec

    assert spec.awaits_pods == "1 of the 2 needed pods of role workers wait for a node."
    assert spec.awaits_since == 10.0


def test_size_of_all_is_needed_beside_the_roles():
    gang = pod_gang(5, roles=ROLES)

    assert fact_of(pods_by(launcher=1, workers=3), gang=gang).spec.awaits_pods.startswith("4 of the 5")
    assert planned(pods_by(launcher=2, workers=4), gang=gang) == {"launcher": (1, 1), "workers": (4, 4)}
    assert planned(pods_by(launcher=1, workers=3, no=1), gang=gang) == {
        "launcher": (1, 1),
        "workers": (3, 3),
        "": (1, 1),
    }


def test_most_of_all_leaves_each_role_what_it_needs():
    gang = pod_gang(3, 3, roles=ROLES)

    assert planned(pods_by(launcher=1, workers=4), gang=gang) == {"launcher": (1, 1), "workers": (2, 2)}


def test_pods_of_one_role_that_differ_are_placed_all():
    pods = {"a": "launcher", "b": "workers", "c": "workers", "d": "workers"}
    waiting = [waiting_pod(name, its_needs=LARGE if name == "d" else SMALL) for name in pods]
    spec = composed(pod_gang(3, roles=ROLES), group_of(waiting, roles=pods), ALL_NODES).spec

    assert all(not role.sizes.vary for role in spec.roles)
    assert spec.minimum == 4


@pytest.mark.parametrize(
    ("going", "pods", "want"),
    [
        pytest.param(2, pods_by(workers=5), {"workers": (1, 2)}, id="up to the most of its role"),
        pytest.param(4, pods_by(workers=1, launcher=1), {"launcher": (1, 1)}, id="only those of other roles"),
        pytest.param(1, pods_by(workers=1), {"workers": (1, 1)}, id="no role waits for its fewest"),
    ],
)
def test_later_pods_are_placed_within_their_roles(going, pods, want):
    assert planned(pods, going=going, going_role="workers") == want


def test_pods_above_the_most_of_their_role_wait_for_an_end():
    spec = fact_of(pods_by(workers=2), going=4, going_role="workers").spec

    assert spec.awaits_pods == "4 of at most 4 pods of role workers are on nodes; 2 wait until others have ended."


def test_age_counts_from_when_each_role_was_complete():
    times = {"launcher": 30.0, "workers": 20.0}

    assert fact_of(pods_by(launcher=1, workers=3), created=times).created == 30.0


@pytest.mark.parametrize(
    ("pods", "want_complete"),
    [
        pytest.param(pods_by(no=3), True, id="no pod says its role"),
        pytest.param(pods_by(launcher=1, no=2), True, id="some say it"),
        pytest.param(pods_by(launcher=3), False, id="all say it"),
        pytest.param(pods_by(launcher=2, no=1), False, id="too few may be of the other"),
    ],
)
def test_made_gang_counts_pods_that_say_no_role_for_any(pods, want_complete):
    made = replace(pod_gang(3, roles=ROLES), made_for="uid-of-owner")

    assert (fact_of(pods, gang=made).spec.awaits_pods == "") is want_complete


def test_too_many_kinds_by_role_are_refused():
    roles = tuple(PodRole(f"r{number}", 1, MOST_RANKS) for number in range(5))
    waiting = [
        waiting_pod(f"{role.name}-{number}", its_needs=needs)
        for role in roles
        for number, needs in enumerate((SMALL, LARGE))
    ]
    says = {pod.name: pod.name.partition("-")[0] for pod in waiting}
    found = composed(pod_gang(5, roles=roles), group_of(waiting, roles=says), ALL_NODES)

    assert isinstance(found, RefusedGang)
    assert "more than 8 kinds" in found.refusal.message


def test_labels_that_are_no_roles_of_the_gang_cost_nothing():
    waiting = [waiting_pod(f"p{number}") for number in range(100)]
    says = {pod.name: f"role-{pod.name}" for pod in waiting}
    spec = composed(pod_gang(3), group_of(waiting, roles=says), ALL_NODES).spec

    [role] = spec.roles
    assert role.sizes == Sizes(minimum=3, maximum=100)


def test_reservation_keeps_its_roles_whatever_becomes_of_the_spec():
    pods = pods_by(launcher=1, workers=2)
    names = [role.name for role in fact_of(pods).spec.roles]
    held = reserving(**dict.fromkeys(names, 1))

    spec = fact_of(pods, gang=pod_gang(3, roles=ROLES, status=held)).spec

    assert {role.name: role.needs for role in spec.roles} == dict.fromkeys(names, SMALL)


def test_class_of_the_gang_is_that_of_its_pods():
    gang = pod_gang(1, priority_class="urgent")
    wrong = composed(gang, group_of([waiting_pod("a", priority_class="low")]), ALL_NODES)
    right = composed(gang, group_of([waiting_pod("a", priority_class="urgent")]), ALL_NODES)

    assert isinstance(wrong, RefusedGang)
    assert "the Gang has the priority class urgent, and pod a has the priority class low" in wrong.refusal.message
    assert right.spec.priority_class == composed(gang, group_of([]), ALL_NODES).spec.priority_class == "urgent"


def test_roles_of_long_names_have_names_of_their_own():
    one, other = (role_name(KIND, ALL_NODES, "r" * 62 + end) for end in "ab")

    assert one != other
    assert max(len(one), len(other)) <= 63
