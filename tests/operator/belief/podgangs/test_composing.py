"""What the planner makes of a Gang and the pods of it that wait."""

from dataclasses import replace
from itertools import permutations

import pytest

from builders.facts import needs, pod_fact
from builders.pod_gangs import LARGE, SMALL, TINY, group_of, pod_gang, reserving, role_of, waiting_pod
from coschedule import SerialWork, Sizes
from lockstep.api.pool import ALL_NODES, Pool
from lockstep.belief.podgangs.composing import composed
from lockstep.belief.podgangs.pod_group import PodGroup
from lockstep.belief.podgangs.refusals import MOST_KINDS
from lockstep.belief.podgangs.specs.later_pods import room_spec
from lockstep.facts.gang.gang import AcceptedGang, Refusal, RefusedGang
from lockstep.facts.gang.pod_gang import GroupMember, LaterPods, grouped
from lockstep.facts.pods.pod import Membership, PodPhase
from lockstep.facts.reasons import Reason

POOL = Pool(selector=(("pool", "gangs"),))
UNREAD = Refusal(Reason.UNSUPPORTED_FIELD, "pod b.spec.resourceClaims: not yet.")


def plans(gang, *pods, going=0, pool=ALL_NODES):
    """The Gang as the planner sees it."""
    found = composed(gang, group_of(pods, going), pool)
    assert isinstance(found, AcceptedGang)
    return found


def refusal(gang, *pods, going=0):
    """Why the Gang is refused."""
    found = composed(gang, group_of(pods, going), ALL_NODES)
    assert isinstance(found, RefusedGang)
    return found.refusal


def sizes(gang, *pods, going=0):
    """The numbers of pods of each role."""
    return [role.sizes for role in plans(gang, *pods, going=going).spec.roles]


def pods_of(its_needs, names, **more):
    """Pods with the same needs."""
    return [waiting_pod(name, its_needs=its_needs, **more) for name in names]


def test_equal_pods_are_one_role_of_which_a_number_is_chosen():
    spec = plans(pod_gang(2), *pods_of(SMALL, "abcd")).spec

    [role] = spec.roles
    assert (role.needs, role.sizes) == (SMALL, Sizes(minimum=2, maximum=4))
    assert spec.awaits_pods == ""


def test_pods_of_several_shapes_are_placed_all_together():
    spec = plans(pod_gang(2), *pods_of(LARGE, "a"), *pods_of(SMALL, "bcd")).spec

    exactly = {LARGE: Sizes(minimum=1, maximum=1), SMALL: Sizes(minimum=3, maximum=3)}
    assert {role.needs: role.sizes for role in spec.roles} == exactly


def test_roles_have_the_same_names_whatever_the_order_of_the_pods():
    pods = [*pods_of(LARGE, "a"), *pods_of(SMALL, "bc")]
    names = [{role.needs: role.name for role in plans(pod_gang(), *order).spec.roles} for order in (pods, pods[::-1])]

    assert names[0] == names[1]
    assert len(set(names[0].values())) == 2


def test_no_more_pods_than_the_maximum_are_planned():
    assert sizes(pod_gang(1, 3), *pods_of(SMALL, "abcde")) == [Sizes(minimum=1, maximum=3)]
    assert sizes(pod_gang(1, 3), *pods_of(SMALL, "abcde"), going=2) == [Sizes(minimum=1, maximum=1)]


def test_pods_that_come_later_are_placed_in_any_number():
    assert sizes(pod_gang(4), *pods_of(SMALL, "ab"), going=4) == [Sizes(minimum=1, maximum=2)]


@pytest.mark.parametrize(
    ("gang", "names", "going", "want_says"),
    [
        pytest.param(pod_gang(2), "", 0, "No pod of the Gang waits for a node. It needs 2 together.", id="none"),
        pytest.param(pod_gang(2), "a", 0, "1 of the 2 needed pods wait for a node.", id="too few"),
        pytest.param(
            pod_gang(2), "", 2, "Its pods are bound, and no other pod of the Gang waits for a node.", id="all bound"
        ),
        pytest.param(
            pod_gang(2, 2),
            "a",
            2,
            "2 of at most 2 pods of the Gang are on nodes; 1 wait until others have ended.",
            id="no more may run",
        ),
        pytest.param(
            pod_gang(1, 1),
            "ab",
            3,
            "3 of at most 1 pods of the Gang are on nodes; 2 wait until others have ended.",
            id="more than may run",
        ),
    ],
)
def test_gang_with_too_few_pods_says_how_many_it_has(gang, names, going, want_says):
    assert plans(gang, *pods_of(SMALL, names), going=going).spec.awaits_pods == want_says


def test_gang_grows_old_from_the_pod_with_which_they_were_enough():
    late = [waiting_pod("c", created=30), waiting_pod("a", created=10), waiting_pod("b", created=20)]

    assert plans(pod_gang(2), *late).created == 20
    assert plans(pod_gang(2), *late, going=1).created == 10
    assert plans(pod_gang(2, created=25), *late).created == 25
    assert plans(pod_gang(4, created=5), *late).created == 5


def test_gang_of_a_pool_is_planned_on_its_nodes():
    [role] = plans(pod_gang(1), waiting_pod(), pool=POOL).spec.roles

    assert role.constraints.node_selector == (("pool", "gangs"),)
    assert role_of(SMALL, POOL) == role.name
    assert role_of(SMALL) != role.name


def test_selector_of_a_pod_is_not_overwritten_by_that_of_the_pool():
    own = SMALL._replace(constraints=replace(SMALL.constraints, node_selector=(("pool", "mine"),)))

    gang = plans(pod_gang(1), waiting_pod(its_needs=own), pool=POOL)

    assert gang.spec.roles[0].constraints.node_selector == (("pool", "mine"),)
    assert POOL.refusal(gang) is not None


def test_all_that_the_gang_asks_for_is_planned():
    asks = {"work": SerialWork(serial=60.0), "deadline_seconds": 90.0, "one_per": "host", "all_in": "zone"}

    spec = plans(pod_gang(1, **asks), waiting_pod()).spec

    assert {field: getattr(spec, field) for field in asks} == asks


def test_priority_is_that_of_all_pods():
    assert plans(pod_gang(2), *pods_of(SMALL, "ab", priority_class="high")).spec.priority_class == "high"


@pytest.mark.parametrize(
    ("gang", "pods", "want"),
    [
        pytest.param({}, (True, True), True, id="all may"),
        pytest.param({}, (True, False), False, id="one pod does not"),
        pytest.param({"preempts": False}, (True, True), False, id="the Gang does not"),
    ],
)
def test_others_give_way_if_neither_the_gang_nor_a_pod_of_it_says_never(gang, pods, want):
    waiting = [waiting_pod(name, preempts=one) for name, one in zip("ab", pods, strict=True)]
    spec = plans(pod_gang(2, **gang), *waiting).spec

    assert spec.preempts is want
    assert [role.sizes for role in spec.roles] == [Sizes(minimum=2, maximum=2)]


def test_pods_of_different_priorities_are_refused_with_one_of_each():
    found = refusal(pod_gang(2), waiting_pod("a"), waiting_pod("b", priority_class="high"))

    assert found.reason is Reason.INVALID_SPEC
    assert all(word in found.message for word in ("pod a", "pod b", "high", "one class"))


def test_pods_of_too_many_kinds_are_refused_however_many_kinds_there_are():
    pods = [waiting_pod(f"p{number}", its_needs=needs(cpu=1000 + number)) for number in range(MOST_KINDS + 2)]

    assert len(plans(pod_gang(2), *pods[:MOST_KINDS]).spec.roles) == MOST_KINDS
    found = refusal(pod_gang(2), *pods)
    assert found == refusal(pod_gang(2), *pods[: MOST_KINDS + 1])
    assert all(word in found.message for word in ("8 kinds", "pod p0", "pod p1"))


def test_pod_that_cannot_be_planned_refuses_the_gang_with_its_sentence():
    assert refusal(pod_gang(1), waiting_pod("a"), waiting_pod("b", its_needs=UNREAD)) == UNREAD


def test_spec_that_cannot_be_obeyed_refuses_the_gang_whatever_its_pods():
    wrong = Refusal(Reason.INVALID_SPEC, "size: min 3 and max 2 are no range.")

    assert refusal(pod_gang(asks=wrong)) == refusal(pod_gang(asks=wrong), waiting_pod()) == wrong


def test_reservation_keeps_its_roles_while_its_pods_are_bound_one_by_one():
    pods = [*pods_of(LARGE, "a"), *pods_of(SMALL, "bcd")]
    planned = plans(pod_gang(2), *pods).spec.roles
    status = reserving(**{role.name: role.sizes.maximum for role in planned})

    for left in range(len(pods)):
        found = plans(pod_gang(2, status=status), *pods[left:], going=left).spec.roles
        assert [(role.name, role.sizes) for role in found] == [(role.name, role.sizes) for role in planned]
        assert {role_of(pod.needs) for pod in pods[left:]} <= {role.name for role in planned}


def test_reservation_is_kept_while_a_pod_comes_that_would_refuse_the_gang():
    [planned] = plans(pod_gang(2), *pods_of(SMALL, "ab")).spec.roles
    status = reserving(**{planned.name: 2})
    pods = [*pods_of(SMALL, "ab"), waiting_pod("c", priority_class="high"), waiting_pod("d", its_needs=UNREAD)]

    [role] = plans(pod_gang(2, status=status), *pods).spec.roles

    assert (role.needs, role.sizes) == (SMALL, Sizes(minimum=2, maximum=2))


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param({"asks": Refusal(Reason.INVALID_SPEC, "size: min 3 and max 2 are no range.")}, id="no sense"),
        pytest.param({"least": 1, "most": 1}, id="a smaller maximum"),
        pytest.param({"least": 9, "most": 9}, id="a larger minimum"),
    ],
)
@pytest.mark.parametrize("others", [LARGE, TINY, needs(cpu=7000), needs(cpu=8000)])
def test_reservation_is_kept_for_its_pods_whatever_becomes_of_the_spec_and_whichever_pods_come(changed, others):
    [planned] = plans(pod_gang(2), *pods_of(SMALL, "ab")).spec.roles
    gang = pod_gang(status=reserving(**{planned.name: 2}), **changed)

    [role] = plans(gang, *pods_of(others, "xyz"), *pods_of(SMALL, "ab")).spec.roles

    assert (role.needs, role.sizes) == (SMALL, Sizes(minimum=2, maximum=2))


@pytest.mark.parametrize("its_needs", [LARGE, TINY, UNREAD])
def test_pod_with_other_needs_has_no_role(its_needs):
    roles = plans(pod_gang(1), waiting_pod()).spec.roles

    assert role_of(its_needs) not in {role.name for role in roles}


@pytest.mark.parametrize("most", [3, 10])
@pytest.mark.parametrize("going", [0, 1])
def test_plan_is_the_same_whatever_the_order_in_which_pods_were_seen(most, going):
    pods = [*pods_of(LARGE, "ad"), *pods_of(SMALL, "bc")]
    gang = pod_gang(2, most)

    found = [plans(gang, *order, going=going) for order in permutations(pods)]

    assert all(one == found[0] for one in found)


def of_owner(owner, *, waiting=(), succeeded=(), going=()):
    """A group with pods that say that UID of their owner."""
    group, gang = PodGroup(), pod_gang().key
    for name in waiting:
        group.enter(grouped(pod_fact(name), GroupMember(gang, None, waiting_pod(name), owner=owner)))
    for phase, names in ((PodPhase.SUCCEEDED, succeeded), (PodPhase.RUNNING, going)):
        for rank, name in enumerate(names):
            seat = Membership(gang, "uid-of-g", 1, rank)
            group.enter(grouped(pod_fact(name, node="n1", phase=phase), GroupMember(gang, seat, None, rank, owner)))
    return group


def test_gang_with_too_few_pods_awaits_the_others_since_the_first_one_was_created():
    pods = [waiting_pod(name, created=created) for name, created in (("a", 30.0), ("b", 20.0), ("c", 40.0))]

    assert plans(pod_gang(4), *pods).spec.awaits_since == 20.0
    assert plans(pod_gang(4)).spec.awaits_since is None
    assert plans(pod_gang(3), *pods).spec.awaits_since is None
    assert plans(pod_gang(1, 1), *pods, going=3).spec.awaits_since is None


def made(least, owner):
    """A Gang that the operator has made for that owner."""
    return replace(pod_gang(least), made_for=owner)


def test_last_pod_of_an_owner_is_planned_when_the_others_have_succeeded():
    group = of_owner("job", waiting="d", succeeded="abc")

    assert [role.sizes for role in composed(made(4, "job"), group, ALL_NODES).spec.roles] == [
        Sizes(minimum=1, maximum=1)
    ]
    says = composed(pod_gang(4), group, ALL_NODES).spec.awaits_pods
    assert says == "1 of the 4 needed pods wait for a node."


@pytest.mark.parametrize("gang", [pod_gang(2), replace(pod_gang(2), made_for="job")], ids=["a user's", "made"])
def test_gang_whose_pods_have_succeeded_does_not_say_that_it_needs_more(gang):
    ended, running = of_owner("job", succeeded="ab"), of_owner("job", succeeded="a", going="b")

    assert composed(gang, ended, ALL_NODES).spec.awaits_pods == (
        "Its pods have ended, and no other pod of the Gang waits for a node."
    )
    assert "have ended" not in composed(gang, running, ALL_NODES).spec.awaits_pods


def test_pods_that_call_their_deletion_a_success_leave_the_minimum_as_it_is():
    group = of_owner("job", waiting="d")
    for rank, name in enumerate("abc"):
        ended = pod_fact(name, node="n1", phase=PodPhase.SUCCEEDED, deleting=True)
        seat = Membership(pod_gang().key, "uid-of-g", 1, rank)
        group.enter(grouped(ended, GroupMember(pod_gang().key, seat, None, rank, "job")))

    says = composed(made(4, "job"), group, ALL_NODES).spec.awaits_pods

    assert says == "1 of the 4 needed pods wait for a node."


@pytest.mark.parametrize("others", [{"going": "ab"}, {"succeeded": "ab"}])
def test_pods_of_another_owner_do_not_count_for_a_made_gang(others):
    group = of_owner("before", **others)
    for name in "xy":
        pod = waiting_pod(name)
        group.enter(grouped(pod_fact(name), GroupMember(pod_gang().key, None, pod, owner="after")))

    assert "No pod of the Gang waits" in composed(made(2, "elsewhere"), group, ALL_NODES).spec.awaits_pods
    [role] = composed(made(2, "after"), group, ALL_NODES).spec.roles
    assert role.sizes == Sizes(minimum=2, maximum=2)


def test_made_gang_is_planned_once_it_is_compared_with_its_owner():
    group = of_owner("job", waiting="ab")

    unchecked = composed(made(2, "job"), group, ALL_NODES, is_checked=False)
    beside = composed(made(2, "job"), of_owner("job", waiting="c", going="ab"), ALL_NODES, is_checked=False)

    assert "compared the Gang with their owner" in unchecked.spec.awaits_pods
    assert not composed(made(2, "job"), group, ALL_NODES).spec.awaits_pods
    assert not beside.spec.awaits_pods


def test_pods_that_differ_in_a_label_that_their_affinity_selects_by_are_of_two_kinds():
    pods = [waiting_pod(name)._replace(selected=(("x", name),)) for name in "ab"]

    assert len(plans(pod_gang(2), *pods).spec.roles) == 2


def later(*pods):
    """Pods that come later, by the numbers of each kind."""
    return tuple(LaterPods(count, needs) for count, needs in zip(pods, (SMALL, LARGE), strict=False))


@pytest.mark.parametrize(
    ("going", "waiting", "want"),
    [
        pytest.param(0, "ab", {"pods-that-come-later-0": 1, "pods-that-come-later-1": 2}, id="the first step"),
        pytest.param(0, "abc", {"pods-that-come-later-1": 2}, id="one of the others is there too"),
        pytest.param(0, "abcde", {}, id="all are there"),
        pytest.param(2, "", {"pods-that-come-later-0": 1, "pods-that-come-later-1": 2}, id="the first step runs"),
        pytest.param(2, "c", {"pods-that-come-later-1": 2}, id="the second step has come"),
        pytest.param(4, "", {"pods-that-come-later-1": 1}, id="one is missing"),
        pytest.param(5, "", {}, id="all run"),
        pytest.param(6, "", {}, id="more than all run"),
    ],
)
def test_room_is_wanted_for_pods_that_are_not_there(going, waiting, want):
    gang = pod_gang(2, later=later(1, 2))
    group = group_of(pods_of(LARGE, waiting), going)
    spec = (
        plans(gang, *pods_of(LARGE, waiting)).spec if not going else room_spec(gang.asks, group.own(None, 0), ALL_NODES)
    )
    roles = () if spec is None else spec.roles

    assert {role.name: role.sizes.maximum for role in roles if role.is_later} == want
    assert spec is None or spec.is_room == (going > 0)


def test_later_pods_with_equal_needs_are_one_role_in_the_place_of_the_first_of_them():
    steps = (LaterPods(1, SMALL), LaterPods(2, LARGE), LaterPods(4, SMALL))

    spec = plans(pod_gang(2, later=steps), *pods_of(LARGE, "ab")).spec

    want = [("pods-that-come-later-0", 5), ("pods-that-come-later-1", 2)]
    assert [(role.name, role.sizes.maximum) for role in spec.roles if role.is_later] == want


def test_all_first_pods_are_placed_if_others_come_later():
    assert sizes(pod_gang(2, later=later(1)), *pods_of(LARGE, "ab")) == [
        Sizes(minimum=2, maximum=2),
        Sizes(minimum=1, maximum=1),
    ]
