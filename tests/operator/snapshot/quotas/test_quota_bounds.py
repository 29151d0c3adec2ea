"""How many members quotas allow: the arithmetic against every combination, and which pods are counted."""

import itertools
import random
from dataclasses import replace

import pytest

from builders.facts import claim_fact, gang_fact, gang_spec, role_spec
from builders.served import gang, priority_class
from coschedule import GangKey, Members, Sizes
from lockstep.api.cluster.cluster import parse_priority_class
from lockstep.api.cluster.quota import parse_quota
from lockstep.api.gangjob.gangjob import parse_gang
from lockstep.belief.holding.reservation import Reservation
from lockstep.belief.state import State
from lockstep.facts.cluster.volume import StorageClass
from lockstep.report.text.refusal_sentences import format_refusal
from lockstep.snapshot.quotas.quota_bounds import Bound, Limit, QuotaBounds, QuotaShort, most_members

GPU = "example.com/gpu"


def quota(name="small", *, scopes=(), selector=(), namespace="default", used=(), **hard):
    used = dict.fromkeys(hard, "0") | dict(used)
    spec = {"hard": hard, "scopes": list(scopes), "scopeSelector": {"matchExpressions": list(selector)}}
    metadata = {"name": name, "namespace": namespace, "resourceVersion": "1"}
    return {"metadata": metadata, "spec": spec, "status": {"hard": hard, "used": used}}


def state_with(*quotas, classes=()):
    state = State(lambda: None)
    for manifest in quotas:
        state.quotas.apply(parse_quota(manifest))
    for manifest in classes:
        state.priorities.apply(parse_priority_class(manifest))
    return state


def most(state, fact):
    """The most members that the gang may have, or what is short."""
    bound = QuotaBounds(state).bound(fact)
    return bound.gang.spec.maximum if isinstance(bound, Bound) else bound


@pytest.mark.parametrize("seed", range(300))
def test_most_members_are_the_best_of_all_combinations(seed):
    rnd = random.Random(seed)  # noqa: S311 - a case has to come again
    sizes = [some_sizes(rnd) for _ in range(rnd.randint(1, 3))]
    limits = [some_limit(rnd, len(sizes)) for _ in range(rnd.randint(1, 3))]
    fitting = [
        counts
        for counts in itertools.product(*(one.between(one.least, one.maximum).tolist() for one in sizes))
        if all(limit.taken(counts) <= min(limit.left, limit.hard) for limit in limits)
    ]

    found = most_members(sizes, limits)

    if fitting:
        assert found == max(fitting)
    else:
        assert isinstance(found, QuotaShort)
        assert found.wanted > min(found.limit.left, found.limit.hard)


def some_sizes(rnd):
    least = rnd.randint(1, 4)
    step = rnd.choice([1, 1, 2, 3])
    return Sizes(minimum=least, maximum=least + step + rnd.randint(0, 5), multiple_of=step)


def some_limit(rnd, roles):
    hard = rnd.choice([rnd.randint(0, 60), 10**30])
    each = tuple(rnd.choice([0, rnd.randint(1, 9)]) for _ in range(roles))
    return Limit(quota="q", resource="pods", hard=hard, left=hard - rnd.randint(0, 10), each=each)


@pytest.mark.parametrize(
    ("hard", "used", "wanted"),
    [
        pytest.param({"pods": "5"}, {}, 5, id="pods"),
        pytest.param({"count/pods": "5"}, {"count/pods": "2"}, 3, id="pods, some used"),
        pytest.param({"cpu": "9500m"}, {}, 4, id="cpu"),
        pytest.param({"requests.cpu": "10"}, {"requests.cpu": "100m"}, 4, id="requests.cpu"),
        pytest.param({"limits.cpu": "9"}, {}, 3, id="limits.cpu"),
        pytest.param({"memory": "6Gi"}, {}, 6, id="memory"),
        pytest.param({f"requests.{GPU}": "7"}, {}, 7, id="devices"),
        pytest.param({"pods": "8", "cpu": "6"}, {}, 3, id="the least of several"),
        pytest.param({"services": "0", "requests.storage": "0"}, {}, 12, id="what members do not take"),
        pytest.param({"requests.memory": "9e40"}, {}, 12, id="beyond what is counted"),
        pytest.param({"memory": "9e18"}, {"memory": "899e16"}, 12, id="beyond what one pod can have"),
        pytest.param({"pods": "100"}, {}, 12, id="more than it may have"),
    ],
)
def test_what_members_take_bounds_them(hard, used, wanted):
    state = state_with(quota(used=used, **hard))

    assert most(state, asking()) == wanted


def asking(**more):
    """A gang of 2 to 12 members of 2 CPU, at most 3, with 1 GiB and a device each."""
    amounts = {"cpu": "2", "memory": "1Gi", GPU: "1"}
    container = {"name": "m", "image": "i", "resources": {"requests": amounts, "limits": {"cpu": "3", GPU: "1"}}}
    return parse_gang(gang("g", size=2, most=12, pod_spec={"containers": [container], **more}), None)


GOLD = "gold.storageclass.storage.k8s.io/"
PLAIN = "plain.storageclass.storage.k8s.io/"


@pytest.mark.parametrize(
    ("hard", "used", "wanted"),
    [
        pytest.param({"persistentvolumeclaims": "8"}, {}, 4, id="claims: two a member"),
        pytest.param({"count/persistentvolumeclaims": "8"}, {"count/persistentvolumeclaims": "2"}, 3, id="some used"),
        pytest.param({"requests.storage": "30Gi"}, {}, 6, id="storage: 3 GiB and 2 GiB a member"),
        pytest.param({f"{GOLD}requests.storage": "30Gi"}, {}, 10, id="storage of a class"),
        pytest.param({f"{GOLD}persistentvolumeclaims": "7"}, {}, 7, id="claims of a class"),
        pytest.param({f"{PLAIN}requests.storage": "9Gi"}, {}, 4, id="storage of the default class"),
        pytest.param({"odd.storageclass.storage.k8s.io/persistentvolumeclaims": "0"}, {}, 12, id="another class"),
        pytest.param({"requests.storage": "9e30"}, {}, 12, id="beyond 64 bits"),
        pytest.param({"persistentvolumeclaims": "9", "requests.storage": "10Gi"}, {}, 2, id="the least of several"),
    ],
)
@pytest.mark.parametrize("source", ["ephemeral", "templates"])
def test_volumes_that_members_claim_bound_them(source, hard, used, wanted):
    state = with_classes(state_with(quota(used=used, **hard)))

    assert most(state, claiming(source)) == wanted


def test_storage_that_is_short_is_given_in_bytes_as_people_write_them():
    state = with_classes(state_with(quota(**{f"{GOLD}requests.storage": "5Gi"})))

    assert format_refusal(most(state, claiming("templates"))) == (
        f"it needs 2 members, which take 6Gi of {GOLD}requests.storage; quota small allows 5Gi"
    )


def test_one_member_takes():
    limit = Limit(quota="small", resource="requests.cpu", hard=4000, left=0, each=(2000,))

    assert format_refusal(QuotaShort(limit=limit, needed=1, wanted=2000)) == (
        "it needs 1 member, which takes 2 of requests.cpu; quota small allows 4, of which 0 are left"
    )


def test_quota_of_pods_of_a_scope_counts_no_claims():
    state = with_classes(state_with(quota(persistentvolumeclaims="2", scopes=["NotBestEffort"])))

    assert most(state, claiming("ephemeral")) == 12


def test_claims_that_an_earlier_attempt_has_left_are_not_counted_again():
    state = with_classes(state_with(quota(persistentvolumeclaims="8", used={"persistentvolumeclaims": "8"})))
    state.claims.apply_claim(claim_fact("data-g-1"))

    assert most(state, claiming("templates")) == 12
    assert isinstance(most(state, claiming("ephemeral")), QuotaShort)


def test_claim_that_all_members_share_is_not_counted():
    state = state_with(quota(persistentvolumeclaims="0"))
    volume = {"name": "data", "persistentVolumeClaim": {"claimName": "shared"}}

    assert most(state, asking(volumes=[volume])) == 12


def claiming(source):
    """A gang of 2 to 12 members, each with 3 GiB of the class gold and 2 GiB of the default class."""
    wishes = {"data": ("gold", "3Gi"), "scratch": (None, "2Gi")}
    specs = {name: wish(*wanted) for name, wanted in wishes.items()}
    if source == "ephemeral":
        claims = [{"name": name, "ephemeral": {"volumeClaimTemplate": {"spec": one}}} for name, one in specs.items()]
        return asking(volumes=claims)
    templates = [{"metadata": {"name": name}, "spec": one} for name, one in specs.items()]
    return parse_gang(gang("g", size=2, most=12, spec={"volumeClaimTemplates": templates}), None)


def with_classes(state):
    for name in ("gold", "plain"):
        kind = StorageClass(name, "disk.example.com", waits=True, is_default=name == "plain")
        state.claims.storage.classes.apply(kind)
    return state


def wish(storage_class, size):
    named = {} if storage_class is None else {"storageClassName": storage_class}
    return {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": size}}, **named}


@pytest.mark.parametrize(
    ("scope", "wanted"),
    [
        pytest.param({"scopes": ["NotBestEffort", "NotTerminating"]}, 5, id="of them"),
        pytest.param({"scopes": ["BestEffort"]}, 12, id="of others"),
        pytest.param({"scopes": ["NotBestEffort", "Terminating"]}, 12, id="not of all"),
        pytest.param({"scopes": ["CrossNamespacePodAffinity"]}, 12, id="of affinity across namespaces"),
        pytest.param({"selector": [("PriorityClass", "In", ["high"])]}, 5, id="of its class"),
        pytest.param({"selector": [("PriorityClass", "In", ["low"])]}, 12, id="of another class"),
        pytest.param({"selector": [("PriorityClass", "NotIn", ["high"])]}, 12, id="not of its class"),
        pytest.param({"selector": [("PriorityClass", "Exists", [])]}, 5, id="of any class"),
        pytest.param({"selector": [("PriorityClass", "DoesNotExist", [])]}, 12, id="of no class"),
        pytest.param({"selector": [("PriorityClass", "Odd", [])]}, 12, id="an operator of later"),
        pytest.param({"selector": [("PriorityClass", "In", ["low", "high"])] * 2}, 5, id="of two lists"),
        pytest.param({"selector": [("PriorityClass", "In", [one]) for one in ("low", "high")]}, 12, id="of one of two"),
        pytest.param({"selector": [("PriorityClass", "NotIn", [one]) for one in ("a", "b")]}, 5, id="of neither"),
        pytest.param({"selector": [("PriorityClass", "NotIn", [one]) for one in ("a", "high")]}, 12, id="of either"),
        pytest.param({"scopes": ["NotBestEffort"] * 1000}, 5, id="said often"),
        pytest.param({"namespace": "other"}, 12, id="elsewhere"),
    ],
)
def test_quota_counts_those_of_its_scopes(scope, wanted):
    names = ("scopeName", "operator", "values")
    selector = [dict(zip(names, one, strict=True)) for one in scope.pop("selector", ())]
    state = state_with(quota(pods="5", selector=selector, **scope), classes=[priority_class("high", 10)])
    spec = replace(asking().spec, priority_class="high")

    assert most(state, replace(asking(), spec=spec)) == wanted


def test_members_with_a_deadline_of_their_own_are_terminating():
    state = state_with(quota(pods="5", scopes=["Terminating"]))

    assert most(state, asking(activeDeadlineSeconds=60)) == 5


def test_members_that_ask_for_nothing_are_best_effort():
    state = state_with(quota(pods="5", scopes=["BestEffort"]))

    assert most(state, gang_fact(spec=gang_spec(size=1, most=9, request=(("pods", 1),)))) == 5


def test_quota_that_is_not_counted_yet_bounds_no_gang():
    uncounted = quota(pods="1") | {"status": {"hard": {"pods": "1"}}}

    assert most(state_with(uncounted), asking()) == 12


def test_what_is_short_is_said_whatever_others_use_first():
    state = state_with(quota(pods="5", cpu="3", used={"pods": "4"}))

    short = most(state, asking())
    assert (short.limit.resource, short.limit.hard, short.needed, short.wanted) == ("cpu", 3000, 2, 4000)


def test_roles_share_what_is_left_in_their_order():
    roles = [role_spec("a", size=1, most=4), role_spec("b", size=2, most=9)]
    state = state_with(quota(pods="8"))

    bound = QuotaBounds(state).bound(gang_fact(spec=gang_spec(roles=roles)))
    assert [role.sizes.maximum for role in bound.gang.spec.roles] == [4, 4]
    assert (bound.narrowed.quota, bound.narrowed.most, bound.narrowed.maximum) == ("small", 8, 13)


def test_members_that_are_about_to_be_created_are_counted():
    state = state_with(quota(pods="8"))
    state.apply_gang(gang_fact("first", spec=gang_spec(size=2, most=6)))
    state.assumptions.hold(held("first", 5))

    assert most(state, asking()) == 3
    assert not QuotaBounds(state).allow(asking(), [Members(node="n1", count=4)])
    assert QuotaBounds(state).allow(asking(), [Members(node="n1", count=3)])


def test_next_size_that_is_decided_or_dropped_while_quotas_are_read_counts_at_once():
    state = state_with(quota(pods="8", used={"pods": "2"}))
    state.apply_gang(gang_fact("first", spec=gang_spec(size=2, most=6)))
    state.assumptions.hold(held("first", 2))
    bounds = QuotaBounds(state)
    left = [bounds.limits(asking())[0].left]

    state.counts.next_sizes.decide(held("first", 5))
    left.append(bounds.limits(asking())[0].left)
    state.counts.next_sizes.forget(GangKey("default", "first"))
    left.append(bounds.limits(asking())[0].left)

    assert left[0] - left[1] == 3
    assert left[2] == left[0]


@pytest.mark.parametrize("hard", [2, 5, 6, 9])
@pytest.mark.parametrize("after", [*itertools.product([1, 2], range(1, 7))], ids=str)
def test_change_of_size_is_allowed_if_it_takes_no_more_or_what_is_left_wherever_members_are(hard, after):
    roles = [role_spec("a", size=1, most=2), role_spec("b", size=1, most=6)]
    state, fact = state_with(quota(pods=str(hard), used={"pods": "5"})), gang_fact(spec=gang_spec(roles=roles))
    before = [Members("n1", 1, role="a"), Members("n1", 2, role="b"), Members("n2", 2, role="b")]
    then = [Members("n3", count, role=name) for name, count in zip("ab", after, strict=True)]

    is_allowed = QuotaBounds(state).allow(fact, then, instead_of=before)

    assert is_allowed == (sum(after) <= max(5, hard))


def test_gang_that_gives_back_what_it_has_is_planned_as_it_was():
    state = state_with(quota(pods="8", used={"pods": "8"}))
    state.apply_gang(asking())
    state.assumptions.hold(held("g", 5))

    assert most(state, asking()) == 12


def held(name, count):
    return Reservation(
        gang=GangKey("default", name),
        gang_uid=f"uid-of-{name}",
        attempt=1,
        members=(Members(node="n1", count=count),),
        requests={"": (("pods", 1),)},
        start=0.0,
        expected_finish=None,
    )


def test_quota_that_is_as_it_was_makes_no_new_plan():
    changes = []
    state = state_with(quota(pods="1"))
    state.quotas._changed = lambda: changes.append(1)

    state.quotas.apply(parse_quota(quota(pods="1")))
    assert changes == []
    state.quotas.apply(parse_quota(quota(pods="2")))
    state.quotas.remove(parse_quota(quota(pods="2")).key)
    state.quotas.remove(parse_quota(quota(pods="2")).key)
    assert (len(changes), most(state, asking())) == (2, 12)
