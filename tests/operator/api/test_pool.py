"""What the node pool makes of templates, and what it refuses."""

import pytest

from builders.served import gang
from coschedule import Members, Taint, Toleration
from lockstep.api.gangjob.gangjob import parse_gang
from lockstep.api.members.member_pod import MemberPods
from lockstep.api.pool import ALL_NODES, Pool
from lockstep.facts.reasons import Reason

SELECTOR = (("pool", "gangs"), ("zone", "b"))
POOL = Pool(selector=SELECTOR, taints=(Taint("pool", "gangs", "NoSchedule"), Taint("lent", "", "NoExecute")))
OF_GANGS = {"key": "pool", "operator": "Equal", "value": "gangs", "effect": "NoSchedule"}
LENT = {"key": "lent", "operator": "Exists", "effect": "NoExecute"}


def gang_in(pool, **template):
    return parse_gang(gang("g", pod_spec=template), None, pool)


def tolerations(*own):
    return gang_in(POOL, tolerations=list(own)).spec.roles[0].template.document.decoded()["spec"]["tolerations"]


@pytest.mark.parametrize(
    ("labels", "want"),
    [
        pytest.param({"pool": "gangs", "zone": "b", "disk": "ssd"}, True, id="every label"),
        pytest.param({"pool": "gangs"}, False, id="one is missing"),
        pytest.param({"pool": "gangs", "zone": "a"}, False, id="one has another value"),
    ],
)
def test_node_is_in_the_pool_by_all_of_its_labels(labels, want):
    assert POOL.has(labels) is want
    assert ALL_NODES.has(labels)


def test_members_are_planned_and_created_with_what_the_pool_asks():
    fact = gang_in(POOL, nodeSelector={"disk": "ssd"}, tolerations=[{"operator": "Exists", "key": "own"}])

    assert fact.spec.roles[0].constraints.node_selector == (("disk", "ssd"), *SELECTOR)
    assert fact.spec.roles[0].constraints.tolerations == (
        Toleration("own", "Exists", "", ""),
        Toleration("pool", "Equal", "gangs", "NoSchedule"),
        Toleration("lent", "Exists", "", "NoExecute"),
    )
    spec = MemberPods(fact, 1, (Members("n1", 2),)).pod(1)["spec"]
    assert spec["nodeSelector"] == {"disk": "ssd", "pool": "gangs", "zone": "b"}
    assert spec["tolerations"] == [{"operator": "Exists", "key": "own"}, OF_GANGS, LENT]


def test_gang_s_manifest_is_not_changed():
    manifest = gang("g", pod_spec={"nodeSelector": {"disk": "ssd"}, "tolerations": []})

    parse_gang(manifest, None, POOL)

    assert manifest == gang("g", pod_spec={"nodeSelector": {"disk": "ssd"}, "tolerations": []})


def test_without_a_pool_templates_stay_as_they_are():
    manifest = gang("g")

    template = parse_gang(manifest, None, ALL_NODES).spec.roles[0].template

    assert template.document.decoded() == manifest["spec"]["template"]


@pytest.mark.parametrize(
    "own",
    [
        pytest.param(OF_GANGS, id="written alike"),
        pytest.param({"key": "pool", "value": "gangs", "effect": "NoSchedule"}, id="without the default operator"),
        pytest.param({**OF_GANGS, "tolerationSeconds": 60}, id="for a time"),
    ],
)
def test_toleration_that_the_template_has_is_not_added_again(own):
    assert tolerations(own) == [own, LENT]


def test_toleration_of_something_else_is_no_reason_to_leave_ours_out():
    another = {**OF_GANGS, "value": "others"}

    assert tolerations(another) == [another, OF_GANGS, LENT]


def test_same_label_in_the_template_is_fine():
    fact = gang_in(POOL, nodeSelector={"pool": "gangs"})

    assert POOL.refusal(fact) is None
    assert fact.spec.roles[0].constraints.node_selector == SELECTOR


def test_other_value_of_a_label_is_refused_by_name():
    fact = gang_in(POOL, nodeSelector={"zone": "a"})

    refusal = POOL.refusal(fact)

    assert refusal.reason == Reason.INVALID_SPEC
    assert refusal.message == (
        "template.spec.nodeSelector: zone=a selects none of the nodes of the operator's pool, which have zone=b."
    )
    assert ALL_NODES.refusal(fact) is None
